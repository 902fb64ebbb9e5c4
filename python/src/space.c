/* Latent spaces: made of models, of functions of Python as metrics and costs. */
#include "space.h"

#include <string.h>

/* ---- functions of Python -------------------------------------------------------------------- */

static void release_function(function *f) {
    Py_CLEAR(f->callable);
    Py_CLEAR(f->type);
    Py_CLEAR(f->value);
    Py_CLEAR(f->trace);
}

/* One of the two results. */
static bool copy_result(PyObject *pair, Py_ssize_t k, size_t count, double *out) {
    glue_array a = {.data = NULL};
    PyObject *item = PySequence_GetItem(pair, k);
    bool good = item && glue_read(item, "result of the function", false, &a) &&
                glue_sized(&a, "result of the function", count);
    if (good && out)
        memcpy(out, a.data, count * sizeof *out);
    glue_release(&a);
    Py_XDECREF(item);
    return good;
}

static bool call(const function *f, const double *x, double *value, double *derivative) {
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(f->in * sizeof *x));
    PyObject *pair = bytes ? PyObject_CallFunctionObjArgs(f->callable, bytes, NULL) : NULL;
    bool good = pair && copy_result(pair, 0, f->out[0], value) &&
                copy_result(pair, 1, f->out[1], derivative);
    Py_XDECREF(pair);
    Py_XDECREF(bytes);
    return good;
}

/* An rm2_cost_fn and an rm2_metric_fn. */
static rm2_status on_call(const void *user, const double *x, double *value, double *derivative) {
    function *f = (function *)user; /* the exception is kept in it, under the lock */
    PyGILState_STATE state = PyGILState_Ensure();
    bool good = !f->type && call(f, x, value, derivative);
    if (!good && PyErr_Occurred())
        PyErr_Fetch(&f->type, &f->value, &f->trace);
    PyGILState_Release(state);
    return good ? RM2_OK : RM2_ERR_ARGUMENT;
}

/* ---- spaces --------------------------------------------------------------------------------- */

static void release(void *thing) {
    latent_space *l = thing;
    rm2_space_free(l->space);
    rm2_metric_free(l->metric);
    release_function(&l->function);
    PyMem_Free(l);
}

static const handle_kind space_kind = {"latent space", release};

int convert_space(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &space_kind)) != NULL;
}

static latent_space *new_space(PyObject *callable, size_t in, size_t value, size_t derivative) {
    latent_space *l = PyMem_Calloc(1, sizeof *l);
    if (!l) {
        PyErr_NoMemory();
        return NULL;
    }
    l->function.callable = callable != Py_None ? Py_NewRef(callable) : NULL;
    l->function.in = in;
    l->function.out[0] = value;
    l->function.out[1] = derivative;
    return l;
}

bool leave_space(rm2_context *ctx, rm2_status status, latent_space *l) {
    function *f = &l->function;
    if (f->type && status != RM2_OK && !PyErr_Occurred()) {
        PyErr_Restore(f->type, f->value, f->trace);
        f->type = f->value = f->trace = NULL;
    }
    return glue_left(ctx, status);
}

/* Discouraged places as numbers: centre, radius, height of each, in the first Euclidean factor. */
typedef struct discouraged_list {
    rm2_discouraged list;
    double *memory;
} discouraged_list;

static const rm2_factor *first_euclidean(const rm2_manifold *m) {
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        if (rm2_manifold_factor(m, k)->geometry == &rm2_euclidean)
            return rm2_manifold_factor(m, k);
    PyErr_SetString(PyExc_ValueError,
                    "the manifold has no Euclidean factor for obstacles or discouraged places");
    return NULL;
}

static bool convert_discouraged(const glue_array *rows, const rm2_manifold *m,
                                discouraged_list *o) {
    if (!rows->data || rows->count == 0)
        return true;
    const rm2_factor *f = first_euclidean(m);
    if (!f)
        return false;
    if (rows->count % (f->n + 2) != 0) {
        PyErr_Format(PyExc_ValueError, "discourage: expected centres of %zu numbers", f->n);
        return false;
    }
    size_t count = rows->count / (f->n + 2);
    o->memory = PyMem_Malloc(rows->count * sizeof *o->memory);
    if (!o->memory) {
        PyErr_NoMemory();
        return false;
    }
    double *centres = o->memory, *radius = centres + count * f->n, *height = radius + count;
    for (size_t k = 0; k < count; k++) {
        const double *row = rows->data + k * (f->n + 2);
        memcpy(centres + k * f->n, row, f->n * sizeof *centres);
        radius[k] = row[f->n];
        height[k] = row[f->n + 1];
    }
    o->list = (rm2_discouraged){count, f->ambient_offset, f->n, centres, radius, height};
    return true;
}

bool glue_regions(const char *text, const rm2_manifold *m, rm2_obstacles *o, rm2_region **regions) {
    if (!*text)
        return true;
    const rm2_factor *f = first_euclidean(m);
    rm2_context *ctx = f ? glue_enter() : NULL;
    if (!ctx)
        return false;
    rm2_status status = rm2_regions_parse(ctx, text, f->n, &o->count, regions);
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    o->regions = *regions;
    return none != NULL;
}

/* Create the space in `l`; false with an exception set. */
static bool create(latent_space *l, const rm2_model *model, const rm2_space_settings *s,
                   const glue_array *cover, PyObject *callback) {
    glue_watcher watcher = {callback, false, false};
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return false;
    rm2_status status;
    size_t Q = model ? rm2_model_info_of(model)->latent_dim : rm2_metric_dim(l->metric);
    glue_watch(ctx, &watcher);
    if (model)
        GLUE_RUN(status, rm2_space_create(ctx, model, s, cover->count / Q, cover->data, &l->space));
    else
        GLUE_RUN(status, rm2_space_from_metric(ctx, l->metric, s, cover->count / Q, cover->data,
                                               &l->space));
    return leave_space(ctx, status, l);
}

static PyObject *wrap(bool good, latent_space *l, PyObject *owner) {
    if (good)
        return glue_wrap(&space_kind, l, owner);
    if (l)
        release(l);
    return NULL;
}

/* space(model, settings, points to cover, discouraged places, texts of obstacles, cost, factor of the cost, callback): arrays
 * and functions may be None; factor -1 means all. */
static PyObject *make(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *object, *dict, *cover, *discourage, *cost, *callback;
    const char *texts;
    Py_ssize_t factor;
    glue_array x = {.data = NULL}, rows = {.data = NULL};
    discouraged_list discouraged = {.memory = NULL};
    rm2_obstacles obstacles = {.factor = RM2_ALL_FACTORS};
    rm2_region *regions = NULL;
    rm2_space_settings s = rm2_space_settings_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOsOnO", &object, &dict, &cover, &discourage, &texts, &cost,
                          &factor, &callback) ||
        !convert_model(object, &model) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_SPACE), &s))
        return NULL;
    const rm2_manifold *m = rm2_model_info_of(model)->manifold;
    size_t ambient = rm2_manifold_ambient(m);
    latent_space *l = new_space(cost, ambient, 1, ambient);
    if (l && l->function.callable)
        s.cost = (rm2_cost){on_call, &l->function, factor < 0 ? RM2_ALL_FACTORS : (size_t)factor};
    bool good = l && glue_read(cover, "cover", true, &x) &&
                glue_read(discourage, "discourage", true, &rows) &&
                convert_discouraged(&rows, m, &discouraged) &&
                glue_regions(texts, m, &obstacles, &regions);
    s.discouraged = discouraged.memory ? &discouraged.list : NULL;
    s.obstacles = *texts ? &obstacles : NULL;
    good = good && create(l, model, &s, &x, callback);
    PyMem_Free(discouraged.memory);
    rm2_free(regions);
    GLUE_RELEASE(&x, &rows);
    return wrap(good, l, object);
}

static bool make_metric(latent_space *l, const char *name, size_t Q) {
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return false;
    return leave_space(ctx,
                       l->function.callable ? rm2_metric_from_function(
                                                  ctx, Q, on_call, &l->function, name, &l->metric)
                                            : rm2_metric_analytic(ctx, name, Q, &l->metric),
                       l);
}

/* space_with(space, settings): other settings of geodesics, the same metrics and roadmap. */
static PyObject *make_with(PyObject *self, PyObject *args) {
    PyObject *object, *dict;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &object, &dict))
        return NULL;
    const latent_space *old = glue_unwrap(object, &space_kind);
    if (!old)
        return NULL;
    rm2_space_settings s = *rm2_space_settings_of(old->space);
    latent_space *l = glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_SPACE), &s)
                          ? new_space(Py_None, 0, 0, 0)
                          : NULL;
    rm2_context *ctx = l ? glue_enter() : NULL;
    bool good = ctx && leave_space(ctx, rm2_space_with_settings(ctx, old->space, &s, &l->space), l);
    return wrap(good, l, object);
}

/* space_from_metric(name, function or None, dim, settings, points or None) */
static PyObject *make_from_metric(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *callable, *dict, *points;
    Py_ssize_t dim;
    glue_array x = {.data = NULL};
    rm2_space_settings s = rm2_space_settings_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "sOnOO", &name, &callable, &dim, &dict, &points) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_SPACE), &s))
        return NULL;
    if (dim < 1 || dim > 1000)
        return PyErr_Format(PyExc_ValueError, "dim: expected 1 to 1000, got %zd", dim);
    size_t Q = (size_t)dim;
    latent_space *l = new_space(callable, Q, Q * Q, Q * Q * Q);
    bool good = l && make_metric(l, name, Q) && glue_read(points, "points", true, &x) &&
                create(l, NULL, &s, &x, Py_None);
    glue_release(&x);
    return wrap(good, l, NULL);
}

static PyObject *text_of(PyObject *self, PyObject *object) {
    const latent_space *l = glue_unwrap(object, &space_kind);
    (void)self;
    return l ? PyUnicode_FromString(rm2_space_text(l->space)) : NULL;
}

/* space_info(space): (dim, metric's text, weight, settings as a dict of texts). */
static PyObject *describe(PyObject *self, PyObject *object) {
    const latent_space *l = glue_unwrap(object, &space_kind);
    (void)self;
    if (!l)
        return NULL;
    const rm2_metric *metric = rm2_space_exact_metric(l->space);
    return Py_BuildValue("nsdN", (Py_ssize_t)rm2_space_dim(l->space), rm2_metric_text(metric),
                         rm2_metric_weight(metric),
                         glue_settings_dict(rm2_settings_table_of(RM2_SETTINGS_SPACE),
                                            rm2_space_settings_of(l->space)));
}

PyMethodDef space_functions[] = {
    {"space", make, METH_VARARGS, NULL},
    {"space_from_metric", make_from_metric, METH_VARARGS, NULL},
    {"space_with", make_with, METH_VARARGS, NULL},
    {"space_text", text_of, METH_O, NULL},
    {"space_info", describe, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
