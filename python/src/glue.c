/* Contexts, exceptions and buffers. */
#include "glue.h"

#include <string.h>

/* Everything here is guarded by the interpreter's lock. */
enum { POOL = 64, GEOMETRIES = 64 };
static rm2_context *pool[POOL]; /* contexts that no call uses */
static size_t pooled;
static int threads; /* 0: as many as there are processors */
static PyObject *cut_locus_error, *numerical_error;
static PyObject *logger;                           /* a callable (level, line), or NULL */
static const rm2_geometry *geometries[GEOMETRIES]; /* of the caller, known to every context */
static size_t geometry_count;

/* ---- log ------------------------------------------------------------------------------------ */

/* The library may log while the lock is released, on any thread. */
static void log_line(void *user, rm2_log_level level, const char *line) {
    (void)user;
    PyGILState_STATE state = PyGILState_Ensure();
    if (logger) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *result = PyObject_CallFunction(logger, "is", (int)level, line);
        if (!result)
            PyErr_WriteUnraisable(logger);
        Py_XDECREF(result);
        PyErr_Restore(type, value, trace);
    }
    PyGILState_Release(state);
}

static PyObject *set_logger(PyObject *self, PyObject *callable) {
    (void)self;
    Py_INCREF(callable);
    Py_XDECREF(logger);
    logger = callable;
    Py_RETURN_NONE;
}

/* ---- progress ------------------------------------------------------------------------------- */

static bool call_back(const glue_watcher *w, const rm2_progress *p) {
    const rm2_fit_progress *row = p->row;
    PyObject *objective = row ? PyFloat_FromDouble(row->terms.total) : Py_NewRef(Py_None);
    PyObject *answer =
        objective ? PyObject_CallFunction(w->callback, "snndN", p->activity, (Py_ssize_t)p->done,
                                          (Py_ssize_t)p->total, p->seconds, objective)
                  : NULL;
    bool go_on = answer && answer != Py_False; /* an exception stops, too, and stays set */
    Py_XDECREF(answer);
    return go_on;
}

/* On the thread of the call, with the lock released. The library may report once more after it was told to stop. */
static bool on_progress(void *user, const rm2_progress *p) {
    glue_watcher *w = user;
    if (w->stopped)
        return false;
    PyGILState_STATE state = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (!go_on && w->keep_on_interrupt && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
        PyErr_Clear();
    if (go_on && w->callback != Py_None)
        go_on = call_back(w, p);
    w->stopped = !go_on;
    PyGILState_Release(state);
    return go_on;
}

void glue_watch(rm2_context *ctx, glue_watcher *watcher) {
    if (watcher)
        rm2_context_set_progress(ctx, on_progress, watcher);
}

/* ---- contexts ------------------------------------------------------------------------------- */

rm2_context *glue_enter(void) {
    rm2_context *ctx = pooled ? pool[--pooled] : NULL;
    if (!ctx && (rm2_context_create(&ctx) != RM2_OK || !glue_add_formats(ctx))) {
        rm2_context_free(ctx);
        PyErr_NoMemory();
        return NULL;
    }
    rm2_context_set_threads(ctx, threads);
    rm2_context_set_log(ctx, log_line, NULL);
    for (size_t k = 0; k < geometry_count; k++)
        if (rm2_manifold_register(ctx, geometries[k]) != RM2_OK) {
            PyErr_SetString(PyExc_ValueError, rm2_context_error(ctx));
            rm2_context_free(ctx);
            return NULL;
        }
    return ctx;
}

static PyObject *exception_of(rm2_status status) {
    switch (status) {
    case RM2_ERR_MEMORY:
        return PyExc_MemoryError;
    case RM2_ERR_IO:
        return PyExc_OSError;
    case RM2_ERR_CUT_LOCUS:
        return cut_locus_error;
    case RM2_ERR_NUMERIC:
        return numerical_error;
    case RM2_INTERRUPTED:
        return PyExc_KeyboardInterrupt;
    default:
        return PyExc_ValueError;
    }
}

PyObject *glue_leave(rm2_context *ctx, rm2_status status) {
    if (status != RM2_OK && !PyErr_Occurred())
        PyErr_SetString(exception_of(status), rm2_context_error(ctx));
    rm2_context_clear_interrupt(ctx);
    rm2_context_set_progress(ctx, NULL, NULL);
    if (pooled < POOL)
        pool[pooled++] = ctx;
    else
        rm2_context_free(ctx);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

bool glue_left(rm2_context *ctx, rm2_status status) {
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    return none != NULL;
}

static PyObject *set_threads(PyObject *self, PyObject *number) {
    (void)self;
    long value = PyLong_AsLong(number);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    if (value < 0 || value > 4096) {
        PyErr_Format(PyExc_ValueError, "threads must be 0 (all processors) to 4096, got %ld",
                     value);
        return NULL;
    }
    threads = (int)value;
    Py_RETURN_NONE;
}

static PyObject *get_threads(PyObject *self, PyObject *none) {
    (void)self;
    (void)none;
    return PyLong_FromLong(threads);
}

/* register_geometry(address of a function that returns a table, which is never freed) */
static PyObject *register_geometry(PyObject *self, PyObject *address) {
    const rm2_geometry *(*make)(void) = NULL;
    void *pointer = PyLong_AsVoidPtr(address);
    (void)self;
    if (!pointer)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "no function");
    memcpy(&make, &pointer, sizeof make);
    const rm2_geometry *geometry = make();
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    for (size_t k = 0; k < geometry_count; k++)
        if (geometries[k] == geometry)
            return glue_leave(ctx, RM2_OK);
    rm2_status status = RM2_OK;
    if (geometry_count < GEOMETRIES)
        status = rm2_manifold_register(ctx, geometry);
    else
        PyErr_Format(PyExc_ValueError, "at most %d geometries can be registered", GEOMETRIES);
    PyObject *none = glue_leave(ctx, status);
    if (none)
        geometries[geometry_count++] = geometry;
    return none;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static bool get_buffer(PyObject *object, const char *name, bool optional, int flags,
                       glue_array *array) {
    memset(array, 0, sizeof *array);
    if (optional && object == Py_None)
        return true;
    if (PyObject_GetBuffer(object, &array->view, flags | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Format(PyExc_TypeError, "%s: expected a C-contiguous array of float64", name);
        return false;
    }
    if (array->view.itemsize != sizeof(double) || !array->view.format ||
        strcmp(array->view.format, "d") != 0) {
        PyErr_Format(PyExc_TypeError, "%s: expected float64, got format '%s'", name,
                     array->view.format ? array->view.format : "B");
        glue_release(array);
        return false;
    }
    array->data = array->view.buf;
    array->count = (size_t)array->view.len / sizeof(double);
    return true;
}

bool glue_read(PyObject *object, const char *name, bool optional, glue_array *array) {
    return get_buffer(object, name, optional, PyBUF_SIMPLE, array);
}

bool glue_write(PyObject *object, const char *name, bool optional, glue_array *array) {
    return get_buffer(object, name, optional, PyBUF_WRITABLE, array);
}

void glue_release(glue_array *array) {
    if (array->view.obj)
        PyBuffer_Release(&array->view);
    memset(array, 0, sizeof *array);
}

void glue_append(PyObject **list, PyObject *item) {
    if (!item || PyList_Append(*list, item) != 0)
        Py_CLEAR(*list);
    Py_XDECREF(item);
}

void glue_release_each(glue_array *const *arrays) {
    for (; *arrays; arrays++)
        glue_release(*arrays);
}

bool glue_sized(const glue_array *array, const char *name, size_t count) {
    if (array->count == count)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: expected %zu numbers, got %zu", name, count, array->count);
    return false;
}

bool glue_rows(glue_array *array, const char *name, size_t width) {
    array->rows = width ? array->count / width : 0;
    return glue_sized(array, name, array->rows * width);
}

PyObject *glue_floats(size_t count, const double *values) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++)
        glue_append(&list, PyFloat_FromDouble(values[k]));
    return list;
}

PyObject *glue_sizes(size_t count, const size_t *values) {
    PyObject *list = values ? PyList_New(0) : Py_NewRef(Py_None);
    for (size_t k = 0; values && list && k < count; k++)
        glue_append(&list, PyLong_FromSize_t(values[k]));
    return list;
}

/* ---- linear algebra ------------------------------------------------------------------------- */

/* blas(): (config, core, better core or None) */
static PyObject *blas(PyObject *self, PyObject *none) {
    (void)self;
    (void)none;
    rm2_blas_info info = {.size = sizeof info};
    (void)rm2_blas_check(NULL, &info);
    return Py_BuildValue("ssz", info.config, info.core, info.better);
}

static PyObject *set_blas_threads(PyObject *self, PyObject *number) {
    (void)self;
    long value = PyLong_AsLong(number);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    rm2_blas_set_threads(value > 0 && value <= 4096 ? (int)value : 0);
    Py_RETURN_NONE;
}

/* ---- module --------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"set_threads", set_threads, METH_O, NULL},
    {"get_threads", get_threads, METH_NOARGS, NULL},
    {"register_geometry", register_geometry, METH_O, NULL},
    {"set_logger", set_logger, METH_O, NULL},
    {"blas", blas, METH_NOARGS, NULL},
    {"set_blas_threads", set_blas_threads, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

bool glue_add(PyObject *module) {
    cut_locus_error = PyErr_NewExceptionWithDoc(
        "riemann2.CutLocusError", "A logarithm at the cut locus: no unique shortest geodesic.",
        PyExc_ValueError, NULL);
    numerical_error =
        PyErr_NewExceptionWithDoc("riemann2.NumericalError", "A computation failed numerically.",
                                  PyExc_ArithmeticError, NULL);
    return cut_locus_error && numerical_error &&
           PyModule_AddObjectRef(module, "CutLocusError", cut_locus_error) == 0 &&
           PyModule_AddObjectRef(module, "NumericalError", numerical_error) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}
