/* The pullback metric of a model: its weight by the contrast rule, its cost.
 *
 *   w = max(1, contrast a/b),  a = median over the latents of tr(J^T Gc J),
 *   b = median over the latents of sum_m (p_m^T Gc p_m) tr(R_m far from all data)
 * so that the metric where nothing is known is `contrast` times the metric on the data. A kernel with a linear part
 * extrapolates: there is no such place, and w = 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "math/order.h"
#include "metric/pullback.h"

enum {
    BLOCK = 64,     /* latents whose Jacobians are computed at once */
    SURVEYED = 4096 /* latents that the medians of the contrast are taken over, at most */
};

/* ---- contrast ------------------------------------------------------------------------------- */

/* Some 4096 evenly spaced latents, if there are more: their median is a quantile of all within 2 % of the middle, and time
 * does not grow with the data. */
typedef struct survey {
    const rm2i_pullback_field *field;
    size_t count;                   /* latents */
    double *on_data, *far, *memory; /* count each */
} survey;

static void lay_out_survey(void *arg, rm2i_arena *a) {
    survey *s = arg;
    s->on_data = rm2i_reserve(a, double, s->count);
    s->far = rm2i_reserve(a, double, s->count);
}

/* Of one block. */
typedef struct block_scratch {
    double *x, *c;         /* BLOCK x Q, BLOCK x M */
    double *inner, *trace; /* BLOCK x Q x Q, BLOCK */
    double *w;             /* K */
    double *moments, *jets, *weights;
} block_scratch;

static void lay_out_block(block_scratch *s, const rm2i_pullback_field *f, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    s->x = rm2i_reserve(a, double, BLOCK, Q);
    s->c = rm2i_reserve(a, double, BLOCK, M);
    s->inner = rm2i_reserve(a, double, BLOCK, Q, Q);
    s->trace = rm2i_reserve(a, double, BLOCK);
    s->w = rm2i_reserve(a, double, rm2i_moments_weights(f->posterior));
    s->moments = rm2i_reserve(a, double, rm2i_moments_work(f->posterior, BLOCK, RM2I_MOMENT_MEAN));
    s->jets = rm2i_reserve(a, double, rm2i_pullback_jets_work(f, BLOCK, Q, 0));
    s->weights = rm2i_reserve(a, double, rm2i_pullback_weights_work(f, 0));
}

/* Latents of block b: tr(J^T Gc J), and the far field's trace. */
static rm2_status survey_block(const void *job, size_t b, double *memory) {
    const survey *s = job;
    const rm2i_pullback_field *f = s->field;
    const rm2i_posterior *p = f->posterior;
    size_t M = p->gp.M, Q = p->gp.Q, first = b * BLOCK;
    size_t count = s->count - first < BLOCK ? s->count - first : BLOCK;
    block_scratch own;
    rm2i_moments mo;
    lay_out_block(&own, f, &(rm2i_arena){memory, 0});
    for (size_t i = 0; i < count; i++)
        memcpy(own.x + i * Q, p->gp.X + (first + i) * p->gp.N / s->count * Q, Q * sizeof *own.x);
    rm2i_moments_at(p, count, own.x, NULL, RM2I_MOMENT_MEAN, own.moments, &mo);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < M; m++)
            own.c[i * M + m] = mo.f[i * M + m] + f->mean[m];
    const rm2i_jet_query jets = {.points = count,
                                 .c = own.c,
                                 .count = Q,
                                 .W = mo.J,
                                 .stride = M,
                                 .inner = own.inner,
                                 .trace = own.trace};
    RM2_TRY(rm2i_pullback_jets(f, &f->all, jets, own.jets));
    for (size_t i = 0; i < count; i++) {
        s->on_data[first + i] = 0;
        for (size_t q = 0; q < Q; q++) /* tr(J^T Gc J) */
            s->on_data[first + i] += own.inner[(i * Q + q) * Q + q];
        RM2_TRY(rm2i_pullback_weights(f, &f->all, &jets, i, own.w, NULL, own.weights));
        s->far[first + i] = rm2i_moments_far_trace(&mo, own.w);
        if (!isfinite(s->on_data[first + i] + s->far[first + i]))
            return RM2_ERR_NUMERIC;
    }
    return RM2_OK;
}

static rm2_status contrast_weight(rm2_context *ctx, const rm2i_pullback_field *f, double contrast,
                                  double *weight) {
    size_t N = f->posterior->gp.N, n = N < SURVEYED ? N : SURVEYED;
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    survey s = {.field = f, .count = n};
    rm2i_arena work = {NULL, 0};
    lay_out_block(&(block_scratch){0}, f, &work);
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_survey, &s, &s.memory));
    rm2_status status = rm2i_jobs(ctx, blocks, work.used, survey_block, &s, NULL);
    if (status == RM2_OK) {
        double a = rm2i_median(n, s.on_data), b = rm2i_median(n, s.far), w = contrast * a / b;
        *weight = fmax(1, w);
        if (!isfinite(w))
            status = rm2i_fail(ctx, RM2_ERR_NUMERIC,
                               "contrast %g cannot be reached: the metric is %g on the data and %g "
                               "far from it",
                               contrast, a, b);
    } else if (status != RM2_INTERRUPTED && status != RM2_ERR_MEMORY) {
        status = rm2i_fail(ctx, status, "the metric of the data cannot be computed at the latents");
    }
    free(s.memory);
    return status;
}

/* ---- costs ---------------------------------------------------------------------------------- */

rm2_status rm2i_discouraged_cost(const void *discouraged, const double *y, double *value,
                                 double *gradient) {
    if (!discouraged || !y || !value || !gradient)
        return RM2_ERR_ARGUMENT;
    const rm2_discouraged *o = discouraged;
    const double *at = y + o->offset;
    *value = 1;
    for (size_t q = 0; q < o->dim; q++)
        gradient[o->offset + q] = 0;
    for (size_t k = 0; k < o->count; k++) {
        const double *centre = o->centres + k * o->dim;
        double square = 0, r2 = o->radius[k] * o->radius[k];
        for (size_t q = 0; q < o->dim; q++)
            square += (at[q] - centre[q]) * (at[q] - centre[q]);
        double bump = o->height[k] * exp(-square / (2 * r2));
        *value += bump;
        for (size_t q = 0; q < o->dim; q++)
            gradient[o->offset + q] -= bump * (at[q] - centre[q]) / r2;
    }
    return RM2_OK;
}

static rm2_status find_cost_factor(rm2_context *ctx, const rm2_model *m, rm2i_pullback_field *f) {
    size_t factors = rm2_manifold_factor_count(m->manifold);
    if (!f->cost.at || f->cost.factor == RM2_ALL_FACTORS)
        return RM2_OK;
    if (f->cost.factor >= factors)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the cost is on factor %zu of %s, which has %zu",
                         f->cost.factor + 1, rm2_manifold_spec(m->manifold), factors);
    const rm2_factor *factor = rm2_manifold_factor(m->manifold, f->cost.factor);
    f->costly.from = f->manifold ? factor->dim_offset : factor->ambient_offset;
    f->costly.to = f->costly.from + (f->manifold ? factor->dim : factor->ambient);
    return RM2_OK;
}

/* ---- the metric ----------------------------------------------------------------------------- */

static rm2_status check(rm2_context *ctx, const rm2i_pullback_settings *s) {
    if (!(s->contrast >= 0 && isfinite(s->contrast)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "contrast is %g: must be 0 (none) or positive",
                         s->contrast);
    if (!(s->weight >= 0 && isfinite(s->weight)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "weight is %g: must be 0 or positive", s->weight);
    if (!(s->support >= 0 && s->support < 1))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "support is %g: must be 0 (exact) or a small number", s->support);
    return RM2_OK;
}

static void describe(const rm2i_pullback_field *f, const rm2i_pullback_settings *s,
                     char text[160]) {
    char rule[64] = "the expectation";
    if (s->weight == 0 && s->contrast > 0)
        (void)snprintf(rule, sizeof rule, "contrast %.4g", s->contrast);
    else if (f->weight != 1)
        (void)snprintf(rule, sizeof rule, "given weight");
    (void)snprintf(text, 160, "expected pullback metric, %s (weight %.4g)%s", rule, f->weight,
                   f->cost.at ? ", with a cost on the data's space" : "");
}

rm2_status rm2i_metric_pullback(rm2_context *ctx, const rm2_model *model,
                                const rm2i_pullback_settings *settings, rm2_metric **metric) {
    RM2_REQUIRE(ctx, metric);
    *metric = NULL;
    RM2_REQUIRE(ctx, model);
    rm2i_pullback_settings s = rm2i_pullback_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    rm2i_pullback_field like = {.posterior = model->posterior,
                                .manifold =
                                    model->settings.model == RM2_WGPLVM ? model->manifold : NULL,
                                .mean = model->mean,
                                .weight = s.weight > 0 ? s.weight : 1,
                                .cost = s.cost,
                                .model = model};
    rm2i_pullback_field *f;
    char text[160];
    RM2_TRY(check(ctx, &s));
    if (model->linear > 0)
        s.contrast = 0;
    RM2_TRY(find_cost_factor(ctx, model, &like));
    if (s.support > 0)
        RM2_TRY(rm2i_posterior_reduced(ctx, model->posterior,
                                       s.support * model->posterior->gp.kernel.variance,
                                       &like.reduced));
    if (like.reduced)
        like.posterior = like.reduced;
    RM2_TRY(rm2i_pullback_field_create(ctx, &like, &f));
    if (s.weight == 0 && s.contrast > 0) {
        rm2_status status = contrast_weight(ctx, f, s.contrast, &f->weight);
        if (status != RM2_OK) {
            rm2i_pullback_field_free(f);
            return status;
        }
    }
    describe(f, &s, text);
    return rm2i_pullback_create(ctx, f, text, metric);
}
