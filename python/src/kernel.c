/* Kernels on manifolds. */
#include "glue.h"

#include <string.h>

bool glue_kernels(const rm2_manifold *m, PyObject *names, const glue_array *lengths,
                  rm2_factor_kernel *kernels) {
    size_t count = rm2_manifold_factor_count(m);
    if (count > GLUE_FACTORS || !PyList_Check(names) || (size_t)PyList_Size(names) != count) {
        PyErr_Format(PyExc_ValueError, "kind: expected %zu names, one per factor", count);
        return false;
    }
    if (!glue_sized(lengths, "lengthscale", count))
        return false;
    for (size_t k = 0; k < count; k++) {
        PyObject *item = PyList_GetItem(names, (Py_ssize_t)k);
        kernels[k].lengthscale = lengths->data[k];
        kernels[k].kind = rm2_kernel_default(rm2_manifold_factor(m, k));
        if (item == Py_None)
            continue;
        const char *name = PyUnicode_AsUTF8AndSize(item, NULL);
        if (!name)
            return false;
        if (!rm2_kernel_from_name(name, &kernels[k].kind)) {
            PyErr_Format(PyExc_ValueError,
                         "unknown kernel '%s'; expected heat, matern32, matern52 or log-euclidean",
                         name);
            return false;
        }
    }
    return true;
}

static rm2_status run_kernel(rm2_context *ctx, const rm2_manifold *m,
                             const rm2_factor_kernel *kernels, const glue_array *x,
                             const glue_array *y, double *K) {
    rm2_manifold_kernel *kernel = NULL;
    rm2_status status =
        rm2_manifold_kernel_create(ctx, m, kernels, rm2_manifold_factor_count(m), &kernel);
    if (status == RM2_OK)
        status = rm2_manifold_kernel_matrix(ctx, kernel, x->rows, x->data, y->rows, y->data, K);
    rm2_manifold_kernel_free(kernel);
    return status;
}

/* kernel(manifold, names, lengthscales, x, y or None, K) */
static PyObject *matrix(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *names, *scales, *in[2], *out, *result = NULL;
    glue_array s = {.data = NULL}, x = {.data = NULL}, y = {.data = NULL}, K = {.data = NULL};
    rm2_factor_kernel kernels[GLUE_FACTORS];
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOOO", convert_manifold, &m, &names, &scales, &in[0], &in[1],
                          &out))
        return NULL;
    size_t ambient = rm2_manifold_ambient(m);
    if (glue_read(scales, "lengthscale", false, &s) && glue_kernels(m, names, &s, kernels) &&
        glue_read(in[0], "x", false, &x) && glue_read(in[1], "y", true, &y) &&
        glue_write(out, "output", false, &K) && glue_rows(&x, "x", ambient) &&
        glue_rows(&y, "y", ambient) &&
        glue_sized(&K, "output", x.rows * (y.data ? y.rows : x.rows)))
        GLUE_CALL(result, NULL, run_kernel(ctx, m, kernels, &x, &y, K.data));
    GLUE_RELEASE(&s, &x, &y, &K);
    return result;
}

PyMethodDef kernel_functions[] = {
    {"kernel", matrix, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
