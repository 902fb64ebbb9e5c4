/* The likelihood with one noise variance per output: two eigenproblems make Sigma diagonal. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "gp/likelihood.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

/* Used by turns. */
typedef struct scratch {
    double *eigen;            /* of both eigenproblems */
    double *scaled, *rotated; /* M x N: F D^-1/2, and with U^T */
    double *half;             /* M x N: Am K */
    double *weighted;         /* N x N: rows of V times the root of their weight */
} scratch;

static void lay_out(scratch *s, size_t N, size_t M, rm2i_arena *a) {
    rm2i_arena eigen = *a, value = *a, task = *a, kernel = *a;
    s->eigen = rm2i_reserve(&eigen, double, rm2i_symmetric_eigen_work(N > M ? N : M));
    s->scaled = rm2i_reserve(&value, double, M, N);
    s->rotated = rm2i_reserve(&value, double, M, N);
    s->half = rm2i_reserve(&task, double, M, N);
    s->weighted = rm2i_reserve(&kernel, double, N, N);
    *a = rm2i_arena_longer(rm2i_arena_longer(eigen, value), rm2i_arena_longer(task, kernel));
}

static scratch scratch_in(const rm2i_per_output *po, double *work) {
    scratch s;
    lay_out(&s, po->N, po->M, &(rm2i_arena){work, 0});
    return s;
}

size_t rm2i_per_output_work(size_t N, size_t M) {
    scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, N, M, &a);
    return a.used;
}

/* C = A B or A B^T, row-major: A is r x k, C is r x c. */
static void product(size_t r, size_t c, size_t k, const double *A, const double *B, bool transpose,
                    double *C) {
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, transpose ? CblasTrans : CblasNoTrans, (int)r, (int)c,
               (int)k, 1, A, (int)k, B, (int)(transpose ? k : c), 0, C, (int)c);
}

rm2_status rm2i_per_output_task(rm2i_per_output *po, const double *Kf, double *work) {
    size_t M = po->M;
    for (size_t m = 0; m < M; m++)
        if (!(po->d[m] > 0))
            return RM2_ERR_NUMERIC;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            po->Ut[i * M + j] = Kf[i * M + j] / sqrt(po->d[i] * po->d[j]);
    return rm2i_symmetric_eigen(M, po->Ut, po->l, work);
}

void rm2i_per_output_unrotate(rm2i_per_output *po) {
    size_t N = po->N, M = po->M;
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)M, (int)N, (int)M, 1, po->Ut, (int)M,
               po->alpha, (int)N, 0, po->Am, (int)N);
    for (size_t m = 0; m < M; m++)
        rm2i_dscal((int)N, 1 / sqrt(po->d[m]), po->Am + m * N, 1);
}

rm2_status rm2i_per_output_value(rm2i_per_output *po, double squares) {
    double N = (double)po->N, noise = 0;
    for (size_t m = 0; m < po->M; m++)
        noise += log(po->d[m]);
    po->value = -0.5 * (squares + po->log_dets + N * noise + N * (double)po->M * RM2I_LOG_2PI);
    return isfinite(po->value) ? RM2_OK : RM2_ERR_NUMERIC;
}

static double denominator(const rm2i_per_output *po, size_t n, size_t m) {
    return fmax(po->o[n], 0) * fmax(po->l[m], 0) + 1;
}

/* rotated = S V / den, with the sums over log den, o/den and 1/den; returns that of (S V)^2 / den. */
static double divide(rm2i_per_output *po) {
    double squares = 0;
    po->log_dets = 0;
    for (size_t m = 0; m < po->M; m++) {
        po->weight[m] = po->inverse[m] = 0;
        for (size_t n = 0; n < po->N; n++) {
            double den = denominator(po, n, m), *f = &po->rotated[m * po->N + n];
            po->log_dets += log(den);
            squares += *f * *f / den;
            *f /= den;
            po->weight[m] += fmax(po->o[n], 0) / den;
            po->inverse[m] += 1 / den;
        }
    }
    return squares;
}

rm2_status rm2i_per_output_solve(rm2i_per_output *po, const double *Kf, const double *F,
                                 double *work) {
    size_t N = po->N, M = po->M;
    scratch s = scratch_in(po, work);
    if (rm2i_per_output_task(po, Kf, s.eigen) != RM2_OK ||
        rm2i_symmetric_eigen(N, po->V, po->o, s.eigen) != RM2_OK)
        return RM2_ERR_NUMERIC;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            s.scaled[m * N + n] = F[m * N + n] / sqrt(po->d[m]);
    product(M, N, M, po->Ut, s.scaled, false, s.rotated);  /* S */
    product(M, N, N, s.rotated, po->V, true, po->rotated); /* S V: rows of V are eigenvectors */
    double squares = divide(po);
    product(M, N, N, po->rotated, po->V, false, po->alpha); /* rows alpha_m = V (S V/den)_m */
    rm2i_per_output_unrotate(po);
    return rm2i_per_output_value(po, squares);
}

/* K_bar = 1/2 (sum_m l_m alpha_m alpha_m^T - V diag(sum_m l_m/den_nm) V^T) */
void rm2i_per_output_kernel_backward(const rm2i_per_output *po, double *K_bar, double *work) {
    size_t N = po->N, M = po->M;
    double *weighted = scratch_in(po, work).weighted;
    for (size_t n = 0; n < N; n++) {
        double weight = 0;
        for (size_t m = 0; m < M; m++)
            weight += fmax(po->l[m], 0) / denominator(po, n, m);
        for (size_t k = 0; k < N; k++)
            weighted[n * N + k] = sqrt(weight) * po->V[n * N + k];
    }
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)N, (int)N, -0.5, weighted, (int)N, 0,
               K_bar, (int)N);
    for (size_t m = 0; m < M; m++)
        rm2i_dsyr(CblasRowMajor, CblasLower, (int)N, 0.5 * fmax(po->l[m], 0), po->alpha + m * N, 1,
                  K_bar, (int)N);
}

/* Kf_bar = 1/2 (Am K Am^T - T diag(tr(K B_m^-1)) T^T), T = D^-1/2 U;
 * d_bar_a = 1/2 (|Am_a|^2 - sum_m T_am^2 tr B_m^-1) */
void rm2i_per_output_task_backward(const rm2i_per_output *po, const double *K, double *Kf_bar,
                                   double *d_bar, double *work) {
    size_t N = po->N, M = po->M;
    double *half = scratch_in(po, work).half;
    rm2i_dsymm(CblasRowMajor, CblasRight, CblasLower, (int)M, (int)N, 1, K, (int)N, po->Am, (int)N,
               0, half, (int)N);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)M, (int)N, 0.5, half, (int)N,
               po->Am, (int)N, 0, Kf_bar, (int)M);
    for (size_t a = 0; a < M; a++)
        d_bar[a] = 0.5 * rm2i_ddot((int)N, po->Am + a * N, 1, po->Am + a * N, 1);
    for (size_t m = 0; m < M; m++)
        for (size_t a = 0; a < M; a++) {
            double Ta = po->Ut[m * M + a] / sqrt(po->d[a]);
            d_bar[a] -= 0.5 * Ta * Ta * po->inverse[m];
            for (size_t b = 0; b < M; b++)
                Kf_bar[a * M + b] -= 0.5 * po->weight[m] * Ta * po->Ut[m * M + b] / sqrt(po->d[b]);
        }
}
