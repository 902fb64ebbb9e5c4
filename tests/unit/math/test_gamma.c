/* The incomplete gamma function and the chi-square distribution.
 *
 * Values are mpmath's with 50 digits, at the exact doubles of the arguments. Tolerance: a tail is the
 * exponential of a sum of terms whose size is about its own logarithm, each rounded: a relative error
 * of (8 + |log tail|) units of 2^-52, and as much again, with sqrt(a)/4, for the sums of about
 * 9 sqrt(a) positive terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "math/gamma.h"

static void near_tail(const char *what, double a, double x, double got, double want) {
    double bound = (16 + 2 * fabs(log(want)) + 0.25 * sqrt(a)) * DBL_EPSILON * want;
    if (!(fabs(got - want) <= bound))
        fail_msg("%s(%g, %g) = %.17g, not %.17g: off by %.2g of it", what, a, x, got, want,
                 fabs(got - want) / want);
}

static void tails(void **state) {
    (void)state;
    static const struct {
        double a, x, p, q;
    } known[] = {
        {0.5, 1.0e-10, 1.1283791670578999555e-5, 9.99988716208329421e-1},
        {0.5, 0.29999999999999999, 5.6142197391900013648e-1, 4.3857802608099986352e-1},
        {0.5, 1.49, 9.1570072759674066282e-1, 8.429927240325933718e-2},
        {0.5, 1.51, 9.1775653385339375564e-1, 8.2243466146606244363e-2},
        {0.5, 40.0, 9.9999999999999999963e-1, 3.7440973842028987636e-19},
        {1.0, 1.0, 6.321205588285576784e-1, 3.678794411714423216e-1},
        {1.5, 0.01, 7.4775533939119791237e-4, 9.9925224466060880209e-1},
        {2.0, 3.5, 8.6411177459956674667e-1, 1.3588822540043325333e-1},
        {2.5, 10.0, 9.9875026943696862459e-1, 1.2497305630313754119e-3},
        {3.5, 700.0, 1.0, 3.8599631812373352211e-298},
        {9.9900000000000002, 3.0, 1.1167307945377659986e-3, 9.98883269205462234e-1},
        {10.0, 10.0, 5.4207028552814779169e-1, 4.5792971447185220831e-1},
        {10.0, 9.0, 4.1259175566805859376e-1, 5.8740824433194140624e-1},
        {10.0, 11.5, 7.1120546045132873639e-1, 2.8879453954867126361e-1},
        {10.0, 60.0, 9.9999999999999971485e-1, 2.8515077555520201596e-16},
        {30.0, 5.0, 2.8175176155779225599e-14, 9.9999999999997182482e-1},
        {30.0, 31.0, 5.9534782096561087714e-1, 4.0465217903438912286e-1},
        {101.5, 101.5, 5.1320015517806123959e-1, 4.8679984482193876041e-1},
        {101.5, 60.0, 6.6265526709000909208e-7, 9.9999933734473290999e-1},
        {203.0, 150.0, 2.2502977070404079428e-5, 9.9997749702292959592e-1},
        {203.0, 203.5, 5.2330798642386279859e-1, 4.7669201357613720141e-1},
        {203.0, 206.0, 5.9208041417824771774e-1, 4.0791958582175228226e-1},
        {203.0, 400.0, 1.0, 4.967020184930770855e-28},
        {1000.0, 800.0, 5.5014197761792281398e-12, 9.9999999999449858022e-1},
        {1000.0, 1000.9, 5.1555175777299627371e-1, 4.8444824222700372629e-1},
        {1000.0, 1200.0, 9.9999999871183939137e-1, 1.2881606086281432952e-9},
        {50000.0, 49000.0, 3.3847542280794914268e-6, 9.9999661524577192051e-1},
        {50000.0, 50000.0, 5.0059470810479331139e-1, 4.9940529189520668861e-1},
        {50000.0, 51000.0, 9.9999558806074487969e-1, 4.4119392551203061853e-6},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double q, p = rm2i_gamma_p(known[k].a, known[k].x, &q);
        near_tail("P", known[k].a, known[k].x, p, known[k].p);
        near_tail("Q", known[k].a, known[k].x, q, known[k].q);
        assert_true(fabs(p + q - 1) <= DBL_EPSILON);
        near_tail("chi-square", 2 * known[k].a, 2 * known[k].x,
                  rm2i_chi_square_cdf(2 * known[k].a, 2 * known[k].x), p);
    }
}

/* Relative error of a quantile: that of the tail over d log tail/d log x, at least 1/2 here. */
static void quantiles(void **state) {
    (void)state;
    static const struct {
        double k, p, x;
    } known[] = {
        {1, 9.9999999999999998e-13, 1.570796326794896556e-24},
        {1, 0.001, 1.5707971492624899447e-6},
        {1, 0.5, 0.45493642311957275194},
        {1, 0.68269999999999997, 1.0000434271174666156},
        {1, 0.94999999999999996, 3.8414588206941244691},
        {1, 0.98999999999999999, 6.6348966010212135563},
        {1, 0.99999999999909051, 51.03033566749730281},
        {2, 9.9999999999999998e-13, 2.0000000000009999598e-12},
        {2, 0.001, 0.002001000667167067042},
        {2, 0.5, 1.3862943611198906188},
        {2, 0.68269999999999997, 2.2958151607859741708},
        {2, 0.94999999999999996, 5.9914645471079802105},
        {2, 0.98999999999999999, 9.2103403719761809597},
        {2, 0.99999999999909051, 55.451774444795624753},
        {3, 9.9999999999999998e-13, 2.4179879427180357746e-8},
        {3, 0.001, 0.02429758581569273353},
        {3, 0.5, 2.3659738843753382661},
        {3, 0.68269999999999997, 3.5268221788659910655},
        {3, 0.94999999999999996, 7.8147279032511779735},
        {3, 0.98999999999999999, 11.34486673014437001},
        {3, 0.99999999999909051, 59.112650899750182208},
        {4, 9.9999999999999998e-13, 2.8284284580803876448e-6},
        {4, 0.001, 0.090804035538979114601},
        {4, 0.5, 3.3566939800333213068},
        {4, 0.68269999999999997, 4.7195687591169842758},
        {4, 0.94999999999999996, 9.4877290367811546009},
        {4, 0.98999999999999999, 13.276704135987622495},
        {4, 0.99999999999909051, 62.395569760072812184},
        {5, 9.9999999999999998e-13, 0.00005124643496830535892},
        {5, 0.001, 0.21021260262921916567},
        {5, 0.5, 4.3514601910955273172},
        {5, 0.68269999999999997, 5.8877004725247413907},
        {5, 0.94999999999999996, 11.07049769351635188},
        {5, 0.98999999999999999, 15.086272469388987961},
        {5, 0.99999999999909051, 65.437211392081116613},
        {6, 9.9999999999999998e-13, 0.00036344062925274887896},
        {6, 0.001, 0.38106675513680638399},
        {6, 0.5, 5.3481206274471206358},
        {6, 0.68269999999999997, 7.0385154911449598035},
        {6, 0.94999999999999996, 12.591587243743977053},
        {6, 0.98999999999999999, 16.811893829770928805},
        {6, 0.99999999999909051, 68.305934001838630916},
        {21, 9.9999999999999998e-13, 0.70022570326957339986},
        {21, 0.001, 6.4466765632173185155},
        {21, 0.5, 20.337227563547926148},
        {21, 0.68269999999999997, 23.511974340047420837},
        {21, 0.94999999999999996, 32.670573340917301617},
        {21, 0.98999999999999999, 38.932172683516064334},
        {21, 0.99999999999909051, 102.82701610241080126},
        {120, 9.9999999999999998e-13, 40.863031756220143687},
        {120, 0.001, 77.755140425309112353},
        {120, 0.5, 119.33399578175584076},
        {120, 0.68269999999999997, 126.82412874080404811},
        {120, 0.94999999999999996, 146.56735758076744104},
        {120, 0.98999999999999999, 158.95016589730622302},
        {120, 0.99999999999909051, 263.49575976427609712},
        {406, 9.9999999999999998e-13, 236.60803055769727446},
        {406, 0.001, 323.60679747133851066},
        {406, 0.5, 405.33352829517042108},
        {406, 0.68269999999999997, 419.01442528282773232},
        {406, 0.94999999999999996, 453.98030537649292155},
        {406, 0.98999999999999999, 475.21628102159961762},
        {406, 0.99999999999909051, 640.35825935260685691},
        {2000, 9.9999999999999998e-13, 1586.878453234153684},
        {2000, 0.001, 1810.2415818699532353},
        {2000, 0.5, 1999.3333728539303641},
        {2000, 0.68269999999999997, 2029.5365245309413566},
        {2000, 0.94999999999999996, 2105.1542361646411036},
        {2000, 0.98999999999999999, 2150.0656641728699984},
        {2000, 0.99999999999909051, 2478.6920506483167724},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double got = rm2i_chi_square_quantile(known[k].k, known[k].p), want = known[k].x;
        double tail = fmin(known[k].p, 1 - known[k].p);
        double bound = 4 * (8 + fabs(log(tail))) * DBL_EPSILON * want;
        if (!(fabs(got - want) <= bound))
            fail_msg("quantile(%g, %g) = %.17g, not %.17g", known[k].k, known[k].p, got, want);
    }
}

/* Over many degrees and probabilities: the quantile is where the distribution has that value. Its last
 * step is below 2 units of 2^-52 and is rounded by as much; each moves the tail by d log tail/d log x,
 * about sqrt(k |log tail|) (normal approximation), units. */
static void quantiles_invert(void **state) {
    (void)state;
    static const double degrees[] = {0.1, 0.3, 1, 1.7, 3, 10, 19.9, 20.1, 77, 406, 1e4, 1e6};
    for (size_t d = 0; d < sizeof degrees / sizeof *degrees; d++)
        for (int e = 2; e <= 60; e++) {
            double k = degrees[d], tail = pow(10, -0.25 * e), other = 1 - (1 - tail), q;
            double bound = (4 * (8 - log(tail)) + 4 * sqrt(-k * log(tail))) * DBL_EPSILON;
            double p = rm2i_gamma_p(k / 2, rm2i_chi_square_quantile(k, tail) / 2, NULL);
            if (!(fabs(p / tail - 1) <= bound))
                fail_msg("k = %g: P at the quantile of %g is %.17g", k, tail, p);
            (void)rm2i_gamma_p(k / 2, rm2i_chi_square_quantile(k, 1 - tail) / 2, &q);
            if (!(fabs(q / other - 1) <= bound))
                fail_msg("k = %g: Q at the quantile of 1 - %g is %.17g", k, tail, q);
        }
}

static void edges(void **state) {
    (void)state;
    double q;
    assert_true(rm2i_gamma_p(3, 0, &q) <= 0 && q >= 1);
    assert_true(rm2i_gamma_p(3, INFINITY, &q) >= 1 && q <= 0);
    assert_true(isnan(rm2i_gamma_p(0, 1, &q)) && isnan(q));
    assert_true(isnan(rm2i_gamma_p(-1, 1, NULL)) && isnan(rm2i_gamma_p(1, -1, NULL)));
    assert_true(isnan(rm2i_gamma_p(NAN, 1, NULL)) && isnan(rm2i_gamma_p(1, NAN, NULL)));
    assert_true(isnan(rm2i_gamma_p(INFINITY, 1, NULL)));
    assert_true(rm2i_chi_square_quantile(4, 0) <= 0 && isinf(rm2i_chi_square_quantile(4, 1)));
    assert_true(isnan(rm2i_chi_square_quantile(0, 0.5)) && isnan(rm2i_chi_square_quantile(4, NAN)));
    assert_true(isnan(rm2i_chi_square_quantile(4, -0.1)));
    assert_true(isnan(rm2i_chi_square_quantile(4, 1.1)));
    assert_true(rm2i_chi_square_quantile(0.001, 1e-5) <= 0); /* below the smallest number */
}

/* Values of SciPy 1.10, which has 15 digits; the sum of up to ten terms loses some units of eps of the
 * largest of them. And digamma(x) = digamma(x + 1) - 1/x. */
static void digamma_values(void **state) {
    (void)state;
    static const double known[][2] = {
        {1e-3, -1000.5755719318103}, {0.1, -10.423754940411076}, {0.5, -1.9635100260214235},
        {1, -0.57721566490153287},   {2, 0.42278433509846713},   {3.7, 1.1671535393615113},
        {9.99, 2.2507003728312012},  {10, 2.2517525890667209},   {25.5, 3.2189424728839198},
        {1000, 6.907255195648812},   {1e6, 13.81551005796419},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_true(fabs(rm2i_digamma(known[k][0]) - known[k][1]) <=
                    16 * DBL_EPSILON * (3 + fabs(known[k][1])));
    for (double x = 0.01; x < 1e5; x *= 1.3) {
        double step = rm2i_digamma(x + 1) - rm2i_digamma(x);
        assert_true(fabs(step - 1 / x) <= 16 * DBL_EPSILON * (3 + 1 / x + log(x + 1)));
    }
    assert_true(isnan(rm2i_digamma(0)) && isnan(rm2i_digamma(-1)) && isnan(rm2i_digamma(NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(quantiles_invert),
        cmocka_unit_test(edges),
        cmocka_unit_test(digamma_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
