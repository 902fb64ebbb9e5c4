/* Loops over independent points: parts on the context's threads, one scratch slice per thread, first failure kept. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/pool.h"

enum {
    CHUNK_MAX = 256, /* points between two looks at the interrupt flag */
    CHUNKS = 4,      /* parts per thread at least, so that none waits long for another */
    CACHE_LINE = 8,  /* doubles: slices of two threads never share a line */
    SLOW =
        1024, /* doubles of scratch of points that are slow: interrupts are looked at before each */
    SERIAL_BELOW = 32 /* points below which starting threads costs more than it brings */
};

typedef struct loop {
    rm2_context *ctx;
    rm2i_point_fn fn;
    const void *job;
    size_t n, chunk; /* points; how many of them are one part */
    double *work;
    size_t slice; /* doubles of `work` per thread */
    atomic_bool stop;
    pthread_mutex_t lock; /* of the two below */
    rm2_status status;
    size_t failed; /* the smallest index that failed */
} loop;

static void note_failure(loop *l, rm2_status status, size_t i) {
    pthread_mutex_lock(&l->lock);
    if (i < l->failed) {
        l->status = status;
        l->failed = i;
    }
    pthread_mutex_unlock(&l->lock);
}

/* A failure does not stop the other parts: the smallest index is reported. */
static void run_chunk(void *chunks, size_t c, size_t worker) {
    loop *l = chunks;
    double *own = l->work + l->slice * worker;
    size_t end = (c + 1) * l->chunk < l->n ? (c + 1) * l->chunk : l->n;
    if (atomic_load_explicit(&l->stop, memory_order_relaxed))
        return;
    if (rm2i_interrupted(l->ctx)) {
        atomic_store(&l->stop, true);
        return;
    }
    bool slow = l->slice >= SLOW;
    for (size_t i = c * l->chunk; i < end; i++) {
        if (slow && rm2i_interrupted(l->ctx)) {
            atomic_store(&l->stop, true);
            return;
        }
        rm2_status status = l->fn(l->job, i, own);
        if (status == RM2_OK)
            continue;
        note_failure(l, status, i);
        return;
    }
}

/* One slice of scratch per thread. A size that an arena could not count is SIZE_MAX. */
static rm2_status allocate_slices(loop *l, size_t work_size, size_t workers) {
    size_t lines = work_size / CACHE_LINE + 2;
    l->slice = lines * CACHE_LINE;
    return rm2i_alloc(l->ctx, lines, CACHE_LINE * sizeof *l->work * workers, &l->work);
}

/* shared: on the context's threads. */
static rm2_status run_chunks(loop *l, size_t work_size, bool shared, size_t *failed) {
    rm2_context *threads = shared ? l->ctx : NULL;
    size_t chunks = (l->n + l->chunk - 1) / l->chunk;
    RM2_TRY(allocate_slices(l, work_size, rm2i_workers(threads, chunks)));
    pthread_mutex_init(&l->lock, NULL);
    rm2i_parallel(threads, chunks, run_chunk, l);
    pthread_mutex_destroy(&l->lock);
    free(l->work);
    if (l->status == RM2_INTERRUPTED || (l->status == RM2_OK && atomic_load(&l->stop)))
        return rm2i_fail(l->ctx, RM2_INTERRUPTED, "interrupted");
    if (l->status != RM2_OK && failed)
        *failed = l->failed;
    return l->status;
}

rm2_status rm2i_batch(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed) {
    bool shared = n >= SERIAL_BELOW;
    size_t threads = shared ? rm2i_workers(ctx, n) : 1, chunk = n / (CHUNKS * threads) + 1;
    loop l = {.ctx = ctx, .fn = fn, .job = job, .n = n, .failed = SIZE_MAX};
    l.chunk = chunk < CHUNK_MAX ? chunk : CHUNK_MAX;
    return run_chunks(&l, work_size, shared, failed);
}

rm2_status rm2i_jobs(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                     const void *job, size_t *failed) {
    loop l = {.ctx = ctx, .fn = fn, .job = job, .n = n, .chunk = 1, .failed = SIZE_MAX};
    return run_chunks(&l, work_size, true, failed);
}
