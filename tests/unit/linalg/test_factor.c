/* Factors, inverses, solves and products in blocks: against their definitions, the same bits on any number of threads, no
 * threads of the linear algebra library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "base/base.h"
#include "linalg/factor.h"

/* Below, at and above the sizes of blocks, with remainders. */
static const size_t sizes[] = {1, 2, 63, 64, 65, 192, 193, 384, 450, 1030};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const double UNTOUCHED = -5;

static double *room(size_t count) {
    double *x = malloc(count * sizeof *x);
    assert_non_null(x);
    return x;
}

static rm2_context *context_of(int threads) {
    rm2_context *ctx;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    rm2_context_set_threads(ctx, threads);
    return ctx;
}

/* exp(-|i - j|/40) + I: eigenvalues between 1 and 81, so that errors are some n eps. */
static void fill(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = j > i ? UNTOUCHED : exp(-(double)(i - j) / 40) + (i == j ? 1 : 0);
}

/* |L L^T - A| <= 8 n eps |A|: Higham's bound is 4 n eps for each entry of |L||L^T| <= 2. */
static void check_factor(size_t n, const double *A, const double *L) {
    double tolerance = 8 * (double)n * 2.2e-16 * 2;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            if (j > i) {
                assert_true(L[i * n + j] == UNTOUCHED);
                continue;
            }
            for (size_t k = 0; k <= j; k++)
                sum += L[i * n + k] * L[j * n + k];
            assert_true(fabs(sum - A[i * n + j]) <= tolerance);
        }
}

/* A A^-1 = I for some columns, to n eps times the condition 81. */
static void check_inverse(size_t n, const double *A, const double *inverse) {
    double tolerance = 81 * (double)n * 2.2e-16;
    for (size_t c = 0; c<n; c += n> 20 ? n / 20 : 1)
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += (i >= j ? A[i * n + j] : A[j * n + i]) *
                       (j >= c ? inverse[j * n + c] : inverse[c * n + j]);
            assert_true(fabs(sum - (i == c)) <= tolerance);
        }
}

static void factors_and_inverses(void **state) {
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        double *A = room(n * n), *L = room(n * n), jitter;
        fill(n, A);
        fill(n, L);
        assert_int_equal(rm2i_factor(NULL, n, A, 0, L, &jitter), RM2_OK);
        assert_true(jitter == 0);
        check_factor(n, A, L);
        assert_int_equal(rm2i_factor_invert(NULL, n, L), RM2_OK);
        check_inverse(n, A, L);
        free(A);
        free(L);
    }
}

/* A pivot that is not positive, in each block; and a triangle with a zero on its diagonal. */
static void not_positive(void **state) {
    (void)state;
    rm2_context *ctx = context_of(2);
    size_t n = 450;
    double *A = room(n * n);
    for (size_t k = 0; k < n; k += 149) {
        fill(n, A);
        A[k * n + k] = -1;
        assert_false(rm2i_factor_in_place(ctx, n, A));
        fill(n, A);
        assert_true(rm2i_factor_in_place(ctx, n, A));
        A[k * n + k] = 0;
        assert_int_equal(rm2i_factor_invert(ctx, n, A), RM2_ERR_NUMERIC);
    }
    free(A);
    rm2_context_free(ctx);
}

enum { N = 450, VECTORS = 150, ROWS = 7 };

/* All calls on one context; what they leave in `out`. */
static void run_all(rm2_context *ctx, double *out) {
    double *L = out, *B = L + N * N, *C = B + 3 * VECTORS * N, jitter;
    double *A = room(N * N);
    fill(N, A);
    memset(L, 0, N * N * sizeof *L);
    assert_int_equal(rm2i_factor(ctx, N, A, 0.5, L, &jitter), RM2_OK);
    for (size_t i = 0; i < (size_t)3 * VECTORS * N; i++)
        B[i] = sin((double)i);
    rm2i_factor_solve(ctx, N, L, VECTORS, B);
    rm2i_factor_half_solve(ctx, N, L, VECTORS, B + VECTORS * N);
    rm2i_factor_other_half_solve(ctx, N, L, VECTORS, B + 2 * VECTORS * N);
    fill(N, C);
    rm2i_gram_product(ctx, &(rm2i_gram){N, ROWS, B, 0.3, -0.7}, C);
    assert_int_equal(rm2i_factor_invert(ctx, N, L), RM2_OK);
    free(A);
}

static void the_same_bits(void **state) {
    (void)state;
    size_t size = 2 * N * N + 3 * VECTORS * N;
    double *one = room(size), *other = room(size);
    rm2_context *ctx = context_of(1);
    run_all(ctx, one);
    rm2_context_free(ctx);
    for (int threads = 2; threads <= 4; threads += 2) {
        ctx = context_of(threads);
        for (int again = 0; again < 3; again++) {
            run_all(ctx, other);
            assert_memory_equal(one, other, size * sizeof *one);
        }
        rm2_context_free(ctx);
    }
    free(one);
    free(other);
}

/* C = 0.3 Y^T Y - 0.7 C, its upper triangle as it was; solves by multiplying back. */
static void products_and_solves(void **state) {
    (void)state;
    double *out = room(2 * N * N + 3 * VECTORS * N), *A = room(N * N), *L = room(N * N), jitter;
    const double *B = out + N * N, *C = B + 3 * VECTORS * N;
    rm2_context *ctx = context_of(2);
    run_all(ctx, out);
    fill(N, A);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < ROWS; k++)
                sum += B[k * N + i] * B[k * N + j];
            double want = j > i ? UNTOUCHED : 0.3 * sum - 0.7 * A[i * N + j];
            assert_true(fabs(C[i * N + j] - want) <= 1e-14); /* a dozen terms of order 1 */
        }
    assert_int_equal(rm2i_factor(ctx, N, A, 0.5, L, &jitter), RM2_OK);
    for (size_t v = 0; v < VECTORS; v += 37)
        for (size_t i = 0; i < N; i++) {
            double whole = 0, half = 0, other = 0;
            for (size_t j = 0; j < N; j++) {
                whole +=
                    ((i >= j ? A[i * N + j] : A[j * N + i]) + (i == j ? 0.5 : 0)) * B[v * N + j];
                half += j <= i ? L[i * N + j] * B[(VECTORS + v) * N + j] : 0;
                other += j >= i ? L[j * N + i] * B[(2 * VECTORS + v) * N + j] : 0;
            }
            /* N eps times the condition, below 60 */
            assert_true(fabs(whole - sin((double)(v * N + i))) <= 1e-11);
            assert_true(fabs(half - sin((double)((VECTORS + v) * N + i))) <= 1e-11);
            assert_true(fabs(other - sin((double)((2 * VECTORS + v) * N + i))) <= 1e-11);
        }
    free(out);
    free(A);
    free(L);
    rm2_context_free(ctx);
}

static size_t threads_of_process(void) {
    DIR *tasks = opendir("/proc/self/task");
    size_t count = 0;
    if (!tasks)
        return 0;
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    (void)closedir(tasks);
    return count;
}

/* OpenBLAS may use three threads, and is not asked to. */
static void no_other_threads(void **state) {
    (void)state;
    size_t before = threads_of_process();
    double *out = room(2 * N * N + 3 * VECTORS * N);
    omp_set_num_threads(3);
    run_all(NULL, out);
    assert_int_equal(omp_get_max_threads(), 3);
    assert_int_equal(threads_of_process(), before);
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_threads),    cmocka_unit_test(factors_and_inverses),
        cmocka_unit_test(not_positive),        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(products_and_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
