/* Line search for the strong Wolfe conditions on phi(a) = f(x + a d),
 *
 *     phi(a) <= phi(0) + c1 a phi'(0)   and   |phi'(a)| <= c2 |phi'(0)|,
 *
 * by the algorithm of Moré and Thuente (ACM TOMS 20, 1994), which L-BFGS-B uses: an interval that
 * contains such a step shrinks under safeguarded cubic and quadratic interpolation. While no step
 * has met the first condition, it looks for a minimum of psi(a) = phi(a) - c1 a phi'(0) instead.
 *
 * Three things are added. A step outside the domain is a wall: trials stay below it and approach
 * the best end by half the way, then a quarter, an eighth. A step is accepted only if it lowers phi
 * itself, which the first condition does not ask for once c1 a phi'(0) is below rounding. And the
 * search ends where the decrease to be had is below rounding. */
#include "optim/line_search.h"

#include <float.h>
#include <math.h>

#include "base/base.h"

enum { TRIALS_MAX = 20 };
static const double C1 = 1e-3, C2 = 0.9;
static const double WIDTH = 0.1;    /* relative width at which an interval is narrow enough */
static const double SHRINK = 0.66;  /* factor by which two updates have to narrow it */
static const double GROW_MIN = 1.1; /* extrapolation, in units of the last move */
static const double GROW_MAX = 4;

typedef struct search {
    double f0, slope0;
    rm2i_line_trial best, other; /* ends of the interval; `best` has the least value */
    bool bracketed;              /* a minimum lies between the two */
    bool descended;   /* a step met the first condition, with phi rising there: use phi itself */
    double low, high; /* where the next trial may lie */
    double width, width_before;
    double wall;          /* shortest step beyond `best` that was outside the domain */
    double approach;      /* fraction of the way from `best` to try after a failure */
    rm2i_line_trial kept; /* lowest trial that may be accepted; step 0: none */
} search;

static bool acceptable(const search *s, const rm2i_line_trial *t) {
    return t->f <= s->f0 + C1 * t->step * s->slope0 && t->f < s->f0;
}

static bool wolfe(const search *s, const rm2i_line_trial *t) {
    return acceptable(s, t) && fabs(t->slope) <= -C2 * s->slope0;
}

/* Minimiser of the cubic with the values and slopes of a and b, as a fraction of the way from a to
 * b; *has_minimum is false where the cubic is monotone. */
static double cubic_fraction(const rm2i_line_trial *a, const rm2i_line_trial *b,
                             bool *has_minimum) {
    double theta = 3 * (a->f - b->f) / (b->step - a->step) + a->slope + b->slope;
    double scale = fmax(fabs(theta), fmax(fabs(a->slope), fabs(b->slope)));
    double square = (theta / scale) * (theta / scale) - (a->slope / scale) * (b->slope / scale);
    double gamma = scale * sqrt(fmax(0, square));
    *has_minimum = gamma != 0;
    if (b->step < a->step)
        gamma = -gamma;
    return ((gamma - a->slope) + theta) / (((gamma - a->slope) + gamma) + b->slope);
}

static double cubic(const rm2i_line_trial *a, const rm2i_line_trial *b) {
    bool ignored;
    return a->step + cubic_fraction(a, b, &ignored) * (b->step - a->step);
}

/* Zero of the line through both slopes. */
static double secant(const rm2i_line_trial *a, const rm2i_line_trial *b) {
    return a->step + a->slope / (a->slope - b->slope) * (b->step - a->step);
}

/* Minimiser of the parabola with the values of both and the slope of a. */
static double parabola(const rm2i_line_trial *a, const rm2i_line_trial *b) {
    double gap = b->step - a->step;
    return a->step + a->slope / ((a->f - b->f) / gap + a->slope) / 2 * gap;
}

/* Case 1, the trial is higher: the minimum lies before it. */
static double step_back(const rm2i_line_trial *best, const rm2i_line_trial *t) {
    double c = cubic(best, t), q = parabola(best, t);
    return fabs(c - best->step) < fabs(q - best->step) ? c : c + (q - c) / 2;
}

/* Case 2, lower with a slope of the other sign: the minimum lies between. */
static double step_between(const rm2i_line_trial *best, const rm2i_line_trial *t) {
    double c = cubic(t, best), q = secant(t, best);
    return fabs(c - t->step) > fabs(q - t->step) ? c : q;
}

/* Case 3, lower with a smaller slope of the same sign: the minimum lies beyond. */
static double step_beyond(const search *s, const rm2i_line_trial *best,
                          const rm2i_line_trial *other, const rm2i_line_trial *t) {
    bool forward = t->step > best->step, has_minimum;
    double r = cubic_fraction(t, best, &has_minimum), q = secant(t, best);
    double c = r < 0 && has_minimum ? t->step + r * (best->step - t->step)
               : forward            ? s->high
                                    : s->low;
    bool cubic_nearer = fabs(c - t->step) < fabs(q - t->step);
    if (!s->bracketed)
        return fmin(fmax(cubic_nearer ? q : c, s->low), s->high);
    double limit = t->step + SHRINK * (other->step - t->step);
    double step = cubic_nearer ? c : q;
    return forward ? fmin(step, limit) : fmax(step, limit);
}

/* Case 4, lower with a slope as steep: go on to the far end. */
static double step_on(const search *s, const rm2i_line_trial *best, const rm2i_line_trial *other,
                      const rm2i_line_trial *t) {
    if (s->bracketed)
        return cubic(t, other);
    return t->step > best->step ? s->high : s->low;
}

/* Next step, and the interval with the trial taken in. The ends are given apart from s since they
 * may be those of psi. */
static double interpolate(search *s, rm2i_line_trial *best, rm2i_line_trial *other,
                          const rm2i_line_trial *t) {
    bool higher = t->f > best->f, turned = t->slope * copysign(1, best->slope) < 0;
    double step;
    if (higher)
        step = step_back(best, t);
    else if (turned)
        step = step_between(best, t);
    else if (fabs(t->slope) < fabs(best->slope))
        step = step_beyond(s, best, other, t);
    else
        step = step_on(s, best, other, t);

    s->bracketed = s->bracketed || higher || turned;
    if (higher) {
        *other = *t;
    } else {
        if (turned)
            *other = *best;
        *best = *t;
    }
    return step;
}

static rm2i_line_trial tilt(rm2i_line_trial t, double slope) {
    return (rm2i_line_trial){t.step, t.f - t.step * slope, t.slope - slope};
}

static double update_bracket(search *s, const rm2i_line_trial *t) {
    double slope = C1 * s->slope0;
    bool enough = t->f <= s->f0 + t->step * slope;
    s->descended = s->descended || (enough && t->slope >= 0);
    if (s->descended || enough || t->f > s->best.f)
        return interpolate(s, &s->best, &s->other, t);
    rm2i_line_trial best = tilt(s->best, slope), other = tilt(s->other, slope),
                    now = tilt(*t, slope);
    double step = interpolate(s, &best, &other, &now);
    s->best = tilt(best, -slope);
    s->other = tilt(other, -slope);
    return step;
}

/* Bisect where the interval does not narrow fast enough. */
static double safeguard(search *s, double step) {
    double gap = fabs(s->other.step - s->best.step);
    if (gap >= SHRINK * s->width_before)
        step = s->best.step + 0.5 * (s->other.step - s->best.step);
    s->width_before = s->width;
    s->width = gap;
    return step;
}

/* Next step after a finite trial. */
static double after_value(search *s, const rm2i_line_trial *t) {
    if (acceptable(s, t) && (s->kept.step == 0 || t->f < s->kept.f))
        s->kept = *t;
    s->approach = 0.5;
    double step = update_bracket(s, t);
    if (!isfinite(step))
        step = 0.5 * (s->low + s->high);
    if (s->bracketed) {
        s->low = fmin(s->best.step, s->other.step);
        s->high = fmax(s->best.step, s->other.step);
        return safeguard(s, step);
    }
    if (step >= s->wall)
        step = s->best.step + s->approach * (s->wall - s->best.step);
    s->low = step + GROW_MIN * (step - s->best.step);
    s->high = step + GROW_MAX * (step - s->best.step);
    return step;
}

/* Next step after one outside the domain. */
static double after_failure(search *s, double step) {
    if (step > s->best.step)
        s->wall = fmin(s->wall, step);
    double next = s->best.step + s->approach * (step - s->best.step);
    s->approach *= 0.5;
    return next;
}

/* Is there nothing to win by the next trial? */
static bool finished(const search *s, double next) {
    if (s->kept.step == 0 && -s->slope0 * next <= DBL_EPSILON * fabs(s->f0))
        return true;
    if (!s->bracketed)
        return isfinite(s->wall) && s->wall - s->best.step <= WIDTH * s->wall;
    return next <= s->low || next >= s->high || s->high - s->low <= WIDTH * s->high;
}

/* Without a strong Wolfe step the lowest acceptable one has to do. */
static rm2_status settle(rm2i_line_fn fn, void *user, const search *s, rm2i_line_trial *trial,
                         bool *found) {
    if (s->kept.step == 0)
        return RM2_OK;
    if (trial->step != s->kept.step) {
        trial->step = s->kept.step;
        rm2_status status = fn(user, trial);
        if (status != RM2_OK)
            return status == RM2_ERR_NUMERIC ? RM2_OK : status;
    }
    *found = true;
    return RM2_OK;
}

rm2_status rm2i_line_search(rm2i_line_fn fn, void *user, double f0, double slope0, double step,
                            rm2i_line_trial *trial, bool *found) {
    rm2i_line_trial start = {0, f0, slope0};
    search s = {.f0 = f0,
                .slope0 = slope0,
                .best = start,
                .other = start,
                .high = step + GROW_MAX * step,
                .width = INFINITY,
                .width_before = INFINITY,
                .wall = INFINITY,
                .approach = 0.5};
    *found = false;
    if (!(slope0 < 0))
        return RM2_OK;
    for (int k = 0; k < TRIALS_MAX; k++) {
        trial->step = step;
        rm2_status status = fn(user, trial);
        if (status != RM2_OK && status != RM2_ERR_NUMERIC)
            return status;
        if (status == RM2_OK && wolfe(&s, trial)) {
            *found = true;
            return RM2_OK;
        }
        step = status == RM2_OK ? after_value(&s, trial) : after_failure(&s, step);
        if (finished(&s, step))
            break;
    }
    return settle(fn, user, &s, trial, found);
}
