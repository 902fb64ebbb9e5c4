/* Making, finishing and describing models; the passage between points and outputs. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/factor.h"
#include "manifold/manifold.h"
#include "start/start_report.h"

void rm2_model_free(rm2_model *m) {
    if (!m)
        return;
    rm2i_model_quick_free(m);
    rm2i_posterior_free(m->posterior);
    rm2i_latent_prior_free(m->prior);
    rm2_data_free(m->data);
    free(m->F);
    free(m->mean);
    free(m->base);
    free(m->base_point);
    free(m->X);
    free(m->back_weights);
    free(m->back_kernels);
    free(m->lengthscale);
    free(m->task_noise);
    free(m->calibration);
    free(m->scale);
    free(m->Kf);
    free(m->inducing);
    free(m->inducing_inputs);
    free(m->inducing_sums);
    free(m->given_inducing);
    free(m->training.trace);
    rm2_start_report_free(m->start_report);
    free(m->frame);
    free(m->white);
    free(m);
}

static rm2_status allocate(rm2_context *ctx, rm2_model *m) {
    size_t N = m->N, M = m->M, Q = m->Q, ambient = rm2_manifold_ambient(m->manifold);
    RM2_TRY(rm2i_calloc(ctx, M * N, sizeof(double), &m->F));
    RM2_TRY(rm2i_calloc(ctx, M, sizeof(double), &m->mean));
    RM2_TRY(rm2i_calloc(ctx, ambient, sizeof(double), &m->base));
    RM2_TRY(rm2i_calloc(ctx, N * Q, sizeof(double), &m->X));
    RM2_TRY(rm2i_calloc(ctx, Q, sizeof(double), &m->lengthscale));
    RM2_TRY(rm2i_calloc(ctx, M * M, sizeof(double), &m->Kf));
    if (m->settings.noise == RM2_NOISE_PER_OUTPUT)
        RM2_TRY(rm2i_calloc(ctx, M, sizeof(double), &m->task_noise));
    if (m->settings.back_constraint) {
        RM2_TRY(rm2i_calloc(ctx, N * Q, sizeof(double), &m->back_weights));
        RM2_TRY(rm2i_calloc(ctx, rm2_manifold_factor_count(m->manifold), sizeof *m->back_kernels,
                            &m->back_kernels));
        m->settings.back_kernels = m->back_kernels;
    }
    return RM2_OK;
}

rm2_status rm2i_model_create(rm2_context *ctx, const rm2_data *data,
                             const rm2_fit_settings *settings, rm2_model **model) {
    *model = NULL;
    rm2_model *m;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    m->settings = *settings;
    m->settings.back_kernels = NULL; /* pointers to the model's own come with these */
    m->settings.init_latent = NULL;
    m->settings.base_point = NULL;
    m->settings.inducing_points = NULL;
    m->data = rm2_data_retain(data);
    m->manifold = data->manifold;
    m->N = data->count;
    m->Q = settings->latent_dim;
    m->M = settings->model == RM2_GPLVM ? rm2_manifold_ambient(m->manifold)
                                        : rm2_manifold_dim(m->manifold);
    rm2_status status = allocate(ctx, m);
    if (status != RM2_OK) {
        rm2_model_free(m);
        return status;
    }
    *model = m;
    return RM2_OK;
}

/* The base point as one would give it. */
static rm2_status keep_base_point(rm2_context *ctx, rm2_model *m) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    if (m->settings.model == RM2_GPLVM)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, ambient, sizeof *m->base_point, &m->base_point));
    memcpy(m->base_point, m->base, ambient * sizeof *m->base_point);
    rm2_data_unscale(m->data, 1, m->base_point);
    m->settings.base_point = m->settings.base == RM2_BASE_GIVEN ? m->base_point : NULL;
    return RM2_OK;
}

static const double LEAST_FREEDOM = 3; /* of a reference with a mean */

static void fill_info(rm2_model *m) {
    m->info = (rm2_model_info){
        .manifold = m->manifold,
        .base_point = m->base_point,
        .data = m->data,
        .settings = &m->settings,
        .points = m->N,
        .outputs = m->M,
        .latent_dim = m->Q,
        .latents = m->X,
        .base = m->settings.model == RM2_GPLVM ? NULL : m->base,
        .mean = m->mean,
        .lengthscale = m->lengthscale,
        .variance = m->variance,
        .linear = m->linear,
        .noise = m->noise,
        .task_noise = m->task_noise,
        .task_covariance = m->Kf,
        .gpdm = {m->gpdm[0], m->gpdm[1], m->gpdm[2]},
        .inducing = m->inducing_count,
        .inducing_points = m->inducing,
        .inducing_inputs = m->inducing_inputs,
        .gpdm_inducing = m->gpdm_inducing,
        .training = m->training,
        .volume = m->volume,
        .start_report = m->start_report,
        .freedom = m->freedom,
        .latent_noise = m->latent_noise,
        .calibration = m->calibration,
        .calibrated = m->calibrated,
        .calibration_freedom = m->calibration ? fmax((double)m->calibrated, LEAST_FREEDOM) : 0,
        .trained = m->trained ? m->trained : m->N,
    };
}

rm2i_rows rm2i_model_rows(const rm2_model *m) {
    return m->rows ? *m->rows : rm2i_rows_alone(m->N, m->data->trajectories, m->data->starts);
}

rm2i_gp rm2i_model_gp(const rm2_model *m) {
    return (rm2i_gp){.N = m->N,
                     .M = m->M,
                     .Q = m->Q,
                     .noise_kind = m->settings.noise,
                     .kernel = {m->settings.kernel, m->Q, m->lengthscale,
                                m->settings.kernel == RM2_LATENT_LINEAR ? 0 : m->variance,
                                m->linear},
                     .noise = m->noise,
                     .task_noise = m->task_noise,
                     .Kf = m->Kf,
                     .scale = m->scale,
                     .X = m->X,
                     .F = m->F,
                     .inducing = m->inducing_count,
                     .Z = m->inducing_inputs,
                     .sums = m->inducing_sums,
                     .proven = m->trained > 0 || m->own_sums,
                     .trajectories = m->data->trajectories,
                     .starts = m->data->starts};
}

rm2_status rm2i_model_whole(rm2_context *ctx, const rm2_model *m, const char *what) {
    if (m->trained == 0)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                     "%s needs all %zu training points, of which this compact model has %zu: use "
                     "the model that it was made from, or train one that is not compact",
                     what, m->trained, m->N);
}

enum { MANY_OUTPUTS = 256 };

/* The densities of observations need P^-1 (v - C k*): a solve per evaluation costs M^2, this M n. In one block: the copy of the
 * posterior, then P^-1 C. */
static rm2_status whiten(rm2_context *ctx, rm2_model *m) {
    const rm2i_posterior *p = m->posterior;
    size_t M = m->M, n = p->n;
    double *rows;
    if (M < MANY_OUTPUTS || m->settings.noise != RM2_NOISE_KRONECKER)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, M, n * sizeof *rows, &rows));
    rm2_status status = rm2i_alloc(ctx, 1, sizeof *m->white + M * n * sizeof *rows, &m->white);
    if (status == RM2_OK) {
        *m->white = *p;
        m->white->C = (double *)(void *)(m->white + 1);
        for (size_t i = 0; i < M * n; i++)
            rows[i % n * M + i / n] = p->C[i];
        rm2i_factor_half_solve(ctx, M, p->P, n, rows);
        for (size_t i = 0; i < M * n; i++)
            m->white->C[i] = rows[i % n * M + i / n];
    }
    free(rows);
    return status;
}

/* S = diag(sqrt(kappa_f)), as a vector. */
static rm2_status spread_scales(rm2_context *ctx, rm2_model *m) {
    size_t at = 0;
    if (!m->calibration)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, m->M, sizeof *m->scale, &m->scale));
    for (size_t f = 0; f < rm2_manifold_factor_count(m->manifold); f++) {
        const rm2_factor *factor = rm2_manifold_factor(m->manifold, f);
        size_t end = at + (m->settings.model == RM2_GPLVM ? factor->ambient : factor->dim);
        while (at < end)
            m->scale[at++] = sqrt(m->calibration[f]);
    }
    return RM2_OK;
}

rm2_status rm2i_model_finish(rm2_context *ctx, rm2_model *m) {
    double *work;
    size_t failed;
    RM2_TRY(keep_base_point(ctx, m));
    RM2_TRY(rm2i_alloc(ctx, m->manifold->frame_size, sizeof *m->frame, &m->frame));
    RM2_TRY(rm2i_alloc(ctx, m->manifold->work_size, sizeof *work, &work));
    rm2_status status = rm2i_manifold_frame(m->manifold, m->base, m->frame, work, &failed);
    free(work);
    if (status != RM2_OK)
        return rm2i_fail(ctx, status, "base point, factor %zu: %s", failed + 1,
                         rm2_status_text(status));
    RM2_TRY(spread_scales(ctx, m));
    rm2i_gp gp = rm2i_model_gp(m);
    RM2_TRY(rm2i_posterior_create(ctx, &gp, &m->posterior));
    free(m->inducing_sums);
    m->inducing_sums = NULL;
    if (m->freedom > 0)
        RM2_TRY(rm2i_latent_prior_create(ctx, m->N, m->Q, m->X, m->latent_noise, &m->prior));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m->quick, &m->quick));
    RM2_TRY(whiten(ctx, m));
    fill_info(m);
    return RM2_OK;
}

rm2_status rm2i_model_outputs(rm2_context *ctx, const rm2_model *m, size_t n, const double *points,
                              double *out) {
    if (m->settings.model == RM2_GPLVM) {
        memcpy(out, points, n * m->M * sizeof *out);
        return RM2_OK;
    }
    return rm2_manifold_log_coords(ctx, m->manifold, n, m->base, 1, points, out);
}

rm2_status rm2i_model_points(rm2_context *ctx, const rm2_model *m, size_t n, const double *outputs,
                             double *points) {
    if (m->settings.model == RM2_GPLVM) {
        memcpy(points, outputs, n * m->M * sizeof *points);
        return RM2_OK;
    }
    return rm2_manifold_exp_coords(ctx, m->manifold, n, m->base, 1, outputs, points);
}

const rm2_model_info *rm2_model_info_of(const rm2_model *model) {
    return model ? &model->info : NULL;
}
