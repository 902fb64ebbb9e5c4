/* The incomplete beta function and the F distribution, against closed forms.
 *
 *   I_x(1, b) = 1 - (1 - x)^b,   I_x(2, b) = 1 - (1 - x)^b (1 + b x),   I_x(a, 1) = x^a
 *   k F with k = n = 1: P = 2/pi atan(sqrt(x));   k = 1, n = 3: the square of Student's t with 3 degrees
 * Tolerance: the front factor is the exponential of a sum of terms up to 700, each rounded (2^-53 of it), and the fraction
 * adds a few units: 1e-12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "math/beta.h"
#include "math/gamma.h"

static const double PI = 3.14159265358979323846;

static void near(const char *what, double got, double want) {
    if (!(fabs(got - want) <= 1e-12 * (1e-3 + fabs(want))))
        fail_msg("%s: %.17g, not %.17g", what, got, want);
}

static void closed_forms(void **state) {
    (void)state;
    const double xs[] = {1e-8, 0.01, 0.3, 0.5, 0.77, 0.999}, sizes[] = {0.5, 1, 2.5, 4, 30, 400};
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            double x = xs[i], b = sizes[k], rest = exp(b * log1p(-x));
            near("I(1, b)", rm2i_beta_i(1, b, x), 1 - rest);
            near("I(2, b)", rm2i_beta_i(2, b, x), 1 - rest * (1 + b * x));
            near("I(a, 1)", rm2i_beta_i(b, 1, x), pow(x, b));
            near("symmetry", rm2i_beta_i(b, 3.5, x) + rm2i_beta_i(3.5, b, 1 - x), 1);
        }
}

static void f_distribution(void **state) {
    (void)state;
    for (double x = 1e-4; x < 1e4; x *= 3) {
        near("k = n = 1", rm2i_scaled_f_cdf(1, 1, x), 2 / PI * atan(sqrt(x)));
        double t = sqrt(x / 3);
        near("k = 1, n = 3", rm2i_scaled_f_cdf(1, 3, x), 2 / PI * (atan(t) + t / (1 + t * t)));
        near("k = 2", rm2i_scaled_f_cdf(2, 6, x), 1 - pow(1 + x / 6, -3));
        near("no end of n", rm2i_scaled_f_cdf(5, INFINITY, x), rm2i_chi_square_cdf(5, x));
    }
    /* tables of the F distribution: 95 % of F(2, 6) and F(4, 8) */
    assert_true(fabs(rm2i_scaled_f_quantile(2, 6, 0.95) / 2 - 5.1433) < 1e-4);
    assert_true(fabs(rm2i_scaled_f_quantile(4, 8, 0.95) / 4 - 3.8379) < 1e-4);
}

static void quantiles(void **state) {
    (void)state;
    const double levels[] = {1e-6, 0.1, 0.5, 0.9, 0.99, 1 - 1e-6}, k[] = {1, 2, 4, 12},
                 n[] = {3, 6, 50, INFINITY};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
        for (size_t i = 0; i < sizeof k / sizeof *k; i++)
            for (size_t j = 0; j < sizeof n / sizeof *n; j++)
                near("quantile",
                     rm2i_scaled_f_cdf(k[i], n[j], rm2i_scaled_f_quantile(k[i], n[j], levels[l])),
                     levels[l]);
}

static void limits(void **state) {
    (void)state;
    assert_true(rm2i_beta_i(2, 3, 0) <= 0 && rm2i_beta_i(2, 3, 1) >= 1);
    assert_true(isnan(rm2i_beta_i(0, 1, 0.5)) && isnan(rm2i_beta_i(1, 1, 1.5)));
    assert_true(isnan(rm2i_beta_i(1, NAN, 0.5)));
    assert_true(rm2i_scaled_f_cdf(2, 6, 0) <= 0 && rm2i_scaled_f_cdf(2, 6, INFINITY) >= 1);
    assert_true(rm2i_scaled_f_quantile(2, 6, 0) <= 0 && isinf(rm2i_scaled_f_quantile(2, 6, 1)));
    assert_true(isnan(rm2i_scaled_f_quantile(2, 6, -0.1)) &&
                isnan(rm2i_scaled_f_quantile(0, 6, 0.1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(f_distribution),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
