/* Latent spaces: geodesics, distances, means, metrics. */
#include "glue.h"

#include <string.h>

static void release(void *thing) {
    rm2_space_free(thing);
}

const handle_kind space_kind = {"latent space", release};

int take_space(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &space_kind)) != NULL;
}

/* ---- making --------------------------------------------------------------------------------- */

/* Obstacles as numbers: centre, radius, height of each, in the first Euclidean factor. */
typedef struct obstacle_list {
    rm2_obstacles list;
    double *memory;
} obstacle_list;

static bool take_obstacles(const glue_array *rows, const rm2_manifold *m, obstacle_list *o) {
    const rm2_factor *f = NULL;
    memset(o, 0, sizeof *o);
    if (!rows->data || rows->count == 0)
        return true;
    for (size_t k = 0; !f && k < rm2_manifold_factor_count(m); k++)
        if (rm2_manifold_factor(m, k)->geometry == &rm2_euclidean)
            f = rm2_manifold_factor(m, k);
    if (!f || rows->count % (f->n + 2) != 0) {
        PyErr_Format(PyExc_ValueError, "avoid: %s", f ? "a centre does not have the size of the position"
                                                     : "the manifold has no Euclidean factor");
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
    o->list = (rm2_obstacles){count, f->ambient_offset, f->n, centres, radius, height};
    return true;
}

/* space(model, settings, points to cover or None, obstacles or None) */
static PyObject *make(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *object, *dict, *cover, *avoid, *none = NULL;
    glue_array x = {.data = NULL}, rows = {.data = NULL};
    obstacle_list obstacles = {.memory = NULL};
    rm2_space_settings s = rm2_space_settings_default();
    rm2_space *space = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &object, &dict, &cover, &avoid) ||
        !take_model(object, &model) || !glue_settings(dict, rm2_space_settings_table(), &s))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    if (glue_read(cover, "points", true, &x) && glue_read(avoid, "avoid", true, &rows) &&
        take_obstacles(&rows, i->manifold, &obstacles)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            s.obstacles = obstacles.memory ? &obstacles.list : NULL;
            GLUE_RUN(status, rm2_space_create(ctx, model, &s, x.count / i->latent_dim, x.data,
                                              &space));
            none = glue_leave(ctx, status);
        }
    }
    PyMem_Free(obstacles.memory);
    glue_release(&x);
    glue_release(&rows);
    Py_XDECREF(none);
    return none ? glue_wrap(&space_kind, space, object) : NULL;
}

/* space_text(space) */
static PyObject *text_of(PyObject *self, PyObject *object) {
    const rm2_space *space = glue_unwrap(object, &space_kind);
    (void)self;
    return space ? PyUnicode_FromString(rm2_space_text(space)) : NULL;
}

/* ---- curves --------------------------------------------------------------------------------- */

static PyObject *doubles(size_t count, const double *values) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* (nodes, x, velocity, length, energy, error, residual, converged, stage, iterations, evaluations,
 * exact length, straight length); arrays as bytes. */
static PyObject *curve_tuple(const rm2_curve *c, double exact, double straight) {
    return Py_BuildValue("nNNddddOsnndd", (Py_ssize_t)c->nodes, doubles(c->nodes * c->Q, c->x),
                         doubles(c->nodes * c->Q, c->velocity), c->length, c->energy, c->error,
                         c->residual, c->converged ? Py_True : Py_False, rm2_stage_text(c->stage),
                         (Py_ssize_t)c->iterations, (Py_ssize_t)c->evaluations, exact, straight);
}

static rm2_status find_curve(rm2_context *ctx, const rm2_space *space, size_t n,
                             const double *points, rm2_curve **curve, double lengths[2]) {
    rm2_status status = rm2_space_through(ctx, space, n, points, curve);
    if (status == RM2_OK)
        status = rm2_space_path_length(ctx, space, (*curve)->nodes, (*curve)->x, &lengths[0], NULL);
    if (status == RM2_OK)
        status = rm2_space_straight_length(ctx, space, n, points, &lengths[1]);
    return status;
}

/* geodesic(space, points): through all of them. */
static PyObject *geodesic(PyObject *self, PyObject *args) {
    const rm2_space *space;
    PyObject *in, *none = NULL, *result = NULL;
    glue_array x;
    rm2_curve *curve = NULL;
    double lengths[2] = {0, 0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", take_space, &space, &in) ||
        !glue_read(in, "points", false, &x))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (ctx) {
        glue_watcher watcher = {Py_None, false};
        rm2_status status;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, find_curve(ctx, space, x.count / rm2_space_dim(space), x.data, &curve,
                                    lengths));
        none = glue_leave(ctx, status);
    }
    if (none)
        result = curve_tuple(curve, lengths[0], lengths[1]);
    Py_XDECREF(none);
    rm2_curve_free(curve);
    glue_release(&x);
    return result;
}

/* geodesics(space, from, to, callback): a list of tuples. */
static PyObject *geodesics(PyObject *self, PyObject *args) {
    const rm2_space *space;
    PyObject *first, *second, *none = NULL, *list = NULL;
    glue_watcher watcher = {NULL, false};
    glue_array from = {.data = NULL}, to = {.data = NULL};
    rm2_curve **curves = NULL;
    size_t count = 0, failed;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &space, &first, &second, &watcher.callback))
        return NULL;
    if (glue_read(first, "from", false, &from) && glue_read(second, "to", false, &to) &&
        glue_sized(&to, "to", from.count)) {
        count = from.count / rm2_space_dim(space);
        curves = PyMem_Calloc(count + 1, sizeof(rm2_curve *));
        rm2_context *ctx = curves ? glue_enter() : NULL;
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status,
                     rm2_space_many(ctx, space, count, from.data, to.data, curves, &failed));
            none = glue_leave(ctx, status);
        }
    }
    list = none ? PyList_New(0) : NULL;
    for (size_t k = 0; k < count; k++) {
        PyObject *row = list ? curve_tuple(curves[k], curves[k]->length, 0) : NULL;
        if (list && (!row || PyList_Append(list, row) != 0))
            Py_CLEAR(list);
        Py_XDECREF(row);
        rm2_curve_free(curves ? curves[k] : NULL);
    }
    PyMem_Free((void *)curves);
    Py_XDECREF(none);
    glue_release(&from);
    glue_release(&to);
    return list;
}

/* ---- many points ---------------------------------------------------------------------------- */

/* distances(space, points, callback, out): how many did not converge. */
static PyObject *distances(PyObject *self, PyObject *args) {
    const rm2_space *space;
    PyObject *in, *out, *none = NULL;
    glue_watcher watcher = {NULL, false};
    glue_array x = {.data = NULL}, y = {.data = NULL};
    size_t unconverged = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &space, &in, &watcher.callback, &out))
        return NULL;
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y)) {
        size_t n = x.count / rm2_space_dim(space);
        rm2_context *ctx = glue_sized(&y, "output", n * n) ? glue_enter() : NULL;
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status, rm2_space_distances(ctx, space, n, x.data, y.data, &unconverged));
            none = glue_leave(ctx, status);
        }
    }
    glue_release(&x);
    glue_release(&y);
    Py_XDECREF(none);
    return none ? PyLong_FromSize_t(unconverged) : NULL;
}

/* space_mean(space, points, weights or None, out): converged. */
static PyObject *mean(PyObject *self, PyObject *args) {
    const rm2_space *space;
    PyObject *in, *weigh, *out, *none = NULL;
    glue_array x = {.data = NULL}, w = {.data = NULL}, y = {.data = NULL};
    rm2_mean_info info = {.converged = false};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &space, &in, &weigh, &out))
        return NULL;
    size_t Q = rm2_space_dim(space);
    if (glue_read(in, "points", false, &x) && glue_read(weigh, "weights", true, &w) &&
        glue_write(out, "output", false, &y) && glue_sized(&y, "output", Q) &&
        (!w.data || glue_sized(&w, "weights", x.count / Q))) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            glue_watcher watcher = {Py_None, false};
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status, rm2_space_mean(ctx, space, x.count / Q, x.data, w.data, NULL, y.data,
                                            &info));
            none = glue_leave(ctx, status);
        }
    }
    glue_release(&x);
    glue_release(&w);
    glue_release(&y);
    Py_XDECREF(none);
    return none ? PyBool_FromLong(info.converged) : NULL;
}

/* ---- pairs of vectors ----------------------------------------------------------------------- */

/* space_exp(space, x, v, out), space_log(space, x, y, out): converged. */
static PyObject *exp_or_log(PyObject *args, bool exponential) {
    const rm2_space *space;
    PyObject *first, *second, *out, *none = NULL;
    glue_array x = {.data = NULL}, v = {.data = NULL}, y = {.data = NULL};
    bool converged = true;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &space, &first, &second, &out))
        return NULL;
    size_t Q = rm2_space_dim(space);
    if (glue_read(first, "x", false, &x) && glue_read(second, "second", false, &v) &&
        glue_write(out, "output", false, &y) && glue_sized(&x, "x", Q) &&
        glue_sized(&v, "second", Q) && glue_sized(&y, "output", Q)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status,
                     exponential
                         ? rm2_space_exp(ctx, space, x.data, v.data, y.data, NULL, 0, NULL)
                         : rm2_space_log(ctx, space, x.data, v.data, y.data, &converged));
            none = glue_leave(ctx, status);
        }
    }
    glue_release(&x);
    glue_release(&v);
    glue_release(&y);
    Py_XDECREF(none);
    return none ? PyBool_FromLong(converged) : NULL;
}

static PyObject *exponential(PyObject *self, PyObject *args) {
    (void)self;
    return exp_or_log(args, true);
}

static PyObject *logarithm(PyObject *self, PyObject *args) {
    (void)self;
    return exp_or_log(args, false);
}

/* ---- metric --------------------------------------------------------------------------------- */

/* space_metric(space, x, G or None, log magnification or None) */
static PyObject *metric(PyObject *self, PyObject *args) {
    const rm2_space *space;
    PyObject *in, *out, *volume, *result = NULL;
    glue_array x = {.data = NULL}, G = {.data = NULL}, m = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", take_space, &space, &in, &out, &volume))
        return NULL;
    size_t Q = rm2_space_dim(space);
    if (glue_read(in, "latents", false, &x) && glue_write(out, "output", true, &G) &&
        glue_write(volume, "output", true, &m)) {
        size_t n = x.count / Q;
        const rm2_metric *exact = rm2_space_exact_metric(space);
        rm2_context *ctx = glue_sized(&x, "latents", n * Q) &&
                                   (!G.data || glue_sized(&G, "output", n * Q * Q)) &&
                                   (!m.data || glue_sized(&m, "output", n))
                               ? glue_enter()
                               : NULL;
        if (ctx) {
            rm2_status status = RM2_OK;
            if (G.data)
                GLUE_RUN(status, rm2_metric_at(ctx, exact, n, x.data, G.data, NULL));
            if (status == RM2_OK && m.data)
                GLUE_RUN(status, rm2_metric_magnification(ctx, exact, n, x.data, m.data));
            result = glue_leave(ctx, status);
        }
    }
    glue_release(&x);
    glue_release(&G);
    glue_release(&m);
    return result;
}

static PyMethodDef functions[] = {
    {"space", make, METH_VARARGS, NULL},
    {"space_text", text_of, METH_O, NULL},
    {"geodesic", geodesic, METH_VARARGS, NULL},
    {"geodesics", geodesics, METH_VARARGS, NULL},
    {"distances", distances, METH_VARARGS, NULL},
    {"space_mean", mean, METH_VARARGS, NULL},
    {"space_exp", exponential, METH_VARARGS, NULL},
    {"space_log", logarithm, METH_VARARGS, NULL},
    {"space_metric", metric, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool space_add(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}
