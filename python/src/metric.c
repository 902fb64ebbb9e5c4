/* The metric of latent spaces, and lengths in it. */
#include "space.h"

#include <string.h>

/* ---- metric --------------------------------------------------------------------------------- */

/* Results at n points; any may be NULL. */
typedef struct metric_outputs {
    glue_array G, dG, magnification;
} metric_outputs;

static rm2_status run_metric(rm2_context *ctx, const rm2_metric *metric, const glue_array *x,
                             const metric_outputs *o) {
    rm2_status status = RM2_OK;
    if (o->G.data)
        status = rm2_metric_at(ctx, metric, x->rows, x->data, o->G.data, o->dG.data);
    if (status == RM2_OK && o->magnification.data)
        status = rm2_metric_magnification(ctx, metric, x->rows, x->data, o->magnification.data);
    return status;
}

static bool convert_outputs(PyObject *const *objects, size_t n, size_t Q, metric_outputs *o) {
    return glue_write(objects[0], "output", true, &o->G) &&
           glue_write(objects[1], "output", true, &o->dG) &&
           glue_write(objects[2], "output", true, &o->magnification) &&
           (!o->G.data || glue_sized(&o->G, "output", n * Q * Q)) &&
           (!o->dG.data || glue_sized(&o->dG, "output", n * Q * Q * Q)) &&
           (!o->magnification.data || glue_sized(&o->magnification, "output", n));
}

/* space_metric(space, exact, x, G or None, dG or None, log magnification or None) */
static PyObject *metric(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *objects[3], *result = NULL;
    int exact;
    glue_array x = {.data = NULL};
    metric_outputs o;
    (void)self;
    memset(&o, 0, sizeof o);
    if (!PyArg_ParseTuple(args, "O&pOOOO", convert_space, &l, &exact, &in, &objects[0], &objects[1],
                          &objects[2]))
        return NULL;
    size_t Q = rm2_space_dim(l->space);
    if (glue_read(in, "latents", false, &x) && glue_rows(&x, "latents", Q) &&
        convert_outputs(objects, x.rows, Q, &o)) {
        const rm2_metric *g = exact ? rm2_space_exact_metric(l->space) : rm2_space_metric(l->space);
        SPACE_CALL(result, Py_NewRef(Py_None), l, NULL, run_metric(ctx, g, &x, &o));
    }
    GLUE_RELEASE(&x, &o.G, &o.dG, &o.magnification);
    return result;
}

/* space_spread(space, x, directions or None, mean, deviation) */
static PyObject *spread(PyObject *self, PyObject *args) {
    latent_space *l;
    PyObject *in, *along, *out[2], *result = NULL;
    glue_array x = {.data = NULL}, a = {.data = NULL}, m = {.data = NULL}, d = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", convert_space, &l, &in, &along, &out[0], &out[1]))
        return NULL;
    if (glue_read(in, "latents", false, &x) && glue_read(along, "directions", true, &a) &&
        glue_write(out[0], "output", false, &m) && glue_write(out[1], "output", false, &d) &&
        glue_rows(&x, "latents", rm2_space_dim(l->space)) &&
        (!a.data || glue_sized(&a, "directions", x.count)) && glue_sized(&m, "output", x.rows) &&
        glue_sized(&d, "output", x.rows))
        SPACE_CALL(result, Py_NewRef(Py_None), l, NULL,
                   rm2_metric_spread(ctx, rm2_space_exact_metric(l->space), x.rows, x.data, a.data,
                                     m.data, d.data));
    GLUE_RELEASE(&x, &a, &m, &d);
    return result;
}

/* ---- lengths -------------------------------------------------------------------------------- */

typedef enum length_kind { POLYGON, STRAIGHT, EXPECTED } length_kind;

static rm2_status measure(rm2_context *ctx, const rm2_space *space, length_kind kind,
                          size_t samples, const glue_array *x, double result[2]) {
    if (kind == POLYGON)
        return rm2_space_path_length(ctx, space, x->rows, x->data, &result[0], &result[1]);
    if (kind == STRAIGHT)
        return rm2_space_straight_length(ctx, space, x->rows, x->data, &result[0]);
    return rm2_space_expected_length(ctx, space, x->rows, x->data, samples, &result[0], &result[1]);
}

/* space_length(space, kind, path, samples, seed): (length, energy or standard error). */
static PyObject *length(PyObject *self, PyObject *args) {
    latent_space *l;
    int kind;
    PyObject *in, *result = NULL;
    Py_ssize_t samples;
    unsigned long long seed;
    glue_array x;
    double found[2] = {0, 0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&iOnK", convert_space, &l, &kind, &in, &samples, &seed) ||
        !glue_read(in, "path", false, &x))
        return NULL;
    if (glue_rows(&x, "path", rm2_space_dim(l->space)))
        SPACE_CALL(result, Py_BuildValue("dd", found[0], found[1]), l, NULL,
                   (rm2_context_set_seed(ctx, seed),
                    measure(ctx, l->space, (length_kind)kind, samples > 0 ? (size_t)samples : 0, &x,
                            found)));
    glue_release(&x);
    return result;
}

PyMethodDef metric_functions[] = {
    {"space_metric", metric, METH_VARARGS, NULL},
    {"space_spread", spread, METH_VARARGS, NULL},
    {"space_length", length, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
