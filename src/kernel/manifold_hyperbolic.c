/* Heat and Matern kernels of hyperbolic space H^n, curvature -1, n = 2m or 2m + 1.
 *
 * With r the distance, x = cosh r, u = r^2/2 and X = 1/(2t), up to constants,
 *   H_t = e^(-m^2 t) t^(-1/2) (-d/dx)^m e^(-X u)                             (n = 2m + 1).
 * p_0 = du/dx = r/sinh r is completely monotone in x: with p_k = (-d/dx)^k p_0 >= 0,
 *   (-d/dx)^m e^(-X u) = X^m e^(-X u) B_m,  B_(m+1) = sum_i binom(m, i) (2t)^i p_i B_(m-i),  B_0 =
 * 1 (complete Bell polynomials), sums of positive terms. (x^2 - 1) p_0' + x p_0 = 1 gives p_(k+1) =
 * ((2k + 1) x p_k - k^2 p_(k-1) [k = 0: 1])/(x^2 - 1), and near x = 1 the series p_0 = sum_j (-1)^j
 * j!/(2j + 1)!! (x - 1)^j. Even n by descent from n + 1, with s^2 = r^2 + w^2: H_t^(2m)(r) ~ e^(-(m
 * - 1/2)^2 t) int_0^inf H^(2m+1)(s) (sinh s/s) w dw / sqrt(cosh s - cosh r), cosh s - cosh r = 2
 * sinh((s + r)/2) sinh(w^2/(2 (s + r))). The integrand is even in w and analytic in |Im w| < pi (2
 * pi for m = 1), so the trapezoidal rule converges exponentially in 1/h. (Davies, Heat kernels and
 * spectral theory, 1989, section 5.7; Grigor'yan and Noguchi, The heat kernel on hyperbolic space,
 * 1998.) */
#include "kernel/manifold_hyperbolic.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "kernel/manifold_mixture.h"

enum { MOST_M = RM2I_HYPERBOLIC_MOST / 2, SERIES = 72 };

static const double STEP_PER_WIDTH = 0.5; /* Gaussian: error e^(-2 (pi/0.5)^2) */
static const double LONGEST_STEP = 0.35; /* strip: error e^(-2 pi^2/0.35), times that of the pole */
static const double NEGLIGIBLE = 1e-19;  /* of a term of the rule */
static const double SERIES_LOG = 44;     /* -log of a negligible term of the series */
static const double VANISHED = 720;      /* e^-720: below what a kernel keeps */
static const double FAR = 350;           /* (r/sinh r)^2 is below 1e-300 */
static const double LONGEST = 1e60;      /* of a time; the kernel no longer changes before */
static const double PRUNED = -45;        /* log of a weight that does not count */

/* p_0..p_(m-1) at distance r by the series in z = x - 1 <= 1, whose terms fall like (z/2)^j. */
static void derivatives_near(size_t m, double z, double *p) {
    double c[SERIES] = {1}, needed = (double)(m + 4) + SERIES_LOG / log(2 / fmax(z, 1e-300));
    size_t count = needed < SERIES ? (size_t)needed : SERIES;
    for (size_t j = 1; j < count; j++)
        c[j] = -c[j - 1] * (double)j / (double)(2 * j + 1);
    for (size_t k = 0; k < m; k++) {
        double sum = 0;
        for (size_t j = count - k; j-- > 0;)
            sum = sum * z + c[j];
        p[k] = sum;
        for (size_t j = 0; j + 1 < count - k; j++) /* -d/dz */
            c[j] = -(double)(j + 1) * c[j + 1];
    }
}

static void derivatives(size_t m, double r, double *p) {
    double half = sinh(r / 2), z = 2 * half * half, x = 1 + z;
    p[0] = r > 0 ? r / sinh(r) : 1;
    if (m < 2)
        return;
    if (z <= 1) {
        derivatives_near(m, z, p);
        return;
    }
    double below = 1;
    for (size_t k = 0; k + 1 < m; k++) {
        double K = (double)k;
        p[k + 1] = ((2 * K + 1) * x * p[k] - (k == 0 ? 1 : K * K * below)) / (z * (z + 2));
        below = p[k];
    }
}

/* B_m/p_0 */
static double bell_ratio(size_t m, double t, double r) {
    if (m == 1)
        return 1;
    if (r > FAR)
        return 0;
    double p[MOST_M], B[MOST_M + 1] = {1};
    derivatives(m, r, p);
    for (size_t k = 0; k < m; k++) {
        double choose = 1, power = 1;
        B[k + 1] = 0;
        for (size_t i = 0; i <= k; i++) {
            B[k + 1] += choose * power * p[i] * B[k - i];
            choose = choose * (double)(k - i) / (double)(i + 1);
            power *= 2 * t;
        }
    }
    return B[m] / p[0];
}

static double odd_value(size_t m, double t, double r) {
    if (r > 2 * FAR)
        return 0;
    double p0 = r > 0 ? r / sinh(r) : 1;
    return exp(-r * r / (4 * t)) * p0 * bell_ratio(m, t, r);
}

/* Integrand of the descent without e^(-r^2/4t). */
static double even_term(size_t m, double t, double r, double w) {
    double s = hypot(r, w), sum = s + r;
    if (sum > 4 * FAR)
        return 0;
    double ratio = bell_ratio(m, t, s) * exp(-w * w / (4 * t));
    if (!(w > 0))
        return ratio * (r > 0 ? sqrt(2 * r / sinh(r)) : sqrt(2));
    return ratio * w / sqrt(2 * sinh(sum / 2) * sinh(w * w / (2 * sum)));
}

static double even_value(size_t m, double t, double r) {
    double h = fmin(STEP_PER_WIDTH * sqrt(2 * t), LONGEST_STEP);
    double term = even_term(m, t, r, 0), sum = term / 2;
    for (size_t i = 1; term > NEGLIGIBLE * sum; i++) {
        term = even_term(m, t, r, h * (double)i);
        sum += term;
    }
    return exp(-r * r / (4 * t)) * h * sum;
}

/* H_t(r) without the factor e^(-rho^2 t) t^(-1/2 - m). */
static double heat(size_t n, double t, double r) {
    if (r * r > 4 * VANISHED * t)
        return 0;
    return n % 2 == 0 ? even_value(n / 2, t, r) : odd_value(n / 2, t, r);
}

/* log of the factor that `heat` leaves out, and of the weight. */
static double log_weight(size_t n, const rm2i_mixture *m, size_t i) {
    size_t half = n / 2;
    double rho = ((double)n - 1) / 2, t = fmin(m->t[i], LONGEST);
    return m->log_weight[i] - rho * rho * t - (0.5 + (double)half) * log(t);
}

/* Upper bound, about: the kernel at 0 grows like t^(-n/2) for short times. */
static double log_bound(size_t n, const rm2i_mixture *m, size_t i) {
    double rho = ((double)n - 1) / 2, t = fmin(m->t[i], LONGEST);
    return m->log_weight[i] - rho * rho * t - (t < 1 ? (double)n / 2 : 1.5) * log(t);
}

static rm2_status choose_times(rm2_context *ctx, rm2i_hyperbolic_kernel *k, const rm2i_mixture *m) {
    RM2_TRY(rm2i_alloc(ctx, m->count, sizeof *k->t, &k->t));
    RM2_TRY(rm2i_alloc(ctx, m->count, sizeof *k->amplitude, &k->amplitude));
    double most = -INFINITY, reference = -INFINITY;
    for (size_t i = 0; i < m->count; i++)
        if (log_bound(k->n, m, i) > most) {
            most = log_bound(k->n, m, i);
            reference = log_weight(k->n, m, i);
        }
    for (size_t i = 0; i < m->count; i++) {
        if (log_bound(k->n, m, i) < most + PRUNED)
            continue;
        k->t[k->count] = fmin(m->t[i], LONGEST);
        k->amplitude[k->count] = exp(log_weight(k->n, m, i) - reference);
        k->norm += k->amplitude[k->count] * heat(k->n, k->t[k->count], 0);
        k->count++;
    }
    return RM2_OK;
}

rm2_status rm2i_hyperbolic_kernel_create(rm2_context *ctx, size_t n, rm2_kernel_kind kind,
                                         double lengthscale, rm2i_hyperbolic_kernel *kernel) {
    rm2i_mixture m;
    double rho = ((double)n - 1) / 2;
    *kernel = (rm2i_hyperbolic_kernel){.n = n};
    RM2_TRY(rm2i_mixture_create(ctx, kind, lengthscale, n, rho * rho, &m));
    rm2_status status = choose_times(ctx, kernel, &m);
    rm2i_mixture_free(&m);
    if (status != RM2_OK)
        rm2i_hyperbolic_kernel_free(kernel);
    return status;
}

void rm2i_hyperbolic_kernel_free(rm2i_hyperbolic_kernel *kernel) {
    free(kernel->t);
    free(kernel->amplitude);
    *kernel = (rm2i_hyperbolic_kernel){0};
}

double rm2i_hyperbolic_kernel_at(const rm2i_hyperbolic_kernel *k, double r) {
    double sum = 0;
    for (size_t i = 0; i < k->count; i++)
        sum += k->amplitude[i] * heat(k->n, k->t[i], r);
    return sum / k->norm;
}
