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

/* Add the exceptions, the thread settings and the log to the module. */
bool glue_add(PyObject *module);

/* ---- arrays --------------------------------------------------------------------------------- */

/* A C-contiguous buffer of float64; data is NULL for None. */
typedef struct glue_array {
    Py_buffer view;
    double *data;
    size_t count; /* doubles */
} glue_array;

/* False with an exception set. `name` is for its message. None is accepted where `optional`. */
bool glue_read(PyObject *object, const char *name, bool optional, glue_array *array);
bool glue_write(PyObject *object, const char *name, bool optional, glue_array *array);
void glue_release(glue_array *array);
/* Raise ValueError where an array does not have `count` doubles. */
bool glue_sized(const glue_array *array, const char *name, size_t count);

/* ---- types ---------------------------------------------------------------------------------- */

/* Each adds its type to the module. */
bool manifold_add(PyObject *module);
/* The manifold behind a Python object, or NULL with TypeError set. */
const rm2_manifold *manifold_of(PyObject *object);

#endif
