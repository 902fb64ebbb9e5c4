/* Configurations from inner products. Classical scaling (Torgerson, Psychometrika 17, 1952):
 *
 *     B = -1/2 J (d^2) J,  J = I - 1 1^T / N,     B = V diag(lambda) V^T,     X = V_Q lambda_Q^1/2
 *
 * and principal components, Y = U S W^T for centred Y: X = (U S)_Q = (Y W)_Q, from the smaller of
 * Y^T Y = W S^2 W^T and Y Y^T = U S^2 U^T.
 *
 * For many points, classical scaling of some of them, the landmarks, and all by triangulation (de Silva
 * and Tenenbaum, Stanford technical report, 2004): with m_i the mean squared distance of landmark i from
 * the landmarks, and d_i its distance from x,
 *
 *     x_q = 1/2 sum_i V_iq (m_i - d_i^2) / lambda_q^1/2
 *
 * which is the point itself at a landmark; principal axes of all points are taken at the end.
 *
 * Only the Q leading eigenpairs are computed (LAPACK dsyevr, bisection and inverse iteration: the
 * same bits each time), on one thread, because sums shared by threads depend on their number. The
 * sign of a column is free; its entry of largest magnitude is made positive. An eigenvalue below
 * NEGLIGIBLE times the first is rounding, and its column gets a spread instead: the R_d sequence of
 * Roberts (frac(i g^-q), g^(d+1) = g + 1), even in the d columns that need it and barely correlated
 * with the others. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/serial.h"
#include "start/start.h"

#define NEGLIGIBLE 1e-10 /* of the first eigenvalue: 1e-5 of its extent */
#define SAME       1e-6  /* magnitudes this close are equal when the sign is chosen */

/* ---- eigenpairs ----------------------------------------------------------------------------- */

/* The `count` largest eigenvalues, rising, of a symmetric matrix (destroyed), and their vectors, by rows. */
typedef struct leading {
    size_t n, count;
    double *values, *vectors; /* n, of which `count` are set; count x n */
} leading;

static void lay_out_leading(leading *e, rm2i_arena *a) {
    e->values = rm2i_reserve(a, double, e->n);
    e->vectors = rm2i_reserve(a, double, e->count, e->n);
}

static void lay_out_scratch(void *eigen, rm2i_arena *a) {
    rm2i_largest_eigen *e = eigen;
    e->work.doubles = rm2i_reserve(a, double, (size_t)e->work.double_count);
    e->work.integers = rm2i_reserve(a, int, (size_t)e->work.integer_count);
    e->support = rm2i_reserve(a, int, 2, (size_t)e->n);
}

/* Ask for the sizes of the scratch memory. */
static rm2_status ask_sizes(rm2_context *ctx, rm2i_largest_eigen *e) {
    double doubles = 0;
    int integers = 0;
    rm2i_largest_eigen query = *e;
    query.work = (rm2i_lapack_work){&doubles, &integers, -1, -1};
    if (rm2i_dsyevr(&query) != 0)
        return rm2i_fail(ctx, RM2_ERR_NUMERIC, "eigenvalue problem of size %d refused", e->n);
    e->work.double_count = (int)doubles;
    e->work.integer_count = integers;
    return RM2_OK;
}

static rm2_status leading_eigen(rm2_context *ctx, double *A, const leading *wanted) {
    if (wanted->n > INT_MAX / 2)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "eigenvalue problem of size %zu", wanted->n);
    rm2i_largest_eigen e = {.n = (int)wanted->n,
                            .count = (int)wanted->count,
                            .A = A,
                            .values = wanted->values,
                            .vectors = wanted->vectors};
    double *memory;
    RM2_TRY(ask_sizes(ctx, &e));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_scratch, &e, &memory));
    int info = rm2i_dsyevr(&e);
    free(memory);
    if (info != 0 || e.found != e.count)
        return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                         "no convergence in an eigenvalue problem of size %zu", wanted->n);
    return RM2_OK;
}

/* ---- columns of a start --------------------------------------------------------------------- */

static double deviation(size_t count, const double *x) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        mean += x[i];
    mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        square += (x[i] - mean) * (x[i] - mean);
    return sqrt(square / (double)count);
}

void rm2i_start_unit(size_t N, size_t Q, double *X) {
    double scale = deviation(N * Q, X);
    for (size_t i = 0; scale > 0 && i < N * Q; i++)
        X[i] /= scale;
}

static void choose_sign(size_t N, size_t Q, double *column) {
    double largest = 0;
    for (size_t i = 0; i < N; i++)
        largest = fmax(largest, fabs(column[i * Q]));
    size_t first = 0;
    while (fabs(column[first * Q]) < (1 - SAME) * largest)
        first++;
    if (column[first * Q] < 0)
        for (size_t i = 0; i < N; i++)
            column[i * Q] = -column[i * Q];
}

/* Columns held .. Q - 1 get their spread; the others, their sign. */
static void complete(size_t N, size_t Q, size_t held, double *X) {
    for (size_t q = 0; q < held; q++)
        choose_sign(N, Q, X + q);
    if (held == Q)
        return;
    double g = 1.5, step = 1, missing = (double)(Q - held);
    double size = RM2I_START_SPREAD * sqrt(12.) * deviation(N * Q, X); /* uniform: variance 1/12 */
    for (int i = 0; i < 100; i++)
        g = pow(1 + g, 1 / (missing + 1));
    for (size_t q = held; q < Q; q++) {
        double mean = 0, whole;
        step /= g;
        for (size_t i = 0; i < N; i++) {
            X[i * Q + q] = size * modf((double)(i + 1) * step, &whole);
            mean += X[i * Q + q] / (double)N;
        }
        for (size_t i = 0; i < N; i++)
            X[i * Q + q] -= mean;
    }
}

/* How many of the eigenvalues are more than rounding. */
static size_t count_held(const leading *e) {
    size_t held = 0;
    while (held < e->count && e->values[e->count - 1 - held] > NEGLIGIBLE * e->values[e->count - 1])
        held++;
    return held;
}

static rm2_status no_extent(rm2_context *ctx, size_t N) {
    return rm2i_fail(ctx, RM2_ERR_DATA, "%zu points are too close together for a start", N);
}

static void lay_out_pairs(void *arg, rm2i_arena *a) {
    lay_out_leading(arg, a);
}

/* The eigenpairs of A (n x n, destroyed) that are more than rounding: the last `held` of count. The
 * caller frees *memory, also after a failure. */
static rm2_status held_pairs(rm2_context *ctx, size_t points, double *A, leading *e, size_t *held,
                             double **memory) {
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_pairs, e, memory));
    RM2_TRY(leading_eigen(ctx, A, e));
    *held = count_held(e);
    return *held > 0 ? RM2_OK : no_extent(ctx, points);
}

/* X = V lambda^1/2 for the inner products B (N x N, destroyed). */
static rm2_status from_products(rm2_context *ctx, size_t N, double *B, size_t Q, double *X) {
    leading e = {.n = N, .count = Q < N ? Q : N};
    size_t held = 0;
    double *memory;
    rm2_status status = held_pairs(ctx, N, B, &e, &held, &memory);
    if (status == RM2_OK) {
        memset(X, 0, N * Q * sizeof *X);
        for (size_t q = 0; q < held; q++) {
            size_t k = e.count - 1 - q;
            for (size_t i = 0; i < N; i++)
                X[i * Q + q] = sqrt(e.values[k]) * e.vectors[k * N + i];
        }
        complete(N, Q, held, X);
    }
    free(memory);
    return status;
}

/* ---- classical scaling ---------------------------------------------------------------------- */

static void centre_twice(size_t N, double *B, double *means) {
    double mean = 0;
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++) {
            B[i * N + j] *= B[i * N + j];
            sum += B[i * N + j];
        }
        means[i] = sum / (double)N;
        mean += means[i] / (double)N;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            B[i * N + j] = -0.5 * (B[i * N + j] - means[i] - means[j] + mean);
}

rm2_status rm2i_start_mds(rm2_context *ctx, size_t N, double *distance, size_t Q, double *X) {
    for (size_t i = 0; i < N * N; i++)
        if (!isfinite(distance[i]))
            return rm2i_fail(ctx, RM2_ERR_NUMERIC, "the distance of points %zu and %zu is %g",
                             i / N, i % N, distance[i]);
    double *means;
    RM2_TRY(rm2i_alloc(ctx, N, sizeof *means, &means));
    centre_twice(N, distance, means);
    free(means);
    return from_products(ctx, N, distance, Q, X);
}

/* ---- landmarks ------------------------------------------------------------------------------ */

void rm2i_landmarks_free(rm2i_landmarks *l) {
    free(l->means);
    *l = (rm2i_landmarks){0};
}

/* weight_iq = V_iq / (2 lambda_q^1/2) */
static void fill_weights(const leading *e, rm2i_landmarks *l) {
    for (size_t i = 0; i < l->count; i++)
        for (size_t q = 0; q < l->held; q++) {
            size_t k = e->count - 1 - q;
            l->weights[i * l->held + q] = e->vectors[k * e->n + i] / (2 * sqrt(e->values[k]));
        }
}

rm2_status rm2i_landmarks_solve(rm2_context *ctx, size_t points, size_t count, double *distance,
                                size_t Q, rm2i_landmarks *l) {
    leading e = {.n = count, .count = Q < count ? Q : count};
    double *memory = NULL;
    *l = (rm2i_landmarks){.count = count};
    RM2_TRY(rm2i_alloc(ctx, count, (1 + e.count) * sizeof *l->means, &l->means));
    l->weights = l->means + count;
    centre_twice(count, distance, l->means);
    rm2_status status = held_pairs(ctx, points, distance, &e, &l->held, &memory);
    if (status == RM2_OK)
        fill_weights(&e, l);
    else
        rm2i_landmarks_free(l);
    free(memory);
    return status;
}

/* ---- principal components ------------------------------------------------------------------- */

static void centre(size_t N, size_t D, double scale, const double *Y, double *C) {
    for (size_t m = 0; m < D; m++) {
        double mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += scale * Y[i * D + m];
        mean /= (double)N;
        for (size_t i = 0; i < N; i++)
            C[i * D + m] = scale * Y[i * D + m] - mean;
    }
}

/* P = C^T C (D x D) or C C^T (N x N), lower triangle in columns. */
static void products(size_t N, size_t D, bool of_columns, const double *C, double *P) {
    int rows = (int)(of_columns ? D : N), inner = (int)(of_columns ? N : D), width = (int)D;
    rm2i_dsyrk(CblasRowMajor, CblasUpper, of_columns ? CblasTrans : CblasNoTrans, rows, inner, 1, C,
               width, 0, P, rows);
}

/* X = C W for the eigenvectors W of P = C^T C (destroyed). */
static rm2_status scores(rm2_context *ctx, size_t N, size_t D, const double *C, double *P, size_t Q,
                         double *X) {
    leading e = {.n = D, .count = Q < D ? Q : D};
    size_t held = 0;
    double *memory;
    rm2_status status = held_pairs(ctx, N, P, &e, &held, &memory);
    if (status == RM2_OK) {
        memset(X, 0, N * Q * sizeof *X);
        for (size_t q = 0; q < held; q++)
            for (size_t i = 0; i < N; i++)
                X[i * Q + q] = rm2i_dot(D, C + i * D, e.vectors + (e.count - 1 - q) * D);
        complete(N, Q, held, X);
    }
    free(memory);
    return status;
}

typedef struct centred {
    size_t N, D, side;
    double *C, *P, *memory; /* N x D, side x side */
} centred;

static void lay_out_centred(void *arg, rm2i_arena *a) {
    centred *c = arg;
    c->C = rm2i_reserve(a, double, c->N, c->D);
    c->P = rm2i_reserve(a, double, c->side, c->side);
}

rm2_status rm2i_start_pca(rm2_context *ctx, size_t N, size_t D, const double *Y, size_t Q,
                          bool scale, double *X0) {
    double shrink;
    RM2_TRY(rm2i_start_check(ctx, &(rm2i_start_data){.N = N, .M = D, .F = Y}, Q, &shrink));
    if (N > INT_MAX / 2 || D > INT_MAX / 2)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "principal components of %zu x %zu", N, D);
    bool of_columns = D <= N;
    centred c = {.N = N, .D = D, .side = of_columns ? D : N};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_centred, &c, &c.memory));
    centre(N, D, shrink, Y, c.C);
    products(N, D, of_columns, c.C, c.P);
    rm2_status status =
        of_columns ? scores(ctx, N, D, c.C, c.P, Q, X0) : from_products(ctx, N, c.P, Q, X0);
    free(c.memory);
    if (status != RM2_OK)
        return status;
    if (scale)
        rm2i_start_unit(N, Q, X0);
    else
        for (size_t i = 0; i < N * Q; i++)
            X0[i] /= shrink;
    return RM2_OK;
}
