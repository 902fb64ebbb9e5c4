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

/* The variables begin with `width` numbers per row: inner products are sums over the rows (rows/rows.h, cut into units), to
 * which the products of the variables behind them are added. These are the same on all processes; decisions that depend on
 * time or interrupts are those of the root. Call this before the first step; `rows` must live as long. Without this call
 * one loop makes a product. */
struct rm2i_rows;
void rm2i_optim_divide(rm2i_optim *optim, const struct rm2i_rows *rows, size_t width);

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
 * A state is that of all rows, the same for any number of processes, and the root has it. */
size_t rm2i_optim_state_size(const rm2i_optim *optim);
void rm2i_optim_save(const rm2i_optim *optim, double *state);
/* The same in pieces, none larger than the variables of all rows: a state is its pieces one after the other. */
size_t rm2i_optim_pieces(const rm2i_optim *optim);
size_t rm2i_optim_piece_size(const rm2i_optim *optim, size_t k);
void rm2i_optim_save_piece(const rm2i_optim *optim, size_t k, double *piece);
/* Where a state comes from: the next `count` of its `size` numbers. Used on the root only. */
typedef struct rm2i_optim_source {
    size_t size;
    rm2_status (*next)(void *user, size_t count, double *values);
    void *user;
} rm2i_optim_source;
rm2_status rm2i_optim_restore(rm2_context *ctx, rm2i_optim *optim, const rm2i_optim_source *source);

#endif
