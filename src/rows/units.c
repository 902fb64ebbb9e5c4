/* Units of whole trajectories. */
#include "rows/units.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"

enum {
    UNITS = 64,       /* that are enough for threads and processes while N is moderate */
    MOST_ROWS = 16384 /* in a unit that could be cut: more units for more processes */
};
enum {
    MULTIPLE = 8
}; /* rows of a block, except the last of a unit: matrix products are fastest then */

size_t rm2i_unit_rows(size_t N) {
    size_t rows = N / UNITS < MOST_ROWS ? N / UNITS : MOST_ROWS;
    return rows > RM2I_ROWS ? rows : RM2I_ROWS;
}

size_t rm2i_block_rows(size_t n) {
    size_t blocks = n / RM2I_ROWS + (n % RM2I_ROWS != 0),
           rows = blocks ? (n + blocks - 1) / blocks : 1;
    return (rows + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

typedef struct draft {
    const rm2i_rows_of *what;
    size_t count;
    rm2i_units *to;
} draft;

static void lay_out(void *arg, rm2i_arena *a) {
    const draft *d = arg;
    d->to->points.first = rm2i_take(a, size_t, d->count + 1);
    d->to->increments.first = rm2i_take(a, size_t, d->count + 1);
    d->to->trajectories.first = rm2i_take(a, size_t, d->count + 1);
}

/* The number of units; where they begin if `units` is not NULL. */
static size_t join(const rm2i_rows_of *what, rm2i_units *units) {
    size_t count = 0, begin = 0, pieces = what->trajectories ? what->trajectories : what->N;
    for (size_t t = 0; t < pieces; t++) {
        size_t end = what->trajectories ? what->starts[t + 1] : t + 1;
        if (end - begin < what->rows && t + 1 < pieces)
            continue;
        begin = end;
        count++;
        if (units) {
            units->points.first[count] = end;
            units->trajectories.first[count] = t + 1;
            units->increments.first[count] =
                end - (t + 1); /* row i of trajectory t is increment i - t */
        }
    }
    return count;
}

static void lay_out_ranks(rm2i_units *u, size_t ranks, rm2i_arena *a) {
    u->points.of_rank = rm2i_take(a, size_t, ranks + 1);
    u->increments.of_rank = rm2i_take(a, size_t, ranks + 1);
    u->trajectories.of_rank = rm2i_take(a, size_t, ranks + 1);
}

/* Who has how many rows of which kind. */
static void count_rows(const rm2i_rows_of *what, rm2i_units *u) {
    const rm2_communicator *comm = what->comm;
    for (int k = 0; k < comm->ranks; k++) {
        size_t own[] = {what->N, what->trajectories};
        comm->broadcast(comm->user, k, sizeof own, own);
        u->points.of_rank[k + 1] = u->points.of_rank[k] + own[0];
        u->trajectories.of_rank[k + 1] = u->trajectories.of_rank[k] + own[1];
        u->increments.of_rank[k + 1] = u->points.of_rank[k + 1] - u->trajectories.of_rank[k + 1];
    }
}

static void place(rm2i_units *u, rm2i_ranges *r) {
    const rm2_communicator *comm = u->shares->comm;
    r->shares = u->shares;
    r->offset = u->shares->first[comm->rank];
    r->terms = u->shares->first[comm->ranks];
    r->all = r->of_rank[comm->ranks];
}

/* Units of this process among those of all. */
static rm2_status place_among_all(rm2_context *ctx, const rm2i_rows_of *what, rm2i_units *u) {
    rm2i_arena counted = {NULL, 0};
    size_t ranks = (size_t)what->comm->ranks;
    lay_out_ranks(u, ranks, &counted);
    RM2_TRY(
        rm2i_agree(ctx, what->comm, rm2i_calloc(ctx, counted.used, sizeof *u->ranks, &u->ranks)));
    lay_out_ranks(u, ranks, &(rm2i_arena){u->ranks, 0});
    RM2_TRY(rm2i_shares_create(ctx, what->comm, u->points.count, &u->shares));
    count_rows(what, u);
    place(u, &u->points);
    place(u, &u->increments);
    place(u, &u->trajectories);
    return RM2_OK;
}

static rm2_status create_own(rm2_context *ctx, const rm2i_rows_of *what, rm2i_units **units) {
    rm2i_units *u;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *u, &u));
    *units = u;
    draft d = {what, join(what, NULL), u};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, &d, &u->memory));
    (void)join(what, u);
    u->points.count = u->points.terms = d.count;
    u->increments.count = u->increments.terms = what->trajectories ? d.count : 0;
    u->trajectories.count = u->trajectories.terms = what->trajectories ? d.count : 0;
    u->points.all = what->N;
    u->increments.all = what->N - what->trajectories;
    u->trajectories.all = what->trajectories;
    return RM2_OK;
}

rm2_status rm2i_units_create(rm2_context *ctx, const rm2i_rows_of *what, rm2i_units **units) {
    *units = NULL;
    rm2_status status = rm2i_agree(ctx, what->comm, create_own(ctx, what, units));
    if (status == RM2_OK && what->comm)
        status = place_among_all(ctx, what, *units);
    if (status == RM2_OK)
        return RM2_OK;
    rm2i_units_free(*units);
    *units = NULL;
    return status;
}

void rm2i_units_free(rm2i_units *units) {
    if (!units)
        return;
    rm2i_shares_free(units->shares);
    free(units->ranks);
    free(units->memory);
    free(units);
}
