/* Tasks are parts for the threads, so that those whose geodesics are easy do more of them. */
#include "geodesic/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/pool.h"

typedef struct workers {
    rm2_context *ctx; /* the caller's */
    rm2i_job_fn fn;
    void *job;
    size_t count, workers;
    rm2i_worker *worker;
    atomic_bool stop;
    pthread_mutex_t lock; /* of those below */
    rm2_status status;    /* of the first failure, or what ended the work */
    size_t failed;
    char message[1024];
} workers;

static rm2_status create_workers(rm2_context *ctx, const rm2_metric *metric, workers *c) {
    c->workers = rm2i_workers(ctx, c->count);
    int own_threads = rm2_context_threads(ctx) / (int)c->workers;
    RM2_TRY(rm2i_calloc(ctx, c->workers, sizeof *c->worker, &c->worker));
    for (size_t w = 0; w < c->workers; w++) {
        rm2i_worker *worker = &c->worker[w];
        worker->number = w;
        if (rm2i_context_child(ctx, own_threads, &worker->ctx) != RM2_OK)
            return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory for %zu threads", c->workers);
        RM2_TRY(rm2i_evaluator_begin(ctx, metric, own_threads, &worker->evaluator));
        if (c->workers > 1) /* a thread of many has threads of its own */
            worker->evaluator.room.ctx = worker->ctx;
    }
    return RM2_OK;
}

static void free_workers(workers *c) {
    for (size_t w = 0; c->worker && w < c->workers; w++) {
        rm2i_evaluator_end(&c->worker[w].evaluator);
        rm2_context_free(c->worker[w].ctx);
    }
    free(c->worker);
}

/* What ends the work for all tasks, and is its result whatever else failed. */
static bool is_end(rm2_status status) {
    return status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY;
}

static void note_failure(workers *c, rm2_status status, size_t i, const rm2_context *ctx) {
    if (is_end(status))
        atomic_store(&c->stop, true);
    pthread_mutex_lock(&c->lock);
    if (!is_end(c->status) && (is_end(status) || i < c->failed)) {
        c->status = status;
        c->failed = is_end(status) ? SIZE_MAX : i;
        (void)snprintf(c->message, sizeof c->message, "%s",
                       status == RM2_INTERRUPTED ? "interrupted" : rm2_context_error(ctx));
    }
    pthread_mutex_unlock(&c->lock);
}

static void one_task(void *all, size_t i, size_t number) {
    workers *c = all;
    rm2i_worker *worker = &c->worker[number];
    if (atomic_load(&c->stop))
        return;
    worker->evaluator.evaluations = 0;
    rm2_status status = c->fn(c->job, i, worker);
    if (status != RM2_OK)
        note_failure(c, status, i, worker->ctx);
    if (!is_end(status))
        rm2i_activity_advance(c->ctx, 1);
}

rm2_status rm2i_workers_run(rm2_context *ctx, const rm2_metric *metric, size_t count,
                            rm2i_job_fn fn, void *job, size_t *failed) {
    workers c = {
        .ctx = ctx, .fn = fn, .job = job, .count = count, .status = RM2_OK, .failed = SIZE_MAX};
    rm2_status status = create_workers(ctx, metric, &c);
    if (status == RM2_OK) {
        pthread_mutex_init(&c.lock, NULL);
        rm2i_parallel(ctx, count, one_task, &c);
        pthread_mutex_destroy(&c.lock);
        status = c.status;
        if (status != RM2_OK)
            (void)rm2i_fail(ctx, status, "%s", c.message);
    }
    free_workers(&c);
    if (failed)
        *failed = c.failed;
    return status;
}

void rm2i_find_pair(size_t n, size_t number, size_t *i, size_t *j) {
    *i = 0;
    while (number >= n - 1 - *i)
        number -= n - 1 - (*i)++;
    *j = *i + 1 + number;
}
