/* Among which points inducing points are chosen. Of many points every k-th is considered: these stand for the others,
 * whose density they have, and t is scaled by their share. The chosen points are points of the data all the same. Where
 * the points are those of a team, all ranks get those that are considered, which are at most some ten thousand, and
 * choose together. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"

typedef struct considered {
    const rm2i_inducing_request *request;
    size_t all, every; /* points of all ranks; each such one is considered */
    size_t own, n;     /* considered ones that are here; of all ranks */
    size_t *counts;    /* doubles of each rank */
    double *X;         /* n x Q, those of all ranks; behind them those that are here */
} considered;

size_t rm2i_inducing_at_a_time(const rm2i_inducing_request *request) {
    return request->considered ? request->considered : RM2I_INDUCING_CONSIDERED;
}

/* Of the rows 0 to end - 1, those that are considered. */
static size_t considered_until(const considered *c, size_t end) {
    return (end + c->every - 1) / c->every;
}

static void count_points(considered *c) {
    const rm2i_inducing_request *request = c->request;
    size_t most = rm2i_inducing_at_a_time(request), before = rm2i_rows_before(request->units);
    c->all = rm2i_rows_all(request->units, request->N);
    c->every = (c->all + most - 1) / most;
    c->n = considered_until(c, c->all);
    c->own = considered_until(c, before + request->N) - considered_until(c, before);
}

/* The considered points of all ranks, which are every-th ones of all points in their order. */
static void gather(const considered *c) {
    const rm2i_ranges *units = c->request->units;
    const rm2_communicator *comm = rm2i_ranges_comm(units);
    size_t Q = c->request->kernel->dim, before = rm2i_rows_before(units);
    double *own = comm ? c->X + c->n * Q : c->X;
    for (size_t i = 0; i < c->own; i++) {
        size_t row = (considered_until(c, before) + i) * c->every - before;
        memcpy(own + i * Q, c->request->X + row * Q, Q * sizeof *own);
    }
    for (int k = 0; comm && k < comm->ranks; k++)
        c->counts[k] =
            (considered_until(c, units->of_rank[k + 1]) - considered_until(c, units->of_rank[k])) *
            Q;
    if (comm)
        comm->allgather(comm->user, c->counts, own, c->X);
}

static rm2_status allocate(rm2_context *ctx, considered *c) {
    const rm2_communicator *comm = rm2i_ranges_comm(c->request->units);
    size_t ranks = comm ? (size_t)comm->ranks : 0;
    RM2_TRY(
        rm2i_alloc(ctx, c->n + (comm ? c->own : 0), c->request->kernel->dim * sizeof *c->X, &c->X));
    return rm2i_alloc(ctx, ranks, sizeof *c->counts, &c->counts);
}

static rm2_status choose(rm2_context *ctx, considered *c, size_t *index, size_t *count,
                         double *left) {
    const rm2_communicator *comm = rm2i_ranges_comm(c->request->units);
    rm2i_inducing_request some = *c->request;
    double share = (double)c->n / (double)c->all;
    RM2_TRY(rm2i_agree(ctx, comm, allocate(ctx, c)));
    gather(c);
    some.N = c->n;
    some.X = c->X;
    some.enough *= share;
    RM2_TRY(rm2i_inducing_choose_more(ctx, &some, NULL, index, count, left));
    for (size_t j = 0; j < *count; j++)
        index[j] *= c->every;
    *left /= share;
    return RM2_OK;
}

rm2_status rm2i_inducing_choose(rm2_context *ctx, const rm2i_inducing_request *request,
                                size_t *index, size_t *count, double *left) {
    considered c = {.request = request};
    *count = 0;
    count_points(&c);
    if (c.every == 1 && !rm2i_ranges_comm(request->units)) /* all of them are here */
        return rm2i_inducing_choose_more(ctx, request, NULL, index, count, left);
    rm2_status status = choose(ctx, &c, index, count, left);
    free(c.X);
    free(c.counts);
    return status;
}
