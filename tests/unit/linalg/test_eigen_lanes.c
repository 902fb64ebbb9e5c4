/* Eigenproblems side by side against LAPACK's dsyevd: spectra that are clustered, graded, degenerate, of huge ratios; and
 * every lane by itself. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "linalg/dense.h"
#include "linalg/eigen_lanes.h"
#include "linalg/factor.h"
#include "riemann2/base.h"

enum { N = RM2I_LANES_MOST, LANES = RM2I_LANES, KINDS = 11 };

/* ---- matrices ------------------------------------------------------------------------------- */

static double eigenvalue(int kind, size_t k, rm2_rng *rng) {
    double x = (double)k;
    switch (kind) {
    case 0:
        return rm2_rng_normal(rng);
    case 1:
        return 1 + 1e-14 * x; /* clustered */
    case 2:
        return k % 3 ? 2 : -1; /* degenerate */
    case 3:
        return pow(10, -x / 2); /* graded */
    case 4:
        return pow(10, x / 2);
    case 5:
        return k == 0 ? 1e12 : 1; /* huge ratio */
    case 6:
        return k == 0 ? 3 : 0; /* rank one */
    case 7:
        return 1e-120 * (1 + x);
    case 8:
        return 1e120 * (1 + x);
    default:
        return 0;
    }
}

/* Rows of V: an orthonormal basis, by Gram and Schmidt twice. */
static void random_basis(size_t n, rm2_rng *rng, double *V) {
    for (size_t i = 0; i < n; i++) {
        double *v = V + i * n, square = 0;
        for (size_t k = 0; k < n; k++)
            v[k] = rm2_rng_normal(rng);
        for (size_t twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < i; j++) {
                double along = 0;
                for (size_t k = 0; k < n; k++)
                    along += v[k] * V[j * n + k];
                for (size_t k = 0; k < n; k++)
                    v[k] -= along * V[j * n + k];
            }
        for (size_t k = 0; k < n; k++)
            square += v[k] * v[k];
        for (size_t k = 0; k < n; k++)
            v[k] /= sqrt(square);
    }
}

/* The last kinds: zero, and one that is tridiagonal with rows that are decoupled. */
static void make_matrix(int kind, size_t n, rm2_rng *rng, double *A) {
    double V[N * N];
    memset(A, 0, n * n * sizeof *A);
    random_basis(n, rng, V);
    for (size_t m = 0; m < n && kind < KINDS - 1; m++) {
        double value = eigenvalue(kind, m, rng);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                A[j * n + i] = A[i * n + j] += value * V[m * n + i] * V[m * n + j];
    }
    for (size_t i = 0; i < n && kind == KINDS - 1; i++) {
        A[i * n + i] = rm2_rng_normal(rng);
        if (i > 0 && i % 4)
            A[i * n + i - 1] = A[(i - 1) * n + i] = rm2_rng_normal(rng);
    }
}

/* ---- one lane against LAPACK ---------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double norm_of(size_t n, const double *A) {
    double largest = 0;
    for (size_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(A[i]));
    return (double)n * largest;
}

/* Against LAPACK's dsyevd. Backward stable: errors of 10 n eps |A|, |A| <= n max |a_ij|. */
static void check_values(size_t n, const double *A, const double *values) {
    double copy[N * N], want[N], got[N], size = norm_of(n, A);
    double *work = calloc(rm2i_symmetric_eigen_work(n), sizeof *work);
    assert_non_null(work);
    memcpy(copy, A, n * n * sizeof *A);
    assert_int_equal(rm2i_symmetric_eigen(n, copy, want, work), RM2_OK);
    free(work);
    memcpy(got, values, n * sizeof *got);
    qsort(got, n, sizeof *got, ascending);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(got[i] - want[i]) <= 10 * (double)n * DBL_EPSILON * size);
}

static void check_vectors(size_t n, const double *A, const double *values, const double *V) {
    double allowed = 20 * (double)n * DBL_EPSILON, size = norm_of(n, A);
    for (size_t a = 0; a < n; a++) {
        for (size_t i = 0; i < n; i++) { /* A v = value v */
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += A[i * n + k] * V[a * n + k];
            assert_true(fabs(sum - values[a] * V[a * n + i]) <= allowed * size);
        }
        for (size_t b = 0; b <= a; b++) { /* V V^T = I */
            double sum = a == b ? -1 : 0;
            for (size_t k = 0; k < n; k++)
                sum += V[a * n + k] * V[b * n + k];
            assert_true(fabs(sum) <= allowed);
        }
    }
}

static void put_lane(size_t n, size_t lane, const double *A, rm2i_lanes *lanes) {
    for (size_t i = 0; i < n * n; i++)
        lanes[i][lane] = A[i];
}

static void take_lane(size_t count, size_t lane, rm2i_lanes *lanes, double *A) {
    for (size_t i = 0; i < count; i++)
        A[i] = lanes[i][lane];
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* All kinds next to each other, in every size. */
static void eigenvalues_and_vectors(void **state) {
    (void)state;
    static double A[LANES][N * N];
    static rm2i_lanes lanes[N * N], values[N];
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t n = 1; n <= N; n++)
        for (int shift = 0; shift < KINDS; shift++) {
            for (size_t l = 0; l < LANES; l++) {
                make_matrix(((int)l + shift) % KINDS, n, &rng, A[l]);
                put_lane(n, l, A[l], lanes);
            }
            assert_true(rm2i_eigen_lanes(n, lanes, values));
            for (size_t l = 0; l < LANES; l++) {
                double own[N], V[N * N];
                take_lane(n, l, values, own);
                take_lane(n * n, l, lanes, V);
                check_values(n, A[l], own);
                check_vectors(n, A[l], own, V);
            }
        }
}

/* The bits of a lane do not depend on the others. */
static void lanes_do_not_meet(void **state) {
    (void)state;
    enum { SIZE = 15 };
    static rm2i_lanes together[SIZE * SIZE], alone[SIZE * SIZE], values[SIZE], own[SIZE];
    static double A[LANES][SIZE * SIZE];
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    for (size_t l = 0; l < LANES; l++) {
        make_matrix((int)l, SIZE, &rng, A[l]);
        put_lane(SIZE, l, A[l], together);
    }
    assert_true(rm2i_eigen_lanes(SIZE, together, values));
    for (size_t l = 0; l < LANES; l++) {
        for (size_t k = 0; k < LANES; k++)
            put_lane(SIZE, k, A[l], alone);
        assert_true(rm2i_eigen_lanes(SIZE, alone, own));
        for (size_t i = 0; i < SIZE; i++)
            assert_true(own[i][(l + 3) % LANES] == values[i][l]);
        for (size_t i = 0; i < SIZE * SIZE; i++)
            assert_true(alone[i][(l + 3) % LANES] == together[i][l]);
    }
}

static void no_numbers_are_refused(void **state) {
    (void)state;
    static rm2i_lanes lanes[9], values[3];
    for (size_t i = 0; i < 9; i++)
        for (size_t l = 0; l < LANES; l++)
            lanes[i][l] = i % 4 == 0;
    lanes[3][LANES - 1] = NAN;
    assert_false(rm2i_eigen_lanes(3, lanes, values));
}

/* ---- many matrices --------------------------------------------------------------------------- */

/* |A - sum_k values_k v_k v_k^T|, largest entry. */
static double residual(size_t n, const double *A, const double *values, const double *V) {
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += values[k] * V[k * n + i] * V[k * n + j];
            worst = fmax(worst, fabs(A[i * n + j] - sum));
        }
    return worst;
}

static double largest_entry(size_t n, const double *A) {
    double largest = 0;
    for (size_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(A[i]));
    return largest;
}

/* Any number of matrices, of sizes that lanes can do and of others, among them one that only the call for single ones
 * can: each decomposes as n rounding errors of its largest entry let it. */
static void many_matrices(void **state) {
    (void)state;
    enum { MOST = 9, LARGEST = 40 };
    static double A[MOST * LARGEST * LARGEST], V[MOST * LARGEST * LARGEST], d[MOST * LARGEST];
    static const size_t sizes[] = {1, 3, 5, 15, 32, 40};
    rm2_rng rng;
    rm2_rng_seed(&rng, 21);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t count = 1; count <= MOST; count++) {
            size_t n = sizes[s], square = n * n;
            double *work = calloc(rm2i_eigen_work(n), sizeof *work);
            assert_non_null(work);
            for (size_t i = 0; i < count * square; i++)
                A[i] = rm2_rng_normal(&rng);
            for (size_t i = 0; i < count * square; i++) {
                size_t row = i % square / n, column = i % n;
                A[i] = row < column ? A[i - i % square + column * n + row] : A[i];
                A[i] *= count == 6 && i < square ? 1e-200 : 1;
            }
            assert_int_equal(rm2i_eigen_many(n, count, A, d, V, work), RM2_OK);
            for (size_t m = 0; m < count; m++)
                assert_true(residual(n, A + m * square, d + m * n, V + m * square) <=
                            20 * (double)n * DBL_EPSILON * largest_entry(n, A + m * square));
            A[(count - 1) * square] = NAN;
            assert_int_equal(rm2i_eigen_many(n, count, A, d, V, work), RM2_ERR_NUMERIC);
            free(work);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_and_vectors),
        cmocka_unit_test(lanes_do_not_meet),
        cmocka_unit_test(no_numbers_are_refused),
        cmocka_unit_test(many_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
