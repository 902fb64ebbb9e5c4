/* Robot arms: kinematics, inverse kinematics, tracking. */
#include "glue.h"

#include <string.h>

static void release(void *thing) {
    rm2_arm_free(thing);
}

const handle_kind arm_kind = {"robot arm", release};

int convert_arm(PyObject *object, void *address) {
    return (*(void **)address = glue_unwrap(object, &arm_kind)) != NULL;
}

static PyObject *wrap_made(rm2_context *ctx, rm2_status status, rm2_arm *arm) {
    PyObject *none = glue_leave(ctx, status);
    Py_XDECREF(none);
    return none ? glue_wrap(&arm_kind, arm, NULL) : NULL;
}

/* arm(spec) */
static PyObject *open_arm(PyObject *self, PyObject *args) {
    const char *spec;
    rm2_arm *arm = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &spec))
        return NULL;
    rm2_context *ctx = glue_enter();
    if (!ctx)
        return NULL;
    rm2_status status = rm2_arm_read(ctx, spec, &arm);
    return wrap_made(ctx, status, arm);
}

/* arm_from_links(name, rows of a, d, alpha, theta, lower, upper, speed) */
static PyObject *make_arm(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *in;
    glue_array x;
    rm2_arm *arm = NULL;
    rm2_link links[RM2_ARM_MAX_LINKS];
    (void)self;
    if (!PyArg_ParseTuple(args, "sO", &name, &in) || !glue_read(in, "links", false, &x))
        return NULL;
    bool good = glue_rows(&x, "links", 7);
    if (good && x.rows > RM2_ARM_MAX_LINKS) {
        PyErr_Format(PyExc_ValueError, "links: expected at most %d, got %zu", RM2_ARM_MAX_LINKS,
                     x.rows);
        good = false;
    }
    for (size_t k = 0; good && k < x.rows; k++) {
        const double *row = x.data + 7 * k;
        links[k] = (rm2_link){row[0], row[1], row[2], row[3], row[4], row[5], row[6]};
    }
    rm2_context *ctx = good ? glue_enter() : NULL;
    size_t count = x.rows;
    glue_release(&x);
    if (!ctx)
        return NULL;
    rm2_status status = rm2_arm_create(ctx, name, links, count, &arm);
    return wrap_made(ctx, status, arm);
}

/* arm_info(arm): (name, joints, links, reach, list of (lower, upper, speed, name) of the joints) */
static PyObject *describe(PyObject *self, PyObject *object) {
    const rm2_arm *arm = glue_unwrap(object, &arm_kind);
    (void)self;
    PyObject *list = arm ? PyList_New(0) : NULL;
    for (size_t k = 0; list && k < rm2_arm_joints(arm); k++) {
        const rm2_link *link = rm2_arm_joint(arm, k);
        glue_append(&list, Py_BuildValue("ddds", link->lower, link->upper, link->speed,
                                         rm2_arm_joint_name(arm, k)));
    }
    return list ? Py_BuildValue("snndN", rm2_arm_name(arm), (Py_ssize_t)rm2_arm_joints(arm),
                                (Py_ssize_t)rm2_arm_links(arm), rm2_arm_reach(arm), list)
                : NULL;
}

/* arm_bodies(arm): list of (name, radius) */
static PyObject *list_bodies(PyObject *self, PyObject *object) {
    const rm2_arm *arm = glue_unwrap(object, &arm_kind);
    (void)self;
    PyObject *list = arm ? PyList_New(0) : NULL;
    for (size_t k = 0; list && k < rm2_arm_bodies(arm); k++) {
        const rm2_arm_body *body = rm2_arm_body_at(arm, k);
        glue_append(&list, Py_BuildValue("sd", body->name, body->radius));
    }
    return list;
}

/* arm_set_radii(arm, radii) */
static PyObject *set_radii(PyObject *self, PyObject *args) {
    rm2_arm *arm;
    PyObject *in, *result = NULL;
    glue_array x;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", convert_arm, &arm, &in) ||
        !glue_read(in, "link_radius", false, &x))
        return NULL;
    GLUE_LOCKED(result, rm2_arm_set_radii(ctx, arm, x.count, x.data));
    glue_release(&x);
    return result;
}

/* What links keep away from. */
typedef struct links_scene {
    rm2_arm_scene scene;
    rm2_region *regions; /* to be freed with rm2_free */
} links_scene;

/* Regions from a text, `dim` numbers per point. */
static bool convert_scene(const char *text, size_t dim, double clearance, double self_clearance,
                          links_scene *s) {
    s->scene = (rm2_arm_scene){.clearance = clearance, .self_clearance = self_clearance};
    if (!*text)
        return true;
    rm2_context *ctx = glue_enter();
    bool good =
        ctx && glue_left(ctx, rm2_regions_parse(ctx, text, dim, &s->scene.count, &s->regions));
    s->scene.regions = s->regions;
    return good;
}

/* ---- kinematics ----------------------------------------------------------------------------- */

typedef enum quantity { POSE, SKELETON, JACOBIAN, MANIPULABILITY, DERIVATIVE } quantity;

static size_t width_of(const rm2_arm *arm, quantity what, size_t dim) {
    switch (what) {
    case POSE:
        return 7;
    case SKELETON:
        return 3 * (rm2_arm_links(arm) + 1);
    case JACOBIAN:
        return 6 * rm2_arm_joints(arm);
    case MANIPULABILITY:
        return dim * dim;
    case DERIVATIVE:
        break;
    }
    return rm2_arm_joints(arm) * dim * dim;
}

static rm2_status compute(rm2_context *ctx, const rm2_arm *arm, quantity what, size_t dim,
                          const glue_array *q, double *out) {
    switch (what) {
    case POSE:
        return rm2_arm_pose(ctx, arm, q->rows, q->data, out);
    case SKELETON:
        return rm2_arm_skeleton(ctx, arm, q->rows, q->data, out);
    case JACOBIAN:
        return rm2_arm_jacobian(ctx, arm, q->rows, q->data, out);
    case MANIPULABILITY:
        return rm2_arm_manipulability(ctx, arm, dim, q->rows, q->data, out);
    case DERIVATIVE:
        break;
    }
    return rm2_arm_manipulability_derivative(ctx, arm, dim, q->rows, q->data, out);
}

/* arm_compute(arm, quantity, dim, q, out) */
static PyObject *kinematics(PyObject *self, PyObject *args) {
    const rm2_arm *arm;
    int what;
    Py_ssize_t dim;
    PyObject *in, *out, *result = NULL;
    glue_array q = {.data = NULL}, y = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&inOO", convert_arm, &arm, &what, &dim, &in, &out))
        return NULL;
    if (dim < 2 || dim > 3)
        return PyErr_Format(PyExc_ValueError, "dim: expected 2 or 3, got %zd", dim);
    size_t width = width_of(arm, (quantity)what, (size_t)dim);
    if (glue_read(in, "q", false, &q) && glue_write(out, "output", false, &y) &&
        glue_rows(&q, "q", rm2_arm_joints(arm)) && glue_sized(&y, "output", q.rows * width))
        GLUE_CALL(result, NULL, compute(ctx, arm, (quantity)what, (size_t)dim, &q, y.data));
    GLUE_RELEASE(&q, &y);
    return result;
}

/* (distance, body, other, at) */
static PyObject *nearest_tuple(const rm2_arm_nearest *n) {
    return Py_BuildValue("dnnd", n->distance, (Py_ssize_t)n->body, (Py_ssize_t)n->other, n->at);
}

/* arm_clearance(arm, regions, dim, clearance, self clearance, q, rows): (kept, nearest region, nearest of links) */
static PyObject *measure_clearance(PyObject *self, PyObject *args) {
    const rm2_arm *arm;
    const char *text;
    Py_ssize_t dim;
    double clearance, self_clearance;
    PyObject *in, *out, *result = NULL;
    glue_array q = {.data = NULL}, rows = {.data = NULL};
    links_scene s = {.regions = NULL};
    rm2_arm_clearance_info info = {.size = sizeof info};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&snddOO", convert_arm, &arm, &text, &dim, &clearance,
                          &self_clearance, &in, &out))
        return NULL;
    if (glue_read(in, "q", false, &q) && glue_write(out, "output", false, &rows) &&
        glue_rows(&q, "q", rm2_arm_joints(arm)) && glue_sized(&rows, "output", 2 * q.rows) &&
        convert_scene(text, dim > 0 ? (size_t)dim : 0, clearance, self_clearance, &s))
        GLUE_VALUE(result,
                   Py_BuildValue("NNN", PyBool_FromLong(info.kept), nearest_tuple(&info.region),
                                 nearest_tuple(&info.self)),
                   NULL, rm2_arm_clearance(ctx, arm, &s.scene, q.rows, q.data, rows.data, &info));
    rm2_free(s.regions);
    GLUE_RELEASE(&q, &rows);
    return result;
}

/* arm_velocities(arm, q, time, out): stretch */
static PyObject *velocities(PyObject *self, PyObject *args) {
    const rm2_arm *arm;
    PyObject *in, *clock, *out, *result = NULL;
    glue_array q = {.data = NULL}, time = {.data = NULL}, v = {.data = NULL};
    double stretch = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", convert_arm, &arm, &in, &clock, &out))
        return NULL;
    if (glue_read(in, "q", false, &q) && glue_read(clock, "time", false, &time) &&
        glue_write(out, "output", false, &v) && glue_rows(&q, "q", rm2_arm_joints(arm)) &&
        glue_sized(&time, "time", q.rows) && glue_sized(&v, "output", q.count))
        GLUE_VALUE(result, PyFloat_FromDouble(stretch), NULL,
                   rm2_arm_velocities(ctx, arm, q.rows, q.data, time.data, v.data, &stretch));
    GLUE_RELEASE(&q, &time, &v);
    return result;
}

/* ---- tracking ------------------------------------------------------------------------------- */

/* (settings, regions or None, clearance, self clearance) */
static bool convert_settings(PyObject *tuple, const glue_array *start, const rm2_arm *arm,
                             size_t dim, links_scene *links, rm2_track_settings *s) {
    PyObject *dict;
    const char *regions;
    double clearance, self_clearance;
    *s = rm2_track_settings_default();
    if (!PyArg_ParseTuple(tuple, "Ozdd", &dict, &regions, &clearance, &self_clearance) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_TRACK), s))
        return false;
    if (regions && !convert_scene(regions, dim, clearance, self_clearance, links))
        return false;
    s->scene = regions ? &links->scene : NULL;
    s->start = start->data;
    return !start->data || glue_sized(start, "start", rm2_arm_joints(arm));
}

static bool convert_task(const rm2_manifold *m, rm2_arm_task *task) {
    rm2_context *ctx = glue_enter();
    return ctx && glue_left(ctx, rm2_arm_task_from_manifold(ctx, m, task));
}

/* Errors as rows of (position, orientation, ellipsoid, missed). */
static void spread_errors(size_t n, const rm2_track_error *errors, double *out) {
    for (size_t k = 0; k < n; k++) {
        out[4 * k] = errors[k].position;
        out[4 * k + 1] = errors[k].orientation;
        out[4 * k + 2] = errors[k].ellipsoid;
        out[4 * k + 3] = errors[k].missed;
    }
}

/* Arrays of a call for targets. */
typedef struct tracking {
    const rm2_arm *arm;
    const rm2_manifold *manifold;
    PyObject *tuple;
    unsigned long long seed;
    rm2_arm_task task;
    rm2_track_settings settings;
    links_scene links;
    glue_array x, time, start, q, errors;
} tracking;

static bool convert_tracking(PyObject *const *objects, tracking *t) {
    return convert_task(t->manifold, &t->task) && glue_read(objects[0], "targets", false, &t->x) &&
           glue_read(objects[1], "time", true, &t->time) &&
           glue_read(objects[2], "start", true, &t->start) &&
           glue_rows(&t->x, "targets", rm2_arm_task_width(&t->task)) &&
           (!t->time.data || glue_sized(&t->time, "time", t->x.rows)) &&
           convert_settings(t->tuple, &t->start, t->arm, t->task.dim, &t->links, &t->settings);
}

static void release_tracking(tracking *t) {
    rm2_free(t->links.regions);
    GLUE_RELEASE(&t->x, &t->time, &t->start, &t->q, &t->errors);
}

static PyObject *info_tuple(const rm2_arm *arm, const rm2_track_info *i) {
    char why[500];
    bool joint = i->cause != RM2_TRACK_NOT_MISSED && i->cause_joint != SIZE_MAX;
    rm2_track_cause_text(arm, i, why, sizeof why);
    return Py_BuildValue("nndnddnnnndnnns", (Py_ssize_t)i->missed, (Py_ssize_t)i->worst, i->margin,
                         (Py_ssize_t)i->margin_joint, i->largest_step, i->stretch,
                         (Py_ssize_t)i->stretch_joint, (Py_ssize_t)i->cause,
                         (Py_ssize_t)i->cause_target, joint ? (Py_ssize_t)i->cause_joint : -1,
                         i->cause_limit, (Py_ssize_t)i->jumps, (Py_ssize_t)i->jump_target,
                         (Py_ssize_t)i->jump_joint, why);
}

static PyObject *run_tracking(tracking *t, bool one) {
    PyObject *result = NULL;
    rm2_track_info info = {.size = sizeof info};
    rm2_arm_targets targets = {&t->task, t->x.rows, t->x.data, t->time.data};
    rm2_track_error *errors = PyMem_Calloc(t->x.rows + 1, sizeof *errors);
    rm2_context *ctx = errors ? glue_enter() : NULL;
    if (ctx) {
        errors->size = sizeof *errors;
        glue_watcher watcher = {Py_None, false, false};
        rm2_status status;
        rm2_context_set_seed(ctx, t->seed);
        glue_watch(ctx, &watcher);
        if (one)
            GLUE_RUN(status, rm2_arm_solve(ctx, t->arm, &t->task, t->x.data, &t->settings,
                                           t->q.data, errors));
        else
            GLUE_RUN(status,
                     rm2_arm_track(ctx, t->arm, &targets, &t->settings, t->q.data, errors, &info));
        PyObject *none = glue_leave(ctx, status);
        if (none) {
            spread_errors(t->x.rows, errors, t->errors.data);
            result = info_tuple(t->arm, &info);
        }
        Py_XDECREF(none);
    }
    PyMem_Free(errors);
    return result;
}

/* arm_track(arm, manifold, targets, time, start, settings, seed, one, q, errors): (missed, worst, margin, margin
 * joint, largest step, stretch, stretch joint, cause, its target, its joint or -1, its limit, jumps, their
 * first target, its joint, why targets were missed). With `one` there is one target, solved alone. */
static PyObject *track(PyObject *self, PyObject *args) {
    PyObject *objects[3], *out[2], *result = NULL;
    int one;
    tracking t;
    (void)self;
    memset(&t, 0, sizeof t);
    if (!PyArg_ParseTuple(args, "O&O&OOOOKpOO", convert_arm, &t.arm, convert_manifold, &t.manifold,
                          &objects[0], &objects[1], &objects[2], &t.tuple, &t.seed, &one, &out[0],
                          &out[1]))
        return NULL;
    if (convert_tracking(objects, &t) && glue_write(out[0], "output", false, &t.q) &&
        glue_write(out[1], "output", false, &t.errors) &&
        glue_sized(&t.q, "output", t.x.rows * rm2_arm_joints(t.arm)) &&
        glue_sized(&t.errors, "output", 4 * t.x.rows) &&
        (!one || glue_sized(&t.x, "target", rm2_arm_task_width(&t.task))))
        result = run_tracking(&t, one != 0);
    release_tracking(&t);
    return result;
}

/* ---- placing -------------------------------------------------------------------------------- */

/* (scale, offset, rotation, ellipsoid scale) as nine numbers. */
static void to_placement(const double *v, rm2_placement *p) {
    *p = rm2_placement_default();
    p->scale = v[0];
    memcpy(p->offset, v + 1, sizeof p->offset);
    memcpy(p->rotation, v + 4, sizeof p->rotation);
    p->ellipsoid_scale = v[8];
}

static void from_placement(const rm2_placement *p, double *v) {
    v[0] = p->scale;
    memcpy(v + 1, p->offset, sizeof p->offset);
    memcpy(v + 4, p->rotation, sizeof p->rotation);
    v[8] = p->ellipsoid_scale;
}

/* arm_place(manifold, placement, targets): targets are changed in place. */
static PyObject *place(PyObject *self, PyObject *args) {
    const rm2_manifold *m;
    PyObject *where, *out, *result = NULL;
    glue_array v = {.data = NULL}, x = {.data = NULL};
    rm2_arm_task task;
    rm2_placement placement;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", convert_manifold, &m, &where, &out) ||
        !convert_task(m, &task))
        return NULL;
    if (glue_read(where, "placement", false, &v) && glue_sized(&v, "placement", 9) &&
        glue_write(out, "targets", false, &x) &&
        glue_rows(&x, "targets", rm2_arm_task_width(&task))) {
        to_placement(v.data, &placement);
        GLUE_CALL(result, NULL, rm2_arm_place(ctx, &task, &placement, x.rows, x.data));
    }
    GLUE_RELEASE(&v, &x);
    return result;
}

/* arm_place_auto(arm, manifold, targets, settings, seed, placement): found; the placement is changed in place. */
static PyObject *place_auto(PyObject *self, PyObject *args) {
    PyObject *objects[3] = {NULL, Py_None, Py_None}, *where, *result = NULL;
    bool found = false;
    glue_array v = {.data = NULL};
    tracking t;
    (void)self;
    memset(&t, 0, sizeof t);
    if (!PyArg_ParseTuple(args, "O&O&OOKO", convert_arm, &t.arm, convert_manifold, &t.manifold,
                          &objects[0], &t.tuple, &t.seed, &where))
        return NULL;
    if (convert_tracking(objects, &t) && glue_write(where, "placement", false, &v) &&
        glue_sized(&v, "placement", 9)) {
        rm2_arm_targets targets = {&t.task, t.x.rows, t.x.data, NULL};
        rm2_placement placement;
        to_placement(v.data, &placement);
        GLUE_VALUE(result, PyBool_FromLong(found), NULL,
                   (rm2_context_set_seed(ctx, t.seed),
                    rm2_arm_place_auto(ctx, t.arm, &targets, &t.settings, &placement, &found)));
        from_placement(&placement, v.data);
    }
    glue_release(&v);
    release_tracking(&t);
    return result;
}

PyMethodDef robot_functions[] = {
    {"arm", open_arm, METH_VARARGS, NULL},
    {"arm_from_links", make_arm, METH_VARARGS, NULL},
    {"arm_info", describe, METH_O, NULL},
    {"arm_bodies", list_bodies, METH_O, NULL},
    {"arm_set_radii", set_radii, METH_VARARGS, NULL},
    {"arm_compute", kinematics, METH_VARARGS, NULL},
    {"arm_clearance", measure_clearance, METH_VARARGS, NULL},
    {"arm_velocities", velocities, METH_VARARGS, NULL},
    {"arm_track", track, METH_VARARGS, NULL},
    {"arm_place", place, METH_VARARGS, NULL},
    {"arm_place_auto", place_auto, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
