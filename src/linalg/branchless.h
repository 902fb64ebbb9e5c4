/* Arithmetic without branches or calls: inside a loop the compiler turns it into vector instructions,
 * the same for every element, so that a result does not depend on its place in a row.
 *
 * e^x for x <= 0, with ln 2 in two parts (Cody and Waite, Software Manual for the Elementary Functions,
 * 1980):
 *   n = x/ln 2 to the nearest integer,   e^x = 2^n e^r,   r = x - n ln 2 = high - low,  |r| <= ln 2/2
 *   high = x - n LN2_HIGH (exact: 42 bits times 10),   low = n LN2_LOW
 *   e^r = 1 + high + (r^2 p(r) - low),   p(r) = 1/2 + r/6 + ...
 * p has degree 9 and the least maximum of the relative error of e^r that 1/2 allows, 0.05 ulp. What
 * rounding takes from 1 + high is added again; the last sum costs 1/2 ulp, all others less than 1/4. */
#ifndef RM2I_BRANCHLESS_H
#define RM2I_BRANCHLESS_H

#include <stdint.h>
#include <string.h>

/* For functions that must disappear in the loop of their caller. */
#define RM2I_INLINED static inline __attribute__((always_inline))

/* x if `keep` is 1, zero if it is 0, whatever x is (a conditional of floating-point operations is a
 * branch to the compiler, because they might trap). */
RM2I_INLINED double rm2i_zero_unless(int keep, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= -(uint64_t)keep;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* e^x for x <= 0: 1 at 0, zero below x = -690 (e^-690 = 2e-300), NaN of NaN, within one ulp. */
RM2I_INLINED double rm2i_exp_negative(double x) {
    const double over_ln2 = 1.4426950408889634, ln2_high = 0.69314718055989033,
                 ln2_low = 5.4979230187083712e-14;
    const double rounder = 6755399441055744.0; /* 1.5 2^52: a sum with it has no fraction */
    double shifted = x * over_ln2 + rounder, n = shifted - rounder;
    double high = x - n * ln2_high, low = n * ln2_low, r = high - low, r2 = r * r;
    /* p by pairs of terms: a long chain of operations would keep the processor waiting */
    double r4 = r2 * r2, p01 = 0.5 + 0.16666666666666433 * r,
           p23 = 0.041666666666603999 + 0.008333333333500368 * r,
           p45 = 0.0013888888926776174 + 0.00019841269465430486 * r,
           p67 = 2.4801508710797928e-05 + 2.7557641631684749e-06 * r,
           p89 = 2.7625174558150128e-07 + 2.4978119852301802e-08 * r;
    double p = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * p89);
    double sum = 1 + high, rest = ((1 - sum) + high) - low, power;
    uint64_t bits; /* n is in the lowest ones; n + 1023 as an exponent is 2^n */
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return rm2i_zero_unless(!(x < -690), (sum + (rest + r2 * p)) * power);
}

#endif
