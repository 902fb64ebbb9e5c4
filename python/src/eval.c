/* Evaluation: held-out density, calibration, reconstruction. */
#include "space.h"

#include <string.h>

static PyObject *score_tuple(const rm2_score *s) {
    return Py_BuildValue("nnddddd", (Py_ssize_t)s->points, (Py_ssize_t)s->converged, s->log_density,
                         s->log_density_manifold, s->tangent, s->ambient, s->log_density_at_latent);
}

static rm2_status run_score(rm2_context *ctx, const rm2_model *model, const rm2_encode_settings *s,
                            const rm2_data *data, double *latents, rm2_score *each,
                            rm2_score *total) {
    rm2_data *aligned = NULL;
    rm2_status status = rm2_data_align(ctx, data, rm2_model_info_of(model)->data, &aligned);
    if (status == RM2_OK)
        status = rm2_model_score(ctx, model, s, aligned, latents, data->trajectories ? each : NULL,
                                 total);
    rm2_data_free(aligned);
    return status;
}

/* score(model, data, settings, latents, callback): (total, list of one per trajectory); each is (points,
 * converged, log density, log density on the manifold, tangent, ambient, log density at the latent point). */
static PyObject *score(PyObject *self, PyObject *args) {
    const rm2_model *model;
    const rm2_data *data;
    PyObject *dict, *out, *list = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array z = {.data = NULL};
    rm2_encode_settings s = rm2_encode_settings_default();
    rm2_score total = {.size = sizeof total}, *each = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&OOO", convert_model, &model, convert_data, &data, &dict, &out,
                          &watcher.callback) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_ENCODE), &s) ||
        !glue_write(out, "latents", false, &z))
        return NULL;
    size_t Q = rm2_model_info_of(model)->latent_dim;
    each = PyMem_Calloc(data->trajectories + 1, sizeof *each);
    rm2_context *ctx = each && glue_sized(&z, "latents", data->count * Q) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        each->size = sizeof *each;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, run_score(ctx, model, &s, data, z.data, each, &total));
        PyObject *none = glue_leave(ctx, status);
        list = none ? PyList_New(0) : NULL;
        Py_XDECREF(none);
    }
    for (size_t k = 0; list && k < data->trajectories; k++)
        glue_append(&list, score_tuple(&each[k]));
    PyMem_Free(each);
    glue_release(&z);
    return list ? Py_BuildValue("NN", score_tuple(&total), list) : NULL;
}

/* calibration(model, latents, points, squares, probabilities, encoded): (points, outputs, levels,
 * quantiles, coverage, mean square, uniformity, degrees, freedom). */
static PyObject *calibration(PyObject *self, PyObject *args) {
    const rm2_model *model;
    PyObject *in[2], *out[2], *result = NULL;
    glue_array z = {.data = NULL}, y = {.data = NULL}, s = {.data = NULL}, p = {.data = NULL};
    rm2_calibration c = {.size = sizeof c};
    int encoded = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOOp", convert_model, &model, &in[0], &in[1], &out[0], &out[1],
                          &encoded))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(model);
    if (glue_read(in[0], "latents", false, &z) && glue_read(in[1], "points", false, &y) &&
        glue_write(out[0], "output", false, &s) && glue_write(out[1], "output", false, &p) &&
        glue_rows(&z, "latents", i->latent_dim) &&
        glue_sized(&y, "points", z.rows * rm2_manifold_ambient(i->manifold)) &&
        glue_sized(&s, "output", z.rows) && glue_sized(&p, "output", z.rows)) {
        rm2_calibration_points points = {z.rows, z.data, y.data, s.data, p.data, encoded != 0};
        GLUE_VALUE(result,
                   Py_BuildValue("nnNNNddnd", (Py_ssize_t)c.points, (Py_ssize_t)c.outputs,
                                 glue_floats(RM2_LEVELS, c.level),
                                 glue_floats(RM2_LEVELS, c.quantile),
                                 glue_floats(RM2_LEVELS, c.coverage), c.mean_square, c.uniformity,
                                 (Py_ssize_t)c.degrees, c.freedom),
                   NULL, rm2_model_calibration(ctx, model, &points, &c));
    }
    GLUE_RELEASE(&z, &y, &s, &p);
    return result;
}

/* reconstruction(model): (ambient, outputs) */
static PyObject *reconstruction(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    double ambient = 0, outputs = 0;
    (void)self;
    PyObject *result = NULL;
    if (model)
        GLUE_VALUE(result, Py_BuildValue("dd", ambient, outputs), NULL,
                   rm2_model_reconstruction(ctx, model, &ambient, &outputs));
    return result;
}

/* view_width(model, view), view_rows(model, view, points, out) */
static PyObject *view_width(PyObject *self, PyObject *args) {
    const rm2_model *model;
    int view;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&i", convert_model, &model, &view))
        return NULL;
    return PyLong_FromSize_t(rm2_model_view_width(model, (rm2_model_view)view));
}

static PyObject *view_rows(PyObject *self, PyObject *args) {
    const rm2_model *model;
    int view;
    PyObject *in, *out, *result = NULL;
    glue_array x = {.data = NULL}, y = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&iOO", convert_model, &model, &view, &in, &out))
        return NULL;
    size_t width = rm2_model_view_width(model, (rm2_model_view)view);
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y) &&
        glue_rows(&x, "points", rm2_manifold_ambient(rm2_model_info_of(model)->manifold)) &&
        glue_sized(&y, "output", x.rows * width))
        GLUE_CALL(result, NULL,
                  rm2_model_view_rows(ctx, model, (rm2_model_view)view, x.rows, x.data, y.data));
    GLUE_RELEASE(&x, &y);
    return result;
}

static void release_vicinity(void *thing) {
    rm2_vicinity_free(thing);
}

static const handle_kind vicinity_kind = {"vicinity", release_vicinity};

int convert_vicinity(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &vicinity_kind)) != NULL;
}

/* vicinity(model): (handle, demonstrations, trajectories, spread, limit) */
static PyObject *vicinity(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    rm2_vicinity *found = NULL;
    (void)self;
    rm2_context *ctx = model ? glue_enter() : NULL;
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_vicinity_create(ctx, model, &found));
    PyObject *none = glue_leave(ctx, status);
    if (!none)
        return NULL;
    Py_DECREF(none);
    const rm2_vicinity_info *info = rm2_vicinity_info_of(found);
    PyObject *wrapped = glue_wrap(&vicinity_kind, found, object);
    return wrapped ? Py_BuildValue("NnNdd", wrapped, (Py_ssize_t)info->demonstrations,
                                   PyBool_FromLong(info->trajectories), info->spread,
                                   rm2_report_settings_default().spread_limit)
                   : NULL;
}

/* vicinity_of(handle, model, points, out, path): of points, or of one path */
static PyObject *vicinity_of(PyObject *self, PyObject *args) {
    const rm2_model *model;
    const rm2_vicinity *v;
    PyObject *handle, *in, *out, *result = NULL;
    glue_array x = {.data = NULL}, y = {.data = NULL};
    rm2_nearness all = {.size = sizeof all};
    int path;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&OOp", &handle, convert_model, &model, &in, &out, &path) ||
        !(v = glue_unwrap(handle, &vicinity_kind)))
        return NULL;
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y) &&
        glue_rows(&x, "points", rm2_manifold_ambient(rm2_model_info_of(model)->manifold)) &&
        glue_sized(&y, "output", x.rows))
        GLUE_CALL(result, NULL,
                  rm2_vicinity_distances(ctx, v, x.rows, x.data, y.data, path ? &all : NULL));
    GLUE_RELEASE(&x, &y);
    return result;
}

/* ---- reports on paths ----------------------------------------------------------------------- */

/* {name: sentence} */
static PyObject *reasons_of(const rm2_path_report *r) {
    PyObject *dict = PyDict_New();
    for (rm2_path_reason k = 0; dict && (k = rm2_path_next_reason(r->reasons, k));) {
        char text[RM2_REASON_SIZE];
        rm2_path_reason_text(r, k, text, sizeof text);
        PyObject *sentence = PyUnicode_FromString(text);
        if (!sentence || PyDict_SetItemString(dict, rm2_path_reason_name(k), sentence) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(sentence);
    }
    return dict;
}

/* None where there is none. */
static PyObject *node_of(size_t node) {
    return node == SIZE_MAX ? Py_NewRef(Py_None) : PyLong_FromSize_t(node);
}

/* ((turning of the positions, of the rest), (jerk, jerk)) */
static PyObject *smoothness_tuple(const rm2_smoothness *s) {
    return Py_BuildValue("((dd)(dd))", s->turning[0], s->turning[1], s->jerk[0], s->jerk[1]);
}

static PyObject *report_tuple(const rm2_path_report *r) {
    return Py_BuildValue("NNndddddNNddNdNddNNddNN", PyBool_FromLong(r->reliable), reasons_of(r),
                         (Py_ssize_t)r->nodes, r->length, r->energy, r->straight, r->error,
                         r->residual, PyBool_FromLong(r->converged), PyBool_FromLong(r->blocked),
                         r->clearance, r->clearance_wanted, node_of(r->clearance_node),
                         r->over_spread, node_of(r->farthest), r->spread, r->spread_limit,
                         smoothness_tuple(&r->smoothness), smoothness_tuple(&r->demonstrated),
                         r->omission, r->omission_limit, node_of(r->omitted_demonstration),
                         node_of(r->omitted_point));
}

/* path_report(space, vicinity or None, latents, (length, energy, error, residual, converged, clearance, blocked), stops,
 * nodes, straight, settings): the members of rm2_path_report in their order. */
static PyObject *path_report(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *near, *in, *via, *dict, *result = NULL;
    Py_ssize_t nodes;
    int converged, blocked, straight;
    glue_array x = {.data = NULL}, stops = {.data = NULL};
    rm2_curve c = {.nodes = 0};
    rm2_report_settings s = rm2_report_settings_default();
    rm2_path_report report = {.size = sizeof report};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO(ddddpdp)OnpO", convert_space, &l, &near, &in, &c.length,
                          &c.energy, &c.error, &c.residual, &converged, &c.clearance, &blocked,
                          &via, &nodes, &straight, &dict) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_REPORT), &s) ||
        (near != Py_None && !(s.vicinity = glue_unwrap(near, &vicinity_kind))))
        return NULL;
    c.Q = rm2_space_dim(l->space);
    if (glue_read(in, "latent", false, &x) && glue_read(via, "stops", false, &stops) &&
        glue_rows(&x, "latent", c.Q) && glue_rows(&stops, "stops", c.Q)) {
        c.nodes = x.rows;
        c.x = x.data;
        c.converged = converged;
        c.blocked = blocked;
        s.stops = stops.rows;
        s.points = stops.data;
        s.straight = straight;
        s.nodes = nodes > 0 ? (size_t)nodes : 0;
        SPACE_CALL(result, report_tuple(&report), l, NULL,
                   rm2_path_measure(ctx, l->space, &c, &s, NULL, &report));
    }
    GLUE_RELEASE(&x, &stops);
    return result;
}

/* path_nodes(nodes): of a curve to measure a path with that many */
static PyObject *path_nodes(PyObject *self, PyObject *number) {
    size_t nodes = PyLong_AsSize_t(number);
    (void)self;
    return PyErr_Occurred() ? NULL : PyLong_FromSize_t(rm2_path_measured_nodes(nodes));
}

PyMethodDef eval_functions[] = {
    {"vicinity", vicinity, METH_O, NULL},
    {"vicinity_of", vicinity_of, METH_VARARGS, NULL},
    {"path_report", path_report, METH_VARARGS, NULL},
    {"path_nodes", path_nodes, METH_O, NULL},
    {"score", score, METH_VARARGS, NULL},
    {"calibration", calibration, METH_VARARGS, NULL},
    {"reconstruction", reconstruction, METH_O, NULL},
    {"view_width", view_width, METH_VARARGS, NULL},
    {"view_rows", view_rows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
