/* Cross-validation. */
#include "glue.h"

static PyObject *doubles(size_t count, const double *values) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *value = PyFloat_FromDouble(values[k]);
        if (!value || PyList_Append(list, value) != 0)
            Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

/* (failed, message, training points, held-out points, unconverged, values, seconds) */
static PyObject *job_tuple(const rm2_cross_job *job) {
    return Py_BuildValue("OsnnnNd", job->status == RM2_OK ? Py_False : Py_True, job->message,
                         (Py_ssize_t)job->train, (Py_ssize_t)job->held,
                         (Py_ssize_t)job->unconverged, doubles(RM2_CROSS_MEASURES, job->value),
                         job->seconds);
}

/* (failed, unconverged, means, errors, behind, its error) */
static PyObject *row_tuple(const rm2_cross_row *row) {
    return Py_BuildValue("nnNNdd", (Py_ssize_t)row->failed, (Py_ssize_t)row->unconverged,
                         doubles(RM2_CROSS_MEASURES, row->mean),
                         doubles(RM2_CROSS_MEASURES, row->error), row->behind, row->behind_error);
}

static bool append(PyObject *list, PyObject *item) {
    bool good = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

/* -1: none */
static Py_ssize_t number(size_t candidate) {
    return candidate == RM2_CROSS_NONE ? -1 : (Py_ssize_t)candidate;
}

/* (fold of each point, jobs of all candidates one after the other, rows, best, recommended, resumed) */
static PyObject *result(const rm2_cross *c, size_t points) {
    PyObject *jobs = PyList_New(0), *rows = PyList_New(0);
    bool good = jobs && rows;
    for (size_t k = 0; good && k < c->candidates * c->folds; k++)
        good = append(jobs, job_tuple(&c->jobs[k]));
    for (size_t k = 0; good && k < c->candidates; k++)
        good = append(rows, row_tuple(&c->rows[k]));
    if (good)
        return Py_BuildValue("NNNnnn", glue_sizes(points, c->fold), jobs, rows, number(c->best),
                             number(c->recommended), (Py_ssize_t)c->resumed);
    Py_XDECREF(jobs);
    Py_XDECREF(rows);
    return NULL;
}

/* Settings of candidates, pointers to them, and the texts that they point to. */
typedef struct candidates {
    size_t count;
    rm2_fit_settings *settings;
    const rm2_fit_settings **pointers;
    rm2_setting_text **texts;
} candidates;

static void release_candidates(candidates *c) {
    for (size_t k = 0; c->texts && k < c->count; k++)
        PyMem_Free(c->texts[k]);
    PyMem_Free(c->texts);
    PyMem_Free(c->pointers);
    PyMem_Free(c->settings);
}

/* From a list of dicts; false with an exception. */
static bool convert_candidates(PyObject *list, candidates *c) {
    c->count = (size_t)PyList_Size(list);
    c->settings = PyMem_Calloc(c->count + 1, sizeof *c->settings);
    c->pointers = PyMem_Calloc(c->count + 1, sizeof(void *));
    c->texts = PyMem_Calloc(c->count + 1, sizeof(void *));
    if (!c->settings || !c->pointers || !c->texts)
        return PyErr_NoMemory() != NULL;
    for (size_t k = 0; k < c->count; k++) {
        c->pointers[k] = &c->settings[k];
        if (!glue_fit_settings(PyList_GetItem(list, (Py_ssize_t)k), &c->texts[k], &c->settings[k]))
            return false;
    }
    return true;
}

/* cross_validate(data, settings, list of settings of the candidates, callback, path or None, resume) */
static PyObject *cross_validate(PyObject *self, PyObject *args) {
    const rm2_data *data;
    PyObject *dict, *list, *none = NULL, *made = NULL;
    glue_watcher watcher = {NULL, false, false};
    rm2_checkpoint checkpoint = {NULL, 0, false};
    rm2_cross_settings s = rm2_cross_settings_default();
    candidates c = {.count = 0};
    rm2_cross *cross = NULL;
    int resume;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO!Ozp", convert_data, &data, &dict, &PyList_Type, &list,
                          &watcher.callback, &checkpoint.path, &resume) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_CROSS), &s))
        return NULL;
    checkpoint.resume = resume != 0;
    rm2_context *ctx = convert_candidates(list, &c) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status,
                 rm2_cross_validate(ctx, data, &s, c.count, c.pointers, &checkpoint, &cross));
        none = glue_leave(ctx, status);
    }
    if (none)
        made = result(cross, data->count);
    Py_XDECREF(none);
    rm2_cross_free(cross);
    release_candidates(&c);
    return made;
}

PyMethodDef cross_functions[] = {
    {"cross_validate", cross_validate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
