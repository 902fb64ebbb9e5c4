/* Sums over a team. */
#include "rows/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"

enum {
    PIECE = 1 << 16, /* numbers of a sum that are exchanged at a time */
    SHORT = 16       /* numbers of a sum that every rank adds up by itself */
};

/* ---- shares --------------------------------------------------------------------------------- */

static size_t ranks_of(const rm2i_shares *s) {
    return (size_t)s->comm->ranks;
}

static size_t own_rank(const rm2i_shares *s) {
    return (size_t)s->comm->rank;
}

/* Nodes of the terms of rank k. */
static size_t nodes_of(const rm2i_shares *s, size_t k, rm2i_node *node) {
    return rm2i_tree_nodes(s->first[k], s->first[k + 1], node);
}

/* Where the slice of rank k begins, of `length` numbers. */
static size_t slice_start(const rm2i_shares *s, size_t k, size_t length) {
    return length * k / ranks_of(s);
}

static size_t slice_length(const rm2i_shares *s, size_t k, size_t length) {
    return slice_start(s, k + 1, length) - slice_start(s, k, length);
}

static void lay_out_counts(rm2i_shares *s, rm2i_arena *a) {
    s->first = rm2i_take(a, size_t, ranks_of(s) + 1);
    s->sent = rm2i_take(a, size_t, ranks_of(s));
    s->received = rm2i_take(a, size_t, ranks_of(s));
}

/* The counts are set when the rest is laid out, and are taken along. */
static void lay_out(void *shares, rm2i_arena *a) {
    rm2i_shares *s = shares;
    size_t slice = PIECE / ranks_of(s) + 1;
    size_t own = rm2i_tree_most(s->first[own_rank(s) + 1] - s->first[own_rank(s)]);
    size_t longest = slice > SHORT ? slice : SHORT;
    s->out = rm2i_take(a, double, own, PIECE);
    s->in = rm2i_take(a, double, s->nodes, longest);
    s->joined = rm2i_take(a, double, rm2i_tree_most(s->first[ranks_of(s)]), longest);
}

/* first and nodes from the numbers of terms of all ranks. */
static void count_terms(rm2i_shares *s, size_t terms) {
    rm2i_node node[RM2I_TREE_NODES];
    for (size_t k = 0; k < ranks_of(s); k++) {
        size_t theirs = terms;
        s->comm->broadcast(s->comm->user, (int)k, sizeof theirs, &theirs);
        s->first[k + 1] = s->first[k] + theirs;
        s->nodes += nodes_of(s, k, node);
    }
}

static rm2_status allocate_counts(rm2_context *ctx, const rm2_communicator *comm,
                                  rm2i_shares **shares) {
    rm2i_shares *s;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *s, &s));
    *shares = s;
    s->comm = comm;
    rm2i_arena counted = {NULL, 0};
    lay_out_counts(s, &counted);
    RM2_TRY(rm2i_calloc(ctx, counted.used, sizeof *s->counts, &s->counts));
    lay_out_counts(s, &(rm2i_arena){s->counts, 0});
    return RM2_OK;
}

rm2_status rm2i_shares_create(rm2_context *ctx, const rm2_communicator *comm, size_t terms,
                              rm2i_shares **shares) {
    *shares = NULL;
    if (!comm)
        return RM2_OK;
    rm2_status status = rm2i_agree(ctx, comm, allocate_counts(ctx, comm, shares));
    if (status == RM2_OK) {
        count_terms(*shares, terms);
        status = rm2i_agree(ctx, comm, rm2i_arena_alloc(ctx, lay_out, *shares, &(*shares)->memory));
    }
    if (status == RM2_OK)
        return RM2_OK;
    rm2i_shares_free(*shares);
    *shares = NULL;
    return status;
}

void rm2i_shares_free(rm2i_shares *shares) {
    if (!shares)
        return;
    free(shares->counts);
    free(shares->memory);
    free(shares);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Join the nodes of all ranks, `length` numbers each, as they are in s->in. */
static double *join_all(const rm2i_shares *s, size_t length) {
    rm2i_tree sum = {.size = length, .values = s->joined}, theirs = {.size = length};
    theirs.values = s->in;
    for (size_t k = 0; k < ranks_of(s); k++) {
        theirs.count = nodes_of(s, k, theirs.node);
        rm2i_tree_append(&sum, &theirs);
        theirs.values += theirs.count * length;
    }
    return rm2i_tree_total(&sum);
}

/* Every rank gets all nodes. */
static void total_short(const rm2i_shares *s, const rm2i_tree *tree) {
    rm2i_node node[RM2I_TREE_NODES];
    for (size_t k = 0; k < ranks_of(s); k++)
        s->received[k] = nodes_of(s, k, node) * tree->size;
    s->comm->allgather(s->comm->user, s->received, tree->values, s->in);
    memcpy(tree->values, join_all(s, tree->size), tree->size * sizeof *tree->values);
}

/* The numbers from `first` on: every rank gets its slice of all nodes, then the others' slices of the sum. */
static void total_piece(const rm2i_shares *s, const rm2i_tree *tree, size_t first, size_t length) {
    rm2i_node node[RM2I_TREE_NODES];
    size_t own = slice_length(s, own_rank(s), length);
    double *out = s->out;
    for (size_t k = 0; k < ranks_of(s); k++) {
        size_t slice = slice_length(s, k, length);
        const double *from = tree->values + first + slice_start(s, k, length);
        for (size_t i = 0; i < tree->count; i++, out += slice)
            memcpy(out, from + i * tree->size, slice * sizeof *out);
        s->sent[k] = tree->count * slice;
        s->received[k] = nodes_of(s, k, node) * own;
    }
    s->comm->alltoall(s->comm->user, s->sent, s->out, s->received, s->in);
    for (size_t k = 0; k < ranks_of(s); k++)
        s->received[k] = slice_length(s, k, length);
    s->comm->allgather(s->comm->user, s->received, join_all(s, own), tree->values + first);
}

double *rm2i_shares_total(const rm2i_shares *shares, rm2i_tree *tree) {
    if (!shares)
        return rm2i_tree_total(tree);
    rm2i_tree_join(tree);
    if (tree->size <= SHORT)
        total_short(shares, tree);
    for (size_t first = 0; tree->size > SHORT && first < tree->size; first += PIECE)
        total_piece(shares, tree, first, tree->size - first < PIECE ? tree->size - first : PIECE);
    return tree->values;
}

/* The value of each rank, in s->in. */
static void gather_values(const rm2i_shares *s, double value) {
    for (size_t k = 0; k < ranks_of(s); k++)
        s->received[k] = 1;
    s->comm->allgather(s->comm->user, s->received, &value, s->in);
}

double rm2i_shares_max(const rm2i_shares *shares, double value) {
    if (!shares)
        return value;
    gather_values(shares, value);
    for (size_t k = 0; k < ranks_of(shares); k++)
        value = shares->in[k] > value ? shares->in[k] : value;
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool rm2i_shares_agree(const rm2i_shares *shares, double value) {
    if (!shares)
        return true;
    gather_values(shares, value);
    for (size_t k = 1; k < ranks_of(shares); k++)
        if (bits_of(shares->in[k]) != bits_of(shares->in[0]))
            return false;
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Numbers between this rank and each other: `sent` what it owns, to rank 0; `received` what rank 0 has of all. */
static void count_rows(const rm2i_mail *m, const size_t *of_rank, size_t width) {
    int own = m->comm->rank;
    for (int k = 0; k < m->comm->ranks; k++) {
        m->sent[k] = k == 0 ? (of_rank[own + 1] - of_rank[own]) * width : 0;
        m->received[k] = own == 0 ? (of_rank[k + 1] - of_rank[k]) * width : 0;
    }
}

void rm2i_mail_collect(const rm2i_mail *mail, const size_t *of_rank, size_t width,
                       const double *own, double *whole) {
    count_rows(mail, of_rank, width);
    mail->comm->alltoall(mail->comm->user, mail->sent, own, mail->received, whole);
}

void rm2i_mail_distribute(const rm2i_mail *mail, const size_t *of_rank, size_t width,
                          const double *whole, double *own) {
    count_rows(mail, of_rank, width);
    mail->comm->alltoall(mail->comm->user, mail->received, whole, mail->sent, own);
}

void rm2i_shares_collect(const rm2i_shares *shares, const size_t *of_rank, size_t width,
                         const double *own, double *whole) {
    const rm2i_mail mail = {shares->comm, shares->sent, shares->received};
    rm2i_mail_collect(&mail, of_rank, width, own, whole);
}

void rm2i_shares_distribute(const rm2i_shares *shares, const size_t *of_rank, size_t width,
                            const double *whole, double *own) {
    const rm2i_mail mail = {shares->comm, shares->sent, shares->received};
    rm2i_mail_distribute(&mail, of_rank, width, whole, own);
}
