/* Inducing points of a team: their inputs are rows of several ranks. Every rank has all of them, and rank 0 chooses them:
 * the points that are considered are at most some ten thousand, however many points there are. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "linalg/dense.h"

size_t rm2i_inducing_ranks(const rm2i_inducing *in) {
    const rm2_team *team = rm2i_ranges_team(in->units);
    return team ? (size_t)team->size : 1;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* The rank that has a row. */
static size_t owner_of(const rm2i_ranges *units, size_t row) {
    size_t rank = 0;
    while (row >= units->of_rank[rank + 1])
        rank++;
    return rank;
}

/* Every rank packs those it has; all get all, by rank, and put them where they belong. */
static void gather_inputs(rm2i_inducing *in, const double *X) {
    const rm2_team *team = rm2i_ranges_team(in->units);
    size_t Q = in->Q, before = rm2i_rows_before(in->units), own = 0, begin = 0;
    double *all = in->gathered + in->r * Q;
    memset(in->owned, 0, rm2i_inducing_ranks(in) * sizeof *in->owned);
    for (size_t j = 0; j < in->r; j++) {
        size_t rank = owner_of(in->units, in->index[j]);
        in->owned[rank] += Q;
        if (rank == (size_t)team->rank)
            memcpy(in->gathered + own++ * Q, X + (in->index[j] - before) * Q, Q * sizeof *X);
    }
    team->gather(team->user, in->owned, in->gathered, all);
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
    if (rm2i_ranges_team(in->units))
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

/* ---- choice --------------------------------------------------------------------------------- */

typedef struct thinned {
    const rm2i_inducing_request *request;
    size_t every;   /* of all points, each such one is considered */
    size_t own, n;  /* that are here; of all ranks */
    size_t *counts; /* doubles of each rank */
    double *X;      /* n x Q, those of all ranks; behind them those that are here */
} thinned;

/* Of the rows 0 to end - 1, those that are considered. */
static size_t considered(const thinned *t, size_t end) {
    return (end + t->every - 1) / t->every;
}

/* The considered points of all ranks, which are every-th ones of all points in their order. */
static void gather_considered(thinned *t) {
    const rm2i_ranges *units = t->request->units;
    const rm2_team *team = rm2i_ranges_team(units);
    size_t Q = t->request->kernel->dim, before = rm2i_rows_before(units);
    double *own = t->X + t->n * Q;
    for (int k = 0; k < team->size; k++)
        t->counts[k] =
            (considered(t, units->of_rank[k + 1]) - considered(t, units->of_rank[k])) * Q;
    for (size_t i = 0; i < t->own; i++) {
        size_t row = (considered(t, before) + i) * t->every - before;
        memcpy(own + i * Q, t->request->X + row * Q, Q * sizeof *own);
    }
    team->gather(team->user, t->counts, own, t->X);
}

static rm2_status choose(rm2_context *ctx, thinned *t, size_t *index, size_t *count, double *left) {
    const rm2_team *team = rm2i_ranges_team(t->request->units);
    rm2i_inducing_request some = *t->request;
    rm2_status status = rm2i_alloc(ctx, t->n + t->own, some.kernel->dim * sizeof *t->X, &t->X);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, (size_t)team->size, sizeof *t->counts, &t->counts);
    RM2_TRY(rm2i_team_settle(ctx, team, status));
    gather_considered(t);
    some.N = t->n;
    some.X = t->X;
    if (team->rank == 0)
        status = rm2i_inducing_choose_thinned(ctx, &some, some.units->all, index, count, left);
    RM2_TRY(rm2i_team_settle(ctx, team, status));
    rm2i_team_tell(team, count, sizeof *count);
    rm2i_team_tell(team, left, sizeof *left);
    rm2i_team_tell(team, index, *count * sizeof *index);
    return RM2_OK;
}

rm2_status rm2i_inducing_choose_team(rm2_context *ctx, const rm2i_inducing_request *request,
                                     size_t *index, size_t *count, double *left) {
    const rm2i_ranges *units = request->units;
    thinned t = {.request = request, .every = rm2i_inducing_every(request, units->all)};
    size_t before = rm2i_rows_before(units);
    t.n = considered(&t, units->all);
    t.own = considered(&t, before + request->N) - considered(&t, before);
    rm2_status status = choose(ctx, &t, index, count, left);
    free(t.X);
    free(t.counts);
    return status;
}
