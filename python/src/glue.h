/* The extension module riemann2._core: what its files share.
 *
 * The module hands buffers of the caller to the library and nothing else: arrays are made, shaped and
 * named in Python. Every call takes a context from a pool, releases the interpreter's lock while
 * the library computes, and turns a status into an exception. Only installed headers are included.
 * CPython's stable ABI of 3.10, and the buffer protocol (buffer.h). */
#ifndef RIEMANN2_PYTHON_GLUE_H
#define RIEMANN2_PYTHON_GLUE_H

#pragma GCC diagnostic ignored "-Wpedantic" /* slots hold functions as object pointers */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <riemann2.h>

#include "buffer.h"

/* ---- calls ---------------------------------------------------------------------------------- */

/* A context for one call, or NULL with MemoryError set. */
rm2_context *glue_enter(void);
/* Give the context back. Returns a new reference to None for RM2_OK, else NULL with the exception set:
 * the one a callback has raised, or the one of the status with the context's message. */
PyObject *glue_leave(rm2_context *ctx, rm2_status status);

/* Run a call of the library without the interpreter's lock. */
#define GLUE_RUN(status, call)                                                                     \
    do {                                                                                           \
        Py_BEGIN_ALLOW_THREADS(status) = (call);                                                   \
        Py_END_ALLOW_THREADS                                                                       \
    } while (0)

/* Progress of a call: signals are handled, a callback may stop the work. */
typedef struct glue_watcher {
    PyObject *callback;     /* of (activity, done, total, seconds, objective or None), or None */
    bool keep_on_interrupt; /* Ctrl-C stops the work without an exception: its result is kept */
    bool stopped;           /* no more calls of the callback: an exception may be set */
} glue_watcher;

/* For the next call on the context; the watcher must live as long, and may be NULL. */
void glue_watch(rm2_context *ctx, glue_watcher *watcher);
/* glue_leave without its reference: did the call succeed? */
bool glue_left(rm2_context *ctx, rm2_status status);

/* Enter, run a call of the library on the context `ctx`, leave by `left`; then `result` becomes `value`, which is computed
 * only if the call succeeded. */
#define GLUE_VALUE_IF(result, value, left, watcher, call)                                          \
    do {                                                                                           \
        rm2_context *ctx = glue_enter();                                                           \
        rm2_status status = RM2_OK;                                                                \
        if (ctx) {                                                                                 \
            glue_watch(ctx, (watcher));                                                            \
            GLUE_RUN(status, call);                                                                \
        }                                                                                          \
        if (ctx && (left))                                                                         \
            (result) = (value);                                                                    \
    } while (0)
#define GLUE_VALUE(result, value, watcher, call)                                                   \
    GLUE_VALUE_IF(result, value, glue_left(ctx, status), watcher, call)
#define GLUE_CALL(result, watcher, call) GLUE_VALUE(result, Py_NewRef(Py_None), watcher, call)
/* Under the interpreter's lock: for short calls that change an object which several threads may share. */
#define GLUE_LOCKED(result, call)                                                                  \
    do {                                                                                           \
        rm2_context *ctx = glue_enter();                                                           \
        if (ctx)                                                                                   \
            (result) = glue_leave(ctx, (call));                                                    \
    } while (0)

/* Add the exceptions, the thread settings and the log to the module. */
bool glue_add(PyObject *module);

/* ---- arrays --------------------------------------------------------------------------------- */

/* A C-contiguous buffer of float64; data is NULL for None. */
typedef struct glue_array {
    Py_buffer view;
    double *data;
    size_t count; /* doubles */
    size_t rows;  /* set by glue_rows */
} glue_array;

/* False with an exception set. `name` is for its message. None is accepted where `optional`. */
bool glue_read(PyObject *object, const char *name, bool optional, glue_array *array);
bool glue_write(PyObject *object, const char *name, bool optional, glue_array *array);
void glue_release(glue_array *array);
/* Release each of some arrays. */
#define GLUE_RELEASE(...) glue_release_each((glue_array *const[]){__VA_ARGS__, NULL})
void glue_release_each(glue_array *const *arrays);
/* Raise ValueError where an array does not have `count` doubles. */
bool glue_sized(const glue_array *array, const char *name, size_t count);
/* Count the rows of `width` numbers; raise ValueError where they are not whole. */
bool glue_rows(glue_array *array, const char *name, size_t width);
/* Append `item`, a new reference or NULL with an exception, to a list, which becomes NULL on failure. */
void glue_append(PyObject **list, PyObject *item);
/* A list of floats. */
PyObject *glue_floats(size_t count, const double *values);
/* A list of ints; None for NULL. */
PyObject *glue_sizes(size_t count, const size_t *values);

/* ---- objects -------------------------------------------------------------------------------- */

/* All objects of the library are handles in Python, of one type; the kind says what is behind one. */
typedef struct handle_kind {
    const char *name;
    void (*release)(void *thing);
} handle_kind;

extern const handle_kind manifold_kind, data_kind, model_kind, arm_kind;

/* A new handle that owns `thing`, and keeps `owner` (may be NULL) alive; releases the thing on failure. */
PyObject *glue_wrap(const handle_kind *kind, void *thing, PyObject *owner);
/* What is behind a handle of this kind, or NULL with TypeError set. */
void *glue_unwrap(PyObject *object, const handle_kind *kind);

/* A converter for PyArg_ParseTuple ("O&") for each kind. */
int convert_manifold(PyObject *object, void *address);
int convert_data(PyObject *object, void *address);
int convert_model(PyObject *object, void *address);
int convert_arm(PyObject *object, void *address);
int convert_vicinity(PyObject *object, void *address);

/* Kernels of the factors of a manifold, at most this many: from a list of names (None: the default) and lengthscales.
 * False with an exception. */
enum { GLUE_FACTORS = 64 };
bool glue_kernels(const rm2_manifold *m, PyObject *names, const glue_array *lengths,
                  rm2_factor_kernel *kernels);

/* ---- settings ------------------------------------------------------------------------------- */

/* Settings of a fit from a dict of texts, which must outlive them; *texts is freed with PyMem_Free. False with an
 * exception. */
bool glue_fit_settings(PyObject *dict, rm2_setting_text **texts, rm2_fit_settings *settings);
/* Set members by name from a dict of texts, which must outlive the settings. `recipe` is set first. False
 * with an exception. */
bool glue_settings(PyObject *dict, const rm2_settings_table *table, void *settings);
/* All settings of a struct as a dict of texts. */
PyObject *glue_settings_dict(const rm2_settings_table *table, const void *settings);

/* Add the type of handles to the module. */
bool objects_add(PyObject *module);
/* Functions of the module, a list per file. */
extern PyMethodDef add_functions[], covariance_functions[], cross_functions[], curves_functions[],
    data_functions[], eval_functions[], kernel_functions[], manifold_functions[], meet_functions[],
    metric_functions[], model_functions[], planner_functions[], plot_functions[],
    predict_functions[], report_functions[], robot_functions[], settings_functions[],
    space_functions[], statistics_functions[], trajectory_functions[], urdf_functions[];
/* Formats of files that libraries of their own read; false: no memory. */
bool glue_add_formats(rm2_context *ctx);

#endif
