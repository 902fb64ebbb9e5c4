/* Data sets: from arrays and from files. */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

static void release(void *thing) {
    rm2_data_free(thing);
}

const handle_kind data_kind = {"data set", release};

int take_data(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &data_kind)) != NULL;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* UTF-8 of a list of str, which must live as long; *texts is freed with PyMem_Free, NULL for None. */
static bool take_texts(PyObject *list, const char *name, size_t count, const char ***texts) {
    *texts = NULL;
    if (list == Py_None)
        return true;
    if (!PyList_Check(list) || (size_t)PyList_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "%s: expected a list of %zu texts", name, count);
        return false;
    }
    *texts = PyMem_Malloc((count + 1) * sizeof **texts);
    if (!*texts) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        (*texts)[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, (Py_ssize_t)k), NULL);
        if (!(*texts)[k])
            return false;
    }
    return true;
}

/* ---- making --------------------------------------------------------------------------------- */

static PyObject *wrap_both(rm2_data *data, rm2_data *held) {
    PyObject *first = glue_wrap(&data_kind, data, NULL);
    PyObject *second = held ? glue_wrap(&data_kind, held, NULL) : Py_NewRef(Py_None);
    if (first && second)
        return Py_BuildValue("NN", first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return NULL;
}

/* What a data set is made of, and where the texts and buffers of its arrays are kept meanwhile. */
typedef struct parts {
    rm2_data_arrays arrays;
    rm2_data_settings settings;
    glue_array points, time;
    const char **groups, **labels;
} parts;

static bool take_parts(PyObject *const *objects, PyObject *dict, parts *p) {
    if (!glue_read(objects[0], "points", false, &p->points) ||
        !glue_read(objects[1], "time", true, &p->time))
        return false;
    if (p->arrays.width == 0 || p->points.count % p->arrays.width != 0) {
        PyErr_SetString(PyExc_ValueError, "points are not whole rows");
        return false;
    }
    p->arrays.count = p->points.count / p->arrays.width;
    p->arrays.points = p->points.data;
    p->arrays.time = p->time.data;
    if (p->time.data && !glue_sized(&p->time, "time", p->arrays.count))
        return false;
    bool good = take_texts(objects[2], "groups", p->arrays.count, &p->groups) &&
                take_texts(objects[3], "labels", p->arrays.count, &p->labels) &&
                glue_settings(dict, rm2_data_settings_table(), &p->settings);
    p->arrays.group_texts = p->groups;
    p->arrays.label_texts = p->labels;
    return good;
}

static void release_parts(parts *p) {
    glue_release(&p->points);
    glue_release(&p->time);
    PyMem_Free((void *)p->groups);
    PyMem_Free((void *)p->labels);
}

/* data(manifold, source, width, points, time, groups, labels, settings): (data, held out or None). */
static PyObject *make(PyObject *self, PyObject *args) {
    PyObject *objects[4], *dict, *none = NULL;
    rm2_data *data = NULL, *held = NULL;
    Py_ssize_t width;
    parts p;
    (void)self;
    memset(&p, 0, sizeof p);
    p.settings = rm2_data_settings_default();
    if (!PyArg_ParseTuple(args, "O&snOOOOO", take_manifold, &p.arrays.manifold, &p.arrays.source,
                          &width, &objects[0], &objects[1], &objects[2], &objects[3], &dict))
        return NULL;
    p.arrays.width = width > 0 ? (size_t)width : 0;
    if (take_parts(objects, dict, &p)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_data_create(ctx, &p.arrays, &p.settings, &data,
                                             p.settings.holdout ? &held : NULL, NULL));
            none = glue_leave(ctx, status);
        }
    }
    release_parts(&p);
    Py_XDECREF(none);
    return none ? wrap_both(data, held) : NULL;
}

/* data_read(path, settings): (data, held out or None). */
static PyObject *read_file(PyObject *self, PyObject *args) {
    const char *path;
    PyObject *dict;
    rm2_data *data = NULL, *held = NULL;
    rm2_data_settings settings = rm2_data_settings_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "sO", &path, &dict) ||
        !glue_settings(dict, rm2_data_settings_table(), &settings))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_data_read(ctx, path, &settings, &data, settings.holdout ? &held : NULL,
                                   NULL));
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    return none ? wrap_both(data, held) : NULL;
}

/* data_generate(name, seed, trajectories, points) */
static PyObject *generate(PyObject *self, PyObject *args) {
    const char *name;
    unsigned long long seed;
    Py_ssize_t trajectories, points;
    rm2_data *data = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "sKnn", &name, &seed, &trajectories, &points))
        return NULL;
    rm2_generate_settings s = rm2_generate_settings_default();
    s.seed = seed;
    s.trajectories = (size_t)trajectories;
    s.points = (size_t)points;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_data_generate(ctx, name, &s, &data));
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    return none ? glue_wrap(&data_kind, data, NULL) : NULL;
}

/* ---- reading out ---------------------------------------------------------------------------- */

static PyObject *list_texts(size_t count, const char *const *texts) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *text = PyUnicode_DecodeUTF8(texts[k], (Py_ssize_t)strlen(texts[k]), "replace");
        if (!text || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *list_sizes(size_t count, const size_t *values) {
    PyObject *list = values ? PyList_New(0) : Py_NewRef(Py_None);
    for (size_t k = 0; values && list && k < count; k++) {
        PyObject *value = PyLong_FromSize_t(values[k]);
        if (!value || PyList_Append(list, value) != 0)
            Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

/* data_info(d): spec, source, count, starts or None, ids, labels or None, label names, has time. */
static PyObject *describe(PyObject *self, PyObject *object) {
    const rm2_data *d = glue_unwrap(object, &data_kind);
    (void)self;
    if (!d)
        return NULL;
    return Py_BuildValue("ssnNNNNO", rm2_manifold_spec(d->manifold), d->source,
                         (Py_ssize_t)d->count,
                         list_sizes(d->trajectories + 1, d->trajectories ? d->starts : NULL),
                         list_texts(d->trajectories, d->ids), list_sizes(d->count, d->labels),
                         list_texts(d->labels ? d->label_count : 0, d->label_names),
                         d->time ? Py_True : Py_False);
}

/* data_copy(d, points, time or None) */
static PyObject *copy_out(PyObject *self, PyObject *args) {
    const rm2_data *d;
    PyObject *points, *time;
    glue_array y = {.data = NULL}, t = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", take_data, &d, &points, &time))
        return NULL;
    bool good = glue_write(points, "points", false, &y) && glue_write(time, "time", true, &t) &&
                glue_sized(&y, "points", d->count * rm2_manifold_ambient(d->manifold)) &&
                (!t.data || (d->time && glue_sized(&t, "time", d->count)));
    if (good) {
        rm2_data_original(d, y.data);
        if (t.data)
            memcpy(t.data, d->time, d->count * sizeof *t.data);
    }
    glue_release(&y);
    glue_release(&t);
    if (good)
        Py_RETURN_NONE;
    return NULL;
}

/* data_write(d, path, overwrite) */
static PyObject *write_file(PyObject *self, PyObject *args) {
    const rm2_data *d;
    const char *path;
    int overwrite;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&sp", take_data, &d, &path, &overwrite))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_data_write(ctx, d, path, overwrite != 0));
    return glue_leave(ctx, status);
}

static PyMethodDef functions[] = {
    {"data", make, METH_VARARGS, NULL},
    {"data_read", read_file, METH_VARARGS, NULL},
    {"data_generate", generate, METH_VARARGS, NULL},
    {"data_info", describe, METH_O, NULL},
    {"data_copy", copy_out, METH_VARARGS, NULL},
    {"data_write", write_file, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool data_add(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}
