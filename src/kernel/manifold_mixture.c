/* Matern kernels from heat kernels.
 *
 *   (a - Laplace)^-s = 1/Gamma(s) int_0^inf t^(s-1) e^(-a t) e^(t Laplace) dt,
 *   a = 2 nu/lengthscale^2, s = nu + dim/2,
 * with t = e^y and the trapezoidal rule of step h in y. On an eigenspace with eigenvalue lambda the
 * rule gives Gamma(s) (a + lambda)^-s with the relative error 2 |Gamma(s + i w)|/Gamma(s),
 * w = 2 pi/h, the same for every eigenvalue, so h follows from s alone; all weights are positive,
 * so the sum is positive definite whatever h is. The range of y is where the integrand counts:
 * H_t(0) grows like t^(-dim/2) for small t, so the integrand there falls like t^nu. The rule turns
 * one problem (slowly converging series) into another one (heat kernels for small times) that has
 * good expansions. (Borovitskiy et al., Matern Gaussian processes on Riemannian manifolds, 2020;
 * Trefethen and Weideman, The exponentially convergent trapezoidal rule, 2014.) */
#include "kernel/manifold_mixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

static const double TWO_PI = 6.28318530717958647693;
static const double LOG_ERROR = -39; /* log of the relative error of the rule */

/* log |Gamma(s + i w)|/Gamma(s) by Stirling's formula, from above. */
static double log_gamma_ratio(double s, double w) {
    return (s - 0.5) / 2 * log1p(w * w / (s * s)) - w * atan2(w, s) + 1 / (12 * s);
}

static double step(double s) {
    double h = 0.3;
    while (log_gamma_ratio(s, TWO_PI / h) > LOG_ERROR)
        h *= 0.95;
    return h;
}

static rm2_status allocate(rm2_context *ctx, size_t count, rm2i_mixture *m) {
    *m = (rm2i_mixture){.count = count};
    rm2_status status = rm2i_alloc(ctx, count, sizeof *m->t, &m->t);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, count, sizeof *m->log_weight, &m->log_weight);
    if (status != RM2_OK)
        rm2i_mixture_free(m);
    return status;
}

rm2_status rm2i_mixture_create(rm2_context *ctx, rm2_kernel_kind kind, double lengthscale,
                               size_t dim, double gap, rm2i_mixture *m) {
    double l2 = lengthscale * lengthscale;
    if (kind == RM2_KERNEL_HEAT) {
        RM2_TRY(allocate(ctx, 1, m));
        m->t[0] = l2 / 2;
        m->log_weight[0] = 0;
        return RM2_OK;
    }
    double nu = kind == RM2_KERNEL_MATERN32 ? 1.5 : 2.5;
    double a = 2 * nu / l2, s = nu + (double)dim / 2, h = step(s);
    double low = log(nu / (a + gap)) + LOG_ERROR / nu;
    double high = log((-LOG_ERROR + 10 * s) / a);
    double peak = log(s / a);
    RM2_TRY(allocate(ctx, 1 + (size_t)ceil((high - low) / h), m));
    for (size_t i = 0; i < m->count; i++) {
        double y = low + h * (double)i;
        m->t[i] = exp(y);
        m->log_weight[i] = s * (y - peak) - a * m->t[i];
    }
    return RM2_OK;
}

void rm2i_mixture_free(rm2i_mixture *m) {
    free(m->t);
    free(m->log_weight);
    *m = (rm2i_mixture){0};
}
