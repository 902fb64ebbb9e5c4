/* Distances between all pairs of points. */
#include <stdlib.h>

#include "base/base.h"
#include "manifold/manifold.h"

typedef struct pairs {
    rm2_context *ctx;
    const rm2_manifold *m;
    size_t n;
    const double *points;
    double *distance;
} pairs;

enum {
    SLOW = 64
}; /* numbers of a point whose distances take microseconds: interrupts are looked at before each */

/* Row i, behind the diagonal; and the column that is equal to it. */
static rm2_status fill_row(const void *arg, size_t i, double *work) {
    const pairs *p = arg;
    const double *x = p->points + i * p->m->ambient;
    bool slow = p->m->ambient >= SLOW;
    p->distance[i * p->n + i] = 0;
    for (size_t j = i + 1; j < p->n; j++) {
        double *d = &p->distance[i * p->n + j];
        if (slow && rm2i_interrupted(p->ctx))
            return RM2_INTERRUPTED;
        RM2_TRY(rm2i_manifold_distance(p->m, x, p->points + j * p->m->ambient, d, work, NULL));
        p->distance[j * p->n + i] = *d;
    }
    rm2i_activity_advance(p->ctx, p->n - 1 - i);
    return RM2_OK;
}

/* The first pair of row i that has no distance. */
static rm2_status refuse_pair(rm2_context *ctx, const pairs *p, size_t i, rm2_status status) {
    double d, *work;
    size_t j = i + 1, D = p->m->ambient;
    RM2_TRY(rm2i_alloc(ctx, p->m->work_size, sizeof *work, &work));
    while (j + 1 < p->n && rm2i_manifold_distance(p->m, p->points + i * D, p->points + j * D, &d,
                                                  work, NULL) == RM2_OK)
        j++;
    free(work);
    return rm2i_fail(ctx, status, "distance of points %zu and %zu (counted from 0): %s", i, j,
                     rm2_status_text(status));
}

rm2_status rm2_manifold_distances(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                  const double *points, double *distance) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, points, distance);
    pairs p = {ctx, m, n, points, distance};
    size_t bad = 0;
    RM2_TRY(rm2i_manifold_check_all(ctx, m, "", n, points));
    rm2i_activity_begin(ctx, "distances", n > 0 ? n * (n - 1) / 2 : 0);
    rm2_status status = rm2i_jobs(ctx, n, m->work_size, fill_row, &p, &bad);
    rm2i_activity_end(ctx);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return refuse_pair(ctx, &p, bad, status);
}
