/* Inducing points of a team: their inputs are rows of several ranks, and every rank has all of them. */
#include <string.h>

#include "gp/inducing.h"
#include "linalg/dense.h"

size_t rm2i_inducing_ranks(const rm2i_inducing *in) {
    return rm2i_ranks(rm2i_ranges_comm(in->units));
}

/* The rank that has a row. */
static size_t owner_of(const rm2i_ranges *units, size_t row) {
    size_t rank = 0;
    while (row >= units->of_rank[rank + 1])
        rank++;
    return rank;
}

/* Every rank packs those it has; all get all, by rank, and put them where they belong. */
static void gather_inputs(rm2i_inducing *in, const double *X) {
    const rm2_communicator *comm = rm2i_ranges_comm(in->units);
    size_t Q = in->Q, before = rm2i_rows_before(in->units), own = 0, begin = 0;
    double *all = in->gathered + in->r * Q;
    memset(in->owned, 0, rm2i_inducing_ranks(in) * sizeof *in->owned);
    for (size_t j = 0; j < in->r; j++) {
        size_t rank = owner_of(in->units, in->index[j]);
        in->owned[rank] += Q;
        if (rank == (size_t)comm->rank)
            memcpy(in->gathered + own++ * Q, X + (in->index[j] - before) * Q, Q * sizeof *X);
    }
    comm->allgather(comm->user, in->owned, in->gathered, all);
    for (size_t k = 0; k < rm2i_inducing_ranks(in); k++) { /* from counts to beginnings */
        size_t count = in->owned[k];
        in->owned[k] = begin;
        begin += count;
    }
    for (size_t j = 0; j < in->r; j++) {
        size_t *next = &in->owned[owner_of(in->units, in->index[j])];
        memcpy(in->Z + j * Q, all + *next, Q * sizeof *all);
        *next += Q;
    }
}

void rm2i_inducing_take_inputs(rm2i_inducing *in, const double *X) {
    if (rm2i_ranges_comm(in->units))
        gather_inputs(in, X);
    else
        rm2i_inducing_gather(in->r, in->index, in->Q, X, in->Z);
}

void rm2i_inducing_give_inputs(const rm2i_inducing *in, const double *Z_bar, double *X_bar) {
    size_t before = rm2i_rows_before(in->units);
    for (size_t j = 0; j < in->r; j++) /* rows before wrap around to large numbers */
        if (in->index[j] - before < in->N)
            rm2i_axpy(in->Q, 1, Z_bar + j * in->Q, X_bar + (in->index[j] - before) * in->Q);
}
