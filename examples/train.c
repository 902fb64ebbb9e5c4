/* From data to a model and back: generates example motions, learns their latent space, walks a
 * straight line in it and decodes the line to points that lie on the manifold.
 * cc train.c $(pkg-config --cflags --libs riemann2) -lm -o train */
#include <stdio.h>

#include <riemann2.h>

/* The toy data are on R2 x S2: two factors, 2 + 3 numbers. */
enum { STEPS = 5, LATENT = 2, FACTORS = 2, AMBIENT = 5 };

/* Called after each iteration, and a few times in between; false would end the training. */
static bool print_progress(void *user, const rm2_progress *progress) {
    const rm2_fit_progress *row = progress->fit;
    (void)user;
    if (row && row->stop != RM2_STOP_RUNNING)
        printf("%zu iterations, objective %.3f: %s\n", row->iteration, row->terms.total,
               rm2_stop_text(row->stop));
    return true;
}

/* Latent points from the first to the last one of trajectory `t`. */
static void straight_line(const rm2_model_info *info, size_t t, double *line) {
    const double *a = info->latents + info->starts[t] * LATENT;
    const double *b = info->latents + (info->starts[t + 1] - 1) * LATENT;
    printf("trajectory %s begins at (%.3f, %.3f) and ends at (%.3f, %.3f)\n", info->ids[t], a[0],
           a[1], b[0], b[1]);
    for (int k = 0; k < STEPS; k++)
        for (int q = 0; q < LATENT; q++)
            line[k * LATENT + q] = a[q] + (b[q] - a[q]) * k / (STEPS - 1);
}

/* Decode the line; every point is on the manifold up to rounding. */
static rm2_status walk(rm2_context *ctx, const rm2_model *model) {
    rm2_model_info info = rm2_model_describe(model);
    double line[STEPS * LATENT], points[STEPS * AMBIENT], deviation[STEPS];
    double defect[STEPS * FACTORS]; /* how far each factor is off its manifold, relative */
    straight_line(&info, 0, line);
    rm2_status status = rm2_model_decode(ctx, model, STEPS, line, points, NULL, NULL, deviation);
    if (status == RM2_OK)
        status = rm2_manifold_defect(ctx, info.manifold, STEPS, points, defect);
    int on_manifold = 0;
    for (int k = 0; status == RM2_OK && k < STEPS; k++) {
        const double *p = points + k * AMBIENT;
        printf("(%6.3f, %6.3f) -> (%6.3f, %6.3f) (%6.3f, %6.3f, %6.3f), deviation %.3f\n",
               line[k * LATENT], line[k * LATENT + 1], p[0], p[1], p[2], p[3], p[4], deviation[k]);
        on_manifold += defect[k * FACTORS] < 1e-12 && defect[k * FACTORS + 1] < 1e-12;
    }
    if (status == RM2_OK)
        printf("%d of %d points are on %s\n", on_manifold, STEPS, rm2_manifold_spec(info.manifold));
    return status;
}

int main(void) {
    rm2_context *ctx = NULL;
    rm2_data *data = NULL;
    rm2_model *model = NULL;
    rm2_generate_settings small = {.trajectories = 4, .points = 40};
    rm2_fit_settings recipe = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);

    rm2_status status = rm2_context_create(&ctx);
    if (status == RM2_OK) {
        rm2_context_set_progress(ctx, print_progress, NULL);
        status = rm2_data_generate(ctx, "toy", &small, &data);
    }
    if (status == RM2_OK)
        status = rm2_fit(ctx, data, &recipe, NULL, &model);
    if (status == RM2_OK)
        status = walk(ctx, model);
    if (status != RM2_OK)
        fprintf(stderr, "%s\n", ctx ? rm2_context_error(ctx) : rm2_status_text(status));
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_context_free(ctx);
    return status == RM2_OK ? 0 : 1;
}
