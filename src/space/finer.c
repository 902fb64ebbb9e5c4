/* Finer grids for narrow passages. The metric is the coarse grid's own, interpolated multilinearly: what matters here is where
 * a way is; its length is minimised afterwards in the metric itself. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "space/around.h"

/* G at x between the nodes of a grid. */
static rm2_status interpolate(const void *user, const double *x, double *G, double *dG) {
    const rm2i_roadmap *net = user;
    size_t Q = net->Q, base = 0;
    double part[RM2I_GRID_Q];
    if (dG)
        return RM2_ERR_UNSUPPORTED;
    for (size_t q = 0; q < Q; q++) {
        double place = rm2i_grid_place(net, q, x[q]);
        size_t cell = place > 0 ? (size_t)place : 0, last = net->count[q] - 2;
        cell = cell > last ? last : cell;
        part[q] = place - (double)cell;
        base += cell * net->stride[q];
    }
    memset(G, 0, Q * Q * sizeof *G);
    for (size_t corner = 0; corner < (size_t)1 << Q; corner++) {
        double weight = 1;
        size_t node = base;
        for (size_t q = 0; q < Q; q++) {
            bool upper = corner >> q & 1;
            weight *= upper ? part[q] : 1 - part[q];
            node += upper ? net->stride[q] : 0;
        }
        for (size_t k = 0; k < Q * Q; k++)
            G[k] += weight * net->G[node * Q * Q + k];
    }
    return RM2_OK;
}

/* Nodes along axis q, those of the coarse grid among them. */
static void divide_axis(const rm2i_roadmap *grid, size_t q, size_t times, double *axis) {
    for (size_t i = 0; i + 1 < grid->count[q]; i++)
        for (size_t k = 0; k < times; k++) {
            double low = grid->axis[q][i], high = grid->axis[q][i + 1];
            *axis++ = low + (high - low) * (double)k / (double)times;
        }
    *axis = grid->axis[q][grid->count[q] - 1];
}

rm2_status rm2i_finer_grid(rm2_context *ctx, const rm2i_roadmap *grid, size_t times, size_t reach,
                           rm2_metric **metric, rm2i_roadmap **finer) {
    size_t counts[RM2I_GRID_Q], total = 0, Q = grid->Q;
    const double *axes[RM2I_GRID_Q];
    double *memory;
    *metric = NULL;
    *finer = NULL;
    for (size_t q = 0; q < Q; q++)
        total += counts[q] = (grid->count[q] - 1) * times + 1;
    RM2_TRY(rm2i_alloc(ctx, total, sizeof *memory, &memory));
    double *axis = memory;
    for (size_t q = 0; q < Q; axis += counts[q++]) {
        divide_axis(grid, q, times, axis);
        axes[q] = axis;
    }
    rm2_status status =
        rm2_metric_from_function(ctx, Q, interpolate, grid, "interpolated metric", metric);
    if (status == RM2_OK)
        status = rm2i_roadmap_grid_axes(ctx, *metric, reach, RM2I_EDGE_ENDS, counts, axes, finer);
    free(memory);
    if (status != RM2_OK) {
        rm2_metric_free(*metric);
        *metric = NULL;
    }
    return status;
}
