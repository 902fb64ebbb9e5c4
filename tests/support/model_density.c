#include "model_density.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "model/model.h"
#include "shared_context.h"

/* Scale of the factor that an output belongs to. */
static double scale_of(const rm2_model_info *i, size_t output) {
    size_t f = 0, end = 0;
    if (!i->calibration)
        return 1;
    for (;; f++) {
        const rm2_factor *factor = rm2_manifold_factor(i->manifold, f);
        end += i->settings->model == RM2_GPLVM ? factor->ambient : factor->dim;
        if (output < end)
            return i->calibration[f];
    }
}

double predicted_covariance(const rm2_model *model, size_t a, size_t b) {
    const rm2_model_info *i = rm2_model_info_of(model);
    return i->task_covariance[a * i->outputs + b] * sqrt(scale_of(i, a) * scale_of(i, b));
}

/* -1/2 (r^T S^-1 r + log |S| + n log 2 pi), by plain elimination */
double log_density_at(const rm2_model *model, const double *x, const double *v, const bool *there) {
    rm2_model_info i = *rm2_model_info_of(model);
    size_t M = i.outputs, n = 0, which[MOST_M];
    double f[MOST_M], cov[MOST_M * MOST_M], S[MOST_M][MOST_M], r[MOST_M], log_det = 0, square = 0;
    assert_int_equal(rm2_model_decode(ctx, model, 1, x, NULL, f, cov, NULL), RM2_OK);
    for (size_t m = 0; m < M; m++)
        if (!there || there[m])
            which[n++] = m;
    for (size_t a = 0; a < n; a++) {
        r[a] = v[which[a]] - f[which[a]];
        for (size_t b = 0; b < n; b++) {
            size_t at = which[a] * M + which[b];
            S[a][b] = cov[at];
            if (i.settings->noise == RM2_NOISE_KRONECKER)
                S[a][b] += i.noise * predicted_covariance(model, which[a], which[b]);
            else if (a == b)
                S[a][b] += i.noise + i.task_noise[which[a]];
        }
    }
    for (size_t k = 0; k < n; k++) { /* L D L^T */
        log_det += log(S[k][k]);
        square += r[k] * r[k] / S[k][k];
        for (size_t a = k + 1; a < n; a++) {
            double factor = S[a][k] / S[k][k];
            r[a] -= factor * r[k];
            for (size_t b = 0; b < n; b++)
                S[a][b] -= factor * S[k][b];
        }
    }
    return -0.5 * (square + log_det + (double)n * log(2 * 3.14159265358979323846));
}

double log_broad_at(const rm2_model *model, const double *x) {
    rm2_model_info i = *rm2_model_info_of(model);
    double sum = 0;
    for (size_t q = 0; q < i.latent_dim; q++) {
        double mean = 0, variance = 0;
        for (size_t n = 0; n < i.points; n++)
            mean += i.latents[n * i.latent_dim + q] / (double)i.points;
        for (size_t n = 0; n < i.points; n++)
            variance += pow(i.latents[n * i.latent_dim + q] - mean, 2) / (double)i.points;
        sum -= 0.5 * pow(x[q] - mean, 2) / (25 * variance);
    }
    return sum;
}

void outputs_of(const rm2_model *model, const double *point, double *v) {
    rm2_model_info i = *rm2_model_info_of(model);
    double scaled[16];
    memcpy(scaled, point, rm2_manifold_ambient(i.manifold) * sizeof *scaled);
    rm2i_data_scale(model->data, 1, scaled);
    assert_int_equal(rm2i_model_outputs(ctx, model, 1, scaled, v), RM2_OK);
}

void assert_inverse(size_t Q, double H[MOST_Q][MOST_Q], const double *cov) {
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double sum = 0;
            for (size_t k = 0; k < Q; k++)
                sum += H[q][k] * cov[k * Q + r];
            if (!(fabs(sum - (q == r)) <= 1e-2))
                fail_msg("H cov (%zu, %zu) = %g", q, r, sum);
        }
}

void find_hessian(const rm2_model *model, const double *x, const double *v,
                  double H[MOST_Q][MOST_Q]) {
    rm2_model_info i = *rm2_model_info_of(model);
    size_t Q = i.latent_dim;
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double sum = 0, hq = 1e-3 * i.lengthscale[q], hr = 1e-3 * i.lengthscale[r];
            for (int corner = 0; corner < 4; corner++) {
                double moved[MOST_Q], sq = corner & 1 ? 1 : -1, sr = corner & 2 ? 1 : -1;
                memcpy(moved, x, Q * sizeof *x);
                moved[q] += sq * hq;
                moved[r] += sr * hr;
                sum -=
                    sq * sr * (log_density_at(model, moved, v, NULL) + log_broad_at(model, moved));
            }
            H[q][r] = sum / (4 * hq * hr);
        }
}

void assert_positive_definite(size_t n, const double *A) {
    double L[MOST_Q * MOST_Q];
    assert_int_equal(rm2i_cholesky(n, A, L), RM2_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(A[i * n + j] == A[j * n + i]);
}
