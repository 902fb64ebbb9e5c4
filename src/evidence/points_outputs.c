/* The outputs around a linear function of the latents, and their covariance:
 *
 *   B^T = (X^T X)^-1 X^T F,  W an orthonormal basis of its rows,  P = W^T W
 *   R = (F - X B^T) (I - P),  A = w (X X^T + 1 1^T) + g K + I,  S = R^T A^-1 R
 *   e = (tr S + c m)/((n + nu) m),   Kf = (S + c (I - P))/(n + nu) + e P,   m = M less the columns of W
 *
 * Inside the span of W the residual is zero by construction, and the noise there has the mean level e, as
 * in probabilistic principal components. Without a plane P = 0, R = F and m = M. F is kept task-major. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "evidence/points.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

static const double DEPENDENT = 1e-8; /* of the largest column of B: shorter ones are rounding */

typedef struct linear_layout {
    const rm2i_points_data *d;
    rm2i_points_linear *linear;
} linear_layout;

static void lay_out_linear(void *arg, rm2i_arena *a) {
    const linear_layout *l = arg;
    size_t N = l->d->N, M = l->d->M, Q = l->d->Q;
    l->linear->B = rm2i_reserve(a, double, M, Q);
    l->linear->W = rm2i_reserve(a, double, Q, M);
    l->linear->left = rm2i_reserve(a, double, M, N);
    l->linear->small = rm2i_reserve(a, double, 2, Q, Q);
    l->linear->scores = rm2i_reserve(a, double, Q, N);
}

rm2_status rm2i_points_linear_create(rm2_context *ctx, const rm2i_points_data *d,
                                     rm2i_points_linear *linear) {
    linear_layout l = {d, linear};
    *linear = (rm2i_points_linear){.columns = 0};
    return rm2i_arena_calloc(ctx, lay_out_linear, &l, &linear->memory);
}

/* B = F X (X^T X)^-1 */
static rm2_status regress(const rm2i_points_data *d, const double *X, rm2i_points_linear *l) {
    int N = (int)d->N, M = (int)d->M, Q = (int)d->Q;
    double *products = l->small, *L = l->small + d->Q * d->Q, jitter;
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, Q, N, 1, X, Q, 0, products, Q);
    RM2_TRY(rm2i_factor(NULL, d->Q, products, 0, L, &jitter));
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, Q, N, 1, d->F, N, X, Q, 0, l->B, Q);
    rm2i_factor_solve(NULL, d->Q, L, d->M, l->B);
    return RM2_OK;
}

/* Gram and Schmidt on the columns of B, each against those before it twice. */
static void find_basis(const rm2i_points_data *d, rm2i_points_linear *l) {
    double largest = 0;
    l->columns = 0;
    for (size_t q = 0; q < d->Q; q++) {
        double square = 0;
        for (size_t m = 0; m < d->M; m++)
            square += l->B[m * d->Q + q] * l->B[m * d->Q + q];
        largest = fmax(largest, sqrt(square));
    }
    for (size_t q = 0; q < d->Q; q++) {
        double *w = l->W + l->columns * d->M;
        for (size_t m = 0; m < d->M; m++)
            w[m] = l->B[m * d->Q + q];
        for (size_t k = 0; k < 2 * l->columns; k++) {
            const double *v = l->W + k % l->columns * d->M;
            rm2i_axpy(d->M, -rm2i_dot(d->M, v, w), v, w);
        }
        double norm = rm2i_norm(d->M, w);
        if (!(norm > DEPENDENT * largest))
            continue;
        for (size_t m = 0; m < d->M; m++)
            w[m] /= norm;
        l->columns++;
    }
}

/* left = F - B X^T, less its part in W */
static void find_left(const rm2i_points_data *d, const double *X, rm2i_points_linear *l) {
    int N = (int)d->N, M = (int)d->M, Q = (int)d->Q, columns = (int)l->columns;
    memcpy(l->left, d->F, d->M * d->N * sizeof *l->left);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, N, Q, -1, l->B, Q, X, Q, 1, l->left, N);
    if (columns == 0)
        return;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, columns, N, M, 1, l->W, M, l->left, N, 0,
               l->scores, N);
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, M, N, columns, -1, l->W, M, l->scores, N, 1,
               l->left, N);
}

rm2_status rm2i_points_linear_at(const rm2i_points_data *d, const double *X, bool plane,
                                 rm2i_points_linear *l) {
    RM2_TRY(regress(d, X, l));
    l->unit = rm2i_norm(d->M * d->Q, l->B) / sqrt((double)d->Q);
    l->columns = 0;
    if (!plane) {
        memcpy(l->left, d->F, d->M * d->N * sizeof *l->left);
        return RM2_OK;
    }
    find_basis(d, l);
    find_left(d, X, l);
    return RM2_OK;
}

/* ---- covariance ----------------------------------------------------------------------------- */

typedef struct covariance_scratch {
    size_t N, M;
    double *K, *L;          /* N x N; by inducing points NULL */
    double *Y, *S, *memory; /* M x N, M x M: S = R^T A^-1 R, lower triangle */
} covariance_scratch;

static void lay_out_covariance(void *arg, rm2i_arena *a) {
    covariance_scratch *s = arg;
    s->K = rm2i_reserve(a, double, s->N, s->N);
    s->L = rm2i_reserve(a, double, s->N, s->N);
    s->Y = rm2i_reserve(a, double, s->M, s->N);
    s->S = rm2i_reserve(a, double, s->M, s->M);
}

static void lay_out_inducing(void *arg, rm2i_arena *a) {
    covariance_scratch *s = arg;
    s->K = s->L = NULL;
    s->Y = rm2i_reserve(a, double, s->M, s->N);
    s->S = rm2i_reserve(a, double, s->M, s->M);
}

/* tr S, and S where Kf is wanted */
static rm2_status exact_products(rm2_context *ctx, const rm2i_points_linear *l,
                                 const rm2i_points_covariance *c, covariance_scratch *s,
                                 double *trace) {
    int M = (int)s->M, N = (int)s->N;
    double jitter;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_covariance, s, &s->memory));
    rm2i_latent_gram(ctx, c->kernel, s->N, c->X, s->K);
    RM2_TRY(rm2i_factor(ctx, s->N, s->K, 1, s->L, &jitter));
    memcpy(s->Y, l->left, s->M * s->N * sizeof *s->Y);
    rm2i_factor_half_solve(ctx, s->N, s->L, s->M, s->Y);
    *trace = rm2i_dot(s->M * s->N, s->Y, s->Y);
    if (c->Kf)
        rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, N, 1, s->Y, N, 0, s->S, M);
    return RM2_OK;
}

static rm2_status inducing_products(rm2_context *ctx, const rm2i_points_linear *l,
                                    const rm2i_points_covariance *c, covariance_scratch *s,
                                    double *trace) {
    const rm2i_inducing_shape shape = {
        .N = s->N, .M = s->M, .Q = c->kernel->dim, .r = c->r, .index = c->index};
    rm2i_inducing *in;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_inducing, s, &s->memory));
    RM2_TRY(rm2i_inducing_create(ctx, &shape, &in));
    in->Y = s->Y;
    in->S = s->S;
    rm2_status status = rm2i_inducing_solve(in, c->kernel, c->X, 1, l->left);
    rm2i_inducing_free(in);
    *trace = 0;
    for (size_t k = 0; status == RM2_OK && k < s->M; k++)
        *trace += s->S[k * (s->M + 1)];
    return status;
}

/* Kf from S, W and the level. */
static void fill_covariance(const covariance_scratch *s, const rm2i_points_linear *l,
                            const rm2i_points_covariance *c) {
    size_t M = s->M;
    double over = 1 / (c->freedom + c->weight), isotropic = fmax(c->scale, c->weight * c->least);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j <= i; j++)
            c->Kf[i * M + j] = over * (s->S[i * M + j] + (i == j ? isotropic : 0));
    if (l->columns > 0) /* + (e - c/(n + nu)) P */
        rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)M, (int)l->columns,
                   c->level - isotropic * over, l->W, (int)M, 1, c->Kf, (int)M);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < i; j++)
            c->Kf[j * M + i] = c->Kf[i * M + j];
}

rm2_status rm2i_points_outputs(rm2_context *ctx, const rm2i_points_data *d,
                               const rm2i_points_linear *l, bool plane, rm2i_points_covariance *c) {
    covariance_scratch s = {.N = d->N, .M = d->M};
    double m = (double)(d->M - (plane ? l->columns : 0)), trace;
    rm2_status status =
        c->r > 0 ? inducing_products(ctx, l, c, &s, &trace) : exact_products(ctx, l, c, &s, &trace);
    if (status == RM2_OK) {
        c->level = fmax((trace + c->scale * m) / ((c->freedom + c->weight) * m), c->least);
        if (c->Kf)
            fill_covariance(&s, l, c);
    }
    free(s.memory);
    return status == RM2_ERR_NUMERIC
               ? rm2i_fail(ctx, status, "the covariance of the training points is singular")
               : status;
}
