/* Data without trajectories that principal components do not fit. */
#ifndef SURFACE_FIXTURE_H
#define SURFACE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "riemann2/data.h"
#include "shared_context.h"

/* n points of R^M on a curved surface, with noise; the last one is the first again if `twice`. */
static inline rm2_data *surface(size_t n, size_t M, bool twice) {
    char spec[16];
    rm2_manifold *manifold;
    rm2_data *data;
    rm2_rng rng;
    double *points = calloc(n * M, sizeof *points);
    assert_non_null(points);
    rm2_rng_seed(&rng, 5);
    for (size_t i = 0; i < n; i++) {
        double a = rm2_rng_normal(&rng), b = rm2_rng_normal(&rng);
        for (size_t m = 0; m < M; m++)
            points[i * M + m] = a * cos((double)m) + b * sin(2 * (double)m) +
                                0.3 * a * a * sin((double)m + 0.5) +
                                0.5 * b * b * cos(3 * (double)m) + 0.1 * rm2_rng_normal(&rng);
    }
    if (twice)
        memcpy(points + (n - 1) * M, points, M * sizeof *points);
    (void)snprintf(spec, sizeof spec, "R%zu", M);
    ok(rm2_manifold_create(ctx, spec, &manifold));
    const rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = manifold, .count = n, .points = points};
    ok(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    rm2_manifold_free(manifold);
    free(points);
    return data;
}

#endif
