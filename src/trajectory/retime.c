/* Times of a trajectory as fast as limits of its factors' speeds and accelerations allow.
 *
 * All factors follow one clock s: a step takes
 *
 *     s_k = |(d_f / D_f)_f|,    d_f the distance of the step in factor f, D_f that of the whole way,
 *
 * f those with limits: no units. Factor f moves e_f = d_f/s_k a unit of s. Without accelerations a step
 * takes max_f d_f / speed_f; with them see retime_profile.c. */
#include "trajectory/retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "riemann2/trajectory.h"

static const double ROUNDING = 1e-12;                /* parts of the whole way that are no step */
static const double LEAST = 1e-100, LARGEST = 1e100; /* limits */

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

/* Distances of all n - 1 steps, and of the whole way (factors). */
static rm2_status walk(rm2_context *ctx, rm2i_timing *t, size_t n, double *way) {
    const rm2_manifold *m = t->manifold;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, m->work_size, sizeof *work, &work));
    rm2_status status = RM2_OK;
    memset(way, 0, t->factors * sizeof *way);
    for (size_t i = 0; i + 1 < n && status == RM2_OK; i++) {
        double *d = t->d + i * t->factors;
        status = step_distances(ctx, m, i, t->points + i * m->ambient, d, work);
        for (size_t f = 0; f < t->factors && status == RM2_OK; f++)
            way[f] += d[f];
    }
    free(work);
    return status;
}

/* ---- limits --------------------------------------------------------------------------------- */

static rm2_status read_limits(rm2_context *ctx, const char *what, size_t count, const double *given,
                              double *limit, bool *any) {
    for (size_t f = 0; f < count; f++) {
        double value = given ? given[f] : 0;
        if (!(value >= 0))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the %s limit of factor %zu is %g", what, f + 1,
                             value);
        if (value > 0 && isfinite(value) && !(value >= LEAST && value <= LARGEST))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "the %s limit of factor %zu is %g: not between %g and %g, where its "
                             "square is a number",
                             what, f + 1, value, LEAST, LARGEST);
        limit[f] = value > 0 ? value : INFINITY;
        *any = *any || isfinite(limit[f]);
    }
    return RM2_OK;
}

static bool is_limited(const rm2i_timing *t, size_t f) {
    return isfinite(t->speed[f]) || isfinite(t->acceleration[f]);
}

double rm2i_timing_limit(const rm2i_timing *t, size_t k, const double *limit) {
    double least = INFINITY;
    for (size_t f = 0; f < t->factors; f++)
        if (t->d[k * t->factors + f] > 0)
            least = fmin(least, limit[f] * t->s[k] / t->d[k * t->factors + f]);
    return least;
}

/* ---- the clock ------------------------------------------------------------------------------ */

/* s of a step with these distances. */
static double clock_of(const rm2i_timing *t, const double *d, const double *way) {
    double s = 0;
    for (size_t f = 0; f < t->factors; f++)
        if (way[f] > 0 && is_limited(t, f))
            s = hypot(s, d[f] / way[f]);
    return s;
}

/* Of all n - 1 steps, those in which a factor with a limit moves. Others have no direction either. */
static void set_clock(rm2i_timing *t, size_t n, const double *way) {
    for (size_t i = 0; i + 1 < n; i++) {
        const double *d = t->d + i * t->factors;
        double s = clock_of(t, d, way);
        if (!(s > ROUNDING))
            continue;
        memmove(t->d + t->steps * t->factors, d, t->factors * sizeof *d);
        t->s[t->steps] = s;
        t->point[t->steps++] = i;
    }
}

/* ---- times ---------------------------------------------------------------------------------- */

static rm2_status find_times(rm2_context *ctx, rm2i_timing *t, size_t n, bool accelerated,
                             double *way, double *time) {
    RM2_TRY(walk(ctx, t, n, way));
    set_clock(t, n, way);
    if (accelerated && t->steps > 0) {
        RM2_TRY(rm2i_timing_bend(ctx, t));
        rm2i_timing_accelerate(t);
    }
    time[0] = 0;
    for (size_t i = 0, k = 0; i + 1 < n; i++) {
        time[i + 1] = time[i];
        if (k == t->steps || t->point[k] != i)
            continue;
        time[i + 1] +=
            accelerated ? rm2i_timing_duration(t, k) : t->s[k] / rm2i_timing_limit(t, k, t->speed);
        k++;
    }
    if (!isfinite(time[n - 1]))
        return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                         "the times of the trajectory overflow: the limits are too small");
    return RM2_OK;
}

/* The timing, and the arrays that only belong to its set-up. */
typedef struct timing_memory {
    rm2i_timing t;
    size_t n;
    double *speed, *acceleration; /* factors */
    double *way;                  /* factors: distances of the whole trajectory */
    double *memory;
} timing_memory;

static void lay_out(void *arg, rm2i_arena *a) {
    timing_memory *m = arg;
    size_t n = m->n, factors = m->t.factors;
    m->t.speed = m->speed = rm2i_reserve(a, double, factors);
    m->t.acceleration = m->acceleration = rm2i_reserve(a, double, factors);
    m->way = rm2i_reserve(a, double, factors);
    m->t.d = rm2i_reserve(a, double, n, factors);
    m->t.s = rm2i_reserve(a, double, n);
    m->t.z = rm2i_reserve(a, double, n);
    m->t.point = rm2i_reserve(a, size_t, n);
    m->t.curvature = rm2i_reserve(a, rm2i_curvature, n, factors, 2);
}

rm2_status rm2_trajectory_retime(rm2_context *ctx, const rm2_manifold *manifold, size_t n,
                                 const double *points, const rm2_speed_limits *limits,
                                 double *time) {
    RM2_REQUIRE(ctx, manifold, points, limits, time);
    size_t factors = manifold->count;
    bool limited = false, accelerated = false;
    timing_memory m = {.t = {.manifold = manifold, .points = points, .factors = factors}, .n = n};
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a trajectory needs points");
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &m, &m.memory));
    rm2_status status = read_limits(ctx, "speed", factors, limits->speed, m.speed, &limited);
    if (status == RM2_OK)
        status = read_limits(ctx, "acceleration", factors, limits->acceleration, m.acceleration,
                             &accelerated);
    if (status == RM2_OK && !limited && !accelerated)
        status = rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                           "no factor of %s has a limit of speed or acceleration: times need one",
                           manifold->spec);
    if (status == RM2_OK)
        status = find_times(ctx, &m.t, n, accelerated, m.way, time);
    free(m.memory);
    return status;
}
