/* Motions that meet poses. */
#include "space.h"

static void release(void *thing) {
    rm2_meet_free(thing);
}

static const handle_kind meet_kind = {"motion", release};

/* ---- the request ---------------------------------------------------------------------------- */

enum { ARRAYS = 3 }; /* of a pose: point, latent, velocity */

/* Poses from a list of tuples (point, latent, velocity, middle, time), each None where it is free. */
typedef struct pose_list {
    size_t count;
    rm2_meet_pose *pose;
    glue_array *array; /* ARRAYS of each */
} pose_list;

static void release_poses(pose_list *l) {
    for (size_t k = 0; l->array && k < ARRAYS * l->count; k++)
        glue_release(&l->array[k]);
    PyMem_Free(l->array);
    PyMem_Free(l->pose);
}

static bool convert_pose(PyObject *row, const rm2_model_info *i, rm2_meet_pose *pose,
                         glue_array *array) {
    PyObject *in[ARRAYS], *time;
    int middle;
    const char *const name[ARRAYS] = {"pose", "latents", "velocity"};
    size_t ambient = rm2_manifold_ambient(i->manifold);
    if (!PyArg_ParseTuple(row, "OOOpO", &in[0], &in[1], &in[2], &middle, &time))
        return false;
    for (int k = 0; k < ARRAYS; k++)
        if (!glue_read(in[k], name[k], true, &array[k]) ||
            (array[k].data && !glue_sized(&array[k], name[k], k == 1 ? i->latent_dim : ambient)))
            return false;
    *pose = (rm2_meet_pose){.point = array[0].data,
                            .latent = array[1].data,
                            .velocity = array[2].data,
                            .middle = middle != 0,
                            .timed = time != Py_None};
    if (pose->timed)
        pose->time = PyFloat_AsDouble(time);
    return !PyErr_Occurred();
}

static bool convert_poses(PyObject *list, const rm2_model_info *i, pose_list *l) {
    if (!PyList_Check(list) || PyList_Size(list) < 2) {
        PyErr_SetString(PyExc_TypeError, "poses: expected a list of start, via poses and goal");
        return false;
    }
    l->count = (size_t)PyList_Size(list);
    l->pose = PyMem_Calloc(l->count, sizeof *l->pose);
    l->array = PyMem_Calloc(ARRAYS * l->count, sizeof *l->array);
    if (!l->pose || !l->array) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < l->count; k++)
        if (!convert_pose(PyList_GetItem(list, (Py_ssize_t)k), i, &l->pose[k],
                          l->array + ARRAYS * k))
            return false;
    return true;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* From a list of tuples (kind, then or None, now or None). */
typedef struct frame_list {
    size_t count;
    rm2_task_frame *frame;
    glue_array *array; /* 2 of each */
} frame_list;

static void release_frames(frame_list *l) {
    for (size_t k = 0; l->array && k < 2 * l->count; k++)
        glue_release(&l->array[k]);
    PyMem_Free(l->array);
    PyMem_Free(l->frame);
}

static bool convert_frame(PyObject *row, const rm2_model_info *i, rm2_task_frame *frame,
                          glue_array *array) {
    PyObject *in[2];
    int kind;
    size_t ambient = rm2_manifold_ambient(i->manifold);
    if (!PyArg_ParseTuple(row, "iOO", &kind, &in[0], &in[1]) ||
        !glue_read(in[0], "then", true, &array[0]) || !glue_read(in[1], "now", true, &array[1]) ||
        (array[0].data && !glue_sized(&array[0], "then", i->data->trajectories * ambient)) ||
        (array[1].data && !glue_sized(&array[1], "now", ambient)))
        return false;
    *frame = (rm2_task_frame){(rm2_task_frame_kind)kind, array[0].data, array[1].data};
    return true;
}

static bool convert_frames(PyObject *list, const rm2_model_info *i, frame_list *l) {
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "frames: expected a list");
        return false;
    }
    l->count = (size_t)PyList_Size(list);
    l->frame = PyMem_Calloc(l->count + 1, sizeof *l->frame);
    l->array = PyMem_Calloc(2 * l->count + 1, sizeof *l->array);
    if (!l->frame || !l->array) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < l->count; k++)
        if (!convert_frame(PyList_GetItem(list, (Py_ssize_t)k), i, &l->frame[k], l->array + 2 * k))
            return false;
    return true;
}

/* ---- the motion ----------------------------------------------------------------------------- */

static PyObject *doubles(size_t count, const double *values) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* A dict of numbers, texts and arrays as bytes, with the route's tuple. */
static PyObject *describe(const rm2_meet_result *r, size_t ambient) {
    PyObject *route = curve_tuple(r->route);
    PyObject *family = r->family == SIZE_MAX ? Py_NewRef(Py_None) : PyLong_FromSize_t(r->family);
    if (!route || !family) {
        Py_XDECREF(route);
        Py_XDECREF(family);
        return NULL;
    }
    return Py_BuildValue(
        "{s:N,s:n,s:n,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:d,s:d,s:d,s:N,s:N,s:N,s:N,s:n,s:N,s:("
        "OO),"
        "s:O,s:O,s:O,s:d,s:n,s:s}",
        "route", route, "nodes", (Py_ssize_t)r->nodes, "dim", (Py_ssize_t)r->dim, "phase",
        doubles(r->nodes, r->phase), "route_points", doubles(r->nodes * ambient, r->route_points),
        "points", doubles(r->nodes * ambient, r->points), "correction",
        doubles(r->nodes * r->dim, r->correction), "frames",
        doubles(r->nodes * r->dim * r->dim, r->frames), "corrected",
        doubles(r->nodes * r->factors, r->corrected), "largest", doubles(r->factors, r->largest),
        "variability", doubles(r->nodes * r->factors, r->variability), "over_spread",
        doubles(r->nodes, r->over_spread), "route_over_spread", r->route_over_spread, "stretch",
        r->stretch, "kappa", r->kappa, "pose_nodes", glue_sizes(r->poses, r->pose_nodes),
        "pose_errors", doubles(r->poses * r->factors, r->pose_errors), "pose_shares",
        doubles(r->poses, r->pose_shares), "pose_velocities",
        doubles(r->poses * ambient, r->pose_velocities), "demonstrations",
        (Py_ssize_t)r->demonstrations, "family", family, "context",
        r->context[0] ? Py_True : Py_False, r->context[1] ? Py_True : Py_False, "reversed",
        r->reversed ? Py_True : Py_False, "outside", r->outside ? Py_True : Py_False, "blocked",
        r->blocked ? Py_True : Py_False, "clearance", r->clearance, "plans", (Py_ssize_t)r->plans,
        "reason", r->reason);
}

static PyObject *wrap(rm2_meet *meet, size_t ambient, PyObject *owner) {
    PyObject *result = describe(rm2_meet_result_of(meet), ambient);
    PyObject *handle = result ? glue_wrap(&meet_kind, meet, owner) : NULL;
    if (handle)
        return Py_BuildValue("NN", handle, result);
    if (!result)
        rm2_meet_free(meet);
    Py_XDECREF(result);
    return NULL;
}

/* meet(space, vicinity or None, poses, frames, settings, callback): (handle, results). */
static PyObject *make(PyObject *self, PyObject *args) {
    PyObject *object, *near, *list, *around, *dict, *result = NULL;
    glue_watcher watcher = {NULL, false, false};
    pose_list poses = {.count = 0};
    frame_list frames = {.count = 0};
    rm2_meet_settings s = rm2_meet_settings_default();
    const rm2_vicinity *vicinity = NULL;
    latent_space *l;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO", &object, &near, &list, &around, &dict,
                          &watcher.callback) ||
        !convert_space(object, &l) || (near != Py_None && !convert_vicinity(near, &vicinity)) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_MEET), &s))
        return NULL;
    const rm2_model_info *i = rm2_model_info_of(rm2_space_model(l->space));
    if (!i) {
        PyErr_SetString(PyExc_ValueError, "motions that meet poses need a space of a model");
        return NULL;
    }
    rm2_context *ctx =
        convert_poses(list, i, &poses) && convert_frames(around, i, &frames) ? glue_enter() : NULL;
    if (ctx) {
        rm2_status status;
        rm2_meet *meet = NULL;
        rm2_meet_request request = {poses.pose[0],   poses.pose[poses.count - 1],
                                    poses.count - 2, poses.pose + 1,
                                    frames.count,    frames.frame};
        glue_watch(ctx, &watcher);
        GLUE_RUN(status, rm2_meet_create(ctx, l->space, vicinity, &request, &s, &meet));
        if (leave_space(ctx, status, l))
            result = wrap(meet, rm2_manifold_ambient(i->manifold), object);
    }
    release_poses(&poses);
    release_frames(&frames);
    return result;
}

/* ---- covariances and draws ------------------------------------------------------------------ */

/* meet_covariance(motion, in the pose's frame, covariance or None, variability or None) */
static PyObject *covariance(PyObject *self, PyObject *args) {
    PyObject *object, *first, *second, *result = NULL;
    int pose;
    glue_array cov = {.data = NULL}, spread = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "OpOO", &object, &pose, &first, &second))
        return NULL;
    const rm2_meet *meet = glue_unwrap(object, &meet_kind);
    if (!meet)
        return NULL;
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    size_t size = r->nodes * r->dim * r->dim;
    if (glue_write(first, "output", true, &cov) && glue_write(second, "output", true, &spread) &&
        (!cov.data || glue_sized(&cov, "output", size)) &&
        (!spread.data || glue_sized(&spread, "output", size))) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            GLUE_RUN(status, rm2_meet_covariance(ctx, meet, pose ? RM2_MEET_POSE : RM2_MEET_CARRIED,
                                                 cov.data, spread.data));
            result = glue_leave(ctx, status);
        }
    }
    glue_release(&cov);
    glue_release(&spread);
    return result;
}

/* meet_sample(motion, count, numbers of one, seed, out) */
static PyObject *sample(PyObject *self, PyObject *args) {
    PyObject *object, *out, *result = NULL;
    Py_ssize_t count, size;
    unsigned long long seed;
    glue_array y = {.data = NULL};
    (void)self;
    if (!PyArg_ParseTuple(args, "OnnKO", &object, &count, &size, &seed, &out))
        return NULL;
    const rm2_meet *meet = glue_unwrap(object, &meet_kind);
    if (meet && count >= 0 && size >= 0 && glue_write(out, "output", false, &y) &&
        glue_sized(&y, "output", (size_t)count * (size_t)size)) {
        rm2_context *ctx = glue_enter();
        if (ctx) {
            rm2_status status;
            rm2_context_set_seed(ctx, seed);
            GLUE_RUN(status, rm2_meet_sample(ctx, meet, (size_t)count, y.data));
            result = glue_leave(ctx, status);
        }
    }
    glue_release(&y);
    return result;
}

PyMethodDef meet_functions[] = {
    {"meet", make, METH_VARARGS, NULL},
    {"meet_covariance", covariance, METH_VARARGS, NULL},
    {"meet_sample", sample, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
