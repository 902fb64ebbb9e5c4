/* Small dense matrices, symmetric eigenvalue problems and the scalar functions of Exp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "linalg/dense.h"
#include "math/special.h"

enum { N_MAX = 60, SIZE = N_MAX * N_MAX };

/* Sizes on both sides of the switch from loops to LAPACK at 48. */
static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 10, 15, 31, 47, 48, 49, 60};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- making matrices ------------------------------------------------------------------------ */

static rm2_rng rng;

static void random_matrix(size_t n, double *A) {
    for (size_t i = 0; i < n * n; i++)
        A[i] = rm2_rng_normal(&rng);
}

/* Orthonormal rows: Gram-Schmidt, twice. */
static void random_orthogonal(size_t n, double *Q) {
    random_matrix(n, Q);
    for (size_t i = 0; i < n; i++) {
        double *row = Q + i * n;
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < i; k++)
                rm2i_axpy(n, -rm2i_dot(n, row, Q + k * n), Q + k * n, row);
        double length = rm2i_norm(n, row);
        for (size_t j = 0; j < n; j++)
            row[j] /= length;
    }
}

static void random_symmetric(size_t n, double *A) {
    random_matrix(n, A);
    rm2i_symmetrise(n, A);
}

static void with_spectrum(size_t n, const double *values, double *A) {
    static double Q[SIZE];
    random_orthogonal(n, Q);
    rm2i_weighted_gram(n, values, Q, A);
}

static double frobenius(size_t n, const double *A) {
    return rm2i_norm(n * n, A);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- vectors and products ------------------------------------------------------------------- */

static void norms_at_all_scales(void **state) {
    (void)state; /* |(3, 4)| = 5 at every scale, to one rounding of scaling and root */
    static const double scales[] = {1, 1e-150, 1e150, 1e-200, 1e200, 1e-300, 1e300, 1e307};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        double x[3] = {3 * scales[i], 0, -4 * scales[i]};
        assert_true(fabs(rm2i_norm(3, x) / scales[i] - 5) < 5 * 4 * DBL_EPSILON);
    }
    double tiny[2] = {3 * DBL_TRUE_MIN, 4 * DBL_TRUE_MIN};
    assert_true(rm2i_norm(2, tiny) == 5 * DBL_TRUE_MIN);
    double zero[2] = {0, -0.0};
    assert_true(rm2i_norm(2, zero) == 0);
    double nan[3] = {1, NAN, 2}, inf[2] = {-INFINITY, 1};
    assert_true(isinf(rm2i_norm(3, nan)));
    assert_true(isinf(rm2i_norm(2, inf)));
    assert_true(rm2i_norm(0, nan) == 0);
}

static void largest_entry(void **state) {
    (void)state;
    double x[4] = {1, -7, 3, 0};
    assert_true(rm2i_max_abs(4, x) == 7);
    assert_true(rm2i_max_abs(0, x) == 0);
    for (size_t i = 0; i < 4; i++) {
        double y[4] = {1, -7, 3, 0};
        y[i] = NAN;
        assert_true(isinf(rm2i_max_abs(4, y)));
    }
}

/* Sums of n products: error n eps sum |a b|; entries are of size one. */
static void products_match_their_definition(void **state) {
    (void)state;
    static double A[SIZE], B[SIZE], At[SIZE], C[SIZE], D[SIZE];
    for (size_t k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        random_matrix(n, A);
        random_matrix(n, B);
        rm2i_transpose(n, A, At);
        rm2i_multiply(n, A, B, C);
        rm2i_multiply_tn(n, At, B, D);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                long double sum = 0, size = 0;
                for (size_t l = 0; l < n; l++) {
                    sum += (long double)A[i * n + l] * B[l * n + j];
                    size += fabsl((long double)A[i * n + l] * B[l * n + j]);
                }
                double bound = (double)n * DBL_EPSILON * (double)size;
                assert_true(fabs(C[i * n + j] - (double)sum) <= bound);
                assert_true(fabs(D[i * n + j] - (double)sum) <= bound);
            }
    }
}

/* Tiles add up in the order of a plain loop: the same bits. */
static void small_products(void **state) {
    (void)state;
    enum { MOST = 20 };
    static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST + 1];
    random_matrix(MOST, A);
    random_matrix(MOST, B);
    for (size_t rows = 1; rows <= MOST; rows++)
        for (size_t width = 1; width <= MOST; width++)
            for (size_t inner = 0; inner <= MOST; inner += 5) {
                C[rows * width] = 7; /* nothing is written behind the result */
                rm2i_multiply_rows(rows, inner, width, A, B, C);
                assert_true(C[rows * width] == 7);
                for (size_t i = 0; i < rows * width; i++) {
                    double sum = 0;
                    for (size_t k = 0; k < inner; k++)
                        sum += A[i / width * inner + k] * B[k * width + i % width];
                    assert_true(C[i] == sum);
                }
            }
}

static void gram_and_symmetric_part(void **state) {
    (void)state;
    double R[4] = {1, 2, 3, 4}, d[2] = {10, 100}, C[4];
    rm2i_weighted_gram(2, d, R, C); /* 10 (1,2)(1,2)^T + 100 (3,4)(3,4)^T, exact in doubles */
    const double expected[4] = {910, 1220, 1220, 1640};
    assert_memory_equal(C, expected, sizeof C);
    rm2i_symmetrise(2, R);
    const double symmetric[4] = {1, 2.5, 2.5, 4};
    assert_memory_equal(R, symmetric, sizeof R);
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

/* |A - L L^T| <= (n + 1) eps |A| and |L X - I| <= n eps |L| |X| (Higham, 2002, chapters 8, 10). */
static void cholesky_and_inverse(void **state) {
    (void)state;
    static double A[SIZE], L[SIZE], Lt[SIZE], X[SIZE], R[SIZE], values[N_MAX];
    for (size_t k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        for (size_t i = 0; i < n; i++)
            values[i] = pow(10, -6 * (double)i / (double)n);
        with_spectrum(n, values, A);
        assert_int_equal(rm2i_cholesky(n, A, L), RM2_OK);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                assert_true(L[i * n + j] == 0);
        rm2i_transpose(n, L, Lt);
        rm2i_multiply(n, L, Lt, R);
        rm2i_axpy(n * n, -1, A, R);
        assert_true(frobenius(n, R) <= (double)(n + 1) * DBL_EPSILON * frobenius(n, A));
        rm2i_lower_inverse(n, L, X);
        rm2i_multiply(n, L, X, R);
        for (size_t i = 0; i < n; i++)
            R[i * n + i] -= 1;
        assert_true(frobenius(n, R) <= (double)n * DBL_EPSILON * frobenius(n, L) * frobenius(n, X));
    }
}

/* Only the lower triangle counts. */
static void cholesky_reads_the_lower_triangle(void **state) {
    (void)state;
    double A[4] = {4, NAN, 2, 5}, L[4];
    assert_int_equal(rm2i_cholesky(2, A, L), RM2_OK);
    const double expected[4] = {2, 0, 1, 2};
    assert_memory_equal(L, expected, sizeof L);
}

static void cholesky_refuses(void **state) {
    (void)state;
    static double A[SIZE], L[SIZE];
    static const double bad[] = {0, -1e-3, -1, NAN, INFINITY, -INFINITY};
    static const size_t n_of[] = {1, 2, 15, 48, 49, 60};
    for (size_t k = 0; k < sizeof n_of / sizeof n_of[0]; k++)
        for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
            size_t n = n_of[k];
            memset(A, 0, sizeof A);
            for (size_t i = 0; i < n; i++)
                A[i * n + i] = 1;
            A[n / 2 * (n + 1)] = bad[b];
            assert_int_equal(rm2i_cholesky(n, A, L), RM2_ERR_NUMERIC);
        }
    double indefinite[4] = {1, 2, 2, 1};
    assert_int_equal(rm2i_cholesky(2, indefinite, L), RM2_ERR_NUMERIC);
}

/* ---- eigenvalues ---------------------------------------------------------------------------- */

/* Rows orthonormal and A r_k = l_k r_k, each to 20 n eps (of |A|): a backward stable solver makes a
 * small multiple of n eps. */
static void check_eigen(size_t n, const double *A) {
    static double values[N_MAX], V[SIZE], r[N_MAX];
    double *work = malloc(rm2i_eigen_work(n) * sizeof *work);
    assert_non_null(work);
    assert_int_equal(rm2i_eigen(n, A, values, V, work), RM2_OK);
    free(work);
    double bound = 20 * (double)n * DBL_EPSILON, size = frobenius(n, A);
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j <= k; j++)
            assert_true(fabs(rm2i_dot(n, V + k * n, V + j * n) - (j == k)) <= bound);
        for (size_t i = 0; i < n; i++)
            r[i] = rm2i_dot(n, A + i * n, V + k * n) - values[k] * V[k * n + i];
        assert_true(rm2i_norm(n, r) <= bound * size);
    }
}

static void eigen_of_random_matrices(void **state) {
    (void)state;
    static double A[SIZE], B[SIZE];
    static const double scales[] = {1e-150, 1e150, 1e-300, 1e300};
    for (size_t n = 1; n <= N_MAX; n++) {
        random_symmetric(n, A);
        check_eigen(n, A);
        for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++) {
            for (size_t i = 0; i < n * n; i++)
                B[i] = A[i] * scales[k];
            check_eigen(n, B);
        }
    }
}

static double clustered(size_t i, size_t n) {
    return i < n / 2 ? 1 : 1 + 1e-12 * (double)i;
}

static double graded(size_t i, size_t n) {
    return pow(10, -14 * (double)i / (double)n);
}

static double two_clusters(size_t i, size_t n) {
    return i % 2 ? -3 : 1 + 1e-15 * (double)(i / n);
}

/* The computed eigenvalues are within 20 n eps |A| of those the matrix was made from. */
static void eigen_of_known_spectra(void **state) {
    (void)state;
    double (*const spectra[])(size_t, size_t) = {clustered, graded, two_clusters};
    static double A[SIZE], V[SIZE], expected[N_MAX], values[N_MAX];
    for (size_t s = 0; s < sizeof spectra / sizeof spectra[0]; s++)
        for (size_t k = 0; k < SIZES; k++) {
            size_t n = sizes[k];
            for (size_t i = 0; i < n; i++)
                expected[i] = spectra[s](i, n);
            with_spectrum(n, expected, A);
            check_eigen(n, A);
            double *work = malloc(rm2i_eigen_work(n) * sizeof *work);
            assert_int_equal(rm2i_eigen(n, A, values, V, work), RM2_OK);
            free(work);
            qsort(values, n, sizeof *values, ascending);
            qsort(expected, n, sizeof *expected, ascending);
            for (size_t i = 0; i < n; i++)
                assert_true(fabs(values[i] - expected[i]) <=
                            20 * (double)n * DBL_EPSILON * frobenius(n, A));
        }
}

/* Diagonal and zero matrices come out exactly. */
static void eigen_of_diagonal_matrices(void **state) {
    (void)state;
    static double A[SIZE], V[SIZE], values[N_MAX], work[4 * SIZE];
    for (size_t k = 0; k < SIZES; k++)
        for (int zero = 0; zero < 2; zero++) {
            size_t n = sizes[k];
            memset(A, 0, sizeof A);
            for (size_t i = 0; i < n; i++)
                A[i * n + i] = zero ? 0 : (double)((7 * i) % n) - 3;
            check_eigen(n, A);
            assert_int_equal(rm2i_eigen(n, A, values, V, work), RM2_OK);
            qsort(values, n, sizeof *values, ascending);
            double expected[N_MAX];
            for (size_t i = 0; i < n; i++)
                expected[i] = A[i * n + i];
            qsort(expected, n, sizeof *expected, ascending);
            for (size_t i = 0; i < n; i++)
                assert_true(values[i] == expected[i]);
        }
}

/* Entries whose squares underflow beside entries of size one. */
static void eigen_with_tiny_entries(void **state) {
    (void)state;
    static const double tiny[] = {1e-140, 1e-155, 1e-170, 1e-200, 1e-300, DBL_TRUE_MIN};
    for (size_t k = 0; k < sizeof tiny / sizeof tiny[0]; k++) {
        double t = tiny[k];
        double row[9] = {1, t, t, t, 2, 0.5, t, 0.5, 3};
        double block[9] = {1, 0, 0, 0, 0, t, 0, t, 0};
        double corner[16] = {t, t, 0, 0, t, 2 * t, t, 0, 0, t, 3, 1, 0, 0, 1, 4};
        check_eigen(3, row);
        check_eigen(3, block);
        check_eigen(4, corner);
    }
}

static void eigen_refuses(void **state) {
    (void)state;
    static double A[SIZE], V[SIZE], values[N_MAX], work[4 * SIZE];
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static const size_t n_of[] = {1, 2, 15, 60};
    for (size_t k = 0; k < sizeof n_of / sizeof n_of[0]; k++)
        for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
            size_t n = n_of[k];
            random_symmetric(n, A);
            A[n * n - 1] = bad[b];
            assert_int_equal(rm2i_eigen(n, A, values, V, work), RM2_ERR_NUMERIC);
            assert_int_equal(rm2i_eigen_gram(n, A, values, V), RM2_ERR_NUMERIC);
        }
}

/* ---- eigenvalues of C C^T ------------------------------------------------------------------- */

/* C = diag(s) Q with orthogonal Q: eigenvalues s^2, each to 1e-12 of itself however small. */
static void gram_of_scaled_orthogonal(void **state) {
    (void)state;
    static double C[SIZE], V[SIZE], values[N_MAX], expected[N_MAX];
    for (size_t k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        random_orthogonal(n, C);
        for (size_t i = 0; i < n; i++) {
            double s = pow(10, 12 - 24 * (double)i / (double)n);
            expected[i] = s * s;
            for (size_t j = 0; j < n; j++)
                C[i * n + j] *= s;
        }
        assert_int_equal(rm2i_eigen_gram(n, C, values, V), RM2_OK);
        qsort(values, n, sizeof *values, ascending);
        qsort(expected, n, sizeof *expected, ascending);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(values[i] / expected[i] - 1) <= 1e-12);
    }
}

/* Reference: the same rotations in long double, until nothing changes. */
static void gram_reference(size_t n, const double *C0, double *values) {
    static long double C[SIZE];
    for (size_t i = 0; i < n * n; i++)
        C[i] = C0[i];
    for (int sweep = 0; sweep < 40; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                long double a = 0, b = 0, c = 0;
                for (size_t k = 0; k < n; k++) {
                    a += C[p * n + k] * C[p * n + k];
                    b += C[q * n + k] * C[q * n + k];
                    c += C[p * n + k] * C[q * n + k];
                }
                if (c == 0)
                    continue;
                long double zeta = (b - a) / (2 * c);
                long double t = copysignl(1, zeta) / (fabsl(zeta) + sqrtl(1 + zeta * zeta));
                long double cs = 1 / sqrtl(1 + t * t), sn = cs * t;
                for (size_t k = 0; k < n; k++) {
                    long double x = C[p * n + k], y = C[q * n + k];
                    C[p * n + k] = cs * x - sn * y;
                    C[q * n + k] = sn * x + cs * y;
                }
            }
    for (size_t i = 0; i < n; i++) {
        long double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += C[i * n + k] * C[i * n + k];
        values[i] = (double)sum;
    }
}

/* C = diag(s) B with random B: relative accuracy n eps times the condition of B (Demmel and
 * Veselic, 1992), which stays below 1e3 for these; and C C^T = V^T diag V on the whole. */
static void gram_of_graded_matrices(void **state) {
    (void)state;
    static double C[SIZE], copy[SIZE], V[SIZE], A[SIZE], Ct[SIZE], values[N_MAX], expected[N_MAX];
    static const size_t n_of[] = {2, 3, 5, 15, 30};
    for (size_t k = 0; k < sizeof n_of / sizeof n_of[0]; k++) {
        size_t n = n_of[k];
        random_matrix(n, C);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                C[i * n + j] = (C[i * n + j] + 3 * (i == j)) * pow(10, -12 * (double)i / (double)n);
        gram_reference(n, C, expected);
        memcpy(copy, C, sizeof copy);
        assert_int_equal(rm2i_eigen_gram(n, C, values, V), RM2_OK);
        rm2i_weighted_gram(n, values, V, A);
        rm2i_transpose(n, copy, Ct);
        rm2i_multiply(n, copy, Ct, C);
        double size = frobenius(n, C);
        rm2i_axpy(n * n, -1, A, C);
        assert_true(frobenius(n, C) <= 100 * (double)n * DBL_EPSILON * size);
        qsort(values, n, sizeof *values, ascending);
        qsort(expected, n, sizeof *expected, ascending);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(values[i] / expected[i] - 1) <= 1e-12);
    }
}

/* ---- scalar functions ----------------------------------------------------------------------- */

/* Long double references: power series in x = k r^2 below 2, where terms fall like 4^j/(2j)!,
 * closed forms above, where they cancel at most two of their nineteen digits. */
typedef struct reference {
    long double cs, snc, d_snc, versine, phi, psi, d_phi, d_psi;
} reference;

static void series(int k, long double r, reference *f) {
    long double x = k * r * r, term = 1, a = 1, power = 1, lower = 0, lowest = 0;
    for (int j = 1; j <= 40; j++) {
        term /= (2 * j) * (2 * j + 1); /* 1/(2j+1)! */
        a *= -4.0L / ((2 * j + 1) * (2 * j + 2));
        long double sign = j % 2 ? -1 : 1;
        lowest = lower;
        lower = power;
        power *= x;
        f->snc += sign * term * power;
        f->d_snc += sign * term * 2 * k * j * lower;
        f->phi += a * power;
        f->psi -= k * a * lower;
        f->d_phi += 2 * k * a * j * lower;
        f->d_psi -= 2 * a * (j - 1) * lowest;
    }
}

static reference reference_at(int k, double r0) {
    long double r = r0, s = k > 0 ? sinl(r) : sinhl(r), c = k > 0 ? cosl(r) : coshl(r);
    long double half = k > 0 ? sinl(r / 2) : sinhl(r / 2);
    reference f = {.cs = c, .snc = 1, .phi = 1, .versine = -k / 2.0L};
    if (r > 0)
        f.versine = -k * 2 * half * half / (r * r);
    if (r < 2) {
        series(k, r, &f);
        return f;
    }
    f.snc = s / r;
    f.d_snc = (c - f.snc) / (r * r);
    f.phi = f.snc * f.snc;
    f.psi = (1 - f.phi) / (r * r);
    f.d_phi = 2 * s * (c * r - s) / (r * r * r * r);
    f.d_psi = -(f.d_phi + 2 * f.psi) / (r * r);
    return f;
}

static void assert_relative(double value, long double expected, double bound) {
    double error = (double)(fabsl(value - expected) / fabsl(expected));
    bool underflow = fabsl(expected) < DBL_MIN && value == 0;
    if (!(value == expected || error <= bound || underflow))
        fail_msg("%.17g instead of %.17Lg: relative error %g > %g", value, expected, error, bound);
}

/* Radii up to and across the switch at 1. The sphere's stop before pi, where sin vanishes. */
static const double radii[] = {0,     1e-300,
                               1e-12, 1e-6,
                               1e-3,  0.05,
                               0.1,   0.3,
                               0.5,   0.9,
                               0.999, 1 - DBL_EPSILON,
                               1,     1 + DBL_EPSILON,
                               1.001, 1.1,
                               1.5,   1.99,
                               2,     2.5,
                               3,     4,
                               7,     20,
                               100,   300};
enum { RADII = sizeof radii / sizeof radii[0] };

static void space_form_functions(void **state) {
    (void)
        state; /* 1e-14: about fifty roundings; the closed forms cancel up to one digit at r = 1 */
    for (int k = -1; k <= 1; k += 2)
        for (size_t i = 0; i < RADII && (k < 0 || radii[i] <= 3); i++) {
            reference e = reference_at(k, radii[i]);
            rm2i_space_form f = rm2i_space_form_at(k, radii[i]);
            rm2i_pullback g = rm2i_pullback_at(k, radii[i]);
            assert_relative(f.cs, e.cs, 1e-14);
            assert_relative(f.snc, e.snc, 1e-14);
            assert_relative(rm2i_d_snc(k, radii[i]), e.d_snc, 1e-14);
            assert_relative(rm2i_versine(k, radii[i]), e.versine, 1e-14);
            assert_relative(g.phi, e.phi, 1e-14);
            assert_relative(g.psi, e.psi, 1e-14);
            assert_relative(g.d_phi, e.d_phi, 1e-14);
            assert_relative(g.d_psi, e.d_psi, 1e-14);
        }
}

/* log(sn(r)/r): log1p of the series of snc - 1 where that is small. */
static void log_snc(void **state) {
    (void)state;
    for (int k = -1; k <= 1; k += 2)
        for (size_t i = 0; i < RADII && (k < 0 || radii[i] <= 3); i++) {
            long double x = k * (long double)radii[i] * radii[i], sum = 0, term = 1;
            for (int j = 1; j <= 40; j++)
                sum += term *= -x / ((2 * j) * (2 * j + 1));
            long double expected = radii[i] < 2 ? log1pl(sum) : logl(reference_at(k, radii[i]).snc);
            assert_relative(rm2i_log_snc(k, radii[i]), expected, 1e-14);
        }
    /* sinh overflows, its log does not */
    assert_relative(rm2i_log_snc(-1, 1e4), 1e4L - logl(2e4L), 1e-14);
}

/* g = 2 (cosh d - 1)/d^2 = sum_j 2 d^2j/(2j+2)!, and its derivatives term by term. */
static void spd_functions(void **state) {
    (void)state;
    static const double at[] = {1e-12,     1e-3, 0.1, 1, 1.9, 2 - 1e-15, 2,
                                2 + 1e-15, 2.1,  3,   5, 10,  30};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        long double d = at[i], g = 0, g1 = 0, g3 = 0, a = 1; /* a = 2/(2j+2)! d^2j */
        for (int j = 0; j < 80; j++) {
            g += a;
            g1 += a * (2 * j) / d;
            g3 += a * (2 * j) * (2 * j - 1) * (2 * j - 2) / (d * d * d);
            a *= d * d / ((2 * j + 3) * (2 * j + 4));
        }
        assert_relative(rm2i_spd_g(at[i]), g, 1e-14);
        assert_relative(rm2i_spd_g1(at[i]), g1, 1e-14);
        assert_relative(rm2i_spd_g3(at[i]), g3, 1e-13); /* four terms that cancel to a tenth */
        assert_true(rm2i_spd_g(-at[i]) == rm2i_spd_g(at[i]));
        assert_true(rm2i_spd_g1(-at[i]) == -rm2i_spd_g1(at[i]));
        assert_true(rm2i_spd_g3(-at[i]) == -rm2i_spd_g3(at[i]));
    }
    assert_true(rm2i_spd_g(0) == 1 && rm2i_spd_g1(0) == 0 && rm2i_spd_g3(0) == 0);
}

int main(void) {
    rm2_rng_seed(&rng, 5);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_at_all_scales),
        cmocka_unit_test(largest_entry),
        cmocka_unit_test(products_match_their_definition),
        cmocka_unit_test(small_products),
        cmocka_unit_test(gram_and_symmetric_part),
        cmocka_unit_test(cholesky_and_inverse),
        cmocka_unit_test(cholesky_reads_the_lower_triangle),
        cmocka_unit_test(cholesky_refuses),
        cmocka_unit_test(eigen_of_random_matrices),
        cmocka_unit_test(eigen_of_known_spectra),
        cmocka_unit_test(eigen_of_diagonal_matrices),
        cmocka_unit_test(eigen_with_tiny_entries),
        cmocka_unit_test(eigen_refuses),
        cmocka_unit_test(gram_of_scaled_orthogonal),
        cmocka_unit_test(gram_of_graded_matrices),
        cmocka_unit_test(space_form_functions),
        cmocka_unit_test(log_snc),
        cmocka_unit_test(spd_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
