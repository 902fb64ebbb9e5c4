/* The incomplete beta function and the F distribution that follows from it. */
#ifndef RM2I_BETA_H
#define RM2I_BETA_H

/* I_x(a, b) = integral_0^x t^(a-1) (1-t)^(b-1) dt / B(a, b) for a, b > 0 and 0 <= x <= 1, to about 13 digits for a and b
 * up to 1000; NaN otherwise. */
double rm2i_beta_i(double a, double b, double x);

/* Probability that k F is at most x, where F has Fisher's distribution with k and n > 0 degrees of freedom. n infinite:
 * chi-square with k degrees. */
double rm2i_scaled_f_cdf(double k, double n, double x);
/* The x at which that is p, 0 <= p <= 1. */
double rm2i_scaled_f_quantile(double k, double n, double p);

#endif
