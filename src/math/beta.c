/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated from its beginning by
 * Lentz's method as modified by Thompson and Barnett (1986). It converges quickly for x below (a + 1)/(a + b + 2); above,
 * I_x(a, b) = 1 - I_(1-x)(b, a). */
#include "math/beta.h"

#include <float.h>
#include <math.h>

#include "math/gamma.h"

static double away_from_zero(double x) {
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* 1/(1 + d_1/(1 + d_2/(1 + ...))) */
static double fraction(double a, double b, double x) {
    enum { MOST = 10000 };
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= c * d;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1) <= DBL_EPSILON)
            break;
    }
    return value;
}

double rm2i_beta_i(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
        return NAN;
    if (x == 0 || x == 1)
        return x;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * fraction(a, b, x) / a;
    return 1 - front * fraction(b, a, 1 - x) / b;
}

double rm2i_scaled_f_cdf(double k, double n, double x) {
    if (isinf(n))
        return rm2i_chi_square_cdf(k, x);
    return isinf(x)
               ? 1
               : rm2i_beta_i(k / 2, n / 2, x / (x + n)); /* k F/(k F + n) has a beta distribution */
}

/* By bisection of log x: it is called for a few levels. */
double rm2i_scaled_f_quantile(double k, double n, double p) {
    enum { STEPS = 200 };
    double below = -700, above = 700;
    if (isinf(n))
        return rm2i_chi_square_quantile(k, p);
    if (!(k > 0 && n > 0 && p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p > 0 ? INFINITY : 0;
    for (int i = 0; i < STEPS; i++) {
        double middle = (below + above) / 2;
        if (rm2i_scaled_f_cdf(k, n, exp(middle)) < p)
            below = middle;
        else
            above = middle;
    }
    return exp((below + above) / 2);
}
