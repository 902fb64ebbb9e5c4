/* Covariances of signals. */
#include "front/data.h"
#include "glue.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of a call: windows of `samples` x `channels` numbers. */
typedef struct windows {
    glue_array x, out, shrinkage;
    size_t *begin;
    rm2_window_info *info;
} windows;

static void release(windows *w) {
    GLUE_RELEASE(&w->x, &w->out, &w->shrinkage);
    free(w->begin);
    free(w->info);
}

static bool convert(PyObject *const objects[3], size_t samples, size_t channels, windows *w) {
    if (!glue_read(objects[0], "X", false, &w->x) ||
        !glue_write(objects[1], "out", false, &w->out) ||
        !glue_write(objects[2], "shrinkage", true, &w->shrinkage) ||
        !glue_rows(&w->x, "X", samples * channels) ||
        !glue_sized(&w->out, "out", w->x.rows * channels * channels) ||
        (w->shrinkage.data && !glue_sized(&w->shrinkage, "shrinkage", w->x.rows)))
        return false;
    w->begin = malloc((w->x.rows + 1) * sizeof *w->begin);
    w->info = calloc(w->x.rows + 1, sizeof *w->info);
    if (!w->begin || !w->info) {
        PyErr_NoMemory();
        return false;
    }
    w->info->size = sizeof *w->info;
    for (size_t k = 0; k < w->x.rows; k++)
        w->begin[k] = k * samples;
    return true;
}

/* The matrices; the first window with a fault is a failure. */
static rm2_status compute(rm2_context *ctx, const rm2_covariance_settings *s, size_t samples,
                          size_t channels, windows *w) {
    rm2_signals signals = {.size = sizeof signals,
                           .samples = w->x.rows * samples,
                           .channels = channels,
                           .values = w->x.data,
                           .windows = w->x.rows,
                           .begin = w->begin,
                           .length = samples,
                           .source = "X"};
    rm2_status status = rm2_covariances(ctx, &signals, s, w->out.data, w->info);
    for (size_t k = 0; status == RM2_OK && k < w->x.rows; k++) {
        status = rm2_window_explain(ctx, &signals, s, k, &w->info[k]);
        if (w->shrinkage.data)
            w->shrinkage.data[k] = w->info[k].shrinkage;
    }
    return status;
}

/* covariances(samples, channels, X, settings, out, shrinkage or None) */
static PyObject *covariances(PyObject *self, PyObject *args) {
    PyObject *objects[3], *dict, *result = NULL;
    Py_ssize_t samples, channels;
    rm2_covariance_settings s = rm2_covariance_settings_default();
    windows w;
    (void)self;
    memset(&w, 0, sizeof w);
    if (!PyArg_ParseTuple(args, "nnOOOO", &samples, &channels, &objects[0], &dict, &objects[1],
                          &objects[2]) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_COVARIANCE), &s))
        return NULL;
    if (samples < 1 || channels < 1 || samples > PY_SSIZE_T_MAX / channels) {
        PyErr_SetString(PyExc_ValueError, "X: expected at least one channel and one sample");
        return NULL;
    }
    rm2_context *ctx =
        convert(objects, (size_t)samples, (size_t)channels, &w) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        GLUE_RUN(status, compute(ctx, &s, (size_t)samples, (size_t)channels, &w));
        result = glue_leave(ctx, status);
    }
    release(&w);
    return result;
}

PyMethodDef covariance_functions[] = {{"covariances", covariances, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
