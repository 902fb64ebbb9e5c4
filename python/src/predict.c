/* What models predict: decoded points, latents of new ones, samples. */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

/* decode(model, latents, points, tangent, covariance, deviation): outputs may be None. */
static PyObject *decode(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *in, *out[4], *result = NULL;
    glue_array x = {.data = NULL}, y[4];
    static const char *const names[] = {"points", "tangent", "covariance", "deviation"};
    (void)self;
    memset(y, 0, sizeof y);
    if (!PyArg_ParseTuple(args, "O&OOOOO", convert_model, &model, &in, &out[0], &out[1], &out[2],
                          &out[3]))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    const size_t widths[] = {rm2_manifold_ambient(i->manifold), i->outputs, i->outputs * i->outputs,
                             1};
    bool good = glue_read(in, "latents", false, &x);
    size_t n = good ? x.count / i->latent_dim : 0;
    if (good)
        good = glue_sized(&x, "latents", n * i->latent_dim);
    for (size_t k = 0; good && k < 4; k++)
        good = glue_write(out[k], names[k], true, &y[k]) &&
               (!y[k].data || glue_sized(&y[k], names[k], n * widths[k]));
    if (good)
        GLUE_CALL(
            result, NULL,
            rm2_model_decode(ctx, model, n, x.data, y[0].data, y[1].data, y[2].data, y[3].data));
    glue_release(&x);
    for (size_t k = 0; k < 4; k++)
        glue_release(&y[k]);
    return result;
}

/* Results of encoding: n x (log density, residual, converged, nearest training point). */
enum { ENCODED = 4 };

static void spread_info(size_t n, const rm2_encoded *info, double *out) {
    for (size_t k = 0; k < n; k++) {
        out[k * ENCODED] = info[k].log_density;
        out[k * ENCODED + 1] = info[k].residual;
        out[k * ENCODED + 2] = info[k].converged;
        out[k * ENCODED + 3] = (double)info[k].nearest;
    }
}

/* Arrays of an encoding. */
typedef struct encoding {
    glue_array x, latents, covariance, info;
    double *points; /* x, with the signs of the training data */
    rm2_encoded *found;
    size_t *starts; /* of trajectories, and the number of points */
} encoding;

/* Whole numbers of an array, or None: every point by itself. */
static bool convert_starts(PyObject *object, encoding *e, rm2_encode_settings *s) {
    glue_array x = {.data = NULL};
    if (!glue_read(object, "starts", true, &x))
        return false;
    e->starts = malloc((x.count + 1) * sizeof *e->starts);
    for (size_t k = 0; e->starts && k < x.count; k++)
        e->starts[k] = x.data[k] >= 0 && x.data[k] < 1e15 ? (size_t)x.data[k] : 0;
    s->trajectories = x.count > 1 ? x.count - 1 : 0;
    s->starts = e->starts;
    glue_release(&x);
    return e->starts || PyErr_NoMemory();
}

static bool convert_encoding(const rm2_model_info *i, PyObject *const *objects, encoding *e) {
    size_t Q = i->latent_dim, ambient = rm2_manifold_ambient(i->manifold);
    if (!glue_read(objects[0], "points", false, &e->x) ||
        !glue_write(objects[1], "latents", false, &e->latents) ||
        !glue_write(objects[2], "covariance", true, &e->covariance) ||
        !glue_write(objects[3], "info", false, &e->info) || !glue_rows(&e->x, "points", ambient))
        return false;
    size_t n = e->x.rows;
    return glue_sized(&e->latents, "latents", n * Q) &&
           (!e->covariance.data || glue_sized(&e->covariance, "covariance", n * Q * Q)) &&
           glue_sized(&e->info, "info", n * ENCODED);
}

static bool copy_points(const rm2_model_info *i, bool align, bool regularise, encoding *e) {
    e->found = calloc(e->x.rows + 1, sizeof *e->found);
    e->points = malloc((e->x.count + 1) * sizeof *e->points);
    if (!e->found || !e->points) {
        PyErr_NoMemory();
        return false;
    }
    e->found->size = sizeof *e->found;
    memcpy(e->points, e->x.data, e->x.count * sizeof *e->points);
    if (align)
        rm2_data_align_points(i->data, e->x.rows, e->points);
    if (regularise)
        rm2_data_regularise_points(i->data, e->x.rows, e->points);
    return true;
}

static void release_encoding(encoding *e) {
    free(e->found);
    free(e->points);
    free(e->starts);
    GLUE_RELEASE(&e->x, &e->latents, &e->covariance, &e->info);
}

/* encode(model, points, settings, starts or None, align signs, regularise, callback, latents, covariance or None,
 * info) */
static PyObject *encode(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *dict, *starts, *objects[4], *result = NULL;
    int align, regularise;
    glue_watcher watcher = {NULL, false, false};
    rm2_encode_settings s = rm2_encode_settings_default();
    encoding e;
    (void)self;
    memset(&e, 0, sizeof e);
    if (!PyArg_ParseTuple(args, "O&OOOppOOOO", convert_model, &model, &objects[0], &dict, &starts,
                          &align, &regularise, &watcher.callback, &objects[1], &objects[2],
                          &objects[3]) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_ENCODE), &s))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    rm2_context *ctx = convert_encoding(i, objects, &e) && convert_starts(starts, &e, &s) &&
                               copy_points(i, align != 0, regularise != 0, &e)
                           ? glue_enter()
                           : NULL;
    if (ctx) {
        rm2_status status;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, rm2_model_encode(ctx, model, &s, e.x.rows, e.points, e.latents.data,
                                          e.covariance.data, e.found));
        if (status == RM2_OK)
            spread_info(e.x.rows, e.found, e.info.data);
        result = glue_leave(ctx, status);
    }
    release_encoding(&e);
    return result;
}

/* sample(model, latents, count, noise, seed, out) */
static PyObject *sample(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *in, *out, *result = NULL;
    Py_ssize_t count;
    int noise;
    unsigned long long seed;
    glue_array x = {.data = NULL}, y = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OnpKO", convert_model, &model, &in, &count, &noise, &seed, &out))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    if (count >= 0 && glue_read(in, "latents", false, &x) && glue_write(out, "output", false, &y)) {
        size_t n = x.count / i->latent_dim;
        if (glue_sized(&x, "latents", n * i->latent_dim) &&
            glue_sized(&y, "output", (size_t)count * n * rm2_manifold_ambient(i->manifold)))
            GLUE_CALL(result, NULL,
                      (rm2_context_set_seed(ctx, seed),
                       rm2_model_sample(ctx, model, n, x.data, (size_t)count, noise != 0, y.data)));
    }
    GLUE_RELEASE(&x, &y);
    return result;
}

PyMethodDef predict_functions[] = {
    {"decode", decode, METH_VARARGS, NULL},
    {"encode", encode, METH_VARARGS, NULL},
    {"sample", sample, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
