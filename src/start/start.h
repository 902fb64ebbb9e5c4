/* Starts of the latent points X0 (N x Q, one row a point): time-aware Isomap, principal components,
 * random. Training keeps the topology of its start, so that a start must not fold the data.
 *
 * Columns for which the data have no extent (Q at least N, or data in fewer than Q dimensions) get
 * a spread of RM2I_START_SPREAD times the standard deviation of all entries: a column of zeros is a
 * saddle point that training never leaves, and its metric is singular. The spread is the
 * low-discrepancy sequence of init_mds.c: nothing here but rm2i_start_random is random, and nothing
 * depends on the number of threads. */
#ifndef RM2I_START_H
#define RM2I_START_H

#include "base/base.h"
#include "linalg/graph.h"

#define RM2I_START_SPREAD 0.01

typedef struct rm2i_isomap_settings {
    size_t neighbours;  /* k of the graph: 8 */
    double time_weight; /* extent of the time axis against that of the data: 4 */
    size_t
        landmarks; /* paths start from so many points; 0: from all of up to 2000, else from 500 */
} rm2i_isomap_settings;

rm2i_isomap_settings rm2i_isomap_settings_default(void);

/* Points, in the order of their trajectories. */
typedef struct rm2i_start_data {
    size_t N, M;
    const double *F;      /* N x M: tangent coordinates */
    size_t trajectories;  /* may be 0 */
    const size_t *starts; /* trajectories + 1, as in rm2_data */
    const double *time;   /* N, or NULL: points are evenly spaced */
} rm2i_start_data;

/* Time-aware Isomap. The standard deviation of all entries of X0 is 1. `settings` may be NULL.
 * RM2_ERR_DATA if there are fewer than two points, all are equal, or a number is not finite. */
rm2_status rm2i_start_isomap(rm2_context *ctx, const rm2i_isomap_settings *settings,
                             const rm2i_start_data *data, size_t Q, double *X0);

/* Scores of the Q leading principal components of Y (N x D), which is centred here; with `scale`
 * divided by the standard deviation of all their entries. */
rm2_status rm2i_start_pca(rm2_context *ctx, size_t N, size_t D, const double *Y, size_t Q,
                          bool scale, double *X0);

/* Standard normal numbers. */
void rm2i_start_random(rm2_rng *rng, size_t N, size_t Q, double *X0);

/* ---- the parts of Isomap -------------------------------------------------------------------- */

/* The k nearest neighbours of each point (ties: the smaller index), symmetrised, with the steps of
 * the trajectories; connected. Time is not looked at. On failure the graph is empty. */
rm2_status rm2i_graph_build(rm2_context *ctx, const rm2i_start_data *points, size_t k,
                            rm2i_graph *graph);

/* Lengths of the shortest paths between all nodes, n x n and symmetric; infinite where there is no
 * path. */
rm2_status rm2i_graph_distances(rm2_context *ctx, const rm2i_graph *graph, double *distance);

/* The same from `count` nodes only: count x n, row i from node source[i]. */
rm2_status rm2i_graph_distances_from(rm2_context *ctx, const rm2i_graph *graph, size_t count,
                                     const size_t *source, double *distance);

/* Classical scaling of the distances (N x N, destroyed) to X (N x Q), not scaled. */
rm2_status rm2i_start_mds(rm2_context *ctx, size_t N, double *distance, size_t Q, double *X);

/* The same from the distances of L landmarks from all points (L x N). */
rm2_status rm2i_start_landmarks(rm2_context *ctx, size_t N, size_t L, const size_t *landmark,
                                const double *distance, size_t Q, double *X);

/* Divide all entries by their standard deviation. */
void rm2i_start_unit(size_t N, size_t Q, double *X);

/* Checks common to the starts: at least two points, finite, not all equal; and *scale, the power of
 * two that brings the largest magnitude to about one. */
rm2_status rm2i_start_check(rm2_context *ctx, size_t N, size_t M, const double *F, size_t Q,
                            double *scale);

#endif
