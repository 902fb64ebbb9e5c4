/* Who has which rows, and how they are cut into units. */
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "rows/division.h"

enum {
    UNITS = 64,        /* that are enough for threads and processes while N is moderate */
    MOST_ROWS = 16384, /* in a unit that could be cut: more units for more processes */
    MULTIPLE = 8, /* rows of a block, except the last of a unit: matrix products are fastest then */
    GRANULES = 8  /* per process, at least: shares are even to a sixteenth */
};

/* ---- processes ------------------------------------------------------------------------------ */

rm2_status rm2_context_set_communicator(rm2_context *ctx, const rm2_communicator *comm) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    if (comm && comm->size < sizeof *comm)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: its size is %zu, expected %zu",
                         comm->size, sizeof *comm);
    if (comm && (comm->ranks < 1 || comm->rank < 0 || comm->rank >= comm->ranks))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: rank %d of %d ranks", comm->rank,
                         comm->ranks);
    if (comm && !(comm->broadcast && comm->allgather && comm->alltoall))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: an operation is NULL");
    ctx->communicator = comm;
    return RM2_OK;
}

rm2i_rows rm2i_rows_none(const rm2_context *ctx) {
    bool several = ctx && ctx->communicator && ctx->communicator->ranks > 1;
    return (rm2i_rows){.comm = several ? ctx->communicator : NULL};
}

rm2_status rm2i_rows_expect_root(rm2_context *ctx) {
    const rm2i_rows none = rm2i_rows_none(ctx);
    if (rm2i_rows_root(&none))
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "only rank 0 may train and end the training of other ranks, which call "
                     "rm2_communicator_serve; this is rank %d",
                     none.comm->rank);
}

/* ---- joined rows ---------------------------------------------------------------------------- */

static void lay_out_division(void *arg, rm2i_arena *a) {
    rm2i_division *d = arg;
    d->rows = rm2i_reserve(a, size_t, d->processes + 1);
    d->trajectories = rm2i_reserve(a, size_t, d->processes + 1);
    d->steps = rm2i_reserve(a, size_t, d->processes + 1);
    d->sent = rm2i_reserve(a, size_t, d->processes);
    d->received = rm2i_reserve(a, size_t, d->processes);
    d->values = rm2i_reserve(a, double, d->processes);
}

static void division_free(rm2i_division *d) {
    if (!d)
        return;
    free(d->memory);
    free(d->starts);
    free(d);
}

static rm2_status allocate_division(rm2_context *ctx, size_t processes, rm2i_division **division) {
    rm2i_division *d;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *d, &d));
    *division = d;
    d->processes = processes;
    return rm2i_arena_calloc(ctx, lay_out_division, d, &d->memory);
}

/* On all processes, or on none. */
static rm2_status create_division(rm2_context *ctx, const rm2i_rows *like,
                                  rm2i_division **division) {
    *division = NULL;
    rm2_status status = allocate_division(ctx, (size_t)like->comm->ranks, division);
    status = rm2i_rows_agree(ctx, like, status);
    if (status != RM2_OK) {
        division_free(*division);
        *division = NULL;
    }
    return status;
}

/* Rows of this process, from the division's numbers of rows and trajectories. */
static rm2i_rows rows_of(const rm2_communicator *comm, rm2i_division *d) {
    size_t k = (size_t)comm->rank, last = d->processes;
    for (size_t i = 0; i <= last; i++)
        d->steps[i] = d->rows[i] - d->trajectories[i];
    return (rm2i_rows){.n = d->rows[k + 1] - d->rows[k],
                       .all = d->rows[last],
                       .before = d->rows[k],
                       .trajectories = d->trajectories[k + 1] - d->trajectories[k],
                       .all_trajectories = d->trajectories[last],
                       .comm = comm,
                       .of_process = d->rows,
                       .division = d};
}

/* Where the trajectories of all processes begin, and behind them those of this one, if this process has not brought
 * them. */
static rm2_status allocate_starts(rm2_context *ctx, rm2i_rows *rows, size_t own) {
    rm2i_division *d = rows->division;
    if (rows->all_trajectories == 0)
        return RM2_OK;
    rm2_status status =
        rm2i_alloc(ctx, rows->all_trajectories + 1 + own, sizeof *d->starts, &d->starts);
    rows->all_starts = d->starts;
    return rm2i_rows_agree(ctx, rows, status);
}

static rm2_status share_starts(rm2_context *ctx, const size_t *own, rm2i_rows *rows) {
    rm2i_division *d = rows->division;
    RM2_TRY(allocate_starts(ctx, rows, 0));
    rows->starts = own;
    if (rows->all_trajectories == 0)
        return RM2_OK;
    for (size_t t = 0; t < rows->trajectories; t++)
        d->starts[d->trajectories[rows->comm->rank] + t] = rows->before + own[t];
    for (size_t k = 0; k < d->processes; k++)
        rows->comm->broadcast(rows->comm->user, (int)k,
                              (d->trajectories[k + 1] - d->trajectories[k]) * sizeof *own,
                              d->starts + d->trajectories[k]);
    d->starts[rows->all_trajectories] = rows->all;
    return RM2_OK;
}

rm2_status rm2i_rows_join(rm2_context *ctx, const rm2i_rows *own, rm2i_rows *rows) {
    const rm2_communicator *comm = own->comm;
    rm2i_division *d;
    *rows = rm2i_rows_alone(own->n, own->trajectories, own->starts);
    if (!comm)
        return RM2_OK;
    RM2_TRY(create_division(ctx, own, &d));
    for (size_t k = 0; k < d->processes; k++) {
        size_t sizes[] = {own->n, own->trajectories};
        comm->broadcast(comm->user, (int)k, sizeof sizes, sizes);
        d->rows[k + 1] = d->rows[k] + sizes[0];
        d->trajectories[k + 1] = d->trajectories[k] + sizes[1];
    }
    *rows = rows_of(comm, d);
    rm2_status status = share_starts(ctx, own->starts, rows);
    if (status != RM2_OK)
        rm2i_rows_free(rows);
    return status;
}

rm2_status rm2i_rows_spread(rm2_context *ctx, const rm2i_rows *like, size_t count,
                            rm2i_rows *rows) {
    rm2i_division *d;
    *rows = rm2i_rows_alone(count, 0, NULL);
    if (!like || !like->comm)
        return RM2_OK;
    RM2_TRY(create_division(ctx, like, &d));
    for (size_t k = 0; k <= d->processes; k++)
        d->rows[k] = count * k / d->processes;
    *rows = rows_of(like->comm, d);
    return RM2_OK;
}

void rm2i_rows_keep_first(rm2i_rows *rows, size_t most) {
    rm2i_division *d = rows->division;
    if (!d) {
        *rows = rm2i_rows_alone(rows->n < most ? rows->n : most, 0, NULL);
        return;
    }
    for (size_t k = 0; k <= d->processes; k++)
        d->rows[k] = d->rows[k] < most ? d->rows[k] : most;
    *rows = rows_of(rows->comm, d);
}

static rm2i_rows view(const rm2i_rows *rows, enum rm2i_kind kind) {
    const rm2i_division *d = rows->division;
    rm2i_rows v = *rows;
    v.trajectories = v.all_trajectories = 0;
    v.starts = v.all_starts = NULL;
    v.unit = rows->cut ? rows->cut->unit[kind] : NULL;
    if (rows->trajectories == 0)
        v.units = v.all_units = v.units_before = 0;
    if (kind == RM2I_TRAJECTORIES) {
        v.n = rows->trajectories;
        v.all = rows->all_trajectories;
        v.of_process = d ? d->trajectories : NULL;
    } else {
        v.n -= rows->trajectories;
        v.all -= rows->all_trajectories;
        v.of_process = d ? d->steps : NULL;
    }
    v.before = v.of_process ? v.of_process[rows->comm->rank] : 0;
    return v;
}

rm2i_rows rm2i_rows_of_trajectories(const rm2i_rows *rows) {
    return view(rows, RM2I_TRAJECTORIES);
}

rm2i_rows rm2i_rows_of_steps(const rm2i_rows *rows) {
    return view(rows, RM2I_STEPS);
}

void rm2i_rows_free(rm2i_rows *rows) {
    if (rows->cut) { /* of rows whose division belongs to others */
        free(rows->cut->memory);
        free(rows->cut->sums);
        free(rows->cut);
    } else
        division_free(rows->division);
    *rows = (rm2i_rows){.n = 0};
}

/* ---- units ---------------------------------------------------------------------------------- */

size_t rm2i_unit_rows(size_t N) {
    size_t rows = N / UNITS < MOST_ROWS ? N / UNITS : MOST_ROWS;
    return rows > RM2I_ROWS ? rows : RM2I_ROWS;
}

size_t rm2i_block_rows(size_t n) {
    size_t blocks = n / RM2I_ROWS + (n % RM2I_ROWS != 0),
           rows = blocks ? (n + blocks - 1) / blocks : 1;
    return (rows + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

/* The number of units; where they begin, if `cut` is not NULL. */
static size_t find_units(const rm2i_rows *r, size_t unit_rows, const rm2i_cut *cut) {
    size_t count = 0, begin = 0, pieces = r->trajectories ? r->trajectories : r->n;
    for (size_t t = 0; t < pieces; t++) {
        size_t end = r->trajectories ? r->starts[t + 1] : t + 1;
        if (end - begin < unit_rows && t + 1 < pieces)
            continue;
        begin = end;
        count++;
        if (!cut)
            continue;
        cut->unit[RM2I_POINTS][count] = end;
        cut->unit[RM2I_TRAJECTORIES][count] = t + 1;
        cut->unit[RM2I_STEPS][count] = end - (t + 1); /* row i of trajectory t is step i - t */
    }
    return count;
}

static void lay_out_cut(void *arg, rm2i_arena *a) {
    rm2i_cut *c = arg;
    for (size_t k = 0; k < RM2I_KINDS; k++)
        c->unit[k] = rm2i_reserve(a, size_t, c->units + 1);
    c->first = rm2i_reserve(a, size_t, c->processes + 1);
}

/* With the first unit of each process, memory to add up their sums. */
static void lay_out_sums(void *arg, rm2i_arena *a) {
    rm2i_cut *c = arg;
    size_t slice = RM2I_PIECE / c->processes + 1;
    size_t longest = slice > RM2I_SHORT ? slice : RM2I_SHORT;
    c->out = rm2i_reserve(a, double, rm2i_tree_most(c->units), RM2I_PIECE);
    c->in = rm2i_reserve(a, double, c->nodes, longest);
    c->joined = rm2i_reserve(a, double, rm2i_tree_most(c->first[c->processes]), longest);
}

static rm2_status create_cut(rm2_context *ctx, size_t unit_rows, rm2i_rows *rows) {
    rm2i_cut *c;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *c, &c));
    rows->cut = c;
    c->units = find_units(rows, unit_rows, NULL);
    c->processes = rows->comm ? (size_t)rows->comm->ranks : 1;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_cut, c, &c->memory));
    (void)find_units(rows, unit_rows, c);
    rows->unit = c->unit[RM2I_POINTS];
    rows->units = rows->all_units = c->units;
    return RM2_OK;
}

static rm2_status share_units(rm2_context *ctx, rm2i_rows *rows) {
    rm2i_cut *c = rows->cut;
    rm2i_node node[RM2I_TREE_NODES];
    for (size_t k = 0; k < c->processes; k++) {
        size_t units = c->units;
        rows->comm->broadcast(rows->comm->user, (int)k, sizeof units, &units);
        c->first[k + 1] = c->first[k] + units;
        c->nodes += rm2i_tree_nodes(c->first[k], c->first[k + 1], node);
    }
    rows->units_before = c->first[rows->comm->rank];
    rows->all_units = c->first[c->processes];
    return rm2i_rows_agree(ctx, rows, rm2i_arena_alloc(ctx, lay_out_sums, c, &c->sums));
}

rm2_status rm2i_rows_cut(rm2_context *ctx, const rm2i_rows *rows, size_t unit_rows,
                         rm2i_rows *cut) {
    *cut = *rows;
    cut->cut = NULL;
    rm2_status status = rm2i_rows_agree(ctx, rows, create_cut(ctx, unit_rows, cut));
    if (status == RM2_OK && rows->comm)
        status = share_units(ctx, cut);
    if (status == RM2_OK)
        return RM2_OK;
    cut->division = NULL; /* which belongs to `rows` */
    rm2i_rows_free(cut);
    return status;
}

/* ---- division ------------------------------------------------------------------------------- */

/* Units at whose multiples shares begin, a power of two where units are many: their sums are few nodes of a tree then. */
static size_t granule(size_t units, size_t processes) {
    size_t g = 1;
    while (2 * g * GRANULES * processes <= units)
        g *= 2;
    return g;
}

/* The unit at which process k begins: nearest to its share of the rows, and one at least after the process before. */
static size_t first_unit(const rm2i_rows *whole, size_t k, size_t processes, size_t before) {
    size_t g = granule(whole->units, processes), u = 0;
    double share = (double)whole->all * (double)k / (double)processes;
    while (u + g < whole->units && (double)(whole->unit[u] + whole->unit[u + g]) / 2 < share)
        u += g;
    size_t last = whole->units - (processes - k); /* units are left for the processes behind */
    u = u < before + 1 ? before + 1 : u;
    return u < last ? u : last;
}

/* On the root: rows and trajectories of each process. */
static rm2_status plan(rm2_context *ctx, const rm2i_rows *whole, rm2i_division *d) {
    rm2i_rows cut, alone = rm2i_rows_alone(whole->n, whole->trajectories, whole->starts);
    RM2_TRY(rm2i_rows_cut(ctx, &alone, rm2i_unit_rows(whole->n), &cut));
    size_t units = cut.units, u = 0;
    for (size_t k = 1; k < d->processes && units >= d->processes; k++) {
        u = first_unit(&cut, k, d->processes, u);
        d->rows[k] = cut.unit[u];
        d->trajectories[k] = alone.trajectories ? cut.cut->unit[RM2I_TRAJECTORIES][u] : 0;
    }
    d->rows[d->processes] = alone.n;
    d->trajectories[d->processes] = alone.trajectories;
    rm2i_rows_free(&cut);
    if (units >= d->processes)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%zu points in %zu trajectories can be divided among at most %zu ranks, not %zu: ranks get "
        "whole trajectories, and at least some hundred points",
        alone.n, alone.trajectories, units, d->processes);
}

/* All starts are the root's. */
static rm2_status give_starts(rm2_context *ctx, const rm2i_rows *whole, rm2i_rows *rows) {
    rm2i_division *d = rows->division;
    RM2_TRY(allocate_starts(ctx, rows, rows->trajectories + 1));
    size_t count = rows->all_trajectories + 1;
    if (count == 1)
        return RM2_OK;
    if (rm2i_rows_root(rows))
        memcpy(d->starts, whole->starts, count * sizeof *d->starts);
    rm2i_rows_broadcast(rows, d->starts, count * sizeof *d->starts);
    for (size_t t = 0; t <= rows->trajectories; t++)
        d->starts[count + t] = d->starts[d->trajectories[rows->comm->rank] + t] - rows->before;
    rows->starts = d->starts + count;
    return RM2_OK;
}

rm2_status rm2i_rows_divide(rm2_context *ctx, const rm2i_rows *whole, rm2i_rows *rows) {
    rm2i_division *d;
    *rows = rm2i_rows_alone(whole->n, whole->trajectories, whole->starts);
    if (!whole->comm)
        return RM2_OK;
    RM2_TRY(create_division(ctx, whole, &d));
    *rows = (rm2i_rows){.comm = whole->comm, .division = d};
    rm2_status status = rm2i_rows_root(whole) ? plan(ctx, whole, d) : RM2_OK;
    status = rm2i_rows_agree(ctx, whole, status);
    if (status == RM2_OK) {
        rm2i_rows_broadcast(whole, d->rows, (d->processes + 1) * sizeof *d->rows);
        rm2i_rows_broadcast(whole, d->trajectories, (d->processes + 1) * sizeof *d->trajectories);
        *rows = rows_of(whole->comm, d);
        status = give_starts(ctx, whole, rows);
    }
    if (status != RM2_OK)
        rm2i_rows_free(rows);
    return status;
}
