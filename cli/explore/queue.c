/* A list of jobs under one lock; workers take the oldest. */
#include "explore/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REPLACED = 409,
    ENDING = 503,
    AGAIN = 20000000 /* nanoseconds between two interrupts */
};

struct queue {
    http_handlers handlers;
    void (*ready)(void *owner);
    pthread_mutex_t lock;
    pthread_cond_t changed;
    queue_job *first;
    size_t count, busy; /* jobs that wait; workers that have one */
    bool closing;
    queue_job *running[HTTP_WORKERS];
    pthread_t threads[HTTP_WORKERS];
    size_t started; /* threads; also the number of the next one */
};

http_answer http_text(unsigned status, const char *text) {
    http_answer a = {.status = status, .type = "text/plain; charset=utf-8", .bytes = strdup(text)};
    a.size = a.bytes ? strlen(text) : 0;
    return a;
}

/* ---- workers -------------------------------------------------------------------------------- */

/* The oldest job; NULL: the queue is closed. */
static queue_job *pop(queue *q, size_t worker) {
    (void)pthread_mutex_lock(&q->lock);
    while (!q->first && !q->closing)
        (void)pthread_cond_wait(&q->changed, &q->lock);
    queue_job *job = q->first;
    if (job) {
        q->first = job->next;
        q->count--;
    }
    q->running[worker] = job;
    q->busy += job != NULL;
    (void)pthread_mutex_unlock(&q->lock);
    return job;
}

static size_t my_number(queue *q) {
    (void)pthread_mutex_lock(&q->lock);
    size_t number = q->started++;
    (void)pthread_mutex_unlock(&q->lock);
    return number;
}

static void *work_on(void *user) {
    queue *q = user;
    size_t worker = my_number(q);
    for (queue_job *job; (job = pop(q, worker)) != NULL;) {
        http_request request = {job->name, job->body, job->size, worker};
        job->answer = q->handlers.post(q->handlers.user, &request);
        (void)pthread_mutex_lock(&q->lock);
        q->running[worker] = NULL;
        q->busy--;
        (void)pthread_cond_broadcast(&q->changed);
        (void)pthread_mutex_unlock(&q->lock);
        q->ready(job->owner);
    }
    return NULL;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static bool same_question(const queue_job *a, const queue_job *b) {
    return a->client[0] && strcmp(a->client, b->client) == 0 && strcmp(a->name, b->name) == 0;
}

/* Older jobs with the same question: those that run are interrupted, those that wait are taken out. */
static queue_job *replace_older(queue *q, const queue_job *job) {
    queue_job *out = NULL;
    for (size_t w = 0; w < HTTP_WORKERS; w++)
        if (q->running[w] && same_question(q->running[w], job))
            q->handlers.interrupt(q->handlers.user, w);
    for (queue_job **at = &q->first; *at;) {
        queue_job *older = *at;
        if (!same_question(older, job)) {
            at = &older->next;
            continue;
        }
        *at = older->next;
        q->count--;
        older->next = out;
        out = older;
    }
    return out;
}

static void append(queue *q, queue_job *job) {
    queue_job **end = &q->first;
    while (*end)
        end = &(*end)->next;
    job->next = NULL;
    *end = job;
    q->count++;
    (void)pthread_cond_signal(&q->changed);
}

/* Answer jobs that nobody works on. */
static void refuse_all(queue *q, queue_job *job, unsigned status, const char *text) {
    while (job) {
        queue_job *next = job->next;
        job->answer = http_text(status, text);
        q->ready(job->owner);
        job = next;
    }
}

bool queue_add(queue *q, queue_job *job) {
    (void)pthread_mutex_lock(&q->lock);
    bool room = q->count < QUEUE_LIMIT && !q->closing;
    queue_job *older = room ? replace_older(q, job) : NULL;
    if (room)
        append(q, job);
    (void)pthread_mutex_unlock(&q->lock);
    refuse_all(q, older, REPLACED, "replaced by a newer request\n");
    return room;
}

/* ---- life ----------------------------------------------------------------------------------- */

queue *queue_start(const http_handlers *handlers, void (*ready)(void *owner)) {
    queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->handlers = *handlers;
    q->ready = ready;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->changed, NULL);
    size_t made = 0;
    while (made < HTTP_WORKERS && pthread_create(&q->threads[made], NULL, work_on, q) == 0)
        made++;
    if (made == HTTP_WORKERS)
        return q;
    (void)pthread_mutex_lock(&q->lock);
    q->closing = true;
    (void)pthread_cond_broadcast(&q->changed);
    (void)pthread_mutex_unlock(&q->lock);
    while (made > 0)
        (void)pthread_join(q->threads[--made], NULL);
    queue_free(q);
    return NULL;
}

/* Jobs that run are interrupted, again and again: one that has just been taken may forget the first interrupt. */
static void end_running(queue *q) {
    while (q->busy > 0) {
        struct timespec until;
        for (size_t w = 0; w < HTTP_WORKERS; w++)
            if (q->running[w])
                q->handlers.interrupt(q->handlers.user, w);
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += AGAIN;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&q->changed, &q->lock, &until);
    }
}

void queue_close(queue *q) {
    (void)pthread_mutex_lock(&q->lock);
    queue_job *waiting = q->first;
    q->first = NULL;
    q->count = 0;
    q->closing = true;
    (void)pthread_cond_broadcast(&q->changed);
    end_running(q);
    (void)pthread_mutex_unlock(&q->lock);
    refuse_all(q, waiting, ENDING, "the explorer ends\n");
    for (size_t w = 0; w < HTTP_WORKERS; w++)
        (void)pthread_join(q->threads[w], NULL);
}

void queue_free(queue *q) {
    if (!q)
        return;
    (void)pthread_cond_destroy(&q->changed);
    (void)pthread_mutex_destroy(&q->lock);
    free(q);
}
