/* Latent spaces: geodesics, distances, means, metrics; functions of Python as metrics and costs. */
#include "glue.h"

#include <string.h>

/* ---- functions of Python ---------------------------------------------------------------------
 *
 * The library calls metrics and costs on its own threads while the interpreter's lock is released.
 * The first exception of a function is kept until the call of the library has ended. */

typedef struct function {
    PyObject *callable;             /* NULL: none */
    size_t in;                      /* numbers of the point */
    size_t out[2];                  /* numbers of value and derivative */
    PyObject *type, *value, *trace; /* of the exception */
} function;

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

/* A space and what must live as long; the model is the handle's owner. */
typedef struct latent_space {
    rm2_space *space;
    rm2_metric *metric; /* of a space without a model */
    function function;  /* cost or metric */
} latent_space;

static void release(void *thing) {
    latent_space *l = thing;
    rm2_space_free(l->space);
    rm2_metric_free(l->metric);
    release_function(&l->function);
    PyMem_Free(l);
}

static const handle_kind space_kind = {"latent space", release};

static int take_space(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &space_kind)) != NULL;
}

const rm2_space *glue_space(PyObject *object) {
    const latent_space *l = glue_unwrap(object, &space_kind);
    return l ? l->space : NULL;
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

/* glue_leave with the exception of the function, if that is why the call failed. */
static bool leave(rm2_context *ctx, rm2_status status, latent_space *l) {
    function *f = &l->function;
    if (f->type && status != RM2_OK && !PyErr_Occurred()) {
        PyErr_Restore(f->type, f->value, f->trace);
        f->type = f->value = f->trace = NULL;
    }
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    return none != NULL;
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

static bool take_discouraged(const glue_array *rows, const rm2_manifold *m, discouraged_list *o) {
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

bool glue_regions(const char *text, const rm2_manifold *m, rm2_obstacles *o,
                  rm2_region **regions) {
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
    return leave(ctx, status, l);
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
        !take_model(object, &model) || !glue_settings(dict, rm2_space_settings_table(), &s))
        return NULL;
    const rm2_manifold *m = rm2_model_info_of(model)->manifold;
    size_t ambient = rm2_manifold_ambient(m);
    latent_space *l = new_space(cost, ambient, 1, ambient);
    if (l && l->function.callable)
        s.cost = (rm2_cost){on_call, &l->function, factor < 0 ? RM2_ALL_FACTORS : (size_t)factor};
    bool good = l && glue_read(cover, "cover", true, &x) &&
                glue_read(discourage, "discourage", true, &rows) &&
                take_discouraged(&rows, m, &discouraged) &&
                glue_regions(texts, m, &obstacles, &regions);
    s.discouraged = discouraged.memory ? &discouraged.list : NULL;
    s.obstacles = *texts ? &obstacles : NULL;
    good = good && create(l, model, &s, &x, callback);
    PyMem_Free(discouraged.memory);
    rm2_free(regions);
    glue_release(&x);
    glue_release(&rows);
    return wrap(good, l, object);
}

static bool make_metric(latent_space *l, const char *name, size_t Q) {
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return false;
    return leave(ctx,
                 l->function.callable
                     ? rm2_metric_from_function(ctx, Q, on_call, &l->function, name, &l->metric)
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
    latent_space *l =
        glue_settings(dict, rm2_space_settings_table(), &s) ? new_space(Py_None, 0, 0, 0) : NULL;
    rm2_context *ctx = l ? glue_enter() : NULL;
    bool good = ctx != NULL;
    if (ctx) {
        rm2_geodesic_settings g = *rm2_space_geodesic_settings(old->space);
        g.last = s.stage;
        g.nodes = s.nodes;
        g.intervals = s.intervals;
        g.max_iterations = s.max_iterations;
        g.tolerance = s.tolerance;
        good = leave(ctx, rm2_space_with_geodesic_settings(ctx, old->space, &g, &l->space), l);
    }
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
        !glue_settings(dict, rm2_space_settings_table(), &s))
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
    return Py_BuildValue(
        "nsdN", (Py_ssize_t)rm2_space_dim(l->space), rm2_metric_text(metric),
        rm2_metric_weight(metric),
        glue_settings_dict(rm2_space_settings_table(), rm2_space_settings_of(l->space)));
}

/* ---- curves --------------------------------------------------------------------------------- */

static PyObject *doubles(size_t count, const double *values) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* (nodes, x, velocity, length, energy, error, residual, converged, stage, iterations, evaluations,
 * path length, spline length, clearance, blocked); arrays as bytes. */
static PyObject *curve_tuple(const rm2_curve *c) {
    return Py_BuildValue("nNNddddOsnndddO", (Py_ssize_t)c->nodes, doubles(c->nodes * c->Q, c->x),
                         doubles(c->nodes * c->Q, c->velocity), c->length, c->energy, c->error,
                         c->residual, c->converged ? Py_True : Py_False, rm2_stage_text(c->stage),
                         (Py_ssize_t)c->iterations, (Py_ssize_t)c->evaluations, c->path_length,
                         c->spline_length, c->clearance, c->blocked ? Py_True : Py_False);
}

/* geodesic(space, points, callback): through all of them. */
static PyObject *geodesic(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array x;
    rm2_curve *curve = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", take_space, &l, &in, &watcher.callback) ||
        !glue_read(in, "points", false, &x))
        return NULL;
    rm2_context *ctx = glue_rows(&x, "points", rm2_space_dim(l->space)) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, rm2_space_through(ctx, l->space, x.rows, x.data, &curve));
        if (leave(ctx, status, l))
            result = curve_tuple(curve);
    }
    rm2_curve_free(curve);
    glue_release(&x);
    return result;
}

static PyObject *list_curves(size_t count, rm2_curve *const *curves) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *row = curve_tuple(curves[k]);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* geodesics(space, from, to, callback): a list of tuples. */
static PyObject *geodesics(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *first, *second, *list = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array from = {.data = NULL}, to = {.data = NULL};
    rm2_curve **curves = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &l, &first, &second, &watcher.callback))
        return NULL;
    if (glue_read(first, "starts", false, &from) && glue_read(second, "ends", false, &to) &&
        glue_rows(&from, "starts", rm2_space_dim(l->space)) &&
        glue_sized(&to, "ends", from.count)) {
        curves = PyMem_Calloc(from.rows + 1, sizeof(void *));
        rm2_context *ctx = curves ? glue_enter() : NULL;
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status,
                     rm2_space_many(ctx, l->space, from.rows, from.data, to.data, curves, NULL));
            if (leave(ctx, status, l))
                list = list_curves(from.rows, curves);
        }
        for (size_t k = 0; curves && k < from.rows; k++)
            rm2_curve_free(curves[k]);
    }
    PyMem_Free((void *)curves);
    glue_release(&from);
    glue_release(&to);
    return list;
}

/* ---- many points ---------------------------------------------------------------------------- */

/* distances(space, points, callback, out): how many did not converge. */
static PyObject *distances(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *out, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array x = {.data = NULL}, y = {.data = NULL};
    size_t unconverged = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &l, &in, &watcher.callback, &out))
        return NULL;
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y) &&
        glue_rows(&x, "points", rm2_space_dim(l->space)) &&
        glue_sized(&y, "output", x.rows * x.rows)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status,
                     rm2_space_distances(ctx, l->space, x.rows, x.data, y.data, &unconverged));
            if (leave(ctx, status, l))
                result = PyLong_FromSize_t(unconverged);
        }
    }
    glue_release(&x);
    glue_release(&y);
    return result;
}

/* space_mean(space, points, weights or None, callback, out): (converged, iterations, gradient, variance). */
static PyObject *mean(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *weigh, *out, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array x = {.data = NULL}, w = {.data = NULL}, y = {.data = NULL};
    rm2_mean_info info = {.converged = false};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", take_space, &l, &in, &weigh, &watcher.callback, &out))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in, "points", false, &x) && glue_read(weigh, "weights", true, &w) &&
        glue_write(out, "output", false, &y) && glue_rows(&x, "points", Q) &&
        glue_sized(&y, "output", Q) && (!w.data || glue_sized(&w, "weights", x.rows))) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status,
                     rm2_space_mean(ctx, l->space, x.rows, x.data, w.data, NULL, y.data, &info));
            if (leave(ctx, status, l))
                result = Py_BuildValue("Oidd", info.converged ? Py_True : Py_False, info.iterations,
                                       info.gradient, info.variance);
        }
    }
    glue_release(&x);
    glue_release(&w);
    glue_release(&y);
    return result;
}

/* medoids(distances, k): (medoids, clusters, cost). */
static PyObject *medoids(PyObject *self, PyObject *args) {
    PyObject *in, *result = NULL;
    Py_ssize_t n, k;
    glue_array d = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "Onn", &in, &n, &k) || !glue_read(in, "distances", false, &d))
        return NULL;
    size_t points = n > 0 ? (size_t)n : 0, wanted = k > 0 ? (size_t)k : 0;
    size_t *found = PyMem_Calloc(points + wanted + 1, sizeof *found);
    rm2_context *ctx = found && glue_sized(&d, "distances", points * points) ? glue_enter() : NULL;
    if (ctx) {
        double cost = 0;
        rm2_status status;
        GLUE_RUN(status,
                 rm2_distance_medoids(ctx, points, d.data, wanted, found, found + wanted, &cost));
        PyObject *none = glue_leave(ctx, status);
        if (none)
            result = Py_BuildValue("NNd", glue_sizes(wanted, found),
                                   glue_sizes(points, found + wanted), cost);
        Py_XDECREF(none);
    }
    PyMem_Free(found);
    glue_release(&d);
    return result;
}

/* ---- exponential and logarithm -------------------------------------------------------------- */

/* space_exp(space, x, v, end, velocity, path or None) */
static PyObject *exponential(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in[2], *out[3], *result = NULL;
    glue_array x = {.data = NULL}, v = {.data = NULL}, end = {.data = NULL};
    glue_array velocity = {.data = NULL}, path = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOOO", take_space, &l, &in[0], &in[1], &out[0], &out[1],
                          &out[2]))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in[0], "z", false, &x) && glue_read(in[1], "v", false, &v) &&
        glue_write(out[0], "output", false, &end) &&
        glue_write(out[1], "output", false, &velocity) &&
        glue_write(out[2], "output", true, &path) && glue_sized(&x, "z", Q) &&
        glue_sized(&v, "v", Q) && glue_sized(&end, "output", Q) &&
        glue_sized(&velocity, "output", Q) && glue_rows(&path, "output", Q)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_space_exp(ctx, l->space, x.data, v.data, end.data, velocity.data,
                                           path.rows, path.data));
            if (leave(ctx, status, l))
                result = Py_NewRef(Py_None);
        }
    }
    glue_release(&x);
    glue_release(&v);
    glue_release(&end);
    glue_release(&velocity);
    glue_release(&path);
    return result;
}

/* space_log(space, x, y, out): converged. */
static PyObject *logarithm(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *first, *second, *out, *result = NULL;
    glue_array x = {.data = NULL}, y = {.data = NULL}, v = {.data = NULL};
    bool converged = false;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &l, &first, &second, &out))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(first, "z", false, &x) && glue_read(second, "y", false, &y) &&
        glue_write(out, "output", false, &v) && glue_sized(&x, "z", Q) && glue_sized(&y, "y", Q) &&
        glue_sized(&v, "output", Q)) {
        glue_watcher watcher = {Py_None, false, false};
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status, rm2_space_log(ctx, l->space, x.data, y.data, v.data, &converged));
            if (leave(ctx, status, l))
                result = PyBool_FromLong(converged);
        }
    }
    glue_release(&x);
    glue_release(&y);
    glue_release(&v);
    return result;
}

/* ---- metric --------------------------------------------------------------------------------- */

/* Results at n points; any may be NULL. */
typedef struct metric_outputs {
    glue_array G, dG, magnification;
} metric_outputs;

static rm2_status run_metric(rm2_context *ctx, const rm2_metric *metric, const glue_array *x,
                             const metric_outputs *o) {
    rm2_status status = RM2_OK;
    if (o->G.data)
        status = rm2_metric_at(ctx, metric, x->rows, x->data, o->G.data, o->dG.data);
    if (status == RM2_OK && o->magnification.data)
        status = rm2_metric_magnification(ctx, metric, x->rows, x->data, o->magnification.data);
    return status;
}

static bool take_outputs(PyObject *const *objects, size_t n, size_t Q, metric_outputs *o) {
    return glue_write(objects[0], "output", true, &o->G) &&
           glue_write(objects[1], "output", true, &o->dG) &&
           glue_write(objects[2], "output", true, &o->magnification) &&
           (!o->G.data || glue_sized(&o->G, "output", n * Q * Q)) &&
           (!o->dG.data || glue_sized(&o->dG, "output", n * Q * Q * Q)) &&
           (!o->magnification.data || glue_sized(&o->magnification, "output", n));
}

/* space_metric(space, exact, x, G or None, dG or None, log magnification or None) */
static PyObject *metric(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *objects[3], *result = NULL;
    int exact;
    glue_array x = {.data = NULL};
    metric_outputs o;
    (void)self;
    memset(&o, 0, sizeof o);
    if (!PyArg_ParseTuple(args, "O&pOOOO", take_space, &l, &exact, &in, &objects[0], &objects[1],
                          &objects[2]))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in, "latents", false, &x) && glue_rows(&x, "latents", Q) &&
        take_outputs(objects, x.rows, Q, &o)) {
        const rm2_metric *g = exact ? rm2_space_exact_metric(l->space) : rm2_space_metric(l->space);
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, run_metric(ctx, g, &x, &o));
            if (leave(ctx, status, l))
                result = Py_NewRef(Py_None);
        }
    }
    glue_release(&x);
    glue_release(&o.G);
    glue_release(&o.dG);
    glue_release(&o.magnification);
    return result;
}

/* space_spread(space, x, directions or None, mean, deviation) */
static PyObject *spread(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *along, *out[2], *result = NULL;
    glue_array x = {.data = NULL}, a = {.data = NULL}, m = {.data = NULL}, d = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", take_space, &l, &in, &along, &out[0], &out[1]))
        return NULL;
    if (glue_read(in, "latents", false, &x) && glue_read(along, "directions", true, &a) &&
        glue_write(out[0], "output", false, &m) && glue_write(out[1], "output", false, &d) &&
        glue_rows(&x, "latents", rm2_space_dim(l->space)) &&
        (!a.data || glue_sized(&a, "directions", x.count)) && glue_sized(&m, "output", x.rows) &&
        glue_sized(&d, "output", x.rows)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_metric_spread(ctx, rm2_space_exact_metric(l->space), x.rows,
                                               x.data, a.data, m.data, d.data));
            if (leave(ctx, status, l))
                result = Py_NewRef(Py_None);
        }
    }
    glue_release(&x);
    glue_release(&a);
    glue_release(&m);
    glue_release(&d);
    return result;
}

/* ---- lengths -------------------------------------------------------------------------------- */

typedef enum length_kind { POLYGON, STRAIGHT, EXPECTED } length_kind;

static rm2_status measure(rm2_context *ctx, const rm2_space *space, length_kind kind,
                          size_t samples, const glue_array *x, double result[2]) {
    if (kind == POLYGON)
        return rm2_space_path_length(ctx, space, x->rows, x->data, &result[0], &result[1]);
    if (kind == STRAIGHT)
        return rm2_space_straight_length(ctx, space, x->rows, x->data, &result[0]);
    return rm2_space_expected_length(ctx, space, x->rows, x->data, samples, &result[0], &result[1]);
}

/* space_length(space, kind, path, samples, seed): (length, energy or standard error). */
static PyObject *length(PyObject *self, PyObject *args) {
    latent_space *l;
    int kind;
    PyObject *in, *result = NULL;
    Py_ssize_t samples;
    unsigned long long seed;
    glue_array x;
    double found[2] = {0, 0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&iOnK", take_space, &l, &kind, &in, &samples, &seed) ||
        !glue_read(in, "path", false, &x))
        return NULL;
    rm2_context *ctx = glue_rows(&x, "path", rm2_space_dim(l->space)) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        rm2_context_set_seed(ctx, seed);
        GLUE_RUN(status, measure(ctx, l->space, (length_kind)kind,
                                 samples > 0 ? (size_t)samples : 0, &x, found));
        if (leave(ctx, status, l))
            result = Py_BuildValue("dd", found[0], found[1]);
    }
    glue_release(&x);
    return result;
}

static PyMethodDef functions[] = {
    {"space", make, METH_VARARGS, NULL},
    {"space_from_metric", make_from_metric, METH_VARARGS, NULL},
    {"space_with", make_with, METH_VARARGS, NULL},
    {"space_text", text_of, METH_O, NULL},
    {"space_info", describe, METH_O, NULL},
    {"geodesic", geodesic, METH_VARARGS, NULL},
    {"geodesics", geodesics, METH_VARARGS, NULL},
    {"distances", distances, METH_VARARGS, NULL},
    {"space_mean", mean, METH_VARARGS, NULL},
    {"medoids", medoids, METH_VARARGS, NULL},
    {"space_exp", exponential, METH_VARARGS, NULL},
    {"space_log", logarithm, METH_VARARGS, NULL},
    {"space_metric", metric, METH_VARARGS, NULL},
    {"space_spread", spread, METH_VARARGS, NULL},
    {"space_length", length, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool space_add(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}
