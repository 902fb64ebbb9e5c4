/* Models from files, and from bytes in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model_file/check_model.h"
#include "model_file/model_file.h"
#include "model_file/settings_file.h"
#include "model_file/start_file.h"

static rm2_status get_back_kernels(rm2i_reader r, rm2_model *m) {
    size_t factors = rm2_manifold_factor_count(m->manifold), shape[2] = {factors, 2};
    if (!m->back_weights)
        return RM2_OK;
    double *kernels;
    RM2_TRY(rm2i_file_doubles(r, "parameters/back_kernels", 2, shape, &kernels));
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < factors; k++) {
        double kind = kernels[2 * k];
        if (!(kind >= 0 && kind <= RM2_KERNEL_LOG_EUCLIDEAN && kind == floor(kind)))
            status = rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: parameters/back_kernels: no kernel %g",
                               r.path, kind);
        else
            m->back_kernels[k] = (rm2_factor_kernel){(rm2_kernel_kind)kind, kernels[2 * k + 1]};
    }
    free(kernels);
    return status;
}

/* Some of the training points; *count may be SIZE_MAX: any number. */
static rm2_status get_points(rm2i_reader r, const rm2_model *m, const char *name, size_t *count,
                             size_t **points) {
    RM2_TRY(rm2i_file_sizes(r, name, 1, count, points));
    bool good = *count > 0 && *count <= m->N && m->settings.noise == RM2_NOISE_KRONECKER;
    for (size_t j = 0; good && j < *count; j++)
        good = (*points)[j] < m->N;
    return good ? RM2_OK
                : rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s must be indices of the %zu points",
                            r.path, name, m->N);
}

static rm2_status get_inducing_points(rm2i_reader r, rm2_model *m) {
    size_t count = SIZE_MAX;
    RM2_TRY(get_points(r, m, "parameters/inducing", &count, &m->inducing));
    m->inducing_count = count;
    RM2_TRY(rm2i_alloc(r.ctx, count, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    rm2i_inducing_gather(count, m->inducing, m->Q, m->X, m->inducing_inputs);
    return RM2_OK;
}

static rm2_status get_inducing_inputs(rm2i_reader r, rm2_model *m) {
    static const char name[] = "parameters/inducing_inputs";
    size_t shape[2] = {SIZE_MAX, m->Q};
    RM2_TRY(rm2i_file_doubles(r, name, 2, shape, &m->inducing_inputs));
    RM2_TRY(
        rm2i_check_range(r.ctx, r.path, name, shape[0] * m->Q, m->inducing_inputs, &rm2i_finite));
    bool compact = rm2i_file_has(r, "compact/points"); /* which may have fewer points */
    if (shape[0] == 0 || (!compact && shape[0] > m->N) || m->settings.noise != RM2_NOISE_KRONECKER)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s has %zu rows for %zu points", r.path, name,
                         shape[0], m->N);
    m->inducing_count = shape[0];
    return RM2_OK;
}

static rm2_status get_given_inducing(rm2i_reader r, rm2_model *m) {
    static const char name[] = "settings/inducing_points";
    if (!rm2i_file_has(r, name))
        return RM2_OK;
    RM2_TRY(get_points(r, m, name, &m->settings.inducing, &m->given_inducing));
    m->settings.inducing_points = m->given_inducing;
    return RM2_OK;
}

/* What they are worth is found where they are used (rm2i_posterior_create). */
static rm2_status get_inducing_sums(rm2i_reader r, rm2_model *m) {
    static const char name[] = "parameters/inducing_sums";
    if (m->inducing_count == 0 || !rm2i_file_has(r, name))
        return RM2_OK;
    size_t count = rm2i_inducing_sums_count(m->inducing_count, m->M);
    return rm2i_file_doubles(r, name, 1, &count, &m->inducing_sums);
}

static rm2_status get_inducing(rm2i_reader r, rm2_model *m) {
    RM2_TRY(get_given_inducing(r, m));
    if (rm2i_file_has(r, "parameters/inducing"))
        return get_inducing_points(r, m);
    return rm2i_file_has(r, "parameters/inducing_inputs") ? get_inducing_inputs(r, m) : RM2_OK;
}

/* What was proven of the likelihood and of the dynamics; with exact inference there is nothing to. */
static rm2_status get_certificate(rm2i_reader r, rm2_model *m) {
    double c[4] = {m->training.end.log_likelihood, m->training.end.log_likelihood,
                   m->training.end.gpdm, m->training.end.gpdm};
    if (m->inducing_count) {
        RM2_TRY(rm2i_file_copy(r, "training/certificate", 1, (size_t[]){4}, c));
        RM2_TRY(rm2i_check_range(r.ctx, r.path, "training/certificate", 4, c, &rm2i_finite));
        RM2_TRY(rm2i_file_count(r, "training/gpdm_inducing", &m->gpdm_inducing));
    }
    m->training.likelihood = (rm2_certificate){c[0], c[1]};
    m->training.dynamics = (rm2_certificate){c[2], c[3]};
    return RM2_OK;
}

/* Of a compact model, whose inducing points are always inputs, and which is nothing without the sums. */
static rm2_status get_compact(rm2i_reader r, rm2_model *m) {
    if (!rm2i_file_has(r, "compact/points"))
        return RM2_OK;
    RM2_TRY(rm2i_file_count(r, "compact/points", &m->trained));
    if (m->inducing_count == 0 || m->inducing || m->given_inducing || m->trained < m->N ||
        m->trained == 0 || !rm2i_file_has(r, "parameters/inducing_sums"))
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s: compact/points is %zu, expected at least the %zu points of the file, "
                         "parameters/inducing_inputs and parameters/inducing_sums",
                         r.path, m->trained, m->N);
    return RM2_OK;
}

/* Scales of the predictive covariance, and the number of demonstrations they were found on: both or none. */
static rm2_status get_calibration(rm2i_reader r, rm2_model *m) {
    static const char name[] = "parameters/calibration", number[] = "parameters/calibrated";
    size_t factors = rm2_manifold_factor_count(m->manifold);
    if (!rm2i_file_has(r, name) && !rm2i_file_has(r, number))
        return RM2_OK;
    RM2_TRY(rm2i_file_doubles(r, name, 1, &factors, &m->calibration));
    return rm2i_file_count(r, number, &m->calibrated);
}

static rm2_status get_parameters(rm2i_reader r, rm2_model *m) {
    RM2_TRY(rm2i_model_arrays_get(r, m));
    RM2_TRY(get_inducing(r, m));
    RM2_TRY(get_compact(r, m));
    RM2_TRY(get_calibration(r, m));
    RM2_TRY(get_inducing_sums(r, m));
    return get_back_kernels(r, m);
}

static rm2_status get_training(rm2i_reader r, rm2_model *m) {
    size_t stop, length = SIZE_MAX;
    RM2_TRY(rm2i_file_count(r, "training/stop", &stop));
    if (stop > RM2_STOP_MAX_SECONDS)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: training/stop: unknown reason %zu", r.path,
                         stop);
    m->training.stop = (rm2_stop)stop;
    RM2_TRY(rm2i_file_count(r, "training/evaluations", &m->training.evaluations));
    RM2_TRY(rm2i_file_doubles(r, "training/trace", 1, &length, &m->training.trace));
    if (length == 0)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: training/trace is empty", r.path);
    m->training.iterations = length - 1;
    return get_certificate(r, m);
}

/* Arrays must be in the file before memory for them is asked for. */
static rm2_status check_sizes(rm2i_reader r, const rm2_data *data, rm2_model_kind kind) {
    size_t M =
        kind == RM2_GPLVM ? rm2_manifold_ambient(data->manifold) : rm2_manifold_dim(data->manifold);
    RM2_TRY(rm2i_file_shape(r, "data/outputs", 2, (size_t[]){M, data->count}));
    return rm2i_file_shape(r, "parameters/task_covariance", 2, (size_t[]){M, M});
}

/* Sizes, settings and data set: what an empty model needs. */
static rm2_status get_empty(rm2i_reader r, rm2_model **m) {
    size_t shape[2] = {SIZE_MAX, 0};
    rm2_data *data;
    rm2_fit_settings settings = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    RM2_TRY(rm2i_settings_get(r, &settings));
    shape[1] = settings.latent_dim;
    RM2_TRY(rm2i_file_shape(r, "parameters/latents", 2, shape));
    if (shape[0] < 2 || shape[1] == 0)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: parameters/latents has no points", r.path);
    RM2_TRY(rm2i_file_data(r, shape[0], &data));
    rm2_status status = check_sizes(r, data, settings.model);
    if (status == RM2_OK)
        status = rm2i_model_create(r.ctx, data, &settings, m);
    rm2_data_free(data);
    return status;
}

static rm2_status get_contents(rm2i_reader r, rm2_model *m) {
    RM2_TRY(get_parameters(r, m));
    RM2_TRY(rm2i_start_get(r, m->data, &m->start_report));
    RM2_TRY(get_training(r, m));
    return rm2i_model_check(r.ctx, r.path, m);
}

/* All but the posterior, checked. Closes the file. */
static rm2_status get_model(rm2i_reader r, rm2_model **model) {
    rm2_status status = rm2i_file_expect(r, RM2I_MODEL_KIND, RM2I_MODEL_VERSION, "");
    if (status == RM2_OK)
        status = get_empty(r, model);
    if (status == RM2_OK)
        status = get_contents(r, *model);
    rm2i_file_close(r.file);
    return status;
}

static rm2_status finish(rm2i_reader r, rm2_model *m) {
    RM2_TRY(rm2i_model_finish(r.ctx, m));
    return rm2i_model_check_compact(r.ctx, r.path, m);
}

static rm2_status read_model(rm2i_reader r, rm2_model **model) {
    rm2_model *m = NULL;
    rm2_status status = get_model(r, &m);
    if (status == RM2_OK)
        status = finish(r, m);
    if (status == RM2_OK)
        *model = m;
    else
        rm2_model_free(m);
    return status;
}

rm2_status rm2_model_read(rm2_context *ctx, const char *path, rm2_model **model) {
    rm2i_file *file;
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_REQUIRE(ctx, path);
    RM2_TRY(rm2i_file_open(ctx, path, &file));
    return read_model((rm2i_reader){ctx, file, path, NULL}, model);
}

rm2_status rm2_model_from_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                                rm2_model **model) {
    rm2i_file *file;
    const char *shown = name ? name : "model";
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_REQUIRE(ctx, bytes);
    RM2_TRY(rm2i_file_open_bytes(ctx, bytes, size, shown, &file));
    return read_model((rm2i_reader){ctx, file, shown, NULL}, model);
}

rm2_status rm2i_model_readable(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                               const rm2_manifold *manifold) {
    rm2i_file *file;
    rm2_model *m = NULL;
    RM2_TRY(rm2i_file_open_bytes(ctx, bytes, size, name, &file));
    const rm2i_reader r = {ctx, file, name, manifold};
    rm2_status status = get_model(r, &m);
    if (status == RM2_OK && m->trained > 0) /* which is checked with its posterior */
        status = finish(r, m);
    rm2_model_free(m);
    return status;
}
