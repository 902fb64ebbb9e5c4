/* The extension module riemann2._core: what its files share.
 *
 * The module hands buffers of the caller to the library and nothing else: arrays are made, shaped and
 * named in Python. Every call takes a context from a pool, releases the interpreter's lock while
 * the library computes, and turns a status into an exception. Only installed headers are included.
 * CPython's stable ABI of 3.11, the first that has the buffer protocol. */
#ifndef RIEMANN2_PYTHON_GLUE_H
#define RIEMANN2_PYTHON_GLUE_H

#pragma GCC diagnostic ignored "-Wpedantic" /* slots hold functions as object pointers */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <riemann2.h>

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

/* For the next call on the context; the watcher must live as long. */
void glue_watch(rm2_context *ctx, glue_watcher *watcher);

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
/* Raise ValueError where an array does not have `count` doubles. */
bool glue_sized(const glue_array *array, const char *name, size_t count);
/* Count the rows of `width` numbers; raise ValueError where they are not whole. */
bool glue_rows(glue_array *array, const char *name, size_t width);
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
int take_manifold(PyObject *object, void *address);
int take_data(PyObject *object, void *address);
int take_model(PyObject *object, void *address);
int take_arm(PyObject *object, void *address);

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

/* Each adds its functions to the module. */
bool objects_add(PyObject *module);
bool settings_add(PyObject *module);
bool covariance_add(PyObject *module);
bool manifold_add(PyObject *module);
bool data_add(PyObject *module);
bool model_add(PyObject *module);
bool report_add(PyObject *module);
bool predict_add(PyObject *module);
bool space_add(PyObject *module);
bool curves_add(PyObject *module);
bool metric_add(PyObject *module);
bool planner_add(PyObject *module);
bool trajectory_add(PyObject *module);
bool kernel_add(PyObject *module);
bool eval_add(PyObject *module);
bool cross_add(PyObject *module);
bool add_add(PyObject *module);
bool statistics_add(PyObject *module);
bool robot_add(PyObject *module);
bool plot_add(PyObject *module);
bool urdf_add(PyObject *module);
/* Formats of files that libraries of their own read; false: no memory. */
bool glue_add_formats(rm2_context *ctx);

#endif
