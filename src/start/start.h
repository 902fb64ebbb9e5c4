/* Starts of the latent points X0 (N x Q, one row per point): time-aware Isomap, principal components,
 * random; the start from aligned demonstrations is in aligned.h. Training keeps the topology of its start, so that a start must not fold the data.
 *
 * Columns for which the data have no extent (Q at least N, or data in fewer than Q dimensions) get
 * a spread of RM2I_START_SPREAD times the standard deviation of all entries: a column of zeros is a
 * saddle point that training never leaves, and its metric is singular. The spread is the
 * low-discrepancy sequence of mds.c: nothing here but rm2i_start_random is random, and nothing
 * depends on the number of threads. */
#ifndef RM2I_START_H
#define RM2I_START_H

#include "base/base.h"
#include "graph/graph.h"
#include "rows/rows.h"

#define RM2I_START_SPREAD 0.01

typedef struct rm2i_isomap_settings {
    size_t neighbours;  /* k of the graph: 8 */
    double time_weight; /* extent of the time axis against that of the data: 4 */
    size_t
        landmarks; /* number of points that paths start from; 0: from all of up to 2000, else from 500 */
} rm2i_isomap_settings;

rm2i_isomap_settings rm2i_isomap_settings_default(void);

/* Points, in the order of their trajectories. rm2i_start_isomap and rm2i_start_aligned find the start of all
 * rows, and leave the rows that are here in X0. */
typedef struct rm2i_start_data {
    size_t N, M;
    const double *F;       /* N x M: tangent coordinates */
    size_t trajectories;   /* may be 0 */
    const size_t *starts;  /* trajectories + 1, as in rm2_data */
    const double *time;    /* N, or NULL: points are evenly spaced */
    const rm2i_rows *rows; /* of which these are; NULL: these are all */
} rm2i_start_data;

static inline rm2i_rows rm2i_start_rows(const rm2i_start_data *d) {
    return d->rows ? *d->rows : rm2i_rows_alone(d->N, d->trajectories, d->starts);
}

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

typedef struct rm2i_graph_settings {
    size_t neighbours; /* nearest ones of each point (ties: the smaller index), symmetrised */
    bool others_only;  /* they are in other trajectories than the point itself */
    size_t steps;      /* points up to this many steps apart in a trajectory are joined */
    bool tapered;      /* with others_only: lengths depend continuously on the points (graph.c) */
} rm2i_graph_settings;

/* The graph of neighbours and steps; connected. Time is not looked at. On failure it is empty. */
rm2_status rm2i_graph_build(rm2_context *ctx, const rm2i_start_data *points,
                            const rm2i_graph_settings *settings, rm2i_graph *graph);

/* The graph of the points and its classical scaling: X (N x Q), not scaled. Of more than 50,000 points the graph has some
 * 20,000 (rm2i_start_thinned), and `landmarks` is not looked at. X has all rows, on the root. */
rm2_status rm2i_start_scaling(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t landmarks, size_t Q,
                              double *X);

/* Shortest paths from `landmarks` points (0: from all of up to 2000, else from 500) and classical
 * scaling: X (n x Q), not scaled. */
rm2_status rm2i_start_embed(rm2_context *ctx, const rm2i_graph *graph, size_t landmarks, size_t Q,
                            double *X);

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

/* ---- landmarks ------------------------------------------------------------------------------ */

/* Classical scaling of landmarks, as a map of a point's distances d_i from them:
 * x_q = sum_i weight_iq (mean_i - d_i^2). */
typedef struct rm2i_landmarks {
    size_t count, held;      /* landmarks, dimensions that they extend in */
    double *means, *weights; /* count, count x held */
} rm2i_landmarks;

/* From the distances between them (count x count, destroyed), at most Q dimensions; `points` is for the message. */
rm2_status rm2i_landmarks_solve(rm2_context *ctx, size_t points, size_t count, double *distance,
                                size_t Q, rm2i_landmarks *landmarks);
/* The same from their distances from all N points (L x N). */
rm2_status rm2i_landmarks_find(rm2_context *ctx, size_t N, size_t L, const size_t *landmark,
                               const double *distance, size_t Q, rm2i_landmarks *landmarks);
void rm2i_landmarks_free(rm2i_landmarks *landmarks);

/* `count` of n places, evenly, rising; returns how many are distinct. */
size_t rm2i_spread_places(size_t n, size_t count, size_t *place);

/* Classical scaling from `count` landmarks of a graph. */
rm2_status rm2i_start_from_landmarks(rm2_context *ctx, const rm2i_graph *graph, size_t count,
                                     size_t Q, double *X);

/* Some of the points, about evenly: of many trajectories some, each as every s-th point and the last. */
typedef struct rm2i_kept {
    size_t n, trajectories;
    size_t *index;           /* n, rising: which points */
    size_t *chosen, *starts; /* trajectories: which; where each begins among the n, and n */
} rm2i_kept;

/* At most about `most` of all rows; all if there are no more. Empty on failure, which is that of all processes. */
rm2_status rm2i_keep(rm2_context *ctx, const rm2i_rows *rows, size_t most, rm2i_kept *kept);
void rm2i_kept_free(rm2i_kept *kept);

/* Classical scaling of the graph of about `kept` points; the others are placed as if each were joined to its nearest
 * ones of these. Memory per point does not depend on the number of landmarks. The graph is on the root, every process places
 * its own points, and X is as above. */
rm2_status rm2i_start_thinned(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t kept, size_t Q, double *X);

/* Divide all entries by their standard deviation. */
void rm2i_start_unit(size_t N, size_t Q, double *X);

/* Trajectories, if there are any, are runs of the points, none empty; time is finite. */
rm2_status rm2i_start_check_trajectories(rm2_context *ctx, const rm2i_start_data *data);

/* Checks common to the starts: at least two points, finite, not all equal; and *scale, the power of
 * two that brings the largest magnitude to about one. */
rm2_status rm2i_start_check(rm2_context *ctx, const rm2i_start_data *data, size_t Q, double *scale);

#endif
