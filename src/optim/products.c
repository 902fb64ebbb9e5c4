/* Inner products of the optimiser's vectors: by one loop, or as a tree of the sums of segments. */
#include <math.h>

#include "linalg/dense.h"
#include "optim/method.h"
#include "rows/tree.h"

/* Sums of products of the entries from `begin` to `end`. */
typedef void (*range_fn)(const void *vectors, size_t begin, size_t end, double *sums);

enum { MOST = 3 }; /* sums of one call */

/* The tree of the segments, and what is behind them. */
static void sum_ranges(const rm2i_optim *o, range_fn fn, const void *vectors, size_t count,
                       double *sums) {
    const rm2i_segments *s = o->segments;
    double nodes[RM2I_TREE_NODES * MOST], behind[MOST];
    rm2i_tree tree = {.size = count, .values = nodes};
    for (size_t b = 0; b < s->count; b++)
        fn(vectors, s->first[b] * s->width, s->first[b + 1] * s->width,
           rm2i_tree_leaf(&tree, s->offset + b));
    fn(vectors, s->first[s->count] * s->width, o->n, behind);
    const double *total = rm2i_shares_total(s->shares, &tree);
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
    if (!o->segments)
        return rm2i_dot(o->n, x, y);
    sum_ranges(o, dot_range, &(two){x, y}, 1, &sum);
    return sum;
}

double rm2i_optim_norm(const rm2i_optim *o, const double *x) {
    return o->segments ? sqrt(rm2i_optim_dot(o, x, x)) : rm2i_norm(o->n, x);
}

double rm2i_optim_max_abs(const rm2i_optim *o, const double *x) {
    return rm2i_shares_max(o->segments ? o->segments->shares : NULL, rm2i_max_abs(o->n, x));
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
    if (o->segments)
        sum_ranges(o, pair_range, o, MOST, sums);
    else
        pair_range(o, 0, o->n, sums);
    return (rm2i_pair_products){sums[0], sums[1], sums[2]};
}
