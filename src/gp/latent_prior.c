/* A mixture over the training latents, and its bandwidth. */
#include "gp/latent_prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/selection.h"
#include "linalg/dense.h"
#include "math/special.h"

static const double KEPT = 0.05;       /* of an eigenvalue, whatever the noise */
static const double NO_EXTENT = 1e-12; /* of the largest eigenvalue: what counts as an extent */
enum { MOST_CENTRES = 1000 };          /* of the mixture, drawn from the latents */

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_latent_prior *p = arg;
    p->mean = rm2i_reserve(a, double, p->Q);
    p->basis = rm2i_reserve(a, double, p->Q, p->Q);
    p->root = rm2i_reserve(a, double, p->Q);
    p->z = rm2i_reserve(a, double, p->N, p->Q);
}

/* ---- mixtures of standard normals ------------------------------------------------------------ */

/* log sum_i exp(-|u - a z_i|^2/(2 h^2)) without point `except`, and the mean of (u - a z_i)/h under these
 * weights (Q; NULL: not wanted). The largest exponent so far scales the sums: one pass. */
static double log_sum(const rm2i_latent_prior *p, const double *u, double a, double h,
                      size_t except, double *off) {
    double largest = -INFINITY, sum = 0;
    size_t Q = p->Q;
    for (size_t q = 0; off && q < Q; q++)
        off[q] = 0;
    for (size_t i = 0; i < p->N; i++) {
        const double *z = p->z + i * Q;
        double square = 0;
        if (i == except)
            continue;
        for (size_t q = 0; q < Q; q++)
            square += (u[q] - a * z[q]) * (u[q] - a * z[q]);
        double exponent = -0.5 * square / (h * h);
        if (exponent > largest) {
            double shrink = exp(largest - exponent);
            largest = exponent;
            sum *= shrink;
            for (size_t q = 0; off && q < Q; q++)
                off[q] *= shrink;
        }
        double weight = exp(exponent - largest);
        sum += weight;
        for (size_t q = 0; off && q < Q; q++)
            off[q] += weight * (u[q] - a * z[q]) / h;
    }
    for (size_t q = 0; off && q < Q; q++)
        off[q] /= sum;
    return largest + log(sum);
}

/* Mean log density of whitened latents, each under the mixture of the others. */
static double left_out(const rm2i_latent_prior *p, double h) {
    double sum = 0, a = sqrt(1 - h * h);
    for (size_t i = 0; i < p->N; i++)
        sum += log_sum(p, p->z + i * p->Q, a, h, i, NULL);
    return sum / (double)p->N - (double)p->Q * log(h);
}

static void find_bandwidth(rm2i_latent_prior *p) {
    static const double choices[] = {0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    double best = -INFINITY;
    p->bandwidth = 1;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        double value = left_out(p, choices[k]);
        if (value > best) {
            best = value;
            p->bandwidth = choices[k];
        }
    }
}

/* ---- latents --------------------------------------------------------------------------------- */

static void find_moments(rm2i_latent_prior *p, size_t N, const double *X, double *covariance) {
    size_t Q = p->Q;
    for (size_t i = 0; i < N * Q; i++)
        p->mean[i % Q] += X[i] / (double)N;
    for (size_t i = 0; i < N; i++)
        for (size_t q = 0; q < Q; q++)
            for (size_t r = 0; r < Q; r++)
                covariance[q * Q + r] +=
                    (X[i * Q + q] - p->mean[q]) * (X[i * Q + r] - p->mean[r]) / (double)N;
}

static void draw_centres(rm2i_latent_prior *p, size_t N, const double *X) {
    rm2i_draw draw = rm2i_draw_some(N, p->N);
    size_t taken = 0;
    for (size_t i = 0; i < N; i++)
        if (rm2i_drawn(&draw))
            memcpy(p->z + taken++ * p->Q, X + i * p->Q, p->Q * sizeof *p->z);
}

/* z_i from the centres, and the roots of the eigenvalues without the noise. */
static void whiten(rm2i_latent_prior *p, double noise, double *values, double *x) {
    size_t Q = p->Q;
    double largest = rm2i_max_abs(Q, values);
    for (size_t q = 0; q < Q; q++) {
        values[q] = fmax(values[q], largest > 0 ? NO_EXTENT * largest : 1);
        p->root[q] = sqrt(fmax(values[q] - noise, KEPT * values[q]));
    }
    for (size_t i = 0; i < p->N; i++) {
        double *z = p->z + i * Q;
        for (size_t r = 0; r < Q; r++)
            x[r] = z[r] - p->mean[r];
        for (size_t q = 0; q < Q; q++)
            z[q] = rm2i_dot(Q, p->basis + q * Q, x) / sqrt(values[q]);
    }
}

static rm2_status build(rm2_context *ctx, rm2i_latent_prior *p, size_t N, const double *X,
                        double noise) {
    size_t Q = p->Q;
    double *covariance;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, p, &p->memory));
    RM2_TRY(rm2i_calloc(ctx, Q * Q + 2 * Q + rm2i_eigen_work(Q), sizeof *covariance, &covariance));
    double *values = covariance + Q * Q, *x = values + Q;
    find_moments(p, N, X, covariance);
    draw_centres(p, N, X);
    rm2_status status = rm2i_eigen(Q, covariance, values, p->basis, x + Q);
    if (status == RM2_OK)
        whiten(p, noise, values, x);
    free(covariance);
    if (status != RM2_OK)
        return rm2i_fail(ctx, status, "the latent points are not finite");
    find_bandwidth(p);
    double shrink = sqrt(1 - p->bandwidth * p->bandwidth);
    for (size_t i = 0; i < p->N * Q; i++)
        p->z[i] *= shrink;
    p->constant = -log((double)p->N) - 0.5 * (double)Q * RM2I_LOG_2PI;
    for (size_t q = 0; q < Q; q++)
        p->constant -= log(p->bandwidth * p->root[q]);
    return RM2_OK;
}

rm2_status rm2i_latent_prior_create(rm2_context *ctx, size_t N, size_t Q, const double *X,
                                    double noise, rm2i_latent_prior **prior) {
    rm2i_latent_prior *p;
    *prior = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    p->N = N < MOST_CENTRES ? N : MOST_CENTRES;
    p->Q = Q;
    rm2_status status = build(ctx, p, N, X, noise);
    if (status != RM2_OK) {
        rm2i_latent_prior_free(p);
        return status;
    }
    *prior = p;
    return RM2_OK;
}

void rm2i_latent_prior_free(rm2i_latent_prior *p) {
    if (!p)
        return;
    free(p->memory);
    free(p);
}

/* d log p/dx = -sum_q r_q off_q/(h root_q) */
double rm2i_latent_prior_log(const rm2i_latent_prior *p, const double *x, double *slope,
                             double *work) {
    size_t Q = p->Q;
    double *u = work, *off = u + Q;
    for (size_t q = 0; q < Q; q++) {
        u[q] = 0;
        for (size_t r = 0; r < Q; r++)
            u[q] += p->basis[q * Q + r] * (x[r] - p->mean[r]) / p->root[q];
    }
    double value = log_sum(p, u, 1, p->bandwidth, SIZE_MAX, slope ? off : NULL);
    for (size_t q = 0; slope && q < Q; q++)
        for (size_t r = 0; r < Q; r++)
            slope[r] -= p->basis[q * Q + r] * off[q] / (p->bandwidth * p->root[q]);
    return value;
}
