/* The comparison with tolerances: bounds, NaN and infinity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"

#include <math.h>

static void test_bounds(void **state) {
    (void)state;
    const double want[] = {1.0, -4.0}, got[] = {1.0, -3.0};
    verdict v = compare_numbers(got, want, 2, 0.5, 0.125);
    assert_true(v.passed);
    assert_true(v.error == 1.0 && v.tolerance == 1.0 && v.ratio == 1.0);
    assert_false(compare_numbers(got, want, 2, 0.25, 0.125).passed);
    assert_false(compare_numbers(got, want, 2, 0.0, 0.0).passed);
    assert_true(compare_numbers(want, want, 2, 0.0, 0.0).passed);
}

/* Wherever it stands and whatever the tolerance. */
static void test_nan(void **state) {
    (void)state;
    const double want[] = {1.0, 2.0, 3.0};
    for (size_t i = 0; i < 3; i++) {
        double got[] = {1.0, 2.5, 3.0};
        got[i] = NAN;
        verdict v = compare_numbers(got, want, 3, 1e300, 1.0);
        assert_false(v.passed);
        assert_true(isnan(v.error) && isinf(v.ratio));
    }
}

static void test_infinity(void **state) {
    (void)state;
    const double want[] = {1.0}, got[] = {INFINITY};
    assert_false(compare_numbers(got, want, 1, 1e300, 1.0).passed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
