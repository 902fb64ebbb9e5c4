/* Posterior mean, variance and derivatives at single points.
 *
 * Kronecker: u = L^-1 k* (or root k*), h = k** - |u|^2, dh = dk** - 2 (L^-1 dk)^T u.
 * Per output: z = V k*, h_m = l_m k** - l_m^2 sum_n z_n^2/(l_m o_n + 1), and likewise for dz. */
#include "gp/posterior.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/inducing.h"
#include "gp/likelihood.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

/* ---- set-up --------------------------------------------------------------------------------- */

/* Pf = Cholesky factor of Kf, zeros above the diagonal; P = S Pf. */
static rm2_status factor_task(rm2_context *ctx, rm2i_posterior *p) {
    size_t M = p->gp.M;
    double jitter;
    RM2_TRY(rm2i_factor(ctx, M, p->gp.Kf, 0, p->Pf, &jitter));
    for (size_t i = 0; i < M; i++)
        memset(p->Pf + i * M + i + 1, 0, (M - i - 1) * sizeof *p->Pf);
    for (size_t i = 0; p->gp.scale && i < M; i++)
        for (size_t k = 0; k < M; k++)
            p->P[i * M + k] = p->gp.scale[i] * p->Pf[i * M + k];
    p->observed = p->gp.noise;
    return RM2_OK;
}

static rm2_status solve_kronecker(rm2_context *ctx, rm2i_posterior *p, double *K) {
    size_t M = p->gp.M;
    double *S;
    RM2_TRY(rm2i_alloc(ctx, M * M, sizeof *S, &S));
    rm2i_matrix_normal mn = {.N = p->gp.N, .M = M, .Y = p->C, .S = S};
    rm2_status status = rm2i_matrix_normal_solve(&mn, K, p->gp.noise, p->gp.F, p->L);
    if (status == RM2_OK) /* C = (A^-1 F)^T */
        rm2i_factor_other_half_solve(NULL, p->gp.N, p->L, M, p->C);
    if (status == RM2_OK)
        status = factor_task(ctx, p);
    free(S);
    return status;
}

static const double HARMLESS = 1e-9; /* error of k*^T A^-1 k*, relative to k** */

/* The largest k(x, x) of the support points. */
static double largest_variance(const rm2i_posterior *p) {
    double largest = 0;
    for (size_t k = 0; k < p->n; k++)
        largest = fmax(largest, rm2i_latent_variance_at(&p->gp.kernel, p->Z + k * p->gp.Q));
    return largest;
}

/* W = root^T root. k*^T W k* loses eps |W| k** of k**. */
static void multiply_root(rm2i_posterior *p) {
    size_t r = p->n;
    int n = (int)r;
    double largest = 0, *W = p->inverse;
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, 1, p->root, n, p->root, n, 0, W,
               n);
    rm2i_symmetrise(r, W);
    for (size_t k = 0; k < r; k++)
        largest = fmax(largest, W[k * r + k]);
    if (!(DBL_EPSILON * largest * largest_variance(p) <= HARMLESS))
        p->inverse = NULL;
}

/* Of the set-up with inducing points. */
typedef struct inducing_scratch {
    size_t r;
    double *e, *eigen, *memory; /* r: eigenvalues, the eigenproblem's own */
} inducing_scratch;

static void lay_out_inducing_scratch(void *scratch, rm2i_arena *a) {
    inducing_scratch *s = scratch;
    s->e = rm2i_reserve(a, double, s->r);
    s->eigen = rm2i_reserve(a, double, rm2i_symmetric_eigen_work(s->r));
}

static const double OFF_SUMS = 1e-6; /* relative; rounding of another processor is far below */

/* Sums that are known are taken if they are those of the data: else they are found as if there were none. */
static rm2_status find_sums(rm2i_posterior *p, rm2i_inducing *in) {
    const rm2i_gp *gp = &p->gp;
    const rm2i_inducing_data data = {
        .kernel = &gp->kernel, .N = gp->N, .M = gp->M, .X = gp->X, .F = gp->F};
    double off = 0;
    if (gp->sums && !gp->proven)
        RM2_TRY(rm2i_inducing_sums_off(in->ctx, &(rm2i_sums_claim){&data, in->r, p->Z, gp->sums},
                                       &off));
    if (gp->sums && off <= OFF_SUMS)
        memcpy(p->sums, gp->sums, rm2i_inducing_sums_count(in->r, gp->M) * sizeof *p->sums);
    else
        RM2_TRY(rm2i_inducing_sum(in, &gp->kernel, gp->X, gp->F, p->sums));
    p->gp.sums = NULL;
    return RM2_OK;
}

/* C = (Lu^-T u)^T. With A = V V^T = E diag(e) E^T, I - s2 B^-1 = E diag(e/(e + s2)) E^T, and the root
 * is diag(sqrt(e/(e + s2))) E^T Lu^-1: no difference of large numbers, and directions that the data do
 * not determine, where Lu^-1 is large, count little. */
static rm2_status solve_inducing(rm2i_posterior *p, rm2i_inducing *in, const inducing_scratch *s) {
    size_t r = in->r, M = p->gp.M;
    RM2_TRY(find_sums(p, in));
    RM2_TRY(rm2i_inducing_solve_sums(in, &p->gp.kernel, p->gp.X, p->gp.noise, p->sums));
    memcpy(p->C, in->u, M * r * sizeof *p->C);
    rm2i_factor_other_half_solve(NULL, r, in->L, M, p->C);
    memcpy(p->root, in->A, r * r * sizeof *p->root);
    RM2_TRY(rm2i_symmetric_eigen(r, p->root, s->e, s->eigen));
    for (size_t k = 0; k < r; k++) {
        double weight = fmax(s->e[k], 0) / (fmax(s->e[k], 0) + p->gp.noise);
        rm2i_dscal((int)r, sqrt(weight), p->root + k * r, 1);
    }
    rm2i_factor_other_half_solve(NULL, r, in->L, r, p->root); /* rows: e_k^T Lu^-1 */
    multiply_root(p);
    return factor_task(in->ctx, p);
}

/* Of the set-up with per-output noise. */
typedef struct per_output_scratch {
    rm2i_per_output po;
    double *work, *memory;
} per_output_scratch;

static void lay_out_per_output(void *scratch, rm2i_arena *a) {
    per_output_scratch *s = scratch;
    size_t N = s->po.N, M = s->po.M;
    s->po.Ut = rm2i_reserve(a, double, M, M);
    s->po.d = rm2i_reserve(a, double, M);
    s->po.rotated = rm2i_reserve(a, double, M, N);
    s->po.alpha = rm2i_reserve(a, double, M, N);
    s->po.Am = rm2i_reserve(a, double, M, N);
    s->po.weight = rm2i_reserve(a, double, M);
    s->po.inverse = rm2i_reserve(a, double, M);
    s->work = rm2i_reserve(a, double, rm2i_per_output_work(N, M));
}

static rm2_status solve_per_output(rm2_context *ctx, rm2i_posterior *p) {
    size_t N = p->gp.N, M = p->gp.M;
    per_output_scratch s = {.po = {.N = N, .M = M, .V = p->V, .o = p->o, .l = p->l}};
    const rm2i_per_output *po = &s.po;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_per_output, &s, &s.memory));
    for (size_t k = 0; k < M; k++)
        po->d[k] = p->gp.task_noise[k] + p->gp.noise;
    rm2_status status = rm2i_per_output_solve(&s.po, p->gp.Kf, p->gp.F, s.work);
    if (status == RM2_OK) { /* C = Kf Am, P = D^1/2 U */
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)M, 1, p->gp.Kf,
                   (int)M, po->Am, (int)N, 0, p->C, (int)N);
        for (size_t a = 0; a < M; a++)
            for (size_t k = 0; k < M; k++)
                p->P[a * M + k] = sqrt(po->d[a]) * po->Ut[k * M + a];
        for (size_t k = 0; k < M; k++)
            p->l[k] = fmax(p->l[k], 0);
        for (size_t n = 0; n < N; n++)
            p->o[n] = fmax(p->o[n], 0);
    }
    free(s.memory);
    p->observed = 1;
    return status;
}

static void lay_out_inducing(void *posterior, rm2i_arena *a) {
    rm2i_posterior *p = posterior;
    size_t M = p->gp.M, r = p->n;
    p->C = rm2i_reserve(a, double, M, r);
    p->P = rm2i_reserve(a, double, M, M);
    p->Pf = p->gp.scale ? rm2i_reserve(a, double, M, M) : p->P;
    p->root = rm2i_reserve(a, double, r, r);
    p->inverse = rm2i_reserve(a, double, r, r);
    p->own_Z = rm2i_reserve(a, double, r, p->gp.Q);
    p->sums = rm2i_reserve(a, double, rm2i_inducing_sums_count(r, M));
}

static rm2_status build_with(rm2_context *ctx, rm2i_posterior *p, const rm2i_rows *rows) {
    size_t N = p->gp.N, M = p->gp.M, Q = p->gp.Q, r = p->n;
    inducing_scratch scratch = {.r = r};
    const rm2i_inducing_shape shape = {.N = N, .M = M, .Q = Q, .r = r, .rows = rows};
    rm2i_inducing *in;
    RM2_TRY(rm2i_inducing_create(ctx, &shape, &in));
    memcpy(in->Z, p->Z, r * Q * sizeof *in->Z);
    rm2_status status = rm2i_arena_alloc(ctx, lay_out_inducing_scratch, &scratch, &scratch.memory);
    if (status == RM2_OK)
        status = solve_inducing(p, in, &scratch);
    free(scratch.memory);
    rm2i_inducing_free(in);
    return status;
}

static rm2_status build_inducing(rm2_context *ctx, rm2i_posterior *p) {
    const rm2i_gp *gp = &p->gp;
    const rm2i_rows all = rm2i_rows_alone(gp->N, gp->trajectories, gp->starts);
    size_t r = p->n = gp->inducing;
    rm2i_rows rows;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_inducing, p, &p->memory));
    p->Z = p->gp.Z = memcpy(p->own_Z, gp->Z, r * gp->Q * sizeof *p->own_Z);
    RM2_TRY(rm2i_rows_cut(ctx, &all, rm2i_unit_rows(gp->N), &rows));
    rm2_status status = build_with(ctx, p, &rows);
    rm2i_rows_free(&rows);
    return status;
}

static void lay_out_exact(void *posterior, rm2i_arena *a) {
    rm2i_posterior *p = posterior;
    size_t N = p->gp.N, M = p->gp.M;
    p->C = rm2i_reserve(a, double, M, N);
    p->P = rm2i_reserve(a, double, M, M);
    p->Pf = p->gp.scale ? rm2i_reserve(a, double, M, M) : p->P;
    p->o = rm2i_reserve(a, double, N);
    p->l = rm2i_reserve(a, double, M);
    p->L = p->V = rm2i_reserve(a, double, N, N);
}

static rm2_status build_exact(rm2_context *ctx, rm2i_posterior *p) {
    size_t N = p->gp.N;
    bool eigen = p->gp.noise_kind == RM2_NOISE_PER_OUTPUT;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_exact, p, &p->memory));
    p->n = N;
    p->Z = p->gp.X;
    if (eigen) {
        rm2i_latent_gram(ctx, &p->gp.kernel, N, p->gp.X, p->V);
        return solve_per_output(ctx, p);
    }
    double *K;
    RM2_TRY(rm2i_alloc(ctx, N, N * sizeof *K, &K));
    rm2i_latent_gram(ctx, &p->gp.kernel, N, p->gp.X, K);
    rm2_status status = solve_kronecker(ctx, p, K);
    free(K);
    return status;
}

rm2_status rm2i_posterior_create(rm2_context *ctx, const rm2i_gp *gp, rm2i_posterior **posterior) {
    *posterior = NULL;
    rm2i_posterior *p;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    p->gp = *gp;
    rm2_status status = gp->inducing ? build_inducing(ctx, p) : build_exact(ctx, p);
    if (status != RM2_OK) {
        rm2i_posterior_free(p);
        return status == RM2_ERR_NUMERIC
                   ? rm2i_fail(ctx, status, "the covariance of the training points is singular")
                   : status;
    }
    *posterior = p;
    return RM2_OK;
}

void rm2i_posterior_free(rm2i_posterior *p) {
    if (!p)
        return;
    free(p->memory);
    free(p);
}

/* ---- one point ------------------------------------------------------------------------------ */

/* With derivatives, at one point; dk follows k, so that both are reduced at once. */
typedef struct gradient_scratch {
    double *k, *dk;          /* n, Q x n */
    double *reduced, *prior; /* (Q + 1) x n: of k, then of dk; Q */
} gradient_scratch;

static void lay_out_gradient(gradient_scratch *s, const rm2i_posterior *p, rm2i_arena *a) {
    size_t n = p->n, Q = p->gp.Q;
    s->k = rm2i_reserve(a, double, n);
    s->dk = rm2i_reserve(a, double, Q, n);
    s->reduced = rm2i_reserve(a, double, Q + 1, n);
    s->prior = rm2i_reserve(a, double, Q);
}

size_t rm2i_posterior_work(const rm2i_posterior *p) {
    gradient_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out_gradient(&s, p, &a);
    return a.used;
}

void rm2i_posterior_reduce(const rm2i_posterior *p, size_t count, const double *vectors,
                           double *reduced) {
    int N = (int)p->n, c = (int)count;
    const double *rows = p->root ? p->root : p->V;
    if (p->gp.noise_kind == RM2_NOISE_KRONECKER && !p->root) {
        memcpy(reduced, vectors, count * p->n * sizeof *reduced);
        rm2i_factor_half_solve(NULL, p->n, p->L, count, reduced);
    } else {
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, N, N, 1, vectors, N, rows, N, 0,
                   reduced, N);
    }
}

void rm2i_posterior_solve(const rm2i_posterior *p, size_t count, const double *vectors,
                          double *solved) {
    int n = (int)p->n;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, n, n, 1, vectors, n,
               p->inverse, n, 0, solved, n);
}

void rm2i_posterior_restore(const rm2i_posterior *p, size_t count, const double *reduced,
                            double *solved) {
    int n = (int)p->n;
    if (p->root) {
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, n, n, 1, reduced, n,
                   p->root, n, 0, solved, n);
        return;
    }
    memcpy(solved, reduced, count * p->n * sizeof *solved);
    rm2i_factor_other_half_solve(NULL, p->n, p->L, count, solved);
}

/* l_m prior - l_m^2 sum_n a_n b_n/(l_m o_n + 1), or prior - a.b */
static double conditioned(const rm2i_posterior *p, size_t m, double prior, const double *a,
                          const double *b) {
    size_t N = p->n;
    if (p->gp.noise_kind == RM2_NOISE_KRONECKER)
        return prior - rm2i_ddot((int)N, a, 1, b, 1);
    double l = p->l[m], sum = 0;
    for (size_t n = 0; n < N; n++)
        sum += a[n] * b[n] / (l * p->o[n] + 1);
    return l * prior - l * l * sum;
}

/* All h_m are equal with Kronecker noise: one is computed. */
static size_t distinct(const rm2i_posterior *p) {
    return p->gp.noise_kind == RM2_NOISE_KRONECKER ? 1 : p->gp.M;
}

static void fill_h(const rm2i_posterior *p, const double *x, const double *reduced, double *h) {
    double prior = rm2i_latent_variance_at(&p->gp.kernel, x);
    for (size_t m = 0; m < p->gp.M; m++)
        h[m] = m < distinct(p) ? fmax(conditioned(p, m, prior, reduced, reduced), 0) : h[0];
}

typedef struct at_scratch {
    double *k, *reduced; /* points x n */
} at_scratch;

static void lay_out_at(at_scratch *s, const rm2i_posterior *p, size_t points, rm2i_arena *a) {
    s->k = rm2i_reserve(a, double, points, p->n);
    s->reduced = rm2i_reserve(a, double, points, p->n);
}

size_t rm2i_posterior_at_work(const rm2i_posterior *p, size_t n) {
    at_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out_at(&s, p, n, &a);
    return a.used;
}

void rm2i_posterior_at(const rm2i_posterior *p, size_t n, const double *x, double *f, double *h,
                       double *work) {
    size_t N = p->n, M = p->gp.M;
    at_scratch s;
    lay_out_at(&s, p, n, &(rm2i_arena){work, 0});
    for (size_t i = 0; i < n; i++)
        rm2i_latent_cross(&p->gp.kernel, N, p->Z, x + i * p->gp.Q, s.k + i * N);
    /* f = k C^T */
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)M, (int)N, 1, s.k, (int)N,
               p->C, (int)N, 0, f, (int)M);
    if (!h)
        return;
    rm2i_posterior_reduce(p, n, s.k, s.reduced);
    for (size_t i = 0; i < n; i++)
        fill_h(p, x + i * p->gp.Q, s.reduced + i * N, h + i * M);
}

/* J = C dk: dk is Q x N. */
static void jacobian_mean(const rm2i_posterior *p, const double *dk, double *J) {
    int N = (int)p->n, M = (int)p->gp.M, Q = (int)p->gp.Q;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, Q, N, 1, p->C, N, dk, N, 0, J, Q);
}

void rm2i_posterior_gradient(const rm2i_posterior *p, const double *x, double *f, double *h,
                             double *J, double *dh, double *work) {
    size_t N = p->n, M = p->gp.M, Q = p->gp.Q;
    gradient_scratch s;
    lay_out_gradient(&s, p, &(rm2i_arena){work, 0});
    double *reduced = s.reduced;
    rm2i_latent_cross_gradient(&p->gp.kernel, N, p->Z, x, s.k, s.dk);
    rm2i_dgemv(CblasRowMajor, CblasNoTrans, (int)M, (int)N, 1, p->C, (int)N, s.k, 1, 0, f, 1);
    jacobian_mean(p, s.dk, J);
    if (!h)
        return;
    rm2i_posterior_reduce(p, Q + 1, s.k, reduced);
    fill_h(p, x, reduced, h);
    for (size_t m = 0; m < M; m++)
        for (size_t q = 0; q < Q; q++) {
            double prior = p->gp.kernel.linear * x[q]; /* half of dk(x, x)/dx_q */
            dh[m * Q + q] = m < distinct(p)
                                ? 2 * conditioned(p, m, prior, reduced, reduced + (q + 1) * N)
                                : dh[q];
        }
}

/* u = L^-1 k or root k, and s = A^-1 k; returns k.s, as |u|^2 where there is a u. */
static double solve_one(const rm2i_posterior *p, const double *k, double *u, double *s) {
    int n = (int)p->n;
    if (p->inverse) {
        rm2i_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, p->inverse, n, k, 1, 0, s, 1);
        return rm2i_dot(p->n, k, s);
    }
    if (p->root) {
        rm2i_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, p->root, n, k, 1, 0, u, 1);
        rm2i_dgemv(CblasRowMajor, CblasTrans, n, n, 1, p->root, n, u, 1, 0, s, 1);
    } else {
        memcpy(u, k, p->n * sizeof *u);
        rm2i_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, p->L, n, u, 1);
        memcpy(s, u, p->n * sizeof *s);
        rm2i_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, p->L, n, s, 1);
    }
    return rm2i_dot(p->n, u, u);
}

/* s = A^-1 k: h = k** - k.s, dh_q = dk**_q - 2 dk_q.s */
void rm2i_posterior_variance(const rm2i_posterior *p, const double *x, double *h, double *dh,
                             double *work) {
    size_t n = p->n, Q = p->gp.Q;
    gradient_scratch at;
    lay_out_gradient(&at, p, &(rm2i_arena){work, 0});
    double *u = at.reduced, *s = u + n;
    rm2i_latent_cross_gradient(&p->gp.kernel, n, p->Z, x, at.k, at.dk);
    *h = fmax(rm2i_latent_variance_at(&p->gp.kernel, x) - solve_one(p, at.k, u, s), 0);
    for (size_t q = 0; q < Q; q++)
        dh[q] = 2 * (p->gp.kernel.linear * x[q] - rm2i_dot(n, at.dk + q * n, s));
}

void rm2i_posterior_jacobian(const rm2i_posterior *p, const double *x, double *J, double *R,
                             double *work) {
    size_t N = p->n, M = p->gp.M, Q = p->gp.Q;
    gradient_scratch at;
    lay_out_gradient(&at, p, &(rm2i_arena){work, 0});
    double *reduced = at.reduced, *prior = at.prior;
    rm2i_latent_cross_gradient(&p->gp.kernel, N, p->Z, x, at.k, at.dk);
    rm2i_latent_derivative_variance(&p->gp.kernel, prior);
    jacobian_mean(p, at.dk, J);
    rm2i_posterior_reduce(p, Q, at.dk, reduced);
    for (size_t m = 0; m < M; m++)
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s < Q; s++)
                R[(m * Q + r) * Q + s] =
                    m < distinct(p)
                        ? conditioned(p, m, r == s ? prior[r] : 0, reduced + r * N, reduced + s * N)
                        : R[r * Q + s];
}

void rm2i_posterior_covariance(const rm2i_posterior *p, const double *h, double *cov,
                               double *work) {
    size_t M = p->gp.M;
    int m = (int)M;
    for (size_t a = 0; a < M; a++)
        for (size_t k = 0; k < M; k++)
            work[a * M + k] = p->P[a * M + k] * h[k];
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, m, 1, work, m, p->P, m, 0, cov, m);
    rm2i_symmetrise(M, cov);
}
