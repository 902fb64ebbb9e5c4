/* The buffer struct of python/src/buffer.h is the one of this Python: compared by the compiler. */
#pragma GCC diagnostic ignored "-Wpedantic"
#include <Python.h>
#include <stddef.h>

typedef Py_buffer python_buffer;
enum {
    PYTHON_SIMPLE = PyBUF_SIMPLE,
    PYTHON_WRITABLE = PyBUF_WRITABLE,
    PYTHON_FORMAT = PyBUF_FORMAT,
    PYTHON_C_CONTIGUOUS = PyBUF_C_CONTIGUOUS
};
#undef PyBUF_SIMPLE
#undef PyBUF_WRITABLE
#undef PyBUF_FORMAT
#undef PyBUF_C_CONTIGUOUS
#define Py_buffer          own_buffer
#define PyObject_GetBuffer own_get_buffer
#define PyBuffer_Release   own_release
#include "../../python/src/buffer.h"

#define SAME_PLACE(member)                                                                         \
    _Static_assert(offsetof(own_buffer, member) == offsetof(python_buffer, member), #member)
SAME_PLACE(buf);
SAME_PLACE(obj);
SAME_PLACE(len);
SAME_PLACE(itemsize);
SAME_PLACE(readonly);
SAME_PLACE(ndim);
SAME_PLACE(format);
SAME_PLACE(shape);
SAME_PLACE(strides);
SAME_PLACE(suboffsets);
SAME_PLACE(internal);
_Static_assert(sizeof(own_buffer) == sizeof(python_buffer), "size");
_Static_assert((int)PyBUF_SIMPLE == (int)PYTHON_SIMPLE, "simple");
_Static_assert((int)PyBUF_WRITABLE == (int)PYTHON_WRITABLE, "writable");
_Static_assert((int)PyBUF_FORMAT == (int)PYTHON_FORMAT, "format");
_Static_assert((int)PyBUF_C_CONTIGUOUS == (int)PYTHON_C_CONTIGUOUS, "contiguous");
