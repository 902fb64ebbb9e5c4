/* Metric and geodesics of a trained model: bench_geometry DATA POINTS INFERENCE prints, in milliseconds,
 * the metric on a 50 x 50 grid, the matrix products and solves that it needs (timed by turns with it),
 * and a whole geodesic query with the grid there: path, spline, polish, 200 points decoded; then the
 * query's metric evaluations and its length. INFERENCE is exact or inducing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "bench.h"
#include "riemann2.h"

enum { ROUNDS = 7, GRID = 50, BLOCK = 64 };

static void require(rm2_context *ctx, rm2_status status) {
    if (status == RM2_OK)
        return;
    (void)fprintf(stderr, "bench_geometry: %s\n", rm2_context_error(ctx));
    exit(1);
}

static rm2_model *train(rm2_context *ctx, const char *name, size_t points, bool inducing) {
    rm2_generate_settings g = {.points = points};
    rm2_data *data;
    rm2_model *model;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    if (strcmp(name, "connectome") != 0) {
        g.trajectories = 6;
        g.points /= 6;
    }
    s.inference = inducing ? RM2_INFERENCE_INDUCING : RM2_INFERENCE_EXACT;
    s.optim.max_iterations = 20;
    require(ctx, rm2_generate(ctx, name, &g, &data));
    require(ctx, rm2_data_scale(ctx, data));
    require(ctx, rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model));
    rm2_data_free(data);
    return model;
}

/* What 2500 points cannot avoid: J = C dk, and L^-1 dk (exact) or root dk, in blocks on all threads. */
static double products(const rm2_model_info *i, const double *A, const double *C, double *blocks,
                       double *out) {
    size_t n = i->inducing ? i->inducing : i->points, rows = 2 * BLOCK;
    size_t count = (GRID * GRID + BLOCK - 1) / BLOCK;
    double start = seconds();
#pragma omp parallel for
    for (size_t b = 0; b < count; b++) {
        double *dk = blocks + b % 2 * rows * n, *J = out + b % 2 * rows * (n + i->outputs);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)i->outputs, (int)n, 1,
                    dk, (int)n, C, (int)n, 0, J, (int)i->outputs);
        if (i->inducing)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)n, 1, dk,
                        (int)n, A, (int)n, 0, J + rows * i->outputs, (int)n);
        else
            cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, (int)n,
                        (int)rows, 1, A, (int)n, dk, (int)n);
    }
    return seconds() - start;
}

/* A well conditioned triangle, and numbers that stay of size one. */
static double bare_work(const rm2_model_info *i) {
    size_t n = i->inducing ? i->inducing : i->points, rows = 2 * BLOCK;
    double *A = calloc(n * n, sizeof *A), *C = calloc(i->outputs * n, sizeof *C);
    double *blocks = malloc(2 * rows * n * sizeof *blocks);
    double *out = malloc(2 * rows * (n + i->outputs) * sizeof *out);
    if (!A || !C || !blocks || !out)
        exit(1);
    for (size_t k = 0; k < n; k++)
        A[k * n + k] = 1;
    for (size_t k = 0; k < 2 * rows * n; k++)
        blocks[k] = 1e-3;
    double taken = products(i, A, C, blocks, out);
    free(A);
    free(C);
    free(blocks);
    free(out);
    return taken;
}

static double grid_metric(rm2_context *ctx, const rm2_metric *metric, const rm2_network *grid) {
    rm2_network_info g = rm2_network_describe(grid);
    double *G = malloc(g.nodes * 4 * sizeof *G);
    if (!G)
        exit(1);
    double start = seconds();
    require(ctx, rm2_metric_at(ctx, metric, g.nodes, g.x, G, NULL));
    double taken = seconds() - start;
    free(G);
    return taken;
}

static double query(rm2_context *ctx, const rm2_model *model, const rm2_metric *metric,
                    const rm2_network *grid, size_t *evaluations, double *length) {
    rm2_model_info i = rm2_model_describe(model);
    rm2_geodesic_settings s = rm2_geodesic_settings_default();
    rm2_curve *curve;
    s.tolerance = 1e-4; /* as the program has it */
    double *points = malloc(200 * rm2_manifold_ambient(i.manifold) * sizeof *points),
           deviation[200];
    if (!points)
        exit(1);
    double start = seconds();
    require(ctx,
            rm2_geodesic(ctx, metric, grid, &s, i.latents, i.latents + (i.points - 1) * 2, &curve));
    require(ctx,
            rm2_model_decode(ctx, model, curve->nodes, curve->x, points, NULL, NULL, deviation));
    double taken = seconds() - start;
    *evaluations = curve->evaluations;
    *length = curve->length;
    rm2_curve_free(curve);
    free(points);
    return taken;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_geometry DATA POINTS exact|inducing\n");
        return 2;
    }
    rm2_context *ctx;
    rm2_metric *exact, *fast;
    rm2_network *grid;
    double metric[ROUNDS], bare[ROUNDS], whole[ROUNDS], length = 0;
    size_t evaluations = 0;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 1;
    rm2_model *model =
        train(ctx, argv[1], strtoul(argv[2], NULL, 10), strcmp(argv[3], "inducing") == 0);
    rm2_model_info i = rm2_model_describe(model);
    rm2_pullback_settings s = rm2_pullback_settings_default();
    require(ctx, rm2_metric_pullback(ctx, model, &s, &exact));
    s.support = 1e-7;
    require(ctx, rm2_metric_pullback(ctx, model, &s, &fast));
    require(ctx, rm2_network_grid(ctx, fast, NULL, i.points, i.latents, &grid));
    for (int r = 0; r < ROUNDS; r++) {
        metric[r] = grid_metric(ctx, exact, grid) * 1e3;
        bare[r] = bare_work(&i) * 1e3;
        whole[r] = query(ctx, model, fast, grid, &evaluations, &length) * 1e3;
    }
    printf("%.1f %.1f %.1f %zu %.6g\n", median(metric, ROUNDS), median(bare, ROUNDS),
           median(whole, ROUNDS), evaluations, length);
    rm2_network_free(grid);
    rm2_metric_free(fast);
    rm2_metric_free(exact);
    rm2_model_free(model);
    rm2_context_free(ctx);
    return 0;
}
