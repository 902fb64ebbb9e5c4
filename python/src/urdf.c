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
    PyObject *result = NULL;
    GLUE_VALUE(result, glue_wrap(&arm_kind, arm, NULL), NULL,
               rm2_urdf_read(ctx, path, base, tip, &arm));
    return result;
}

PyMethodDef urdf_functions[] = {
    {"arm_from_urdf", read_arm, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#else

PyMethodDef urdf_functions[] = {{NULL, NULL, 0, NULL}};

#endif
