/* Branchless arithmetic against the C library in long double, whose exponential has 11 bits more: an
 * error of its last digit is 1/2000 ulp of ours. The bound is one ulp of the exact value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clones.h"
#include "front/base.h"
#include "linalg/branchless.h"
#include "riemann2/base.h"

enum { MANY = 1000 };

static const double LN2 = 0.69314718055994530942;

/* In a loop, so that vectors and what is left over are tried. */
RM2I_AVX2_CLONES static void exponentials(size_t n, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] = rm2i_exp_negative(x[i]);
}

static void check(size_t n, const double *x) {
    double y[MANY];
    exponentials(n, x, y);
    for (size_t i = 0; i < n; i++) {
        long double exact = expl((long double)x[i]);
        int exponent;
        frexpl(exact, &exponent);
        long double ulp = ldexpl(1, exponent - 53);
        if (x[i] < -690 ? y[i] != 0 : !(fabsl((long double)y[i] - exact) <= ulp))
            fail_msg("e^%.17g = %.17g is off by %g ulp", x[i], y[i],
                     (double)((y[i] - exact) / ulp));
    }
}

static void test_dense(void **state) {
    (void)state;
    static const double widths[] = {745, 36, 1, 0.35, 1e-3, 1e-9, 1e-17};
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int repeat = 0; repeat < 100; repeat++) {
            double x[MANY];
            for (size_t i = 0; i < MANY; i++)
                x[i] = -widths[w] * rm2_rng_uniform(&rng);
            check(MANY, x);
        }
}

/* Where the rounding to an integer changes sides, and where r is 0. */
static void test_multiples(void **state) {
    (void)state;
    for (int half = 0; half < 2200; half++) {
        double x[41], start = -half * LN2 / 2;
        for (int i = 0; i < 20; i++)
            start = nextafter(start, -INFINITY);
        for (int i = 0; i < 41; i++, start = nextafter(start, INFINITY))
            x[i] = fmin(start, 0);
        check(41, x);
    }
}

static void test_edges(void **state) {
    (void)state;
    static const double x[] = {0,    -0.0, -5e-324, -1e-300, -1e-17, -690,    -690.1,
                               -708, -745, -746,    -1e9,    -1e300, -1.7e308};
    check(sizeof x / sizeof *x, x);
    assert_true(rm2i_exp_negative(0) == 1 && rm2i_exp_negative(-0.0) == 1);
    assert_true(rm2i_exp_negative(-690) > 2e-300);
    assert_true(rm2i_exp_negative(-INFINITY) == 0 && !signbit(rm2i_exp_negative(-INFINITY)));
    double bad[9], y[9];
    for (size_t i = 0; i < 9; i++)
        bad[i] = i % 3 == 0 ? -1 : i % 2 ? NAN : nan("12345");
    exponentials(9, bad, y);
    for (size_t i = 0; i < 9; i++)
        assert_true(i % 3 == 0 ? y[i] == y[0] : isnan(y[i]));
}

/* The vectors of this processor and single numbers give the same bits, in every place of a row. */
static void test_places(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (size_t n = 1; n <= 20; n++) {
        double x[20], y[20];
        for (size_t i = 0; i < n; i++)
            x[i] = -50 * rm2_rng_uniform(&rng);
        exponentials(n, x, y);
        for (size_t i = 0; i < n; i++) {
            double alone = rm2i_exp_negative(x[i]);
            assert_memory_equal(&alone, &y[i], sizeof alone);
        }
    }
}

static void test_zero_unless(void **state) {
    (void)state;
    static const double x[] = {1.5, -2, 0, INFINITY, -INFINITY, 5e-324};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        assert_true(rm2i_zero_unless(1, x[i]) == x[i]);
        assert_true(rm2i_zero_unless(0, x[i]) == 0 && !signbit(rm2i_zero_unless(0, x[i])));
    }
    assert_true(rm2i_zero_unless(0, NAN) == 0 && isnan(rm2i_zero_unless(1, NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),       cmocka_unit_test(test_multiples),
        cmocka_unit_test(test_edges),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_zero_unless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
