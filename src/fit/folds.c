/* Points held out in turn; the choices that are made by them. */
#include "fit/folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "fit/run.h"
#include "linalg/dense.h"
#include "model/rules.h"

static const rm2i_cross_plan START_PLAN = {.folds = 3, .most = 300};
static const double CERTAIN = 1; /* standard errors that Isomap must be better by */
static const rm2i_cross_plan LATENT_PLAN = {.folds = 5, .most = 500};

/* ---- folds ----------------------------------------------------------------------------------- */

/* All points in random order, the same for the same number of points; a plan takes the first ones. */
static rm2_status draw_points(rm2_context *ctx, size_t N, size_t **order) {
    rm2_rng rng;
    RM2_TRY(rm2i_alloc(ctx, N, sizeof **order, order));
    rm2_rng_seed(&rng, N);
    for (size_t i = 0; i < N; i++)
        (*order)[i] = i;
    for (size_t i = N; i-- > 1;) {
        size_t j = (size_t)(rm2_rng_next(&rng) % (i + 1)), kept = (*order)[i];
        (*order)[i] = (*order)[j];
        (*order)[j] = kept;
    }
    return RM2_OK;
}

/* Points of all folds but one, or of one. */
static rm2_status copy_part(rm2_context *ctx, const rm2_data *data, const size_t *order,
                            size_t count, size_t folds, size_t fold, bool held, rm2_data **part) {
    size_t ambient = rm2_manifold_ambient(data->manifold), n = 0;
    size_t own = count / folds + (fold < count % folds);
    rm2i_draft draft = {0};
    RM2_TRY(
        rm2i_draft_create(ctx, data->manifold, data->source, held ? own : count - own, 0, &draft));
    for (size_t i = 0; i < count; i++)
        if ((i % folds == fold) == held)
            memcpy(draft.points + n++ * ambient, data->points + order[i] * ambient,
                   ambient * sizeof *draft.points);
    memcpy(draft.scale, data->scale,
           rm2_manifold_factor_count(data->manifold) * sizeof *draft.scale);
    rm2_status status = rm2i_draft_finish(ctx, &draft, part);
    rm2i_draft_clear(&draft); /* empty unless that failed */
    return status;
}

/* Densities and residuals of held-out points under a model. */
static rm2_status score(void *user, rm2_context *ctx, const rm2_model *m, const rm2_data *held) {
    rm2i_cross_result *result = user;
    const rm2_model_info *info = rm2_model_info_of(m);
    size_t n = held->count, D = rm2_manifold_ambient(held->manifold), M = info->outputs;
    double *points, *density = result->density + result->count;
    double *residual = result->residual + result->count;
    rm2_encoded *got;
    RM2_TRY(rm2i_alloc(ctx, n, (D + M + info->latent_dim + 1) * sizeof *points, &points));
    double *tangent = points + n * D, *latents = tangent + n * M;
    double *volume = latents + n * info->latent_dim;
    rm2_status status = rm2i_alloc(ctx, n, sizeof *got, &got);
    if (status == RM2_OK)
        got->size = sizeof *got;
    memset(volume, 0, n * sizeof *volume);
    if (status == RM2_OK && info->base)
        status =
            rm2_manifold_log_coords(ctx, held->manifold, n, info->base, 1, held->points, tangent);
    if (status == RM2_OK && info->base)
        status = rm2_manifold_log_volume(ctx, held->manifold, n, tangent, volume);
    if (status == RM2_OK) {
        rm2_data_original(held, points);
        status = rm2_model_encode(ctx, m, NULL, n, points, latents, NULL, got);
    }
    for (size_t i = 0; status == RM2_OK && i < n; i++) {
        density[i] = got[i].log_density - volume[i];
        residual[i] = got[i].residual;
    }
    result->count += n;
    free(got);
    free(points);
    return status;
}

/* What a call for all folds needs of each. */
typedef struct folding {
    const rm2_data *data;
    const rm2_fit_settings *settings;
    size_t folds, count; /* of them; points in all */
    const size_t *order;
    rm2i_cross_visit visit;
    void *user;
} folding;

static rm2_status run_fold(rm2_context *ctx, const folding *f, const rm2_data *train,
                           const rm2_data *held) {
    rm2_model *model;
    RM2_TRY(rm2i_fit_settled(ctx, train, f->settings, NULL, &model));
    rm2_status status = f->visit(f->user, ctx, model, held);
    if (status == RM2_OK && rm2_model_info_of(model)->training.stop == RM2_STOP_INTERRUPTED)
        status = RM2_INTERRUPTED;
    rm2_model_free(model);
    return status;
}

static rm2_status run_folds(rm2_context *ctx, const folding *f) {
    rm2_status status = RM2_OK;
    for (size_t fold = 0; status == RM2_OK && fold < f->folds; fold++) {
        rm2_data *train = NULL, *held = NULL;
        status = copy_part(ctx, f->data, f->order, f->count, f->folds, fold, false, &train);
        if (status == RM2_OK)
            status = copy_part(ctx, f->data, f->order, f->count, f->folds, fold, true, &held);
        if (status == RM2_OK)
            status = run_fold(ctx, f, train, held);
        rm2_data_free(train);
        rm2_data_free(held);
    }
    return status;
}

/* A child context: the folds' own iterations are not those of the training that asks. */
rm2_status rm2i_cross_folds(rm2_context *ctx, const rm2_data *data,
                            const rm2_fit_settings *settings, const rm2i_cross_plan *plan,
                            rm2i_cross_visit visit, void *user) {
    size_t *order = NULL, count = rm2i_cross_count(data, plan);
    rm2_context *child = NULL;
    rm2_status status = draw_points(ctx, data->count, &order);
    if (status == RM2_OK)
        status = rm2i_context_child(ctx, rm2_context_threads(ctx), &child);
    if (status == RM2_OK) {
        const folding f = {data, settings, plan->folds, count, order, visit, user};
        status = run_folds(child, &f);
        if (status != RM2_OK)
            (void)rm2i_fail(ctx, status, "points held out: %s", rm2_context_error(child));
    }
    rm2_context_free(child);
    free(order);
    return status;
}

size_t rm2i_cross_count(const rm2_data *data, const rm2i_cross_plan *plan) {
    return data->count < plan->most ? data->count : plan->most;
}

rm2_status rm2i_cross_validate(rm2_context *ctx, const rm2_data *data,
                               const rm2_fit_settings *settings, const rm2i_cross_plan *plan,
                               rm2i_cross_result *result) {
    size_t count = rm2i_cross_count(data, plan);
    *result = (rm2i_cross_result){0};
    RM2_TRY(rm2i_alloc(ctx, 2 * count, sizeof *result->density, &result->density));
    result->residual = result->density + count;
    rm2_status status = rm2i_cross_folds(ctx, data, settings, plan, score, result);
    if (status != RM2_OK)
        rm2i_cross_clear(result);
    return status;
}

void rm2i_cross_clear(rm2i_cross_result *result) {
    free(result->density);
    result->density = result->residual = NULL;
    result->count = 0;
}

void rm2i_cross_difference(size_t count, const double *a, const double *b, double *mean,
                           double *error) {
    double n = (double)count, square = 0;
    *mean = 0;
    for (size_t i = 0; i < count; i++)
        *mean += (a[i] - (b ? b[i] : 0)) / n;
    for (size_t i = 0; i < count; i++)
        square += pow(a[i] - (b ? b[i] : 0) - *mean, 2);
    *error = count > 1 ? sqrt(square / (n - 1) / n) : INFINITY;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Is the second result better beyond doubt? */
static bool better(rm2_context *ctx, const rm2i_cross_result *plane,
                   const rm2i_cross_result *graph) {
    double mean, error;
    rm2i_cross_difference(plane->count, graph->density, plane->density, &mean, &error);
    bool nearer =
        rm2i_norm(graph->count, graph->residual) <= rm2i_norm(plane->count, plane->residual);
    bool taken = mean > CERTAIN * error && nearer;
    rm2i_log(ctx, RM2_LOG_INFO,
             "start: %s (log density of points held out by Isomap less that by principal "
             "components: %.3g, standard error %.2g)",
             taken ? "Isomap" : "principal components", mean, error);
    return taken;
}

/* The result by the better start of the two, or by the one that the settings name. */
static rm2_status validate_start(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                                 const rm2i_cross_plan *plan, rm2i_cross_result *result,
                                 rm2_init_kind *init) {
    rm2_fit_settings own = *s;
    rm2i_cross_result graph = {0};
    own.init = *init = s->init == RM2_INIT_AUTO ? RM2_INIT_TANGENT : s->init;
    RM2_TRY(rm2i_cross_validate(ctx, data, &own, plan, result));
    if (s->init != RM2_INIT_AUTO)
        return RM2_OK;
    own.init = RM2_INIT_ISOMAP;
    rm2_status status = rm2i_cross_validate(ctx, data, &own, plan, &graph);
    if (status == RM2_OK && better(ctx, result, &graph)) {
        rm2i_cross_result other = *result;
        *init = RM2_INIT_ISOMAP;
        *result = graph;
        graph = other;
    }
    rm2i_cross_clear(&graph);
    bool ends = status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED;
    if (ends)
        rm2i_cross_clear(result);
    return ends ? status : RM2_OK; /* no model from Isomap: the other start */
}

rm2_status rm2i_choose_start(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                             rm2_init_kind *init) {
    rm2i_cross_result result;
    rm2_status status = validate_start(ctx, data, s, &START_PLAN, &result, init);
    rm2i_cross_clear(&result);
    bool ends = status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED;
    return ends ? status : RM2_OK; /* too few points to hold some out */
}

/* ---- latent dimension ------------------------------------------------------------------------ */

/* One row of the table. */
static rm2_status measure_dimension(rm2_context *ctx, const rm2_data *data,
                                    const rm2_fit_settings *s, rm2i_cross_result *result,
                                    rm2_latent_choice *row) {
    rm2_init_kind init;
    RM2_TRY(validate_start(ctx, data, s, &LATENT_PLAN, result, &init));
    row->latent_dim = s->latent_dim;
    row->init = init;
    row->points = result->count;
    row->residual =
        sqrt(rm2i_dot(result->count, result->residual, result->residual) / (double)result->count);
    rm2i_cross_difference(result->count, result->density, NULL, &row->log_density,
                          &row->standard_error);
    return RM2_OK;
}

/* Does one more dimension halve the residual? The covariance of the outputs may hide that from the density: it has the
 * directions in which points scatter, whether latents explain them or not. */
static bool one_more_halves(size_t count, const rm2_latent_choice *rows, size_t k) {
    return k + 1 < count && rows[k + 1].residual < 0.5 * rows[k].residual;
}

/* The smallest dimension whose density is within a standard error of the difference from the best one, and whose residual
 * one more does not halve. */
static size_t pick(size_t count, const rm2i_cross_result *results, const rm2_latent_choice *rows) {
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (rows[k].log_density > rows[best].log_density)
            best = k;
    for (size_t k = 0; k < best; k++) {
        double mean, error;
        rm2i_cross_difference(results[k].count, results[best].density, results[k].density, &mean,
                              &error);
        if (mean <= error && !one_more_halves(count, rows, k))
            return k;
    }
    while (one_more_halves(count, rows, best))
        best++;
    return best;
}

/* Have the last two dimensions lost density against the best, beyond doubt? More will not bring it back. */
static bool declines(size_t count, const rm2i_cross_result *results) {
    size_t best = 0;
    double mean, error;
    for (size_t k = 1; k < count; k++) {
        rm2i_cross_difference(results[k].count, results[k].density, results[best].density, &mean,
                              &error);
        best = mean > 0 ? k : best;
    }
    if (count < best + 3)
        return false;
    rm2i_cross_difference(results[best].count, results[best].density, results[count - 1].density,
                          &mean, &error);
    return mean > 2 * error;
}

/* Do the rules allow this number of dimensions? */
static bool allowed(const rm2_data *data, const rm2_fit_settings *s) {
    const rm2i_fit_sizes sizes = {data->count, rm2i_rules_outputs(s, data->manifold), 0};
    return s->latent_dim <= data->count && rm2i_rules_check(NULL, s, &sizes) == RM2_OK;
}

rm2_status rm2i_choose_dimension(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *settings, size_t count,
                                 rm2_latent_choice *rows, size_t *tried, size_t *chosen) {
    rm2_fit_settings s = *settings;
    rm2i_cross_result *results;
    *tried = 0;
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *results, &results));
    rm2_status status = RM2_OK;
    rm2i_activity_begin(ctx, "latent dimension", count);
    for (size_t k = 0; status == RM2_OK && k < count && !declines(*tried, results); k++) {
        s.latent_dim = k + 1;
        if (!allowed(data, &s)) /* as many as there are */
            break;
        status = measure_dimension(ctx, data, &s, &results[k], &rows[k]);
        *tried += status == RM2_OK;
        rm2i_activity_advance(ctx, 1);
    }
    rm2i_activity_end(ctx);
    if (status == RM2_OK)
        *chosen = pick(*tried, results, rows);
    for (size_t k = 0; k < count; k++)
        rm2i_cross_clear(&results[k]);
    free(results);
    return status;
}
