/* A small HTTP server on the loopback interface, on libmicrohttpd.
 *
 * Every address begins with an unguessable token. A request without it, with a Host or Origin that is not
 * this server's (DNS rebinding), with a method other than GET and POST or with too long a body is
 * answered before its body is read. GET requests are answered at once, on the server's own thread; POST
 * requests wait in a queue for one of a few workers. A newer POST request of the same page for the same
 * thing replaces an older one: nobody waits for that any more. Handlers see the part of the address
 * after the token, and nothing of the file system. */
#ifndef RM2_CLI_EXPLORE_HTTP_H
#define RM2_CLI_EXPLORE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_TOKEN = 32 /* hexadecimal digits */, HTTP_WORKERS = 4 };

typedef struct http_request {
    const char *name; /* "geodesic" */
    const void *body; /* of a POST request */
    size_t size;
    size_t worker; /* of a POST request: which one answers, below HTTP_WORKERS */
} http_request;

/* `bytes` are freed with free() once they are sent, unless they are `kept`. */
typedef struct http_answer {
    unsigned status; /* 200, 404, ... */
    const char *type;
    void *bytes;
    size_t size;
    bool kept;
} http_answer;

typedef struct http_handlers {
    http_answer (*get)(void *user, const http_request *request);
    http_answer (*post)(void *user, const http_request *request);
    void (*interrupt)(void *user, size_t worker); /* what it computes is not needed any more */
    void *user;
} http_handlers;

typedef struct http_settings {
    const char *address; /* "127.0.0.1", or "0.0.0.0" where the user asks for it */
    uint16_t port;       /* 0: any that is free */
    char token[HTTP_TOKEN + 1];
    size_t body_limit;
    http_handlers handlers;
} http_settings;

typedef struct http_server http_server;

/* NULL with errno set. The settings are copied. */
http_server *http_start(const http_settings *settings);
uint16_t http_port(const http_server *server);
/* Interrupts what is computed. */
void http_stop(http_server *server);

/* Random digits from the system; false if it has none. */
bool http_make_token(char token[HTTP_TOKEN + 1]);

#endif
