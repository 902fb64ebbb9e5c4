/* Rows of a data set: which ones this process has, and how many there are in all.
 *
 * Rows are consecutive items: points, steps within trajectories, trajectories, nodes of curves. Several processes may
 * share them; then each has consecutive rows of whole trajectories, all make the same calls in the same order, and every
 * call below that has rows as an argument is collective. Algorithms loop over the rows that they have and use these
 * calls for the rest: sum, fold, gather, scatter, pick, agree, broadcast. With a single process (`comm` NULL, or rows
 * NULL) the same calls do what is left to do, so that an algorithm is written once. All processes take the same decisions
 * because they decide from equal numbers: results of these calls, or numbers of the root, which is the first process.
 *
 * Sums are trees (tree.h) whose terms are the sums of units: whole trajectories, consecutive ones joined until they have
 * enough rows; without trajectories as many rows. A process has whole units, and a thread adds up whole units: a sum has
 * the same bits for any number of threads and processes. Inside a unit the work goes in blocks of at most RM2I_ROWS
 * rows. */
#ifndef RM2I_ROWS_H
#define RM2I_ROWS_H

#include "base/base.h"
#include "riemann2/communicator.h"
#include "rows/tree.h"

enum { RM2I_ROWS = 128 }; /* most rows in a block */

typedef struct rm2i_rows {
    size_t n, all, before; /* rows here, in all, and of the processes before this one */
    size_t trajectories, all_trajectories;
    const size_t *starts, *all_starts; /* first row of each trajectory, and the end */
    size_t units, units_before, all_units;
    const size_t *unit;             /* units + 1: first row of each, and n; NULL: not cut */
    const rm2_communicator *comm;   /* NULL: a single process has all rows */
    const size_t *of_process;       /* first row of each process among all, and the end */
    struct rm2i_division *division; /* this and the cut are for the files of this folder */
    struct rm2i_cut *cut;
} rm2i_rows;

/* ---- making them ------------------------------------------------------------------------------ */

/* All rows, in a single process. Nothing to free. */
static inline rm2i_rows rm2i_rows_alone(size_t n, size_t trajectories, const size_t *starts) {
    return (rm2i_rows){n, n, 0, trajectories, trajectories, starts, starts, .comm = NULL};
}
/* No rows yet, of the processes of a context. Contexts of threads (rm2i_context_child) have a single process. */
rm2i_rows rm2i_rows_none(const rm2_context *ctx);
/* Join the rows of all processes: `own` has the process's n, trajectories and starts, which must live longer. */
rm2_status rm2i_rows_join(rm2_context *ctx, const rm2i_rows *own, rm2i_rows *rows);
/* Divide rows among the processes, whole units and about as many rows to each. `whole` has n, trajectories and starts on
 * the root, which must live longer there. Fails with more processes than units. */
rm2_status rm2i_rows_divide(rm2_context *ctx, const rm2i_rows *whole, rm2i_rows *rows);
/* Divide `count` items, which all processes know, evenly among the processes of `like`. */
rm2_status rm2i_rows_spread(rm2_context *ctx, const rm2i_rows *like, size_t count, rm2i_rows *rows);
/* The same rows, cut into units of at least `unit_rows` rows (SIZE_MAX: one unit), for sums. */
rm2_status rm2i_rows_cut(rm2_context *ctx, const rm2i_rows *rows, size_t unit_rows, rm2i_rows *cut);
/* Keep the first rows, at most `most`, of joined rows. */
void rm2i_rows_keep_first(rm2i_rows *rows, size_t most);
void rm2i_rows_free(rm2i_rows *rows);

/* The trajectories of rows as rows, and the steps within them, one fewer than points per trajectory. Nothing to free. */
rm2i_rows rm2i_rows_of_trajectories(const rm2i_rows *rows);
rm2i_rows rm2i_rows_of_steps(const rm2i_rows *rows);

/* Least rows of a unit, of N rows of all processes. */
size_t rm2i_unit_rows(size_t N);
/* Rows per block in a unit of n rows. */
size_t rm2i_block_rows(size_t n);

static inline bool rm2i_rows_shared(const rm2i_rows *rows) {
    return rows && rows->comm;
}
/* Rows in all, and before this process, where it has n of them. */
static inline size_t rm2i_rows_all(const rm2i_rows *rows, size_t n) {
    return rows ? rows->all : n;
}
static inline size_t rm2i_rows_before(const rm2i_rows *rows) {
    return rows ? rows->before : 0;
}

/* ---- decisions and failures ------------------------------------------------------------------- */

/* Is this the process that reports and writes? */
static inline bool rm2i_rows_root(const rm2i_rows *rows) {
    return !rm2i_rows_shared(rows) || rows->comm->rank == 0;
}
/* Fail unless this is the root of a context's processes, which alone may begin and end trainings. */
rm2_status rm2i_rows_expect_root(rm2_context *ctx);
/* Copy bytes of the root to all processes. */
void rm2i_rows_broadcast(const rm2i_rows *rows, void *data, size_t bytes);
/* Copy bytes of the process that has this row of all rows to all processes. */
void rm2i_rows_broadcast_row(const rm2i_rows *rows, size_t row, void *data, size_t bytes);
/* Is this true on the root? */
bool rm2i_rows_decide(const rm2i_rows *rows, bool on_this_process);
/* Fail on all processes if one failed, with the message of the first that did, which names the process. Call this where a
 * process may have failed alone, as for lack of memory. */
rm2_status rm2i_rows_agree_all(rm2_context *ctx, const rm2i_rows *rows, rm2_status status);
static inline rm2_status rm2i_rows_agree(rm2_context *context, const rm2i_rows *rows,
                                         rm2_status status) {
    rm2_status all = rm2i_rows_shared(rows) ? rm2i_rows_agree_all(context, rows, status) : status;
    return status != RM2_OK ? status : all; /* static analysis sees that a failure stays one */
}
/* Allocate zeros on every process, or on none; `out` is as in rm2i_alloc. */
rm2_status rm2i_rows_alloc(rm2_context *ctx, const rm2i_rows *rows, size_t count, size_t size,
                           void *out);

/* ---- sums ------------------------------------------------------------------------------------- */

/* rm2i_tree_total of the terms of all processes: the leaves of `tree` are units_before + 0, 1, ... of rows that are cut. */
double *rm2i_rows_sum(const rm2i_rows *rows, rm2i_tree *tree);
/* The sum over all rows, where fn adds up the rows from `begin` to `end` of this process. */
typedef double (*rm2i_unit_fn)(void *job, size_t begin, size_t end);
double rm2i_rows_sum_units(const rm2i_rows *rows, rm2i_unit_fn fn, void *job);
/* Apply fn to `state` on one process after the other, each with its own job: a loop over all rows with the bits of a
 * single process's loop. All get the result. It runs on one process at a time: for cheap loops. */
typedef void (*rm2i_fold_fn)(const void *job, void *state);
void rm2i_rows_fold(const rm2i_rows *rows, size_t bytes, void *state, rm2i_fold_fn fn,
                    const void *job);
/* The largest of the processes' values, none of which is NaN. */
double rm2i_rows_max(const rm2i_rows *rows, double value);
/* Do all processes have this value, in all bits? */
bool rm2i_rows_same(const rm2i_rows *rows, double value);

/* ---- rows of all processes -------------------------------------------------------------------- */

/* Rows of `width` numbers: all rows on the root, and the way back; `whole` is not used on other processes. With a single
 * process both may be the same array. */
void rm2i_rows_gather(const rm2i_rows *rows, size_t width, const double *own, double *whole);
void rm2i_rows_scatter(const rm2i_rows *rows, size_t width, const double *whole, double *own);
/* All rows on all processes. */
void rm2i_rows_gather_all(const rm2i_rows *rows, size_t width, const double *own, double *all);
/* Room for all rows on the root: with a single process `own` itself, NULL on other processes. Free it unless it is `own`. */
rm2_status rm2i_rows_room(rm2_context *ctx, const rm2i_rows *rows, size_t width, double *own,
                          double **whole);
/* Gather into such room; `*memory` is to be freed. */
rm2_status rm2i_rows_collect(rm2_context *ctx, const rm2i_rows *rows, size_t width,
                             const double *own, const double **whole, double **memory);
/* Rows that the processes have as `from`, to those that have them as `to`: rows of `width` numbers. */
void rm2i_rows_move(const rm2i_rows *from, const rm2i_rows *to, size_t width, const double *own,
                    double *moved);

/* A few of all rows: `index` is the same on all processes. */
typedef struct rm2i_few {
    size_t count;
    const size_t *index; /* rising, unless stated otherwise */
} rm2i_few;
/* Those rows (count x width) on the root; `few` is not used on other processes. */
rm2_status rm2i_rows_pick(rm2_context *ctx, const rm2i_rows *rows, const rm2i_few *which,
                          size_t width, const double *own, double *few);
/* On all processes, in any order of `index`. work: 2 count x width, not used by a single process. */
void rm2i_rows_pick_all(const rm2i_rows *rows, const rm2i_few *which, size_t width,
                        const double *own, double *work, double *few);

#endif
