/* Arms from URDF files. Without expat the function is not there. */
#include "glue.h"

#ifdef RM2_PYTHON_URDF

#include <riemann2/urdf.h>

/* arm_from_urdf(path, base or None, tip or None) */
static PyObject *read_arm(PyObject *self, PyObject *args) {
    const char *path, *base, *tip;
    rm2_arm *arm = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "szz", &path, &base, &tip))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    PyObject *none = glue_leave(ctx, rm2_urdf_read(ctx, path, base, tip, &arm));
    Py_XDECREF(none);
    return none ? glue_wrap(&arm_kind, arm, NULL) : NULL;
}

static PyMethodDef functions[] = {
    {"arm_from_urdf", read_arm, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool urdf_add(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}

#else

bool urdf_add(PyObject *module) {
    (void)module;
    return true;
}

#endif
