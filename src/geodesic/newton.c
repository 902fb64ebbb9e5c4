/* Newton's method in a trust region (Conn, Gould and Toint, Trust-Region Methods, ch. 7): steps p of
 *
 *     (H + d K) p = -grad E
 *
 * with the least damping d >= 0 for which the matrix is positive definite and the step not longer
 * than a radius. K, the part of H that has G only, is the natural norm of variations,
 * p^T K p / 2 = integral of |p'|^2, so that the number of steps does not grow with that of the
 * coefficients; and H, which knows the walls of a corridor, gets the last digits.
 *
 * Factors of band matrices cost nothing compared with the metric, so d is found by trying. H needs second
 * derivatives of G: the metric's own or, where it has none, by differences. Both cost as much as several
 * gradients: they are used again as long as steps shrink fast. */
#include "geodesic/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/band.h"
#include "linalg/dense.h"

static const double FIRST_RADIUS = 0.1, LEAST_RADIUS = 1e-9;
static const double SHRINKS_FAST = 0.1; /* a step over the one before: old derivatives will do */
static const double FIRST_DAMPING = 1e-4, DAMPING_FACTOR = 4, MOST_DAMPING = 1e100;
enum { BISECTIONS = 4 };              /* of the factor between the last two dampings */
static const double SURE = 1e-3;      /* steps that may need no look at the energy after them */
static const double ROUNDING = 1e-10; /* of energies: metrics of models have no more digits */

static void lay_out(void *newton, rm2i_arena *a) {
    rm2i_newton *s = newton;
    const rm2i_energy *e = s->energy;
    size_t n = e->unknowns, width = e->bandwidth + 1;
    s->now = rm2i_sample_reserve(e, a);
    s->trial = rm2i_sample_reserve(e, a);
    s->bend = rm2i_reserve(a, double, e->points, e->Q, e->Q);
    s->gradient = rm2i_reserve(a, double, n);
    s->direction = rm2i_reserve(a, double, n);
    s->before = rm2i_reserve(a, double, n);
    s->H = rm2i_reserve(a, double, n, width);
    s->K = rm2i_reserve(a, double, n, width);
    s->factor = rm2i_reserve(a, double, n, width);
}

rm2_status rm2i_newton_create(rm2_context *ctx, rm2i_evaluator *evaluator, rm2i_pieces *curve,
                              size_t points, rm2i_newton **newton) {
    rm2i_newton *s;
    *newton = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *s, &s));
    s->curve = curve;
    rm2i_newton_restart(s);
    rm2_status status = rm2i_energy_create(ctx, evaluator, curve, points, &s->energy);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out, s, &s->memory);
    if (status != RM2_OK) {
        rm2i_newton_free(s);
        return status;
    }
    *newton = s;
    return RM2_OK;
}

void rm2i_newton_restart(rm2i_newton *newton) {
    newton->sampled = newton->has_bend = newton->exact_bend = false;
    newton->step = INFINITY;
    newton->radius = FIRST_RADIUS;
    newton->damping = 0;
    newton->iterations = 0;
}

void rm2i_newton_free(rm2i_newton *newton) {
    if (!newton)
        return;
    rm2i_energy_free(newton->energy);
    free(newton->memory);
    free(newton);
}

/* ---- direction ------------------------------------------------------------------------------ */

/* Direction and its size, sqrt(p^T K p / 2E); false if H + damping K is not positive definite or the
 * step is longer than the radius. */
static bool find_direction(rm2i_newton *s, double damping) {
    const rm2i_energy *e = s->energy;
    size_t n = e->unknowns, band = n * (e->bandwidth + 1);
    for (size_t i = 0; i < band; i++)
        s->factor[i] = s->H[i] + damping * s->K[i];
    if (!rm2i_band_cholesky(n, e->bandwidth, s->factor))
        return false;
    for (size_t i = 0; i < n; i++)
        s->direction[i] = -s->gradient[i];
    rm2i_band_solve(n, e->bandwidth, s->factor, s->direction);
    s->step = sqrt(rm2i_band_form(n, e->bandwidth, s->K, s->direction) / (2 * s->now.energy));
    s->damping = damping;
    return s->step <= s->radius;
}

/* The least damping that will do, to within a small factor; false if there is none. */
static bool find_damped_direction(rm2i_newton *s) {
    double low = 0, high = FIRST_DAMPING;
    if (find_direction(s, 0))
        return true;
    while (!find_direction(s, high)) {
        low = high;
        high *= DAMPING_FACTOR;
        if (high > MOST_DAMPING)
            return false;
    }
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = low > 0 ? sqrt(low * high) : 0.1 * high;
        if (find_direction(s, middle))
            high = middle;
        else
            low = middle;
    }
    return find_direction(s, high);
}

/* ---- one step ------------------------------------------------------------------------------- */

static double *free_coefficients(const rm2i_newton *s) {
    return s->curve->coef + s->curve->Q;
}

/* Second derivatives at this sample; they are not known where differences leave the domain. */
static rm2_status renew_bend(rm2i_newton *s) {
    rm2_status status = rm2i_energy_bend(s->energy, &s->now, s->bend);
    s->has_bend = s->exact_bend = status == RM2_OK;
    if (s->has_bend)
        rm2i_energy_hessian(s->energy, &s->now, s->bend, s->H, s->K);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

/* Energy and derivatives of the curve as it is. */
static rm2_status prepare(rm2i_newton *s) {
    if (!s->sampled)
        RM2_TRY(rm2i_energy_at(s->energy, !s->has_bend, &s->now));
    s->sampled = true;
    rm2i_energy_gradient(s->energy, &s->now, s->gradient);
    memcpy(s->before, free_coefficients(s), s->energy->unknowns * sizeof *s->before);
    if (!s->has_bend)
        return renew_bend(s);
    rm2i_energy_hessian(s->energy, &s->now, s->bend, s->H, s->K);
    return RM2_OK;
}

double rm2i_newton_rest(double step, double before) {
    return isfinite(before) && step < before ? step * step / (before - step) : step;
}

/* Energies are equal up to so much. */
static double rounding_of(const rm2i_newton *s) {
    return fmax(ROUNDING, 2 * rm2i_pieces_rounding(s->curve));
}

/* Will the second derivatives do once more? */
static bool shrinks_fast(const rm2i_newton *s, double last) {
    return s->damping == 0 && s->step < SHRINKS_FAST * last;
}

/* Move along the direction; *lower says that the energy is, or was not looked at. */
static rm2_status try_step(rm2i_newton *s, double last, double enough, bool *lower) {
    size_t n = s->energy->unknowns;
    double left = s->damping > 0 ? s->step : rm2i_newton_rest(s->step, last);
    rm2i_axpy(n, 1, s->direction, free_coefficients(s));
    *lower = s->step <= SURE && left <= enough;
    if (*lower) {
        s->sampled = false;
        return RM2_OK;
    }
    rm2_status status = rm2i_energy_at(s->energy, !shrinks_fast(s, last), &s->trial);
    *lower = status == RM2_OK && s->trial.energy <= s->now.energy * (1 + rounding_of(s));
    if (!*lower)
        memcpy(free_coefficients(s), s->before, n * sizeof *s->before);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

/* Decrease that the quadratic model promises. */
static double promised(const rm2i_newton *s) {
    const rm2i_energy *e = s->energy;
    return -rm2i_dot(e->unknowns, s->gradient, s->direction) -
           0.5 * rm2i_band_form(e->unknowns, e->bandwidth, s->H, s->direction);
}

/* The trial becomes the sample; the radius follows how well the model foresaw the decrease. */
static void accept(rm2i_newton *s) {
    double ratio = (s->now.energy - s->trial.energy) / promised(s);
    if (ratio > 0.75)
        s->radius = fmax(s->radius, 2 * s->step);
    else if (ratio < 0.25)
        s->radius = 0.5 * s->step;
    rm2i_sample old = s->now;
    s->now = s->trial;
    s->trial = old;
}

rm2_status rm2i_newton_step(rm2i_newton *s, double enough, bool *moved) {
    double last = s->step;
    *moved = false;
    RM2_TRY(prepare(s));
    while (s->has_bend && s->now.energy > 0 && s->radius > LEAST_RADIUS) {
        bool found = find_damped_direction(s);
        if (found && (s->damping == 0 || s->exact_bend))
            RM2_TRY(try_step(s, last, enough, moved));
        if (*moved || (!found && s->exact_bend))
            break;
        if (s->exact_bend)
            s->radius = 0.25 * s->step;
        else /* old derivatives may be at fault */
            RM2_TRY(renew_bend(s));
    }
    if (!*moved)
        return RM2_OK;
    s->iterations++;
    if (s->sampled)
        accept(s);
    s->exact_bend = false;
    s->has_bend = shrinks_fast(s, last);
    return RM2_OK;
}
