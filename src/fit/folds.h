/* Densities of points by models that were trained without them. */
#ifndef RM2I_CROSS_H
#define RM2I_CROSS_H

#include "riemann2/fit.h"

/* Of a data set without trajectories: at most `most` points, drawn by a generator of its own, in `folds` parts that
 * are held out in turn. */
typedef struct rm2i_cross_plan {
    size_t folds, most;
} rm2i_cross_plan;

/* Points of a plan. */
size_t rm2i_cross_count(const rm2_data *data, const rm2i_cross_plan *plan);

/* Called per fold with the model that was trained without its points; `ctx` is a child of the caller's. */
typedef rm2_status (*rm2i_cross_visit)(void *user, rm2_context *ctx, const rm2_model *model,
                                       const rm2_data *held);
rm2_status rm2i_cross_folds(rm2_context *ctx, const rm2_data *data,
                            const rm2_fit_settings *settings, const rm2i_cross_plan *plan,
                            rm2i_cross_visit visit, void *user);

typedef struct rm2i_cross_result {
    size_t count; /* points that were held out */
    double *
        density; /* count: log density of each, tangent coordinates at the base of its model less log |det dExp|,
                         so that base points do not matter */
    double *residual; /* count: norm, tangent coordinates */
} rm2i_cross_result;

/* settings.init and settings.latent_dim must not be automatic. Results for the same plan are of the same points in the
 * same order. Freed with rm2i_cross_clear, which clears it too. */
rm2_status rm2i_cross_validate(rm2_context *ctx, const rm2_data *data,
                               const rm2_fit_settings *settings, const rm2i_cross_plan *plan,
                               rm2i_cross_result *result);
void rm2i_cross_clear(rm2i_cross_result *result);

/* Mean of a - b over the points, and its standard error. `b` may be NULL: zero. */
void rm2i_cross_difference(size_t count, const double *a, const double *b, double *mean,
                           double *error);

/* RM2_INIT_TANGENT or RM2_INIT_ISOMAP: the second where its density is higher by more than a standard error and
 * its residual is not larger. */
rm2_status rm2i_choose_start(rm2_context *ctx, const rm2_data *data,
                             const rm2_fit_settings *settings, rm2_init_kind *init);
/* rm2_fit_choose_latent with settings that are decided, except for latent_dim and init. */
rm2_status rm2i_choose_dimension(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *settings, size_t count,
                                 rm2_latent_choice *rows, size_t *tried, size_t *chosen);

#endif
