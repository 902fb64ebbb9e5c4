/* Dense matrices for tests of the restricted evidence: numbers, bases, kernels from their definitions. */
#ifndef DENSE_EVIDENCE_H
#define DENSE_EVIDENCE_H

#include <math.h>
#include <stdlib.h>

#include "front/base.h"
#include "kernel/latent.h"
#include "riemann2/base.h"

enum { MOST_N = 40 };

static inline double *doubles(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline void fill(size_t count, uint64_t seed, double *x) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++)
        x[i] = rm2_rng_normal(&rng);
}

/* Columns of U (N x n): unit vectors made orthogonal to H = [1, X] and to each other, twice. */
static inline size_t complement(size_t N, size_t Q, const double *X, double *U) {
    double basis[MOST_N][MOST_N];
    size_t count = 0;
    for (size_t k = 0; k < Q + 1 + N && count < N; k++) {
        double v[MOST_N], norm = 0;
        for (size_t i = 0; i < N; i++)
            v[i] = k == 0 ? 1 : k <= Q ? X[i * Q + k - 1] : (double)(i == k - Q - 1);
        for (int twice = 0; twice < 2; twice++)
            for (size_t b = 0; b < count; b++) {
                double along = 0;
                for (size_t i = 0; i < N; i++)
                    along += v[i] * basis[b][i];
                for (size_t i = 0; i < N; i++)
                    v[i] -= along * basis[b][i];
            }
        for (size_t i = 0; i < N; i++)
            norm += v[i] * v[i];
        if (!(norm > 1e-6))
            continue;
        for (size_t i = 0; i < N; i++)
            basis[count][i] = v[i] / sqrt(norm);
        count++;
    }
    assert_int_equal(count, N);
    for (size_t i = 0; i < N; i++)
        for (size_t k = Q + 1; k < N; k++)
            U[i * (N - 1 - Q) + k - Q - 1] = basis[k][i];
    return N - 1 - Q;
}

static inline double kernel(rm2_latent_kind kind, size_t Q, const double *x, const double *y,
                            double g, double l) {
    double rho2 = 0;
    for (size_t q = 0; q < Q; q++)
        rho2 += (x[q] - y[q]) * (x[q] - y[q]) / (l * l);
    double r = sqrt(rho2);
    return g * (kind == RM2_LATENT_SE ? exp(-rho2 / 2)
                : kind == RM2_LATENT_MATERN32
                    ? (1 + sqrt(3) * r) * exp(-sqrt(3) * r)
                    : (1 + sqrt(5) * r + 5 * rho2 / 3) * exp(-sqrt(5) * r));
}

/* Inverse and determinant by Gauss and Jordan, with pivots. */
static inline double invert(size_t n, double *A, double *inverse) {
    double log_det = 0;
    for (size_t i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0;
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t r = c; r < n; r++)
            best = fabs(A[r * n + c]) > fabs(A[best * n + c]) ? r : best;
        for (size_t k = 0; k < n; k++) {
            double a = A[c * n + k], b = inverse[c * n + k];
            A[c * n + k] = A[best * n + k];
            A[best * n + k] = a;
            inverse[c * n + k] = inverse[best * n + k];
            inverse[best * n + k] = b;
        }
        double pivot = A[c * n + c];
        log_det += log(fabs(pivot));
        for (size_t k = 0; k < n; k++) {
            A[c * n + k] /= pivot;
            inverse[c * n + k] /= pivot;
        }
        for (size_t r = 0; r < n; r++) {
            double factor = A[r * n + c];
            for (size_t k = 0; r != c && k < n; k++) {
                A[r * n + k] -= factor * A[c * n + k];
                inverse[r * n + k] -= factor * inverse[c * n + k];
            }
        }
    }
    return log_det;
}

#endif
