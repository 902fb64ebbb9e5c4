/* Points that are no nodes: which nodes they are joined to, and how far away these are.
 *
 * On a grid these are up to three times as far away as nodes that are joined. A path must leave
 * its way by up to half a cell to meet a node, which tells where it is short: of 2000 on the half
 * plane the worst was 4.1 % too long with the reach alone, 1.2 % so. Only the ends of a path are
 * affected. */
#include <math.h>

#include "geodesic/network.h"

/* ---- grids ---------------------------------------------------------------------------------- */

/* The nodes within the span along each axis, by an odometer over their ranges. */
static void join_grid(const rm2_network *net, rm2i_join *join) {
    size_t first[RM2I_GRID_Q] = {0}, last[RM2I_GRID_Q] = {0}, at[RM2I_GRID_Q] = {0};
    double span = (double)net->span;
    join->on_node = true;
    for (size_t q = 0; q < net->Q; q++) {
        double place = rm2i_grid_place(net, q, join->x[q]), end = (double)(net->count[q] - 1);
        bool here = place == floor(place);
        join->on_node = join->on_node && here;
        first[q] = at[q] = (size_t)fmax(ceil(place - span), 0);
        last[q] = (size_t)fmin(floor(place + span), end);
    }
    for (size_t q = 0; join->on_node && q < net->Q; q++)
        first[q] = last[q] = at[q] = (size_t)rm2i_grid_place(net, q, join->x[q]);
    join->count = 0;
    for (size_t q = 0; q < net->Q;) {
        size_t node = 0;
        for (size_t r = 0; r < net->Q; r++)
            node += at[r] * net->stride[r];
        join->node[join->count++] = node;
        for (q = 0; q < net->Q && at[q]++ == last[q]; q++)
            at[q] = first[q];
    }
}

static bool close_on_grid(const rm2_network *net, const double *a, const double *b) {
    for (size_t q = 0; q < net->Q; q++)
        if (fabs(rm2i_grid_place(net, q, a[q]) - rm2i_grid_place(net, q, b[q])) > (double)net->span)
            return false;
    return true;
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void join_graph(const rm2_network *net, rm2i_join *join) {
    join->count = rm2i_tree_nearest(&net->tree, join->x, SIZE_MAX, rm2i_join_most(net), join->node,
                                    join->length); /* squares of distances, until lengths come */
    join->radius = join->length[join->count - 1];
    join->on_node = join->length[0] == 0;
    if (join->on_node)
        join->count = 1;
}

static bool close_in_graph(const rm2_network *net, const rm2i_join *a, const rm2i_join *b) {
    double square = 0;
    for (size_t q = 0; q < net->Q; q++)
        square += (a->x[q] - b->x[q]) * (a->x[q] - b->x[q]);
    return square <= fmax(a->radius, b->radius);
}

/* ---- both ----------------------------------------------------------------------------------- */

size_t rm2i_join_most(const rm2_network *net) {
    if (!net->grid)
        return net->neighbours < net->nodes ? net->neighbours : net->nodes;
    size_t most = 1;
    for (size_t q = 0; q < net->Q; q++)
        most *= 2 * net->span + 1;
    return most;
}

rm2_status rm2i_network_join(const rm2_network *net, const rm2_metric *metric, rm2i_join *join,
                             double *work) {
    if (net->grid)
        join_grid(net, join);
    else
        join_graph(net, join);
    if (join->on_node) {
        join->length[0] = 0;
        return RM2_OK;
    }
    rm2i_star star = {join->x, join->G, join->count, join->node, net->x, net->G, join->length};
    return rm2i_star_lengths(net, metric, &star, work);
}

rm2_status rm2i_join_direct(const rm2_network *net, const rm2_metric *metric, const rm2i_join *a,
                            const rm2i_join *b, double *length, double *work) {
    *length = INFINITY;
    if (a->on_node || b->on_node)
        return RM2_OK;
    if (!(net->grid ? close_on_grid(net, a->x, b->x) : close_in_graph(net, a, b)))
        return RM2_OK;
    rm2i_star star = {a->x, a->G, 1, (const size_t[]){0}, b->x, b->G, length};
    return rm2i_star_lengths(net, metric, &star, work);
}
