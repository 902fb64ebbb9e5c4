/* Speeds of the clock within limits of acceleration.
 *
 * With z = (ds/dt)^2, linear in s over a step between its nodes k and k + 1, the clock's acceleration
 * is u = (z_{k+1} - z_k)/(2 s_k), its mean speed w = (sqrt z_k + sqrt z_{k+1})/2. The acceleration of a
 * factor at node k, by second differences of the trajectory over its times h,
 *
 *     a_k = 2 (Log_{x_k}(x_{k+1})/h_k + Log_{x_k}(x_{k-1})/h_{k-1}) / (h_{k-1} + h_k),
 *
 * is then the mean, with weights h, of one vector of the step before and one of the step behind:
 *
 *     e u + c sqrt(z_k) w,                                                                        (1)
 *
 * e and c as in retime_curvature.c: speed changes and direction turns. If both are within the limit, so is
 * a_k, exactly and on every manifold. sqrt(z_k) w is between z_k and (z_k + z_{k+1})/2: (1) is asked
 * for with these two, at both nodes of each step,
 *
 *     |e u + c zeta| <= limit,     zeta linear in z_k and z_{k+1},
 *
 * which is a convex set of (z_k, z_{k+1}) with (0, 0) in it. The z_k from which the rest of the way can
 * be finished are therefore an interval from 0, whose end is found backwards from the last node;
 * forwards from the first, the largest z_{k+1} that can be reached is taken (J. E. Bobrow, S. Dubowsky,
 * J. S. Gibson, International Journal of Robotics Research 4, 1985; H. Pham, Q.-C. Pham, IEEE
 * Transactions on Robotics 34, 2018). Where steps are short against curves this is the fastest motion;
 * at a corner, which is a curvature within a step, it almost stops. */
#include <float.h>
#include <math.h>

#include "base/base.h"
#include "trajectory/retime.h"

enum { HALVINGS = 100 };             /* at most; numbers have 53 digits */
static const double NOTHING = 1e-14; /* of a square that is left by rounding, relative */

/* What holds for one factor in one step, seen from the node at one of its ends. */
typedef struct side {
    double square; /* |e|^2 */
    double half;   /* 1/(2 s) */
    double limit;
    rm2i_curvature curvature;
} side;

static side side_of(const rm2i_timing *t, size_t k, size_t f, size_t end) {
    double e = t->d[k * t->factors + f] / t->s[k];
    return (side){.square = e * e,
                  .half = 1 / (2 * t->s[k]),
                  .limit = t->acceleration[f],
                  .curvature = t->curvature[(k * t->factors + f) * 2 + end]};
}

/* ---- one step ------------------------------------------------------------------------------- */

/* Narrows [low, high] to those y = z_{k+1} that x = z_k allows: with zeta = (1 - g) x + g y and
 * p = 1/(2 s), e u + c zeta = A y + x B where A = p e + g c, B = -p e + (1 - g) c, and
 * |A|^2 |B|^2 - (A . B)^2 = p^2 (|e|^2 |c|^2 - (e . c)^2). */
static void narrow(const side *f, double g, double x, double *low, double *high) {
    double p = f->half, own = p * p * f->square, curvature = f->curvature.square,
           mixed = p * f->curvature.along;
    double A = own + 2 * g * mixed + g * g * curvature;
    double AB = -own + (1 - 2 * g) * mixed + g * (1 - g) * curvature;
    double B = own - 2 * (1 - g) * mixed + (1 - g) * (1 - g) * curvature;
    if (A <= NOTHING * (own + g * g * curvature)) { /* y does not matter */
        if (B * x * x > f->limit * f->limit)
            *high = -INFINITY;
        return;
    }
    double root = A * f->limit * f->limit - p * p * f->curvature.across * x * x;
    if (root < 0) {
        *high = -INFINITY;
        return;
    }
    *low = fmax(*low, (-AB * x - sqrt(root)) / A);
    *high = fmin(*high, (-AB * x + sqrt(root)) / A);
}

/* The largest z at the back of step k, not above `most`, if it is x at the front; negative if none. */
static double reach(const rm2i_timing *t, size_t k, double x, double most) {
    double low = 0, high = most;
    for (size_t f = 0; f < t->factors; f++)
        for (size_t end = 0; end < 2 && isfinite(t->acceleration[f]); end++) {
            side here = side_of(t, k, f, end);
            narrow(&here, (double)end, x, &low, &high);
            narrow(&here, 0.5, x, &low, &high);
        }
    return low <= high ? high : -1;
}

/* The largest z at the front of step k, not above `most`, from which one not above `next` at the back
 * can be reached. */
static double start(const rm2i_timing *t, size_t k, double most, double next) {
    double good = 0, bad = fmax(next, rm2i_timing_limit(t, k, t->acceleration) * t->s[k]);
    bad = fmax(bad, DBL_MIN);
    while (bad < most && reach(t, k, bad, next) >= 0) {
        good = bad;
        bad *= 2;
    }
    if (bad >= most) {
        if (reach(t, k, most, next) >= 0)
            return most;
        bad = most;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = good + (bad - good) / 2;
        if (!(middle > good && middle < bad))
            break;
        if (reach(t, k, middle, next) >= 0)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* ---- all steps ------------------------------------------------------------------------------ */

void rm2i_timing_accelerate(rm2i_timing *t) {
    double *z = t->z;
    z[0] = z[t->steps] = 0;
    for (size_t k = t->steps - 1; k > 0; k--) {
        double w = fmin(rm2i_timing_limit(t, k - 1, t->speed), rm2i_timing_limit(t, k, t->speed));
        z[k] = start(t, k, w * w, z[k + 1]);
    }
    for (size_t k = 0; k + 1 < t->steps; k++)
        z[k + 1] = fmax(reach(t, k, z[k], z[k + 1]), 0);
}

/* ---- inside a step -------------------------------------------------------------------------- */

/* Between the speeds at its nodes a step may be faster: z rises with the acceleration u, stays at
 * `most` if it gets there, and falls with -u; what (1) has in place of u is then a mean of these. */
static double rise_and_fall(const rm2i_timing *t, size_t k, double u, double most) {
    double x = t->z[k], y = t->z[k + 1], s = t->s[k];
    double top = fmin((x + y) / 2 + u * s, most); /* (top - x)/(2 u) + (top - y)/(2 u) = s */
    double rise = fmax(top - x, 0) / (2 * u), fall = fmax(top - y, 0) / (2 * u);
    double rest = fmax(s - rise - fall, 0);
    return 2 * rise / (sqrt(x) + sqrt(top)) + rest / sqrt(top) + 2 * fall / (sqrt(top) + sqrt(y));
}

/* Is (1) within the limits with accelerations from -u to u and this duration? */
static bool is_allowed(const rm2i_timing *t, size_t k, double u, double duration) {
    double w = t->s[k] / duration;
    for (size_t f = 0; f < t->factors; f++)
        for (size_t end = 0; end < 2 && isfinite(t->acceleration[f]); end++) {
            side here = side_of(t, k, f, end);
            double zeta = sqrt(t->z[k + end]) * w;
            double square = here.square * u * u + 2 * fabs(here.curvature.along) * u * zeta +
                            here.curvature.square * zeta * zeta;
            if (square > here.limit * here.limit * (1 + NOTHING))
                return false;
        }
    return true;
}

double rm2i_timing_duration(const rm2i_timing *t, size_t k) {
    double x = t->z[k], y = t->z[k + 1], s = t->s[k];
    double w = rm2i_timing_limit(t, k, t->speed), most = w * w;
    double plain = 2 * s / (sqrt(x) + sqrt(y)), low = fabs(y - x) / (2 * s);
    double high = rm2i_timing_limit(t, k, t->acceleration);
    if (isinf(high)) /* only factors without such a limit move: at once */
        high = 1e9 * most / s;
    if (!(high > low))
        return plain;
    double best = plain, duration = rise_and_fall(t, k, high, most);
    if (is_allowed(t, k, high, duration))
        return duration;
    for (int i = 0; i < HALVINGS; i++) {
        double u = low + (high - low) / 2;
        if (!(u > low && u < high))
            break;
        duration = rise_and_fall(t, k, u, most);
        if (is_allowed(t, k, u, duration)) {
            best = fmin(best, duration);
            low = u;
        } else
            high = u;
    }
    return best;
}
