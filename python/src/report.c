/* What training finds besides the model: fidelity, points held out, the demonstrations of a start, latent dimensions to choose from. */
#include "glue.h"

/* model_fidelity(model): (residual, that of the mean, of principal components, coincident latents, worse than components). */
static PyObject *fidelity(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    rm2_fidelity f = {.size = sizeof f};
    (void)self;
    PyObject *result = NULL;
    if (model)
        GLUE_VALUE(result,
                   Py_BuildValue("dddnO", f.residual, f.mean, f.components,
                                 (Py_ssize_t)f.coincident, f.worse ? Py_True : Py_False),
                   NULL, rm2_model_fidelity(ctx, model, &f));
    return result;
}

/* model_held_out(model): the members of rm2_held_out in their order. */
static PyObject *held_out(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    rm2_held_out h = {.size = sizeof h};
    (void)self;
    PyObject *result = NULL;
    if (model)
        GLUE_VALUE(result,
                   Py_BuildValue("nndddddddddddO", (Py_ssize_t)h.points, (Py_ssize_t)h.folds,
                                 h.residual, h.mean, h.components, h.explained, h.plane,
                                 h.explained_error, h.log_density, h.ppca, h.ledoit_wolf,
                                 h.ppca_error, h.ledoit_wolf_error,
                                 h.structure ? Py_True : Py_False),
                   NULL, rm2_model_held_out(ctx, model, &h));
    return result;
}

/* ---- demonstrations of a start ---------------------------------------------------------------- */

static PyObject *demo_tuple(const rm2_start_demo *d) {
    return Py_BuildValue("nOddddnnndd", (Py_ssize_t)d->family, d->reversed ? Py_True : Py_False,
                         d->begin, d->end, d->misfit, d->unevenness, (Py_ssize_t)d->outliers,
                         (Py_ssize_t)d->resting, (Py_ssize_t)d->outlier, d->outlier_distance,
                         d->jitter);
}

static PyObject *family_tuple(const rm2_start_family *f) {
    return Py_BuildValue("nnO", (Py_ssize_t)f->demos, (Py_ssize_t)f->reference,
                         f->complete ? Py_True : Py_False);
}

/* (are families labels, demonstrations, families), or None. */
static PyObject *report_tuple(const rm2_start_report *r) {
    if (!r)
        return Py_NewRef(Py_None);
    PyObject *demos = PyList_New(0), *families = PyList_New(0);
    for (size_t k = 0; demos && k < r->demos; k++)
        glue_append(&demos, demo_tuple(&r->demo[k]));
    for (size_t k = 0; demos && families && k < r->families; k++)
        glue_append(&families, family_tuple(&r->family[k]));
    return Py_BuildValue("ONN", r->labelled ? Py_True : Py_False, demos, families);
}

/* model_start(model) */
static PyObject *start_of(PyObject *self, PyObject *object) {
    const rm2_model *model = glue_unwrap(object, &model_kind);
    (void)self;
    return model ? report_tuple(rm2_model_info_of(model)->start_report) : NULL;
}

static rm2_status inspect_data(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                               rm2_start_report **report) {
    rm2_fit_plan *plan;
    rm2_status status = rm2_fit_plan_create(ctx, data, s, &plan);
    if (status == RM2_OK)
        status = rm2_fit_inspect(ctx, plan, report);
    rm2_fit_plan_free(plan);
    return status;
}

/* fit_inspect(data, settings) */
static PyObject *inspect(PyObject *self, PyObject *args) {
    const rm2_data *data;
    PyObject *dict, *result = NULL;
    rm2_start_report *report = NULL;
    rm2_setting_text *texts = NULL;
    rm2_fit_settings s;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", convert_data, &data, &dict))
        return NULL;
    if (glue_fit_settings(dict, &texts, &s))
        GLUE_VALUE(result, report_tuple(report), NULL, inspect_data(ctx, data, &s, &report));
    PyMem_Free(texts);
    rm2_start_report_free(report);
    return result;
}

/* ---- latent dimensions ------------------------------------------------------------------------ */

enum { CHOICES = 32 }; /* latent dimensions to try at most */

/* fit_choose_latent(data, settings, largest, callback): (rows of (dimension, points, log density, standard error,
 * residual), the row that is chosen). */
static PyObject *choose_latent(PyObject *self, PyObject *args) {
    const rm2_data *data;
    PyObject *dict;
    Py_ssize_t largest;
    glue_watcher watcher = {NULL, false, false};
    rm2_latent_choice rows[CHOICES];
    size_t tried = 0, chosen = 0;
    rm2_setting_text *texts = NULL;
    rm2_fit_settings s;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OnO", convert_data, &data, &dict, &largest, &watcher.callback))
        return NULL;
    if (largest < 1 || largest > CHOICES)
        return PyErr_Format(PyExc_ValueError, "largest: expected 1 to %d, got %zd", CHOICES,
                            largest);
    PyObject *list = NULL;
    if (glue_fit_settings(dict, &texts, &s))
        GLUE_VALUE(list, PyList_New(0), &watcher,
                   rm2_fit_choose_latent(ctx, data, &s, (size_t)largest, rows, &tried, &chosen));
    PyMem_Free(texts);
    for (size_t k = 0; list && k < tried; k++)
        glue_append(&list, Py_BuildValue("nnddd", (Py_ssize_t)rows[k].latent_dim,
                                         (Py_ssize_t)rows[k].points, rows[k].log_density,
                                         rows[k].standard_error, rows[k].residual));
    return list ? Py_BuildValue("Nn", list, (Py_ssize_t)chosen) : NULL;
}

PyMethodDef report_functions[] = {
    {"model_fidelity", fidelity, METH_O, NULL},
    {"model_held_out", held_out, METH_O, NULL},
    {"model_start", start_of, METH_O, NULL},
    {"fit_inspect", inspect, METH_VARARGS, NULL},
    {"fit_choose_latent", choose_latent, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
