/* Batched logarithm and exponential: bench_manifold SPEC POINTS THREADS prints the nanoseconds that
 * one round trip exp(log(q)) takes a point, ambient vectors, one base point, the median of several
 * runs. bench/numpy_baseline.py does the same with NumPy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "front/base.h"
#include "riemann2.h"

enum { RUNS = 5 };

static void require(rm2_context *ctx, rm2_status status) {
    if (status == RM2_OK)
        return;
    (void)fprintf(stderr, "bench_manifold: %s\n", rm2_context_error(ctx));
    exit(1);
}

/* Points within reach of the logarithm: Exp at the base of normal coordinates of length about 1. */
static void make_points(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *base,
                        double *points) {
    size_t dim = rm2_manifold_dim(m);
    double *c = malloc(n * dim * sizeof *c);
    if (!c)
        exit(1);
    for (size_t i = 0; i < n * dim; i++)
        c[i] = rm2_rng_normal(rm2_context_rng(ctx)) / sqrt((double)dim);
    require(ctx, rm2_manifold_exp_coords(ctx, m, n, base, 1, c, points));
    free(c);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_manifold SPEC POINTS THREADS\n");
        return 2;
    }
    size_t n = strtoul(argv[2], NULL, 10);
    int threads = (int)strtol(argv[3], NULL, 10);
    rm2_context *ctx;
    rm2_manifold *m;
    if (n == 0 || rm2_context_create(&ctx) != RM2_OK)
        return 1;
    rm2_context_set_threads(ctx, threads);
    require(ctx, rm2_manifold_create(ctx, argv[1], &m));
    size_t ambient = rm2_manifold_ambient(m);
    double *base = malloc((3 * n + 1) * ambient * sizeof *base);
    if (!base)
        return 1;
    double *points = base + ambient, *vectors = points + n * ambient, *back = vectors + n * ambient;
    require(ctx, rm2_manifold_random(ctx, m, 1, base));
    make_points(ctx, m, n, base, points);
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        double start = rm2_seconds();
        require(ctx, rm2_manifold_log(ctx, m, n, base, 1, points, vectors));
        require(ctx, rm2_manifold_exp(ctx, m, n, base, 1, vectors, back));
        times[run] = (rm2_seconds() - start) / (double)n * 1e9;
    }
    printf("%.1f\n", median(times, RUNS));
    free(base);
    rm2_manifold_free(m);
    rm2_context_free(ctx);
    return 0;
}
