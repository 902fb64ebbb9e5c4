/* Curves in latent spaces and what is made of them: geodesics, distances, means, exponential and logarithm. */
#include "space.h"

#include <string.h>

/* ---- curves --------------------------------------------------------------------------------- */

static PyObject *doubles(size_t count, const double *values) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* (nodes, x, velocity, length, energy, error, residual, converged, stage, iterations, evaluations,
 * path length, spline length, clearance, blocked); arrays as bytes. */
PyObject *curve_tuple(const rm2_curve *c) {
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
    if (!PyArg_ParseTuple(args, "O&OO", convert_space, &l, &in, &watcher.callback) ||
        !glue_read(in, "points", false, &x))
        return NULL;
    if (glue_rows(&x, "points", rm2_space_dim(l->space)))
        SPACE_CALL(result, curve_tuple(curve), l, &watcher,
                   rm2_space_through(ctx, l->space, x.rows, x.data, &curve));
    rm2_curve_free(curve);
    glue_release(&x);
    return result;
}

static PyObject *list_curves(size_t count, rm2_curve *const *curves) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++)
        glue_append(&list, curve_tuple(curves[k]));
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
    if (!PyArg_ParseTuple(args, "O&OOO", convert_space, &l, &first, &second, &watcher.callback))
        return NULL;
    if (glue_read(first, "starts", false, &from) && glue_read(second, "ends", false, &to) &&
        glue_rows(&from, "starts", rm2_space_dim(l->space)) &&
        glue_sized(&to, "ends", from.count)) {
        curves = PyMem_Calloc(from.rows + 1, sizeof(void *));
        if (curves)
            SPACE_CALL(list, list_curves(from.rows, curves), l, &watcher,
                       rm2_space_many(ctx, l->space, from.rows, from.data, to.data, curves, NULL));
        for (size_t k = 0; curves && k < from.rows; k++)
            rm2_curve_free(curves[k]);
    }
    PyMem_Free((void *)curves);
    GLUE_RELEASE(&from, &to);
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
    if (!PyArg_ParseTuple(args, "O&OOO", convert_space, &l, &in, &watcher.callback, &out))
        return NULL;
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y) &&
        glue_rows(&x, "points", rm2_space_dim(l->space)) &&
        glue_sized(&y, "output", x.rows * x.rows))
        SPACE_CALL(result, PyLong_FromSize_t(unconverged), l, &watcher,
                   rm2_space_distances(ctx, l->space, x.rows, x.data, y.data, &unconverged));
    GLUE_RELEASE(&x, &y);
    return result;
}

/* space_mean(space, points, weights or None, callback, out): (converged, iterations, gradient, variance). */
static PyObject *mean(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *weigh, *out, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array x = {.data = NULL}, w = {.data = NULL}, y = {.data = NULL};
    rm2_mean_info info = {.size = sizeof info};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", convert_space, &l, &in, &weigh, &watcher.callback, &out))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in, "points", false, &x) && glue_read(weigh, "weights", true, &w) &&
        glue_write(out, "output", false, &y) && glue_rows(&x, "points", Q) &&
        glue_sized(&y, "output", Q) && (!w.data || glue_sized(&w, "weights", x.rows)))
        SPACE_CALL(result,
                   Py_BuildValue("Oidd", info.converged ? Py_True : Py_False, info.iterations,
                                 info.gradient, info.variance),
                   l, &watcher,
                   rm2_space_mean(ctx, l->space, x.rows, x.data, w.data, NULL, y.data, &info));
    GLUE_RELEASE(&x, &w, &y);
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
    double cost = 0;
    if (found && glue_sized(&d, "distances", points * points))
        GLUE_VALUE(result,
                   Py_BuildValue("NNd", glue_sizes(wanted, found),
                                 glue_sizes(points, found + wanted), cost),
                   NULL,
                   rm2_distance_medoids(ctx, points, d.data, wanted, found, found + wanted, &cost));
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
    if (!PyArg_ParseTuple(args, "O&OOOOO", convert_space, &l, &in[0], &in[1], &out[0], &out[1],
                          &out[2]))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in[0], "z", false, &x) && glue_read(in[1], "v", false, &v) &&
        glue_write(out[0], "output", false, &end) &&
        glue_write(out[1], "output", false, &velocity) &&
        glue_write(out[2], "output", true, &path) && glue_sized(&x, "z", Q) &&
        glue_sized(&v, "v", Q) && glue_sized(&end, "output", Q) &&
        glue_sized(&velocity, "output", Q) && glue_rows(&path, "output", Q))
        SPACE_CALL(result, Py_NewRef(Py_None), l, NULL,
                   rm2_space_exp(ctx, l->space, x.data, v.data, end.data, velocity.data, path.rows,
                                 path.data));
    GLUE_RELEASE(&x, &v, &end, &velocity, &path);
    return result;
}

/* space_log(space, x, y, out): converged. */
static PyObject *logarithm(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *first, *second, *out, *result = NULL;
    glue_array x = {.data = NULL}, y = {.data = NULL}, v = {.data = NULL};
    bool converged = false;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", convert_space, &l, &first, &second, &out))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(first, "z", false, &x) && glue_read(second, "y", false, &y) &&
        glue_write(out, "output", false, &v) && glue_sized(&x, "z", Q) && glue_sized(&y, "y", Q) &&
        glue_sized(&v, "output", Q)) {
        glue_watcher watcher = {Py_None, false, false};
        SPACE_CALL(result, PyBool_FromLong(converged), l, &watcher,
                   rm2_space_log(ctx, l->space, x.data, y.data, v.data, &converged));
    }
    GLUE_RELEASE(&x, &y, &v);
    return result;
}

PyMethodDef curves_functions[] = {
    {"geodesic", geodesic, METH_VARARGS, NULL},   {"geodesics", geodesics, METH_VARARGS, NULL},
    {"distances", distances, METH_VARARGS, NULL}, {"space_mean", mean, METH_VARARGS, NULL},
    {"medoids", medoids, METH_VARARGS, NULL},     {"space_exp", exponential, METH_VARARGS, NULL},
    {"space_log", logarithm, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};
