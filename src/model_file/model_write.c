/* Models to files, and to bytes in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model_file/model_file.h"
#include "model_file/settings_file.h"
#include "model_file/start_file.h"

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
    double values[RM2I_TERMS];
    memcpy(values, terms, sizeof values);
    return put_vector(w, name, RM2I_TERMS, values);
}

static rm2_status put_header(writer w, const rm2_model *m) {
    RM2_TRY(rm2i_h5_put_text(w.ctx, w.h5, "format", RM2I_MODEL_FORMAT));
    RM2_TRY(put_count(w, "version", RM2I_MODEL_VERSION));
    RM2_TRY(rm2i_h5_put_text(w.ctx, w.h5, "manifold", rm2_manifold_spec(m->manifold)));
    return rm2i_h5_put_text(w.ctx, w.h5, "source", m->data->source);
}

static rm2_status put_data(writer w, const rm2_model *m) {
    const rm2_data *d = m->data;
    size_t ambient = rm2_manifold_ambient(m->manifold), ends = d->trajectories + 1;
    RM2_TRY(put_matrix(w, "data/points", m->N, ambient, d->points));
    RM2_TRY(put_matrix(w, "data/outputs", m->M, m->N, m->F));
    RM2_TRY(put_vector(w, "data/mean", m->M, m->mean));
    RM2_TRY(put_vector(w, "data/base", ambient, m->base));
    RM2_TRY(put_vector(w, "data/scale", rm2_manifold_factor_count(m->manifold), d->scale));
    if (d->shrinkage > 0)
        RM2_TRY(put_number(w, "data/shrinkage", d->shrinkage));
    if (d->trajectories) {
        RM2_TRY(rm2i_h5_put_sizes(w.ctx, w.h5, "data/starts", 1, &ends, d->starts));
        RM2_TRY(rm2i_h5_put_texts(w.ctx, w.h5, "data/ids", d->trajectories, d->ids));
    }
    if (d->time)
        RM2_TRY(put_vector(w, "data/time", m->N, d->time));
    if (!d->labels)
        return RM2_OK;
    RM2_TRY(rm2i_h5_put_sizes(w.ctx, w.h5, "data/labels", 1, &m->N, d->labels));
    return rm2i_h5_put_texts(w.ctx, w.h5, "data/label_names", d->label_count, d->label_names);
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

/* Sums over all points, where these are not in the file, or finding the sums again takes long and they are a small part
 * of the file. */
static rm2_status put_inducing_sums(writer w, const rm2_model *m) {
    enum { POINTS_FOR_EACH = 50 };
    if (m->trained > 0)
        RM2_TRY(put_count(w, "compact/points", m->trained));
    else if (m->inducing_count == 0 || m->N / m->inducing_count < POINTS_FOR_EACH)
        return RM2_OK;
    return put_vector(w, "parameters/inducing_sums",
                      rm2i_inducing_sums_count(m->inducing_count, m->M), m->posterior->sums);
}

static rm2_status put_parameters(writer w, const rm2_model *m) {
    RM2_TRY(put_matrix(w, "parameters/latents", m->N, m->Q, m->X));
    RM2_TRY(put_vector(w, "parameters/lengthscale", m->Q, m->lengthscale));
    RM2_TRY(put_number(w, "parameters/variance", m->variance));
    if (m->linear > 0)
        RM2_TRY(put_number(w, "parameters/linear", m->linear));
    RM2_TRY(put_number(w, "parameters/noise", m->noise));
    if (m->settings.task == RM2_TASK_INTEGRATED) {
        RM2_TRY(put_number(w, "parameters/freedom", m->freedom));
        RM2_TRY(put_number(w, "parameters/latent_noise", m->latent_noise));
    }
    if (m->task_noise)
        RM2_TRY(put_vector(w, "parameters/task_noise", m->M, m->task_noise));
    RM2_TRY(put_matrix(w, "parameters/task_covariance", m->M, m->M, m->Kf));
    RM2_TRY(put_vector(w, "parameters/gpdm", 3, m->gpdm));
    RM2_TRY(put_inducing(w, m));
    RM2_TRY(put_inducing_sums(w, m));
    return put_back_constraint(w, m);
}

static rm2_status put_training(writer w, const rm2_model *m) {
    RM2_TRY(put_terms(w, "training/start", &m->training.start));
    RM2_TRY(put_terms(w, "training/end", &m->training.end));
    RM2_TRY(put_number(w, "training/volume", m->volume));
    RM2_TRY(put_count(w, "training/stop", (size_t)m->training.stop));
    RM2_TRY(put_count(w, "training/evaluations", m->training.evaluations));
    RM2_TRY(put_vector(w, "training/trace", m->training.iterations + 1, m->training.trace));
    if (m->inducing_count) {
        RM2_TRY(put_vector(w, "training/certificate", 4,
                           (double[]){m->training.likelihood.lower, m->training.likelihood.upper,
                                      m->training.dynamics.lower, m->training.dynamics.upper}));
        RM2_TRY(put_count(w, "training/gpdm_inducing", m->gpdm_inducing));
    }
    RM2_TRY(rm2i_settings_put(w.ctx, w.h5, &m->settings));
    return m->given_inducing ? rm2i_h5_put_sizes(w.ctx, w.h5, "settings/inducing_points", 1,
                                                 &m->settings.inducing, m->given_inducing)
                             : RM2_OK;
}

static rm2_status put_all(writer w, const rm2_model *m) {
    RM2_TRY(put_header(w, m));
    RM2_TRY(put_data(w, m));
    RM2_TRY(put_parameters(w, m));
    RM2_TRY(rm2i_start_put(w.ctx, w.h5, m->start_report));
    return put_training(w, m);
}

/* The file in memory, nowhere yet. */
static rm2_status build(rm2_context *ctx, const rm2_model *m, rm2i_h5_writer **h5) {
    *h5 = NULL;
    writer w = {ctx, NULL};
    RM2_TRY(rm2i_h5_create(ctx, &w.h5));
    rm2_status status = put_all(w, m);
    if (status == RM2_OK)
        *h5 = w.h5;
    else
        rm2i_h5_discard(w.h5);
    return status;
}

rm2_status rm2_model_write(rm2_context *ctx, const rm2_model *model, const char *path,
                           bool overwrite) {
    rm2i_h5_writer *h5;
    RM2_REQUIRE(ctx, model, path);
    RM2_TRY(build(ctx, model, &h5));
    return rm2i_h5_commit(ctx, h5, path, overwrite);
}

rm2_status rm2_model_to_bytes(rm2_context *ctx, const rm2_model *model, void **bytes,
                              size_t *size) {
    rm2i_h5_writer *h5;
    unsigned char *sealed;
    RM2_REQUIRE(ctx, bytes, size);
    *bytes = NULL;
    *size = 0;
    RM2_REQUIRE(ctx, model);
    RM2_TRY(build(ctx, model, &h5));
    RM2_TRY(rm2i_h5_to_bytes(ctx, h5, &sealed, size));
    *bytes = sealed;
    return RM2_OK;
}
