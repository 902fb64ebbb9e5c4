/* Order of numbers. */
#ifndef RM2I_ORDER_H
#define RM2I_ORDER_H

#include <stddef.h>

/* For qsort: numbers from the smallest to the largest. */
int rm2i_ascending(const void *a, const void *b);

/* Median of n values, which become sorted; of an even number the mean of the middle two. */
double rm2i_median(size_t n, double *x);

#endif
