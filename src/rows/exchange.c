/* What processes do together: broadcasts, agreement, folds, sums, and rows that change hands. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "rows/division.h"
#include "rows/rows.h"

static const rm2_communicator *comm_of(const rm2i_rows *rows) {
    return rows ? rows->comm : NULL;
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

void rm2i_rows_broadcast(const rm2i_rows *rows, void *data, size_t bytes) {
    const rm2_communicator *comm = comm_of(rows);
    if (comm && bytes > 0)
        comm->broadcast(comm->user, 0, bytes, data);
}

/* The process that has a row. */
static size_t owner_of(const rm2i_rows *rows, size_t row) {
    size_t k = 0;
    while (row >= rows->of_process[k + 1])
        k++;
    return k;
}

void rm2i_rows_broadcast_row(const rm2i_rows *rows, size_t row, void *data, size_t bytes) {
    const rm2_communicator *comm = comm_of(rows);
    if (comm && bytes > 0)
        comm->broadcast(comm->user, (int)owner_of(rows, row), bytes, data);
}

bool rm2i_rows_decide(const rm2i_rows *rows, bool on_this_process) {
    unsigned char decision = on_this_process;
    rm2i_rows_broadcast(rows, &decision, sizeof decision);
    return decision != 0;
}

/* ---- failures -------------------------------------------------------------------------------- */

typedef struct report {
    rm2_status status;
    char message[RM2I_MESSAGE_SIZE];
} report;

rm2_status rm2i_rows_agree_all(rm2_context *ctx, const rm2i_rows *rows, rm2_status status) {
    const rm2_communicator *comm = rows->comm;
    for (int k = 0; k < comm->ranks; k++) {
        report r = {.status = status};
        memcpy(r.message, rm2_context_error(ctx), strlen(rm2_context_error(ctx)) + 1);
        comm->broadcast(comm->user, k, sizeof r.status, &r.status);
        if (r.status == RM2_OK)
            continue;
        comm->broadcast(comm->user, k, sizeof r.message, r.message);
        if (k == 0) /* the root reports about the whole, or the same as all processes */
            return rm2i_fail(ctx, r.status, "%s", r.message);
        return rm2i_fail(ctx, r.status, "rank %d: %.1000s", k, r.message);
    }
    return status;
}

rm2_status rm2i_rows_alloc(rm2_context *ctx, const rm2i_rows *rows, size_t count, size_t size,
                           void *out) {
    void *block;
    rm2_status status = rm2i_rows_agree(ctx, rows, rm2i_calloc(ctx, count, size, &block));
    if (status != RM2_OK) {
        free(block);
        block = NULL;
    }
    memcpy(out, &block, sizeof block);
    return status;
}

/* ---- folds and values ------------------------------------------------------------------------ */

void rm2i_rows_fold(const rm2i_rows *rows, size_t bytes, void *state, rm2i_fold_fn fn,
                    const void *job) {
    const rm2_communicator *comm = comm_of(rows);
    for (int k = 0; k < (comm ? comm->ranks : 1); k++) {
        if (!comm || k == comm->rank)
            fn(job, state);
        if (comm)
            comm->broadcast(comm->user, k, bytes, state);
    }
}

/* The value of each process. */
static const double *values_of(const rm2i_rows *rows, double value) {
    const rm2i_division *d = rows->division;
    for (size_t k = 0; k < d->processes; k++)
        d->received[k] = 1;
    rows->comm->allgather(rows->comm->user, d->received, &value, d->values);
    return d->values;
}

double rm2i_rows_max(const rm2i_rows *rows, double value) {
    if (!comm_of(rows))
        return value;
    const double *values = values_of(rows, value);
    for (size_t k = 0; k < rows->division->processes; k++)
        value = values[k] > value ? values[k] : value;
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool rm2i_rows_same(const rm2i_rows *rows, double value) {
    if (!comm_of(rows))
        return true;
    const double *values = values_of(rows, value);
    for (size_t k = 1; k < rows->division->processes; k++)
        if (bits_of(values[k]) != bits_of(values[0]))
            return false;
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Every process has the nodes of its terms, consecutive ones. The nodes of all processes are joined in the order of
 * processes, so that a sum has the same bits for any number of them. Long sums are divided too: each process joins its
 * slice of all nodes, then all get all slices. */

static size_t nodes_of(const rm2i_cut *c, size_t k, rm2i_node *node) {
    return rm2i_tree_nodes(c->first[k], c->first[k + 1], node);
}

/* Where the slice of process k begins, of `length` numbers. */
static size_t slice_start(const rm2i_cut *c, size_t k, size_t length) {
    return length * k / c->processes;
}

static size_t slice_length(const rm2i_cut *c, size_t k, size_t length) {
    return slice_start(c, k + 1, length) - slice_start(c, k, length);
}

/* Join the nodes of all processes, `length` numbers each, as they are in c->in. */
static double *join_all(const rm2i_cut *c, size_t length) {
    rm2i_tree sum = {.size = length, .values = c->joined}, theirs = {.size = length};
    theirs.values = c->in;
    for (size_t k = 0; k < c->processes; k++) {
        theirs.count = nodes_of(c, k, theirs.node);
        rm2i_tree_append(&sum, &theirs);
        theirs.values += theirs.count * length;
    }
    return rm2i_tree_total(&sum);
}

/* Every process gets all nodes. */
static void sum_short(const rm2i_rows *rows, const rm2i_tree *tree) {
    const rm2i_cut *c = rows->cut;
    size_t *received = rows->division->received;
    rm2i_node node[RM2I_TREE_NODES];
    for (size_t k = 0; k < c->processes; k++)
        received[k] = nodes_of(c, k, node) * tree->size;
    rows->comm->allgather(rows->comm->user, received, tree->values, c->in);
    memcpy(tree->values, join_all(c, tree->size), tree->size * sizeof *tree->values);
}

/* The numbers from `first` on: every process gets its slice of all nodes, then the others' slices of the sum. */
static void sum_piece(const rm2i_rows *rows, const rm2i_tree *tree, size_t first, size_t length) {
    const rm2_communicator *comm = rows->comm;
    const rm2i_cut *c = rows->cut;
    const rm2i_division *d = rows->division;
    rm2i_node node[RM2I_TREE_NODES];
    size_t own = slice_length(c, (size_t)comm->rank, length);
    double *out = c->out;
    for (size_t k = 0; k < c->processes; k++) {
        size_t slice = slice_length(c, k, length);
        const double *from = tree->values + first + slice_start(c, k, length);
        for (size_t i = 0; i < tree->count; i++, out += slice)
            memcpy(out, from + i * tree->size, slice * sizeof *out);
        d->sent[k] = tree->count * slice;
        d->received[k] = nodes_of(c, k, node) * own;
    }
    comm->alltoall(comm->user, d->sent, c->out, d->received, c->in);
    for (size_t k = 0; k < c->processes; k++)
        d->received[k] = slice_length(c, k, length);
    comm->allgather(comm->user, d->received, join_all(c, own), tree->values + first);
}

double *rm2i_rows_sum(const rm2i_rows *rows, rm2i_tree *tree) {
    if (!comm_of(rows))
        return rm2i_tree_total(tree);
    rm2i_tree_join(tree);
    if (tree->size <= RM2I_SHORT)
        sum_short(rows, tree);
    for (size_t first = 0; tree->size > RM2I_SHORT && first < tree->size; first += RM2I_PIECE)
        sum_piece(rows, tree, first,
                  tree->size - first < RM2I_PIECE ? tree->size - first : RM2I_PIECE);
    return tree->values;
}

double rm2i_rows_sum_units(const rm2i_rows *rows, rm2i_unit_fn fn, void *job) {
    double nodes[RM2I_TREE_NODES];
    rm2i_tree tree = {.size = 1, .values = nodes};
    for (size_t u = 0; u < rows->units; u++)
        *rm2i_tree_leaf(&tree, rows->units_before + u) = fn(job, rows->unit[u], rows->unit[u + 1]);
    return *rm2i_rows_sum(rows, &tree);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Numbers between this process and each other: `sent` its rows, to the root; `received` the root's share of all. */
static void count_numbers(const rm2i_rows *rows, const size_t *of_process, size_t width) {
    const rm2i_division *d = rows->division;
    int own = rows->comm->rank;
    for (size_t k = 0; k < d->processes; k++) {
        d->sent[k] = k == 0 ? (of_process[own + 1] - of_process[own]) * width : 0;
        d->received[k] = own == 0 ? (of_process[k + 1] - of_process[k]) * width : 0;
    }
}

static void gather(const rm2i_rows *rows, const size_t *of_process, size_t width, const double *own,
                   double *whole) {
    count_numbers(rows, of_process, width);
    rows->comm->alltoall(rows->comm->user, rows->division->sent, own, rows->division->received,
                         whole);
}

static void copy(const rm2i_rows *rows, size_t width, const double *from, double *to) {
    if (from != to && rows->n > 0)
        memcpy(to, from, rows->n * width * sizeof *to);
}

void rm2i_rows_gather(const rm2i_rows *rows, size_t width, const double *own, double *whole) {
    if (rows->comm)
        gather(rows, rows->of_process, width, own, whole);
    else
        copy(rows, width, own, whole);
}

void rm2i_rows_scatter(const rm2i_rows *rows, size_t width, const double *whole, double *own) {
    if (!rows->comm) {
        copy(rows, width, whole, own);
        return;
    }
    count_numbers(rows, rows->of_process, width);
    rows->comm->alltoall(rows->comm->user, rows->division->received, whole, rows->division->sent,
                         own);
}

void rm2i_rows_gather_all(const rm2i_rows *rows, size_t width, const double *own, double *all) {
    if (!rows->comm) {
        copy(rows, width, own, all);
        return;
    }
    const rm2i_division *d = rows->division;
    for (size_t k = 0; k < d->processes; k++)
        d->received[k] = (rows->of_process[k + 1] - rows->of_process[k]) * width;
    rows->comm->allgather(rows->comm->user, d->received, own, all);
}

rm2_status rm2i_rows_room(rm2_context *ctx, const rm2i_rows *rows, size_t width, double *own,
                          double **whole) {
    rm2_status status = RM2_OK;
    *whole = rows->comm ? NULL : own;
    if (rows->comm && rm2i_rows_root(rows))
        status = rm2i_alloc(ctx, rows->all, width * sizeof **whole, whole);
    return rm2i_rows_agree(ctx, rows, status);
}

rm2_status rm2i_rows_collect(rm2_context *ctx, const rm2i_rows *rows, size_t width,
                             const double *own, const double **whole, double **memory) {
    RM2_TRY(rm2i_rows_room(ctx, rows, width, NULL, memory));
    if (rows->comm)
        rm2i_rows_gather(rows, width, own, *memory);
    *whole = rows->comm ? *memory : own;
    return RM2_OK;
}

/* How many rows two ranges have in common. */
static size_t overlap(const size_t *a, const size_t *b) {
    size_t from = a[0] > b[0] ? a[0] : b[0], to = a[1] < b[1] ? a[1] : b[1];
    return from < to ? to - from : 0;
}

void rm2i_rows_move(const rm2i_rows *from, const rm2i_rows *to, size_t width, const double *own,
                    double *moved) {
    const rm2i_division *d = to->division;
    if (!to->comm) {
        copy(to, width, own, moved);
        return;
    }
    int rank = to->comm->rank;
    for (size_t k = 0; k < d->processes; k++) {
        d->sent[k] = overlap(from->of_process + rank, to->of_process + k) * width;
        d->received[k] = overlap(from->of_process + k, to->of_process + rank) * width;
    }
    to->comm->alltoall(to->comm->user, d->sent, own, d->received, moved);
}

/* ---- a few rows ------------------------------------------------------------------------------ */

/* How many of the rising numbers are below `row`. */
static size_t count_below(const rm2i_few *which, size_t row) {
    size_t low = 0, high = which->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (which->index[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copy the rows from `first` to `end` of the few, which this process has. */
static void pack(const rm2i_rows *rows, const rm2i_few *which, size_t first, size_t end,
                 size_t width, const double *own, double *packed) {
    for (size_t j = first; j < end; j++, packed += width)
        memcpy(packed, own + (which->index[j] - rows->before) * width, width * sizeof *packed);
}

rm2_status rm2i_rows_pick(rm2_context *ctx, const rm2i_rows *rows, const rm2i_few *which,
                          size_t width, const double *own, double *few) {
    if (!rows->comm) {
        pack(rows, which, 0, which->count, width, own, few);
        return RM2_OK;
    }
    size_t processes = rows->division->processes, *of_process;
    double *packed = NULL;
    size_t first = count_below(which, rows->before),
           end = count_below(which, rows->before + rows->n);
    rm2_status status = rm2i_alloc(ctx, processes + 1, sizeof *of_process, &of_process);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, end - first, width * sizeof *packed, &packed);
    status = rm2i_rows_agree(ctx, rows, status);
    if (status == RM2_OK) {
        for (size_t k = 0; k <= processes; k++)
            of_process[k] = count_below(which, rows->of_process[k]);
        pack(rows, which, first, end, width, own, packed);
        gather(rows, of_process, width, packed, few);
    }
    free(packed);
    free(of_process);
    return status;
}

void rm2i_rows_pick_all(const rm2i_rows *rows, const rm2i_few *which, size_t width,
                        const double *own, double *work, double *few) {
    if (!comm_of(rows)) {
        pack(&(rm2i_rows){.before = 0}, which, 0, which->count, width, own, few);
        return;
    }
    double *all = work + which->count * width, *next = work;
    const rm2i_division *d = rows->division;
    memset(d->received, 0, d->processes * sizeof *d->received);
    for (size_t j = 0; j < which->count; j++) {
        d->received[owner_of(rows, which->index[j])] += width;
        if (which->index[j] - rows->before <
            rows->n) { /* rows before wrap around to large numbers */
            memcpy(next, own + (which->index[j] - rows->before) * width, width * sizeof *next);
            next += width;
        }
    }
    rows->comm->allgather(rows->comm->user, d->received, work, all);
    for (size_t k = 0, begin = 0; k < d->processes; k++) { /* from counts to beginnings */
        size_t count = d->received[k];
        d->received[k] = begin;
        begin += count;
    }
    for (size_t j = 0; j < which->count; j++) {
        size_t *from = &d->received[owner_of(rows, which->index[j])];
        memcpy(few + j * width, all + *from, width * sizeof *few);
        *from += width;
    }
}
