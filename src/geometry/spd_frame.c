/* Tangent spaces of SPD(n): frames, coordinates, the basis of eigenvectors.
 *
 * With P = L L^T the map V -> S = L^-1 V L^-T is an isometry onto symmetric matrices with the
 * Frobenius product; coordinates are S_ii and sqrt(2) S_ij (i < j) by rows of the upper triangle.
 * Triangular factors of small matrices are multiplied by loops over their triangles. */
#include "geometry/spd.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/clones.h"
#include "linalg/dense.h"

enum { SMALL_N = 48 }; /* up to here triangles by loops beat full products by BLAS */

/* ---- scratch -------------------------------------------------------------------------------- */

/* Without the scratch of squared norms, which only they need; n_max keeps n * n in range. */
static void lay_out(rm2i_spd_scratch *s, size_t n, rm2i_arena *a) {
    size_t square = n * n;
    s->values = rm2i_reserve(a, double, n);
    s->Ut = rm2i_reserve(a, double, square);
    s->A = rm2i_reserve(a, double, square);
    s->B = rm2i_reserve(a, double, square);
    s->C = rm2i_reserve(a, double, square);
    rm2i_arena frame = *a, metric = *a;
    s->frame = rm2i_reserve(&frame, double, 4, square);
    s->g = rm2i_reserve(&metric, double, square);
    s->Z = rm2i_reserve(&metric, double, square);
    s->W = rm2i_reserve(&metric, double, square);
    s->X = rm2i_reserve(&metric, double, square);
    *a = rm2i_arena_longer(frame, metric);
    rm2i_arena eigen = *a, derivative = *a;
    s->eigen = rm2i_reserve(&eigen, double, rm2i_eigen_work(n));
    s->T = rm2i_reserve(&derivative, double, n);
    *a = rm2i_arena_longer(eigen, derivative);
    s->norms = rm2i_reserve(a, double, 0);
}

size_t rm2i_spd_work_size(size_t n) {
    rm2i_spd_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, n, &a);
    (void)rm2i_reserve(&a, double, rm2i_spd_norms_work(n));
    return a.used;
}

rm2i_spd_scratch rm2i_spd_split(size_t n, double *work) {
    rm2i_spd_scratch s;
    lay_out(&s, n, &(rm2i_arena){work, 0});
    return s;
}

/* ---- coordinates <-> symmetric matrices ----------------------------------------------------- */

void rm2i_spd_pack_coords(size_t n, const double *S, double *c) {
    for (size_t i = 0; i < n; i++) {
        *c++ = S[i * n + i];
        for (size_t j = i + 1; j < n; j++)
            *c++ = 1.41421356237309504880 * S[i * n + j];
    }
}

void rm2i_spd_unpack_coords(size_t n, const double *c, double *S) {
    for (size_t i = 0; i < n; i++) {
        S[i * n + i] = *c++;
        for (size_t j = i + 1; j < n; j++)
            S[i * n + j] = S[j * n + i] = 0.70710678118654752440 * *c++;
    }
}

/* ---- tangent spaces ------------------------------------------------------------------------- */

rm2_status rm2i_spd_frame(size_t n, const double *p, double *out, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double *Lt = out + n * n, *inverse = Lt + n * n, *inverse_t = inverse + n * n;
    memcpy(out, p, n * n * sizeof *out);
    if (isinf(rm2i_max_abs(n * n, p)) || rm2i_cholesky(n, p, s.A) != RM2_OK)
        return RM2_ERR_DOMAIN;
    rm2i_transpose(n, s.A, Lt);
    rm2i_lower_inverse(n, s.A, inverse);
    rm2i_transpose(n, inverse, inverse_t);
    return RM2_OK;
}

static const double *frame_Lt(size_t n, const double *f) {
    return f + n * n;
}

/* Lower triangle to the upper one. */
static void mirror(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j];
}

/* out = X Lt, Lt upper triangular: row i += X_ik Lt_k from entry k on. Rows are padded to multiples of
 * four entries, so that the inner loop is whole vectors; what lies before k is zero. */
RM2I_AVX2_CLONES static void times_Lt_loops(size_t n, const double *restrict X,
                                            const double *restrict Lt, double *restrict out) {
    size_t ld = (n + 3) / 4 * 4;
    double padded[SMALL_N * SMALL_N], row[SMALL_N];
    for (size_t k = 0; k < n; k++) {
        memcpy(padded + k * ld, Lt + k * n, n * sizeof *padded);
        memset(padded + k * ld + n, 0, (ld - n) * sizeof *padded);
    }
    for (size_t i = 0; i < n; i++) {
        memset(row, 0, ld * sizeof *row);
        for (size_t k = 0; k < n; k++)
            for (size_t j = k / 4 * 4; j < ld; j += 4)
                for (size_t q = j; q < j + 4; q++)
                    row[q] += X[i * n + k] * padded[k * ld + q];
        memcpy(out + i * n, row, n * sizeof *row);
    }
}

/* Lower triangle of L^-1 X L^-T, from R = L^-1 and Rt. */
RM2I_AVX2_CLONES static void whiten_loops(size_t n, const double *R, const double *Rt,
                                          const double *X, double *out, double *half) {
    memset(out, 0, n * n * sizeof *out);
    memset(half, 0, n * n * sizeof *half);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            rm2i_axpy(n, R[i * n + k], X + k * n, half + i * n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            rm2i_axpy(i - k + 1, half[i * n + k], Rt + k * n + k, out + i * n + k);
}

/* Lower triangle of (Lt)^T T for T = X Lt: row i, up to the diagonal, += Lt_ki T_k. */
RM2I_AVX2_CLONES static void colour_loops(size_t n, const double *Lt, const double *T,
                                          double *out) {
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k; i < n; i++)
            rm2i_axpy(i + 1, Lt[k * n + i], T + k * n, out + i * n);
}

/* out = R X R^T for symmetric X, through a scratch matrix: (R X) then rows against R^T. */
static void congruence(size_t n, const double *R, const double *Rt, const double *X, double *out,
                       double *half) {
    rm2i_multiply(n, R, X, half);
    rm2i_multiply(n, half, Rt, out);
    rm2i_symmetrise(n, out);
}

void rm2i_spd_times_Lt(size_t n, const double *X, const double *f, double *out) {
    if (n > SMALL_N)
        rm2i_multiply(n, X, frame_Lt(n, f), out);
    else
        times_Lt_loops(n, X, frame_Lt(n, f), out);
}

void rm2i_spd_whiten(size_t n, const double *f, const double *X, double *out, double *half) {
    if (n > SMALL_N) {
        congruence(n, f + 2 * n * n, f + 3 * n * n, X, out, half);
        return;
    }
    whiten_loops(n, f + 2 * n * n, f + 3 * n * n, X, out, half);
    mirror(n, out);
}

/* out = L X L^T = (Lt)^T X Lt */
static void colour(size_t n, const double *f, const double *X, double *out, double *half) {
    rm2i_spd_times_Lt(n, X, f, half);
    if (n > SMALL_N) {
        rm2i_multiply_tn(n, frame_Lt(n, f), half, out);
        rm2i_symmetrise(n, out);
        return;
    }
    colour_loops(n, frame_Lt(n, f), half, out);
    mirror(n, out);
}

void rm2i_spd_to_coords(size_t n, const double *f, const double *v, double *c, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    rm2i_spd_whiten(n, f, v, s.A, s.B);
    rm2i_spd_pack_coords(n, s.A, c);
}

void rm2i_spd_from_coords(size_t n, const double *f, const double *c, double *v, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    rm2i_spd_unpack_coords(n, c, s.A);
    colour(n, f, s.A, v, s.B);
}

/* ---- eigenvectors --------------------------------------------------------------------------- */

rm2_status rm2i_spd_decompose(size_t n, const double *c, const rm2i_spd_scratch *s) {
    rm2i_spd_unpack_coords(n, c, s->A);
    return rm2i_eigen(n, s->A, s->values, s->Ut, s->eigen);
}

void rm2i_spd_rotate_in(size_t n, const double *X, double *out, const rm2i_spd_scratch *s) {
    rm2i_multiply(n, s->Ut, X, s->B);
    rm2i_multiply(n, s->B, s->C, out);
}
