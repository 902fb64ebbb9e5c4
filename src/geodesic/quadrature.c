/* Legendre polynomials by their recurrence, roots by Newton's method from Chebyshev's points
 * (Abramowitz and Stegun 25.4.29 for the weights). */
#include "geodesic/quadrature.h"

#include <math.h>

#include "front/base.h"

/* P_n(x) and P_n-1(x). */
static double recurrence(size_t n, double x, double *one_less) {
    double before = 0, value = 1;
    for (size_t k = 1; k <= n; k++) { /* k P_k = (2k - 1) x P_k-1 - (k - 1) P_k-2 */
        double next = ((double)(2 * k - 1) * x * value - (double)(k - 1) * before) / (double)k;
        before = value;
        value = next;
    }
    *one_less = before;
    return value;
}

double rm2i_legendre(size_t n, double u) {
    double ignored;
    return recurrence(n, 2 * u - 1, &ignored);
}

/* P_n(x) and P_n'(x) = n (P_n-1 - x P_n) / (1 - x^2) at |x| < 1. */
static double legendre(size_t n, double x, double *derivative) {
    double before, value = recurrence(n, x, &before);
    *derivative = (double)n * (before - x * value) / (1 - x * x);
    return value;
}

rm2i_quadrature rm2i_gauss_rule(size_t points) {
    rm2i_quadrature rule = {.points = points};
    for (size_t i = 0; i < points; i++) {
        double x = -cos(RM2_PI * ((double)i + 0.75) / ((double)points + 0.5)), derivative = 1;
        for (int step = 0; step < 8; step++)
            x -= legendre(points, x, &derivative) / derivative;
        (void)legendre(points, x, &derivative);
        rule.node[i] = 0.5 * (1 + x);
        rule.weight[i] = 1 / ((1 - x * x) * derivative * derivative);
    }
    return rule;
}

/* Inner nodes are the roots of P_n', n = points - 1; (1 - x^2) P_n'' = 2 x P_n' - n (n + 1) P_n. */
void rm2i_lobatto_nodes(size_t points, double *node) {
    size_t n = points - 1;
    node[0] = 0;
    node[n] = 1;
    for (size_t i = 1; i < n; i++) {
        double x = -cos(RM2_PI * (double)i / (double)n);
        for (int step = 0; step < 8; step++) {
            double derivative, value = legendre(n, x, &derivative);
            double second = (2 * x * derivative - (double)(n * (n + 1)) * value) / (1 - x * x);
            x -= derivative / second;
        }
        node[i] = 0.5 * (1 + x);
    }
}

void rm2i_lagrange(size_t points, const double *node, double u, double *value, double *slope,
                   double *second) {
    for (size_t k = 0; k < points; k++) {
        double f = 1, f1 = 0, f2 = 0;
        for (size_t j = 0; j < points; j++) {
            if (j == k)
                continue;
            double c = 1 / (node[k] - node[j]),
                   p = (u - node[j]) * c; /* next factor, its slope c */
            f2 = f2 * p + 2 * f1 * c;
            f1 = f1 * p + f * c;
            f *= p;
        }
        value[k] = f;
        slope[k] = f1;
        second[k] = f2;
    }
}
