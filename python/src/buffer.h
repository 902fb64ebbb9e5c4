/* The buffer protocol for the limited API of Python 3.10. Its struct and functions are in every Python 3; 3.11 declared
 * them stable without a change. tests/python/buffer_layout.c compares this file with the headers of the Python at hand. */
#ifndef RIEMANN2_PYTHON_BUFFER_H
#define RIEMANN2_PYTHON_BUFFER_H

#include <Python.h>

#ifndef PyBUF_SIMPLE /* the headers declare no buffers to the limited API of this version */

typedef struct Py_buffer {
    void *buf;
    PyObject *obj;
    Py_ssize_t len;
    Py_ssize_t itemsize;
    int readonly;
    int ndim;
    char *format;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t *suboffsets;
    void *internal;
} Py_buffer;

enum {
    PyBUF_SIMPLE = 0,
    PyBUF_WRITABLE = 0x1,
    PyBUF_FORMAT = 0x4,
    PyBUF_C_CONTIGUOUS = 0x20 | 0x10 | 0x8 /* with strides, which have a shape */
};

PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);

#endif
#endif
