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

/* Own state: s (m x n), y (m x n), s.y (m), y.y (m). */
static size_t own_size(size_t n, size_t history) {
    return history * (2 * n + 2);
}

/* Scratch: direction (n), coefficients of the recursion (m). */
static size_t scratch_size(size_t n, size_t history) {
    return n + history;
}

static rm2_status check(rm2_context *ctx, const rm2_optim_settings *settings) {
    if (settings->history == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "L-BFGS needs a history of at least one pair");
    return RM2_OK;
}

typedef struct ring {
    size_t n, size;
    double *s, *y, *sy, *yy;
} ring;

static ring ring_of(const rm2i_optim *o) {
    size_t n = o->n, m = o->settings.history;
    double *s = o->own, *y = s + m * n, *sy = y + m * n, *yy = sy + m;
    return (ring){n, m, s, y, sy, yy};
}

/* Slot of the pair of a given age; 0 is the newest. */
static size_t slot(const rm2i_optim *o, size_t age) {
    size_t m = o->settings.history;
    return (o->next + m - 1 - age) % m;
}

/* d = -H g */
static void two_loops(const rm2i_optim *o, double *d, double *alpha) {
    ring r = ring_of(o);
    size_t n = r.n;
    for (size_t age = 0; age < o->pairs; age++) {
        size_t k = slot(o, age);
        alpha[k] = rm2i_dot(n, r.s + k * n, d) / r.sy[k];
        rm2i_axpy(n, -alpha[k], r.y + k * n, d);
    }
    size_t newest = slot(o, 0);
    double gamma = r.sy[newest] / r.yy[newest];
    for (size_t i = 0; i < n; i++)
        d[i] *= gamma;
    for (size_t age = o->pairs; age-- > 0;) {
        size_t k = slot(o, age);
        double beta = rm2i_dot(n, r.y + k * n, d) / r.sy[k];
        rm2i_axpy(n, alpha[k] - beta, r.s + k * n, d);
    }
}

/* Direction into o->work, and the step to try first. */
static double direction(rm2i_optim *o, bool steepest) {
    for (size_t i = 0; i < o->n; i++)
        o->work[i] = -o->gradient[i];
    if (steepest)
        return fmin(1, 1 / rm2i_norm(o->n, o->gradient));
    two_loops(o, o->work, o->work + o->n);
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
    rm2i_axpy(o->n, trial->step, o->work, o->trial_x);
    RM2_TRY(rm2i_optim_evaluate(o, l->problem, &trial->f));
    trial->slope = rm2i_dot(o->n, o->trial_gradient, o->work);
    return isfinite(trial->slope) ? RM2_OK : RM2_ERR_NUMERIC;
}

static rm2_status search(rm2i_optim *o, const rm2i_optim_problem *problem, bool steepest,
                         rm2i_line_trial *trial, bool *found) {
    line l = {o, problem};
    double step = direction(o, steepest), slope = rm2i_dot(o->n, o->gradient, o->work);
    return rm2i_line_search(along, &l, o->f, slope, step, trial, found);
}

/* The pair between the current point and the trial. */
static void store_pair(rm2i_optim *o) {
    double sy = 0, ss = 0, yy = 0;
    for (size_t i = 0; i < o->n; i++) {
        double s = o->trial_x[i] - o->x[i], y = o->trial_gradient[i] - o->gradient[i];
        sy += s * y;
        ss += s * s;
        yy += y * y;
    }
    if (!(sy > DBL_EPSILON * sqrt(ss) * sqrt(yy)) || !isfinite(yy) || !isfinite(sy / yy))
        return;
    ring r = ring_of(o);
    size_t k = o->next;
    for (size_t i = 0; i < o->n; i++) {
        r.s[k * r.n + i] = o->trial_x[i] - o->x[i];
        r.y[k * r.n + i] = o->trial_gradient[i] - o->gradient[i];
    }
    r.sy[k] = sy;
    r.yy[k] = yy;
    o->next = (k + 1) % r.size;
    o->pairs += o->pairs < r.size;
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
    rm2i_optim_accept(o, trial.f, trial.step * rm2i_norm(o->n, o->work));
    return RM2_OK;
}

const rm2i_method rm2i_lbfgs = {.name = "L-BFGS",
                                .monotone = true,
                                .pairs = true,
                                .own_size = own_size,
                                .scratch_size = scratch_size,
                                .check = check,
                                .iterate = iterate};
