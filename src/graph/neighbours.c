/* A k-d tree (Friedman, Bentley and Finkel, ACM Transactions on Mathematical Software 3, 1977):
 * every node halves its points at the median of the coordinate in which they extend farthest.
 *
 * A query goes down to the nearer half first and skips a node whose box is farther away than the k
 * found so far:
 *
 *     |x - p|^2 >= sum_m max(low_m - x_m, x_m - high_m, 0)^2   for all p in the box.
 *
 * Rounding is monotone, and both sides are summed in the same order, so that this holds for the
 * numbers as they are computed: results are those of comparing with every point, bit by bit. Leaves
 * hold their coordinates by columns, for one vector loop; where dimensions are many and boxes
 * exclude nothing, what remains is nearly the plain loop over all points. */
#include "graph/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"

enum { LEAF = 32 }; /* most points of a leaf */

static size_t begin_of(const rm2i_kd_tree *tree, size_t level, size_t p) {
    return (p * tree->n) >> level;
}

/* ---- building ------------------------------------------------------------------------------- */

static void swap(size_t *a, size_t *b) {
    size_t held = *a;
    *a = *b;
    *b = held;
}

/* Reorder so that the one at `middle` is where sorting along the axis would put it, none before it
 * is larger and none behind it smaller (Hoare, Communications of the ACM 4, 1961). */
static void part_at(const double *axis, size_t d, size_t *order, size_t begin, size_t middle,
                    size_t end) {
    ptrdiff_t left = (ptrdiff_t)begin, right = (ptrdiff_t)end - 1, wanted = (ptrdiff_t)middle;
    while (left < right) {
        double pivot = axis[order[left + (right - left) / 2] * d];
        ptrdiff_t i = left, j = right;
        while (i <= j) {
            while (axis[order[i] * d] < pivot)
                i++;
            while (axis[order[j] * d] > pivot)
                j--;
            if (i <= j)
                swap(&order[i++], &order[j--]);
        }
        if (wanted <= j)
            right = j;
        else if (wanted >= i)
            left = i;
        else
            return; /* between them all are equal to the pivot */
    }
}

/* Box of some points; returns the coordinate of largest extent. */
static size_t bound(size_t d, const double *points, const size_t *order, size_t count,
                    double *box) {
    double *low = box, *high = box + d;
    memcpy(low, points + order[0] * d, d * sizeof *low);
    memcpy(high, low, d * sizeof *high);
    for (size_t i = 1; i < count; i++)
        for (size_t m = 0; m < d; m++) {
            double x = points[order[i] * d + m];
            low[m] = x < low[m] ? x : low[m];
            high[m] = x > high[m] ? x : high[m];
        }
    size_t widest = 0;
    for (size_t m = 1; m < d; m++)
        if (high[m] - low[m] > high[widest] - low[widest])
            widest = m;
    return widest;
}

static void fill_leaf(rm2i_kd_tree *tree, const double *points, size_t begin, size_t end) {
    size_t count = end - begin, d = tree->d;
    for (size_t m = 0; m < d; m++)
        for (size_t i = 0; i < count; i++)
            tree->columns[begin * d + m * count + i] = points[tree->order[begin + i] * d + m];
}

static void build_node(rm2i_kd_tree *tree, const double *points, size_t level, size_t p) {
    size_t begin = begin_of(tree, level, p), end = begin_of(tree, level, p + 1), d = tree->d;
    double *box = tree->box + (((size_t)1 << level) + p) * 2 * d;
    size_t axis = bound(d, points, tree->order + begin, end - begin, box);
    if (level == tree->levels) {
        fill_leaf(tree, points, begin, end);
        return;
    }
    part_at(points + axis, d, tree->order, begin, begin_of(tree, level + 1, 2 * p + 1), end);
    build_node(tree, points, level + 1, 2 * p);
    build_node(tree, points, level + 1, 2 * p + 1);
}

void rm2i_kd_free(rm2i_kd_tree *tree) {
    free(tree->order);
    free(tree->box);
    free(tree->columns);
    *tree = (rm2i_kd_tree){0};
}

rm2_status rm2i_kd_build(rm2_context *ctx, size_t n, size_t d, const double *points,
                         rm2i_kd_tree *tree) {
    *tree = (rm2i_kd_tree){.n = n, .d = d};
    if (n == 0 || d == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a graph needs points");
    while (n >> tree->levels > LEAF - 1) /* halves may be larger by one */
        tree->levels++;
    rm2_status status = rm2i_alloc(ctx, n, sizeof *tree->order, &tree->order);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, (size_t)2 << tree->levels, 2 * d * sizeof *tree->box, &tree->box);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, n, d * sizeof *tree->columns, &tree->columns);
    if (status != RM2_OK) {
        rm2i_kd_free(tree);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        tree->order[i] = i;
    build_node(tree, points, 0, 0);
    return RM2_OK;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Squared distances of the points of a leaf from x. */
RM2I_AVX2_CLONES
static void leaf_squares(size_t count, size_t d, const double *restrict columns,
                         const double *restrict x, double *restrict square) {
    for (size_t i = 0; i < count; i++)
        square[i] = 0;
    for (size_t m = 0; m < d; m++) {
        const double *column = columns + m * count;
        double own = x[m];
        for (size_t i = 0; i < count; i++)
            square[i] += (column[i] - own) * (column[i] - own);
    }
}

void rm2i_kd_squares(const rm2i_kd_tree *tree, const double *x, double *square) {
    double found[LEAF];
    for (size_t p = 0; p < (size_t)1 << tree->levels; p++) {
        size_t begin = begin_of(tree, tree->levels, p);
        size_t count = begin_of(tree, tree->levels, p + 1) - begin;
        leaf_squares(count, tree->d, tree->columns + begin * tree->d, x, found);
        for (size_t i = 0; i < count; i++)
            square[tree->order[begin + i]] = found[i];
    }
}

typedef struct query {
    const rm2i_kd_tree *tree;
    const double *x;
    size_t from, to; /* points left out: from .. before to */
    size_t k, held;
    size_t *index;
    double *square;
} query;

/* Insert into the sorted list, if it is not behind all of a full one. */
static void consider(query *q, size_t index, double square) {
    size_t at = q->held;
    if (index >= q->from && index < q->to)
        return;
    if (at == q->k) {
        if (!rm2i_comes_before(square, index, q->square[at - 1], q->index[at - 1]))
            return;
        at--;
    } else {
        q->held++;
    }
    for (; at > 0 && rm2i_comes_before(square, index, q->square[at - 1], q->index[at - 1]); at--) {
        q->square[at] = q->square[at - 1];
        q->index[at] = q->index[at - 1];
    }
    q->square[at] = square;
    q->index[at] = index;
}

static void visit_leaf(query *q, size_t p) {
    const rm2i_kd_tree *tree = q->tree;
    double found[LEAF];
    size_t begin = begin_of(tree, tree->levels, p);
    size_t count = begin_of(tree, tree->levels, p + 1) - begin;
    leaf_squares(count, tree->d, tree->columns + begin * tree->d, q->x, found);
    double farthest = q->held == q->k ? q->square[q->k - 1] : INFINITY;
    for (size_t i = 0; i < count; i++)
        if (found[i] <= farthest)
            consider(q, tree->order[begin + i], found[i]);
}

static double box_square(const rm2i_kd_tree *tree, size_t node, const double *x) {
    const double *low = tree->box + node * 2 * tree->d, *high = low + tree->d;
    double sum = 0;
    for (size_t m = 0; m < tree->d; m++) {
        double below = low[m] - x[m], above = x[m] - high[m];
        double outside = below > above ? below : above;
        outside = outside > 0 ? outside : 0;
        sum += outside * outside;
    }
    return sum;
}

static void visit(query *q, size_t level, size_t p, double nearest) {
    /* as near as the farthest of the list: a smaller index may be inside */
    if (q->held == q->k && nearest > q->square[q->k - 1])
        return;
    if (level == q->tree->levels) {
        visit_leaf(q, p);
        return;
    }
    size_t below = ((size_t)2 << level) + 2 * p;
    double left = box_square(q->tree, below, q->x), right = box_square(q->tree, below + 1, q->x);
    bool right_first = right < left;
    visit(q, level + 1, 2 * p + right_first, right_first ? right : left);
    visit(q, level + 1, 2 * p + !right_first, right_first ? left : right);
}

size_t rm2i_kd_nearest_outside(const rm2i_kd_tree *tree, const double *x, size_t from, size_t to,
                               size_t k, size_t *index, double *square) {
    query q = {
        .tree = tree, .x = x, .from = from, .to = to, .k = k, .index = index, .square = square};
    if (k > 0)
        visit(&q, 0, 0, 0);
    return q.held;
}

size_t rm2i_kd_nearest(const rm2i_kd_tree *tree, const double *x, size_t except, size_t k,
                       size_t *index, double *square) {
    size_t end = except < SIZE_MAX ? except + 1 : SIZE_MAX;
    return rm2i_kd_nearest_outside(tree, x, except, end, k, index, square);
}

/* ---- all points ----------------------------------------------------------------------------- */

typedef struct all_job {
    const rm2i_kd_tree *tree;
    const double *points;
    size_t k;
    size_t *nearest;
    size_t runs;          /* 0: every point is one of its own */
    const size_t *starts; /* runs + 1 */
} all_job;

/* Run of point i: the last that starts at or before it. */
static size_t run_of(const all_job *j, size_t i) {
    size_t low = 0, high = j->runs;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (j->starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* In the order of the tree: one query finds in the cache what the one before it needed. */
static rm2_status find_nearest(const void *job, size_t turn, double *work) {
    const all_job *j = job;
    size_t i = j->tree->order[turn], run = run_of(j, i);
    size_t from = j->runs ? j->starts[run] : i, to = j->runs ? j->starts[run + 1] : i + 1;
    (void)rm2i_kd_nearest_outside(j->tree, j->points + i * j->tree->d, from, to, j->k,
                                  j->nearest + i * j->k, work);
    return RM2_OK;
}

rm2_status rm2i_neighbours(rm2_context *ctx, const rm2i_kd_tree *tree, const double *points,
                           size_t k, size_t *nearest) {
    return rm2i_neighbours_in_others(ctx, tree, points, k, 0, NULL, nearest);
}

rm2_status rm2i_neighbours_in_others(rm2_context *ctx, const rm2i_kd_tree *tree,
                                     const double *points, size_t k, size_t runs,
                                     const size_t *starts, size_t *nearest) {
    all_job job = {tree, points, k, nearest, runs, starts};
    return rm2i_batch(ctx, tree->n, k, find_nearest, &job, NULL);
}

bool rm2i_is_neighbour(const size_t *nearest, size_t k, size_t i, size_t j) {
    for (size_t m = 0; m < k; m++)
        if (nearest[i * k + m] == j)
            return true;
    return false;
}

double rm2i_separation(size_t d, const double *points, size_t i, size_t j) {
    double sum = 0;
    for (size_t m = 0; m < d; m++) {
        double difference = points[i * d + m] - points[j * d + m];
        sum += difference * difference;
    }
    return sqrt(sum);
}

size_t rm2i_neighbour_edges(size_t n, size_t d, const double *points, size_t k,
                            const size_t *nearest, rm2i_edge *edges) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < k; m++) {
            size_t j = nearest[i * k + m];
            if (i < j || !rm2i_is_neighbour(nearest, k, j, i))
                edges[count++] = (rm2i_edge){i, j, rm2i_separation(d, points, i, j)};
        }
    return count;
}
