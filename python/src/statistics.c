/* Statistics of labelled points: distances, tests between groups, prediction of labels. */
#include "glue.h"

/* Labels and subjects come as float64 arrays of whole numbers from 0, as all arrays do. */
typedef struct numbers {
    size_t *values; /* NULL for None */
} numbers;

static bool convert_numbers(const glue_array *array, numbers *out) {
    out->values = array->data ? PyMem_Calloc(array->count + 1, sizeof *out->values) : NULL;
    if (!array->data)
        return true;
    if (!out->values)
        return PyErr_NoMemory() != NULL;
    for (size_t i = 0; i < array->count; i++) {
        if (!(array->data[i] >= 0 && array->data[i] < 9e15)) {
            PyErr_SetString(PyExc_ValueError, "labels and subjects: expected numbers from 0");
            return false;
        }
        out->values[i] = (size_t)array->data[i];
    }
    return true;
}

/* Labelled points from Python: arrays, and the view that the library takes. */
typedef struct labelled {
    glue_array points, label_array, subject_array;
    numbers labels, subjects;
    rm2_labelled view;
} labelled;

static bool labelled_convert(const rm2_manifold *m, PyObject *const objects[3], size_t label_count,
                             labelled *l) {
    *l = (labelled){.view = {.size = sizeof l->view, .manifold = m, .label_count = label_count}};
    if (!glue_read(objects[0], "points", false, &l->points) ||
        !glue_read(objects[1], "labels", false, &l->label_array) ||
        !glue_read(objects[2], "subjects", true, &l->subject_array) ||
        !glue_rows(&l->points, "points", rm2_manifold_ambient(m)) ||
        !glue_sized(&l->label_array, "labels", l->points.rows) ||
        (l->subject_array.data && !glue_sized(&l->subject_array, "subjects", l->points.rows)) ||
        !convert_numbers(&l->label_array, &l->labels) ||
        !convert_numbers(&l->subject_array, &l->subjects))
        return false;
    l->view.n = l->points.rows;
    l->view.points = l->points.data;
    l->view.labels = l->labels.values;
    l->view.subjects = l->subjects.values;
    return true;
}

static void labelled_release(labelled *l) {
    GLUE_RELEASE(&l->points, &l->label_array, &l->subject_array);
    PyMem_Free(l->labels.values);
    PyMem_Free(l->subjects.values);
}

/* manifold_distances(m, x, out, callback) */
static PyObject *distances(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *in, *out, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    glue_array x = {.data = NULL}, d = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", convert_manifold, &m, &in, &out, &watcher.callback))
        return NULL;
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &d) &&
        glue_rows(&x, "points", rm2_manifold_ambient(m)) &&
        glue_sized(&d, "output", x.rows * x.rows))
        GLUE_CALL(result, &watcher, rm2_manifold_distances(ctx, m, x.rows, x.data, d.data));
    GLUE_RELEASE(&x, &d);
    return result;
}

/* group_test(m, points, labels, subjects or None, label_count, first, second, settings, values, callback):
 * (statistic, p value, permutations, as large, exact, converged). */
static PyObject *group_test(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *objects[3], *dict, *out, *result = NULL;
    Py_ssize_t count, first, second;
    glue_watcher watcher = {NULL, false, false};
    glue_array values = {.data = NULL};
    rm2_test_settings s = rm2_test_settings_default();
    rm2_test_result r = {.size = sizeof r};
    labelled l;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOnnnOOO", convert_manifold, &m, &objects[0], &objects[1],
                          &objects[2], &count, &first, &second, &dict, &out, &watcher.callback) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_TEST), &s))
        return NULL;
    if (labelled_convert(m, objects, (size_t)count, &l) &&
        glue_write(out, "values", false, &values) && glue_sized(&values, "values", s.permutations))
        GLUE_VALUE(
            result,
            Py_BuildValue("ddnnOO", r.statistic, r.p_value, (Py_ssize_t)r.permutations,
                          (Py_ssize_t)r.as_large, r.exact ? Py_True : Py_False,
                          r.converged ? Py_True : Py_False),
            &watcher,
            rm2_group_test(ctx, &l.view, (size_t)first, (size_t)second, &s, values.data, &r));
    glue_release(&values);
    labelled_release(&l);
    return result;
}

/* Accuracies of one method: (accuracy, error, balanced, error, chance, balanced chance, list of labels' accuracies, list
 * of their errors). */
static PyObject *accuracy_tuple(const rm2_accuracy *a, PyObject *each, PyObject *errors) {
    return Py_BuildValue("ddddddNN", a->accuracy, a->error, a->balanced, a->balanced_error,
                         a->chance, a->chance_balanced, each, errors);
}

static PyObject *accuracies(rm2_context *ctx, const rm2_labelled *data, size_t count,
                            const double *right) {
    size_t K = data->label_count;
    double *each = PyMem_Calloc(2 * K + 1, sizeof *each);
    PyObject *list = each ? PyList_New(0) : PyErr_NoMemory();
    for (size_t k = 0; list && k < count; k++) {
        rm2_accuracy a = {.size = sizeof a};
        rm2_status status =
            rm2_labelled_accuracy(ctx, data, right + k * data->n, &a, each, each + K);
        glue_append(&list, status == RM2_OK
                               ? accuracy_tuple(&a, glue_floats(K, each), glue_floats(K, each + K))
                               : PyErr_NoMemory());
    }
    PyMem_Free(each);
    return list;
}

/* Names of methods to their numbers; false with an exception. */
static bool convert_methods(PyObject *names, rm2_classifier methods[RM2_CLASSIFIERS],
                            size_t *count) {
    Py_ssize_t size = PyList_Size(names);
    *count = 0;
    for (Py_ssize_t i = 0; i < size && *count < RM2_CLASSIFIERS; i++) {
        PyObject *name = PyList_GetItem(names, i);
        int k = PyUnicode_Check(name) ? 0 : RM2_CLASSIFIERS;
        while (k < RM2_CLASSIFIERS &&
               PyUnicode_CompareWithASCIIString(name, rm2_classifier_text((rm2_classifier)k)) != 0)
            k++;
        if (k == RM2_CLASSIFIERS) {
            (void)PyErr_Format(PyExc_ValueError, "methods: unknown method %R", name);
            return false;
        }
        methods[(*count)++] = (rm2_classifier)k;
    }
    return size >= 0;
}

/* classify(m, points, labels, subjects or None, label_count, methods, settings, right, callback): (list of accuracies,
 * unconverged). */
static PyObject *classify(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *objects[3], *names, *dict, *out, *list = NULL;
    Py_ssize_t labels;
    glue_watcher watcher = {NULL, false, false};
    glue_array right = {.data = NULL};
    rm2_classify_settings s = rm2_classify_settings_default();
    rm2_classifier methods[RM2_CLASSIFIERS];
    size_t count, unconverged = 0;
    labelled l;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOnO!OOO", convert_manifold, &m, &objects[0], &objects[1],
                          &objects[2], &labels, &PyList_Type, &names, &dict, &out,
                          &watcher.callback) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_CLASSIFY), &s) ||
        !convert_methods(names, methods, &count))
        return NULL;
    if (labelled_convert(m, objects, (size_t)labels, &l) &&
        glue_write(out, "right", false, &right) && glue_sized(&right, "right", count * l.view.n)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            glue_watch(ctx, &watcher);
            GLUE_RUN(status,
                     rm2_classify(ctx, &l.view, &s, count, methods, right.data, &unconverged));
            list = status == RM2_OK ? accuracies(ctx, &l.view, count, right.data) : NULL;
            Py_XDECREF(glue_leave(ctx, status));
        }
    }
    glue_release(&right);
    labelled_release(&l);
    return list ? Py_BuildValue("Nn", list, (Py_ssize_t)unconverged) : NULL;
}

PyMethodDef statistics_functions[] = {
    {"classify", classify, METH_VARARGS, NULL},
    {"manifold_distances", distances, METH_VARARGS, NULL},
    {"group_test", group_test, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
