/* Loops over independent points: OpenMP threads, one scratch slice a thread, first failure kept. */
#include <stdatomic.h>
#include <stdlib.h>

#include <omp.h>

#include "base/base.h"

enum {
    CHUNK_MAX = 256,  /* points between two looks at the interrupt flag */
    CACHE_LINE = 8,   /* doubles: slices of two threads never share a line */
    SERIAL_BELOW = 32 /* points below which starting threads costs more than it brings */
};

typedef struct failure {
    rm2_status status;
    size_t index;
} failure;

static void run_chunk(rm2i_point_fn fn, const void *job, size_t from, size_t to, double *work,
                      failure *mine) {
    for (size_t i = from; i < to; i++) {
        rm2_status status = fn(job, i, work);
        if (status == RM2_OK)
            continue;
        if (i < mine->index)
            *mine = (failure){status, i};
        return;
    }
}

/* How points are divided among threads. */
typedef struct division {
    size_t n, chunk; /* points, and those between two looks at the interrupt flag */
    size_t share;    /* chunks that a thread takes at a time */
    int threads;
} division;

static rm2_status run_chunks(rm2_context *ctx, const division *d, size_t work_size,
                             rm2i_point_fn fn, const void *job, size_t *failed) {
    size_t slice = (work_size + 2 * CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, slice * (size_t)d->threads, sizeof *work, &work));

    size_t n = d->n, chunk = d->chunk, chunks = (n + chunk - 1) / chunk;
    failure first = {RM2_OK, SIZE_MAX};
    atomic_bool stop = false;
#pragma omp parallel num_threads(d->threads) if (d->threads > 1)
    {
        failure mine = {RM2_OK, SIZE_MAX};
        double *own = work + slice * (size_t)omp_get_thread_num();
#pragma omp for schedule(dynamic, d->share)
        for (size_t c = 0; c < chunks; c++) {
            if (atomic_load_explicit(&stop, memory_order_relaxed))
                continue;
            if (rm2i_interrupted(ctx)) {
                atomic_store(&stop, true);
                continue;
            }
            /* a failure does not stop the other threads: the smallest index is reported */
            run_chunk(fn, job, c * chunk, (c + 1) * chunk < n ? (c + 1) * chunk : n, own, &mine);
        }
#pragma omp critical
        if (mine.index < first.index)
            first = mine;
    }
    free(work);
    if (first.status == RM2_INTERRUPTED || (first.status == RM2_OK && atomic_load(&stop)))
        return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    if (first.status != RM2_OK && failed)
        *failed = first.index;
    return first.status;
}

rm2_status rm2i_batch(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed) {
    int threads = n < SERIAL_BELOW ? 1 : rm2_context_threads(ctx);
    size_t chunk = n / (4 * (size_t)threads) + 1;
    if (chunk > CHUNK_MAX)
        chunk = CHUNK_MAX;
    size_t chunks = (n + chunk - 1) / chunk;
    division d = {n, chunk, chunks / (size_t)threads + 1, threads};
    return run_chunks(ctx, &d, work_size, fn, job, failed);
}

rm2_status rm2i_tasks(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed) {
    size_t threads = (size_t)rm2_context_threads(ctx);
    if (threads > n)
        threads = n ? n : 1;
    division d = {n, 1, 1, (int)threads};
    return run_chunks(ctx, &d, work_size, fn, job, failed);
}
