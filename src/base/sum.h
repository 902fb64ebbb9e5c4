/* Sums that do not depend on how their terms are divided among threads and processes.
 *
 * An accumulator is a pair hi + lo. Knuth's TwoSum gives s = fl(a + b) and the exact error e, a + b = s + e; errors are
 * added in lo, whose own rounding is about 2^-106 of the sum. Accumulators of parts are merged the same way and
 * rounded once, hi + lo: for the same terms any division gives the same bits, unless the exact sum lies within about
 * 2^-50 units of the last digit from the middle of two doubles. */
#ifndef RM2I_SUM_H
#define RM2I_SUM_H

#include <stddef.h>

/* hi + lo += x */
static inline void rm2i_sum_add(double x, double *hi, double *lo) {
    double sum = *hi + x, part = sum - *hi;
    *lo += (*hi - (sum - part)) + (x - part);
    *hi = sum;
}

/* The same for n sums. */
static inline void rm2i_sums_add(size_t n, const double *restrict x, double *restrict hi,
                                 double *restrict lo) {
    for (size_t i = 0; i < n; i++) {
        double sum = hi[i] + x[i], part = sum - hi[i];
        lo[i] += (hi[i] - (sum - part)) + (x[i] - part);
        hi[i] = sum;
    }
}

/* hi + lo += high + low */
static inline void rm2i_sums_merge(size_t n, const double *restrict high,
                                   const double *restrict low, double *restrict hi,
                                   double *restrict lo) {
    rm2i_sums_add(n, high, hi, lo);
    for (size_t i = 0; i < n; i++)
        lo[i] += low[i];
}

/* hi becomes the sums, rounded once. */
static inline void rm2i_sums_round(size_t n, double *restrict hi, const double *restrict lo) {
    for (size_t i = 0; i < n; i++)
        hi[i] += lo[i];
}

#endif
