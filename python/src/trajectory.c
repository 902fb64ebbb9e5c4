/* Trajectories: timing, distances under time warping. */
#include "glue.h"

/* retime(manifold, points, speed or None, acceleration or None, time) */
static PyObject *retime(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *in, *fast, *strong, *out, *result = NULL;
    glue_array x = {.data = NULL}, v = {.data = NULL}, a = {.data = NULL}, t = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", convert_manifold, &m, &in, &fast, &strong, &out))
        return NULL;
    size_t factors = rm2_manifold_factor_count(m);
    if (glue_read(in, "points", false, &x) && glue_read(fast, "speed", true, &v) &&
        glue_read(strong, "acceleration", true, &a) && glue_write(out, "time", false, &t) &&
        glue_rows(&x, "points", rm2_manifold_ambient(m)) &&
        (!v.data || glue_sized(&v, "speed", factors)) &&
        (!a.data || glue_sized(&a, "acceleration", factors)) && glue_sized(&t, "time", x.rows)) {
        rm2_speed_limits limits = {v.data, a.data};
        GLUE_CALL(result, NULL, rm2_trajectory_retime(ctx, m, x.rows, x.data, &limits, t.data));
    }
    GLUE_RELEASE(&x, &v, &a, &t);
    return result;
}

/* ---- time warping --------------------------------------------------------------------------- */

/* Sequences from a list of arrays with rows of the same width. */
typedef struct sequences {
    size_t count;
    glue_array *arrays;
    rm2_sequence *list;
} sequences;

static void release_sequences(sequences *s) {
    for (size_t k = 0; s->arrays && k < s->count; k++)
        glue_release(&s->arrays[k]);
    PyMem_Free(s->arrays);
    PyMem_Free(s->list);
}

static bool convert_sequences(PyObject *list, size_t width, sequences *s) {
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "sequences: expected a list of arrays");
        return false;
    }
    s->count = (size_t)PyList_Size(list);
    s->arrays = PyMem_Calloc(s->count + 1, sizeof *s->arrays);
    s->list = PyMem_Calloc(s->count + 1, sizeof *s->list);
    if (!s->arrays || !s->list) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < s->count; k++) {
        glue_array *a = &s->arrays[k];
        if (!glue_read(PyList_GetItem(list, (Py_ssize_t)k), "sequence", false, a) ||
            !glue_rows(a, "sequence", width))
            return false;
        s->list[k] = (rm2_sequence){a->rows, width, a->data};
    }
    return true;
}

static bool convert_dtw(PyObject *tuple, rm2_dtw_settings *s, size_t *width) {
    Py_ssize_t columns;
    PyObject *space, *dict;
    *s = rm2_dtw_settings_default();
    if (!PyArg_ParseTuple(tuple, "OOn", &space, &dict, &columns) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_DTW), s))
        return false;
    *width = columns > 0 ? (size_t)columns : 1;
    return space == Py_None || convert_manifold(space, (void *)&s->manifold);
}

/* dtw_from((manifold or None, settings, width), sequence, list, out) */
static PyObject *dtw_from(PyObject *self, PyObject *args) {
    PyObject *tuple, *first, *list, *out, *result = NULL;
    glue_array a = {.data = NULL}, y = {.data = NULL};
    sequences s = {0, NULL, NULL};
    rm2_dtw_settings settings;
    rm2_distance_summary summary = {.size = sizeof summary};
    size_t width;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &tuple, &first, &list, &out) ||
        !convert_dtw(tuple, &settings, &width))
        return NULL;
    if (glue_read(first, "sequence", false, &a) && glue_rows(&a, "sequence", width) &&
        convert_sequences(list, width, &s) && glue_write(out, "output", false, &y) &&
        glue_sized(&y, "output", s.count)) {
        rm2_sequence from = {a.rows, width, a.data};
        GLUE_CALL(result, NULL,
                  rm2_dtw_from(ctx, &settings, &from, s.count, s.list, y.data, &summary));
    }
    GLUE_RELEASE(&a, &y);
    release_sequences(&s);
    return result;
}

/* dtw_floor((manifold or None, settings, width), list, out): (mean, deviation) */
static PyObject *dtw_floor(PyObject *self, PyObject *args) {
    PyObject *tuple, *list, *out, *none = NULL;
    glue_array y = {.data = NULL};
    sequences s = {0, NULL, NULL};
    rm2_dtw_settings settings;
    rm2_distance_summary summary = {.size = sizeof summary};
    size_t width;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &tuple, &list, &out) ||
        !convert_dtw(tuple, &settings, &width))
        return NULL;
    if (convert_sequences(list, width, &s) && glue_write(out, "output", false, &y) &&
        glue_sized(&y, "output", s.count ? s.count * (s.count - 1) / 2 : 0))
        GLUE_CALL(none, NULL, rm2_dtw_floor(ctx, &settings, s.count, s.list, y.data, &summary));
    glue_release(&y);
    release_sequences(&s);
    Py_XDECREF(none);
    return none ? Py_BuildValue("dd", summary.mean, summary.deviation) : NULL;
}

PyMethodDef trajectory_functions[] = {
    {"retime", retime, METH_VARARGS, NULL},
    {"dtw_from", dtw_from, METH_VARARGS, NULL},
    {"dtw_floor", dtw_floor, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
