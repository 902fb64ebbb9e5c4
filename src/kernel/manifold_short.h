/* Heat kernel of S^d for short times. */
#ifndef RM2I_MANIFOLD_SHORT_H
#define RM2I_MANIFOLD_SHORT_H

#include <stddef.h>

enum { RM2I_SHORT_TIMES = 8, RM2I_SHORT_ANGLES = 12 };

/* Coefficients of the expansion for one d. */
typedef struct rm2i_short {
    double rho;  /* (d - 1)/2 */
    double rate; /* factor e^(rate t) */
    double log_volume;
    double w[RM2I_SHORT_TIMES + 1][RM2I_SHORT_ANGLES + RM2I_SHORT_TIMES + 1];
} rm2i_short;

/* The expansion at one angle, as a polynomial in t. */
typedef struct rm2i_short_at {
    double quarter;    /* angle^2/4 */
    double log_factor; /* of (angle/sin angle)^rho */
    double p[RM2I_SHORT_TIMES + 1];
} rm2i_short_at;

void rm2i_short_init(size_t d, rm2i_short *s);

/* Longest time at which the expansion has full accuracy. */
double rm2i_short_limit(size_t d);

/* log of (the volume of S^d) times (the kernel at angle 0 without the polynomial in t). */
double rm2i_short_log_amplitude(const rm2i_short *s, size_t d, double t);

rm2i_short_at rm2i_short_angle(const rm2i_short *s, double angle);

/* Kernel over exp(log_amplitude); without relative accuracy where it is below e^-650. */
double rm2i_short_value(const rm2i_short_at *at, double t);

#endif
