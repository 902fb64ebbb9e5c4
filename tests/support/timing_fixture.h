/* Speeds and accelerations of a timed trajectory, from its points and times alone. */
#ifndef TIMING_FIXTURE_H
#define TIMING_FIXTURE_H

#include "context_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "riemann2/geodesic.h"

/* Relative. */
#define ROUNDING 1e-9

enum { WIDTH = 7 }; /* most entries of a point */

static inline void assert_ok(rm2_context *ctx, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

/* Distance of points i and i + 1 in one factor. */
static inline double step_of(rm2_context *ctx, const rm2_manifold *m, const double *points,
                             size_t i, size_t f) {
    const rm2_factor *factor = rm2_manifold_factor(m, f);
    const double *p = points + i * rm2_manifold_ambient(m) + factor->ambient_offset;
    rm2_manifold *alone;
    double d;
    assert_ok(ctx, rm2_manifold_from_factors(ctx, factor, 1, &alone));
    assert_ok(ctx, rm2_manifold_distance(ctx, alone, 1, p, 1, p + rm2_manifold_ambient(m), &d));
    rm2_manifold_free(alone);
    return d;
}

/* Logarithm at point i of point j of one factor, in an orthonormal frame. */
static inline void logarithm(rm2_context *ctx, const rm2_manifold *m, const double *points,
                             size_t i, size_t j, size_t f, double *c) {
    const rm2_factor *factor = rm2_manifold_factor(m, f);
    const double *p = points + factor->ambient_offset;
    size_t width = rm2_manifold_ambient(m);
    rm2_manifold *alone;
    assert_ok(ctx, rm2_manifold_from_factors(ctx, factor, 1, &alone));
    assert_ok(ctx, rm2_manifold_log_coords(ctx, alone, 1, p + i * width, 1, p + j * width, c));
    rm2_manifold_free(alone);
}

/* |a| at point i of points a, i, b in a row, with the durations of the steps:
 * 2 (Log_i(b)/after + Log_i(a)/before)/(before + after). */
static inline double bend_of(rm2_context *ctx, const rm2_manifold *m, const double *points,
                             size_t a, size_t i, size_t b, size_t f, double before, double after) {
    double p[WIDTH], q[WIDTH], square = 0;
    logarithm(ctx, m, points, i, a, f, p);
    logarithm(ctx, m, points, i, b, f, q);
    for (size_t k = 0; k < rm2_manifold_factor(m, f)->dim; k++)
        square += pow(2 * (q[k] / after + p[k] / before) / (before + after), 2);
    return sqrt(square);
}

/* The largest speed and acceleration of a factor; before and behind the trajectory there is rest, so
 * that the first step and the last have 2 d/duration^2. Steps that take no time are passed over. */
static inline void measure(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *points,
                           const double *time, size_t f, double *speed, double *acceleration) {
    size_t last = SIZE_MAX; /* where the step before began */
    double before = 0, d = 0;
    *speed = *acceleration = 0;
    assert_true(time[0] == 0);
    for (size_t i = 0; i + 1 < n; i++) {
        double duration = time[i + 1] - time[i];
        assert_true(duration >= 0 && isfinite(duration));
        if (duration == 0)
            continue; /* no limited factor moves */
        d = step_of(ctx, m, points, i, f);
        *speed = fmax(*speed, d / duration);
        double now = last == SIZE_MAX
                         ? 2 * d / (duration * duration)
                         : bend_of(ctx, m, points, last, i, i + 1, f, before, duration);
        *acceleration = fmax(*acceleration, now);
        last = i;
        before = duration;
    }
    *acceleration = fmax(*acceleration, before > 0 ? 2 * d / (before * before) : 0);
}

/* Both within the limits of all factors (NULL: none); returns the largest part of one that is used. */
static inline double assert_kept(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                 const double *points, const rm2_speed_limits *limits,
                                 const double *time) {
    double most = 0;
    for (size_t f = 0; f < rm2_manifold_factor_count(m); f++) {
        double speed, acceleration;
        measure(ctx, m, n, points, time, f, &speed, &acceleration);
        double v = limits->speed && limits->speed[f] > 0 ? speed / limits->speed[f] : 0;
        double a = limits->acceleration && limits->acceleration[f] > 0
                       ? acceleration / limits->acceleration[f]
                       : 0;
        assert_true(v <= 1 + ROUNDING);
        assert_true(a <= 1 + ROUNDING);
        most = fmax(most, fmax(v, a));
    }
    return most;
}

/* A smooth trajectory in R3 x S3, whose factors hurry and rest at different times. */
static inline void smooth(size_t n, double *points) {
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)(n - 1), *x = points + i * WIDTH;
        double angle = 1.5 * sin(4 * t) * sin(4 * t), turn = t * t;
        x[0] = cos(5 * t);
        x[1] = sin(3 * t);
        x[2] = t * t * t;
        x[3] = cos(angle) * cos(turn);
        x[4] = sin(angle) * cos(turn);
        x[5] = cos(angle) * sin(turn);
        x[6] = sin(angle) * sin(turn);
    }
}

#endif
