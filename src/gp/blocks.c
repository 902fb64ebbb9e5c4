/* Units of whole trajectories, blocks inside of them. */
#include "gp/blocks.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"

enum { MULTIPLE = 8 }; /* rows of a block, except the last of a unit: matrix products are fastest then */

/* Rows per block in a unit of n rows: as equal as multiples allow. */
static size_t block_rows(size_t n) {
    size_t blocks = n / RM2I_ROWS + (n % RM2I_ROWS != 0), rows = blocks ? (n + blocks - 1) / blocks : 1;
    return (rows + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

/* Add the blocks of the rows from `begin` to `end`. */
static void cut(size_t begin, size_t end, rm2i_blocks *blocks) {
    size_t rows = block_rows(end - begin);
    for (size_t at = begin; at < end; at += rows)
        blocks->first[blocks->count++] = at;
    blocks->first[blocks->count] = end;
}

typedef struct sizes {
    size_t units, blocks;
    rm2i_units *to;
} sizes;

static void lay_out(void *arg, rm2i_arena *a) {
    const sizes *s = arg;
    s->to->row = rm2i_take(a, size_t, s->units + 1);
    s->to->trajectory = rm2i_take(a, size_t, s->units + 1);
    s->to->points.first = rm2i_take(a, size_t, s->blocks + 1);
    s->to->increments.first = rm2i_take(a, size_t, s->blocks + 1);
}

static rm2_status create(rm2_context *ctx, size_t count, size_t blocks, rm2i_units **units) {
    rm2i_units *u;
    *units = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *u, &u));
    rm2_status status =
        rm2i_arena_calloc(ctx, lay_out, &(sizes){count, blocks, u}, &u->memory);
    if (status != RM2_OK) {
        free(u);
        return status;
    }
    u->count = count;
    *units = u;
    return RM2_OK;
}

/* The number of units; where they begin if `units` is not NULL. */
static size_t join(size_t N, size_t trajectories, const size_t *starts, rm2i_units *units) {
    size_t count = 0, begin = 0, pieces = trajectories ? trajectories : N;
    for (size_t t = 0; t < pieces; t++) {
        size_t end = trajectories ? starts[t + 1] : t + 1;
        if (end - begin < RM2I_ROWS && t + 1 < pieces)
            continue;
        begin = end;
        count++;
        if (units) {
            units->row[count] = end;
            units->trajectory[count] = trajectories ? t + 1 : 0;
        }
    }
    return count;
}

rm2_status rm2i_units_create(rm2_context *ctx, size_t N, size_t trajectories, const size_t *starts,
                             rm2i_units **units) {
    size_t count = join(N, trajectories, starts, NULL);
    RM2_TRY(create(ctx, count, N / RM2I_ROWS + count, units));
    rm2i_units *u = *units;
    (void)join(N, trajectories, starts, u);
    for (size_t k = 0; k < count; k++) {
        cut(u->row[k], u->row[k + 1], &u->points);
        if (trajectories) /* row i of trajectory t is increment i - t */
            cut(u->row[k] - u->trajectory[k], u->row[k + 1] - u->trajectory[k + 1], &u->increments);
    }
    return RM2_OK;
}

rm2_status rm2i_units_create_whole(rm2_context *ctx, size_t N, size_t trajectories,
                                   rm2i_units **units) {
    RM2_TRY(create(ctx, 1, 1, units));
    rm2i_units *u = *units;
    u->row[1] = u->points.first[1] = N;
    u->trajectory[1] = trajectories;
    u->increments.first[1] = N - trajectories;
    u->points.count = 1;
    u->increments.count = trajectories > 0;
    return RM2_OK;
}

void rm2i_units_free(rm2i_units *units) {
    if (!units)
        return;
    free(units->memory);
    free(units);
}
