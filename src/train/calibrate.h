/* The size of a model's uncertainty, by demonstrations that are predicted from the others (gp/left_out.h).
 *
 * The trained Kf is anchored to the variance of the data. One scale per factor f of the manifold, with M_f outputs J,
 * makes the squared residuals of left-out demonstrations as large as their predicted variances:
 *   kappa_f = (1/N) sum_n r_n[J]^T Kf[J, J]^-1 r_n[J] / (V_n M_f),   S = diag(sqrt(kappa_f)),   K = S Kf S
 * with the mean over demonstrations that are not odd: a square above eight medians says nothing of the others.
 * The predictive covariance is K (v(x) + s2). The posterior mean, training and the metric do not depend on K. */
#ifndef RM2I_CALIBRATE_H
#define RM2I_CALIBRATE_H

#include "model/model.h"

/* Of a trained model that need not be finished; nothing where the model cannot be calibrated (noise per output,
 * covariance integrated out, fewer than two demonstrations). With rows that processes share the result is the root's. */
rm2_status rm2i_calibrate(rm2_context *ctx, rm2_model *m);

#endif
