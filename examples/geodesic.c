/* From data to a motion: learns the latent space of example motions, gives it the metric of their
 * manifold, finds the shortest path between the start of one demonstration and the end of another, and
 * decodes it to a trajectory on the manifold with its uncertainty.
 * cc geodesic.c $(pkg-config --cflags --libs riemann2) -o geodesic */
#include <stdio.h>

#include <riemann2.h>

/* The toy data are on R2 x S2: 2 + 3 numbers per point. */
enum { NODES = 9, LATENT = 2, AMBIENT = 5 };

/* What the program makes on its way, in this order. */
typedef struct work {
    rm2_context *ctx;
    rm2_data *data;
    rm2_model *model;
    rm2_space *space;
    rm2_curve *curve;
} work;

/* A model of four short demonstrations, and its latent space. */
static rm2_status learn(work *w) {
    rm2_generate_settings small = rm2_generate_settings_default();
    small.trajectories = 4;
    small.points = 40;
    rm2_fit_settings recipe = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_space_settings settings = rm2_space_settings_default();
    settings.nodes = NODES;

    rm2_status status = rm2_data_generate(w->ctx, "toy", &small, &w->data);
    if (status == RM2_OK)
        status = rm2_fit(w->ctx, w->data, &recipe, NULL, &w->model);
    if (status == RM2_OK)
        status = rm2_space_create(w->ctx, w->model, &settings, 0, NULL, &w->space);
    if (status == RM2_OK)
        printf("%s\n", rm2_space_text(w->space));
    return status;
}

/* From the first point of the first demonstration to the last of the last one. */
static rm2_status connect(work *w) {
    const rm2_model_info *info = rm2_model_info_of(w->model);
    const double *from = info->latents, *to = from + (info->points - 1) * LATENT;
    double ends[2 * LATENT] = {from[0], from[1], to[0], to[1]}, straight;
    rm2_status status = rm2_space_geodesic(w->ctx, w->space, from, to, &w->curve);
    if (status != RM2_OK)
        return status;
    printf("length %.3f on the grid, %.3f as a spline, %.3f in the end: %s, %s\n",
           w->curve->path_length, w->curve->spline_length, w->curve->length,
           rm2_stage_text(w->curve->stage), w->curve->converged ? "converged" : "not converged");
    status = rm2_space_straight_length(w->ctx, w->space, 2, ends, &straight);
    if (status == RM2_OK)
        printf("length %.3f along the straight line\n", straight);
    return status;
}

/* Every node as a point on the manifold. */
static rm2_status decode(const work *w) {
    double points[NODES * AMBIENT], deviation[NODES];
    rm2_status status = rm2_space_decode(w->ctx, w->space, NODES, w->curve->x, points, deviation);
    for (int k = 0; status == RM2_OK && k < NODES; k++) {
        const double *x = w->curve->x + k * LATENT, *y = points + k * AMBIENT;
        printf("(%6.3f, %6.3f) -> (%6.3f, %6.3f) (%6.3f, %6.3f, %6.3f), deviation %.3f\n", x[0],
               x[1], y[0], y[1], y[2], y[3], y[4], deviation[k]);
    }
    return status;
}

int main(void) {
    work w = {.ctx = NULL};
    rm2_status status = rm2_context_create(&w.ctx);
    if (status == RM2_OK)
        status = learn(&w);
    if (status == RM2_OK)
        status = connect(&w);
    if (status == RM2_OK)
        status = decode(&w);
    if (status != RM2_OK)
        fprintf(stderr, "%s\n", w.ctx ? rm2_context_error(w.ctx) : rm2_status_text(status));
    rm2_curve_free(w.curve);
    rm2_space_free(w.space);
    rm2_model_free(w.model);
    rm2_data_free(w.data);
    rm2_context_free(w.ctx);
    return status == RM2_OK ? 0 : 1;
}
