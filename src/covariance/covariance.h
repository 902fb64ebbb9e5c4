/* Covariances of windows of signals: settings.c, estimate.c (one window), windows.c (many, and their messages). */
#ifndef RM2I_COVARIANCE_H
#define RM2I_COVARIANCE_H

#include "base/base.h"
#include "riemann2/covariance.h"

/* The caller's settings over the defaults, checked. */
rm2_status rm2i_covariance_settings_overlay(rm2_context *ctx, const rm2_covariance_settings *given,
                                            rm2_covariance_settings *own);
/* Does the estimator find its own shrinkage? */
bool rm2i_estimator_shrinks(rm2_estimator estimator);
const char *rm2i_estimator_name(rm2_estimator estimator);

/* The matrix (d x d) of the samples x (T x d) of one window; NaN where info->fault says that there is none.
 * work: rm2i_covariance_work(T, d) doubles. */
void rm2i_covariance(const rm2_covariance_settings *s, size_t T, size_t d, const double *x,
                     double *matrix, rm2_window_info *info, double *work);
size_t rm2i_covariance_work(size_t T, size_t d);

#endif
