/* riemann2 eval: a model on held-out data and on its own training data. */
#include <stdlib.h>
#include <string.h>

#include "core/latents.h"
#include "eval/eval.h"

/* ---- density and reconstruction ------------------------------------------------------------- */

static void add_score(evaluation *e, const char *part, const char *item, const rm2_score *s) {
    findings_item(&e->found, part, item);
    findings_add(&e->found, "points", (double)s->points);
    findings_add(&e->found, "converged", (double)s->converged);
    findings_add(&e->found, "log_density", s->log_density);
    findings_add(&e->found, "log_density_manifold", s->log_density_manifold);
    findings_add(&e->found, "log_density_at_latent", s->log_density_at_latent);
    findings_add(&e->found, "rms_tangent", s->tangent);
    findings_add(&e->found, "rms_ambient", s->ambient);
    e->converged = e->converged && s->converged == s->points;
}

static int score(evaluation *e, rm2_encode_kind objective, double *latents) {
    const model_work *m = e->m;
    const char *part = objective == RM2_ENCODE_DENSITY ? "held_out_density" : "held_out_residual";
    rm2_encode_settings s = e->options->encode;
    rm2_score total = {.size = sizeof total},
              *each = calloc(e->held->trajectories + 1, sizeof *each);
    s.objective = objective;
    if (!each)
        return work_no_memory(&m->work);
    each->size = sizeof *each;
    int code = work_check(
        &m->work, rm2_model_score(m->work.ctx, m->model, &s, e->held, latents, each, &total));
    for (size_t t = 0; code == EXIT_DONE && t < e->held->trajectories; t++)
        add_score(e, part, e->held->ids[t], &each[t]);
    if (code == EXIT_DONE)
        add_score(e, part, "all", &total);
    free(each);
    return code;
}

/* ---- calibration ---------------------------------------------------------------------------- */

static int calibrate(evaluation *e, const char *item, const rm2_calibration_points *points) {
    const model_work *m = e->m;
    rm2_calibration c = {.size = sizeof c};
    int code = work_check(&m->work, rm2_model_calibration(m->work.ctx, m->model, points, &c));
    if (code != EXIT_DONE)
        return code;
    findings_item(&e->found, "calibration", item);
    findings_add(&e->found, "points", (double)c.points);
    findings_add(&e->found, "degrees", (double)c.degrees);
    if (c.freedom > 0)
        findings_add(&e->found, "freedom", c.freedom);
    for (size_t l = 0; l < RM2_LEVELS; l++) {
        char measure[32];
        (void)snprintf(measure, sizeof measure, "within_%.0f", 100 * c.level[l]);
        findings_add(&e->found, measure, c.coverage[l]);
    }
    findings_add(&e->found, "mean_square", c.mean_square);
    findings_add(&e->found, "uniformity", c.uniformity);
    return EXIT_DONE;
}

/* From a file: as many as held-out points. */
static int latents_from_file(const evaluation *e, double **latents) {
    size_t rows;
    const char *path = e->options->latents;
    int code = work_read_latents(&e->m->work, path, e->m->info->latent_dim, &rows, latents);
    if (code == EXIT_DONE && rows != e->held->count)
        code = work_complain(&e->m->work, EXIT_BAD_DATA,
                             "%s has %zu latent points, but %zu points are held out", path, rows,
                             e->held->count);
    return code;
}

/* The length of the first held-out trajectory that has not n points; n if there is none. */
static size_t other_length(const rm2_data *held, size_t n) {
    if (held->trajectories == 0)
        return held->count;
    for (size_t t = 0; t < held->trajectories; t++)
        if (held->starts[t + 1] - held->starts[t] != n)
            return held->starts[t + 1] - held->starts[t];
    return n;
}

/* Those of a training trajectory, for each held-out trajectory, which must be as long. */
static int latents_of_trajectory(const evaluation *e, double **latents) {
    size_t n = 0, Q = e->m->info->latent_dim, count = e->held->count;
    double *one, *all = NULL;
    int code = model_find_latents(e->m, &n, &one);
    size_t length = other_length(e->held, n);
    if (code == EXIT_DONE && length != n)
        code = work_complain(&e->m->work, EXIT_BAD_DATA,
                             "trajectory %s of the model has %zu points, a held-out one has %zu; "
                             "--thin makes them equal",
                             e->m->options->trajectory, n, length);
    if (code == EXIT_DONE && !(all = malloc(count * Q * sizeof *all)))
        code = work_no_memory(&e->m->work);
    for (size_t i = 0; all && i < count; i++)
        memcpy(all + i * Q, one + i % n * Q, Q * sizeof *one);
    *latents = all;
    free(one);
    return code;
}

/* The distribution that the shares refer to. */
static void note_reference(const evaluation *e, bool encoded) {
    const rm2_model_info *i = e->m->info;
    char note[256];
    if (encoded) {
        (void)snprintf(note, sizeof note,
                       "calibration: encoded latents were chosen to fit these points, which takes "
                       "%zu of %zu degrees "
                       "of freedom",
                       i->latent_dim < i->outputs ? i->latent_dim : i->outputs - 1, i->outputs);
        work_note(&e->m->work, note);
    }
    if (i->calibrated) {
        (void)snprintf(
            note, sizeof note,
            "calibration: the uncertainty comes from %zu demonstrations; the shares of one new "
            "demonstration may differ much from the levels",
            i->calibrated);
        work_note(&e->m->work, note);
    }
}

static int calibrate_held_out(evaluation *e) {
    bool file = e->options->latents != NULL, trajectory = e->m->options->trajectory != NULL;
    double *latents = NULL;
    int code = file         ? latents_from_file(e, &latents)
               : trajectory ? latents_of_trajectory(e, &latents)
                            : EXIT_DONE;
    const rm2_calibration_points points = {.n = e->held->count,
                                           .latents = latents ? latents : e->encoded,
                                           .points = e->held->points,
                                           .encoded = !latents};
    if (code == EXIT_DONE)
        code = calibrate(e, latents ? "held out, given latents" : "held out, encoded latents",
                         &points);
    if (code == EXIT_DONE)
        note_reference(e, !latents);
    free(latents);
    return code;
}

static int calibrate_training(evaluation *e) {
    const model_work *m = e->m;
    const rm2_calibration_points points = {
        .n = m->info->points, .latents = m->info->latents, .points = e->training, .encoded = true};
    int code = calibrate(e, "training", &points);
    if (code == EXIT_DONE)
        work_note(&m->work, "calibration: the model was fitted to its training points: shares tend "
                            "to be too high");
    return code;
}

/* ---- parts ---------------------------------------------------------------------------------- */

int eval_held_out(evaluation *e) {
    int objective = e->options->objective, code = EXIT_DONE;
    e->encoded = malloc((e->held->count + 1) * e->m->info->latent_dim * sizeof *e->encoded);
    if (!e->encoded)
        return work_no_memory(&e->m->work);
    if (objective != OBJECTIVE_DENSITY)
        code = score(e, RM2_ENCODE_RESIDUAL, e->encoded);
    if (code == EXIT_DONE && objective != OBJECTIVE_RESIDUAL)
        code = score(e, RM2_ENCODE_DENSITY, e->encoded);
    return code;
}

int eval_training(evaluation *e) {
    const model_work *m = e->m;
    double ambient, outputs;
    int code =
        work_check(&m->work, rm2_model_reconstruction(m->work.ctx, m->model, &ambient, &outputs));
    if (code != EXIT_DONE)
        return code;
    findings_item(&e->found, "training", m->info->data->source);
    findings_add(&e->found, "points", (double)m->info->points);
    findings_add(&e->found, "rms_tangent", outputs);
    findings_add(&e->found, "rms_ambient", ambient);
    return EXIT_DONE;
}

int eval_calibration(evaluation *e, bool training) {
    int code = e->held ? calibrate_held_out(e) : EXIT_DONE;
    return code == EXIT_DONE && training ? calibrate_training(e) : code;
}
