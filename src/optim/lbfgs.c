/* L-BFGS (Liu and Nocedal, Math. Programming 45, 1989): x_k+1 = x_k - a_k H_k g_k with a step a_k
 * of a strong Wolfe line search. H_k comes from the last m pairs s = x_i+1 - x_i, y = g_i+1 - g_i,
 * applied by the two-loop recursion (Nocedal and Wright, Numerical Optimization, alg. 7.4) to
 * gamma I, gamma = s.y / y.y of the newest pair.
 *
 * A pair is left out where s.y > eps |s| |y| does not hold, since H would not stay positive
 * definite. Without pairs the direction is -g and has no scale: its first trial is min(1, 1/|g|).
 * Where the search finds nothing, the pairs may be at fault: steepest descent is tried once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "optim/line_search.h"
#include "optim/method.h"

static void lay_out_kept(rm2i_optim *o, rm2i_arena *a) {
    size_t m = o->settings.history;
    o->s = rm2i_reserve(a, double, m, o->n);
    o->y = rm2i_reserve(a, double, m, o->n);
    o->sy = rm2i_reserve(a, double, m);
    o->yy = rm2i_reserve(a, double, m);
}

static void lay_out_scratch(rm2i_optim *o, rm2i_arena *a) {
    o->alpha = rm2i_reserve(a, double, o->settings.history);
}

static rm2_status check(rm2_context *ctx, const rm2_optim_settings *settings) {
    if (settings->history == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "L-BFGS needs a history of at least one pair");
    return RM2_OK;
}

/* Slot of the pair of a given age; 0 is the newest. */
static size_t slot(const rm2i_optim *o, size_t age) {
    size_t m = o->settings.history;
    return (o->next + m - 1 - age) % m;
}

/* d = -H g */
static void two_loops(const rm2i_optim *o, double *d) {
    size_t n = o->n;
    for (size_t age = 0; age < o->pairs; age++) {
        size_t k = slot(o, age);
        o->alpha[k] = rm2i_optim_dot(o, o->s + k * n, d) / o->sy[k];
        rm2i_axpy(n, -o->alpha[k], o->y + k * n, d);
    }
    size_t newest = slot(o, 0);
    double gamma = o->sy[newest] / o->yy[newest];
    for (size_t i = 0; i < n; i++)
        d[i] *= gamma;
    for (size_t age = o->pairs; age-- > 0;) {
        size_t k = slot(o, age);
        double beta = rm2i_optim_dot(o, o->y + k * n, d) / o->sy[k];
        rm2i_axpy(n, o->alpha[k] - beta, o->s + k * n, d);
    }
}

/* Direction into o->step, and the step to try first. */
static double direction(rm2i_optim *o, bool steepest) {
    for (size_t i = 0; i < o->n; i++)
        o->step[i] = -o->gradient[i];
    if (steepest)
        return fmin(1, 1 / rm2i_optim_norm(o, o->gradient));
    two_loops(o, o->step);
    return 1;
}

typedef struct line {
    rm2i_optim *o;
    const rm2i_optim_problem *problem;
} line;

static rm2_status along(void *user, rm2i_line_trial *trial) {
    const line *l = user;
    rm2i_optim *o = l->o;
    memcpy(o->trial_x, o->x, o->n * sizeof *o->x);
    rm2i_axpy(o->n, trial->step, o->step, o->trial_x);
    RM2_TRY(rm2i_optim_evaluate(o, l->problem, &trial->f));
    trial->slope = rm2i_optim_dot(o, o->trial_gradient, o->step);
    return isfinite(trial->slope) ? RM2_OK : RM2_ERR_NUMERIC;
}

static rm2_status search(rm2i_optim *o, const rm2i_optim_problem *problem, bool steepest,
                         rm2i_line_trial *trial, bool *found) {
    line l = {o, problem};
    double step = direction(o, steepest), slope = rm2i_optim_dot(o, o->gradient, o->step);
    return rm2i_line_search(along, &l, o->f, slope, step, trial, found);
}

/* The pair between the current point and the trial. */
static void store_pair(rm2i_optim *o) {
    const rm2i_pair_products p = rm2i_optim_pair(o);
    if (!(p.sy > DBL_EPSILON * sqrt(p.ss) * sqrt(p.yy)) || !isfinite(p.yy) ||
        !isfinite(p.sy / p.yy))
        return;
    size_t k = o->next, size = o->settings.history;
    for (size_t i = 0; i < o->n; i++) {
        o->s[k * o->n + i] = o->trial_x[i] - o->x[i];
        o->y[k * o->n + i] = o->trial_gradient[i] - o->gradient[i];
    }
    o->sy[k] = p.sy;
    o->yy[k] = p.yy;
    o->next = (k + 1) % size;
    o->pairs += o->pairs < size;
}

static rm2_status iterate(rm2i_optim *o, const rm2i_optim_problem *problem, bool *stuck) {
    rm2i_line_trial trial;
    bool steepest = o->pairs == 0, found;
    RM2_TRY(search(o, problem, steepest, &trial, &found));
    if (!found && !steepest) {
        steepest = true;
        RM2_TRY(search(o, problem, steepest, &trial, &found));
    }
    *stuck = !found;
    if (!found)
        return RM2_OK;
    if (steepest) /* no pairs yet, or pairs that led nowhere */
        o->pairs = o->next = 0;
    store_pair(o);
    rm2i_optim_accept(o, trial.f, trial.step * rm2i_optim_norm(o, o->step));
    return RM2_OK;
}

const rm2i_method rm2i_lbfgs = {.name = "L-BFGS",
                                .monotone = true,
                                .pairs = true,
                                .lay_out_kept = lay_out_kept,
                                .lay_out_scratch = lay_out_scratch,
                                .check = check,
                                .iterate = iterate};
