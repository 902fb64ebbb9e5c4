/* The matrix normal likelihood (noise model Kf (x) s2 I): one Cholesky factor and one inverse of A.
 */
#include "gp/likelihood.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

rm2_status rm2i_matrix_normal_solve(rm2i_matrix_normal *mn, const double *K, double noise,
                                    const double *F, double *L) {
    int N = (int)mn->N, M = (int)mn->M;
    RM2_TRY(rm2i_factor(mn->ctx, mn->N, K, noise, L, &mn->jitter));
    mn->log_det_A = rm2i_factor_log_det(mn->N, L);
    memcpy(mn->Y, F, mn->N * mn->M * sizeof *F);
    rm2i_factor_half_solve(mn->ctx, mn->N, L, mn->M, mn->Y); /* Y = L^-1 F */
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, N, 1, mn->Y, N, 0, mn->S, M);
    for (size_t i = 0; i < mn->M; i++)
        for (size_t j = 0; j < i; j++)
            mn->S[j * mn->M + i] = mn->S[i * mn->M + j];
    return RM2_OK;
}

double rm2i_matrix_normal_value(rm2i_matrix_normal *mn, const double *Lf, double *trace) {
    double N = (double)mn->N, M = (double)mn->M, log_det_Kf = 0;
    int n = (int)mn->N, m = (int)mn->M;
    if (Lf) { /* Z = Lf^-1 Y^T */
        rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, n, 1, Lf, m,
                   mn->Y, n);
        log_det_Kf = rm2i_factor_log_det(mn->M, Lf);
    }
    double square = rm2i_ddot(n * m, mn->Y, 1, mn->Y, 1);
    if (trace)
        *trace = square;
    return -0.5 * (square + M * mn->log_det_A + N * log_det_Kf + N * M * RM2I_LOG_2PI);
}

rm2_status rm2i_matrix_normal_backward(rm2i_matrix_normal *mn, double *L) {
    rm2i_factor_other_half_solve(mn->ctx, mn->N, L, mn->M, mn->Y); /* V = Z L^-1 */
    RM2_TRY(rm2i_factor_invert(mn->ctx, mn->N, L));
    /* A_bar = 1/2 V^T V - M/2 A^-1 */
    const rm2i_gram gram = {mn->N, mn->M, mn->Y, 0.5, -0.5 * (double)mn->M};
    rm2i_gram_product(mn->ctx, &gram, L);
    return RM2_OK;
}

typedef struct task_scratch {
    double *inverse, *half; /* M x M: Kf^-1, S Kf^-1 */
} task_scratch;

static void lay_out(task_scratch *s, size_t M, rm2i_arena *a) {
    s->inverse = rm2i_reserve(a, double, M, M);
    s->half = rm2i_reserve(a, double, M, M);
}

size_t rm2i_matrix_normal_task_work(size_t M) {
    task_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, M, &a);
    return a.used;
}

void rm2i_matrix_normal_task_backward(const rm2i_matrix_normal *mn, const double *Lf,
                                      double *Kf_bar, double *work) {
    size_t M = mn->M;
    task_scratch s;
    lay_out(&s, M, &(rm2i_arena){work, 0});
    double *inverse = s.inverse, *half = s.half;
    memset(inverse, 0, M * M * sizeof *inverse);
    for (size_t m = 0; m < M; m++)
        inverse[m * M + m] = 1;
    rm2i_factor_solve(NULL, M, Lf, M, inverse); /* Kf^-1 */
    memcpy(half, mn->S, M * M * sizeof *half);
    rm2i_factor_solve(NULL, M, Lf, M, half); /* row j: Kf^-1 S_j */
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            Kf_bar[i * M + j] = -0.5 * (double)mn->N * inverse[i * M + j];
    int m = (int)M; /* + 1/2 Kf^-1 (S Kf^-1) */
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 0.5, inverse, m, half, m, 1,
               Kf_bar, m);
}
