/* The restricted evidence: reflectors, two Cholesky factors, two inverses. */
#include "gp/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "front/base.h"
#include "linalg/factor.h"
#include "linalg/lapack.h"
#include "linalg/serial.h"
#include "math/gamma.h"

struct rm2i_evidence {
    size_t N, Q, n, m, rows;
    rm2_latent_kind kind;
    rm2_context *ctx;
    double level;
    double *X;           /* N x Q */
    double *reflectors;  /* (Q + 1) x N: reflector k begins at entry k, which is 1 */
    double *tau;         /* Q + 1 */
    double *F;           /* rows x N, while it is set up */
    double *G;           /* n x n, lower triangle */
    double *K, *moved;   /* N x N: the kernel; with reflectors applied */
    double *A, *B;       /* n x n */
    double *column;      /* N */
    double *lengthscale; /* Q */
    double *X_bar, *lengthscale_bar, *backward; /* N x Q, Q, scratch */
    double *memory;
};

static void lay_out(void *evidence, rm2i_arena *a) {
    rm2i_evidence *ev = evidence;
    size_t N = ev->N, Q = ev->Q, n = ev->n;
    ev->X = rm2i_reserve(a, double, N, Q);
    ev->reflectors = rm2i_reserve(a, double, Q + 1, N);
    ev->tau = rm2i_reserve(a, double, Q + 1);
    ev->F = rm2i_reserve(a, double, ev->rows, N);
    ev->G = rm2i_reserve(a, double, n, n);
    ev->K = rm2i_reserve(a, double, N, N);
    ev->moved = rm2i_reserve(a, double, N, N);
    ev->A = rm2i_reserve(a, double, n, n);
    ev->B = rm2i_reserve(a, double, n, n);
    ev->column = rm2i_reserve(a, double, N);
    ev->lengthscale = rm2i_reserve(a, double, Q);
    ev->X_bar = rm2i_reserve(a, double, N, Q);
    ev->lengthscale_bar = rm2i_reserve(a, double, Q);
    ev->backward = rm2i_reserve(a, double, rm2i_latent_backward_work(Q, N));
}

/* ---- reflectors ----------------------------------------------------------------------------- */

/* Those of H = [1, X]; the entry in front of each becomes its 1, what is before it 0. */
static rm2_status find_reflectors(rm2i_evidence *ev) {
    size_t N = ev->N, Q = ev->Q;
    for (size_t i = 0; i < N; i++) {
        ev->reflectors[i] = 1;
        for (size_t q = 0; q < Q; q++)
            ev->reflectors[(q + 1) * N + i] = ev->X[i * Q + q];
    }
    if (rm2i_dgeqr2((int)N, (int)(Q + 1), ev->reflectors, ev->tau, ev->column) != 0)
        return RM2_ERR_NUMERIC;
    for (size_t k = 0; k <= Q; k++) {
        memset(ev->reflectors + k * N, 0, k * sizeof *ev->reflectors);
        ev->reflectors[k * N + k] = 1;
    }
    return RM2_OK;
}

/* S <- R S R, R = I - tau v v^T: S - v w^T - w v^T, w = p - (tau/2) (p.v) v, p = tau S v */
static void reflect(const rm2i_evidence *ev, size_t k, double *S) {
    int N = (int)ev->N;
    const double *v = ev->reflectors + k * ev->N;
    double *w = ev->column, tau = ev->tau[k];
    rm2i_dsymv(CblasRowMajor, CblasLower, N, tau, S, N, v, 1, 0, w, 1);
    rm2i_daxpy(N, -0.5 * tau * rm2i_ddot(N, w, 1, v, 1), v, 1, w, 1);
    rm2i_dsyr2(CblasRowMajor, CblasLower, N, -1, v, 1, w, 1, S, N);
}

/* block = U^T S U, the last rows and columns of S with all reflectors applied */
static void restrict_matrix(const rm2i_evidence *ev, double *S, double *block) {
    size_t first = ev->Q + 1;
    for (size_t k = 0; k < first; k++)
        reflect(ev, k, S);
    for (size_t i = 0; i < ev->n; i++)
        memcpy(block + i * ev->n, S + (first + i) * ev->N + first, (i + 1) * sizeof *block);
}

/* S = U block U^T */
static void extend_matrix(const rm2i_evidence *ev, const double *block, double *S) {
    size_t first = ev->Q + 1;
    memset(S, 0, ev->N * ev->N * sizeof *S);
    for (size_t i = 0; i < ev->n; i++)
        memcpy(S + (first + i) * ev->N + first, block + i * ev->n, (i + 1) * sizeof *S);
    for (size_t k = first; k-- > 0;)
        reflect(ev, k, S);
}

/* G from rows U^T f: squares of small residuals are never differences of large numbers. */
static void find_products(rm2i_evidence *ev, double least) {
    size_t N = ev->N, first = ev->Q + 1;
    int n = (int)ev->n, rows = (int)ev->rows;
    double trace = 0;
    for (size_t k = 0; k < first; k++) {
        const double *v = ev->reflectors + k * N;
        for (size_t r = 0; r < ev->rows; r++) {
            double *f = ev->F + r * N, along = rm2i_ddot((int)N, f, 1, v, 1);
            rm2i_daxpy((int)N, -ev->tau[k] * along, v, 1, f, 1);
        }
    }
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, rows, 1, ev->F + first, (int)N, 0, ev->G,
               n);
    for (size_t i = 0; i < ev->n; i++) {
        ev->G[i * ev->n + i] += (double)ev->m * least;
        trace += ev->G[i * ev->n + i];
    }
    ev->level = trace / ((double)ev->n * (double)ev->m);
}

rm2_status rm2i_evidence_check(rm2_context *ctx, const rm2i_evidence_data *d) {
    if (d->N > d->Q + 2 && d->m > 0)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%zu points are too few for %zu latent dimensions and the covariance of %zu outputs", d->N,
        d->Q, d->m);
}

rm2_status rm2i_evidence_create(rm2_context *ctx, const rm2i_evidence_data *d,
                                rm2i_evidence **evidence) {
    rm2i_evidence *ev;
    *evidence = NULL;
    RM2_TRY(rm2i_evidence_check(ctx, d));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *ev, &ev));
    *ev = (rm2i_evidence){.N = d->N,
                          .Q = d->Q,
                          .n = d->N - 1 - d->Q,
                          .m = d->m,
                          .rows = d->rows,
                          .kind = d->kind,
                          .ctx = ctx};
    rm2_status status = rm2i_arena_calloc(ctx, lay_out, ev, &ev->memory);
    if (status == RM2_OK) {
        memcpy(ev->X, d->X, d->N * d->Q * sizeof *ev->X);
        memcpy(ev->F, d->F, d->rows * d->N * sizeof *ev->F);
        status = find_reflectors(ev);
    }
    if (status != RM2_OK) {
        rm2i_evidence_free(ev);
        return status;
    }
    find_products(ev, d->least);
    *evidence = ev;
    return RM2_OK;
}

void rm2i_evidence_free(rm2i_evidence *ev) {
    if (!ev)
        return;
    free(ev->memory);
    free(ev);
}

size_t rm2i_evidence_freedom(const rm2i_evidence *ev) {
    return ev->n;
}

double rm2i_evidence_level(const rm2i_evidence *ev) {
    return ev->level;
}

/* ---- value ---------------------------------------------------------------------------------- */

static rm2i_latent_kernel kernel_at(const rm2i_evidence *ev, const rm2i_evidence_at *at) {
    for (size_t q = 0; q < ev->Q; q++)
        ev->lengthscale[q] = at->lengthscale;
    return (rm2i_latent_kernel){ev->kind, ev->Q, ev->lengthscale, at->variance, 0};
}

double rm2i_evidence_gammas(size_t n, size_t m, double nu, double *slope) {
    double sum = 0;
    *slope = 0;
    for (size_t j = 0; j < m; j++) { /* arguments (a + 1 - j)/2, j = m .. 1 */
        double low = (nu + 2 + (double)j) / 2, high = low + (double)n / 2;
        sum += lgamma(high) - lgamma(low);
        *slope += (rm2i_digamma(high) - rm2i_digamma(low)) / 2;
    }
    return sum;
}

/* A and B, factored. */
static rm2_status factor_both(rm2i_evidence *ev, const rm2i_latent_kernel *kernel, double c) {
    size_t n = ev->n;
    double jitter;
    rm2i_latent_gram(ev->ctx, kernel, ev->N, ev->X, ev->K);
    memcpy(ev->moved, ev->K, ev->N * ev->N * sizeof *ev->K);
    restrict_matrix(ev, ev->moved, ev->A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            ev->B[i * n + j] = ev->A[i * n + j] + ev->G[i * n + j] / c;
    RM2_TRY(rm2i_factor(ev->ctx, n, ev->A, 1, ev->moved, &jitter));
    memcpy(ev->A, ev->moved, n * n * sizeof *ev->A);
    RM2_TRY(rm2i_factor(ev->ctx, n, ev->B, 1, ev->moved, &jitter));
    memcpy(ev->B, ev->moved, n * n * sizeof *ev->B);
    return RM2_OK;
}

/* A and B become their inverses, then A becomes E_A; returns tr(B^-1 G). */
static rm2_status invert_both(rm2i_evidence *ev, double half, double *trace) {
    size_t n = ev->n;
    double m = (double)ev->m;
    RM2_TRY(rm2i_factor_invert(ev->ctx, n, ev->A));
    RM2_TRY(rm2i_factor_invert(ev->ctx, n, ev->B));
    *trace = 0;
    for (size_t i = 0; i < n; i++) {
        double *A = ev->A + i * n;
        const double *B = ev->B + i * n, *G = ev->G + i * n;
        *trace += 2 * rm2i_ddot((int)i, B, 1, G, 1) + B[i] * G[i];
        for (size_t j = 0; j <= i; j++)
            A[j] = -half * (B[j] - A[j]) - 0.5 * m * A[j];
    }
    return RM2_OK;
}

/* K_bar = U E_A U^T to the kernel's parameters. */
static void kernel_slopes(rm2i_evidence *ev, const rm2i_latent_kernel *kernel,
                          const rm2i_evidence_at *at, rm2i_evidence_at *slope) {
    double variance_bar = 0;
    extend_matrix(ev, ev->A, ev->moved);
    memset(ev->lengthscale_bar, 0, ev->Q * sizeof *ev->lengthscale_bar);
    rm2i_latent_gram_backward(ev->ctx, kernel,
                              &(rm2i_latent_adjoint){.n = ev->N,
                                                     .X = ev->X,
                                                     .K = ev->K,
                                                     .K_bar = ev->moved,
                                                     .X_bar = ev->X_bar,
                                                     .lengthscale_bar = ev->lengthscale_bar,
                                                     .variance_bar = &variance_bar},
                              ev->backward);
    slope->variance = at->variance * variance_bar;
    slope->lengthscale = 0;
    for (size_t q = 0; q < ev->Q; q++)
        slope->lengthscale += at->lengthscale * ev->lengthscale_bar[q];
}

rm2_status rm2i_evidence_value(rm2i_evidence *ev, const rm2i_evidence_at *at, double *value,
                               rm2i_evidence_at *slope) {
    double n = (double)ev->n, m = (double)ev->m, half = (at->weight + m + 1 + n) / 2;
    double gamma_slope, trace, gammas;
    const rm2i_latent_kernel kernel = kernel_at(ev, at);
    gammas = rm2i_evidence_gammas(ev->n, ev->m, at->weight, &gamma_slope);
    RM2_TRY(factor_both(ev, &kernel, at->scale));
    double log_A = rm2i_factor_log_det(ev->n, ev->A), log_B = rm2i_factor_log_det(ev->n, ev->B);
    *value =
        gammas - 0.5 * n * m * log(RM2_PI * at->scale) - half * (log_B - log_A) - 0.5 * m * log_A;
    if (!isfinite(*value))
        return RM2_ERR_NUMERIC;
    if (!slope)
        return RM2_OK;
    RM2_TRY(invert_both(ev, half, &trace));
    kernel_slopes(ev, &kernel, at, slope);
    slope->scale = -0.5 * n * m + half * trace / at->scale;
    slope->weight = at->weight * (gamma_slope - 0.5 * (log_B - log_A));
    return RM2_OK;
}
