/* SE, Matérn 3/2 and 5/2 (Rasmussen and Williams, 2006, chapter 4), s the variance, c = sqrt(2 nu):
 *   SE    k = s e^(-rho^2/2)                          a = k
 *   M5/2  k = s (1 + c rho + 5 rho^2/3) e^(-c rho)    a = (5 s/3)(1 + c rho) e^(-c rho)
 *   M3/2  k = s (1 + c rho) e^(-c rho)                a = 3 s e^(-c rho)
 * and d2k/dx dx' at 0 is a(0)/l^2. Second derivatives: d2k/dx_r dx_s = b u_r u_s - a d_rs/l_r^2 with
 * b = k, (25 s/3) e^(-c rho), 3 s c e^(-c rho)/rho (b u u is 0 at rho = 0). */
#include "kernel/latent.h"

#include <math.h>
#include <string.h>

#include <omp.h>

static const double SQRT3 = 1.7320508075688772935, SQRT5 = 2.2360679774997896964;
static const double NEGLIGIBLE = 1e-150; /* relative to s; products of two stay normal numbers */
static const double FAR = 1e6; /* rho^2 beyond which all are negligible and r^2 might overflow */

/* Shape and radial factor for s = 1. */
static double shape(rm2_latent_kind kind, double rho2) {
    double value = 0, r;
    if (rho2 > FAR)
        return 0;
    switch (kind) {
    case RM2_LATENT_SE:
        value = exp(-0.5 * rho2);
        break;
    case RM2_LATENT_MATERN32:
        r = SQRT3 * sqrt(rho2);
        value = (1 + r) * exp(-r);
        break;
    case RM2_LATENT_MATERN52:
        r = SQRT5 * sqrt(rho2);
        value = (1 + r + r * r / 3) * exp(-r);
        break;
    }
    return value < NEGLIGIBLE ? 0 : value;
}

/* a(rho) for s = 1; `value` is the shape there. */
static double radial(rm2_latent_kind kind, double rho2, double value) {
    double r;
    switch (kind) {
    case RM2_LATENT_SE:
        return value;
    case RM2_LATENT_MATERN32:
        return value == 0 ? 0 : 3 * exp(-SQRT3 * sqrt(rho2));
    case RM2_LATENT_MATERN52:
        if (value == 0)
            return 0;
        r = SQRT5 * sqrt(rho2);
        return value * (5.0 / 3) * (1 + r) / (1 + r + r * r / 3);
    }
    return 0;
}

/* b(rho) for s = 1; `a` is the radial factor there. */
static double second_radial(rm2_latent_kind kind, double rho2, double a) {
    switch (kind) {
    case RM2_LATENT_SE:
        return a;
    case RM2_LATENT_MATERN32:
        return rho2 == 0 ? 0 : a * SQRT3 / sqrt(rho2);
    case RM2_LATENT_MATERN52:
        return 5 * a / (1 + SQRT5 * sqrt(rho2));
    }
    return 0;
}

static double scaled_square(const rm2i_latent_kernel *k, const double *x, const double *y) {
    double sum = 0;
    for (size_t q = 0; q < k->dim; q++) {
        double d = (x[q] - y[q]) * (1 / k->lengthscale[q]); /* rounded as in the Gram matrix */
        sum += d * d;
    }
    return sum;
}

/* Kernel between x and the first n rows of X. */
static void kernel_row(const rm2i_latent_kernel *k, const double *x, size_t n, const double *X,
                       double *row) {
    memset(row, 0, n * sizeof *row);
    for (size_t q = 0; q < k->dim; q++) { /* rho^2, without a division in the loop */
        double xq = x[q], inverse = 1 / k->lengthscale[q];
        for (size_t j = 0; j < n; j++) {
            double d = (xq - X[j * k->dim + q]) * inverse;
            row[j] += d * d;
        }
    }
    for (size_t j = 0; j < n; j++)
        row[j] = k->variance * shape(k->kind, row[j]);
}

void rm2i_latent_gram(const rm2i_latent_kernel *k, size_t n, const double *X, int threads,
                      double *K) {
#pragma omp parallel for schedule(static, 8) num_threads(threads) if (n > 64)
    for (size_t i = 0; i < n; i++) {
        kernel_row(k, X + i * k->dim, i, X, K + i * n);
        K[i * n + i] = k->variance;
    }
}

void rm2i_latent_rows(const rm2i_latent_kernel *k, size_t n, const double *X, size_t r,
                      const double *Z, double *K) {
    for (size_t i = 0; i < n; i++)
        kernel_row(k, X + i * k->dim, r, Z, K + i * r);
}

/* K_bar becomes w = K_bar a; sums of w d and w d^2, as for the Gram matrix. */
void rm2i_latent_rows_backward(const rm2i_latent_kernel *k, size_t n, const double *X, size_t r,
                               const double *Z, const double *K, double *K_bar, double *X_bar,
                               double *Z_bar, double *lengthscale_bar, double *variance_bar) {
    size_t Q = k->dim;
    double s_sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double *x = X + i * Q, *row = K + i * r;
        double *w = K_bar + i * r;
        for (size_t j = 0; j < r; j++) {
            double a = row[j];
            s_sum += w[j] * a;
            if (k->kind != RM2_LATENT_SE && a != 0)
                a = k->variance * radial(k->kind, scaled_square(k, x, Z + j * Q), a / k->variance);
            w[j] *= a;
        }
        for (size_t q = 0; q < Q; q++) { /* dk/dx = -a (x - z)/l^2 = -dk/dz, dk/dl = a d^2/l^3 */
            double inverse = 1 / k->lengthscale[q], square = inverse * inverse, sum = 0, spread = 0;
            for (size_t j = 0; j < r; j++) {
                double d = x[q] - Z[j * Q + q], g = w[j] * d * square;
                Z_bar[j * Q + q] += g;
                sum += g;
                spread += g * d;
            }
            X_bar[i * Q + q] -= sum;
            lengthscale_bar[q] += spread * inverse;
        }
    }
    *variance_bar += s_sum / k->variance;
}

size_t rm2i_latent_backward_work(const rm2i_latent_kernel *k, size_t n, int threads) {
    return (size_t)threads * (n * k->dim + k->dim + 1);
}

/* Row i of the lower triangle: each pair counts twice (K_bar is symmetric). Sums of w d and w d^2, still
 * to be divided by l^2 and l^3. */
static void backward_row(const rm2i_latent_kernel *k, size_t i, const double *X, const double *K,
                         const double *K_bar, double *X_bar, double *l_bar, double *s_bar) {
    size_t Q = k->dim;
    const double *xi = X + i * Q;
    double s_sum = 0;
    for (size_t j = 0; j < i; j++) {
        const double *xj = X + j * Q;
        if (K[j] == 0)
            continue;
        s_sum += 2 * K_bar[j] * K[j];
        double a = K[j];
        if (k->kind != RM2_LATENT_SE)
            a = k->variance * radial(k->kind, scaled_square(k, xi, xj), K[j] / k->variance);
        double w = 2 * K_bar[j] * a;
        for (size_t q = 0; q < Q; q++) { /* dk/dx_i = -a (x_i - x_j)/l^2 */
            double d = xi[q] - xj[q], g = w * d;
            X_bar[i * Q + q] -= g;
            X_bar[j * Q + q] += g;
            l_bar[q] += g * d;
        }
    }
    *s_bar += s_sum + K_bar[i] * K[i];
}

void rm2i_latent_gram_backward(const rm2i_latent_kernel *k, size_t n, const double *X,
                               const double *K, const double *K_bar, int threads, double *work,
                               double *X_bar, double *lengthscale_bar, double *variance_bar) {
    size_t part = n * k->dim + k->dim + 1;
    int used = n > 64 ? threads : 1;
    memset(work, 0, (size_t)used * part * sizeof *work);
#pragma omp parallel num_threads(used) if (used > 1)
    {
        double *own = work + (size_t)omp_get_thread_num() * part;
#pragma omp for schedule(static, 8)
        for (size_t i = 0; i < n; i++)
            backward_row(k, i, X, K + i * n, K_bar + i * n, own, own + n * k->dim, own + part - 1);
    }
    for (int t = 0; t < used; t++) { /* fixed order: the same threads give the same bits */
        const double *own = work + (size_t)t * part;
        for (size_t q = 0; q < k->dim; q++) {
            double inverse = 1 / k->lengthscale[q], square = inverse * inverse;
            for (size_t i = 0; i < n; i++)
                X_bar[i * k->dim + q] += own[i * k->dim + q] * square;
            lengthscale_bar[q] += own[n * k->dim + q] * square * inverse;
        }
        *variance_bar += own[part - 1] / k->variance;
    }
}

void rm2i_latent_cross(const rm2i_latent_kernel *k, size_t n, const double *X, const double *x,
                       double *values) {
    for (size_t i = 0; i < n; i++)
        values[i] = k->variance * shape(k->kind, scaled_square(k, X + i * k->dim, x));
}

void rm2i_latent_cross_gradient(const rm2i_latent_kernel *k, size_t n, const double *X,
                                const double *x, double *values, double *d) {
    for (size_t i = 0; i < n; i++) {
        double rho2 = scaled_square(k, X + i * k->dim, x), value = shape(k->kind, rho2);
        double a = k->variance * radial(k->kind, rho2, value);
        values[i] = k->variance * value;
        for (size_t q = 0; q < k->dim; q++) {
            double l = k->lengthscale[q];
            d[q * n + i] = a == 0 ? 0 : a * (X[i * k->dim + q] - x[q]) / (l * l);
        }
    }
}

void rm2i_latent_cross_hessian(const rm2i_latent_kernel *k, size_t n, const double *X,
                               const double *x, double *values, double *d, double *h) {
    rm2i_latent_cross_gradient(k, n, X, x, values, d);
    for (size_t i = 0; i < n; i++) {
        double rho2 = scaled_square(k, X + i * k->dim, x);
        double a = radial(k->kind, rho2, values[i] / k->variance);
        double b = a == 0 ? 0 : k->variance * second_radial(k->kind, rho2, a);
        double *out = h + i;
        for (size_t r = 0; r < k->dim; r++) {
            double lr2 = k->lengthscale[r] * k->lengthscale[r];
            double ur = (X[i * k->dim + r] - x[r]) / lr2;
            for (size_t s = r; s < k->dim; s++, out += n) {
                double us = (X[i * k->dim + s] - x[s]) / (k->lengthscale[s] * k->lengthscale[s]);
                *out = (b == 0 ? 0 : b * ur * us) - (r == s ? k->variance * a / lr2 : 0);
            }
        }
    }
}

void rm2i_latent_derivative_variance(const rm2i_latent_kernel *k, double *diagonal) {
    for (size_t q = 0; q < k->dim; q++)
        diagonal[q] = k->variance * radial(k->kind, 0, 1) / (k->lengthscale[q] * k->lengthscale[q]);
}
