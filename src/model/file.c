/* Model files. Layout: docs/model-file.md. Everything needed to predict is there; the posterior is
 * computed again on reading. Shapes are checked against each other before memory is asked for; what
 * the numbers must be is in check.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "hdf5/hdf5.h"
#include "model/check.h"
#include "model/model.h"
#include "model/settings_file.h"

enum { VERSION = 1, TERMS = sizeof(rm2_objective_terms) / sizeof(double) };
static const char FORMAT[] = "riemann2 model";

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct writer {
    rm2_context *ctx;
    rm2i_h5_writer *h5;
} writer;

static rm2_status put_vector(writer w, const char *name, size_t n, const double *values) {
    return rm2i_h5_put_doubles(w.ctx, w.h5, name, 1, &n, values);
}

static rm2_status put_matrix(writer w, const char *name, size_t rows, size_t columns,
                             const double *values) {
    return rm2i_h5_put_doubles(w.ctx, w.h5, name, 2, (size_t[]){rows, columns}, values);
}

static rm2_status put_number(writer w, const char *name, double value) {
    return rm2i_h5_put_doubles(w.ctx, w.h5, name, 0, NULL, &value);
}

static rm2_status put_count(writer w, const char *name, size_t value) {
    return rm2i_h5_put_sizes(w.ctx, w.h5, name, 0, NULL, &value);
}

static rm2_status put_terms(writer w, const char *name, const rm2_objective_terms *terms) {
    double values[TERMS];
    memcpy(values, terms, sizeof values);
    return put_vector(w, name, TERMS, values);
}

static rm2_status put_data(writer w, const rm2_model *m) {
    size_t ambient = rm2_manifold_ambient(m->manifold), ends = m->trajectories + 1;
    RM2_TRY(rm2i_h5_put_text(w.ctx, w.h5, "format", FORMAT));
    RM2_TRY(put_count(w, "version", VERSION));
    RM2_TRY(rm2i_h5_put_text(w.ctx, w.h5, "manifold", rm2_manifold_spec(m->manifold)));
    RM2_TRY(rm2i_h5_put_text(w.ctx, w.h5, "source", m->source));
    RM2_TRY(put_matrix(w, "data/points", m->N, ambient, m->data));
    RM2_TRY(put_matrix(w, "data/outputs", m->M, m->N, m->F));
    RM2_TRY(put_vector(w, "data/mean", m->M, m->mean));
    RM2_TRY(put_vector(w, "data/base", ambient, m->base));
    RM2_TRY(put_vector(w, "data/scale", rm2_manifold_factor_count(m->manifold), m->scale));
    if (m->trajectories) {
        RM2_TRY(rm2i_h5_put_sizes(w.ctx, w.h5, "data/starts", 1, &ends, m->starts));
        RM2_TRY(rm2i_h5_put_texts(w.ctx, w.h5, "data/ids", m->trajectories,
                                  (const char *const *)m->ids));
    }
    if (m->labels) {
        RM2_TRY(rm2i_h5_put_sizes(w.ctx, w.h5, "data/labels", 1, &m->N, m->labels));
        RM2_TRY(rm2i_h5_put_texts(w.ctx, w.h5, "data/label_names", m->label_count,
                                  (const char *const *)m->label_names));
    }
    return RM2_OK;
}

static rm2_status put_back_constraint(writer w, const rm2_model *m) {
    size_t factors = rm2_manifold_factor_count(m->manifold);
    if (!m->back_weights)
        return RM2_OK;
    RM2_TRY(put_matrix(w, "parameters/back_weights", m->N, m->Q, m->back_weights));
    double *kernels; /* kind and lengthscale of each factor */
    RM2_TRY(rm2i_alloc(w.ctx, factors, 2 * sizeof *kernels, &kernels));
    for (size_t k = 0; k < factors; k++) {
        kernels[2 * k] = m->back_kernels[k].kind;
        kernels[2 * k + 1] = m->back_kernels[k].lengthscale;
    }
    rm2_status status = put_matrix(w, "parameters/back_kernels", factors, 2, kernels);
    free(kernels);
    return status;
}

/* Which points they are, or where they are. */
static rm2_status put_inducing(writer w, const rm2_model *m) {
    size_t count = m->inducing_count;
    if (m->inducing)
        return rm2i_h5_put_sizes(w.ctx, w.h5, "parameters/inducing", 1, &count, m->inducing);
    if (count)
        return put_matrix(w, "parameters/inducing_inputs", count, m->Q, m->inducing_inputs);
    return RM2_OK;
}

static rm2_status put_parameters(writer w, const rm2_model *m) {
    RM2_TRY(put_matrix(w, "parameters/latents", m->N, m->Q, m->X));
    RM2_TRY(put_vector(w, "parameters/lengthscale", m->Q, m->lengthscale));
    RM2_TRY(put_number(w, "parameters/variance", m->variance));
    if (m->linear > 0)
        RM2_TRY(put_number(w, "parameters/linear", m->linear));
    RM2_TRY(put_number(w, "parameters/noise", m->noise));
    if (m->task_noise)
        RM2_TRY(put_vector(w, "parameters/task_noise", m->M, m->task_noise));
    RM2_TRY(put_matrix(w, "parameters/task_covariance", m->M, m->M, m->Kf));
    RM2_TRY(put_vector(w, "parameters/gpdm", 3, m->gpdm));
    RM2_TRY(put_inducing(w, m));
    return put_back_constraint(w, m);
}

static rm2_status put_training(writer w, const rm2_model *m) {
    RM2_TRY(put_terms(w, "training/start", &m->start));
    RM2_TRY(put_terms(w, "training/end", &m->end));
    RM2_TRY(put_number(w, "training/volume", m->volume));
    RM2_TRY(put_count(w, "training/stop", (size_t)m->stop));
    RM2_TRY(put_count(w, "training/evaluations", m->evaluations));
    RM2_TRY(put_vector(w, "training/trace", m->iterations + 1, m->trace));
    if (m->inducing_count) {
        RM2_TRY(put_vector(w, "training/certificate", 4,
                           (double[]){m->likelihood.lower, m->likelihood.upper, m->dynamics.lower,
                                      m->dynamics.upper}));
        RM2_TRY(put_count(w, "training/gpdm_inducing", m->gpdm_inducing));
    }
    RM2_TRY(rm2i_settings_put(w.ctx, w.h5, &m->settings));
    return m->given_inducing ? rm2i_h5_put_sizes(w.ctx, w.h5, "settings/inducing_points", 1,
                                                 &m->settings.inducing, m->given_inducing)
                             : RM2_OK;
}

rm2_status rm2_model_write(rm2_context *ctx, const rm2_model *m, const char *path, bool overwrite) {
    writer w = {ctx, NULL};
    RM2_TRY(rm2i_h5_create(ctx, &w.h5));
    rm2_status status = put_data(w, m);
    if (status == RM2_OK)
        status = put_parameters(w, m);
    if (status == RM2_OK)
        status = put_training(w, m);
    if (status != RM2_OK) {
        rm2i_h5_discard(w.h5);
        return status;
    }
    return rm2i_h5_commit(ctx, w.h5, path, overwrite);
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct reader {
    rm2_context *ctx;
    const rm2i_h5 *h5;
    const char *path;
} reader;

/* Numbers of a known shape into memory that is there already. */
static rm2_status get_array(reader r, const char *name, size_t dims, const size_t *shape,
                            double *values) {
    size_t copy[2] = {dims > 0 ? shape[0] : 0, dims > 1 ? shape[1] : 0}, count = 1;
    double *found;
    for (size_t k = 0; k < dims; k++)
        count *= shape[k];
    RM2_TRY(rm2i_h5_get_doubles(r.ctx, r.h5, name, dims, copy, &found));
    memcpy(values, found, count * sizeof *values);
    free(found);
    return rm2i_model_check_finite(r.ctx, r.path, name, count, values);
}

static rm2_status get_vector(reader r, const char *name, size_t n, double *values) {
    return get_array(r, name, 1, &n, values);
}

static rm2_status get_matrix(reader r, const char *name, size_t rows, size_t columns,
                             double *values) {
    return get_array(r, name, 2, (size_t[]){rows, columns}, values);
}

static rm2_status get_terms(reader r, const char *name, rm2_objective_terms *terms) {
    double values[TERMS];
    RM2_TRY(get_vector(r, name, TERMS, values));
    memcpy(terms, values, sizeof values);
    return RM2_OK;
}

static rm2_status get_trajectories(reader r, rm2_model *m) {
    if (!rm2i_h5_has(r.h5, "data/starts"))
        return RM2_OK;
    size_t ends = SIZE_MAX, *starts, count;
    RM2_TRY(rm2i_h5_get_sizes(r.ctx, r.h5, "data/starts", 1, &ends, &starts));
    m->starts = starts;
    bool good = ends >= 2 && starts[0] == 0 && starts[ends - 1] == m->N;
    for (size_t t = 0; good && t + 1 < ends; t++)
        good = starts[t] < starts[t + 1];
    if (!good)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/starts does not divide the %zu points",
                         r.path, m->N);
    count = ends - 1;
    RM2_TRY(rm2i_h5_get_texts(r.ctx, r.h5, "data/ids", &count, &m->ids));
    m->trajectories = count;
    return RM2_OK;
}

static rm2_status get_labels(reader r, rm2_model *m) {
    if (!rm2i_h5_has(r.h5, "data/labels"))
        return RM2_OK;
    size_t n = m->N, count = SIZE_MAX, dims, shape[RM2_ARRAY_MAX_DIMS];
    RM2_TRY(rm2i_h5_get_sizes(r.ctx, r.h5, "data/labels", 1, &n, &m->labels));
    RM2_TRY(rm2i_h5_shape(r.ctx, r.h5, "data/label_names", &dims, shape));
    if (dims == 1 && shape[0] > m->N) /* before each takes its memory */
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/label_names: %zu labels for %zu points",
                         r.path, shape[0], m->N);
    RM2_TRY(rm2i_h5_get_texts(r.ctx, r.h5, "data/label_names", &count, &m->label_names));
    m->label_count = count;
    for (size_t i = 0; i < m->N; i++)
        if (m->labels[i] >= count)
            return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/labels, entry %zu: no label %zu",
                             r.path, i, m->labels[i]);
    return RM2_OK;
}

static rm2_status get_data(reader r, rm2_model *m) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    RM2_TRY(rm2i_h5_get_text(r.ctx, r.h5, "source", &m->source));
    RM2_TRY(get_matrix(r, "data/points", m->N, ambient, m->data));
    RM2_TRY(get_matrix(r, "data/outputs", m->M, m->N, m->F));
    RM2_TRY(get_vector(r, "data/mean", m->M, m->mean));
    RM2_TRY(get_vector(r, "data/base", ambient, m->base));
    RM2_TRY(get_vector(r, "data/scale", rm2_manifold_factor_count(m->manifold), m->scale));
    RM2_TRY(get_trajectories(r, m));
    return get_labels(r, m);
}

static rm2_status get_back_constraint(reader r, rm2_model *m) {
    size_t factors = rm2_manifold_factor_count(m->manifold), shape[2] = {factors, 2};
    if (!m->back_weights)
        return RM2_OK;
    RM2_TRY(get_matrix(r, "parameters/back_weights", m->N, m->Q, m->back_weights));
    double *kernels;
    RM2_TRY(rm2i_h5_get_doubles(r.ctx, r.h5, "parameters/back_kernels", 2, shape, &kernels));
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
static rm2_status get_points(reader r, const rm2_model *m, const char *name, size_t *count,
                             size_t **points) {
    RM2_TRY(rm2i_h5_get_sizes(r.ctx, r.h5, name, 1, count, points));
    bool good = *count > 0 && *count <= m->N && m->settings.noise == RM2_NOISE_KRONECKER;
    for (size_t j = 0; good && j < *count; j++)
        good = (*points)[j] < m->N;
    return good ? RM2_OK
                : rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s are not some of the %zu points", r.path,
                            name, m->N);
}

static rm2_status get_inducing_points(reader r, rm2_model *m) {
    size_t count = SIZE_MAX;
    RM2_TRY(get_points(r, m, "parameters/inducing", &count, &m->inducing));
    m->inducing_count = count;
    RM2_TRY(rm2i_alloc(r.ctx, count, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    rm2i_inducing_gather(count, m->inducing, m->Q, m->X, m->inducing_inputs);
    return RM2_OK;
}

static rm2_status get_inducing_inputs(reader r, rm2_model *m) {
    static const char name[] = "parameters/inducing_inputs";
    size_t shape[2] = {SIZE_MAX, m->Q};
    RM2_TRY(rm2i_h5_get_doubles(r.ctx, r.h5, name, 2, shape, &m->inducing_inputs));
    RM2_TRY(rm2i_model_check_finite(r.ctx, r.path, name, shape[0] * m->Q, m->inducing_inputs));
    if (shape[0] == 0 || shape[0] > m->N || m->settings.noise != RM2_NOISE_KRONECKER)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s has %zu rows for %zu points", r.path, name,
                         shape[0], m->N);
    m->inducing_count = shape[0];
    return RM2_OK;
}

static rm2_status get_given_inducing(reader r, rm2_model *m) {
    static const char name[] = "settings/inducing_points";
    if (!rm2i_h5_has(r.h5, name))
        return RM2_OK;
    RM2_TRY(get_points(r, m, name, &m->settings.inducing, &m->given_inducing));
    m->settings.inducing_points = m->given_inducing;
    return RM2_OK;
}

static rm2_status get_inducing(reader r, rm2_model *m) {
    RM2_TRY(get_given_inducing(r, m));
    if (rm2i_h5_has(r.h5, "parameters/inducing"))
        return get_inducing_points(r, m);
    return rm2i_h5_has(r.h5, "parameters/inducing_inputs") ? get_inducing_inputs(r, m) : RM2_OK;
}

/* What was proven of the likelihood and of the dynamics; with exact inference there is nothing to. */
static rm2_status get_certificate(reader r, rm2_model *m) {
    double c[4] = {m->end.log_likelihood, m->end.log_likelihood, m->end.gpdm, m->end.gpdm};
    if (m->inducing_count) {
        RM2_TRY(get_vector(r, "training/certificate", 4, c));
        RM2_TRY(rm2i_h5_get_size(r.ctx, r.h5, "training/gpdm_inducing", &m->gpdm_inducing));
    }
    m->likelihood = (rm2_certificate){c[0], c[1]};
    m->dynamics = (rm2_certificate){c[2], c[3]};
    return RM2_OK;
}

static rm2_status get_parameters(reader r, rm2_model *m) {
    RM2_TRY(get_matrix(r, "parameters/latents", m->N, m->Q, m->X));
    RM2_TRY(get_vector(r, "parameters/lengthscale", m->Q, m->lengthscale));
    RM2_TRY(rm2i_h5_get_double(r.ctx, r.h5, "parameters/variance", &m->variance));
    if (rm2i_h5_has(r.h5, "parameters/linear"))
        RM2_TRY(rm2i_h5_get_double(r.ctx, r.h5, "parameters/linear", &m->linear));
    RM2_TRY(rm2i_h5_get_double(r.ctx, r.h5, "parameters/noise", &m->noise));
    if (m->task_noise)
        RM2_TRY(get_vector(r, "parameters/task_noise", m->M, m->task_noise));
    RM2_TRY(get_matrix(r, "parameters/task_covariance", m->M, m->M, m->Kf));
    RM2_TRY(get_vector(r, "parameters/gpdm", 3, m->gpdm));
    RM2_TRY(get_inducing(r, m));
    return get_back_constraint(r, m);
}

static rm2_status get_training(reader r, rm2_model *m) {
    size_t stop, length = SIZE_MAX;
    RM2_TRY(get_terms(r, "training/start", &m->start));
    RM2_TRY(get_terms(r, "training/end", &m->end));
    RM2_TRY(rm2i_h5_get_double(r.ctx, r.h5, "training/volume", &m->volume));
    RM2_TRY(rm2i_h5_get_size(r.ctx, r.h5, "training/stop", &stop));
    if (stop > RM2_STOP_MAX_SECONDS)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: training/stop: unknown reason %zu", r.path,
                         stop);
    m->stop = (rm2_stop)stop;
    RM2_TRY(rm2i_h5_get_size(r.ctx, r.h5, "training/evaluations", &m->evaluations));
    RM2_TRY(rm2i_h5_get_doubles(r.ctx, r.h5, "training/trace", 1, &length, &m->trace));
    if (length == 0)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: training/trace is empty", r.path);
    m->iterations = length - 1;
    return get_certificate(r, m);
}

static rm2_status check_shape(reader r, const char *name, size_t rows, size_t columns) {
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    RM2_TRY(rm2i_h5_shape(r.ctx, r.h5, name, &dims, shape));
    if (dims == 2 && shape[0] == rows && shape[1] == columns)
        return RM2_OK;
    return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s must be %zu x %zu", r.path, name, rows,
                     columns);
}

/* The manifold may be any: its arrays must be in the file before memory for them is asked for. */
static rm2_status check_sizes(reader r, const char *spec, rm2_model_kind kind, size_t N) {
    rm2_manifold *manifold;
    rm2_status status = rm2_manifold_create(r.ctx, spec, &manifold);
    if (status != RM2_OK)
        return status == RM2_ERR_MEMORY
                   ? status
                   : rm2i_fail_prefix(r.ctx, RM2_ERR_FORMAT, "%s: manifold", r.path);
    size_t ambient = rm2_manifold_ambient(manifold);
    size_t M = kind == RM2_GPLVM ? ambient : rm2_manifold_dim(manifold);
    rm2_manifold_free(manifold);
    RM2_TRY(check_shape(r, "data/points", N, ambient));
    RM2_TRY(check_shape(r, "data/outputs", M, N));
    return check_shape(r, "parameters/task_covariance", M, M);
}

/* Format and version, then the sizes and settings that an empty model needs. */
static rm2_status get_empty(reader r, rm2_model **m) {
    char *text;
    size_t version, dims, shape[RM2_ARRAY_MAX_DIMS];
    RM2_TRY(rm2i_h5_get_text(r.ctx, r.h5, "format", &text));
    bool ours = strcmp(text, FORMAT) == 0;
    free(text);
    if (!ours)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s is not a model (a checkpoint?)", r.path);
    RM2_TRY(rm2i_h5_get_size(r.ctx, r.h5, "version", &version));
    if (version != VERSION)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s has model format version %zu, this program reads version %d", r.path,
                         version, VERSION);
    rm2_fit_settings settings = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    settings.optim.max_iterations = 0; /* early files do not tell */
    RM2_TRY(rm2i_settings_get(r.ctx, r.h5, &settings));
    RM2_TRY(rm2i_h5_shape(r.ctx, r.h5, "parameters/latents", &dims, shape));
    if (dims != 2 || shape[0] < 2 || shape[1] == 0 || shape[1] != settings.latent_dim)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: parameters/latents has the wrong shape",
                         r.path);
    RM2_TRY(rm2i_h5_get_text(r.ctx, r.h5, "manifold", &text));
    rm2_status status = check_sizes(r, text, settings.model, shape[0]);
    if (status == RM2_OK)
        status = rm2i_model_create(r.ctx, text, &settings, shape[0], m);
    free(text);
    return status;
}

static rm2_status get_contents(reader r, rm2_model *m) {
    RM2_TRY(get_data(r, m));
    RM2_TRY(get_parameters(r, m));
    return get_training(r, m);
}

rm2_status rm2_model_read(rm2_context *ctx, const char *path, rm2_model **model) {
    *model = NULL;
    rm2i_h5 *h5;
    RM2_TRY(rm2i_h5_open(ctx, path, &h5));
    reader r = {ctx, h5, path};
    rm2_model *m = NULL;
    rm2_status status = get_empty(r, &m);
    if (status == RM2_OK && m)
        status = get_contents(r, m);
    rm2i_h5_close(h5);
    if (status == RM2_OK)
        status = rm2i_model_check(ctx, path, m);
    if (status == RM2_OK)
        status = rm2i_model_finish(ctx, m);
    if (status != RM2_OK) {
        rm2_model_free(m);
        return status;
    }
    *model = m;
    return RM2_OK;
}
