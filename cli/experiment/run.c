/* Data, training, movement and comparison of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"

/* ---- data ----------------------------------------------------------------------------------- */

static int read_file(experiment_run *r) {
    const work *w = &r->work;
    data_options *o = r->data_options;
    const char *path = r->options->data;
    rm2_data *held = NULL;
    if (!o->settings.manifold)
        o->settings.manifold = r->experiment->manifold;
    if (!o->settings.group && r->experiment->trajectories && !has_ending(path, ".npy") &&
        !has_ending(path, ".npz"))
        o->settings.group = "demo";
    rm2_status status = rm2_data_read(w->ctx, path, &o->settings, &r->data, &held, NULL);
    rm2_data_free(held);
    rm2_data_settings full = o->settings; /* the same demonstrations, all their points */
    full.thin = 0;
    full.scale = RM2_SCALE_NONE;
    held = NULL;
    if (status == RM2_OK)
        status = rm2_data_read(w->ctx, path, &full, &r->reference, &held, NULL);
    rm2_data_free(held);
    return work_check(w, status);
}

static int generate(experiment_run *r) {
    const work *w = &r->work;
    rm2_generate_settings s = rm2_generate_settings_default();
    s.seed = w->common->seed;
    s.trajectories = r->experiment->trajectories ? r->options->demos : 0;
    s.points = r->options->points;
    rm2_status status = rm2_data_generate(w->ctx, r->experiment->generator, &s, &r->reference);
    s.scale = RM2_SCALE_ALL;
    if (status == RM2_OK)
        status = rm2_data_generate(w->ctx, r->experiment->generator, &s, &r->data);
    return work_check(w, status);
}

int experiment_load(experiment_run *r) {
    int code = r->options->data ? read_file(r) : generate(r);
    if (code == EXIT_DONE)
        code = names_read(&r->work, r->options->names, r->data->manifold, &r->names);
    if (code != EXIT_DONE)
        return code;
    experiment_say(r, "%zu points on %s, %zu trajector%s", r->data->count,
                   rm2_manifold_spec(r->data->manifold), r->data->trajectories,
                   r->data->trajectories == 1 ? "y" : "ies");
    return EXIT_DONE;
}

/* ---- training ------------------------------------------------------------------------------- */

/* The paper's settings of this experiment (its appendix): learning rate, priors, back constraints. */
static void paper_settings(const experiment_run *r, rm2_factor_kernel *kernels, bool euclidean,
                           rm2_fit_settings *s) {
    const experiment *e = r->experiment;
    s->optim.learning_rate = e->learning_rate;
    s->gpdm_weight = e->gpdm ? 1 : 0;
    if (e->lengthscale_prior && !euclidean) {
        s->lengthscale.prior = RM2_PRIOR_GAMMA;
        s->lengthscale.a = s->lengthscale.b = 2;
    }
    if (e->back_lengthscale == 0)
        return;
    s->back_constraint = true;
    s->back_kernels = kernels;
    size_t factors = euclidean ? 1 : rm2_manifold_factor_count(r->data->manifold);
    for (size_t k = 0; k < factors; k++)
        kernels[k] = (rm2_factor_kernel){RM2_KERNEL_HEAT, euclidean ? 0.2 : e->back_lengthscale};
}

static int train_one(experiment_run *r, trained *t) {
    const work *w = &r->work;
    enum { MOST_FACTORS = 16 };
    rm2_factor_kernel kernels[MOST_FACTORS];
    rm2_setting_text texts[SETTING_ROWS];
    rm2_fit_settings s;
    int code = experiment_fit_settings(r, t, texts, &s);
    if (code != EXIT_DONE)
        return code;
    s.model = t->kind;
    s.independent = t->independent;
    s.seed = w->common->seed;
    if (rm2_manifold_factor_count(r->data->manifold) > MOST_FACTORS)
        return work_complain(w, EXIT_BAD_DATA, "more than %d factors", MOST_FACTORS);
    if (s.recipe == RM2_RECIPE_PAPER)
        paper_settings(r, kernels, t->kind == RM2_GPLVM, &s);
    double started = rm2_seconds();
    code = work_check(w, rm2_fit(w->ctx, r->data, &s, NULL, &t->model));
    if (code != EXIT_DONE)
        return code;
    t->info = rm2_model_info_of(t->model);
    experiment_say(r, "trained %s%s in %.1f s, %zu evaluations, objective %.6g",
                   t->kind == RM2_WGPLVM ? "wrapped model" : "Euclidean model",
                   t->independent ? " with independent outputs" : "", rm2_seconds() - started,
                   t->info->training.evaluations, t->info->training.end.total);
    return EXIT_DONE;
}

/* Another metric, without the width that was given for the density metric. */
static void set_metric(rm2_space_settings *s, rm2_space_metric_kind metric, double sigma) {
    s->metric = metric;
    s->sigma = sigma;
}

static int open_space(experiment_run *r, trained *t) {
    const work *w = &r->work;
    rm2_space_settings s;
    int code = experiment_space_settings(r, t, &s);
    t->metric = s.metric;
    set_metric(&s, RM2_SPACE_PULLBACK, rm2_space_settings_default().sigma);
    if (code == EXIT_DONE)
        code = work_check(w, rm2_space_create(w->ctx, t->model, &s, 0, NULL, &t->space));
    return code;
}

static trained *find_trained(experiment_run *r, const variant *v) {
    for (size_t k = 0; k < r->model_count; k++)
        if (r->models[k].kind == v->kind && r->models[k].independent == v->independent)
            return &r->models[k];
    return NULL;
}

int experiment_train(experiment_run *r) {
    int code = EXIT_DONE;
    for (size_t k = 0; k < r->experiment->count && code == EXIT_DONE; k++) {
        const variant *v = &r->experiment->variants[k];
        if (find_trained(r, v))
            continue;
        trained *t = &r->models[r->model_count++];
        *t = (trained){.kind = v->kind, .independent = v->independent};
        code = train_one(r, t);
        if (code == EXIT_DONE)
            code = open_space(r, t);
    }
    return code;
}

/* ---- movement ------------------------------------------------------------------------------- */

/* From the first point of the first demonstration to the last of the last; without trajectories
 * between the two latents that are furthest apart. */
static void find_ends(const rm2_model_info *i, const double **from, const double **to) {
    size_t Q = i->latent_dim;
    double most = -1;
    *from = i->latents;
    *to = i->latents + (i->points - 1) * Q;
    for (size_t a = 0; i->data->trajectories == 0 && a < i->points; a++)
        for (size_t b = 0; b < a; b++) {
            double square = 0;
            for (size_t q = 0; q < Q; q++)
                square += pow(i->latents[a * Q + q] - i->latents[b * Q + q], 2);
            if (square > most) {
                most = square;
                *from = i->latents + b * Q;
                *to = i->latents + a * Q;
            }
        }
}

/* Does the movement minimise another metric than the model's own? */
static bool is_other(const outcome *o) {
    return o->variant->movement != MOVE_PULLBACK || o->trained->metric != RM2_SPACE_PULLBACK;
}

/* The space of a movement with another metric than the model's; --metric replaces the pullback metric alone. */
static int open_other(const experiment_run *r, const outcome *o, rm2_space **space) {
    rm2_space_settings s;
    int code = experiment_space_settings(r, o->trained, &s);
    if (code != EXIT_DONE)
        return code;
    if (o->variant->movement == MOVE_STRAIGHT)
        set_metric(&s, RM2_SPACE_STRAIGHT, rm2_space_settings_default().sigma);
    if (o->variant->movement == MOVE_DENSITY)
        set_metric(&s, RM2_SPACE_DENSITY, o->variant->sigma);
    if (s.metric == RM2_SPACE_STRAIGHT) {
        s.roadmap = RM2_SPACE_LINE;
        s.grid_points = 0;
    }
    return work_check(&r->work,
                      rm2_space_create(r->work.ctx, o->trained->model, &s, 0, NULL, space));
}

static int move(const experiment_run *r, outcome *o) {
    const trained *t = o->trained;
    rm2_space *other = NULL;
    const double *from, *to;
    int code = is_other(o) ? open_other(r, o, &other) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    const rm2_space *space = other ? other : t->space;
    find_ends(t->info, &from, &to);
    (void)snprintf(o->metric, sizeof o->metric, "%s", rm2_metric_text(rm2_space_metric(space)));
    rm2_report_settings lengths = rm2_report_settings_default();
    lengths.straight = false;
    o->report = (rm2_path_report){.size = sizeof(rm2_path_report)};
    rm2_status status = rm2_space_geodesic(r->work.ctx, space, from, to, &o->curve);
    if (status == RM2_OK)
        status = rm2_path_measure(r->work.ctx, space, o->curve, &lengths, NULL, &o->report);
    rm2_space_free(other);
    return work_check(&r->work, status);
}

/* Decoded points, and how many of them are on the manifold. */
static rm2_status judge(const experiment_run *r, outcome *o) {
    rm2_context *ctx = r->work.ctx;
    size_t n = o->curve->nodes, on;
    o->points = malloc(n * rm2_manifold_ambient(r->data->manifold) * sizeof *o->points);
    if (!o->points)
        return RM2_ERR_MEMORY;
    WORK_TRY(rm2_space_decode(ctx, o->trained->space, n, o->curve->x, o->points, NULL));
    WORK_TRY(rm2_manifold_contains(ctx, r->data->manifold, n, o->points, NULL, &on));
    o->share = (double)on / (double)n;
    return RM2_OK;
}

int experiment_move(experiment_run *r) {
    int code = EXIT_DONE;
    for (size_t k = 0; k < r->experiment->count && code == EXIT_DONE; k++) {
        outcome *o = &r->outcomes[r->outcome_count++];
        double started = rm2_seconds();
        o->variant = &r->experiment->variants[k];
        o->trained = find_trained(r, o->variant);
        code = move(r, o);
        if (code == EXIT_DONE)
            code = work_check(&r->work, judge(r, o));
        if (code == EXIT_DONE && o->variant->movement != MOVE_STRAIGHT)
            experiment_say(r, "%s: length %.4g, %zu iterations, %.2f s%s", o->variant->name,
                           o->report.length, o->curve->iterations, rm2_seconds() - started,
                           o->report.converged ? "" : ", not converged");
    }
    return code;
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* Rows of all demonstrations in a space, one sequence each. */
typedef struct rows {
    double *values;
    rm2_sequence *sequences;
} rows;

static rm2_status demonstration_rows(const experiment_run *r, rm2_model_view space, rows *out) {
    const rm2_model *model = experiment_wrapped(r)->model;
    const rm2_data *d = r->reference;
    size_t width = rm2_model_view_width(model, space);
    out->values = malloc((d->count * width + 1) * sizeof *out->values);
    out->sequences = calloc(d->trajectories + 1, sizeof *out->sequences);
    if (!out->values || !out->sequences)
        return RM2_ERR_MEMORY;
    for (size_t t = 0; t < d->trajectories; t++)
        out->sequences[t] = (rm2_sequence){d->starts[t + 1] - d->starts[t], width,
                                           out->values + d->starts[t] * width};
    return rm2_model_view_rows(r->work.ctx, model, space, d->count, d->points, out->values);
}

static void rows_free(rows *r) {
    free(r->values);
    free(r->sequences);
}

static rm2_status compare_one(const experiment_run *r, rm2_model_view space, const rows *demos,
                              const outcome *o, rm2_distance_summary *spread) {
    const rm2_model *model = experiment_wrapped(r)->model;
    size_t width = rm2_model_view_width(model, space), n = o->curve->nodes;
    double *values = malloc(n * width * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    spread->size = sizeof *spread;
    rm2_sequence own = {n, width, values};
    rm2_status status = rm2_model_view_rows(r->work.ctx, model, space, n, o->points, values);
    if (status == RM2_OK)
        status = rm2_dtw_from(r->work.ctx, NULL, &own, r->reference->trajectories, demos->sequences,
                              NULL, spread);
    free(values);
    return status;
}

static int compare_in(experiment_run *r, rm2_model_view space, rm2_distance_summary *floor) {
    bool tangent = space == RM2_VIEW_TANGENT;
    rows demos = {.values = NULL};
    floor->size = sizeof *floor;
    rm2_status status = demonstration_rows(r, space, &demos);
    if (status == RM2_OK)
        status = rm2_dtw_floor(r->work.ctx, NULL, r->reference->trajectories, demos.sequences, NULL,
                               floor);
    for (size_t k = 0; k < r->outcome_count && status == RM2_OK; k++) {
        outcome *o = &r->outcomes[k];
        if (!tangent || o->share == 1) /* only points on the manifold have a logarithm */
            status = compare_one(r, space, &demos, o, tangent ? &o->dtw_tangent : &o->dtw);
    }
    rows_free(&demos);
    return work_check(&r->work, status);
}

/* Symmetric matrices of very different size are compared in tangent coordinates as well. */
static bool has_spd(const rm2_manifold *m) {
    for (size_t i = 0; i < rm2_manifold_factor_count(m); i++)
        if (rm2_is_spd(rm2_manifold_factor(m, i)->geometry))
            return true;
    return false;
}

int experiment_compare(experiment_run *r) {
    if (r->reference->trajectories < 2)
        return EXIT_DONE;
    rm2_data *aligned;
    int code = work_check(&r->work, rm2_data_align(r->work.ctx, r->reference, r->data, &aligned));
    if (code == EXIT_DONE) {
        rm2_data_free(r->reference);
        r->reference = aligned;
    }
    if (code == EXIT_DONE)
        code = compare_in(r, RM2_VIEW_AMBIENT, &r->floor);
    if (code == EXIT_DONE && has_spd(r->data->manifold))
        code = compare_in(r, RM2_VIEW_TANGENT, &r->floor_tangent);
    return code;
}

/* ---- the end -------------------------------------------------------------------------------- */

void experiment_free(experiment_run *r) {
    for (size_t k = 0; k < r->execution_count; k++) {
        free(r->executions[k].q);
        free(r->executions[k].skeleton);
        free(r->executions[k].targets);
    }
    for (size_t k = 0; k < r->outcome_count; k++) {
        rm2_curve_free(r->outcomes[k].curve);
        free(r->outcomes[k].points);
    }
    for (size_t k = 0; k < r->model_count; k++) {
        rm2_space_free(r->models[k].space);
        rm2_model_free(r->models[k].model);
    }
    free(r->groups.means);
    names_free(&r->names);
    rm2_data_free(r->reference);
    rm2_data_free(r->data);
    rm2_free(r->notes);
    rm2_free(r->origin);
}
