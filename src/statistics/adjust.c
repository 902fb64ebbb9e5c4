/* p values of several tests made together: Holm's adjustment. With p_(1) <= p_(2) <= ... of m tests
 *   adjusted_(k) = max_{j <= k} min(1, (m - j + 1) p_(j)) */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "riemann2/statistics.h"

typedef struct entry {
    double p;
    size_t test;
} entry;

static int by_p(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

rm2_status rm2_adjust_p_values(rm2_context *ctx, size_t count, const double *p, double *adjusted) {
    entry *order;
    double least = 0;
    RM2_REQUIRE(ctx, p, adjusted);
    for (size_t k = 0; k < count; k++)
        if (!(p[k] >= 0 && p[k] <= 1))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "p[%zu] is %g: expected a number from 0 to 1",
                             k, p[k]);
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *order, &order));
    for (size_t k = 0; k < count; k++)
        order[k] = (entry){p[k], k};
    qsort(order, count, sizeof *order, by_p);
    for (size_t k = 0; k < count; k++) {
        least = fmax(least, fmin(1, (double)(count - k) * order[k].p));
        adjusted[order[k].test] = least;
    }
    free(order);
    return RM2_OK;
}
