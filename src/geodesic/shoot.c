/* The exponential map: x'' = -Gamma(x', x') from x with velocity v, over t = 0..1, by the method of
 * order 5(4) of Dormand and Prince (J. Comput. Appl. Math. 6, 1980) with its dense output of order 4
 * and proportional-integral control of the steps (Hairer, Norsett and Wanner, Solving Ordinary
 * Differential Equations I, II.5, II.6; Gustafsson, ACM TOMS 17, 1991).
 *
 * Errors of position and velocity are measured in the metric, against the length |v| of the whole. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "geodesic/evaluator.h"
#include "geodesic/geodesic.h"
#include "linalg/dense.h"
#include "riemann2/geodesic.h"

enum { STAGES = 7, MOST_STEPS = 20000 };
static const double SHORTEST = 1e-12; /* step */
static const double SAFETY = 0.9, GROW_MOST = 5, SHRINK_MOST = 0.2, SHRINK_FAILED = 0.25;
static const double BETA = 0.04; /* weight of the error of the step before */

/* Row i: what the derivatives of the stages before add to stage i; the last row is the solution. */
static const double A[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* solution of order 5 less that of order 4 */
static const double E[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* highest coefficient of the dense output */
static const double D[STAGES] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};

typedef struct flight {
    rm2i_evaluator evaluator;
    size_t Q;
    double tolerance, length; /* |v| at the start */
    double t, h, last_error;
    double *y, *next; /* (x, v): 2Q each */
    double *k;        /* STAGES x 2Q: derivatives */
    double *G, *dG, *work, *memory;
    double *first_G; /* at y */
} flight;

static void lay_out(void *arg, rm2i_arena *a) {
    flight *f = arg;
    size_t Q = f->Q;
    f->y = rm2i_reserve(a, double, 2, Q);
    f->next = rm2i_reserve(a, double, 2, Q);
    f->k = rm2i_reserve(a, double, STAGES, 2, Q);
    f->G = rm2i_reserve(a, double, Q, Q);
    f->first_G = rm2i_reserve(a, double, Q, Q);
    f->dG = rm2i_reserve(a, double, Q, Q, Q);
    f->work = rm2i_reserve(a, double, Q, Q + 1); /* at least 2Q */
}

static rm2_status begin(rm2_context *ctx, const rm2_metric *metric, flight *f) {
    *f = (flight){.Q = rm2_metric_dim(metric), .last_error = 1e-4};
    RM2_TRY(rm2i_evaluator_begin(ctx, metric, rm2_context_threads(ctx), &f->evaluator));
    return rm2i_arena_alloc(ctx, lay_out, f, &f->memory);
}

static void end(flight *f) {
    rm2i_evaluator_end(&f->evaluator);
    free(f->memory);
}

/* (x, v)' = (v, -Gamma(v, v)) */
static rm2_status derivative(flight *f, const double *y, double *k) {
    size_t Q = f->Q;
    RM2_TRY(rm2i_evaluator_at(&f->evaluator, 1, y, f->G, f->dG));
    memcpy(k, y + Q, Q * sizeof *k);
    RM2_TRY(rm2i_acceleration(Q, f->G, f->dG, y + Q, k + Q, f->work));
    return isfinite(rm2i_max_abs(Q, k + Q)) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* sum_i weight_i k_i */
static void combine(const flight *f, size_t stages, const double *weight, double *sum) {
    memset(sum, 0, 2 * f->Q * sizeof *sum);
    for (size_t i = 0; i < stages; i++)
        rm2i_axpy(2 * f->Q, weight[i], f->k + i * 2 * f->Q, sum);
}

/* All stages of a step of size h; the last is at `next`. */
static rm2_status attempt(flight *f, double h) {
    for (size_t i = 1; i < STAGES; i++) {
        combine(f, i, A[i], f->next);
        for (size_t q = 0; q < 2 * f->Q; q++)
            f->next[q] = f->y[q] + h * f->next[q];
        RM2_TRY(derivative(f, f->next, f->k + i * 2 * f->Q));
    }
    return RM2_OK;
}

/* Error of the step in units of the tolerance. */
static double error_of(const flight *f, double h) {
    size_t Q = f->Q;
    double *e = f->work;
    combine(f, STAGES, E, e);
    double x = rm2i_metric_inner(Q, f->first_G, e, e);
    double v = rm2i_metric_inner(Q, f->first_G, e + Q, e + Q);
    return h * sqrt(fmax(fmax(x, v), 0)) / (f->tolerance * f->length);
}

static rm2_status fell(rm2_context *ctx, const flight *f, rm2_status status, const char *why) {
    return rm2i_fail(
        ctx, status,
        "exponential map: %s at t = %.6g of 1, after the length %.6g of %.6g; the last "
        "point is (%.6g%s)",
        why, f->t, f->t * f->length, f->length, f->y[0], f->Q > 1 ? ", ..." : "");
}

/* One step that is good enough; *h is what it took, f->h what to try next. */
static rm2_status step(rm2_context *ctx, flight *f, double *h) {
    for (;;) {
        *h = fmin(f->h, 1 - f->t);
        rm2_status status = attempt(f, *h);
        if (status != RM2_OK && !rm2i_no_metric(status))
            return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "interrupted") : status;
        double error = status == RM2_OK ? error_of(f, *h) : INFINITY;
        if (error <= 1) {
            double factor =
                SAFETY * pow(fmax(error, 1e-8), 0.75 * BETA - 0.2) * pow(f->last_error, BETA);
            f->h = *h * fmin(fmax(factor, SHRINK_MOST), GROW_MOST);
            f->last_error = fmax(error, 1e-4);
            return RM2_OK;
        }
        f->h =
            *h * (isfinite(error) ? fmax(SAFETY * pow(error, -0.2), SHRINK_MOST) : SHRINK_FAILED);
        if (f->h < SHORTEST)
            return status == RM2_ERR_DOMAIN ? fell(ctx, f, status, "the metric's domain ends")
                                            : fell(ctx, f, RM2_ERR_NUMERIC, "numbers give out");
    }
}

/* Nodes of the path between t and t + h: y + u (d + w (b + u (c + w e))), w = 1 - u. */
static void dense_output(const flight *f, double h, size_t nodes, size_t *done, double *path) {
    size_t Q = f->Q;
    double *top = f->work;
    const double *first = f->k, *last = f->k + (STAGES - 1) * 2 * Q;
    combine(f, STAGES, D, top);
    for (; *done < nodes; (*done)++) {
        double u = ((double)*done / (double)(nodes - 1) - f->t) / h, w = 1 - u;
        if (u > 1)
            return;
        for (size_t q = 0; q < Q; q++) {
            double d = f->next[q] - f->y[q], b = h * first[q] - d, c = d - h * last[q] - b;
            path[*done * Q + q] = f->y[q] + u * (d + w * (b + u * (c + w * h * top[q])));
        }
    }
}

/* Size of the first step: a hundredth of the time in which the velocity would change by itself. */
static double first_step(const flight *f) {
    const double *a = f->k + f->Q;
    double size = sqrt(fmax(rm2i_metric_inner(f->Q, f->first_G, a, a), 0));
    return fmax(fmin(0.1, 0.01 * f->length / fmax(size, DBL_MIN)), 1e-8);
}

static rm2_status fly(rm2_context *ctx, flight *f, size_t nodes, double *path) {
    size_t Q = f->Q, done = 1;
    size_t bytes = 2 * Q * sizeof *f->y;
    f->h = first_step(f);
    for (size_t steps = 0; f->t < 1; steps++) {
        double h = 0;
        if (steps == MOST_STEPS)
            return fell(ctx, f, RM2_ERR_NUMERIC, "too many steps");
        RM2_TRY(step(ctx, f, &h));
        if (nodes > 1)
            dense_output(f, h, nodes, &done, path);
        memcpy(f->y, f->next, bytes);
        memcpy(f->first_G, f->G, Q * Q * sizeof *f->G); /* the last stage was there */
        memcpy(f->k, f->k + (STAGES - 1) * 2 * Q, bytes);
        f->t = h < 1 - f->t ? f->t + h : 1;
    }
    return RM2_OK;
}

/* Start of a flight: |v| and the first derivative. */
static rm2_status begin_flight(rm2_context *ctx, flight *f, const double *x, const double *v) {
    size_t Q = f->Q;
    memcpy(f->y, x, Q * sizeof *x);
    memcpy(f->y + Q, v, Q * sizeof *v);
    if (!isfinite(rm2i_max_abs(2 * Q, f->y)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "exponential map: point or velocity is not finite");
    rm2_status status = derivative(f, f->y, f->k);
    if (status == RM2_INTERRUPTED)
        return rm2i_fail(ctx, status, "interrupted");
    if (status != RM2_OK)
        return rm2i_fail(
            ctx, status,
            "exponential map: no geodesic equation at the start (%.6g%s): the metric is "
            "not defined or singular there",
            x[0], Q > 1 ? ", ..." : "");
    memcpy(f->first_G, f->G, Q * Q * sizeof *f->G);
    f->length = sqrt(fmax(rm2i_metric_inner(Q, f->G, v, v), 0));
    return RM2_OK;
}

rm2_status rm2i_geodesic_exp(rm2_context *ctx, const rm2_metric *metric, double tolerance,
                             const double *x, const double *v, double *end_point, double *velocity,
                             size_t nodes, double *path) {
    RM2_REQUIRE(ctx, metric, x, v, end_point);
    if (nodes > 0)
        RM2_REQUIRE(ctx, path);
    size_t Q = rm2_metric_dim(metric);
    flight f;
    if (!(tolerance > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "exponential map: tolerance is %g; expected a positive number", tolerance);
    rm2i_activity_begin(ctx, "geodesic", 0);
    rm2_status status = begin(ctx, metric, &f);
    f.tolerance = fmax(tolerance, 4 * DBL_EPSILON);
    if (status == RM2_OK)
        status = begin_flight(ctx, &f, x, v);
    for (size_t j = 0; status == RM2_OK && j < nodes; j++)
        memcpy(path + j * Q, x, Q * sizeof *x);
    if (status == RM2_OK && f.length > 0)
        status = fly(ctx, &f, nodes, path);
    if (status == RM2_OK) {
        memcpy(end_point, f.y, Q * sizeof *x);
        if (velocity)
            memcpy(velocity, f.y + Q, Q * sizeof *v);
        if (nodes > 1)
            memcpy(path + (nodes - 1) * Q, f.y, Q * sizeof *x);
    }
    end(&f);
    rm2i_activity_end(ctx);
    return status;
}
