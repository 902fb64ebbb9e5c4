/* The matrix normal likelihood (noise model Kf (x) s2 I): one Cholesky factor and one inverse of A.
 */
#include "model/likelihood.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/base.h"
#include "linalg/factor.h"
#include "linalg/special.h"

rm2_status rm2i_matrix_normal_solve(rm2i_matrix_normal *mn, const double *K, double noise,
                                    const double *F, double *L) {
    int N = (int)mn->N, M = (int)mn->M;
    RM2_TRY(rm2i_factor(mn->N, K, noise, L, &mn->jitter));
    mn->log_det_A = rm2i_factor_log_det(mn->N, L);
    memcpy(mn->W, F, mn->N * mn->M * sizeof *F);
    rm2i_factor_half_solve(mn->N, L, mn->M, mn->W); /* Y = L^-1 F */
    /* S = F^T A^-1 F = Y^T Y */
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, N, 1, mn->W, N, 0, mn->S, M);
    for (size_t i = 0; i < mn->M; i++)
        for (size_t j = 0; j < i; j++)
            mn->S[j * mn->M + i] = mn->S[i * mn->M + j];
    rm2i_factor_other_half_solve(mn->N, L, mn->M, mn->W); /* W = L^-T Y = A^-1 F */
    return RM2_OK;
}

double rm2i_matrix_normal_value(const rm2i_matrix_normal *mn, double trace, double log_det_Kf) {
    double N = (double)mn->N, M = (double)mn->M;
    return -0.5 * (trace + M * mn->log_det_A + N * log_det_Kf + N * M * RM2I_LOG_2PI);
}

double rm2i_matrix_normal_trace(const rm2i_matrix_normal *mn, const double *Lf, double *work) {
    double trace = 0;
    memcpy(work, mn->S, mn->M * mn->M * sizeof *work);
    if (Lf)
        rm2i_factor_solve(mn->M, Lf, mn->M, work); /* Kf \ S */
    for (size_t m = 0; m < mn->M; m++)
        trace += work[m * mn->M + m];
    return trace;
}

rm2_status rm2i_matrix_normal_backward(const rm2i_matrix_normal *mn, const double *Lf, double *L,
                                       double *Z) {
    int N = (int)mn->N, M = (int)mn->M;
    memcpy(Z, mn->W, mn->N * mn->M * sizeof *Z);
    if (Lf) /* Z = Lf \ W^T, rows are tasks */
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, N, 1, Lf,
                    M, Z, N);
    RM2_TRY(rm2i_factor_invert(mn->N, L));
    /* A_bar = 1/2 Z^T Z - M/2 A^-1 */
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, N, M, 0.5, Z, N, -0.5 * M, L, N);
    return RM2_OK;
}

void rm2i_matrix_normal_task_backward(const rm2i_matrix_normal *mn, const double *Lf,
                                      double *Kf_bar, double *work) {
    size_t M = mn->M;
    double *inverse = work, *half = work + M * M;
    memset(inverse, 0, M * M * sizeof *inverse);
    for (size_t m = 0; m < M; m++)
        inverse[m * M + m] = 1;
    rm2i_factor_solve(M, Lf, M, inverse); /* Kf^-1 */
    memcpy(half, mn->S, M * M * sizeof *half);
    rm2i_factor_solve(M, Lf, M, half); /* row j: Kf^-1 S_j, so `half` is S Kf^-1 */
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            Kf_bar[i * M + j] = -0.5 * (double)mn->N * inverse[i * M + j];
    int m = (int)M; /* + 1/2 Kf^-1 (S Kf^-1) */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 0.5, inverse, m, half, m, 1,
                Kf_bar, m);
}
