/* Heat and Matern kernels of S^d.
 *
 * With a the angle, s = sin(a/2) and q_n = C_n(cos a)/C_n(1) the Gegenbauer polynomials of index
 * (d - 1)/2, normalised:
 *   H_t = sum_n D_n e^(-n (n + d - 1) t) q_n,
 *   D_n = (2n + d - 1)/(d - 1) binom(n + d - 2, n)   (d = 1: 1, 2, 2, ...),
 *   (n + d - 2)(q_n - q_(n-1)) = (n - 1)(q_(n-1) - q_(n-2)) - 2 (2n + d - 3) s^2 q_(n-1).
 * The recurrence of differences keeps its digits at small angles, where cos a would have lost them;
 * beyond pi/2, q_n(pi - a) = (-1)^n q_n(a). Times of the mixture (manifold_mixture.h) down to
 * rm2i_short_limit share one series; shorter ones use the expansion of manifold_short.c, with which
 * the number of levels stays below a few hundred at d < 10 however small the lengthscale is.
 *
 * SO(3) is S^3 modulo q ~ -q with distances doubled: its kernel is the even levels of that of S^3
 * at half the angle and half the lengthscale; in the expansion, the sum over a and pi - a. (Dai and
 * Xu, Approximation theory on spheres and balls, 2013, chapter 1.) */
#include "kernel/manifold_sphere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernel/manifold_mixture.h"

static const double TAIL = 1e-18; /* of a level, relative to the sum so far */

enum { LEVELS_AT_ONCE = 256, MOST_LEVELS = 200000, PRODUCT_BELOW = 40 };

/* D_n as mantissa * e^log: a product where it cannot overflow, logarithms elsewhere. */
static double level_dimension(size_t d, size_t n, double *log_part) {
    double N = (double)n, D = (double)d;
    *log_part = 0;
    if (d == 1 || n == 0)
        return n == 0 ? 1 : 2;
    double value = (2 * N + D - 1) / (D - 1);
    if (d < PRODUCT_BELOW) {
        for (size_t i = 1; i + 1 < d; i++)
            value *= (N + (double)i) / (double)i;
        return value;
    }
    *log_part = lgamma(N + D - 1) - lgamma(N + 1) - lgamma(D - 1);
    return value;
}

/* Long times of the mixture from `first` on; log weights are relative to `reference`. */
typedef struct long_times {
    const rm2i_mixture *m;
    size_t first;
    double reference;
} long_times;

static double level_coefficient(const rm2i_sphere_kernel *k, const long_times *l, size_t n) {
    if (k->even && n % 2 == 1)
        return 0;
    double log_part, dimension = level_dimension(k->d, n, &log_part), sum = 0;
    double eigenvalue = (double)n * ((double)n + (double)k->d - 1);
    for (size_t i = l->first; i < l->m->count; i++)
        sum += exp(l->m->log_weight[i] - l->reference + log_part - eigenvalue * l->m->t[i]);
    return dimension * sum;
}

static rm2_status make_series(rm2_context *ctx, rm2i_sphere_kernel *k, const long_times *l) {
    double sum = 0, before = 0;
    if (l->first == l->m->count)
        return RM2_OK;
    for (size_t n = 0; n < MOST_LEVELS; n++) {
        if (n % LEVELS_AT_ONCE == 0)
            RM2_TRY(rm2i_grow(ctx, n + LEVELS_AT_ONCE, sizeof *k->series, &k->series));
        double c = level_coefficient(k, l, n);
        k->series[n] = c;
        k->levels = n + 1;
        sum += c;
        if (k->even && n % 2 == 1)
            continue;
        if (n > 1 && c < TAIL * sum && c <= before) {
            k->norm += sum;
            return RM2_OK;
        }
        before = c;
    }
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                     "kernel of S%zu: more than %d levels of the series are needed", k->d,
                     MOST_LEVELS);
}

static rm2_status make_short(rm2_context *ctx, rm2i_sphere_kernel *k, const long_times *l) {
    k->short_count = l->first;
    RM2_TRY(rm2i_alloc(ctx, l->first, sizeof *k->short_t, &k->short_t));
    RM2_TRY(rm2i_alloc(ctx, l->first, sizeof *k->short_amplitude, &k->short_amplitude));
    rm2i_short_at zero = rm2i_short_angle(&k->expansion, 0);
    for (size_t i = 0; i < l->first; i++) {
        double t = l->m->t[i];
        double log_amplitude = rm2i_short_log_amplitude(&k->expansion, k->d, t);
        k->short_t[i] = t;
        k->short_amplitude[i] =
            (k->even ? 0.5 : 1) * exp(log_amplitude + l->m->log_weight[i] - l->reference);
        k->norm += k->short_amplitude[i] * rm2i_short_value(&zero, t);
    }
    return RM2_OK;
}

/* Is D_(n+1) e^(-(n+1)(n+d) t) larger than the level before? True up to some n. */
static bool rises(double d, double n, double t) {
    return log((2 * n + d + 1) / (2 * n + d - 1) * (n + d - 1) / (n + 1)) > (2 * n + d) * t;
}

/* log of the largest level at time t: log H_t(0), about. */
static double log_largest_level(size_t d, double t) {
    size_t low = 0, high = MOST_LEVELS; /* the largest is in [low, high] */
    double log_part;
    if (d == 1)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rises((double)d, (double)middle, t))
            low = middle + 1;
        else
            high = middle;
    }
    double dimension = level_dimension(d, low, &log_part);
    return log(dimension) + log_part - (double)low * ((double)low + (double)d - 1) * t;
}

/* The largest log weight * H_t(0), about: sums relative to it neither overflow nor vanish. */
static double reference_of(const rm2i_sphere_kernel *k, const rm2i_mixture *m) {
    double reference = -INFINITY, limit = rm2i_short_limit(k->d);
    for (size_t i = 0; i < m->count; i++) {
        double t = m->t[i], level = t < limit ? rm2i_short_log_amplitude(&k->expansion, k->d, t)
                                              : log_largest_level(k->d, t);
        reference = fmax(reference, m->log_weight[i] + level);
    }
    return reference;
}

static rm2_status make_parts(rm2_context *ctx, rm2i_sphere_kernel *k, const rm2i_mixture *m) {
    long_times l = {.m = m, .reference = reference_of(k, m)};
    while (l.first < m->count && m->t[l.first] < rm2i_short_limit(k->d))
        l.first++;
    RM2_TRY(make_short(ctx, k, &l));
    RM2_TRY(make_series(ctx, k, &l));
    if (!(k->norm > 0) || isinf(k->norm))
        return rm2i_fail(ctx, RM2_ERR_NUMERIC, "kernel of S%zu: the series overflows", k->d);
    return RM2_OK;
}

rm2_status rm2i_sphere_kernel_create(rm2_context *ctx, size_t d, bool even, rm2_kernel_kind kind,
                                     double lengthscale, rm2i_sphere_kernel *kernel) {
    rm2i_mixture m;
    *kernel = (rm2i_sphere_kernel){.d = d, .even = even};
    rm2i_short_init(d, &kernel->expansion);
    RM2_TRY(rm2i_mixture_create(ctx, kind, lengthscale, d, 0, &m));
    rm2_status status = make_parts(ctx, kernel, &m);
    rm2i_mixture_free(&m);
    if (status != RM2_OK)
        rm2i_sphere_kernel_free(kernel);
    return status;
}

void rm2i_sphere_kernel_free(rm2i_sphere_kernel *kernel) {
    free(kernel->series);
    free(kernel->short_t);
    free(kernel->short_amplitude);
    *kernel = (rm2i_sphere_kernel){0};
}

static double series_at(const rm2i_sphere_kernel *k, double angle) {
    bool mirrored = angle > RM2_PI / 2;
    double s = sin((mirrored ? RM2_PI - angle : angle) / 2), s2 = 2 * s * s;
    double D = (double)k->d, q = 1, difference = -s2, sign = 1, sum = k->series[0];
    for (size_t n = 1; n < k->levels; n++) {
        double N = (double)n;
        if (n > 1)
            difference = ((N - 1) * difference - (2 * N + D - 3) * s2 * q) / (N + D - 2);
        q += difference;
        sign = mirrored ? -sign : 1;
        sum += sign * k->series[n] * q;
    }
    return sum;
}

static double short_at(const rm2i_sphere_kernel *k, double angle) {
    rm2i_short_at at = rm2i_short_angle(&k->expansion, angle);
    double sum = 0;
    for (size_t i = 0; i < k->short_count; i++)
        sum += k->short_amplitude[i] * rm2i_short_value(&at, k->short_t[i]);
    return sum;
}

double rm2i_sphere_kernel_at(const rm2i_sphere_kernel *k, double angle) {
    double value = 0;
    if (k->levels > 0)
        value += series_at(k, angle);
    if (k->short_count > 0)
        value += short_at(k, angle);
    if (k->short_count > 0 && k->even)
        value += short_at(k, RM2_PI - angle);
    return value / k->norm;
}
