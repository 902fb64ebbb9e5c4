/* The incomplete gamma function, the chi-square distribution that follows from it, and the derivative of
 * log Gamma. */
#ifndef RM2I_GAMMA_H
#define RM2I_GAMMA_H

/* P(a, x) = integral_0^x t^(a-1) e^-t dt / Gamma(a) and *upper = 1 - P, each to about 14 digits of
 * its own size however small it is. a > 0, x >= 0 (infinity is allowed); NaN otherwise. `upper`
 * may be NULL. */
double rm2i_gamma_p(double a, double x, double *upper);

/* d log Gamma(x)/dx for x > 0, to a few units of 1e-15; NaN otherwise. */
double rm2i_digamma(double x);

/* Probability that a chi-square variable of k > 0 degrees of freedom is at most x. */
double rm2i_chi_square_cdf(double k, double x);
/* The x at which that is p, 0 <= p <= 1. */
double rm2i_chi_square_quantile(double k, double p);

#endif
