/* Cholesky factors of band matrices against products written out. Tolerances: matrices are
 * diagonally dominant, so that rounding is a few 1e-16 of their entries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "front/base.h"
#include "linalg/band.h"

enum { N = 17, MOST = 6 };

static double entry(size_t reach, const double *A, size_t i, size_t j) {
    size_t low = i > j ? j : i, high = i > j ? i : j;
    return high - low <= reach ? A[rm2i_band_index(reach, high, low)] : 0;
}

static void make(size_t reach, rm2_rng *rng, double *A) {
    memset(A, 0, N * (reach + 1) * sizeof *A);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i > reach ? i - reach : 0; j <= i; j++)
            A[rm2i_band_index(reach, i, j)] =
                i == j ? 3 * (double)(reach + 1) : rm2_rng_normal(rng);
}

static void solves(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (size_t reach = 0; reach < MOST; reach++) {
        double A[N * MOST], L[N * MOST], x[N], b[N];
        make(reach, &rng, A);
        memcpy(L, A, sizeof A);
        double form = 0;
        for (size_t i = 0; i < N; i++)
            x[i] = rm2_rng_normal(&rng);
        for (size_t i = 0; i < N; i++) {
            b[i] = 0;
            for (size_t j = 0; j < N; j++)
                b[i] += entry(reach, A, i, j) * x[j];
            form += x[i] * b[i];
        }
        assert_true(fabs(rm2i_band_form(N, reach, A, x) - form) < 1e-13 * form);
        assert_true(rm2i_band_cholesky(N, reach, L));
        rm2i_band_solve(N, reach, L, b);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(b[i] - x[i]) < 1e-13);
    }
}

static void indefinite(void **state) {
    (void)state;
    double A[] = {1, 2, 1, 2, 1, 0}; /* 2 x 2 blocks: (1, 2; 2, 1) */
    double B[] = {1, NAN, 1, 0};
    assert_false(rm2i_band_cholesky(3, 1, A));
    assert_false(rm2i_band_cholesky(2, 1, B));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(indefinite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
