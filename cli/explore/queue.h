/* POST requests that wait for a worker, and the workers. */
#ifndef RM2_CLI_EXPLORE_QUEUE_H
#define RM2_CLI_EXPLORE_QUEUE_H

#include "explore/http.h"

enum { QUEUE_CLIENT = 16, QUEUE_NAME = 16, QUEUE_LIMIT = 512 };

/* A request from its arrival until its answer is there. */
typedef struct queue_job {
    char client[QUEUE_CLIENT]; /* which page asks; "": unknown */
    char name[QUEUE_NAME];
    const void *body;
    size_t size;
    http_answer answer;
    void *owner; /* for `ready` */
    struct queue_job *next;
} queue_job;

typedef struct queue queue;

/* `ready` is called with a job's owner once its answer is there, on any thread. NULL: no memory or no
 * threads. */
queue *queue_start(const http_handlers *handlers, void (*ready)(void *owner));
/* False: too many wait already, or the queue is closing. */
bool queue_add(queue *q, queue_job *job);
/* No more jobs are taken. Those that wait are refused, those that run interrupted; returns when all are answered. */
void queue_close(queue *q);
void queue_free(queue *q);

/* A text as an answer. */
http_answer http_text(unsigned status, const char *text);

#endif
