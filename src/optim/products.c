/* Inner products of the optimiser's vectors: by one loop, or by sums over rows. */
#include <math.h>

#include "linalg/dense.h"
#include "optim/method.h"

/* Sums of products of the entries from `begin` to `end`. */
typedef void (*range_fn)(const void *vectors, size_t begin, size_t end, double *sums);

enum { MOST = 3 }; /* sums of one call */

/* The sum over the rows, and that of the variables behind them. */
static void sum_ranges(const rm2i_optim *o, range_fn fn, const void *vectors, size_t count,
                       double *sums) {
    const rm2i_rows *r = o->rows;
    double nodes[RM2I_TREE_NODES * MOST], behind[MOST];
    rm2i_tree tree = {.size = count, .values = nodes};
    for (size_t u = 0; u < r->units; u++)
        fn(vectors, r->unit[u] * o->width, r->unit[u + 1] * o->width,
           rm2i_tree_leaf(&tree, r->units_before + u));
    fn(vectors, r->n * o->width, o->n, behind);
    const double *total = rm2i_rows_sum(r, &tree);
    for (size_t k = 0; k < count; k++)
        sums[k] = total[k] + behind[k];
}

typedef struct two {
    const double *x, *y;
} two;

static void dot_range(const void *vectors, size_t begin, size_t end, double *sums) {
    const two *v = vectors;
    *sums = rm2i_dot(end - begin, v->x + begin, v->y + begin);
}

double rm2i_optim_dot(const rm2i_optim *o, const double *x, const double *y) {
    double sum = 0;
    if (!o->rows)
        return rm2i_dot(o->n, x, y);
    sum_ranges(o, dot_range, &(two){x, y}, 1, &sum);
    return sum;
}

double rm2i_optim_norm(const rm2i_optim *o, const double *x) {
    return o->rows ? sqrt(rm2i_optim_dot(o, x, x)) : rm2i_norm(o->n, x);
}

double rm2i_optim_max_abs(const rm2i_optim *o, const double *x) {
    return rm2i_rows_max(o->rows, rm2i_max_abs(o->n, x));
}

/* s.y, s.s, y.y of s = trial_x - x, y = trial_gradient - gradient */
static void pair_range(const void *optim, size_t begin, size_t end, double *sums) {
    const rm2i_optim *o = optim;
    double sy = 0, ss = 0, yy = 0;
    for (size_t i = begin; i < end; i++) {
        double s = o->trial_x[i] - o->x[i], y = o->trial_gradient[i] - o->gradient[i];
        sy += s * y;
        ss += s * s;
        yy += y * y;
    }
    sums[0] = sy;
    sums[1] = ss;
    sums[2] = yy;
}

rm2i_pair_products rm2i_optim_pair(const rm2i_optim *o) {
    double sums[MOST] = {0};
    if (o->rows)
        sum_ranges(o, pair_range, o, MOST, sums);
    else
        pair_range(o, 0, o->n, sums);
    return (rm2i_pair_products){sums[0], sums[1], sums[2]};
}
