/* Nearest neighbours of points in Euclidean space, exactly: ties go to the smaller index, and
 * squared distances are the same sums, bit by bit, whichever way and from whichever end. */
#ifndef RM2I_NEIGHBOURS_H
#define RM2I_NEIGHBOURS_H

#include "graph/graph.h"

/* The order of neighbours. */
static inline bool rm2i_comes_before(double square, size_t index, double other,
                                     size_t other_index) {
    return square < other || (square == other && index < other_index);
}

/* A k-d tree over n points: a complete binary tree, node 1 at the top, 2j and 2j + 1 below node j;
 * node p of the 2^t on level t has the points order[p n / 2^t] .. before order[(p + 1) n / 2^t]. */
typedef struct rm2i_kd_tree {
    size_t n, d, levels; /* leaves are on the last level */
    size_t *order;
    double *box;     /* of each node: d least coordinates, d largest */
    double *columns; /* leaf by leaf: coordinates, d rows */
} rm2i_kd_tree;

/* `points` (n x d, finite) need not live on; on failure the tree is empty. */
rm2_status rm2i_kd_build(rm2_context *ctx, size_t n, size_t d, const double *points,
                         rm2i_kd_tree *tree);
void rm2i_kd_free(rm2i_kd_tree *tree);

/* The k nearest of x, except point `except` (SIZE_MAX: none), in order: index and squared distance
 * (k each). Returns how many there are, fewer than k if the points are. */
size_t rm2i_kd_nearest(const rm2i_kd_tree *tree, const double *x, size_t except, size_t k,
                       size_t *index, double *square);
/* The same, except the points from .. before to. */
size_t rm2i_kd_nearest_outside(const rm2i_kd_tree *tree, const double *x, size_t from, size_t to,
                               size_t k, size_t *index, double *square);
/* Squared distances (n) of all points from x. */
void rm2i_kd_squares(const rm2i_kd_tree *tree, const double *x, double *square);

/* The k < n nearest of each of the tree's points: n x k. */
rm2_status rm2i_neighbours(rm2_context *ctx, const rm2i_kd_tree *tree, const double *points,
                           size_t k, size_t *nearest);
/* The k nearest of each point that are in another run than it: `runs` runs of consecutive points, run t
 * from starts[t] to before starts[t + 1]; at least k points are outside of each. */
rm2_status rm2i_neighbours_in_others(rm2_context *ctx, const rm2i_kd_tree *tree,
                                     const double *points, size_t k, size_t runs,
                                     const size_t *starts, size_t *nearest);
/* Is j among the k nearest of i? */
bool rm2i_is_neighbour(const size_t *nearest, size_t k, size_t i, size_t j);
/* Pairs of which one is among the k nearest of the other, each once, as long as they are apart;
 * `edges` has room for n k. Returns how many. */
size_t rm2i_neighbour_edges(size_t n, size_t d, const double *points, size_t k,
                            const size_t *nearest, rm2i_edge *edges);
/* Distance of points i and j. */
double rm2i_separation(size_t d, const double *points, size_t i, size_t j);

#endif
