/* One evaluation of the training objective with its gradient, exact and by inducing points:
 * bench_inducing POINTS EXACT prints milliseconds an evaluation of both (exact only with EXACT = 1, else
 * 0), the number of inducing points, and the peak memory of inducing points in MB beyond the start.
 * Trajectories of 200 points of the toy data; medians of runs by turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "riemann2.h"

enum { ROUNDS = 5, ITERATIONS = 8, LENGTH = 200 };

static void require(rm2_context *ctx, rm2_status status) {
    if (status == RM2_OK)
        return;
    (void)fprintf(stderr, "bench_inducing: %s\n", rm2_context_error(ctx));
    exit(1);
}

/* Milliseconds an evaluation. */
static double evaluation(rm2_context *ctx, const rm2_data *data, rm2_inference inference,
                         size_t *inducing) {
    rm2_model *model;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.inference = inference;
    s.init = RM2_INIT_PCA; /* the start is not what is timed */
    s.optim.max_iterations = ITERATIONS;
    s.optim.relative_decrease = 0;
    require(ctx, rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model));
    rm2_model_info info = rm2_model_describe(model);
    double each = 1e3 * info.seconds / (double)info.evaluations;
    *inducing = info.inducing;
    rm2_model_free(model);
    return each;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: bench_inducing POINTS EXACT\n");
        return 2;
    }
    bool both = strcmp(argv[2], "1") == 0;
    rm2_generate_settings g = {.trajectories = strtoul(argv[1], NULL, 10) / LENGTH,
                               .points = LENGTH};
    rm2_context *ctx;
    rm2_data *data;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 1;
    require(ctx, rm2_generate(ctx, "toy", &g, &data));
    double exact[ROUNDS] = {0}, ours[ROUNDS], before = peak_memory();
    size_t count, none;
    (void)evaluation(ctx, data, RM2_INFERENCE_INDUCING, &count); /* warm up, and the peak */
    double peak = peak_memory() - before;
    for (int r = 0; r < ROUNDS; r++) {
        ours[r] = evaluation(ctx, data, RM2_INFERENCE_INDUCING, &count);
        if (both)
            exact[r] = evaluation(ctx, data, RM2_INFERENCE_EXACT, &none);
    }
    printf("%.2f %.2f %zu %.0f\n", median(exact, ROUNDS), median(ours, ROUNDS), count, peak);
    rm2_data_free(data);
    rm2_context_free(ctx);
    return 0;
}
