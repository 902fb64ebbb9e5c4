/* Figures of the library. Without Cairo the functions are not there. */
#include "glue.h"

#ifdef RM2_PYTHON_PLOT

#include <riemann2/plot.h>
#include <string.h>

static void release(void *thing) {
    rm2_figure_free(thing);
}

static void release_nothing(void *thing) {
    (void)thing; /* panels belong to their figure, the handle's owner */
}

static const handle_kind figure_kind = {"figure", release};
static const handle_kind panel_kind = {"panel", release_nothing};

static int convert_panel(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &panel_kind)) != NULL;
}

/* figure(settings) */
static PyObject *make(PyObject *self, PyObject *dict) {
    rm2_figure_settings s = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    (void)self;
    if (!glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_FIGURE), &s))
        return NULL;
    PyObject *result = NULL;
    GLUE_VALUE(result, glue_wrap(&figure_kind, figure, NULL), NULL,
               rm2_figure_create(ctx, &s, &figure));
    return result;
}

/* figure_save(figure, path, dpi, overwrite) */
static PyObject *save(PyObject *self, PyObject *args) {
    PyObject *object;
    const char *path;
    double dpi;
    int overwrite;
    (void)self;
    if (!PyArg_ParseTuple(args, "Osdp", &object, &path, &dpi, &overwrite))
        return NULL;
    const rm2_figure *figure = glue_unwrap(object, &figure_kind);
    PyObject *result = NULL;
    if (figure)
        GLUE_CALL(result, NULL, rm2_figure_save(ctx, figure, path, dpi, overwrite != 0));
    return result;
}

/* ---- panels --------------------------------------------------------------------------------- */

/* (label or None, min, max, log, hidden) */
static bool convert_axis(PyObject *tuple, rm2_axis *axis) {
    int logarithmic, hidden;
    const char *label;
    if (!PyArg_ParseTuple(tuple, "zddpp", &label, &axis->min, &axis->max, &logarithmic, &hidden))
        return false;
    if (label)
        axis->label = label;
    axis->log = logarithmic != 0;
    axis->hidden = hidden != 0;
    return true;
}

/* The panel of a factor of a manifold, or of a kind. */
static bool convert_kind(PyObject *manifold, Py_ssize_t kind, rm2_panel_settings *s) {
    if (manifold == Py_None) {
        *s = rm2_panel_settings_default((rm2_panel_kind)kind);
        return true;
    }
    const rm2_manifold *m;
    rm2_context *ctx = convert_manifold(manifold, &m) ? glue_enter() : NULL;
    *s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    return ctx && glue_left(ctx, rm2_panel_settings_factor(ctx, m, (size_t)kind, s));
}

/* The texts of a list, which they belong to; freed with PyMem_Free. */
static const char **convert_names(PyObject *list, size_t *count) {
    Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : -1;
    if (n < 0) {
        PyErr_SetString(PyExc_TypeError, "names: expected a list");
        return NULL;
    }
    const char **texts = PyMem_Calloc((size_t)n + 1, sizeof *texts);
    if (!texts) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t k = 0; k < n; k++)
        if (!(texts[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL))) {
            PyMem_Free((void *)texts);
            return NULL;
        }
    *count = (size_t)n;
    return texts;
}

/* panel(figure, row, column, manifold or None, kind or factor, title or None, x, y, z, equal, legend, azimuth or
 * NaN, elevation or NaN, names or None): (panel, kind) */
static PyObject *add_panel(PyObject *self, PyObject *args) {
    PyObject *object, *manifold, *axes[3], *names;
    Py_ssize_t row, column, kind;
    const char *title;
    int equal, legend;
    double azimuth, elevation;
    rm2_panel_settings s;
    rm2_panel *panel = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OnnOnzOOOpiddO", &object, &row, &column, &manifold, &kind, &title,
                          &axes[0], &axes[1], &axes[2], &equal, &legend, &azimuth, &elevation,
                          &names))
        return NULL;
    rm2_figure *figure = glue_unwrap(object, &figure_kind);
    if (!figure || !convert_kind(manifold, kind, &s) || !convert_axis(axes[0], &s.x) ||
        !convert_axis(axes[1], &s.y) || !convert_axis(axes[2], &s.z))
        return NULL;
    s.title = title;
    s.equal = s.equal || equal;
    s.legend = (rm2_legend)legend;
    s.azimuth = azimuth == azimuth ? azimuth : s.azimuth;
    s.elevation = elevation == elevation ? elevation : s.elevation;
    const char **texts = NULL;
    if (names != Py_None && !(texts = convert_names(names, &s.name_count)))
        return NULL;
    s.names = texts;
    rm2_context *ctx = glue_enter();
    bool good =
        ctx && glue_left(ctx, rm2_figure_panel(ctx, figure, row < 0 ? SIZE_MAX : (size_t)row,
                                               column < 0 ? SIZE_MAX : (size_t)column, &s, &panel));
    PyMem_Free((void *)texts);
    PyObject *made = good ? glue_wrap(&panel_kind, panel, object) : NULL;
    return made ? Py_BuildValue("Ni", made, (int)s.kind) : NULL;
}

/* ---- items ---------------------------------------------------------------------------------- */

/* (label or None, colour, width, dash, marker, size, opacity, halo) */
static bool convert_style(PyObject *tuple, rm2_style *s) {
    unsigned int colour;
    int dash, marker, halo;
    memset(s, 0, sizeof *s);
    if (!PyArg_ParseTuple(tuple, "zIdiiddp", &s->label, &colour, &s->width, &dash, &marker,
                          &s->size, &s->opacity, &halo))
        return false;
    s->colour = colour;
    s->dash = (rm2_dash)dash;
    s->marker = (rm2_marker)marker;
    s->halo = halo != 0;
    return true;
}

typedef enum item { CURVE, POINTS, BAND, ELLIPSES, FRAMES, ARM, FACTOR, FACTOR_POINTS } item;

typedef struct drawing {
    rm2_panel *panel;
    const rm2_manifold *manifold;
    Py_ssize_t n, number; /* items; joints of an arm, or factor */
    glue_array a, b, c;
    rm2_style style;
} drawing;

static rm2_status draw(rm2_context *ctx, item what, const drawing *d) {
    size_t n = (size_t)d->n, number = (size_t)d->number;
    switch (what) {
    case CURVE:
        return rm2_plot_curve(ctx, d->panel, n, d->a.data, &d->style);
    case POINTS:
        return rm2_plot_points(ctx, d->panel, n, d->a.data, &d->style);
    case BAND:
        return rm2_plot_band(ctx, d->panel, n, d->a.data, d->b.data, d->c.data, &d->style);
    case ELLIPSES:
        return rm2_plot_ellipses(ctx, d->panel, n, d->a.data, d->b.data, &d->style);
    case FRAMES:
        return rm2_plot_frames(ctx, d->panel, n, d->a.data, d->b.data, &d->style);
    case ARM:
        return rm2_plot_arm(ctx, d->panel, n, number, d->a.data, &d->style);
    case FACTOR_POINTS:
        return rm2_plot_factor_points(ctx, d->panel, d->manifold, number, n, d->a.data, &d->style);
    case FACTOR:
        break;
    }
    return rm2_plot_factor(ctx, d->panel, d->manifold, number, n, d->a.data, &d->style);
}

/* plot(panel, item, n, number, manifold or None, a, b, c, style): arrays have been checked in Python. */
static PyObject *plot(PyObject *self, PyObject *args) {
    PyObject *manifold, *objects[3], *tuple, *result = NULL;
    int what;
    drawing d;
    (void)self;
    memset(&d, 0, sizeof d);
    if (!PyArg_ParseTuple(args, "O&innOOOOO", convert_panel, &d.panel, &what, &d.n, &d.number,
                          &manifold, &objects[0], &objects[1], &objects[2], &tuple) ||
        !convert_style(tuple, &d.style) ||
        (manifold != Py_None && !convert_manifold(manifold, &d.manifold)))
        return NULL;
    if (glue_read(objects[0], "points", true, &d.a) &&
        glue_read(objects[1], "second", true, &d.b) && glue_read(objects[2], "third", true, &d.c))
        GLUE_LOCKED(result, draw(ctx, (item)what, &d));
    GLUE_RELEASE(&d.a, &d.b, &d.c);
    return result;
}

/* plot_groups(panel, points, width, groups, names, style): one number and one name per group. */
static PyObject *plot_groups(PyObject *self, PyObject *args) {
    rm2_panel *panel;
    PyObject *in, *numbers, *names, *tuple, *result = NULL;
    Py_ssize_t width;
    glue_array x = {.data = NULL};
    rm2_style style;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OnOOO", convert_panel, &panel, &in, &width, &numbers, &names,
                          &tuple) ||
        !convert_style(tuple, &style) || !PyList_Check(numbers) || !PyList_Check(names))
        return NULL;
    size_t n = (size_t)PyList_Size(numbers), count = (size_t)PyList_Size(names);
    size_t *group = PyMem_Calloc(n + 1, sizeof *group);
    const char **texts = PyMem_Calloc(count + 1, sizeof *texts);
    bool good = group && texts && glue_read(in, "points", false, &x) &&
                glue_sized(&x, "points", n * (width > 0 ? (size_t)width : 0));
    for (size_t k = 0; good && k < n; k++)
        group[k] = PyLong_AsSize_t(PyList_GetItem(numbers, (Py_ssize_t)k));
    for (size_t k = 0; good && k < count; k++)
        good = (texts[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, (Py_ssize_t)k), NULL)) !=
               NULL;
    const rm2_groups groups = {n, x.data, group, count, texts};
    if (good && !PyErr_Occurred())
        GLUE_LOCKED(result, rm2_plot_groups(ctx, panel, &groups, &style));
    PyMem_Free(group);
    PyMem_Free((void *)texts);
    glue_release(&x);
    return result;
}

/* plot_heat(panel, values, columns, rows, x_min, x_max, y_min, y_max, label or None, min, max, log, contours) */
static PyObject *plot_heat(PyObject *self, PyObject *args) {
    rm2_panel *panel;
    PyObject *in, *result = NULL;
    glue_array x;
    rm2_heat_map h;
    Py_ssize_t columns, rows, contours;
    int logarithmic;
    (void)self;
    memset(&h, 0, sizeof h);
    if (!PyArg_ParseTuple(args, "O&Onnddddzddpn", convert_panel, &panel, &in, &columns, &rows,
                          &h.x_min, &h.x_max, &h.y_min, &h.y_max, &h.label, &h.min, &h.max,
                          &logarithmic, &contours) ||
        !glue_read(in, "values", false, &x))
        return NULL;
    h.columns = (size_t)columns;
    h.rows = (size_t)rows;
    h.values = x.data;
    h.log = logarithmic != 0;
    h.contours = contours > 0 ? (size_t)contours : 0;
    if (columns >= 0 && rows >= 0 && glue_sized(&x, "values", h.columns * h.rows))
        GLUE_LOCKED(result, rm2_plot_heat(ctx, panel, &h));
    glue_release(&x);
    return result;
}

/* plot_matrices(panel, values, count, n, correlation, limit, name or None, label or None) */
static PyObject *plot_matrices(PyObject *self, PyObject *args) {
    rm2_panel *panel;
    PyObject *in, *result = NULL;
    glue_array x;
    rm2_matrices m;
    Py_ssize_t count, n;
    int correlation;
    (void)self;
    memset(&m, 0, sizeof m);
    if (!PyArg_ParseTuple(args, "O&Onnpdzz", convert_panel, &panel, &in, &count, &n, &correlation,
                          &m.limit, &m.name, &m.label) ||
        !glue_read(in, "values", false, &x))
        return NULL;
    m.count = (size_t)count;
    m.n = (size_t)n;
    m.values = x.data;
    m.correlation = correlation != 0;
    if (count >= 0 && n >= 0 && glue_sized(&x, "values", m.count * m.n * m.n))
        GLUE_LOCKED(result, rm2_plot_matrices(ctx, panel, &m));
    glue_release(&x);
    return result;
}

/* plot_regions(panel, text, dim, style): keep-out regions, as rm2_regions_parse reads them. */
static PyObject *plot_regions(PyObject *self, PyObject *args) {
    rm2_panel *panel;
    PyObject *tuple;
    const char *text;
    Py_ssize_t dim;
    rm2_style style;
    rm2_region *regions = NULL;
    size_t count = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&snO", convert_panel, &panel, &text, &dim, &tuple) ||
        !convert_style(tuple, &style))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status = rm2_regions_parse(ctx, text, dim > 0 ? (size_t)dim : 0, &count, &regions);
    for (size_t k = 0; k < count && status == RM2_OK; k++)
        status = rm2_plot_region(ctx, panel, &regions[k], &style);
    rm2_free(regions);
    return glue_leave(ctx, status);
}

PyMethodDef plot_functions[] = {
    {"figure", make, METH_O, NULL},
    {"figure_save", save, METH_VARARGS, NULL},
    {"panel", add_panel, METH_VARARGS, NULL},
    {"plot", plot, METH_VARARGS, NULL},
    {"plot_groups", plot_groups, METH_VARARGS, NULL},
    {"plot_heat", plot_heat, METH_VARARGS, NULL},
    {"plot_matrices", plot_matrices, METH_VARARGS, NULL},
    {"plot_regions", plot_regions, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#else

PyMethodDef plot_functions[] = {{NULL, NULL, 0, NULL}};

#endif
