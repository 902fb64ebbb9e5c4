/* Loops over independent points: OpenMP threads, one scratch slice per thread, first failure kept. */
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

typedef struct loop {
    rm2i_point_fn fn;
    const void *job;
    size_t n, chunk; /* points; how many of them are one piece of work */
    size_t share;    /* pieces that a thread takes at a time */
    int threads;
    size_t work_size;
} loop;

static void run_chunk(const loop *l, size_t c, double *work, failure *mine) {
    size_t end = (c + 1) * l->chunk < l->n ? (c + 1) * l->chunk : l->n;
    for (size_t i = c * l->chunk; i < end; i++) {
        rm2_status status = l->fn(l->job, i, work);
        if (status == RM2_OK)
            continue;
        if (i < mine->index)
            *mine = (failure){status, i};
        return;
    }
}

/* One slice of scratch per thread. A size that an arena could not count is SIZE_MAX. */
static rm2_status allocate_slices(rm2_context *ctx, const loop *l, size_t *slice, double **work) {
    size_t lines = l->work_size / CACHE_LINE + 2;
    *slice = lines * CACHE_LINE;
    return rm2i_alloc(ctx, lines, CACHE_LINE * sizeof **work * (size_t)l->threads, work);
}

static rm2_status run_chunks(rm2_context *ctx, const loop *l, size_t *failed) {
    size_t slice, chunks = (l->n + l->chunk - 1) / l->chunk;
    double *work;
    RM2_TRY(allocate_slices(ctx, l, &slice, &work));
    failure first = {RM2_OK, SIZE_MAX};
    atomic_bool stop = false;
#pragma omp parallel num_threads(l->threads) if (l->threads > 1)
    {
        failure mine = {RM2_OK, SIZE_MAX};
        double *own = work + slice * (size_t)omp_get_thread_num();
#pragma omp for schedule(dynamic, l->share)
        for (size_t c = 0; c < chunks; c++) {
            if (atomic_load_explicit(&stop, memory_order_relaxed))
                continue;
            if (rm2i_interrupted(ctx)) {
                atomic_store(&stop, true);
                continue;
            }
            /* a failure does not stop the other threads: the smallest index is reported */
            run_chunk(l, c, own, &mine);
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
    size_t share = (n + chunk - 1) / chunk / (size_t)threads + 1;
    return run_chunks(ctx, &(loop){fn, job, n, chunk, share, threads, work_size}, failed);
}

rm2_status rm2i_jobs(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                     const void *job, size_t *failed) {
    size_t threads = (size_t)rm2_context_threads(ctx);
    if (threads > n)
        threads = n ? n : 1;
    return run_chunks(ctx, &(loop){fn, job, n, 1, 1, (int)threads, work_size}, failed);
}
