/* Handles: one Python type for all objects of the library. */
#include "glue.h"

typedef struct handle {
    PyObject_HEAD const handle_kind *kind;
    void *thing;
    PyObject *owner; /* what must live as long, or NULL */
} handle;

static PyTypeObject *handle_type;

PyObject *glue_wrap(const handle_kind *kind, void *thing, PyObject *owner) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(handle_type, Py_tp_alloc);
    handle *h = (handle *)allocate(handle_type, 0);
    if (!h) {
        kind->release(thing);
        return NULL;
    }
    h->kind = kind;
    h->thing = thing;
    h->owner = Py_XNewRef(owner);
    return (PyObject *)h;
}

void *glue_unwrap(PyObject *object, const handle_kind *kind) {
    if (PyObject_TypeCheck(object, handle_type) && ((handle *)object)->kind == kind)
        return ((handle *)object)->thing;
    PyErr_Format(PyExc_TypeError, "expected a handle of a %s", kind->name);
    return NULL;
}

static void handle_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    handle *h = (handle *)object;
    if (h->kind)
        h->kind->release(h->thing);
    Py_XDECREF(h->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)handle_dealloc},
    {0, NULL},
};

static PyType_Spec type_spec = {
    .name = "riemann2._core.Handle",
    .basicsize = sizeof(handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

bool objects_add(PyObject *module) {
    handle_type = (PyTypeObject *)PyType_FromSpec(&type_spec);
    return handle_type && PyModule_AddObjectRef(module, "Handle", (PyObject *)handle_type) == 0;
}
