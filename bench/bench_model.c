/* One evaluation of the training objective with its gradient: bench_model DATA POINTS DYNAMICS
 * prints milliseconds an evaluation, milliseconds of the LAPACK work that it cannot avoid (dpotrf and
 * dpotri at N, and again at the number of increments with DYNAMICS = 1), and the peak memory in MB
 * beyond the start. DATA is an example data set. Both are medians of runs by turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "bench.h"
#include "riemann2.h"

enum { ROUNDS = 7, ITERATIONS = 12 };

static void require(rm2_context *ctx, rm2_status status) {
    if (status == RM2_OK)
        return;
    (void)fprintf(stderr, "bench_model: %s\n", rm2_context_error(ctx));
    exit(1);
}

/* Factor and invert a well conditioned n x n matrix. */
static double lapack_work(size_t n, double *A) {
    lapack_int k = (lapack_int)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = exp(-0.5 * pow(((double)i - (double)j) / 10, 2)) + (i == j ? 0.1 : 0);
    double start = seconds();
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', k, A, k) != 0 ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', k, A, k) != 0)
        exit(1);
    return seconds() - start;
}

static double evaluation(rm2_context *ctx, const rm2_data *data, bool dynamics) {
    rm2_model *model;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.gpdm_weight = dynamics ? 1 : 0;
    s.inference = RM2_INFERENCE_EXACT;
    s.init = RM2_INIT_PCA; /* the start is not what is timed */
    s.optim.max_iterations = ITERATIONS;
    s.optim.relative_decrease = 0;
    require(ctx, rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model));
    rm2_model_info info = rm2_model_describe(model);
    double each = info.seconds / (double)info.evaluations;
    rm2_model_free(model);
    return each;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_model DATA POINTS DYNAMICS\n");
        return 2;
    }
    bool dynamics = strcmp(argv[3], "1") == 0;
    rm2_generate_settings g = {.points = strtoul(argv[2], NULL, 10)};
    if (strcmp(argv[1], "connectome") != 0) {
        g.trajectories = 6;
        g.points /= 6;
    }
    rm2_context *ctx;
    rm2_data *data;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 1;
    require(ctx, rm2_generate(ctx, argv[1], &g, &data));
    size_t n = data->count, increments = n - data->trajectories;
    double *A = malloc(n * n * sizeof *A), ours[ROUNDS], bare[ROUNDS], before = peak_memory();
    if (!A)
        return 1;
    (void)evaluation(ctx, data, dynamics); /* warm up; the peak is read before A is touched */
    double peak = peak_memory() - before;
    (void)lapack_work(n, A);
    for (int r = 0; r < ROUNDS; r++) {
        ours[r] = evaluation(ctx, data, dynamics) * 1e3;
        bare[r] = (lapack_work(n, A) + (dynamics ? lapack_work(increments, A) : 0)) * 1e3;
    }
    printf("%.3f %.3f %.1f\n", median(ours, ROUNDS), median(bare, ROUNDS), peak);
    free(A);
    rm2_data_free(data);
    rm2_context_free(ctx);
    return 0;
}
