/* Heat kernel H_t of the sphere S^d for short times t.
 *
 * With rho = (d - 1)/2, the radial heat equation H_t = H'' + 2 rho cot(a) H' (a the angle) becomes,
 * for H = (sin a)^-rho psi,
 *   psi_t = psi'' + [rho^2 - c/sin^2 a] psi,  c = rho (rho - 1),
 * and that of R^d is the same with c/a^2 in place of c/sin^2 a - rho^2. Hence
 *   H_t = (4 pi t)^(-d/2) e^(-a^2/4t) (a/sin a)^rho e^((rho^2 - c/3) t) w,
 *   w_t = w'' + (2 rho/a - a/t) w' - V w,
 *   V = c (1/sin^2 a - 1/a^2 - 1/3) = sum_i V_i a^2i,  V_i = 2 c (2i + 1) zeta(2i + 2)/pi^(2i + 2),
 * so that w = sum_jk w_jk t^j a^2k, w_00 = 1, has
 *   (j + 2k) w_jk = (2k + 2)(2k + 1 + 2 rho) w_(j-1)(k+1) - sum_(i>=1) V_i w_(j-1)(k-i).
 * On S^1 and S^3 c = 0 and w = 1. What is left out are the geodesics around the other side,
 * relative e^(-pi^2/4t) and smaller. (Minakshisundaram and Pleijel, 1949; Rosenberg, The Laplacian
 * on a Riemannian manifold, 1997, section 3.) */
#include "kernel/manifold_short.h"

#include <math.h>

#include "front/base.h"
#include "math/special.h"

static const double VANISHED = 700; /* e^-700: below what a kernel keeps */

enum { TERMS = RM2I_SHORT_ANGLES + RM2I_SHORT_TIMES };

static double zeta(int s) {
    double sum = 0;
    for (int n = 60; n > 0; n--)
        sum += pow(n, -s);
    return sum + pow(60.5, 1 - s) / (s - 1); /* midpoint rule for the rest */
}

static void potential(double c, double *V) {
    V[0] = 0; /* taken out as e^(-c t/3) */
    for (int i = 1; i <= TERMS; i++)
        V[i] = 2 * c * (2 * i + 1) * zeta(2 * i + 2) / pow(RM2_PI, 2 * i + 2);
}

void rm2i_short_init(size_t d, rm2i_short *s) {
    double V[TERMS + 1], n = (double)d;
    s->rho = (n - 1) / 2;
    double c = s->rho * (s->rho - 1);
    s->rate = s->rho * s->rho - c / 3;
    s->log_volume = log(2) + (n + 1) / 2 * log(RM2_PI) - lgamma((n + 1) / 2);
    potential(c, V);
    for (int k = 0; k <= TERMS; k++)
        s->w[0][k] = k == 0;
    for (int j = 1; j <= RM2I_SHORT_TIMES; j++)
        for (int k = 0; k <= TERMS; k++) {
            double next = k < TERMS ? s->w[j - 1][k + 1] : 0;
            double sum = (2 * k + 2) * (2 * k + 1 + 2 * s->rho) * next;
            for (int i = 1; i <= k; i++)
                sum -= V[i] * s->w[j - 1][k - i];
            s->w[j][k] = sum / (j + 2 * k);
        }
}

double rm2i_short_limit(size_t d) {
    double n = (double)d;
    return 2e-3 / fmax(1, n * n / 100);
}

double rm2i_short_log_amplitude(const rm2i_short *s, size_t d, double t) {
    return s->log_volume - (double)d / 2 * log(4 * RM2_PI * t) + s->rate * t;
}

rm2i_short_at rm2i_short_angle(const rm2i_short *s, double angle) {
    double a2 = angle * angle;
    rm2i_short_at at = {.quarter = a2 / 4, .log_factor = -s->rho * rm2i_log_snc(1, angle)};
    for (int j = 0; j <= RM2I_SHORT_TIMES; j++) {
        double sum = 0;
        for (int k = TERMS - j; k >= 0; k--) /* terms beyond are not complete */
            sum = sum * a2 + s->w[j][k];
        at.p[j] = sum;
    }
    return at;
}

double rm2i_short_value(const rm2i_short_at *at, double t) {
    double exponent = at->log_factor - at->quarter / t;
    if (!(exponent > -VANISHED) || exponent > 0)
        return at->quarter > 0 ? 0 : 1;
    double sum = 0;
    for (int j = RM2I_SHORT_TIMES; j >= 0; j--)
        sum = sum * t + at->p[j];
    return sum > 0 ? exp(exponent) * sum : 0;
}
