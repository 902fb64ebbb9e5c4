/* The density metric (Lebanon, UAI 2003): G = lambda I with lambda^(-Q/2) = p, the kernel density
 *
 *   p(x) = (2 pi sigma^2)^(-Q/2) r(x),  r = 1/N sum_n exp(-|x - x_n|^2/(2 sigma^2))
 *   lambda = 2 pi sigma^2 (r + FLOOR)^(-2/Q),  d lambda/dx = -2/Q lambda (dr/dx)/(r + FLOOR)
 * so that curves stay where points are dense. The floor keeps lambda finite where exp underflows.
 * Exponentials are nearly all of the work: blocks of points go side by side through vector instructions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clones.h"
#include "linalg/branchless.h"
#include "linalg/dense.h"
#include "metric/metric.h"

static const double FLOOR = 1e-100, TWO_PI = 6.2831853071795864769;

enum { BLOCK = 64 }; /* points side by side */

typedef struct density {
    size_t N, Q;
    double sigma, least; /* least: lambda where all points are in one place, 2 pi sigma^2 */
    double points[];     /* Q x N: entries of all points side by side */
} density;

/* sum_n e_n, e_n = exp(-|u_n|^2/2), u_n = (x - x_n)/sigma, over `count` points from `first` on; unless
 * NULL the derivative sigma sum_n de_n/dx = -sum_n e_n u_n is added. */
RM2I_AVX2_CLONES static double add_block(const density *d, size_t first, size_t count,
                                         const double *x, double *derivative) {
    double e[BLOCK] = {0}, u[BLOCK], inverse = 1 / d->sigma, sum = 0;
    for (size_t q = 0; q < d->Q; q++) {
        const double *y = d->points + q * d->N + first;
        for (size_t n = 0; n < count; n++)
            e[n] += ((x[q] - y[n]) * inverse) * ((x[q] - y[n]) * inverse);
    }
    for (size_t n = 0; n < count; n++)
        e[n] = rm2i_exp_negative(-0.5 * e[n]);
    for (size_t q = 0; derivative && q < d->Q; q++) {
        const double *y = d->points + q * d->N + first;
        for (size_t n = 0; n < count; n++) /* u may be infinite where e is zero */
            u[n] = rm2i_zero_unless(e[n] > 0, (x[q] - y[n]) * inverse);
        derivative[q] -= rm2i_dot(count, e, u);
    }
    for (size_t n = 0; n < count; n++)
        sum += e[n];
    return sum;
}

/* lambda and, unless NULL, its derivative. */
static double lambda_at(const density *d, const double *x, double *derivative) {
    double sum = 0, N = (double)d->N;
    if (derivative)
        memset(derivative, 0, d->Q * sizeof *derivative);
    for (size_t first = 0; first < d->N; first += BLOCK) {
        size_t count = d->N - first < BLOCK ? d->N - first : BLOCK;
        sum += add_block(d, first, count, x, derivative);
    }
    double r = FLOOR + sum / N, power = -2 / (double)d->Q, lambda = d->least * pow(r, power);
    for (size_t q = 0; derivative && q < d->Q; q++)
        derivative[q] = power * lambda * (derivative[q] / N / r) / d->sigma;
    return lambda;
}

/* work: the derivative of lambda. */
static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *r,
                            double *work) {
    const density *d = self;
    size_t Q = d->Q;
    for (size_t i = 0; i < count; i++) {
        double lambda = lambda_at(d, r->x + i * Q, r->dG ? work : NULL);
        double *dG = r->dG ? r->dG + i * Q * Q * Q : NULL;
        rm2i_metric_isotropic(Q, lambda, work, r->G + i * Q * Q, dG);
    }
    return RM2_OK;
}

static size_t work_size(const void *self, size_t count, rm2i_metric_order order) {
    (void)count, (void)order;
    return ((const density *)self)->Q;
}

static double scale(const void *self) {
    const density *d = self;
    return d->sigma;
}

static const rm2i_metric_type density_type = {
    .work = work_size, .at = at_points, .scale = scale, .free = free, .block = 16};

rm2_status rm2i_metric_density(rm2_context *ctx, size_t n, size_t Q, const double *points,
                               double sigma, rm2_metric **metric) {
    RM2_REQUIRE(ctx, metric);
    *metric = NULL;
    char text[80];
    density *d;
    if (n == 0 || Q == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a density needs points");
    RM2_REQUIRE(ctx, points);
    if (!(sigma > 0 && isfinite(sigma)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "sigma of the density metric is %g; expected a positive number", sigma);
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, points));
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *d + n * Q * sizeof *points, &d));
    d->N = n;
    d->Q = Q;
    d->sigma = sigma;
    d->least = TWO_PI * sigma * sigma;
    for (size_t i = 0; i < n * Q; i++)
        d->points[i % Q * n + i / Q] = points[i];
    (void)snprintf(text, sizeof text, "density metric, sigma %.4g", sigma);
    return rm2i_metric_create(ctx, &density_type, Q, d, text, metric);
}
