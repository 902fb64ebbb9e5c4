/* Trajectories: distances under time warping, timing. */
#include "glue.h"

/* retime(manifold, points, speed or None, acceleration or None, time) */
static PyObject *retime(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *in, *fast, *strong, *out, *result = NULL;
    glue_array x = {.data = NULL}, v = {.data = NULL}, a = {.data = NULL}, t = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", take_manifold, &m, &in, &fast, &strong, &out))
        return NULL;
    size_t factors = rm2_manifold_factor_count(m), ambient = rm2_manifold_ambient(m);
    if (glue_read(in, "points", false, &x) && glue_read(fast, "speed", true, &v) &&
        glue_read(strong, "acceleration", true, &a) && glue_write(out, "time", false, &t) &&
        (!v.data || glue_sized(&v, "speed", factors)) &&
        (!a.data || glue_sized(&a, "acceleration", factors)) &&
        glue_sized(&t, "time", x.count / ambient)) {
        rm2_speed_limits limits = {v.data, a.data};
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_trajectory_retime(ctx, m, x.count / ambient, x.data, &limits,
                                                   t.data));
            result = glue_leave(ctx, status);
        }
    }
    glue_release(&x);
    glue_release(&v);
    glue_release(&a);
    glue_release(&t);
    return result;
}

/* dtw(manifold or None, kind, window, a, b): (distance). Rows of a and b are `width` wide. */
static PyObject *warp(PyObject *self, PyObject *args) {
    PyObject *space, *first, *second, *none = NULL;
    int kind;
    Py_ssize_t window, width;
    glue_array a = {.data = NULL}, b = {.data = NULL};
    rm2_dtw_settings s = rm2_dtw_settings_default();
    double distance = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OinnOO", &space, &kind, &window, &width, &first, &second))
        return NULL;
    s.kind = (rm2_dtw_kind)kind;
    s.window = (size_t)window;
    if (space != Py_None && !take_manifold(space, &s.manifold))
        return NULL;
    if (width > 0 && glue_read(first, "a", false, &a) && glue_read(second, "b", false, &b)) {
        rm2_sequence one = {a.count / (size_t)width, (size_t)width, a.data};
        rm2_sequence two = {b.count / (size_t)width, (size_t)width, b.data};
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_dtw(ctx, &s, &one, &two, &distance));
            none = glue_leave(ctx, status);
        }
    }
    glue_release(&a);
    glue_release(&b);
    Py_XDECREF(none);
    return none ? PyFloat_FromDouble(distance) : NULL;
}

static PyMethodDef functions[] = {
    {"retime", retime, METH_VARARGS, NULL},
    {"dtw", warp, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool trajectory_add(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}
