/* A median for the benchmarks. */
#ifndef RM2_BENCH_H
#define RM2_BENCH_H

#include <stdlib.h>

static inline int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

#endif
