/* Below r = 1 every function is its power series in x = k r^2 (the terms fall at least as fast as
 * 4^j/(2j)!, fifteen reach full precision); above, the closed form, whose cancellation is then at
 * most a digit. */
#include "math/special.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

enum { TERMS = 15 };

/* sum_j (-x)^j / (2j + 1)! for j >= 1: snc - 1 */
static double snc_minus_1(double x) {
    double term = 1, sum = 0;
    for (int j = 1; j <= TERMS; j++) {
        term *= -x / ((2 * j) * (2 * j + 1));
        sum += term;
    }
    return sum;
}

static double sn(int k, double r) {
    return k > 0 ? sin(r) : sinh(r);
}

static double cs(int k, double r) {
    return k > 0 ? cos(r) : cosh(r);
}

rm2i_space_form rm2i_space_form_at(int k, double r) {
    if (r == 0)
        return (rm2i_space_form){1, 1};
    return (rm2i_space_form){cs(k, r), sn(k, r) / r}; /* a quotient keeps its digits at any r */
}

double rm2i_versine(int k, double r) {
    double half = rm2i_space_form_at(k, r / 2).snc;
    return -k * 0.5 * half * half;
}

double rm2i_d_snc(int k, double r) {
    if (r >= 1) {
        rm2i_space_form f = rm2i_space_form_at(k, r);
        return (f.cs - f.snc) / (r * r);
    }
    double x = k * r * r, term = 1, sum = 0; /* -k sum_j 2j (-x)^(j-1)/(2j+1)! */
    for (int j = 1; j <= TERMS; j++) {
        double scale = 1.0 / ((2 * j) * (2 * j + 1));
        sum -= k * 2 * j * term * scale;
        term *= -x * scale;
    }
    return sum;
}

/* phi = sum_j a_j x^j, a_j = (-1)^j 2^(2j+1)/(2j+2)!; psi = -k sum_{j>=1} a_j x^(j-1);
 * d/dr f(k r^2) / r = 2 k f'(x). */
static rm2i_pullback pullback_series(int k, double x) {
    rm2i_pullback g = {.phi = 1, .psi = 0, .d_phi = 0, .d_psi = 0};
    double a = 1, x0 = 1, x1 = 0, x2 = 0; /* x^j, x^(j-1), x^(j-2) */
    for (int j = 1; j <= TERMS; j++) {
        a *= -4.0 / ((2 * j + 1) * (2 * j + 2));
        x2 = x1;
        x1 = x0;
        x0 *= x;
        g.phi += a * x0;
        g.psi -= k * a * x1;
        g.d_phi += 2 * k * a * j * x1;
        g.d_psi -= 2 * a * (j - 1) * x2;
    }
    return g;
}

rm2i_pullback rm2i_pullback_at(int k, double r) {
    double r2 = r * r;
    if (r < 1)
        return pullback_series(k, k * r2);
    double s = sn(k, r), snc = s / r;
    rm2i_pullback g = {.phi = snc * snc};
    g.psi = (1 - g.phi) / r2;
    g.d_phi = 2 * s * (cs(k, r) * r - s) / (r2 * r2);
    g.d_psi = -(g.d_phi + 2 * g.psi) / r2;
    return g;
}

double rm2i_log_snc(int k, double r) {
    if (r < 1)
        return log1p(snc_minus_1(k * r * r));
    if (k > 0)
        return log(fabs(sin(r)) / r);
    return r - log(2 * r) + log1p(-exp(-2 * r));
}

double rm2i_spd_g(double d) {
    return rm2i_pullback_at(-1, fabs(d) / 2).phi;
}

double rm2i_spd_g1(double d) {
    return 0.25 * d * rm2i_pullback_at(-1, fabs(d) / 2).d_phi; /* dg/dd = phi_r / 2, r = d/2 */
}

double rm2i_spd_g3(double d) {
    double d2 = d * d;
    if (d2 >= 4) { /* g = 2 (cosh d - 1)/d^2 */
        double s = sinh(d), c = cosh(d);
        return 2 * (s - 6 * c / d + 18 * s / d2 - 24 * (c - 1) / (d2 * d)) / d2;
    }
    double sum = 0, term = 2.0 / 720; /* sum_{j>=2} 2 (2j)(2j-1)(2j-2) d^(2j-3)/(2j+2)! */
    for (int j = 2; j <= TERMS; j++) {
        sum += term * (2 * j) * (2 * j - 1) * (2 * j - 2);
        term *= d2 / ((2 * j + 3) * (2 * j + 4));
    }
    return sum * d;
}

/* Up to |d| = 8 series in x = d^2, whose terms are all positive: g = sum_j a_j x^j, a_j = 2/(2j + 2)!,
 * and g'/d = sum_j 2j a_j x^(j-1); as many terms as the largest x needs. */
enum { G_TERMS = 24 };
static const double G_RANGE = 8, G_LAST = 1e-18;

static int g_coefficients(double x, double a[G_TERMS], double slope[G_TERMS]) {
    double power = 1;
    int terms = 1;
    a[0] = 1;
    for (; terms < G_TERMS && (terms < 3 || power * slope[terms - 2] > G_LAST); terms++) {
        a[terms] = a[terms - 1] / ((2 * terms + 1) * (2 * terms + 2));
        slope[terms - 1] = 2 * terms * a[terms];
        power *= x;
    }
    return terms;
}

enum { TOGETHER = 8 }; /* arguments whose sums are in registers */

/* Of TOGETHER arguments. */
static inline __attribute__((always_inline)) void g_sums(int terms, const double *a,
                                                         const double *slope,
                                                         const double *restrict d,
                                                         double *restrict g, double *restrict g1) {
    double x[TOGETHER], sum[TOGETHER], sum1[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
        x[i] = d[i] * d[i];
        sum[i] = a[terms - 1];
        sum1[i] = slope[terms - 2];
    }
    for (int j = terms - 2; j > 0; j--)
        for (int i = 0; i < TOGETHER; i++) {
            sum[i] = sum[i] * x[i] + a[j];
            sum1[i] = sum1[i] * x[i] + slope[j - 1];
        }
    for (int i = 0; i < TOGETHER; i++) {
        g[i] = sum[i] * x[i] + a[0];
        g1[i] = sum1[i] * d[i];
    }
}

RM2I_AVX2_CLONES
static void g_series(size_t n, int terms, const double *a, const double *slope, const double *d,
                     double *g, double *g1) {
    size_t i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER)
        g_sums(terms, a, slope, d + i, g + i, g1 + i);
    if (i == n)
        return;
    double rest[3][TOGETHER] = {{0}};
    memcpy(rest[0], d + i, (n - i) * sizeof *d);
    g_sums(terms, a, slope, rest[0], rest[1], rest[2]);
    memcpy(g + i, rest[1], (n - i) * sizeof *g);
    memcpy(g1 + i, rest[2], (n - i) * sizeof *g1);
}

void rm2i_spd_g_many(size_t n, const double *d, double *g, double *g1) {
    double a[G_TERMS], slope[G_TERMS], largest = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(d[i]) <= G_RANGE)
            largest = fmax(largest, fabs(d[i]));
    int terms = g_coefficients(largest * largest, a, slope);
    g_series(n, terms, a, slope, d, g, g1);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(d[i]) <= G_RANGE)) {
            g[i] = rm2i_spd_g(d[i]);
            g1[i] = rm2i_spd_g1(d[i]);
        }
}
