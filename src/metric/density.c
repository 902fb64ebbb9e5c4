/* The density metric (Lebanon, UAI 2003): G = lambda I with lambda^(-Q/2) = p, the kernel density
 *
 *   p(x) = (2 pi sigma^2)^(-Q/2) r(x),  r = 1/N sum_n exp(-|x - x_n|^2/(2 sigma^2))
 *   lambda = 2 pi sigma^2 (r + FLOOR)^(-2/Q),  d lambda/dx = -2/Q lambda (dr/dx)/(r + FLOOR)
 * so that curves stay where points are dense. The floor keeps lambda finite where exp underflows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/branchless.h"
#include "metric/metric.h"

static const double FLOOR = 1e-100, TWO_PI = 6.2831853071795864769;

typedef struct density {
    size_t N, Q;
    double sigma, least; /* least: lambda where all points are in one place, 2 pi sigma^2 */
    double points[];     /* N x Q */
} density;

/* lambda and, unless NULL, its derivative. */
static double lambda_at(const density *d, const double *x, double *derivative) {
    double p = FLOOR, inverse = 1 / d->sigma; /* p: relative to the peak */
    if (derivative)
        memset(derivative, 0, d->Q * sizeof *derivative);
    for (size_t n = 0; n < d->N; n++) {
        const double *y = d->points + n * d->Q;
        double square = 0;
        for (size_t q = 0; q < d->Q; q++) {
            double u = (x[q] - y[q]) * inverse;
            square += u * u;
        }
        double part = rm2i_exp_negative(-0.5 * square) / (double)d->N;
        p += part;
        for (size_t q = 0; derivative && part > 0 && q < d->Q; q++) /* sigma dp/dx */
            derivative[q] -= part * ((x[q] - y[q]) * inverse);
    }
    double power = -2 / (double)d->Q, lambda = d->least * pow(p, power);
    for (size_t q = 0; derivative && q < d->Q; q++)
        derivative[q] = power * lambda * (derivative[q] / p) * inverse;
    return lambda;
}

static rm2_status at_points(const void *self, size_t count, const double *x, double *G, double *dG,
                            double *work) {
    const density *d = self;
    size_t Q = d->Q;
    for (size_t i = 0; i < count; i++) {
        double lambda = lambda_at(d, x + i * Q, dG ? work : NULL);
        rm2i_metric_isotropic(Q, lambda, work, G + i * Q * Q, dG ? dG + i * Q * Q * Q : NULL);
    }
    return RM2_OK;
}

static size_t work_size(const void *self, size_t count, rm2i_metric_order order) {
    (void)count, (void)order;
    return ((const density *)self)->Q;
}

static const rm2i_metric_type density_type = {
    .work = work_size, .at = at_points, .free = free, .block = 16};

rm2_status rm2_metric_density(rm2_context *ctx, size_t n, size_t Q, const double *points,
                              double sigma, rm2_metric **metric) {
    *metric = NULL;
    char text[80];
    density *d;
    if (n == 0 || Q == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a density needs points");
    if (!(sigma > 0 && isfinite(sigma)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "sigma of the density metric is %g: not positive",
                         sigma);
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, points));
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *d + n * Q * sizeof *points, &d));
    d->N = n;
    d->Q = Q;
    d->sigma = sigma;
    d->least = TWO_PI * sigma * sigma;
    memcpy(d->points, points, n * Q * sizeof *points);
    (void)snprintf(text, sizeof text, "density metric, sigma %.4g", sigma);
    return rm2i_metric_create(ctx, &density_type, Q, d, text, metric);
}
