/* Methods in a latent space: a model is trained on the training points alone, points held out are encoded, and their
 * labels come from the latents of the training points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "manifold/manifold.h"
#include "riemann2/fit.h"
#include "riemann2/space.h"
#include "statistics/classify.h"

/* ---- the model --------------------------------------------------------------------------------- */

static rm2_status make_data(rm2_context *ctx, const rm2i_fold *f, rm2_data **data) {
    const rm2_manifold *m = f->data->manifold;
    rm2i_draft draft = {0};
    RM2_TRY(rm2i_draft_create(ctx, m, "training points", f->train, 0, &draft));
    memcpy(draft.points, f->train_points, f->train * m->ambient * sizeof *draft.points);
    rm2_status status = rm2i_draft_finish(ctx, &draft, data);
    rm2i_draft_clear(&draft); /* empty unless that failed */
    return status;
}

static rm2_status encode(rm2_context *ctx, rm2i_fold *f) {
    rm2_encoded *info;
    RM2_TRY(rm2i_alloc(ctx, f->held, sizeof *info, &info));
    info->size = sizeof *info;
    rm2_status status =
        rm2_model_encode(ctx, f->model, NULL, f->held, f->held_points, f->held_latents, NULL, info);
    for (size_t i = 0; status == RM2_OK && i < f->held; i++)
        f->unconverged += !info[i].converged;
    free(info);
    return status;
}

rm2_status rm2i_fold_model(rm2_context *ctx, rm2i_fold *f) {
    rm2_data *data = NULL;
    size_t Q = f->settings->latent_dim;
    rm2_status status = make_data(ctx, f, &data);
    if (status == RM2_OK) {
        rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
        s.latent_dim = Q;
        status = rm2_fit(ctx, data, &s, NULL, &f->model);
    }
    rm2_data_free(data);
    RM2_TRY(status);
    rm2_stop stop = rm2_model_info_of(f->model)->training.stop;
    if (stop == RM2_STOP_INTERRUPTED)
        return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    f->unconverged += stop == RM2_STOP_MAX_ITERATIONS;
    return encode(ctx, f);
}

static size_t vote(const rm2i_fold *f, const double *distance) {
    return rm2i_vote(f->train, distance, f->labels, f->settings->neighbours, f->order, f->votes,
                     f->data->label_count);
}

/* ---- Euclidean distances, regression ------------------------------------------------------------ */

rm2_status rm2i_predict_latent_euclidean(rm2_context *ctx, rm2i_fold *f) {
    const double *x = rm2_model_info_of(f->model)->latents;
    size_t Q = f->settings->latent_dim;
    (void)ctx;
    for (size_t i = 0; i < f->held; i++) {
        for (size_t j = 0; j < f->train; j++) {
            f->row[j] = 0;
            for (size_t q = 0; q < Q; q++)
                f->row[j] += pow(f->held_latents[i * Q + q] - x[j * Q + q], 2);
        }
        f->predicted[i] = vote(f, f->row);
    }
    return RM2_OK;
}

rm2_status rm2i_predict_latent_logistic(rm2_context *ctx, rm2i_fold *f) {
    size_t Q = f->settings->latent_dim;
    rm2i_regression r = {.train = {f->train, Q, rm2_model_info_of(f->model)->latents, f->labels,
                                   f->data->label_count},
                         .subjects = f->subjects,
                         .ridge = f->settings->ridge,
                         .seed = f->seed,
                         .m = f->held,
                         .x = f->held_latents};
    return rm2i_regress(ctx, &r, f->predicted, &f->unconverged);
}

/* ---- distances in the metric of the model -------------------------------------------------------- */

/* A network of the training latents in the expected metric; more neighbours where it falls into pieces. */
static rm2_status open_space(rm2_context *ctx, const rm2i_fold *f, rm2_geodesic_stage stage,
                             rm2_space **space) {
    rm2_space_settings s = rm2_space_settings_default();
    s.contrast = 0;
    s.roadmap = RM2_SPACE_GRAPH;
    s.stage = stage;
    s.nodes = 2;
    rm2_status status;
    if (s.neighbours >= f->train)
        s.neighbours = f->train - 1;
    while ((status = rm2_space_create(ctx, f->model, &s, 0, NULL, space)) == RM2_ERR_DATA &&
           s.neighbours < f->train - 1)
        s.neighbours = 2 * s.neighbours < f->train ? 2 * s.neighbours : f->train - 1;
    return status;
}

/* Distances between all points: those of the training points come first, and are not used. */
static rm2_status vote_by_network(rm2_context *ctx, rm2i_fold *f, const rm2_space *space) {
    size_t Q = f->settings->latent_dim, n = f->train + f->held;
    double *x, *distance = NULL;
    RM2_TRY(rm2i_alloc(ctx, n * Q, sizeof *x, &x));
    memcpy(x, rm2_model_info_of(f->model)->latents, f->train * Q * sizeof *x);
    memcpy(x + f->train * Q, f->held_latents, f->held * Q * sizeof *x);
    rm2_status status = rm2i_alloc(ctx, n * n, sizeof *distance, &distance);
    if (status == RM2_OK)
        status = rm2_space_distances(ctx, space, n, x, distance, NULL);
    for (size_t i = 0; status == RM2_OK && i < f->held; i++)
        f->predicted[i] = vote(f, distance + (f->train + i) * n);
    free(distance);
    free(x);
    return status;
}

rm2_status rm2i_predict_latent_network(rm2_context *ctx, rm2i_fold *f) {
    rm2_space *space;
    RM2_TRY(open_space(ctx, f, RM2_STAGE_PATH, &space));
    rm2_status status = vote_by_network(ctx, f, space);
    rm2_space_free(space);
    return status;
}

/* Geodesics from point i held out to all training points. */
static rm2_status vote_by_geodesics(rm2_context *ctx, rm2i_fold *f, const rm2_space *space,
                                    size_t i, double *from, rm2_curve **curves) {
    size_t Q = f->settings->latent_dim;
    for (size_t j = 0; j < f->train; j++)
        memcpy(from + j * Q, f->held_latents + i * Q, Q * sizeof *from);
    rm2_status status = rm2_space_many(ctx, space, f->train, from,
                                       rm2_model_info_of(f->model)->latents, curves, NULL);
    for (size_t j = 0; j < f->train; j++) {
        if (status == RM2_OK) {
            f->row[j] = curves[j]->length;
            f->unconverged += !curves[j]->converged;
        }
        rm2_curve_free(curves[j]);
        curves[j] = NULL;
    }
    if (status == RM2_OK)
        f->predicted[i] = vote(f, f->row);
    return status;
}

rm2_status rm2i_predict_latent_geodesic(rm2_context *ctx, rm2i_fold *f) {
    size_t Q = f->settings->latent_dim;
    rm2_space *space;
    double *from = NULL;
    rm2_curve **curves = NULL;
    RM2_TRY(open_space(ctx, f, RM2_STAGE_POLISH, &space));
    rm2_status status = rm2i_alloc(ctx, f->train * Q, sizeof *from, &from);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, f->train, sizeof(void *), &curves);
    for (size_t i = 0; status == RM2_OK && i < f->held; i++)
        status = vote_by_geodesics(ctx, f, space, i, from, curves);
    free(from);
    free(curves);
    rm2_space_free(space);
    return status;
}
