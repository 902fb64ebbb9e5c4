/* Manifolds: one method for each shape of call; Python chooses the operation by name. */
#include "glue.h"

#include <string.h>

static void release(void *thing) {
    rm2_manifold_free(thing);
}

const handle_kind manifold_kind = {"manifold", release};

int convert_manifold(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &manifold_kind)) != NULL;
}

/* manifold(spec) */
static PyObject *make(PyObject *self, PyObject *args) {
    const char *spec;
    rm2_manifold *m = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &spec))
        return NULL;
    PyObject *result = NULL;
    GLUE_VALUE(result, glue_wrap(&manifold_kind, m, NULL), NULL,
               rm2_manifold_create(ctx, spec, &m));
    return result;
}

/* ---- what it is ----------------------------------------------------------------------------- */

/* manifold_info(m): spec, dim, ambient, list of (name, n, dim, ambient). */
static PyObject *describe(PyObject *self, PyObject *object) {
    const rm2_manifold *m = glue_unwrap(object, &manifold_kind);
    (void)self;
    if (!m)
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        glue_append(&list, Py_BuildValue("snnn", f->geometry->name, (Py_ssize_t)f->n,
                                         (Py_ssize_t)f->dim, (Py_ssize_t)f->ambient));
    }
    return list ? Py_BuildValue("snnN", rm2_manifold_spec(m), (Py_ssize_t)rm2_manifold_dim(m),
                                (Py_ssize_t)rm2_manifold_ambient(m), list)
                : NULL;
}

/* ---- operations ----------------------------------------------------------------------------- */

typedef enum width { AMBIENT, DIM, ONE, FACTORS } width;

static size_t width_of(const rm2_manifold *m, width w) {
    switch (w) {
    case AMBIENT:
        return rm2_manifold_ambient(m);
    case DIM:
        return rm2_manifold_dim(m);
    case FACTORS:
        return rm2_manifold_factor_count(m);
    case ONE:
        break;
    }
    return 1;
}

typedef rm2_status (*plain_fn)(rm2_context *, const rm2_manifold *, size_t, const double *,
                               double *);
typedef rm2_status (*based_fn)(rm2_context *, const rm2_manifold *, size_t, const double *, size_t,
                               const double *, double *);
typedef rm2_status (*paired_fn)(rm2_context *, const rm2_manifold *, size_t, const double *, size_t,
                                const double *, const double *, double *);

/* One of the three functions: of points alone, at base points, of two vectors at base points. */
typedef struct operation {
    const char *name;
    width in, out;
    plain_fn plain;
    based_fn based;
    paired_fn paired;
} operation;

static const operation operations[] = {
    {"project", AMBIENT, AMBIENT, .plain = rm2_manifold_project},
    {"defect", AMBIENT, FACTORS, .plain = rm2_manifold_defect},
    {"log_volume", DIM, ONE, .plain = rm2_manifold_log_volume},
    {"exp", AMBIENT, AMBIENT, .based = rm2_manifold_exp},
    {"log", AMBIENT, AMBIENT, .based = rm2_manifold_log},
    {"distance", AMBIENT, ONE, .based = rm2_manifold_distance},
    {"to_coords", AMBIENT, DIM, .based = rm2_manifold_to_coords},
    {"from_coords", DIM, AMBIENT, .based = rm2_manifold_from_coords},
    {"exp_coords", DIM, AMBIENT, .based = rm2_manifold_exp_coords},
    {"log_coords", AMBIENT, DIM, .based = rm2_manifold_log_coords},
    {"inner", AMBIENT, ONE, .paired = rm2_manifold_inner},
    {"transport", AMBIENT, AMBIENT, .paired = rm2_manifold_transport},
    {"dexp", AMBIENT, AMBIENT, .paired = rm2_manifold_dexp},
};

static const operation *find_operation(const char *name) {
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (strcmp(operations[k].name, name) == 0)
            return &operations[k];
    PyErr_Format(PyExc_ValueError, "unknown operation '%s'", name);
    return NULL;
}

/* Arrays of a call: base points, points or vectors, second vectors, results. */
typedef struct arrays {
    glue_array p, x, w, y;
    size_t n, bases;
} arrays;

static bool convert_arrays(const operation *op, PyObject *const *objects, arrays *a) {
    return glue_read(objects[0], "base points", !op->based && !op->paired, &a->p) &&
           glue_read(objects[1], op->name, false, &a->x) &&
           glue_read(objects[2], op->name, !op->paired, &a->w) &&
           glue_write(objects[3], "output", false, &a->y);
}

static void release_arrays(arrays *a) {
    GLUE_RELEASE(&a->p, &a->x, &a->w, &a->y);
}

/* n points, one base point for all or one for each, as many second vectors and results as points. */
static bool check_arrays(const rm2_manifold *m, const operation *op, arrays *a) {
    size_t in = width_of(m, op->in), ambient = rm2_manifold_ambient(m);
    a->n = a->x.count / in;
    a->bases = a->p.count / ambient;
    if (a->n * in != a->x.count) {
        PyErr_Format(PyExc_ValueError, "%s: %zu numbers are not whole rows of %zu", op->name,
                     a->x.count, in);
        return false;
    }
    if (a->p.data && (a->bases * ambient != a->p.count || (a->bases != 1 && a->bases != a->n))) {
        PyErr_Format(PyExc_ValueError, "%s: expected 1 or %zu base points of %zu numbers, got %zu",
                     op->name, a->n, ambient, a->p.count);
        return false;
    }
    return (!a->w.data || glue_sized(&a->w, op->name, a->n * in)) &&
           glue_sized(&a->y, "output", a->n * width_of(m, op->out));
}

static rm2_status run_operation(rm2_context *ctx, const rm2_manifold *m, const operation *op,
                                const arrays *a) {
    if (op->plain)
        return op->plain(ctx, m, a->n, a->x.data, a->y.data);
    if (op->based)
        return op->based(ctx, m, a->n, a->p.data, a->bases, a->x.data, a->y.data);
    return op->paired(ctx, m, a->n, a->p.data, a->bases, a->x.data, a->w.data, a->y.data);
}

/* manifold_apply(m, name, p, x, w, y): p or w are None where the operation has none. */
static PyObject *apply(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    (void)self;
    PyObject *objects[4], *result = NULL;
    const char *name;
    if (!PyArg_ParseTuple(args, "O&sOOOO", convert_manifold, &m, &name, &objects[0], &objects[1],
                          &objects[2], &objects[3]))
        return NULL;
    const operation *op = find_operation(name);
    arrays a;
    memset(&a, 0, sizeof a);
    if (op && convert_arrays(op, objects, &a) && check_arrays(m, op, &a))
        GLUE_CALL(result, NULL, run_operation(ctx, m, op, &a));
    release_arrays(&a);
    return result;
}

/* manifold_random(m, seed, y): points from a generator of this seed. */
static PyObject *random_points(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    (void)self;
    unsigned long long seed;
    PyObject *out, *result = NULL;
    glue_array y;
    if (!PyArg_ParseTuple(args, "O&KO", convert_manifold, &m, &seed, &out) ||
        !glue_write(out, "output", false, &y))
        return NULL;
    GLUE_CALL(result, NULL,
              (rm2_context_set_seed(ctx, seed),
               rm2_manifold_random(ctx, m, y.count / rm2_manifold_ambient(m), y.data)));
    glue_release(&y);
    return result;
}

/* manifold_default_point(m, y) */
static PyObject *default_point(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *out;
    glue_array y;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", convert_manifold, &m, &out) ||
        !glue_write(out, "output", false, &y))
        return NULL;
    bool good = glue_sized(&y, "output", rm2_manifold_ambient(m));
    if (good)
        rm2_manifold_default_point(m, y.data);
    glue_release(&y);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* manifold_contains(m, x, on): bytes of n x factors flags. */
static PyObject *contains(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    (void)self;
    PyObject *in, *out, *result = NULL;
    glue_array x;
    Py_buffer on;
    size_t count;
    if (!PyArg_ParseTuple(args, "O&OO", convert_manifold, &m, &in, &out) ||
        !glue_read(in, "points", false, &x))
        return NULL;
    if (PyObject_GetBuffer(out, &on, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
        glue_release(&x);
        return NULL;
    }
    size_t ambient = rm2_manifold_ambient(m), n = x.count / ambient;
    if (n * ambient == x.count && (size_t)on.len == n * rm2_manifold_factor_count(m)) {
        GLUE_CALL(result, NULL, rm2_manifold_contains(ctx, m, n, x.data, on.buf, &count));
    } else {
        PyErr_SetString(PyExc_ValueError, "points and flags do not have the same rows");
    }
    PyBuffer_Release(&on);
    glue_release(&x);
    return result;
}

/* manifold_mean(m, x, weights or None, settings, y): (converged, iterations, gradient, variance). */
static PyObject *mean(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    (void)self;
    PyObject *in, *weigh, *dict, *out, *result = NULL;
    glue_array x = {.data = NULL}, w = {.data = NULL}, y = {.data = NULL};
    rm2_mean_settings settings = rm2_mean_settings_default();
    rm2_mean_info info = {.size = sizeof info};
    if (!PyArg_ParseTuple(args, "O&OOOO", convert_manifold, &m, &in, &weigh, &dict, &out) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_MEAN), &settings))
        return NULL;
    size_t ambient = rm2_manifold_ambient(m);
    if (glue_read(in, "points", false, &x) && glue_read(weigh, "weights", true, &w) &&
        glue_write(out, "output", false, &y) && glue_sized(&y, "output", ambient) &&
        (!w.data || glue_sized(&w, "weights", x.count / ambient)))
        GLUE_CALL(
            result, NULL,
            rm2_manifold_mean(ctx, m, x.count / ambient, x.data, w.data, &settings, y.data, &info));
    GLUE_RELEASE(&x, &w, &y);
    if (!result)
        return NULL;
    Py_DECREF(result);
    return Py_BuildValue("Oidd", info.converged ? Py_True : Py_False, info.iterations,
                         info.gradient, info.variance);
}

/* manifold_metric(m, c, z or None, W, out): G(c) W, or dG(c)[z] W, for as many vectors at each c as W has. */
static PyObject *metric(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *objects[4], *result = NULL;
    glue_array c = {.data = NULL}, z = {.data = NULL}, W = {.data = NULL}, y = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", convert_manifold, &m, &objects[0], &objects[1],
                          &objects[2], &objects[3]))
        return NULL;
    if (glue_read(objects[0], "c", false, &c) && glue_read(objects[1], "z", true, &z) &&
        glue_read(objects[2], "W", false, &W) && glue_write(objects[3], "output", false, &y) &&
        glue_rows(&c, "c", rm2_manifold_dim(m)) && (!z.data || glue_sized(&z, "z", c.count)) &&
        glue_rows(&W, "W", c.count ? c.count : 1) && glue_sized(&y, "output", W.count))
        GLUE_CALL(result, NULL,
                  z.data ? rm2_manifold_metric_derivative(ctx, m, c.rows, c.data, z.data, W.rows,
                                                          W.data, y.data)
                         : rm2_manifold_metric(ctx, m, c.rows, c.data, W.rows, W.data, y.data));
    GLUE_RELEASE(&c, &z, &W, &y);
    return result;
}

static void add_property(void *list, const char *property, double worst, double bound,
                         bool passed) {
    PyObject *row = Py_BuildValue("sddO", property, worst, bound, passed ? Py_True : Py_False);
    if (row)
        (void)PyList_Append(list, row);
    Py_XDECREF(row);
}

/* manifold_selftest(m, trials): list of (property, worst error, bound, passed). */
static PyObject *selftest(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    Py_ssize_t trials;
    size_t failures;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&n", convert_manifold, &m, &trials))
        return NULL;
    PyObject *list = PyList_New(0);
    rm2_context *ctx = list ? glue_enter() : NULL;
    PyObject *none =
        ctx ? glue_leave(ctx, rm2_manifold_selftest(ctx, m, trials > 0 ? (size_t)trials : 0,
                                                    add_property, list, &failures))
            : NULL;
    if (!none)
        Py_CLEAR(list);
    Py_XDECREF(none);
    return list;
}

/* manifold_resample(m, x, y, by_length): as many points as y has rows, at equal steps along those of x. */
static PyObject *resample(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    int by_length;
    (void)self;
    PyObject *in, *out, *result = NULL;
    glue_array x = {.data = NULL}, y = {.data = NULL};
    if (!PyArg_ParseTuple(args, "O&OOp", convert_manifold, &m, &in, &out, &by_length))
        return NULL;
    size_t ambient = rm2_manifold_ambient(m);
    if (glue_read(in, "points", false, &x) && glue_write(out, "output", false, &y))
        GLUE_CALL(result, NULL,
                  (by_length ? rm2_trajectory_resample_by_length : rm2_trajectory_resample)(
                      ctx, m, x.count / ambient, x.data, y.count / ambient, y.data));
    GLUE_RELEASE(&x, &y);
    return result;
}

/* ---- module --------------------------------------------------------------------------------- */

PyMethodDef manifold_functions[] = {
    {"manifold", make, METH_VARARGS, NULL},
    {"manifold_info", describe, METH_O, NULL},
    {"manifold_apply", apply, METH_VARARGS, NULL},
    {"manifold_random", random_points, METH_VARARGS, NULL},
    {"manifold_default_point", default_point, METH_VARARGS, NULL},
    {"manifold_contains", contains, METH_VARARGS, NULL},
    {"manifold_mean", mean, METH_VARARGS, NULL},
    {"manifold_metric", metric, METH_VARARGS, NULL},
    {"manifold_selftest", selftest, METH_VARARGS, NULL},
    {"manifold_resample", resample, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
