/* Units of whole trajectories. */
#include "gp/units.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"

enum {
    UNITS = 128,      /* that are enough for threads and processes while N is moderate */
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

rm2_status rm2i_units_create(rm2_context *ctx, const rm2i_rows_of *what, rm2i_units **units) {
    rm2i_units *u;
    *units = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *u, &u));
    draft d = {what, join(what, NULL), u};
    rm2_status status = rm2i_arena_calloc(ctx, lay_out, &d, &u->memory);
    if (status != RM2_OK) {
        free(u);
        return status;
    }
    (void)join(what, u);
    u->points.count = u->points.terms = d.count;
    u->increments.count = u->increments.terms = what->trajectories ? d.count : 0;
    u->trajectories.count = u->trajectories.terms = what->trajectories ? d.count : 0;
    *units = u;
    return RM2_OK;
}

void rm2i_units_free(rm2i_units *units) {
    if (!units)
        return;
    free(units->memory);
    free(units);
}
