/* Times of a trajectory as fast as limits of its factors' speeds and accelerations allow.
 *
 * Without accelerations a step takes max_f d_f / speed_f, d_f the distance in factor f. With them,
 * all factors follow one clock: s, the length of the trajectory where each factor counts by its
 * part of the factor's whole way (no units). Factor f moves r_f = d_f / ds a unit of s: that of a
 * step in its middle, the mean of two steps where they meet, and linear between. In halves of
 * steps, with
 *
 *     w = ds/dt,  b = w^2  at their ends, and factor f of speed w r_f there,
 *
 * the square of its speed changes over a piece by 2 a_f times the way at most:
 *
 *     |r_f'^2 b' - r_f^2 b| <= a_f (r_f + r_f') ds,    w r_f <= speed_f,    b = 0 at both ends.
 *
 * A factor that starts to move while another comes to rest thus slows both, as it must. These
 * bounds are linear in b, and of two solutions the larger b at every point is a solution too:
 * there is a fastest one. Backwards along the pieces one finds the largest b from which the end
 * can be reached, forwards then takes the largest that can be reached from the start (Pham and
 * Pham, IEEE Transactions on Robotics 34, 2018). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/manifold.h"
#include "riemann2/geodesic.h"

/* What is known of the trajectory: steps in which no limited factor moves are not in it. */
typedef struct trajectory {
    size_t factors, steps;
    const double *speed, *acceleration; /* infinite: none */
    double *d;                          /* steps x factors: distances */
    double *s;                          /* steps */
    double *r;                          /* (2 steps + 1) x factors: at the ends of pieces */
    double *b;                          /* 2 steps + 1: the same */
} trajectory;

/* ---- distances ------------------------------------------------------------------------------ */

static rm2_status step_distances(rm2_context *ctx, const rm2_manifold *m, size_t i, const double *p,
                                 double *d, double *work) {
    const double *q = p + m->ambient;
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        size_t at = factor->ambient_offset;
        rm2_status status = factor->geometry->distance(factor->n, p + at, q + at, &d[f], work);
        if (status == RM2_OK && !isfinite(d[f]))
            status = RM2_ERR_NUMERIC;
        if (status != RM2_OK)
            return rm2i_fail(ctx, status, "no distance of points %zu and %zu in factor %zu (%s%zu)",
                             i, i + 1, f + 1, factor->geometry->name, factor->n);
    }
    return RM2_OK;
}

/* ---- limits --------------------------------------------------------------------------------- */

static rm2_status read_limits(rm2_context *ctx, const char *what, size_t count, const double *given,
                              double *limit, bool *any) {
    for (size_t f = 0; f < count; f++) {
        double value = given ? given[f] : 0;
        if (!(value >= 0))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the %s limit of factor %zu is %g", what, f + 1,
                             value);
        limit[f] = value > 0 ? value : INFINITY;
        *any = *any || isfinite(limit[f]);
    }
    return RM2_OK;
}

static bool is_limited(const trajectory *t, size_t f) {
    return isfinite(t->speed[f]) || isfinite(t->acceleration[f]);
}

/* The clock: s of each step from parts of the limited factors' ways. */
static void set_clock(trajectory *t) {
    memset(t->s, 0, t->steps * sizeof *t->s);
    for (size_t f = 0; f < t->factors; f++) {
        double way = 0;
        for (size_t i = 0; i < t->steps; i++)
            way += t->d[i * t->factors + f];
        for (size_t i = 0; i < t->steps && way > 0 && is_limited(t, f); i++)
            t->s[i] += t->d[i * t->factors + f] / way;
    }
}

/* What limits of the factors are for the clock in step i: the least limit_f / r_f. */
static double of_clock(const trajectory *t, size_t i, const double *limit) {
    double least = INFINITY;
    for (size_t f = 0; f < t->factors; f++)
        if (t->d[i * t->factors + f] > 0)
            least = fmin(least, limit[f] * t->s[i] / t->d[i * t->factors + f]);
    return least;
}

/* ---- accelerations -------------------------------------------------------------------------- */

/* r_f at end k of a piece, and the largest b there by the speeds. In the middle of a step and at
 * the ends of the trajectory there is one step to look at, otherwise two. */
static void start_end(trajectory *t, size_t k) {
    size_t behind = k / 2 < t->steps ? k / 2 : t->steps - 1;
    size_t before = k % 2 == 0 && k > 0 ? k / 2 - 1 : behind;
    double w = fmin(of_clock(t, before, t->speed), of_clock(t, behind, t->speed));
    t->b[k] = w * w;
    for (size_t f = 0; f < t->factors; f++)
        t->r[k * t->factors + f] = (t->d[before * t->factors + f] / t->s[before] +
                                    t->d[behind * t->factors + f] / t->s[behind]) /
                                   2;
}

/* The bound r'^2 b' <= r^2 b + change on b'. */
static double reachable(double r, double b, double change, double r_there) {
    double here = r > 0 ? r * r * b : 0; /* b may be infinite */
    return r_there > 0 ? (here + change) / (r_there * r_there) : INFINITY;
}

/* By how much the square of the speed of factor f may change in the piece behind end k. */
static double change(const trajectory *t, size_t k, size_t f) {
    const double *r = t->r + k * t->factors + f;
    return t->acceleration[f] * (r[0] + r[t->factors]) * t->s[k / 2] / 2;
}

/* The largest b at end k from which the next can be reached: the least b' that factor f needs there
 * is neither above the largest known nor above what factor g can have. */
static double reaching(const trajectory *t, size_t k) {
    const double *r = t->r + k * t->factors, *next = r + t->factors;
    double most = t->b[k];
    for (size_t f = 0; f < t->factors; f++) {
        if (!isfinite(t->acceleration[f]))
            continue;
        most = fmin(most, reachable(next[f], t->b[k + 1], change(t, k, f), r[f]));
        for (size_t g = 0; g < t->factors; g++) {
            double slope = pow(r[f] * next[g], 2) - pow(r[g] * next[f], 2);
            if (isfinite(t->acceleration[g]) && slope > 0)
                most = fmin(
                    most, (change(t, k, f) * pow(next[g], 2) + change(t, k, g) * pow(next[f], 2)) /
                              slope);
        }
    }
    return most;
}

static void limit_accelerations(trajectory *t) {
    size_t last = 2 * t->steps;
    for (size_t k = 0; k <= last; k++)
        start_end(t, k);
    t->b[0] = t->b[last] = 0;
    for (size_t k = last; k-- > 1;)
        t->b[k] = reaching(t, k);
    for (size_t k = 0; k < last; k++)
        for (size_t f = 0; f < t->factors; f++)
            if (isfinite(t->acceleration[f]))
                t->b[k + 1] =
                    fmin(t->b[k + 1], reachable(t->r[k * t->factors + f], t->b[k], change(t, k, f),
                                                t->r[(k + 1) * t->factors + f]));
}

/* ---- times ---------------------------------------------------------------------------------- */

/* Duration of the piece behind end k with accelerations. The clock goes from the lower b to the
 * higher as soon as it may, db/ds = 2 A, and keeps that; where the mix of factors changes it may
 * not, and b is linear. */
static double piece(const trajectory *t, size_t k) {
    double b = t->b[k], b_end = t->b[k + 1], s = t->s[k / 2] / 2, w_top = sqrt(fmax(b, b_end));
    double ramp = fmin(fabs(b_end - b) / (2 * of_clock(t, k / 2, t->acceleration)), s);
    return 2 * ramp / (sqrt(b) + sqrt(b_end)) + (s - ramp) / w_top;
}

/* Distances of all steps in which a limited factor moves; `moves` (n - 1) says which. */
static rm2_status walk(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *points,
                       trajectory *t, bool *moves) {
    double *work;
    RM2_TRY(rm2i_alloc(ctx, m->work_size, sizeof *work, &work));
    rm2_status status = RM2_OK;
    for (size_t i = 0; i + 1 < n && status == RM2_OK; i++) {
        double *d = t->d + t->steps * t->factors;
        status = step_distances(ctx, m, i, points + i * m->ambient, d, work);
        moves[i] = false;
        for (size_t f = 0; f < t->factors && status == RM2_OK; f++)
            moves[i] = moves[i] || (d[f] > 0 && is_limited(t, f));
        t->steps += moves[i];
    }
    free(work);
    return status;
}

static rm2_status find_times(rm2_context *ctx, const rm2_manifold *m, size_t n,
                             const double *points, trajectory *t, bool accelerated, bool *moves,
                             double *time) {
    RM2_TRY(walk(ctx, m, n, points, t, moves));
    set_clock(t);
    if (accelerated && t->steps > 0)
        limit_accelerations(t);
    time[0] = 0;
    for (size_t i = 0, step = 0; i + 1 < n; i++) {
        time[i + 1] = time[i];
        if (moves[i])
            time[i + 1] += accelerated ? piece(t, 2 * step) + piece(t, 2 * step + 1)
                                       : t->s[step] / of_clock(t, step, t->speed);
        step += moves[i];
    }
    if (!isfinite(time[n - 1]))
        return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                         "the times of the trajectory are beyond what numbers can hold: the limits "
                         "are too small");
    return RM2_OK;
}

rm2_status rm2_retime(rm2_context *ctx, const rm2_manifold *manifold, size_t n,
                      const double *points, const rm2_speed_limits *limits, double *time) {
    size_t factors = manifold->count;
    bool limited = false, accelerated = false, *moves;
    double *memory;
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a trajectory needs points");
    RM2_TRY(rm2i_alloc(ctx, (3 * n + 2) * factors + 3 * n, sizeof *memory, &memory));
    double *rest = memory, *speed = rm2i_cut(&rest, factors);
    double *acceleration = rm2i_cut(&rest, factors);
    trajectory t = {.factors = factors, .speed = speed, .acceleration = acceleration};
    t.d = rm2i_cut(&rest, n * factors);
    t.s = rm2i_cut(&rest, n);
    t.r = rm2i_cut(&rest, 2 * n * factors);
    t.b = rest;
    rm2_status status = rm2i_calloc(ctx, n, sizeof *moves, &moves);
    if (status == RM2_OK)
        status = read_limits(ctx, "speed", factors, limits->speed, speed, &limited);
    if (status == RM2_OK)
        status = read_limits(ctx, "acceleration", factors, limits->acceleration, acceleration,
                             &accelerated);
    if (status == RM2_OK && !limited && !accelerated)
        status = rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                           "no factor of %s has a limit of speed or acceleration: times need one",
                           manifold->spec);
    if (status == RM2_OK)
        status = find_times(ctx, manifold, n, points, &t, accelerated, moves, time);
    free(memory);
    free(moves);
    return status;
}
