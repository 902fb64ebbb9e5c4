/* Cross-validated prediction of labels: repeats, folds, methods. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "manifold/manifold.h"
#include "statistics/classify.h"

static const struct {
    const char *text;
    rm2i_predict_fn predict;
    bool latent;
} methods_table[RM2_CLASSIFIERS] = {
    [RM2_CLASSIFY_MEAN] = {"mean", rm2i_predict_mean, false},
    [RM2_CLASSIFY_NEIGHBOURS] = {"neighbours", rm2i_predict_neighbours, false},
    [RM2_CLASSIFY_TANGENT] = {"tangent-logistic", rm2i_predict_tangent, false},
    [RM2_CLASSIFY_LATENT_NETWORK] = {"latent-network", rm2i_predict_latent_network, true},
    [RM2_CLASSIFY_LATENT_GEODESIC] = {"latent-geodesic", rm2i_predict_latent_geodesic, true},
    [RM2_CLASSIFY_LATENT_EUCLIDEAN] = {"latent-euclidean", rm2i_predict_latent_euclidean, true},
    [RM2_CLASSIFY_LATENT_LOGISTIC] = {"latent-logistic", rm2i_predict_latent_logistic, true},
};

const char *rm2_classifier_text(rm2_classifier classifier) {
    return (size_t)classifier < RM2_CLASSIFIERS ? methods_table[classifier].text : "unknown";
}

typedef struct classification {
    rm2_context *ctx; /* of the caller, for progress */
    const rm2_labelled *data;
    const rm2_classify_settings *settings;
    size_t count;
    const rm2_classifier *methods;
    double *right;
    size_t *fold_of; /* n */
    double *distance;
    rm2i_fold fold;
    double *memory;
} classification;

static void lay_out(void *arg, rm2i_arena *a) {
    classification *c = arg;
    rm2i_fold *f = &c->fold;
    const rm2_manifold *m = c->data->manifold;
    size_t n = c->data->n, K = c->data->label_count, Q = c->settings->latent_dim;
    c->fold_of = rm2i_reserve(a, size_t, n);
    f->train_index = rm2i_reserve(a, size_t, n);
    f->held_index = rm2i_reserve(a, size_t, n);
    f->labels = rm2i_reserve(a, size_t, n);
    f->subjects = rm2i_reserve(a, size_t, n);
    f->predicted = rm2i_reserve(a, size_t, n);
    f->order = rm2i_reserve(a, size_t, n);
    f->votes = rm2i_reserve(a, size_t, K);
    f->row = rm2i_reserve(a, double, n);
    f->train_points = rm2i_reserve(a, double, n, m->ambient);
    f->held_points = rm2i_reserve(a, double, n, m->ambient);
    f->means = rm2i_reserve(a, double, K, m->ambient);
    f->train_x = rm2i_reserve(a, double, n, m->dim);
    f->held_x = rm2i_reserve(a, double, n, m->dim);
    f->groups = rm2i_reserve(a, rm2_group, K);
    f->held_latents = rm2i_reserve(a, double, n, Q);
}

static bool needs(const classification *c, bool latent) {
    for (size_t k = 0; k < c->count; k++)
        if (latent ? methods_table[c->methods[k]].latent : c->methods[k] == RM2_CLASSIFY_NEIGHBOURS)
            return true;
    return false;
}

/* ---- folds ------------------------------------------------------------------------------------ */

static void fill_fold(const classification *c, size_t number, rm2i_fold *f) {
    const rm2_labelled *d = c->data;
    f->train = f->held = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (c->fold_of[i] == number) {
            f->held_index[f->held++] = i;
            continue;
        }
        f->labels[f->train] = d->labels[i];
        f->subjects[f->train] = d->subjects ? d->subjects[i] : i;
        f->train_index[f->train++] = i;
    }
    rm2i_gather(d->manifold->ambient, f->train, f->train_index, d->points, f->train_points);
    rm2i_gather(d->manifold->ambient, f->held, f->held_index, d->points, f->held_points);
}

static rm2_status run_methods(rm2_context *ctx, classification *c, rm2i_fold *f) {
    double part = 1 / (double)c->settings->repeats;
    if (needs(c, true))
        RM2_TRY(rm2i_fold_model(ctx, f));
    for (size_t k = 0; k < c->count; k++) {
        double *right = c->right + k * c->data->n;
        rm2_status status = methods_table[c->methods[k]].predict(ctx, f);
        if (status != RM2_OK)
            return status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY
                       ? status
                       : rm2i_fail_prefix(ctx, status, "%s", methods_table[c->methods[k]].text);
        for (size_t i = 0; i < f->held; i++)
            if (f->predicted[i] == c->data->labels[f->held_index[i]])
                right[f->held_index[i]] += part;
    }
    return RM2_OK;
}

static rm2_status run_repeat(rm2_context *ctx, classification *c, size_t repeat) {
    rm2_rng rng = rm2i_stream(c->settings->seed, repeat);
    RM2_TRY(rm2i_split(ctx, c->data, c->settings->folds, &rng, c->fold_of));
    for (size_t k = 0; k < c->settings->folds; k++) {
        fill_fold(c, k, &c->fold);
        c->fold.seed = rm2_rng_next(&rng);
        rm2_status status = run_methods(ctx, c, &c->fold);
        rm2_model_free(c->fold.model);
        c->fold.model = NULL;
        RM2_TRY(status);
        rm2i_activity_advance(c->ctx, 1);
        if (rm2i_interrupted(c->ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    }
    return RM2_OK;
}

/* On a child context: iterations of the models are not the progress of this call. */
static rm2_status run(rm2_context *ctx, classification *c) {
    rm2_context *child;
    size_t n = c->data->n;
    if (needs(c, false)) {
        RM2_TRY(rm2i_alloc(ctx, n * n, sizeof *c->distance, &c->distance));
        RM2_TRY(rm2_manifold_distances(ctx, c->data->manifold, n, c->data->points, c->distance));
        c->fold.distance = c->distance;
    }
    RM2_TRY(rm2i_context_child(ctx, rm2_context_threads(ctx), &child));
    rm2i_activity_begin(ctx, "folds", c->settings->repeats * c->settings->folds);
    rm2_status status = RM2_OK;
    for (size_t r = 0; status == RM2_OK && r < c->settings->repeats; r++)
        status = run_repeat(child, c, r);
    rm2i_activity_end(ctx);
    if (status != RM2_OK)
        (void)rm2i_fail(ctx, status, "%s", rm2_context_error(child));
    rm2_context_free(child);
    return status;
}

/* ---- public ------------------------------------------------------------------------------------ */

static rm2_status check(rm2_context *ctx, const rm2_labelled *data, size_t count,
                        const rm2_classifier *methods) {
    size_t labels = 0;
    RM2_TRY(rm2i_labelled_check(ctx, data));
    for (size_t k = 0; k < count; k++)
        if ((size_t)methods[k] >= RM2_CLASSIFIERS)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "methods[%zu] is %d: unknown classifier", k,
                             (int)methods[k]);
    for (size_t k = 0; k < data->label_count && labels < 2; k++) {
        size_t i = 0;
        while (i < data->n && data->labels[i] != k)
            i++;
        labels += i < data->n;
    }
    return labels >= 2 ? RM2_OK
                       : rm2i_fail(ctx, RM2_ERR_DATA, "all points have one label: expected two");
}

rm2_status rm2_classify(rm2_context *ctx, const rm2_labelled *data,
                        const rm2_classify_settings *settings, size_t count,
                        const rm2_classifier *methods, double *right, size_t *unconverged) {
    RM2_REQUIRE(ctx, data, methods, right);
    rm2_labelled points = {.size = sizeof points};
    RM2_TRY(rm2i_settings_overlay(ctx, data, &points));
    data = &points;
    rm2_classify_settings own = rm2_classify_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &own));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_CLASSIFY), &own));
    RM2_TRY(check(ctx, data, count, methods));
    classification c = {.ctx = ctx,
                        .data = data,
                        .settings = &own,
                        .count = count,
                        .methods = methods,
                        .right = right,
                        .fold = {.data = data, .settings = &own}};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &c, &c.memory));
    memset(right, 0, count * data->n * sizeof *right);
    rm2_status status = run(ctx, &c);
    if (status == RM2_OK && unconverged)
        *unconverged = c.fold.unconverged;
    free(c.distance);
    free(c.memory);
    return status;
}
