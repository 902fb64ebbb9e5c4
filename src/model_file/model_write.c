/* Models to files, and to bytes in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model_file/model_file.h"
#include "model_file/settings_file.h"
#include "model_file/start_file.h"

static rm2_status put_vector(rm2i_file_writer w, const char *name, size_t n, const double *values) {
    return rm2i_file_put_doubles(w, name, 1, &n, values);
}

static rm2_status put_matrix(rm2i_file_writer w, const char *name, size_t rows, size_t columns,
                             const double *values) {
    return rm2i_file_put_doubles(w, name, 2, (size_t[]){rows, columns}, values);
}

static rm2_status put_header(rm2i_file_writer w, const rm2_model *m) {
    RM2_TRY(rm2i_file_put_kind(w, RM2I_MODEL_KIND, RM2I_MODEL_VERSION));
    RM2_TRY(rm2i_file_put_text(w, "manifold", rm2_manifold_spec(m->manifold)));
    return rm2i_file_put_text(w, "source", m->data->source);
}

static rm2_status put_data(rm2i_file_writer w, const rm2_model *m) {
    const rm2_data *d = m->data;
    size_t ambient = rm2_manifold_ambient(m->manifold), ends = d->trajectories + 1;
    RM2_TRY(put_matrix(w, "data/points", m->N, ambient, d->points));
    RM2_TRY(put_vector(w, "data/scale", rm2_manifold_factor_count(m->manifold), d->scale));
    if (d->shrinkage > 0)
        RM2_TRY(rm2i_file_put_number(w, "data/shrinkage", d->shrinkage));
    if (d->trajectories) {
        RM2_TRY(rm2i_file_put_sizes(w, "data/starts", 1, &ends, d->starts));
        RM2_TRY(rm2i_file_put_texts(w, "data/ids", d->trajectories, d->ids));
    }
    if (d->time)
        RM2_TRY(put_vector(w, "data/time", m->N, d->time));
    if (!d->labels)
        return RM2_OK;
    RM2_TRY(rm2i_file_put_sizes(w, "data/labels", 1, &m->N, d->labels));
    return rm2i_file_put_texts(w, "data/label_names", d->label_count, d->label_names);
}

static rm2_status put_back_kernels(rm2i_file_writer w, const rm2_model *m) {
    size_t factors = rm2_manifold_factor_count(m->manifold);
    if (!m->back_weights)
        return RM2_OK;
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
static rm2_status put_inducing(rm2i_file_writer w, const rm2_model *m) {
    size_t count = m->inducing_count;
    if (m->inducing)
        return rm2i_file_put_sizes(w, "parameters/inducing", 1, &count, m->inducing);
    if (count)
        return put_matrix(w, "parameters/inducing_inputs", count, m->Q, m->inducing_inputs);
    return RM2_OK;
}

/* Sums over all points, where these are not in the file, or finding the sums again takes long and they are a small part
 * of the file. */
static rm2_status put_inducing_sums(rm2i_file_writer w, const rm2_model *m) {
    enum { POINTS_FOR_EACH = 50 };
    if (m->trained > 0)
        RM2_TRY(rm2i_file_put_count(w, "compact/points", m->trained));
    else if (m->inducing_count == 0 || m->N / m->inducing_count < POINTS_FOR_EACH)
        return RM2_OK;
    return put_vector(w, "parameters/inducing_sums",
                      rm2i_inducing_sums_count(m->inducing_count, m->M), m->posterior->sums);
}

static rm2_status put_calibration(rm2i_file_writer w, const rm2_model *m) {
    if (!m->calibration)
        return RM2_OK;
    RM2_TRY(put_vector(w, "parameters/calibration", rm2_manifold_factor_count(m->manifold),
                       m->calibration));
    return rm2i_file_put_count(w, "parameters/calibrated", m->calibrated);
}

static rm2_status put_training(rm2i_file_writer w, const rm2_model *m) {
    RM2_TRY(rm2i_file_put_count(w, "training/stop", (size_t)m->training.stop));
    RM2_TRY(rm2i_file_put_count(w, "training/evaluations", m->training.evaluations));
    RM2_TRY(put_vector(w, "training/trace", m->training.iterations + 1, m->training.trace));
    if (m->inducing_count) {
        RM2_TRY(put_vector(w, "training/certificate", 4,
                           (double[]){m->training.likelihood.lower, m->training.likelihood.upper,
                                      m->training.dynamics.lower, m->training.dynamics.upper}));
        RM2_TRY(rm2i_file_put_count(w, "training/gpdm_inducing", m->gpdm_inducing));
    }
    RM2_TRY(rm2i_settings_put(w, &m->settings));
    return m->given_inducing ? rm2i_file_put_sizes(w, "settings/inducing_points", 1,
                                                   &m->settings.inducing, m->given_inducing)
                             : RM2_OK;
}

static rm2_status put_all(rm2i_file_writer w, const rm2_model *m) {
    RM2_TRY(put_header(w, m));
    RM2_TRY(put_data(w, m));
    RM2_TRY(rm2i_model_arrays_put(w, m));
    RM2_TRY(put_inducing(w, m));
    RM2_TRY(put_inducing_sums(w, m));
    RM2_TRY(put_calibration(w, m));
    RM2_TRY(put_back_kernels(w, m));
    RM2_TRY(rm2i_start_put(w, m->start_report));
    RM2_TRY(put_training(w, m));
    return rm2i_npz_end(w.ctx, w.npz);
}

static rm2_status put_stream(rm2_context *ctx, const rm2_model *m, FILE *stream) {
    rm2i_file_writer w = {ctx, NULL};
    RM2_TRY(rm2i_npz_begin(ctx, stream, "the model", &w.npz));
    rm2_status status = put_all(w, m);
    rm2i_npz_writer_free(w.npz);
    return status;
}

/* The file in memory, which can be read again. */
static rm2_status build(rm2_context *ctx, const rm2_model *m, const char *name, char **bytes,
                        size_t *size) {
    rm2_writer *stream;
    *bytes = NULL;
    RM2_TRY(rm2_writer_open_memory(ctx, &stream));
    rm2_status status = put_stream(ctx, m, rm2_writer_stream(stream));
    if (status != RM2_OK && status != RM2_ERR_IO) {
        rm2_writer_discard(stream);
        return status;
    }
    RM2_TRY(rm2_writer_consume(ctx, stream, bytes, size)); /* fails if writing to memory did */
    status = rm2i_model_readable(ctx, *bytes, *size, name, m->manifold);
    if (status == RM2_OK)
        return RM2_OK;
    free(*bytes);
    *bytes = NULL;
    return status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED
               ? status
               : rm2i_fail_prefix(ctx, status,
                                  "the model is not written, since it could not be read");
}

static rm2_status write_bytes(rm2_context *ctx, const char *path, bool overwrite, const char *bytes,
                              size_t size) {
    rm2_writer *output;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    (void)fwrite(bytes, 1, size, rm2_writer_stream(output));
    return rm2_writer_commit(ctx, output);
}

rm2_status rm2_model_write(rm2_context *ctx, const rm2_model *model, const char *path,
                           bool overwrite) {
    char *bytes;
    size_t size;
    RM2_REQUIRE(ctx, model, path);
    RM2_TRY(build(ctx, model, path, &bytes, &size));
    rm2_status status = write_bytes(ctx, path, overwrite, bytes, size);
    free(bytes);
    return status;
}

rm2_status rm2_model_to_bytes(rm2_context *ctx, const rm2_model *model, void **bytes,
                              size_t *size) {
    char *built;
    RM2_REQUIRE(ctx, bytes, size);
    *bytes = NULL;
    *size = 0;
    RM2_REQUIRE(ctx, model);
    RM2_TRY(build(ctx, model, "model", &built, size));
    *bytes = built;
    return RM2_OK;
}
