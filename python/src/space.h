/* A latent space behind a handle, for the files that ask it. */
#ifndef RIEMANN2_PYTHON_SPACE_H
#define RIEMANN2_PYTHON_SPACE_H

#include "glue.h"

/* A function of Python as metric or cost. The library calls it on its own threads while the interpreter's lock is
 * released. Its first exception is kept until the call of the library has ended. */
typedef struct function {
    PyObject *callable;             /* NULL: none */
    size_t in;                      /* numbers of the point */
    size_t out[2];                  /* numbers of value and derivative */
    PyObject *type, *value, *trace; /* of the exception */
} function;

/* A space and what must live as long; the model is the handle's owner. */
typedef struct latent_space {
    rm2_space *space;
    rm2_metric *metric; /* of a space without a model */
    function function;  /* cost or metric */
} latent_space;

/* A converter for PyArg_ParseTuple ("O&"). */
int convert_space(PyObject *object, void *address);

/* glue_leave with the exception of the function, if that is why the call failed. */
bool leave_space(rm2_context *ctx, rm2_status status, latent_space *l);

/* GLUE_VALUE for a call on a space. */
#define SPACE_CALL(result, value, l, watcher, call)                                                \
    GLUE_VALUE_IF(result, value, leave_space(ctx, status, l), watcher, call)

/* A curve as a tuple of numbers and arrays (curves.c). */
PyObject *curve_tuple(const rm2_curve *curve);

/* Keep-out regions in the first Euclidean factor from their texts; "" has none. `regions` is the caller's to free with
 * rm2_free. False with an exception. */
bool glue_regions(const char *text, const rm2_manifold *m, rm2_obstacles *obstacles,
                  rm2_region **regions);

#endif
