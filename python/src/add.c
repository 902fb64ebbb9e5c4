/* More demonstrations for a model. */
#include "glue.h"

/* [(points, residual before, after, known, apart), ...] */
static PyObject *added_list(size_t count, const rm2_added *added) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *row =
            Py_BuildValue("nddOO", (Py_ssize_t)added[k].points, added[k].before, added[k].after,
                          added[k].known ? Py_True : Py_False, added[k].apart ? Py_True : Py_False);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* fit_add(model, data, callback): (model, list of one tuple per trajectory) */
static PyObject *fit_add(PyObject *self, PyObject *args) {
    const rm2_model *model;
    const rm2_data *data;
    rm2_model *more = NULL;
    PyObject *none = NULL, *list = NULL, *handle = NULL;
    glue_watcher watcher = {NULL, true, false};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&O", convert_model, &model, convert_data, &data,
                          &watcher.callback))
        return NULL;
    size_t count = data->trajectories ? data->trajectories : 1;
    rm2_added *added = PyMem_Calloc(count, sizeof *added);
    rm2_context *ctx = added ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        added->size = sizeof *added;
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, rm2_fit_add(ctx, model, data, NULL, added, &more));
        none = glue_leave(ctx, status);
        list = none ? added_list(count, added) : NULL;
    }
    if (list)
        handle = glue_wrap(&model_kind, more, NULL);
    else
        rm2_model_free(more);
    Py_XDECREF(none);
    PyMem_Free(added);
    if (handle)
        return Py_BuildValue("NN", handle, list);
    Py_XDECREF(list);
    return added ? NULL : PyErr_NoMemory();
}

PyMethodDef add_functions[] = {
    {"fit_add", fit_add, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
