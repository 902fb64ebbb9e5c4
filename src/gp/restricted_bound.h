/* The restricted likelihood of latents (restricted.h) by inducing points: a lower bound, N r^2 per evaluation,
 *
 *   o = -tr(T)/(2 e) - (M/2) log|U^T A U| - (M/2) tr(K - Q) - (p/2) |X - X0|^2
 *
 * in the symbols of linear_mean.h, with W = e I. The inducing points are r of the latents and move with them. */
#ifndef RM2I_RESTRICTED_BOUND_H
#define RM2I_RESTRICTED_BOUND_H

#include "gp/restricted.h"

typedef struct rm2i_restricted_bound rm2i_restricted_bound;

/* `index`: which r of the latents are inducing. */
rm2_status rm2i_restricted_bound_create(rm2_context *ctx, const rm2i_restricted_data *data,
                                        size_t r, const size_t *index,
                                        rm2i_restricted_bound **bound);
void rm2i_restricted_bound_free(rm2i_restricted_bound *b);

/* o and its derivative by X (N x Q). */
rm2_status rm2i_restricted_bound_value(rm2i_restricted_bound *b, const double *X, double *value,
                                       double *X_bar);

#endif
