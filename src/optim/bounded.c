/* Quasi-Newton steps in a box, for a few variables. Variables at a bound whose gradient points outwards
 * are held in the iteration; the others, f, move along
 *
 *     B_ff d_f = -g_f
 *
 * with B from the BFGS formula on all variables (Nocedal and Wright, Numerical Optimization, 6.19), by a
 * strong Wolfe line search that ends where the first variable meets its bound: there the function counts
 * as flat, so that a step to the bound is accepted if it lowers the function enough. The bound then holds
 * the variable in the next iteration. */
#include "optim/bounded.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "optim/line_search.h"
#include "optim/method.h"

enum { MOST = RM2I_BOUNDED_MOST };

typedef struct point {
    double x[MOST], f, g[MOST];
} point;

typedef struct descent {
    const rm2i_bounded_problem *p;
    point at, trial;
    double B[MOST * MOST], d[MOST];
    double longest; /* step at which the first variable meets its bound */
    bool scaled;    /* B is more than a multiple of the identity */
    size_t evaluations;
} descent;

static rm2_status evaluate(descent *s, point *at) {
    s->evaluations++;
    RM2_TRY(s->p->fn(s->p->user, at->x, &at->f, at->g));
    bool finite = isfinite(at->f) && isfinite(rm2i_max_abs(s->p->n, at->g));
    return finite ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Would a step along -g leave the box at once? */
static bool is_held(const descent *s, size_t i) {
    double x = s->at.x[i], g = s->at.g[i];
    return (x <= s->p->lower[i] && g >= 0) || (x >= s->p->upper[i] && g <= 0);
}

static double free_gradient(const descent *s) {
    double largest = 0;
    for (size_t i = 0; i < s->p->n; i++)
        largest = is_held(s, i) ? largest : fmax(largest, fabs(s->at.g[i]));
    return largest;
}

/* d from B_ff d_f = -g_f; false if B_ff is not positive definite. */
static bool newton_direction(descent *s) {
    size_t moving[MOST] = {0}, count = 0, n = s->p->n;
    double A[MOST * MOST] = {0}, L[MOST * MOST], y[MOST];
    for (size_t i = 0; i < n; i++)
        if (!is_held(s, i))
            moving[count++] = i;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            A[i * count + j] = s->B[moving[i] * n + moving[j]];
    if (rm2i_cholesky(count, A, L) != RM2_OK)
        return false;
    for (size_t i = 0; i < count; i++) { /* L y = -g */
        y[i] = -s->at.g[moving[i]];
        for (size_t j = 0; j < i; j++)
            y[i] -= L[i * count + j] * y[j];
        y[i] /= L[i * count + i];
    }
    memset(s->d, 0, sizeof s->d);
    for (size_t i = count; i-- > 0;) { /* L^T d = y */
        for (size_t j = i + 1; j < count; j++)
            y[i] -= L[j * count + i] * y[j];
        y[i] /= L[i * count + i];
        s->d[moving[i]] = y[i];
    }
    return true;
}

static void steepest_direction(descent *s) {
    for (size_t i = 0; i < s->p->n; i++)
        s->d[i] = is_held(s, i) ? 0 : -s->at.g[i];
}

static void find_longest(descent *s) {
    s->longest = INFINITY;
    for (size_t i = 0; i < s->p->n; i++) {
        double room = s->d[i] > 0 ? s->p->upper[i] - s->at.x[i] : s->p->lower[i] - s->at.x[i];
        if (s->d[i] != 0)
            s->longest = fmin(s->longest, room / s->d[i]);
    }
}

/* Variable i after a step; within rounding of a bound it is there. */
static double moved(const descent *s, size_t i, double step) {
    double by = step * s->d[i], x = s->at.x[i] + by;
    double rounding = 4 * DBL_EPSILON * (fabs(s->at.x[i]) + fabs(by));
    if (x - s->p->lower[i] <= rounding)
        return s->p->lower[i];
    return s->p->upper[i] - x <= rounding ? s->p->upper[i] : x;
}

static rm2_status along(void *user, rm2i_line_trial *trial) {
    descent *s = user;
    double step = fmin(trial->step, s->longest);
    for (size_t i = 0; i < s->p->n; i++)
        s->trial.x[i] = moved(s, i, step);
    RM2_TRY(evaluate(s, &s->trial));
    trial->f = s->trial.f;
    trial->slope = rm2i_dot(s->p->n, s->trial.g, s->d);
    if (trial->step >= s->longest && trial->slope < 0)
        trial->slope = 0;
    return RM2_OK;
}

static rm2_status search(descent *s, bool steepest, bool *found) {
    rm2i_line_trial trial;
    if (steepest || !newton_direction(s)) {
        steepest = true;
        steepest_direction(s);
    }
    find_longest(s);
    double slope = rm2i_dot(s->p->n, s->at.g, s->d), size = rm2i_norm(s->p->n, s->d);
    double step = fmin(steepest ? fmin(1, 1 / size) : 1, s->longest);
    *found = false;
    return step > 0 ? rm2i_line_search(along, s, s->at.f, slope, step, &trial, found) : RM2_OK;
}

static void reset(descent *s) {
    for (size_t i = 0; i < s->p->n * s->p->n; i++)
        s->B[i] = i % (s->p->n + 1) == 0;
    s->scaled = false;
}

/* B += y y^T/y.s - B s s^T B/s^T B s, for s.y > 0; the first pair scales B. */
static void update(descent *d) {
    size_t n = d->p->n;
    double s[MOST], y[MOST], Bs[MOST] = {0}, sy, sBs;
    for (size_t i = 0; i < n; i++) {
        s[i] = d->trial.x[i] - d->at.x[i];
        y[i] = d->trial.g[i] - d->at.g[i];
    }
    sy = rm2i_dot(n, s, y);
    if (!(sy > DBL_EPSILON * rm2i_norm(n, s) * rm2i_norm(n, y)))
        return;
    for (size_t i = 0; !d->scaled && i < n; i++)
        d->B[i * n + i] = rm2i_dot(n, y, y) / sy;
    d->scaled = true;
    for (size_t i = 0; i < n; i++)
        Bs[i] = rm2i_dot(n, d->B + i * n, s);
    sBs = rm2i_dot(n, s, Bs);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            d->B[i * n + j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
}

/* One iteration; *stuck: no step lowers the function. */
static rm2_status iterate(descent *s, bool *stuck) {
    bool steepest = !s->scaled, found;
    RM2_TRY(search(s, steepest, &found));
    if (!found && !steepest) {
        reset(s);
        RM2_TRY(search(s, true, &found));
    }
    *stuck = !found;
    if (!found)
        return RM2_OK;
    update(s);
    s->at = s->trial;
    return RM2_OK;
}

static rm2_status descend(rm2_context *ctx, descent *s, rm2i_bounded_result *result) {
    const rm2i_bounded_problem *p = s->p;
    double decrease = INFINITY, previous = INFINITY;
    bool stuck = false;
    reset(s);
    RM2_TRY(evaluate(s, &s->at));
    for (;;) {
        const rm2i_progress progress = {.decrease = fmax(previous, decrease),
                                        .gradient = free_gradient(s),
                                        .iteration = result->iterations,
                                        .stuck = stuck,
                                        .interrupted = rm2i_interrupted(ctx)};
        result->gradient = progress.gradient;
        result->stop = rm2i_stop_test(p->settings, true, &progress);
        if (result->stop != RM2_STOP_RUNNING)
            return RM2_OK;
        double before = s->at.f;
        RM2_TRY(iterate(s, &stuck));
        result->iterations += !stuck;
        previous = decrease;
        decrease = rm2i_relative_decrease(before, s->at.f);
        if (p->report && !stuck)
            p->report(p->user, s->at.f);
    }
}

rm2_status rm2i_bounded_minimise(rm2_context *ctx, const rm2i_bounded_problem *p, double *x,
                                 rm2i_bounded_result *result) {
    descent s = {.p = p};
    *result = (rm2i_bounded_result){.stop = RM2_STOP_RUNNING};
    if (p->n == 0 || p->n > MOST)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "optimiser: %zu variables, expected 1 to %d", p->n,
                         MOST);
    for (size_t i = 0; i < p->n; i++) {
        if (!(p->lower[i] <= p->upper[i]) || !isfinite(x[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "optimiser: variable %zu is %g, its bounds are %g and %g", i, x[i],
                             p->lower[i], p->upper[i]);
        s.at.x[i] = fmin(fmax(x[i], p->lower[i]), p->upper[i]);
    }
    RM2_TRY(descend(ctx, &s, result));
    result->f = s.at.f;
    result->evaluations = s.evaluations;
    memcpy(x, s.at.x, p->n * sizeof *x);
    return RM2_OK;
}
