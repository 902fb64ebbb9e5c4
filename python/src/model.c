/* Models: training, files, what is in them. */
#include "glue.h"

#include <string.h>

static void release(void *thing) {
    rm2_model_free(thing);
}

const handle_kind model_kind = {"model", release};

int convert_model(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &model_kind)) != NULL;
}

static PyObject *wrap_made(PyObject *none, rm2_model *model) {
    Py_XDECREF(none);
    return none ? glue_wrap(&model_kind, model, NULL) : NULL;
}

/* ---- training ------------------------------------------------------------------------------- */

/* Arrays that settings point to. */
typedef struct given {
    glue_array latents, base, lengths;
    size_t *inducing; /* PyMem */
    rm2_factor_kernel kernels[GLUE_FACTORS];
} given;

/* (names, lengthscales) of the kernels of a back constraint, or None. */
static bool convert_back_kernels(PyObject *pair, const rm2_manifold *m, given *g,
                                 rm2_fit_settings *s) {
    PyObject *names, *lengths;
    if (pair == Py_None)
        return true;
    if (!PyArg_ParseTuple(pair, "OO", &names, &lengths) ||
        !glue_read(lengths, "back_kernels", false, &g->lengths) ||
        !glue_kernels(m, names, &g->lengths, g->kernels))
        return false;
    s->back_kernels = g->kernels;
    return true;
}

static bool convert_inducing(PyObject *list, given *g, rm2_fit_settings *s) {
    if (list == Py_None)
        return true;
    Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : 0;
    if (count < 1) {
        PyErr_SetString(PyExc_ValueError, "inducing_points: expected a list of indices");
        return false;
    }
    g->inducing = PyMem_Calloc((size_t)count, sizeof *g->inducing);
    for (Py_ssize_t k = 0; g->inducing && k < count; k++)
        g->inducing[k] = PyLong_AsSize_t(PyList_GetItem(list, k));
    s->inducing_points = g->inducing;
    s->inducing = (size_t)count;
    return g->inducing && !PyErr_Occurred();
}

/* Latents to start from, as many numbers per point as the dict says; for an automatic dimension the library has the message. */
static bool convert_latents(PyObject *dict, PyObject *object, const rm2_data *data, given *g,
                            rm2_fit_settings *s) {
    rm2_fit_settings named = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    if (!glue_read(object, "init", true, &g->latents))
        return false;
    if (!g->latents.data)
        return true;
    s->init_latent = g->latents.data;
    return glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_FIT), &named) &&
           (named.latent_dim == 0 ||
            glue_sized(&g->latents, "init", data->count * named.latent_dim));
}

static bool convert_given(PyObject *const *objects, const rm2_data *data, given *g,
                          rm2_fit_settings *s) {
    if (!glue_read(objects[1], "base_point", true, &g->base))
        return false;
    if (g->base.data) {
        if (!glue_sized(&g->base, "base_point", rm2_manifold_ambient(data->manifold)))
            return false;
        s->base_point = g->base.data;
    }
    return convert_inducing(objects[2], g, s) &&
           convert_back_kernels(objects[3], data->manifold, g, s);
}

static rm2_model *run_fit(const rm2_data *data, const rm2_fit_settings *s,
                          const rm2_checkpoint *checkpoint, PyObject *callback) {
    rm2_model *model = NULL;
    glue_watcher watcher = {callback, true, false};
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    glue_watch(ctx, &watcher);
    GLUE_RUN(status, rm2_fit(ctx, data, s, checkpoint, &model));
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    if (none)
        return model;
    rm2_model_free(model); /* a callback has raised: nobody gets the model */
    return NULL;
}

/* fit(data, settings, init, base_point, inducing points, back kernels, callback, checkpoint, seconds, resume):
 * arrays, lists, callback and path may be None. */
static PyObject *fit(PyObject *self, PyObject *args) {
    const rm2_data *data;
    PyObject *dict, *objects[4], *callback;
    rm2_model *model = NULL;
    rm2_checkpoint checkpoint = {NULL, 0, false};
    int resume;
    rm2_setting_text *texts = NULL;
    rm2_fit_settings s;
    given g;
    (void)self;
    memset(&g, 0, sizeof g);
    if (!PyArg_ParseTuple(args, "O&OOOOOOzdp", convert_data, &data, &dict, &objects[0], &objects[1],
                          &objects[2], &objects[3], &callback, &checkpoint.path,
                          &checkpoint.seconds, &resume))
        return NULL;
    checkpoint.resume = resume != 0;
    if (glue_fit_settings(dict, &texts, &s) && convert_latents(dict, objects[0], data, &g, &s) &&
        convert_given(objects, data, &g, &s))
        model = run_fit(data, &s, checkpoint.path ? &checkpoint : NULL, callback);
    PyMem_Free(texts);
    PyMem_Free(g.inducing);
    glue_release(&g.lengths);
    glue_release(&g.latents);
    glue_release(&g.base);
    return model ? glue_wrap(&model_kind, model, NULL) : NULL;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* model_read(path) */
static PyObject *read_file(PyObject *self, PyObject *args) {
    const char *path;
    rm2_model *model = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_model_read(ctx, path, &model));
    return wrap_made(glue_leave(ctx, status), model);
}

static rm2_status write_compact(rm2_context *ctx, const rm2_model *model, const char *path,
                                bool overwrite) {
    rm2_model *compact;
    rm2_status status = rm2_model_compact(ctx, model, 0, &compact);
    if (status == RM2_OK)
        status = rm2_model_write(ctx, compact, path, overwrite);
    rm2_model_free(compact);
    return status;
}

/* model_write(model, path, overwrite, compact) */
static PyObject *write_file(PyObject *self, PyObject *args) {
    const rm2_model *model;
    const char *path;
    int overwrite, compact;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&spp", convert_model, &model, &path, &overwrite, &compact))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, compact ? write_compact(ctx, model, path, overwrite != 0)
                             : rm2_model_write(ctx, model, path, overwrite != 0));
    return glue_leave(ctx, status);
}

/* model_from_bytes(bytes) */
static PyObject *from_bytes(PyObject *self, PyObject *args) {
    Py_buffer view;
    rm2_model *model = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*", &view))
        return NULL;
    PyObject *none = NULL;
    rm2_context *ctx = glue_enter();
    if (ctx) {
        rm2_status status;
        GLUE_RUN(status,
                 rm2_model_from_bytes(ctx, view.buf, (size_t)view.len, "pickled model", &model));
        none = glue_leave(ctx, status);
    }
    PyBuffer_Release(&view);
    return wrap_made(none, model);
}

/* model_to_bytes(model) */
static PyObject *to_bytes(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    void *bytes = NULL;
    size_t size = 0;
    (void)self;
    rm2_context *ctx = model ? glue_enter() : NULL;
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_model_to_bytes(ctx, model, &bytes, &size));
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    PyObject *result = none ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size) : NULL;
    rm2_free(bytes);
    return result;
}

/* ---- what is in a model --------------------------------------------------------------------- */

/* model_info(model): a dict. */
static PyObject *describe(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    (void)self;
    if (!model)
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    return Py_BuildValue(
        "{ss,sn,sn,sn,sn,sd,sd,sd,sd,sd,sd,sd,ss,sn,sn,sd,sn,sn,sd,sN,sN}", "manifold",
        rm2_manifold_spec(i->manifold), "points", (Py_ssize_t)i->points, "trained",
        (Py_ssize_t)i->trained, "outputs", (Py_ssize_t)i->outputs, "latent_dim",
        (Py_ssize_t)i->latent_dim, "variance", i->variance, "noise", i->noise, "objective",
        i->training.end.total, "log_likelihood", i->training.end.log_likelihood,
        "log_likelihood_lower", i->training.likelihood.lower, "log_likelihood_upper",
        i->training.likelihood.upper, "volume", i->volume, "stop", rm2_stop_text(i->training.stop),
        "iterations", (Py_ssize_t)i->training.iterations, "evaluations",
        (Py_ssize_t)i->training.evaluations, "seconds", i->training.seconds, "inducing",
        (Py_ssize_t)i->inducing, "calibrated", (Py_ssize_t)i->calibrated, "calibration_freedom",
        i->calibration_freedom, "calibration",
        glue_floats(i->calibration ? rm2_manifold_factor_count(i->manifold) : 0, i->calibration),
        "settings", glue_settings_dict(rm2_settings_table_of(RM2_SETTINGS_FIT), i->settings));
}

/* model_array(model, name, out) */
static PyObject *copy_array(PyObject *self, PyObject *args) {
    const rm2_model *model;
    const char *name;
    PyObject *out;
    glue_array y;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&sO", convert_model, &model, &name, &out) ||
        !glue_write(out, "output", false, &y))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    const struct {
        const char *name;
        const double *values;
        size_t count;
    } arrays[] = {
        {"latents", i->latents, i->points * i->latent_dim},
        {"lengthscale", i->lengthscale, i->latent_dim},
        {"task_covariance", i->task_covariance, i->outputs * i->outputs},
        {"base", i->base_point, rm2_manifold_ambient(i->manifold)},
        {"mean", i->mean, i->outputs},
        {"trace", i->training.trace, i->training.iterations + 1},
        {"task_noise", i->task_noise, i->outputs},
        {"gpdm", i->gpdm, 3},
        {"inducing_inputs", i->inducing_inputs, i->inducing * i->latent_dim},
    };
    bool good = false;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (strcmp(arrays[k].name, name) == 0 && arrays[k].values &&
            glue_sized(&y, name, arrays[k].count)) {
            memcpy(y.data, arrays[k].values, arrays[k].count * sizeof *y.data);
            good = true;
        }
    glue_release(&y);
    if (good)
        Py_RETURN_NONE;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "the model has no array '%s'", name);
    return NULL;
}

/* model_data(model): its training set. */
static PyObject *data_of(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    (void)self;
    if (!model)
        return NULL;
    return glue_wrap(&data_kind, rm2_data_retain(rm2_model_info_of(model)->data), NULL);
}

PyMethodDef model_functions[] = {
    {"fit", fit, METH_VARARGS, NULL},
    {"model_read", read_file, METH_VARARGS, NULL},
    {"model_write", write_file, METH_VARARGS, NULL},
    {"model_from_bytes", from_bytes, METH_VARARGS, NULL},
    {"model_to_bytes", to_bytes, METH_O, NULL},
    {"model_info", describe, METH_O, NULL},
    {"model_array", copy_array, METH_VARARGS, NULL},
    {"model_data", data_of, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
