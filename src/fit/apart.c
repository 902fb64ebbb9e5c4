/* New motions next to those of a model. With the latents of both as two families, the start's rules place the second next to the
 * first (arrange.h); the model's latents then go back to where they were, and the new ones with them. */
#include "fit/apart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "start/aligned.h"
#include "start/arrange.h"

enum { ENOUGH = 2000 }; /* points of the model that are looked at, about */

typedef struct neighbours {
    const rm2_model *model;
    size_t known, by; /* points of the model: every by-th */
    double *points;   /* known x ambient */
    double *q, *Y;    /* known x M, known x Q: their outputs and latents */
    double *first;    /* Q: where the first of them is */
    double *memory;
} neighbours;

static void lay_out(void *arg, rm2i_arena *a) {
    neighbours *n = arg;
    n->points = rm2i_reserve(a, double, n->known, rm2_manifold_ambient(n->model->manifold));
    n->q = rm2i_reserve(a, double, n->known, n->model->M);
    n->Y = rm2i_reserve(a, double, n->known, n->model->Q);
    n->first = rm2i_reserve(a, double, n->model->Q);
}

static rm2_status start(rm2_context *ctx, const rm2_model *m, const rm2i_start_data *demos,
                        double *X) {
    const rm2_fit_settings *s = rm2_model_info_of(m)->settings;
    rm2i_aligned_settings aligned = rm2i_aligned_settings_default();
    const rm2i_isomap_settings isomap = {.neighbours = s->neighbours,
                                         .time_weight = s->time_weight};
    rm2_start_report *report = NULL;
    if (demos->trajectories < 2)
        return rm2i_start_isomap(ctx, &isomap, demos, m->Q, X);
    aligned.neighbours = s->neighbours;
    aligned.time_weight = s->time_weight;
    aligned.timed = s->gpdm_weight > 0;
    rm2_status status = rm2i_start_aligned(ctx, &aligned, demos, m->Q, X, &report);
    rm2_start_report_free(report);
    return status;
}

/* Along dimension 1. */
static double extent_of(size_t n, size_t Q, const double *X) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, X[i * Q]);
        high = fmax(high, X[i * Q]);
    }
    return high - low;
}

static rm2_status copy_known(rm2_context *ctx, neighbours *n) {
    const rm2_model *m = n->model;
    size_t width = rm2_manifold_ambient(m->manifold);
    for (size_t i = 0; i < n->known; i++) {
        memcpy(n->points + i * width, m->data->points + i * n->by * width,
               width * sizeof *n->points);
        memcpy(n->Y + i * m->Q, m->X + i * n->by * m->Q, m->Q * sizeof *n->Y);
    }
    return rm2i_model_outputs(ctx, m, n->known, n->points, n->q);
}

static rm2_status place(rm2_context *ctx, neighbours *n, const rm2i_start_data *demos, double *X) {
    const rm2_model *m = n->model;
    RM2_TRY(copy_known(ctx, n));
    RM2_TRY(start(ctx, m, demos, X));
    double scale = extent_of(n->known, m->Q, n->Y) / extent_of(demos->N, m->Q, X);
    for (size_t i = 0; i < demos->N * m->Q; i++)
        X[i] *= isfinite(scale) && scale > 0 ? scale : 1;
    memcpy(n->first, n->Y, m->Q * sizeof *n->first);
    const rm2i_embedding both[2] = {{n->known, m->M, m->Q, n->q, n->Y},
                                    {demos->N, m->M, m->Q, demos->F, X}};
    RM2_TRY(rm2i_arrange(ctx, 2, both));
    for (size_t i = 0; i < demos->N * m->Q; i++)
        X[i] += n->first[i % m->Q] - n->Y[i % m->Q]; /* where the model's latents are */
    return RM2_OK;
}

rm2_status rm2i_place_apart(rm2_context *ctx, const rm2_model *model, const rm2i_start_data *demos,
                            double *X) {
    neighbours n = {.model = model, .by = model->N / ENOUGH + 1};
    n.known = (model->N + n.by - 1) / n.by;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &n, &n.memory));
    rm2_status status = place(ctx, &n, demos, X);
    free(n.memory);
    return status;
}
