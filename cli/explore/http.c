/* Requests are checked when their headers are there, handled when their body is. */
#include "explore/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/connections.h"
#include "explore/queue.h"

enum {
    IDLE_SECONDS = 60,
    HEADER_MEMORY = 16 * 1024, /* of a connection */
    UPLOADS = 256 << 20        /* bytes of bodies that are held at a time */
};

struct http_server {
    http_settings settings;
    struct MHD_Daemon *daemons[2]; /* the second one listens on [::1] */
    _Atomic uint16_t port; /* known once the first daemon listens, which then answers already */
    queue *queue;
    connections *connections;
    atomic_size_t uploads; /* bytes of bodies that are held */
};

/* A request from its headers to its answer. */
typedef struct exchange {
    http_server *server;
    struct MHD_Connection *connection;
    char *bytes;
    size_t size, room;
    bool refused; /* an answer is queued already */
    bool asked;   /* the job is with the queue */
    queue_job job;
} exchange;

/* ---- answers -------------------------------------------------------------------------------- */

/* No scripts, styles or connections but our own; only pages of this machine may frame the page. */
static const struct {
    const char *name, *value;
} headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static enum MHD_Result send_answer(struct MHD_Connection *connection, const http_answer *a) {
    enum MHD_ResponseMemoryMode mode = a->kept ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        a->size, a->size ? a->bytes : (void *)"", a->size ? mode : MHD_RESPMEM_PERSISTENT);
    if (!response) {
        if (!a->kept)
            free(a->bytes);
        return MHD_NO;
    }
    if (a->size == 0 && !a->kept)
        free(a->bytes);
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        (void)MHD_add_response_header(response, headers[k].name, headers[k].value);
    (void)MHD_add_response_header(response, "Content-Type", a->type);
    enum MHD_Result result = MHD_queue_response(connection, a->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const char *text) {
    http_answer a = {.status = status,
                     .type = "text/plain; charset=utf-8",
                     .bytes = (void *)text,
                     .size = strlen(text),
                     .kept = true};
    return send_answer(connection, &a);
}

/* ---- checks --------------------------------------------------------------------------------- */

/* In a time that does not depend on where they differ. */
static bool same_token(const char *a, const char *b) {
    unsigned difference = 0;
    for (size_t k = 0; k < HTTP_TOKEN; k++) {
        if (!a[k])
            return false;
        difference |= (unsigned)(a[k] ^ b[k]);
    }
    return difference == 0;
}

/* "127.0.0.1:8080", "localhost:8080" */
static bool is_our_host(const http_server *s, const char *host) {
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char expected[64];
    if (strcmp(s->settings.address, "127.0.0.1") != 0)
        return true; /* the user has opened the server to others, under whatever name */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        (void)snprintf(expected, sizeof expected, "%s:%u", names[k], (unsigned)s->port);
        if (strcmp(host, expected) == 0)
            return true;
    }
    return false;
}

static bool is_our_origin(const http_server *s, const char *origin) {
    return strncmp(origin, "http://", 7) == 0 && is_our_host(s, origin + 7);
}

/* Status and text of what is wrong with a request's headers; 0: nothing. */
static unsigned find_fault(const http_server *s, struct MHD_Connection *connection, const char *url,
                           const char *method, const char **text) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    *text = "";
    if (!host || !is_our_host(s, host) || (origin && !is_our_origin(s, origin))) {
        *text = "this server answers its own page only\n";
        return MHD_HTTP_FORBIDDEN;
    }
    if (url[0] != '/' || !same_token(url + 1, s->settings.token) || url[1 + HTTP_TOKEN] != '/') {
        *text = "not found; use the whole address that riemann2 explore prints\n";
        return MHD_HTTP_NOT_FOUND;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0) {
        *text = "only GET and POST\n";
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    }
    if (length && strtoull(length, NULL, 10) > s->settings.body_limit) {
        *text = "too long\n";
        return MHD_HTTP_CONTENT_TOO_LARGE;
    }
    return 0;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool append(exchange *x, const char *data, size_t size) {
    http_server *s = x->server;
    if (size > s->settings.body_limit - x->size)
        return false;
    if (x->size + size > x->room) {
        size_t room = 2 * (x->size + size), more = room - x->room;
        char *grown = s->uploads + more <= UPLOADS ? realloc(x->bytes, room) : NULL;
        if (!grown)
            return false;
        s->uploads += more;
        x->bytes = grown;
        x->room = room;
    }
    memcpy(x->bytes + x->size, data, size);
    x->size += size;
    return true;
}

/* ---- requests ------------------------------------------------------------------------------- */

static void on_ready(void *owner) {
    exchange *x = owner;
    MHD_resume_connection(x->connection);
}

/* The connection sleeps until a worker has the answer. */
static enum MHD_Result ask(exchange *x, const char *name) {
    const char *client = MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, "c");
    (void)snprintf(x->job.client, sizeof x->job.client, "%s", client ? client : "");
    (void)snprintf(x->job.name, sizeof x->job.name, "%s", name);
    x->job.body = x->bytes;
    x->job.size = x->size;
    x->job.owner = x;
    x->asked = true;
    MHD_suspend_connection(x->connection);
    if (queue_add(x->server->queue, &x->job))
        return MHD_YES;
    x->job.answer = http_text(MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests at once\n");
    MHD_resume_connection(x->connection);
    return MHD_YES;
}

static peer *place_of(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void on_connection(void *user, struct MHD_Connection *c, void **place,
                          enum MHD_ConnectionNotificationCode code) {
    http_server *s = user;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED)
        peer_gone(s->connections, *place);
    else
        *place = info ? peer_open(s->connections, info->connect_fd) : NULL;
}

static enum MHD_Result begin(http_server *s, struct MHD_Connection *connection, const char *url,
                             const char *method, void **state) {
    const char *text;
    unsigned fault = find_fault(s, connection, url, method, &text);
    exchange *x = calloc(1, sizeof *x);
    *state = x;
    if (!x)
        return MHD_NO;
    x->server = s;
    x->connection = connection;
    x->refused = fault != 0;
    peer_set_busy(s->connections, place_of(connection), !fault);
    return fault ? refuse(connection, fault, text) : MHD_YES;
}

/* Called first with the headers, then with parts of the body, then without, and after a sleep again. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state) {
    http_server *s = user;
    exchange *x = *state;
    (void)version;
    if (!x)
        return begin(s, connection, url, method, state);
    if (*size > 0) {
        if (!x->refused && !append(x, data, *size))
            return MHD_NO; /* a body without a length that goes on for ever: hang up */
        *size = 0;
        return MHD_YES;
    }
    if (x->refused)
        return MHD_YES;
    if (x->asked) {
        http_answer answer = x->job.answer;
        x->job.answer = (http_answer){.kept = true};
        return send_answer(connection, &answer);
    }
    const char *name = url + HTTP_TOKEN + 2;
    if (strcmp(method, "POST") == 0)
        return ask(x, name);
    http_request request = {.name = name};
    http_answer answer = s->settings.handlers.get(s->settings.handlers.user, &request);
    return send_answer(connection, &answer);
}

static void on_end(void *user, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code) {
    exchange *x = *state;
    (void)user;
    (void)code;
    if (!x)
        return;
    peer_set_busy(x->server->connections, place_of(connection), false);
    x->server->uploads -= x->room;
    if (!x->job.answer.kept)
        free(x->job.answer.bytes);
    free(x->bytes);
    free(x);
    *state = NULL;
}

/* ---- server --------------------------------------------------------------------------------- */

/* Addresses are compared as they are: none of ours has a character that is escaped. */
static size_t keep_escapes(void *user, struct MHD_Connection *connection, char *text) {
    (void)user;
    (void)connection;
    return strlen(text);
}

/* poll, not epoll: there the library does not see the end of a connection that comes together with half a request, and
 * keeps it until it has been idle for IDLE_SECONDS. */
static struct MHD_Daemon *listen_on(http_server *s, const struct sockaddr *where, unsigned flags) {
    return MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | flags, 0, NULL, NULL, on_request,
        s, MHD_OPTION_SOCK_ADDR, where, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTION_PLACES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEADER_MEMORY, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes,
        NULL, MHD_OPTION_END);
}

/* Port of the first daemon. */
static bool find_port(http_server *s) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(s->daemons[0], MHD_DAEMON_INFO_BIND_PORT);
    if (info)
        s->port = info->port;
    return info != NULL;
}

/* Browsers may take "localhost" for either; without IPv6 there is one address less. */
static void listen_on_ipv6(http_server *s) {
    struct sockaddr_in6 where = {.sin6_family = AF_INET6, .sin6_port = htons(s->port)};
    where.sin6_addr = in6addr_loopback;
    if (strcmp(s->settings.address, "127.0.0.1") == 0)
        s->daemons[1] = listen_on(s, (struct sockaddr *)&where, MHD_USE_IPv6);
}

http_server *http_start(const http_settings *settings) {
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(settings->port)};
    if (inet_pton(AF_INET, settings->address, &where.sin_addr) != 1) {
        errno = EINVAL;
        return NULL;
    }
    http_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->settings = *settings;
    s->queue = queue_start(&settings->handlers, on_ready);
    s->connections = connections_create();
    if (s->queue && s->connections)
        s->daemons[0] = listen_on(s, (struct sockaddr *)&where, 0);
    if (!s->daemons[0] || !find_port(s)) {
        int reason = errno;
        http_stop(s);
        errno = reason;
        return NULL;
    }
    listen_on_ipv6(s);
    return s;
}

uint16_t http_port(const http_server *s) {
    return s->port;
}

void http_stop(http_server *s) {
    if (!s)
        return;
    if (s->queue)
        queue_close(s->queue);
    for (size_t k = 0; k < 2; k++)
        if (s->daemons[k])
            MHD_stop_daemon(s->daemons[k]);
    queue_free(s->queue);
    connections_free(s->connections);
    free(s);
}

bool http_make_token(char token[HTTP_TOKEN + 1]) {
    unsigned char bytes[HTTP_TOKEN / 2];
    FILE *random = fopen("/dev/urandom", "rb");
    bool good = random && fread(bytes, sizeof bytes, 1, random) == 1;
    if (random)
        (void)fclose(random);
    for (size_t k = 0; good && k < sizeof bytes; k++)
        (void)snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return good;
}
