/* More demonstrations for a model: encode them, place those of new motions next to what the model has, train on all from there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "data/data.h"
#include "fit/apart.h"
#include "fit/run.h"
#include "model/model.h"
#include "riemann2/fit.h"

static const double KNOWN = 0.25; /* of the spread of the training points */

typedef struct addition {
    const rm2_model *model;
    const rm2_data *more;
    rm2_data *both;
    size_t N, n, Q, M;      /* points of the model, new ones, latents, outputs */
    double *latents;        /* (N + n) x Q */
    double *base, *points;  /* base point; new points: in the units of the data */
    double *outputs, *mean; /* n x M: observed, decoded */
    rm2_encoded *info;      /* n */
    size_t *starts;         /* new motions: trajectories + 1 */
    double *scaled, *X;     /* n x width, n x Q: their points and latents */
    double *memory;
} addition;

static void lay_out(void *arg, rm2i_arena *a) {
    addition *d = arg;
    size_t width = rm2_manifold_ambient(d->more->manifold);
    d->latents = rm2i_reserve(a, double, d->N + d->n, d->Q);
    d->base = rm2i_reserve(a, double, width);
    d->points = rm2i_reserve(a, double, d->n, width);
    d->outputs = rm2i_reserve(a, double, d->n, d->M);
    d->mean = rm2i_reserve(a, double, d->n, d->M);
    d->info = rm2i_reserve(a, rm2_encoded, d->n);
    d->starts = rm2i_reserve(a, size_t, d->more->trajectories + 1);
    d->scaled = rm2i_reserve(a, double, d->n, width);
    d->X = rm2i_reserve(a, double, d->n, d->Q);
}

/* ---- trajectories one by one ------------------------------------------------------------------ */

static size_t part_count(const addition *d) {
    return d->more->trajectories ? d->more->trajectories : 1;
}

static size_t part_start(const addition *d, size_t t) {
    return d->more->trajectories ? d->more->starts[t] : t ? d->n : 0;
}

/* Root of the mean squared residual of the encoded points. */
static double residual_before(const addition *d, size_t t) {
    size_t from = part_start(d, t), to = part_start(d, t + 1);
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += d->info[i].residual * d->info[i].residual;
    return sqrt(sum / (double)(to - from));
}

static double residual_after(const addition *d, size_t t) {
    size_t from = part_start(d, t) * d->M, to = part_start(d, t + 1) * d->M;
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += pow(d->outputs[i] - d->mean[i], 2);
    return sqrt(sum * (double)d->M / (double)(to - from));
}

/* ---- steps ------------------------------------------------------------------------------------ */

static rm2_status encode(rm2_context *ctx, addition *d) {
    rm2_encode_settings s = rm2_encode_settings_default();
    s.trajectories = d->more->trajectories;
    s.starts = d->more->starts;
    rm2_data_original(d->more, d->points);
    memcpy(d->latents, d->model->X, d->N * d->Q * sizeof *d->latents);
    d->info->size = sizeof *d->info;
    return rm2_model_encode(ctx, d->model, &s, d->n, d->points, d->latents + d->N * d->Q, NULL,
                            d->info);
}

/* Points that the mean of the training points describes better than the model does are not of its kind. */
static rm2_status judge(rm2_context *ctx, const addition *d, rm2_added *added) {
    rm2_fidelity fidelity = {.size = sizeof fidelity};
    RM2_TRY(rm2_model_fidelity(ctx, d->model, &fidelity));
    for (size_t t = 0; t < part_count(d); t++) {
        double before = residual_before(d, t);
        if (before > fidelity.mean)
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s%s%.60s: %.3g away from the points that the model can decode, "
                             "while training points are %.3g from their mean; check that units and "
                             "columns are those of the training data",
                             d->more->source, d->more->trajectories ? ", trajectory " : "",
                             d->more->trajectories ? d->more->ids[t] : "", before, fidelity.mean);
        added[t] = (rm2_added){.points = part_start(d, t + 1) - part_start(d, t),
                               .before = before,
                               .known = before <= KNOWN * fidelity.mean};
    }
    return RM2_OK;
}

/* Points of the trajectories that are not known, one after the other; returns how many trajectories there are. */
static size_t gather_new(const addition *d, const rm2_added *added) {
    size_t width = rm2_manifold_ambient(d->more->manifold), count = 0, at = 0;
    for (size_t t = 0; t < d->more->trajectories; t++) {
        if (added[t].known)
            continue;
        memcpy(d->scaled + at * width, d->points + part_start(d, t) * width,
               added[t].points * width * sizeof *d->scaled);
        d->starts[count++] = at;
        at += added[t].points;
    }
    d->starts[count] = at;
    return count;
}

/* Trajectories of motions that the model does not know lie next to those that it knows. */
static rm2_status place_new(rm2_context *ctx, const addition *d, rm2_added *added) {
    size_t count = gather_new(d, added);
    rm2i_start_data demos = {.N = d->starts[count],
                             .M = d->M,
                             .F = d->outputs,
                             .trajectories = count,
                             .starts = d->starts};
    if (count == 0)
        return RM2_OK;
    rm2i_data_scale(d->model->data, demos.N, d->scaled);
    RM2_TRY(rm2i_model_outputs(ctx, d->model, demos.N, d->scaled, d->outputs));
    RM2_TRY(rm2i_place_apart(ctx, d->model, &demos, d->X));
    for (size_t t = 0, k = 0; t < d->more->trajectories; t++) {
        if (added[t].known)
            continue;
        memcpy(d->latents + (d->N + part_start(d, t)) * d->Q, d->X + d->starts[k++] * d->Q,
               added[t].points * d->Q * sizeof *d->X);
        added[t].apart = true;
    }
    return RM2_OK;
}

/* Those of the model; hyperparameters that are learned start where the model's own training did. */
static rm2_fit_settings settings_of(const addition *d) {
    const rm2_model_info *info = rm2_model_info_of(d->model);
    rm2_fit_settings s = *info->settings;
    s.init = RM2_INIT_GIVEN;
    s.init_latent = d->latents;
    if (!(s.lengthscale.start > 0)) /* from the start that the model had */
        s.lengthscale.start = info->lengthscale[0];
    if (info->base) {
        memcpy(d->base, info->base, rm2_manifold_ambient(info->manifold) * sizeof *d->base);
        rm2_data_unscale(info->data, 1, d->base);
        s.base = RM2_BASE_GIVEN;
        s.base_point = d->base;
    }
    return s;
}

static rm2_status measure(rm2_context *ctx, const addition *d, const rm2_model *extended,
                          rm2_added *added) {
    const double *X = extended->X + d->N * d->Q;
    rm2i_data_scale(d->both, d->n, d->points);
    RM2_TRY(rm2i_model_outputs(ctx, extended, d->n, d->points, d->outputs));
    RM2_TRY(rm2_model_decode(ctx, extended, d->n, X, NULL, d->mean, NULL, NULL));
    for (size_t t = 0; t < part_count(d); t++)
        added[t].after = residual_after(d, t);
    return RM2_OK;
}

static rm2_status extend(rm2_context *ctx, addition *d, const rm2_checkpoint *checkpoint,
                         rm2_added *added, rm2_model **extended) {
    RM2_TRY(encode(ctx, d));
    RM2_TRY(judge(ctx, d, added));
    RM2_TRY(place_new(ctx, d, added));
    rm2_fit_settings s = settings_of(d);
    RM2_TRY(rm2i_fit_settled(ctx, d->both, &s, checkpoint, extended));
    rm2_status status = measure(ctx, d, *extended, added);
    if (status != RM2_OK) {
        rm2_model_free(*extended);
        *extended = NULL;
    }
    return status;
}

static rm2_status add(rm2_context *ctx, const rm2_model *model, const rm2_data *more,
                      const rm2_checkpoint *checkpoint, rm2_added *added, rm2_model **extended) {
    addition d = {.model = model,
                  .more = more,
                  .N = model->N,
                  .n = more->count,
                  .Q = model->Q,
                  .M = model->M};
    rm2_added *own = NULL;
    RM2_TRY(rm2i_data_join(ctx, model->data, more, &d.both));
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, &d, &d.memory);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, part_count(&d), sizeof *own, &own);
    if (status == RM2_OK)
        status = extend(ctx, &d, checkpoint, own, extended);
    if (status == RM2_OK)
        rm2i_results_give(part_count(&d), own, sizeof *own, added);
    free(own);
    free(d.memory);
    rm2_data_free(d.both);
    return status;
}

rm2_status rm2_fit_add(rm2_context *ctx, const rm2_model *model, const rm2_data *more,
                       const rm2_checkpoint *checkpoint, rm2_added *added, rm2_model **extended) {
    rm2_data *aligned;
    RM2_REQUIRE(ctx, model, more, extended);
    RM2_TRY(rm2i_check_size(ctx, added, sizeof *added));
    *extended = NULL;
    RM2_TRY(rm2i_model_whole(ctx, model, "adding demonstrations"));
    RM2_TRY(rm2i_check_manifold(ctx, model, more));
    RM2_TRY(rm2i_data_complete(ctx, more, "training needs"));
    RM2_TRY(rm2_data_align(ctx, more, model->data, &aligned));
    rm2_status status = add(ctx, model, aligned, checkpoint, added, extended);
    rm2_data_free(aligned);
    return status;
}
