/* One job of a cross-validation: train on a part of the data, encode the other part, compare. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "riemann2/eval.h"
#include "riemann2/space.h"
#include "riemann2/trajectory.h"
#include "trajectory/dtw.h"
#include "validate/cross.h"

enum { LEVEL_95 = 4 }; /* of rm2_calibration */

typedef struct judged {
    const rm2_data *train, *held;
    const rm2_model *model;
    size_t Q, width;       /* of latents, of ambient points */
    double *latents;       /* held x Q */
    double *points, *rows; /* held x width: in the units of the data, as the model sees them */
    double *train_rows;    /* train x width */
    rm2_sequence *demonstrations;
    double *memory;
} judged;

static void lay_out(void *arg, rm2i_arena *a) {
    judged *j = arg;
    j->latents = rm2i_reserve(a, double, j->held->count, j->Q);
    j->points = rm2i_reserve(a, double, j->held->count, j->width);
    j->rows = rm2i_reserve(a, double, j->held->count, j->width);
    j->train_rows = rm2i_reserve(a, double, j->train->count, j->width);
    j->demonstrations = rm2i_reserve(a, rm2_sequence, j->train->trajectories + 1);
}

/* ---- density, residual, calibration ---------------------------------------------------------- */

static rm2_status measure_points(rm2_context *ctx, judged *j, rm2_cross_job *job) {
    rm2_score score = {.size = sizeof score};
    rm2_calibration calibration = {.size = sizeof calibration};
    RM2_TRY(rm2_model_score(ctx, j->model, NULL, j->held, j->latents, NULL, &score));
    const rm2_calibration_points points = {
        .n = j->held->count, .latents = j->latents, .points = j->points, .encoded = true};
    rm2_data_original(j->held, j->points);
    RM2_TRY(rm2_model_calibration(ctx, j->model, &points, &calibration));
    bool wrapped = rm2_model_info_of(j->model)->settings->model == RM2_WGPLVM;
    job->value[RM2_CROSS_DENSITY] = wrapped ? score.log_density_manifold : score.log_density;
    job->value[RM2_CROSS_RESIDUAL] = score.tangent;
    job->value[RM2_CROSS_COVERAGE] = calibration.coverage[LEVEL_95];
    job->unconverged += score.points - score.converged;
    return RM2_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static rm2_status find_floor(rm2_context *ctx, judged *j, double *floor) {
    const rm2_data *d = j->train;
    rm2_distance_summary among = {.size = sizeof among};
    double *original;
    RM2_TRY(rm2i_alloc(ctx, d->count * j->width, sizeof *original, &original));
    rm2_data_original(d, original);
    rm2_status status =
        rm2_model_view_rows(ctx, j->model, RM2_VIEW_AMBIENT, d->count, original, j->train_rows);
    free(original);
    RM2_TRY(status);
    for (size_t t = 0; t < d->trajectories; t++)
        j->demonstrations[t] = (rm2_sequence){d->starts[t + 1] - d->starts[t], j->width,
                                              j->train_rows + d->starts[t] * j->width};
    RM2_TRY(rm2_dtw_floor(ctx, NULL, d->trajectories, j->demonstrations, NULL, &among));
    *floor = among.mean;
    return RM2_OK;
}

/* Distance of the decoded curve from a held-out trajectory. */
static rm2_status compare_curve(rm2_context *ctx, const judged *j, const rm2_curve *curve, size_t t,
                                double *distance) {
    size_t n = curve->nodes, first = j->held->starts[t];
    double *points;
    RM2_TRY(rm2i_alloc(ctx, 2 * n * j->width, sizeof *points, &points));
    double *rows = points + n * j->width;
    rm2_status status = rm2_model_decode(ctx, j->model, n, curve->x, points, NULL, NULL, NULL);
    if (status == RM2_OK)
        status = rm2_model_view_rows(ctx, j->model, RM2_VIEW_AMBIENT, n, points, rows);
    rm2_sequence motion = {n, j->width, rows},
                 own = {j->held->starts[t + 1] - first, j->width, j->rows + first * j->width};
    if (status == RM2_OK)
        status = rm2i_dtw(ctx, NULL, &motion, &own, distance);
    free(points);
    return status;
}

/* Geodesic between two points with as many nodes as the trajectory it is compared with: distances under time warping grow with
 * the number of points. */
static rm2_status find_curve(rm2_context *ctx, const rm2_space *space, size_t nodes,
                             const double *from, const double *to, rm2_curve **curve) {
    rm2_space_settings s = *rm2_space_settings_of(space);
    rm2_space *own;
    s.nodes = nodes > 2 ? nodes : 2;
    RM2_TRY(rm2_space_with_settings(ctx, space, &s, &own));
    rm2_status status = rm2_space_geodesic(ctx, own, from, to, curve);
    rm2_space_free(own);
    return status;
}

/* Geodesic between the encoded ends of a held-out trajectory, and its distance from that. */
static rm2_status move(rm2_context *ctx, const judged *j, const rm2_space *space, size_t t,
                       double *distance, size_t *unconverged) {
    size_t first = j->held->starts[t], end = j->held->starts[t + 1];
    rm2_curve *curve;
    RM2_TRY(find_curve(ctx, space, end - first, j->latents + first * j->Q,
                       j->latents + (end - 1) * j->Q, &curve));
    *unconverged += !curve->converged;
    rm2_status status = compare_curve(ctx, j, curve, t, distance);
    rm2_curve_free(curve);
    return status;
}

static rm2_status measure_motion(rm2_context *ctx, judged *j, rm2_cross_job *job) {
    double floor, sum = 0;
    rm2_space *space;
    RM2_TRY(find_floor(ctx, j, &floor));
    RM2_TRY(
        rm2_model_view_rows(ctx, j->model, RM2_VIEW_AMBIENT, j->held->count, j->points, j->rows));
    RM2_TRY(rm2_space_create(ctx, j->model, NULL, 0, NULL, &space));
    rm2_status status = RM2_OK;
    for (size_t t = 0; status == RM2_OK && t < j->held->trajectories; t++) {
        double distance = 0;
        status = move(ctx, j, space, t, &distance, &job->unconverged);
        sum += distance;
    }
    rm2_space_free(space);
    if (status == RM2_OK && floor > 0)
        job->value[RM2_CROSS_MOTION] = sum / (double)j->held->trajectories / floor;
    return status;
}

/* ---- the job --------------------------------------------------------------------------------- */

static bool ends_all(rm2_status status) {
    return status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED;
}

/* A motion that cannot be computed does not take the other measures away. */
static rm2_status try_motion(rm2_context *ctx, judged *j, rm2_cross_job *job, char *message) {
    if (j->train->trajectories < 2 || j->held->trajectories == 0)
        return RM2_OK;
    rm2_status status = measure_motion(ctx, j, job);
    if (status == RM2_OK || ends_all(status))
        return status;
    (void)snprintf(message, RM2I_CROSS_MESSAGE, "motion: %.1000s", rm2_context_error(ctx));
    return RM2_OK;
}

static rm2_status judge(rm2_context *ctx, const rm2i_cross_part *part, const rm2_model *model,
                        bool motion, rm2_cross_job *job, char *message) {
    const rm2_model_info *info = rm2_model_info_of(model);
    judged j = {.train = part->train,
                .held = part->held,
                .model = model,
                .Q = info->latent_dim,
                .width = rm2_manifold_ambient(info->manifold)};
    if (info->training.stop == RM2_STOP_INTERRUPTED)
        return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &j, &j.memory));
    rm2_status status = measure_points(ctx, &j, job);
    if (status == RM2_OK && motion)
        status = try_motion(ctx, &j, job, message);
    free(j.memory);
    return status;
}

static rm2_status fit_and_judge(rm2_context *ctx, const rm2i_cross_part *part,
                                const rm2_fit_settings *settings, bool motion, rm2_cross_job *job,
                                char *message) {
    rm2_model *model;
    RM2_TRY(rm2_fit(ctx, part->train, settings, NULL, &model));
    rm2_status status = judge(ctx, part, model, motion, job, message);
    rm2_model_free(model);
    return status;
}

rm2_status rm2i_cross_run(rm2_context *ctx, const rm2i_cross_part *part,
                          const rm2_fit_settings *settings, bool motion, rm2_cross_job *job,
                          char *message) {
    double began = rm2_seconds();
    *message = 0;
    *job =
        (rm2_cross_job){.message = message, .train = part->train->count, .held = part->held->count};
    for (size_t k = 0; k < RM2_CROSS_MEASURES; k++)
        job->value[k] = (double)NAN;
    rm2_status status = fit_and_judge(ctx, part, settings, motion, job, message);
    job->seconds = rm2_seconds() - began;
    if (status == RM2_OK || ends_all(status))
        return status;
    job->status = status;
    for (size_t k = 0; k < RM2_CROSS_MEASURES; k++)
        job->value[k] = (double)NAN;
    (void)snprintf(message, RM2I_CROSS_MESSAGE, "%.1000s", rm2_context_error(ctx));
    return RM2_OK;
}
