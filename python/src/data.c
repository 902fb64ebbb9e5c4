/* Data sets: from arrays and from files. */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

static void release(void *thing) {
    rm2_data_free(thing);
}

const handle_kind data_kind = {"data set", release};

int convert_data(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &data_kind)) != NULL;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* UTF-8 of a list of str, which must live as long; *texts is freed with PyMem_Free, NULL for None. */
static bool convert_texts(PyObject *list, const char *name, size_t count, const char ***texts) {
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

/* What was found on the way: (duplicates, shortest, longest, time reversals, list of dicts, one per factor). */
static PyObject *report_tuple(const rm2_data_report *r) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < r->factors; k++) {
        const rm2_factor_report *f = &r->factor[k];
        glue_append(&list,
                    Py_BuildValue("{sd,sn,sn,sn,sn,sn,sO,sn,sd,sd,sn,sO,sd,sd}", "worst_defect",
                                  f->worst_defect, "worst_row", (Py_ssize_t)f->worst_row,
                                  "projected", (Py_ssize_t)f->projected, "warned",
                                  (Py_ssize_t)f->warned, "sign_flips", (Py_ssize_t)f->sign_flips,
                                  "sign_jumps", (Py_ssize_t)f->sign_jumps, "order_assumed",
                                  f->order_assumed ? Py_True : Py_False, "near_cut",
                                  (Py_ssize_t)f->near_cut, "spread", f->spread, "farthest",
                                  f->farthest, "rank", (Py_ssize_t)f->rank, "mean_found",
                                  f->mean_found ? Py_True : Py_False, "condition", f->condition,
                                  "magnitude", f->magnitude));
    }
    return list ? Py_BuildValue("{sn,sn,sn,sn,sN}", "duplicates", (Py_ssize_t)r->duplicates,
                                "shortest", (Py_ssize_t)r->shortest, "longest",
                                (Py_ssize_t)r->longest, "time_reversals",
                                (Py_ssize_t)r->time_reversals, "factors", list)
                : NULL;
}

/* What a data set is read into. */
typedef struct made {
    rm2_data *data, *held;
    rm2_data_report report;
    int with_report;
} made;

/* (data, held out or None, report or None); NULL where `none` is. */
static PyObject *wrap_made(PyObject *none, made *m) {
    Py_XDECREF(none);
    if (!none)
        return NULL;
    PyObject *first = glue_wrap(&data_kind, m->data, NULL);
    PyObject *second = m->held ? glue_wrap(&data_kind, m->held, NULL) : Py_NewRef(Py_None);
    PyObject *third = m->with_report ? report_tuple(&m->report) : Py_NewRef(Py_None);
    if (m->with_report)
        rm2_data_report_clear(&m->report);
    if (first && second && third)
        return Py_BuildValue("NNN", first, second, third);
    Py_XDECREF(first);
    Py_XDECREF(second);
    Py_XDECREF(third);
    return NULL;
}

/* What a data set is made of, and where the texts and buffers of its arrays are kept meanwhile. */
typedef struct parts {
    rm2_data_arrays arrays;
    rm2_data_settings settings;
    glue_array points, time;
    const char **groups, **labels;
    Py_buffer numbers; /* int64: trajectories by number */
} parts;

/* Trajectories: a list of texts, or an array of int64. */
static bool convert_groups(PyObject *object, parts *p) {
    if (object == Py_None || PyList_Check(object)) {
        bool good = convert_texts(object, "groups", p->arrays.count, &p->groups);
        p->arrays.group_texts = p->groups;
        return good;
    }
    if (PyObject_GetBuffer(object, &p->numbers, PyBUF_C_CONTIGUOUS) != 0)
        return false;
    if ((size_t)p->numbers.len != p->arrays.count * sizeof(int64_t)) {
        PyErr_Format(PyExc_ValueError, "groups: expected %zu numbers", p->arrays.count);
        return false;
    }
    p->arrays.group_numbers = p->numbers.buf;
    return true;
}

static bool convert_parts(PyObject *const *objects, PyObject *dict, parts *p) {
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
    bool good = convert_groups(objects[2], p) &&
                convert_texts(objects[3], "labels", p->arrays.count, &p->labels) &&
                glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_DATA), &p->settings);
    p->arrays.label_texts = p->labels;
    return good;
}

static void release_parts(parts *p) {
    GLUE_RELEASE(&p->points, &p->time);
    if (p->numbers.obj)
        PyBuffer_Release(&p->numbers);
    PyMem_Free((void *)p->groups);
    PyMem_Free((void *)p->labels);
}

/* data(manifold, source, width, points, time, groups, labels, settings, with report, shrunk): see wrap_made. */
static PyObject *make(PyObject *self, PyObject *args) {
    PyObject *objects[4], *dict, *none = NULL;
    Py_ssize_t width;
    made m = {.report = {.size = sizeof m.report}};
    parts p;
    (void)self;
    memset(&p, 0, sizeof p);
    p.arrays.size = sizeof p.arrays;
    p.settings = rm2_data_settings_default();
    if (!PyArg_ParseTuple(args, "O&snOOOOOpd", convert_manifold, &p.arrays.manifold,
                          &p.arrays.source, &width, &objects[0], &objects[1], &objects[2],
                          &objects[3], &dict, &m.with_report, &p.arrays.shrunk))
        return NULL;
    p.arrays.width = width > 0 ? (size_t)width : 0;
    if (convert_parts(objects, dict, &p))
        GLUE_CALL(none, NULL,
                  rm2_data_create(ctx, &p.arrays, &p.settings, &m.data,
                                  p.settings.holdout ? &m.held : NULL,
                                  m.with_report ? &m.report : NULL));
    release_parts(&p);
    return wrap_made(none, &m);
}

/* data_read(path, settings, with report): see wrap_made. */
static PyObject *read_file(PyObject *self, PyObject *args) {
    const char *path;
    PyObject *dict;
    made m = {.report = {.size = sizeof m.report}};
    rm2_data_settings settings = rm2_data_settings_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "sOp", &path, &dict, &m.with_report) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_DATA), &settings))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_data_read(ctx, path, &settings, &m.data, settings.holdout ? &m.held : NULL,
                                   m.with_report ? &m.report : NULL));
    return wrap_made(glue_leave(ctx, status), &m);
}

/* data_generate(name, seed, settings) */
static PyObject *generate(PyObject *self, PyObject *args) {
    const char *name;
    unsigned long long seed;
    PyObject *dict;
    rm2_data *data = NULL;
    (void)self;
    rm2_generate_settings s = rm2_generate_settings_default();
    if (!PyArg_ParseTuple(args, "sKO", &name, &seed, &dict) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_GENERATE), &s))
        return NULL;
    s.seed = seed;
    s.scale = true; /* as data from files and arrays are */
    PyObject *result = NULL;
    GLUE_VALUE(result, glue_wrap(&data_kind, data, NULL), NULL,
               rm2_data_generate(ctx, name, &s, &data));
    return result;
}

/* ---- reading out ---------------------------------------------------------------------------- */

static PyObject *list_texts(size_t count, const char *const *texts) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++)
        glue_append(&list, PyUnicode_DecodeUTF8(texts[k], (Py_ssize_t)strlen(texts[k]), "replace"));
    return list;
}

static bool is_scaled(const rm2_data *d) {
    for (size_t k = 0; k < rm2_manifold_factor_count(d->manifold); k++)
        if (d->scale[k] != 1)
            return true;
    return false;
}

/* data_info(d): spec, source, count, starts or None, ids, labels or None, label names, has time, missing entries, is
 * scaled, shrinkage. */
static PyObject *describe(PyObject *self, PyObject *object) {
    const rm2_data *d = glue_unwrap(object, &data_kind);
    (void)self;
    if (!d)
        return NULL;
    return Py_BuildValue(
        "ssnNNNNOnOd", rm2_manifold_spec(d->manifold), d->source, (Py_ssize_t)d->count,
        glue_sizes(d->trajectories + 1, d->trajectories ? d->starts : NULL),
        list_texts(d->trajectories, d->ids), glue_sizes(d->count, d->labels),
        list_texts(d->labels ? d->label_count : 0, d->label_names), d->time ? Py_True : Py_False,
        (Py_ssize_t)d->missing, is_scaled(d) ? Py_True : Py_False, d->shrinkage);
}

/* data_copy(d, points or None, time or None) */
static PyObject *copy_out(PyObject *self, PyObject *args) {
    const rm2_data *d;
    PyObject *points, *time;
    glue_array y = {.data = NULL}, t = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", convert_data, &d, &points, &time))
        return NULL;
    size_t numbers = d->count * rm2_manifold_ambient(d->manifold);
    bool good = glue_write(points, "points", true, &y) && glue_write(time, "time", true, &t) &&
                (!y.data || glue_sized(&y, "points", numbers)) &&
                (!t.data || (d->time && glue_sized(&t, "time", d->count)));
    if (good) {
        if (y.data)
            rm2_data_original(d, y.data);
        if (t.data)
            memcpy(t.data, d->time, d->count * sizeof *t.data);
    }
    GLUE_RELEASE(&y, &t);
    if (good)
        Py_RETURN_NONE;
    return NULL;
}

/* data_align(d, reference): a copy with the signs of the reference. */
static PyObject *align(PyObject *self, PyObject *args) {
    const rm2_data *d, *reference;
    rm2_data *aligned = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&", convert_data, &d, convert_data, &reference))
        return NULL;
    PyObject *result = NULL;
    GLUE_VALUE(result, glue_wrap(&data_kind, aligned, NULL), NULL,
               rm2_data_align(ctx, d, reference, &aligned));
    return result;
}

/* data_write(d, path, overwrite) */
static PyObject *write_file(PyObject *self, PyObject *args) {
    const rm2_data *d;
    const char *path;
    int overwrite;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&sp", convert_data, &d, &path, &overwrite))
        return NULL;
    PyObject *result = NULL;
    GLUE_CALL(result, NULL, rm2_data_write(ctx, d, path, overwrite != 0));
    return result;
}

PyMethodDef data_functions[] = {
    {"data", make, METH_VARARGS, NULL},
    {"data_read", read_file, METH_VARARGS, NULL},
    {"data_generate", generate, METH_VARARGS, NULL},
    {"data_info", describe, METH_O, NULL},
    {"data_copy", copy_out, METH_VARARGS, NULL},
    {"data_align", align, METH_VARARGS, NULL},
    {"data_write", write_file, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
