/* Minimisation of f: R^n -> R, one iteration a call. Knows callbacks only. */
#ifndef RM2I_OPTIM_H
#define RM2I_OPTIM_H

#include "riemann2/optim.h"

/* f and its gradient (n doubles) at x. RM2_ERR_NUMERIC, or a value or gradient that is not finite,
 * means "x is outside the domain": the step is shortened. RM2_INTERRUPTED ends the iteration as the
 * context's flag does; every other status ends the step with that status. */
typedef rm2_status (*rm2i_objective_fn)(void *user, const double *x, double *f, double *gradient);

typedef struct rm2i_optim rm2i_optim;

/* x0 is copied. On failure *optim is NULL. */
rm2_status rm2i_optim_create(rm2_context *ctx, const rm2_optim_settings *settings, size_t n,
                             const double *x0, rm2i_optim **optim);
void rm2i_optim_free(rm2i_optim *optim);

/* Inner products as trees (rows/tree.h) of sums over segments: term offset + b is that of the variables first[b] width to
 * first[b + 1] width - 1. What is behind the last segment is added at the end.
 *
 * With shares, the segments are those of this rank of a team, and the variables behind them are the same on all ranks.
 * All calls with an optimiser are collective then; decisions that depend on time or interrupts are those of rank 0. */
struct rm2i_shares; /* rows/shares.h */
typedef struct rm2i_segments {
    size_t count, offset, width;
    const size_t *first;        /* count + 1 */
    struct rm2i_shares *shares; /* NULL: one process */
    const size_t
        *of_rank; /* rank k has the variables of_rank[k] width to of_rank[k + 1] width - 1 of all */
} rm2i_segments;
/* Before the first step; `segments` must live as long. Without this call one loop makes a product. */
void rm2i_optim_divide(rm2i_optim *optim, const rm2i_segments *segments);

/* One iteration; the first call evaluates at x0 before. *stop is RM2_STOP_RUNNING until a test is
 * met. Nothing is remembered of it: where a limit is raised, or after decreases that were too
 * small, the next call makes another iteration. Allocates nothing.
 *
 * A failed or interrupted step leaves the state of the last whole iteration (only the number of
 * evaluations, the seconds and the best point may have changed), so that it may be saved or tried
 * again. A failure at x0 is an error with a message. */
rm2_status rm2i_optim_step(rm2_context *ctx, rm2i_optim *optim, rm2i_objective_fn fn, void *user,
                           rm2_stop *stop);

/* The function has changed a little, as a bound that was made tighter: evaluate it again at the current
 * point and at the best one. Pairs and moments are kept, because curvature barely changes. Does
 * nothing before the first step; a failure leaves the state as it was. */
rm2_status rm2i_optim_renew(rm2i_optim *optim, rm2i_objective_fn fn, void *user);

/* Current point, its value (infinity before the first evaluation) and max |gradient|. */
const double *rm2i_optim_x(const rm2i_optim *optim);
double rm2i_optim_f(const rm2i_optim *optim);
double rm2i_optim_gradient(const rm2i_optim *optim);

/* n doubles that nobody uses between two steps. */
double *rm2i_optim_scratch(rm2i_optim *optim);

/* Best point of all that were evaluated, trials included. */
const double *rm2i_optim_best_x(const rm2i_optim *optim);
double rm2i_optim_best_f(const rm2i_optim *optim);

double rm2i_optim_step_length(const rm2i_optim *optim); /* |x_k+1 - x_k| of the last iteration */
size_t rm2i_optim_iteration(const rm2i_optim *optim);
size_t rm2i_optim_evaluations(const rm2i_optim *optim);
double rm2i_optim_seconds(const rm2i_optim *optim); /* spent inside step, over all resumes */

/* Exact resume: continuing from a saved state gives the same bits as never having stopped. A state
 * is rm2i_optim_state_size doubles. Restoring is refused, and changes nothing, where method, n,
 * history or counters do not fit; numbers that are none are refused when they come, after which the object is of no more
 * use. Tolerances and limits are those of the new object.
 *
 * In a team a state is that of all ranks, the same for any number of them, and rank 0 has it. */
size_t rm2i_optim_state_size(const rm2i_optim *optim);
void rm2i_optim_save(const rm2i_optim *optim, double *state);
/* The same in pieces, none larger than the variables of all ranks: a state is its pieces one after the other. */
size_t rm2i_optim_pieces(const rm2i_optim *optim);
size_t rm2i_optim_piece_size(const rm2i_optim *optim, size_t k);
void rm2i_optim_save_piece(const rm2i_optim *optim, size_t k, double *piece);
/* Where a state comes from: the next `count` of its `size` numbers. Used on rank 0 only. */
typedef struct rm2i_optim_source {
    size_t size;
    rm2_status (*next)(void *user, size_t count, double *values);
    void *user;
} rm2i_optim_source;
rm2_status rm2i_optim_restore(rm2_context *ctx, rm2i_optim *optim, const rm2i_optim_source *source);

#endif
