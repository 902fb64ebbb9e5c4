/* The optimiser's object and its step: evaluate, let the method move, ask the stopping rule.
 *
 * All vectors are one block of memory, allocated once, with what a resume needs in front. Methods
 * evaluate trials and accept one at the end of an iteration; until then the current point, gradient
 * and history are untouched, so that a failure or an interrupt never leaves half an iteration. */
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "optim/method.h"

static const rm2i_method *find_method(rm2_optimiser name) {
    switch (name) {
    case RM2_LBFGS:
        return &rm2i_lbfgs;
    case RM2_ADAM:
        return &rm2i_adam;
    }
    return NULL;
}

static rm2_status check_tolerance(rm2_context *ctx, const char *name, double value) {
    if (value >= 0)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "optimiser: %s is %g; expected 0 or more", name, value);
}

static rm2_status check_settings(rm2_context *ctx, const rm2_optim_settings *settings) {
    const rm2i_method *method = find_method(settings->method);
    if (!method)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "optimiser: unknown method %d",
                         (int)settings->method);
    RM2_TRY(check_tolerance(ctx, "relative decrease", settings->relative_decrease));
    RM2_TRY(check_tolerance(ctx, "gradient", settings->gradient));
    RM2_TRY(check_tolerance(ctx, "max seconds", settings->max_seconds));
    return method->check(ctx, settings);
}

static rm2_status check_start(rm2_context *ctx, size_t n, const double *x0) {
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "optimiser: no variables");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x0[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "optimiser: start: variable %zu is %g", i,
                             x0[i]);
    return RM2_OK;
}

static void lay_out(void *optim, rm2i_arena *a) {
    rm2i_optim *o = optim;
    o->x = rm2i_reserve(a, double, o->n);
    o->gradient = rm2i_reserve(a, double, o->n);
    o->best = rm2i_reserve(a, double, o->n);
    o->method->lay_out_kept(o, a);
    o->kept = a->used;
    o->trial_x = rm2i_reserve(a, double, o->n);
    o->trial_gradient = rm2i_reserve(a, double, o->n);
    o->step = rm2i_reserve(a, double, o->n);
    o->method->lay_out_scratch(o, a);
}

rm2_status rm2i_optim_create(rm2_context *ctx, const rm2_optim_settings *settings, size_t n,
                             const double *x0, rm2i_optim **optim) {
    rm2i_optim *o;
    *optim = NULL;
    RM2_TRY(check_settings(ctx, settings));
    RM2_TRY(check_start(ctx, n, x0));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *o, &o));
    o->settings = *settings;
    o->method = find_method(settings->method);
    o->n = n;
    o->f = o->best_f = o->gradient_max = INFINITY;
    o->decrease = DBL_MAX;
    rm2_status status = rm2i_arena_calloc(ctx, lay_out, o, &o->memory);
    if (status != RM2_OK) {
        rm2i_optim_free(o);
        return status;
    }
    memcpy(o->x, x0, n * sizeof *x0);
    memcpy(o->best, x0, n * sizeof *x0);
    *optim = o;
    return RM2_OK;
}

void rm2i_optim_free(rm2i_optim *optim) {
    if (!optim)
        return;
    free(optim->memory);
    free(optim);
}

void rm2i_optim_divide(rm2i_optim *optim, const rm2i_rows *rows, size_t width) {
    optim->rows = rows;
    optim->width = width;
}

/* ---- evaluating and moving ------------------------------------------------------------------ */

rm2_status rm2i_optim_evaluate(rm2i_optim *o, const rm2i_optim_problem *problem, double *f) {
    o->evaluations++;
    RM2_TRY(problem->fn(problem->user, o->trial_x, f, o->trial_gradient));
    if (!isfinite(*f) || !isfinite(rm2i_optim_max_abs(o, o->trial_gradient)))
        return RM2_ERR_NUMERIC;
    if (*f < o->best_f) {
        o->best_f = *f;
        memcpy(o->best, o->trial_x, o->n * sizeof *o->best);
    }
    return RM2_OK;
}

void rm2i_optim_accept(rm2i_optim *o, double f, double step_length) {
    memcpy(o->x, o->trial_x, o->n * sizeof *o->x);
    memcpy(o->gradient, o->trial_gradient, o->n * sizeof *o->gradient);
    o->f = f;
    o->step_length = step_length;
    o->gradient_max = rm2i_optim_max_abs(o, o->gradient);
}

/* Why x0 is no start: the objective's own words, or the numbers it gave. */
static rm2_status bad_start(rm2_context *ctx, const rm2i_optim *o, double f) {
    double slope = rm2i_optim_max_abs(o, o->trial_gradient);
    if (isfinite(f) && isfinite(slope) && rm2_context_error(ctx)[0])
        return rm2i_fail_prefix(ctx, RM2_ERR_NUMERIC, "optimiser: start");
    return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                     "optimiser: the objective cannot be evaluated at the start (value %g, largest "
                     "derivative %g)",
                     f, slope);
}

/* The evaluation at x0, in the first step only. */
static rm2_status start(rm2_context *ctx, rm2i_optim *o, const rm2i_optim_problem *problem) {
    if (o->started)
        return RM2_OK;
    double f = 0;
    memcpy(o->trial_x, o->x, o->n * sizeof *o->x);
    memset(o->trial_gradient, 0, o->n * sizeof *o->trial_gradient);
    rm2_status status = rm2i_optim_evaluate(o, problem, &f);
    if (status == RM2_ERR_NUMERIC)
        return bad_start(ctx, o, f);
    RM2_TRY(status);
    rm2i_optim_accept(o, f, 0);
    o->started = true;
    return RM2_OK;
}

static bool interrupted(rm2_context *ctx, const rm2i_optim *o) {
    return rm2i_rows_decide(o->rows, rm2i_interrupted(ctx));
}

static rm2_stop test(rm2_context *ctx, const rm2i_optim *o, double decrease, bool stuck) {
    rm2i_progress progress = {.decrease = decrease,
                              .gradient = o->gradient_max,
                              .seconds = o->seconds,
                              .iteration = o->iteration,
                              .stuck = stuck,
                              .interrupted = interrupted(ctx, o)};
    rm2i_rows_broadcast(o->rows, &progress.seconds, sizeof progress.seconds);
    return rm2i_stop_test(&o->settings, o->method->monotone, &progress);
}

/* One call of the method between two tests; `since` is when the time not yet counted began. */
static rm2_status advance(rm2_context *ctx, rm2i_optim *o, const rm2i_optim_problem *problem,
                          double *since, rm2_stop *stop) {
    RM2_TRY(start(ctx, o, problem));
    *stop = test(ctx, o, INFINITY, false);
    if (*stop != RM2_STOP_RUNNING)
        return RM2_OK;
    bool stuck = false;
    double before = o->f;
    RM2_TRY(o->method->iterate(o, problem, &stuck));
    o->iteration += !stuck;
    double end = rm2_seconds();
    o->seconds += end - *since;
    *since = end;
    double previous = o->decrease;
    o->decrease = rm2i_relative_decrease(before, o->f);
    *stop = test(ctx, o, fmax(previous, o->decrease), stuck);
    return RM2_OK;
}

rm2_status rm2i_optim_step(rm2_context *ctx, rm2i_optim *optim, rm2i_objective_fn fn, void *user,
                           rm2_stop *stop) {
    const rm2i_optim_problem problem = {fn, user};
    double since = rm2_seconds();
    size_t evaluations = optim->evaluations;
    *stop = RM2_STOP_INTERRUPTED;
    if (!optim->started && interrupted(ctx, optim))
        return RM2_OK;
    rm2_status status = advance(ctx, optim, &problem, &since, stop);
    optim->seconds += rm2_seconds() - since;
    if (status == RM2_OK)
        return RM2_OK;
    *stop = status == RM2_INTERRUPTED ? RM2_STOP_INTERRUPTED : RM2_STOP_RUNNING;
    if (status != RM2_INTERRUPTED)
        return status;
    optim->evaluations = evaluations; /* those of half an iteration are repeated */
    return RM2_OK;
}

/* Is the current point the best one? */
static bool at_best(const rm2i_optim *o) {
    double apart = memcmp(o->best, o->x, o->n * sizeof *o->x) != 0;
    return rm2i_rows_max(o->rows, apart) == 0;
}

rm2_status rm2i_optim_renew(rm2i_optim *optim, rm2i_objective_fn fn, void *user) {
    rm2i_optim *o = optim;
    const rm2i_optim_problem problem = {fn, user};
    bool apart = !at_best(o);
    double before = o->best_f, best_f = INFINITY, f = INFINITY, since = rm2_seconds();
    if (!o->started)
        return RM2_OK;
    o->best_f = -INFINITY; /* evaluating must not move the best point while it is measured itself */
    rm2_status status = RM2_OK;
    if (apart) {
        memcpy(o->trial_x, o->best, o->n * sizeof *o->x);
        status = rm2i_optim_evaluate(o, &problem, &best_f);
    }
    if (status == RM2_OK) {
        memcpy(o->trial_x, o->x, o->n * sizeof *o->x);
        status = rm2i_optim_evaluate(o, &problem, &f);
    }
    o->seconds += rm2_seconds() - since;
    o->best_f = before;
    RM2_TRY(status);
    rm2i_optim_accept(o, f, o->step_length);
    o->decrease = DBL_MAX; /* that of the old function says nothing about the new one */
    o->best_f = fmin(f, best_f);
    if (f <= best_f)
        memcpy(o->best, o->x, o->n * sizeof *o->x);
    return RM2_OK;
}

/* ---- accessors ------------------------------------------------------------------------------ */

const double *rm2i_optim_x(const rm2i_optim *optim) {
    return optim->x;
}

double rm2i_optim_f(const rm2i_optim *optim) {
    return optim->f;
}

double rm2i_optim_gradient(const rm2i_optim *optim) {
    return optim->gradient_max;
}

double *rm2i_optim_scratch(rm2i_optim *optim) {
    return optim->trial_gradient;
}

const double *rm2i_optim_best_x(const rm2i_optim *optim) {
    return optim->best;
}

double rm2i_optim_best_f(const rm2i_optim *optim) {
    return optim->best_f;
}

double rm2i_optim_step_length(const rm2i_optim *optim) {
    return optim->step_length;
}

size_t rm2i_optim_iteration(const rm2i_optim *optim) {
    return optim->iteration;
}

size_t rm2i_optim_evaluations(const rm2i_optim *optim) {
    return optim->evaluations;
}

double rm2i_optim_seconds(const rm2i_optim *optim) {
    return optim->seconds;
}
