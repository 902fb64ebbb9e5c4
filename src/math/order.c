#include "math/order.h"

#include <stdlib.h>

int rm2i_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rm2i_median(size_t n, double *x) {
    qsort(x, n, sizeof *x, rm2i_ascending);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}
