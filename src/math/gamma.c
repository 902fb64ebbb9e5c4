/* Below x = a + 1 the power series, above it the continued fraction (Abramowitz and Stegun 6.5.29 and
 * 6.5.31), so that the smaller tail is a sum of positive terms:
 *   P(a, x) = D sum_n x^n / ((a + 1) ... (a + n)),   D = x^a e^-x / Gamma(a + 1)
 *   Q(a, x) = D a / (x + 1 - a - 1 (1 - a)/(x + 3 - a - 2 (2 - a)/(x + 5 - a - ...)))
 * In D, a log x - x and log Gamma are large and cancel. For a >= 10 they are taken together: with
 * x = a (1 + m), D = exp(-a (m - log(1 + m)) - s(a)) / sqrt(2 pi a), s Stirling's correction. */
#include "math/gamma.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "math/special.h"

/* m - log(1 + m) at x = a (1 + m), also for small m: with t = m/(2 + m),
 * log(1 + m) = 2 (t + t^3/3 + t^5/5 + ...) and m - 2 t = m t. */
static double minus_log1p(double a, double x) {
    double m = (x - a) / a;
    if (fabs(m) > 0.5)
        return m - log(x / a);
    double t = m / (2 + m), t2 = t * t, power = t, sum = 0;
    for (int k = 3; fabs(power) > DBL_EPSILON * DBL_EPSILON && k < 60; k += 2) {
        power *= t2;
        sum += power / k;
    }
    return m * t - 2 * sum;
}

/* log Gamma(a) - (a - 1/2) log a + a - log(2 pi)/2 = sum_k B_2k / (2k (2k - 1) a^(2k-1)), a >= 10 */
static double stirling(double a) {
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double sum = 0, w = 1 / (a * a);
    for (size_t k = sizeof c / sizeof *c; k-- > 0;)
        sum = sum * w + c[k];
    return sum / a;
}

/* digamma(x) = digamma(x + 1) - 1/x up to 10, then log x - 1/(2 x) - sum_k B_2k/(2 k x^2k) (Abramowitz and
 * Stegun 6.3.5 and 6.3.18) */
double rm2i_digamma(double x) {
    static const double c[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
    double below = 0, sum = 0;
    if (!(x > 0))
        return NAN;
    while (x < 10) {
        below -= 1 / x;
        x += 1;
    }
    double w = 1 / (x * x);
    for (size_t k = sizeof c / sizeof *c; k-- > 0;)
        sum = (sum + c[k]) * w;
    return below + log(x) - 0.5 / x - sum;
}

/* D = x^a e^-x / Gamma(a + 1) */
static double leading(double a, double x) {
    if (a < 10)
        return exp(a * log(x) - x) / tgamma(a + 1);
    return exp(-a * minus_log1p(a, x) - stirling(a) - 0.5 * (RM2I_LOG_2PI + log(a)));
}

/* sum_n x^n / ((a + 1) ... (a + n)), x < a + 1: the terms fall */
static double series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; term > 0.25 * DBL_EPSILON * sum; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* The continued fraction, by the method of Lentz. */
static double fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d, change = 0;
    for (int n = 1; fabs(change - 1) > DBL_EPSILON; n++) {
        double an = n * (a - n);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
        c = fabs(c) < DBL_MIN ? DBL_MIN : c;
        change = c * d;
        h *= change;
    }
    return h;
}

double rm2i_gamma_p(double a, double x, double *upper) {
    double p, q;
    if (!(a > 0) || isinf(a) || !(x >= 0)) {
        p = q = NAN;
    } else if (x == 0 || isinf(x)) {
        p = x > 0;
        q = 1 - p;
    } else if (x < a + 1) {
        p = leading(a, x) * series(a, x);
        q = 1 - p;
    } else {
        q = leading(a, x) * a * fraction(a, x);
        p = 1 - q;
    }
    if (upper)
        *upper = q;
    return p;
}

double rm2i_chi_square_cdf(double k, double x) {
    return rm2i_gamma_p(k / 2, x / 2, NULL);
}

/* log Gamma(a + 1) */
static double log_factorial(double a) {
    return a < 10 ? log(tgamma(a + 1)) : (a + 0.5) * log(a) - a + 0.5 * RM2I_LOG_2PI + stirling(a);
}

/* Where P (low) or Q is about `tail`: Wilson and Hilferty's normal approximation; where that leaves the
 * positive numbers, the first term of the series, P = x^a / Gamma(a + 1). */
static double first_guess(double a, double tail, bool low) {
    double t = sqrt(-2 * log(tail)); /* of a normal variable: Abramowitz and Stegun 26.2.23 */
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    double root = 1 - 1 / (9 * a) + (low ? -z : z) / (3 * sqrt(a));
    if (root < 0.5)
        return exp((log(low ? tail : 1 - tail) + log_factorial(a)) / a);
    return a * root * root * root;
}

/* Newton's method in log x on the logarithm of the tail, dP/dlog x = a D; between bounds that close in,
 * so that a step that leaves them becomes a bisection. */
static double gamma_quantile(double a, double tail, bool low) {
    enum { MOST = 200 };
    double x = first_guess(a, tail, low), below = 0, above = INFINITY;
    for (int k = 0; k < MOST && x > 0; k++) {
        double q, p = rm2i_gamma_p(a, x, &q), got = low ? p : q;
        if (low ? got < tail : got > tail)
            below = x;
        else
            above = x;
        double step = log(got / tail) * got / (a * leading(a, x)) * (low ? -1 : 1);
        double next = x * exp(step);
        if (!(next > below && next < above))
            next = isinf(above) ? 2 * x : below > 0 ? sqrt(below) * sqrt(above) : 0.5 * x;
        if (fabs(next - x) <= 2 * DBL_EPSILON * x)
            return next;
        x = next;
    }
    return x;
}

double rm2i_chi_square_quantile(double k, double p) {
    if (!(k > 0) || isinf(k) || !(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p > 0 ? INFINITY : 0;
    return 2 * gamma_quantile(k / 2, fmin(p, 1 - p), p < 0.5);
}
