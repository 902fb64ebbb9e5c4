/* What became of a training: distances of its points from what they are decoded to, scores of what
 * was held out, as text or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "core/start.h"
#include "fit/fit.h"

/* ---- quality --------------------------------------------------------------------------------- */

typedef struct quality {
    double ambient, outputs; /* reconstruction: root mean squared errors, scaled units */
    double *distance;        /* one for each factor, units of the data; NULL: not known */
    double held_density, held_residual; /* NaN: nothing held out */
    rm2_fidelity fidelity;              /* mean NaN: not known */
    rm2_held_out folds;                 /* points held out in turn; 0 points: not known */
} quality;

/* Root mean squared distance of the factor's part of n points. */
static rm2_status factor_distance(rm2_context *ctx, const rm2_factor *factor, size_t n,
                                  size_t ambient, const double *a, const double *b,
                                  double *result) {
    size_t own = factor->ambient;
    rm2_manifold *m;
    double *x = malloc(n * (2 * own + 1) * sizeof *x);
    if (!x)
        return RM2_ERR_MEMORY;
    double *y = x + n * own, *d = y + n * own, sum = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * own, a + i * ambient + factor->ambient_offset, own * sizeof *x);
        memcpy(y + i * own, b + i * ambient + factor->ambient_offset, own * sizeof *y);
    }
    rm2_status status = rm2_manifold_from_factors(ctx, factor, 1, &m);
    if (status == RM2_OK) {
        status = rm2_manifold_distance(ctx, m, n, x, n, y, d);
        rm2_manifold_free(m);
    }
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        sum += d[i] * d[i] / (double)n;
    *result = sqrt(sum);
    free(x);
    return status;
}

/* Distances between the training points and what they are decoded to, factor by factor. */
static rm2_status find_distances(const training *t, const rm2_model_info *i, double *distance) {
    rm2_context *ctx = t->work.ctx;
    size_t ambient = rm2_manifold_ambient(i->manifold), entries = i->points * ambient;
    double *points = malloc(2 * entries * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    double *decoded = points + entries;
    rm2_data_original(i->data, points);
    rm2_status status =
        rm2_model_decode(ctx, t->model, i->points, i->latents, decoded, NULL, NULL, NULL);
    for (size_t k = 0; status == RM2_OK && k < rm2_manifold_factor_count(i->manifold); k++)
        status = factor_distance(ctx, rm2_manifold_factor(i->manifold, k), i->points, ambient,
                                 points, decoded, &distance[k]);
    free(points);
    return status;
}

/* Means over the trajectories that were held out. */
static rm2_status score_held_out(const training *t, quality *q) {
    size_t n = t->held->count, Q = rm2_model_info_of(t->model)->latent_dim;
    size_t entries = n * rm2_manifold_ambient(t->held->manifold);
    double *latents = malloc(n * Q * sizeof *latents), squares = 0;
    double *points = malloc(entries * sizeof *points);
    rm2_encoded *info = calloc(n, sizeof *info);
    rm2_status status = RM2_ERR_MEMORY;
    if (latents && points && info) {
        info->size = sizeof *info;
        rm2_data_original(t->held, points);
        status = rm2_model_encode(t->work.ctx, t->model, NULL, n, points, latents, NULL, info);
    }
    if (status == RM2_OK) {
        q->held_density = 0;
        for (size_t i = 0; i < n; i++) {
            q->held_density += info[i].log_density / (double)n;
            squares += info[i].residual * info[i].residual / (double)n;
        }
        q->held_residual = sqrt(squares);
    }
    free(latents);
    free(points);
    free(info);
    return status;
}

/* The model is written by now: what cannot be told about it is a warning. */
static void warn_unless(const training *t, const char *what, rm2_status status) {
    char text[512];
    const char *why = rm2_context_error(t->work.ctx);
    (void)snprintf(text, sizeof text, "warning: %s: %s", what,
                   status != RM2_ERR_MEMORY && *why ? why : rm2_status_text(status));
    if (status != RM2_OK)
        work_note(&t->work, text);
}

static bool show_folds(void *user, const rm2_progress *report) {
    progress_count(user, report->activity, report->done, report->total);
    return true;
}

/* Of trajectories whole ones are held out, which is up to the user (--holdout, cv). */
static void hold_out_in_turn(const training *t, const rm2_model_info *i, rm2_held_out *folds) {
    if (i->data->trajectories > 0 || i->latent_dim >= i->outputs)
        return;
    work_note(&t->work, "holding out points in turn, to see what the model predicts");
    progress p = progress_of(&t->work);
    rm2_context_set_progress(t->work.ctx, show_folds, &p);
    folds->size = sizeof *folds;
    rm2_status status = rm2_model_held_out(t->work.ctx, t->model, folds);
    rm2_context_set_progress(t->work.ctx, NULL, NULL);
    if (status != RM2_OK)
        folds->points = 0;
    warn_unless(t, "points held out in turn", status);
}

static void judge(const training *t, const rm2_model_info *i, quality *q) {
    char text[96];
    *q = (quality){NAN, NAN, NULL, NAN, NAN, {.mean = NAN}, {.points = 0}};
    warn_unless(t, "reconstruction",
                rm2_model_reconstruction(t->work.ctx, t->model, &q->ambient, &q->outputs));
    if (i->settings->model == RM2_WGPLVM) { /* the other's points are not on the manifold */
        q->distance = malloc(rm2_manifold_factor_count(i->manifold) * sizeof *q->distance);
        rm2_status status = q->distance ? find_distances(t, i, q->distance) : RM2_ERR_MEMORY;
        warn_unless(t, "reconstruction", status);
        if (status != RM2_OK) {
            free(q->distance);
            q->distance = NULL;
        }
    }
    q->fidelity.size = sizeof q->fidelity;
    rm2_status status = rm2_model_fidelity(t->work.ctx, t->model, &q->fidelity);
    warn_unless(t, "comparison with principal components", status);
    if (status != RM2_OK)
        q->fidelity.mean = NAN;
    hold_out_in_turn(t, i, &q->folds);
    if (t->held) {
        (void)snprintf(text, sizeof text, "encoding the %zu points that were held out",
                       t->held->count);
        work_note(&t->work, text);
        warn_unless(t, "the points that were held out", score_held_out(t, q));
    }
}

/* ---- summary --------------------------------------------------------------------------------- */

static double explained(const rm2_fidelity *f, double residual) {
    return 1 - pow(residual / f->mean, 2);
}

/* A setting of the trained model as text. */
static const char *choice_of(const training *t, const rm2_model_info *i, const char *name,
                             char text[SETTING_WORD]) {
    bool known = rm2_settings_get(t->work.ctx, rm2_settings_table_of(RM2_SETTINGS_FIT), i->settings,
                                  name, text, SETTING_WORD) == RM2_OK;
    return known ? text : "unknown";
}

/* Reason why an automatic recipe is not points, or "". */
static const char *recipe_reason(const training *t) {
    const rm2_fit_plan_info *plan = rm2_fit_plan_info_of(t->plan);
    for (size_t k = 0; plan && k < plan->note_count; k++)
        if (strcmp(plan->notes[k].setting, "recipe") == 0)
            return plan->notes[k].reason;
    return "";
}

static void json_training(rm2_json *json, const rm2_model_info *i) {
    const rm2_training_record *t = &i->training;
    fit_end end = fit_ended(i);
    rm2_json_put(
        json, RM2_FLAG("finished", end != FIT_UNFINISHED),
        RM2_FLAG("converged", end == FIT_CONVERGED), RM2_COUNT("iterations", t->iterations),
        RM2_COUNT("evaluations", t->evaluations), RM2_NUMBER("seconds", t->seconds),
        RM2_NUMBER("objective_start", t->start.total), RM2_NUMBER("objective", t->end.total),
        RM2_NUMBER("log_likelihood", t->end.log_likelihood),
        RM2_NUMBER("log_density", t->end.log_likelihood - i->volume),
        RM2_COUNT("inducing", i->inducing), RM2_COUNT("gpdm_inducing", i->gpdm_inducing),
        RM2_NUMBER("log_likelihood_lower", t->likelihood.lower),
        RM2_NUMBER("log_likelihood_upper", t->likelihood.upper),
        RM2_NUMBER("gpdm_lower", t->dynamics.lower), RM2_NUMBER("gpdm_upper", t->dynamics.upper));
}

static void json_quality(rm2_json *json, const rm2_model_info *i, const quality *q) {
    const rm2_fidelity *f = &q->fidelity;
    bool known = isfinite(f->mean);
    rm2_json_put(json, RM2_NUMBER("reconstruction", q->ambient),
                 RM2_NUMBER("reconstruction_tangent", q->outputs));
    rm2_json_numbers(json, "distance", q->distance ? rm2_manifold_factor_count(i->manifold) : 0,
                     q->distance);
    start_json(json, i->data, i->start_report);
    start_json_uncertainty(json, i);
    rm2_json_put(json, RM2_NUMBER("residual", known ? f->residual : NAN),
                 RM2_NUMBER("residual_components", known ? f->components : NAN),
                 RM2_NUMBER("residual_mean", f->mean),
                 RM2_NUMBER("explained", known ? explained(f, f->residual) : NAN),
                 RM2_NUMBER("explained_components", known ? explained(f, f->components) : NAN),
                 RM2_COUNT("coincident_latents", known ? f->coincident : SIZE_MAX));
    json_held_out(json, "cross_validated", &q->folds);
    rm2_json_put(json, RM2_NUMBER("held_out_log_density", q->held_density),
                 RM2_NUMBER("held_out_residual", q->held_residual));
}

static void print_json(FILE *out, const training *t, const rm2_model_info *i, const quality *q) {
    char recipe[SETTING_WORD], start[SETTING_WORD];
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("file", t->options->output), RM2_COUNT("points", i->trained),
                 RM2_COUNT("outputs", i->outputs), RM2_COUNT("latent", i->latent_dim),
                 RM2_TEXT("stop", rm2_stop_text(i->training.stop)),
                 RM2_TEXT("recipe", choice_of(t, i, "recipe", recipe)),
                 RM2_TEXT("recipe_reason", recipe_reason(t)),
                 RM2_TEXT("init", choice_of(t, i, "init", start)));
    json_training(&json, i);
    json_quality(&json, i, q);
    fit_json_added(&json, t);
    rm2_json_end(&json);
}

static void print_reconstruction(FILE *out, const rm2_model_info *i, const quality *q) {
    if (!q->distance) {
        (void)fprintf(out, "reconstruction: root mean squared error of the entries %.4g\n",
                      q->ambient);
        return;
    }
    (void)fprintf(out, "reconstruction: root mean squared distance");
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        (void)fprintf(out, "%s %.4g on %s%zu", k ? "," : "", q->distance[k], f->geometry->name,
                      f->n);
    }
    (void)fprintf(out, ", units of the data\n");
}

/* The model compared with the mean and with principal components; a warning where those do better, unless points held
 * out show more (`warn` false). */
static void print_fidelity(FILE *out, const rm2_model_info *i, const rm2_fidelity *f, bool warn) {
    if (!isfinite(f->mean))
        return;
    (void)fprintf(
        out,
        "residual of training points (tangent coordinates) %.4g; %zu principal component%s: %.4g; "
        "mean: %.4g\n"
        "variance explained %.1f %%; principal components: %.1f %%\n",
        f->residual, i->latent_dim, plural(i->latent_dim), f->components, f->mean,
        100 * explained(f, f->residual), 100 * explained(f, f->components));
    (void)fprintf(out, "latent points that coincide with another: %zu of %zu\n", f->coincident,
                  i->points);
    if (f->worse && warn)
        (void)fprintf(out,
                      "warning: principal components reconstruct the training points better than "
                      "this model%s\n",
                      i->settings->recipe == RM2_RECIPE_POINTS ? "" : "; try --recipe points");
}

/* Results that a user must not rely on: noise, noise learned by heart, models behind simpler ones. */
static void warn_about_folds(FILE *out, const rm2_model_info *i, const rm2_fidelity *f,
                             const rm2_held_out *h) {
    static const double LOST =
        0.3; /* of the variance of training points, which others do not show */
    const char *other = i->settings->recipe == RM2_RECIPE_POINTS ? "" : "; try --recipe points";
    if (!h->structure)
        (void)fprintf(out,
                      "warning: no structure found: the latent space holds no more of a new point "
                      "than an arbitrary plane does (%.1f %% against %.1f %%, standard error %.1f "
                      "%%); residuals of training points and the latent map show noise%s\n",
                      100 * h->explained, 100 * h->plane, 100 * h->explained_error, other);
    else if (explained(f, f->residual) > h->explained + LOST)
        (void)fprintf(out,
                      "warning: the model explains %.1f %% of the variance of its training points, "
                      "%.1f %% of points held out: it has learned noise%s\n",
                      100 * explained(f, f->residual), 100 * h->explained, other);
    else if (h->residual > 1.002 * h->components)
        (void)fprintf(out,
                      "warning: principal components reconstruct points held out better than this "
                      "model%s\n",
                      other);
    if (h->log_density < h->ledoit_wolf - 2 * h->ledoit_wolf_error)
        (void)fprintf(
            out, "warning: a normal density predicts points held out better than this model%s\n",
            other);
}

/* The same for points that models did not see, and whether the latents hold anything of them. */
static void print_folds(FILE *out, const rm2_model_info *i, const rm2_fidelity *f,
                        const rm2_held_out *h) {
    if (h->points == 0)
        return;
    (void)fprintf(
        out,
        "held out in turn, %zu points in %zu folds: residual %.4g; principal "
        "component%s: %.4g; mean: %.4g\n"
        "variance explained of points held out %.1f %%; principal components: %.1f %%; an "
        "arbitrary plane: %.1f %%\n"
        "log density of points held out %.4g; probabilistic principal components: %.4g; "
        "normal density (Ledoit-Wolf): %.4g\n",
        h->points, h->folds, h->residual, plural(i->latent_dim), h->components, h->mean,
        100 * h->explained, 100 * (1 - pow(h->components / h->mean, 2)), 100 * h->plane,
        h->log_density, h->ppca, h->ledoit_wolf);
    warn_about_folds(out, i, f, h);
}

/* What is proven of the bounds that were maximised. */
static void print_inference(FILE *out, const rm2_model_info *i) {
    if (i->inducing == 0)
        return;
    (void)fprintf(
        out,
        "inference by %zu %sinducing point%s: log-likelihood %.4f, exactly between %.4f and "
        "%.4f (at most %.1e nats per point above)\n",
        i->inducing, i->settings->inducing_free ? "optimised " : "", plural(i->inducing),
        i->training.end.log_likelihood, i->training.likelihood.lower, i->training.likelihood.upper,
        (i->training.likelihood.upper - i->training.end.log_likelihood) / (double)i->trained);
    if (i->gpdm_inducing)
        (void)fprintf(out, "dynamics by %zu: %.4f, exactly between %.4f and %.4f\n",
                      i->gpdm_inducing, i->training.end.gpdm, i->training.dynamics.lower,
                      i->training.dynamics.upper);
}

/* What could be done to improve a training that did not end by itself. */
static void print_advice(FILE *out, const training *t, const rm2_model_info *i) {
    bool saved = t->options->checkpoint != NULL;
    size_t limit = i->settings->optim.max_iterations;
    if (fit_ended(i) == FIT_AT_LIMIT)
        (void)fprintf(
            out, "stopped at the limit of %zu iteration%s; more --iterations%s may improve it\n",
            limit, plural(limit), saved ? " with --resume" : "");
    if (fit_ended(i) == FIT_UNFINISHED)
        (void)fprintf(
            out, "not finished; %s\n",
            saved ? "go on with --resume"
                  : "the model has the best state so far, a --checkpoint would let it go on");
}

static void print_text(FILE *out, const training *t, const rm2_model_info *i, const quality *q) {
    char recipe[SETTING_WORD], start[SETTING_WORD];
    (void)fprintf(out, "trained on %zu points of %s, %zu latent dimension%s; recipe %s, start %s\n",
                  i->trained, rm2_manifold_spec(i->manifold), i->latent_dim, plural(i->latent_dim),
                  choice_of(t, i, "recipe", recipe), choice_of(t, i, "init", start));
    if (i->trained > i->points)
        (void)fprintf(out, "quality below is that of the %zu points that the compact model has\n",
                      i->points);
    const rm2_fit_plan_info *plan = rm2_fit_plan_info_of(t->plan);
    for (size_t k = 0; plan && k < plan->note_count; k++)
        if (!plan->notes[k].warning)
            fit_print_note(out, "", &plan->notes[k]);
    start_print(out, i->data, i->start_report);
    start_print_uncertainty(out, i);
    (void)fprintf(out, "stopped: %s, after %zu iteration%s (%zu evaluation%s, %.2f s)\n",
                  rm2_stop_text(i->training.stop), i->training.iterations,
                  plural(i->training.iterations), i->training.evaluations,
                  plural(i->training.evaluations), i->training.seconds);
    (void)fprintf(out, "objective %.4f (start %.4f); log density on the manifold %.4f\n",
                  i->training.end.total, i->training.start.total,
                  i->training.end.log_likelihood - i->volume);
    print_inference(out, i);
    print_reconstruction(out, i, q);
    print_fidelity(out, i, &q->fidelity, q->folds.points == 0);
    print_folds(out, i, &q->fidelity, &q->folds);
    if (isfinite(q->held_density))
        (void)fprintf(out,
                      "held out: %zu points, mean log density %.4f, root mean squared residual "
                      "%.4g (tangent coordinates)\n",
                      t->held->count, q->held_density, q->held_residual);
    fit_print_added(out, t);
    (void)fprintf(out, "model: %s\n", t->options->output);
    print_advice(out, t, i);
}

void fit_print_summary(FILE *out, const training *t, const rm2_model_info *i) {
    quality q;
    judge(t, i, &q);
    if (t->work.common->json)
        print_json(out, t, i, &q);
    else
        print_text(out, t, i, &q);
    free(q.distance);
}
