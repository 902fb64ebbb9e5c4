/* Who has which rows. */
#include "rows/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { GRANULES = 8 }; /* per rank, at least: the parts are even to a sixteenth */

/* ---- the plan ------------------------------------------------------------------------------- */

void rm2i_parts_free(rm2i_parts *parts) {
    free(parts->memory);
    *parts = (rm2i_parts){.comm = NULL};
}

static rm2_status allocate(rm2_context *ctx, rm2i_parts *p) {
    size_t ranks = (size_t)p->comm->ranks;
    RM2_TRY(
        rm2i_calloc(ctx, 4 * (ranks + 1) + p->all_trajectories + 1, sizeof *p->memory, &p->memory));
    p->rows = p->memory;
    p->trajectories = p->rows + ranks + 1;
    p->sent = p->trajectories + ranks + 1;
    p->received = p->sent + ranks + 1;
    p->starts = p->received + ranks + 1;
    return RM2_OK;
}

/* Units at whose multiples parts begin, a power of two where units are many: their sums are few nodes of a tree then. */
static size_t granule(size_t units, size_t ranks) {
    size_t g = 1;
    while (2 * g * GRANULES * ranks <= units)
        g *= 2;
    return g;
}

/* The unit at which rank k begins: nearest to its share of the rows, and one at least after the rank before. */
static size_t first_unit(const rm2i_ranges *points, size_t k, size_t ranks, size_t before) {
    size_t g = granule(points->count, ranks), u = 0;
    double share = (double)points->all * (double)k / (double)ranks;
    while (u + g < points->count && (double)(points->first[u] + points->first[u + g]) / 2 < share)
        u += g;
    size_t last = points->count - (ranks - k); /* units are left for the ranks behind */
    u = u < before + 1 ? before + 1 : u;
    return u < last ? u : last;
}

static void cut(const rm2i_units *units, size_t ranks, rm2i_parts *p) {
    size_t u = 0;
    for (size_t k = 1; k < ranks; k++) {
        u = first_unit(&units->points, k, ranks, u);
        p->rows[k] = units->points.first[u];
        p->trajectories[k] = units->trajectories.count ? units->trajectories.first[u] : 0;
    }
    p->rows[ranks] = units->points.all;
    p->trajectories[ranks] = units->trajectories.all;
}

static rm2_status check_units(rm2_context *ctx, const rm2_communicator *comm,
                              const rm2i_units *units) {
    if (units->points.count >= (size_t)comm->ranks)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%zu points in %zu trajectories can be divided among at most %zu ranks, not %d: ranks get "
        "whole trajectories, and at least some hundred points",
        units->points.all, units->trajectories.all, units->points.count, comm->ranks);
}

rm2_status rm2i_parts_plan(rm2_context *ctx, const rm2_communicator *comm,
                           const rm2i_rows_of *whole, rm2i_parts *parts) {
    rm2i_units *units;
    *parts = (rm2i_parts){.comm = comm, .all = whole->N, .all_trajectories = whole->trajectories};
    RM2_TRY(rm2i_units_create(ctx, whole, &units));
    rm2_status status = check_units(ctx, comm, units);
    if (status == RM2_OK)
        status = allocate(ctx, parts);
    if (status == RM2_OK) {
        cut(units, (size_t)comm->ranks, parts);
        if (whole->trajectories > 0)
            memcpy(parts->starts, whole->starts, (whole->trajectories + 1) * sizeof *parts->starts);
    }
    rm2i_units_free(units);
    return status;
}

rm2_status rm2i_parts_share(rm2_context *ctx, const rm2_communicator *comm, rm2i_parts *parts) {
    size_t ranks = (size_t)comm->ranks, sizes[] = {parts->all, parts->all_trajectories};
    rm2i_broadcast(comm, sizes, sizeof sizes);
    rm2_status status = RM2_OK;
    if (comm->rank != 0) {
        *parts = (rm2i_parts){.comm = comm, .all = sizes[0], .all_trajectories = sizes[1]};
        status = allocate(ctx, parts);
    }
    RM2_TRY(rm2i_agree(ctx, comm, status));
    rm2i_broadcast(comm, parts->rows, (ranks + 1) * sizeof *parts->rows);
    rm2i_broadcast(comm, parts->trajectories, (ranks + 1) * sizeof *parts->trajectories);
    rm2i_broadcast(comm, parts->starts, (sizes[1] + 1) * sizeof *parts->starts);
    return RM2_OK;
}

/* ---- this rank's ---------------------------------------------------------------------------- */

size_t rm2i_parts_rows(const rm2i_parts *p) {
    return p->rows[p->comm->rank + 1] - p->rows[p->comm->rank];
}

size_t rm2i_parts_trajectories(const rm2i_parts *p) {
    return p->trajectories[p->comm->rank + 1] - p->trajectories[p->comm->rank];
}

void rm2i_parts_starts(const rm2i_parts *p, size_t *starts) {
    const size_t *first = p->starts + p->trajectories[p->comm->rank];
    for (size_t t = 0; t <= rm2i_parts_trajectories(p); t++)
        starts[t] = first[t] - p->rows[p->comm->rank];
}

/* ---- rows of all ---------------------------------------------------------------------------- */

void rm2i_parts_collect(const rm2i_parts *p, const size_t *of_rank, size_t width, const double *own,
                        double *whole) {
    const rm2i_mail mail = {p->comm, p->sent, p->received};
    rm2i_mail_collect(&mail, of_rank, width, own, whole);
}

void rm2i_parts_distribute(const rm2i_parts *p, const size_t *of_rank, size_t width,
                           const double *whole, double *own) {
    const rm2i_mail mail = {p->comm, p->sent, p->received};
    rm2i_mail_distribute(&mail, of_rank, width, whole, own);
}

/* How many of the rising `index` are below `row`. */
static size_t count_below(const rm2i_some_rows *what, size_t row) {
    size_t low = 0, high = what->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (what->index[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

rm2_status rm2i_parts_pick(rm2_context *ctx, const rm2i_parts *p, const rm2i_some_rows *what,
                           double *some) {
    size_t ranks = (size_t)p->comm->ranks, *of_rank = NULL, width = what->width;
    double *own = NULL;
    size_t first = count_below(what, p->rows[p->comm->rank]);
    size_t end = count_below(what, p->rows[p->comm->rank + 1]);
    rm2_status status = rm2i_alloc(ctx, ranks + 1, sizeof *of_rank, &of_rank);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, end - first, width * sizeof *own, &own);
    status = rm2i_agree(ctx, p->comm, status);
    if (status == RM2_OK) {
        for (size_t k = 0; k <= ranks; k++)
            of_rank[k] = count_below(what, p->rows[k]);
        for (size_t i = first; i < end; i++)
            memcpy(own + (i - first) * width,
                   what->own + (what->index[i] - p->rows[p->comm->rank]) * width,
                   width * sizeof *own);
        rm2i_parts_collect(p, of_rank, width, own, some);
    }
    free(own);
    free(of_rank);
    return status;
}
