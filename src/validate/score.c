/* Data that a model has not seen: encode them, decode what was found, compare.
 *
 * With v = Log_p(y) the density of the observation against the Riemannian volume of the manifold is
 *   log p(y) = log N(v; f(x), S(x)) - log |det dExp_p(v)| */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "manifold/manifold.h"
#include "model/model.h"
#include "riemann2/eval.h"

/* What is known of each of n points. */
typedef struct scoring {
    const rm2_model *m;
    size_t n;
    double *latents;   /* n x Q */
    rm2_encoded *info; /* n */
    rm2_score *each;   /* one per trajectory */
    size_t trajectories;
    double *points,
        *outputs;           /* observed: n x ambient in the units of the data, then scaled; n x M */
    double *mean, *decoded; /* predicted: n x M, n x ambient in scaled units */
    double *volume;         /* n: log |det dExp| at the observation; NaN: not on the manifold */
    double *memory;
} scoring;

static void lay_out(void *arg, rm2i_arena *a) {
    scoring *s = arg;
    size_t n = s->n, D = s->m->manifold->ambient, M = s->m->M;
    s->points = rm2i_reserve(a, double, n, D);
    s->decoded = rm2i_reserve(a, double, n, D);
    s->outputs = rm2i_reserve(a, double, n, M);
    s->mean = rm2i_reserve(a, double, n, M);
    s->volume = rm2i_reserve(a, double, n);
    s->latents = rm2i_reserve(a, double, n, s->m->Q);
    s->info = rm2i_reserve(a, rm2_encoded, n);
    s->each = rm2i_reserve(a, rm2_score, s->trajectories);
}

static rm2_status find_volumes(rm2_context *ctx, scoring *s) {
    if (s->m->settings.model != RM2_GPLVM)
        return rm2_manifold_log_volume(ctx, s->m->manifold, s->n, s->outputs, s->volume);
    for (size_t i = 0; i < s->n; i++)
        s->volume[i] = NAN;
    return RM2_OK;
}

static rm2_status predict(rm2_context *ctx, const rm2_encode_settings *settings, scoring *s) {
    const rm2_model *m = s->m;
    s->info->size = sizeof *s->info;
    RM2_TRY(rm2_model_encode(ctx, m, settings, s->n, s->points, s->latents, NULL, s->info));
    rm2i_data_scale(m->data, s->n, s->points);
    RM2_TRY(rm2i_model_outputs(ctx, m, s->n, s->points, s->outputs));
    RM2_TRY(find_volumes(ctx, s));
    RM2_TRY(rm2_model_decode(ctx, m, s->n, s->latents, NULL, s->mean, NULL, NULL));
    return rm2i_model_points(ctx, m, s->n, s->mean, s->decoded);
}

static double mean_squared_length(size_t from, size_t to, size_t width, const double *x,
                                  const double *y) {
    double sum = 0;
    for (size_t i = from * width; i < to * width; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum / (double)(to - from);
}

/* Over points [from, to). */
static rm2_score score_of(const scoring *s, size_t from, size_t to) {
    rm2_score score = {.points = to - from};
    for (size_t i = from; i < to; i++) {
        score.converged += s->info[i].converged;
        score.log_density += s->info[i].log_density / (double)score.points;
        score.log_density_at_latent += s->info[i].log_density_at_latent / (double)score.points;
        score.log_density_manifold +=
            (s->info[i].log_density - s->volume[i]) / (double)score.points;
    }
    score.tangent = sqrt(mean_squared_length(from, to, s->m->M, s->outputs, s->mean));
    score.ambient =
        sqrt(mean_squared_length(from, to, s->m->manifold->ambient, s->points, s->decoded));
    return score;
}

static rm2_status score_data(rm2_context *ctx, const rm2_encode_settings *settings,
                             const rm2_data *data, scoring *s, rm2_score *each, rm2_score *total) {
    rm2_data_original(data, s->points);
    RM2_TRY(predict(ctx, settings, s));
    const rm2_score all = score_of(s, 0, s->n);
    for (size_t t = 0; each && t < data->trajectories; t++)
        s->each[t] = score_of(s, data->starts[t], data->starts[t + 1]);
    rm2i_results_give(each ? data->trajectories : 0, s->each, sizeof *each, each);
    rm2i_results_give(1, &all, sizeof all, total);
    return RM2_OK;
}

rm2_status rm2_model_score(rm2_context *ctx, const rm2_model *model,
                           const rm2_encode_settings *settings, const rm2_data *data,
                           double *latents, rm2_score *each, rm2_score *total) {
    RM2_REQUIRE(ctx, model, data, total);
    RM2_TRY(rm2i_check_size(ctx, data->trajectories > 0 ? each : NULL, sizeof *each));
    RM2_TRY(rm2i_check_size(ctx, total, sizeof *total));
    size_t n = data->count;
    scoring s = {.m = model, .n = n, .trajectories = data->trajectories};
    RM2_TRY(rm2i_check_manifold(ctx, model, data));
    RM2_TRY(rm2i_check_shrinkage(ctx, model, data));
    RM2_TRY(rm2i_data_complete(ctx, data, "scores need"));
    if (model->settings.model != RM2_GPLVM)
        RM2_TRY(rm2i_data_regular(ctx, data));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &s, &s.memory));
    rm2_status status = score_data(ctx, settings, data, &s, each, total);
    if (status == RM2_OK && latents)
        memcpy(latents, s.latents, n * model->Q * sizeof *latents);
    free(s.memory);
    return status;
}
