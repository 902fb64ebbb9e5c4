/* The density metric (Lebanon, UAI 2003): G = lambda I with lambda^(-Q/2) = p, the kernel density
 *
 *   p(x) = 1/N sum_n (2 pi)^(-Q/2) sigma^-Q exp(-|x - x_n|^2/(2 sigma^2))
 *   lambda = (p + floor)^(-2/Q),  d lambda/dx = -2/Q lambda/(p + floor) dp/dx
 * so that curves stay where points are dense. The floor, FLOOR times the density of N points in one
 * place, keeps lambda finite where exp underflows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/special.h"
#include "metric/metric.h"

static const double FLOOR = 1e-100;

typedef struct density {
    size_t N, Q;
    double sigma, peak; /* peak: (2 pi)^(-Q/2) sigma^-Q */
    double points[];    /* N x Q */
} density;

/* lambda and, unless NULL, its derivative. */
static double lambda_at(const density *d, const double *x, double *derivative) {
    double p = FLOOR, inverse = 1 / (d->sigma * d->sigma); /* relative to the peak */
    if (derivative)
        memset(derivative, 0, d->Q * sizeof *derivative);
    for (size_t n = 0; n < d->N; n++) {
        const double *y = d->points + n * d->Q;
        double square = 0;
        for (size_t q = 0; q < d->Q; q++)
            square += (x[q] - y[q]) * (x[q] - y[q]);
        double part = exp(-0.5 * square * inverse) / (double)d->N;
        p += part;
        for (size_t q = 0; derivative && q < d->Q; q++)
            derivative[q] -= part * (x[q] - y[q]) * inverse;
    }
    double power = -2 / (double)d->Q, lambda = pow(d->peak * p, power);
    for (size_t q = 0; derivative && q < d->Q; q++)
        derivative[q] *= power * lambda / p;
    return lambda;
}

static rm2_status at_points(const void *self, size_t count, const double *x, double *G, double *dG,
                            double *work) {
    const density *d = self;
    size_t Q = d->Q;
    memset(G, 0, count * Q * Q * sizeof *G);
    if (dG)
        memset(dG, 0, count * Q * Q * Q * sizeof *dG);
    for (size_t i = 0; i < count; i++) {
        double lambda = lambda_at(d, x + i * Q, dG ? work : NULL);
        for (size_t r = 0; r < Q; r++)
            G[(i * Q + r) * Q + r] = lambda;
        for (size_t t = 0; dG && t < Q; t++)
            for (size_t r = 0; r < Q; r++)
                dG[((i * Q + t) * Q + r) * Q + r] = work[t];
    }
    return RM2_OK;
}

static size_t work_size(const void *self, size_t count, bool derivative) {
    (void)count, (void)derivative;
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
    for (size_t i = 0; i < n * Q; i++)
        if (!isfinite(points[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is %g", i / Q, i % Q,
                             points[i]);
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *d + n * Q * sizeof *points, &d));
    d->N = n;
    d->Q = Q;
    d->sigma = sigma;
    d->peak = exp(-0.5 * (double)Q * RM2I_LOG_2PI) * pow(sigma, -(double)Q);
    memcpy(d->points, points, n * Q * sizeof *points);
    (void)snprintf(text, sizeof text, "density metric, sigma %.4g", sigma);
    return rm2i_metric_create(ctx, &density_type, Q, d, text, metric);
}
