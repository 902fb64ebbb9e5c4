/* One loop for both optimisers. Inducing points are held while an iteration runs, and chosen anew before
 * the next where the latents have left them behind; training that seems to have ended goes on if the
 * choice was old. A checkpoint holds the optimiser's whole state, so that a resumed
 * run takes the same steps, bit for bit, as one that was never stopped. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

typedef struct loop {
    rm2_context *ctx;
    rm2i_objective *o;
    rm2i_optim *optim;
    const rm2_checkpoint *checkpoint;
    uint64_t fingerprint;
    rm2_training_record *out;
    size_t traced;    /* values in the trace */
    size_t chosen_at; /* iteration of the last choice of inducing points */
    double last_checkpoint;
    bool warned;     /* that a checkpoint could not be written */
    double choosing; /* seconds spent on choices of inducing points */
} loop;

/* ---- checkpoints ---------------------------------------------------------------------------- */

static rm2_status save(loop *l, rm2_stop stop) {
    rm2i_saved saved = {.trace = l->out->trace,
                        .trace_size = l->traced,
                        .start = l->out->start,
                        .stop = stop,
                        .sets = rm2i_objective_sets(l->o),
                        .chosen_at = l->chosen_at};
    const rm2i_checkpoint_place place = {&l->o->rows, l->checkpoint->path, l->fingerprint};
    rm2_status status = rm2i_checkpoint_write(l->ctx, &place, &saved, l->optim);
    l->last_checkpoint = rm2_seconds();
    return status;
}

/* A checkpoint that cannot be written, such as on a full disk, does not end the training. */
static rm2_status try_to_save(loop *l, rm2_stop stop) {
    rm2_status status = save(l, stop);
    if (status != RM2_ERR_IO)
        return status;
    if (!l->warned)
        rm2i_log(l->ctx, RM2_LOG_WARNING, "no checkpoint was written, training continues: %s",
                 rm2_context_error(l->ctx));
    l->warned = true;
    return RM2_OK;
}

static bool wants_checkpoint(const loop *l) {
    return l->checkpoint && l->checkpoint->path;
}

/* Did it end by itself? Then a resume has nothing to do. */
static bool converged(rm2_stop stop) {
    return stop == RM2_STOP_DECREASE || stop == RM2_STOP_GRADIENT || stop == RM2_STOP_LINE_SEARCH;
}

static bool can_resume(const loop *l) {
    bool there = wants_checkpoint(l) && l->checkpoint->resume && rm2i_rows_root(&l->o->rows) &&
                 access(l->checkpoint->path, F_OK) == 0;
    return rm2i_rows_decide(&l->o->rows, there);
}

/* From what was saved; *stop tells if it had ended. */
static rm2_status continue_from(loop *l, const rm2i_saved *saved, rm2_stop *stop) {
    const char *path = l->checkpoint->path;
    rm2_status status = rm2i_checkpoint_restore(l->ctx, saved, l->optim);
    if (status == RM2_ERR_ARGUMENT)
        return rm2i_fail_prefix(l->ctx, RM2_ERR_FORMAT, "%s", path);
    RM2_TRY(status);
    if (saved->trace_size != rm2i_optim_iteration(l->optim) + 1)
        return rm2i_fail(l->ctx, RM2_ERR_FORMAT, "%s: trace and iterations do not fit together",
                         path);
    if (saved->trace_size - 1 > l->o->s.optim.max_iterations)
        return rm2i_fail(l->ctx, RM2_ERR_DATA,
                         "%s: %zu iterations are done already, more than the %zu asked for", path,
                         saved->trace_size - 1, l->o->s.optim.max_iterations);
    status = rm2i_objective_use(l->o, &saved->sets);
    if (status == RM2_ERR_FORMAT)
        (void)rm2i_fail_prefix(l->ctx, status, "%s", path);
    RM2_TRY(status);
    memcpy(l->out->trace, saved->trace, saved->trace_size * sizeof *saved->trace);
    l->traced = saved->trace_size;
    l->out->start = saved->start;
    l->chosen_at = saved->chosen_at;
    *stop = converged(saved->stop) ? saved->stop : RM2_STOP_RUNNING;
    rm2i_log(l->ctx, RM2_LOG_INFO, "resumed from %s at iteration %zu", path, saved->trace_size - 1);
    return RM2_OK;
}

/* Continue from the checkpoint if there is one and it is asked for. */
static rm2_status resume(loop *l, rm2_stop *stop) {
    rm2i_saved saved = {.file = NULL};
    *stop = RM2_STOP_RUNNING;
    if (!can_resume(l))
        return RM2_OK;
    rm2_status status =
        rm2i_rows_root(&l->o->rows)
            ? rm2i_checkpoint_read(l->ctx, l->checkpoint->path, l->fingerprint, &saved)
            : RM2_OK;
    RM2_TRY(rm2i_rows_agree(l->ctx, &l->o->rows, status));
    RM2_TRY(rm2i_saved_broadcast(l->ctx, &l->o->rows, &saved));
    status = continue_from(l, &saved, stop);
    rm2i_saved_free(&saved);
    return status;
}

/* ---- loop ----------------------------------------------------------------------------------- */

static rm2_status evaluate(loop *l, const double *raw) {
    double f;
    return rm2i_objective_evaluate(l->o, raw, &f, rm2i_optim_scratch(l->optim));
}

/* What the optimiser minimises: no evaluation begins after an interrupt. */
static rm2_status evaluate_next(void *user, const double *raw, double *f, double *gradient) {
    loop *l = user;
    bool stop = rm2i_rows_decide(&l->o->rows, rm2i_interrupted(l->ctx));
    return stop ? RM2_INTERRUPTED : rm2i_objective_evaluate(l->o, raw, f, gradient);
}

static void report(const loop *l, rm2_stop stop) {
    rm2_fit_progress row = {.iteration = rm2i_optim_iteration(l->optim),
                            .max_iterations = l->o->s.optim.max_iterations,
                            .evaluations = rm2i_optim_evaluations(l->optim),
                            .terms = l->o->terms,
                            .gradient = rm2i_optim_gradient(l->optim),
                            .step = rm2i_optim_step_length(l->optim),
                            .seconds = rm2i_optim_seconds(l->optim) + l->choosing,
                            .stop = stop};
    rm2i_activity_row(l->ctx, row.iteration, &row);
}

static void record(loop *l) {
    double total = -rm2i_optim_f(l->optim) * (double)(l->o->rows.all * l->o->p.M);
    if (l->traced <= l->o->s.optim.max_iterations)
        l->out->trace[l->traced++] = total;
}

/* Inducing points at the current latents, if those there are have become stale. Where training had
 * ended, it goes on then; a second choice without a step between would be the first one again. */
static rm2_status choose_again(loop *l, rm2_stop *stop) {
    rm2i_objective *o = l->o;
    size_t iteration = rm2i_optim_iteration(l->optim);
    if (!o->inducing || iteration == l->chosen_at ||
        !(*stop == RM2_STOP_RUNNING || converged(*stop)))
        return RM2_OK;
    rm2i_parameters_unpack(&o->par, rm2i_optim_x(l->optim), o->natural);
    if (!rm2i_objective_stale(o, *stop != RM2_STOP_RUNNING))
        return RM2_OK;
    double since = rm2_seconds();
    rm2i_objective_latents(o);
    RM2_TRY(rm2i_objective_choose(o));
    l->chosen_at = iteration;
    l->choosing += rm2_seconds() - since;
    rm2_status status = rm2i_optim_renew(l->optim, rm2i_objective_evaluate, o);
    if (status == RM2_ERR_NUMERIC)
        return rm2i_fail(l->ctx, status,
                         "the objective cannot be evaluated with newly chosen inducing points");
    RM2_TRY(status);
    rm2i_log(l->ctx, RM2_LOG_DEBUG, "iteration %zu: %zu inducing points chosen", iteration,
             o->inducing->r);
    *stop = RM2_STOP_RUNNING;
    return RM2_OK;
}

static bool is_due(const loop *l) {
    return rm2i_rows_decide(&l->o->rows,
                            rm2_seconds() - l->last_checkpoint >= l->checkpoint->seconds);
}

static rm2_status iterate(loop *l, rm2_stop stop) {
    RM2_TRY(choose_again(l, &stop)); /* a resumed training may have been stopped before it did */
    while (stop == RM2_STOP_RUNNING) {
        size_t before = rm2i_optim_iteration(l->optim);
        RM2_TRY(rm2i_optim_step(l->ctx, l->optim, evaluate_next, l, &stop));
        if (rm2i_optim_iteration(l->optim) > before)
            record(l);
        RM2_TRY(choose_again(l, &stop));
        report(l, stop);
        if (wants_checkpoint(l) && (stop != RM2_STOP_RUNNING || is_due(l)))
            RM2_TRY(try_to_save(l, stop));
    }
    l->out->stop = stop;
    return RM2_OK;
}

/* The optimiser at the start, and the trace. */
static rm2_status allocate(loop *l) {
    size_t n = l->o->par.raw_size, rows = l->o->s.optim.max_iterations + 1;
    double *raw;
    RM2_TRY(rm2i_calloc(l->ctx, rows, sizeof *l->out->trace, &l->out->trace));
    RM2_TRY(rm2i_alloc(l->ctx, n, sizeof *raw, &raw));
    rm2i_objective_start(l->o, raw);
    rm2_status status = rm2i_optim_create(l->ctx, &l->o->s.optim, n, raw, &l->optim);
    free(raw);
    return status;
}

static rm2_status run(loop *l) {
    rm2_training_record *out = l->out;
    rm2_stop stop;
    if (l->o->s.optim.max_iterations == SIZE_MAX)
        return rm2i_fail(l->ctx, RM2_ERR_ARGUMENT, "too many iterations");
    RM2_TRY(rm2i_rows_agree(l->ctx, &l->o->rows, allocate(l)));
    if (wants_checkpoint(l))
        l->fingerprint = rm2i_fingerprint(l->o, rm2i_optim_x(l->optim));
    if (l->o->inducing) /* inner products of latents are sums as those of the likelihood are */
        rm2i_optim_divide(l->optim, &l->o->rows, l->o->p.Q);
    rm2_status status = evaluate(l, rm2i_optim_x(l->optim));
    if (status != RM2_OK)
        return rm2i_fail(l->ctx, status, "the objective cannot be evaluated at the start: %s",
                         rm2_status_text(status));
    out->start = l->o->terms;
    out->trace[l->traced++] = out->start.total;
    RM2_TRY(resume(l, &stop));
    l->last_checkpoint = rm2_seconds();
    RM2_TRY(iterate(l, stop));
    RM2_TRY(evaluate(l, rm2i_optim_best_x(l->optim)));
    out->end = l->o->terms;
    if (l->o->dual) { /* the model needs Kf itself */
        l->o->dual = false;
        RM2_TRY(evaluate(l, rm2i_optim_best_x(l->optim)));
    }
    out->iterations = rm2i_optim_iteration(l->optim);
    out->evaluations = rm2i_optim_evaluations(l->optim);
    out->seconds = rm2i_optim_seconds(l->optim) + l->choosing;
    rm2i_optim_free(l->optim); /* the largest part of the memory; the certificate needs some */
    l->optim = NULL;
    return rm2i_objective_certify(l->o, &out->likelihood, &out->dynamics);
}

rm2_status rm2i_train(rm2_context *ctx, rm2i_objective *o, const rm2_checkpoint *checkpoint,
                      rm2_training_record *training) {
    *training = (rm2_training_record){.trace = NULL};
    loop l = {.ctx = ctx, .o = o, .checkpoint = checkpoint, .out = training};
    rm2_status status = run(&l);
    rm2i_optim_free(l.optim);
    if (status != RM2_OK) {
        free(training->trace);
        training->trace = NULL;
    }
    return status;
}
