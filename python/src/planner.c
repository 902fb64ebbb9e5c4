/* Planners: paths around obstacles that move. */
#include "space.h"

/* A planner; the space is the handle's owner. */
typedef struct planner {
    rm2_planner *planner;
    const rm2_manifold *manifold;
    size_t Q;
    bool busy; /* an update runs; looked at under the lock */
} planner;

static void release(void *thing) {
    planner *p = thing;
    rm2_planner_free(p->planner);
    PyMem_Free(p);
}

static const handle_kind planner_kind = {"planner", release};

/* planner(space, settings) */
static PyObject *make(PyObject *self, PyObject *args) {
    rm2_planner_settings s = rm2_planner_settings_default();
    PyObject *object, *dict;
    latent_space *l = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &object, &dict) || !convert_space(object, &l) ||
        !glue_settings(dict, rm2_settings_table_of(RM2_SETTINGS_PLANNER), &s))
        return NULL;
    const rm2_space *space = l->space;
    planner *p = PyMem_Calloc(1, sizeof *p);
    rm2_context *ctx = p ? glue_enter() : NULL;
    if (!ctx) {
        PyMem_Free(p);
        return p ? NULL : PyErr_NoMemory();
    }
    p->Q = rm2_space_dim(space);
    p->manifold =
        rm2_space_model(space) ? rm2_model_info_of(rm2_space_model(space))->manifold : NULL;
    rm2_status status;
    GLUE_RUN(status, rm2_planner_create(ctx, space, &s, &p->planner));
    if (glue_left(ctx, status))
        return glue_wrap(&planner_kind, p, object);
    release(p);
    return NULL;
}

/* (state, complete, refined, kept, level, latents, positions, their dimension, length, clearance, seconds) */
static PyObject *plan_tuple(const rm2_plan *plan) {
    Py_ssize_t latents = (Py_ssize_t)(plan->nodes * plan->Q * sizeof(double));
    Py_ssize_t positions = (Py_ssize_t)(plan->nodes * plan->dim * sizeof(double));
    return Py_BuildValue("iNNNny#y#nddd", (int)plan->state, PyBool_FromLong(plan->complete),
                         PyBool_FromLong(plan->refined), PyBool_FromLong(plan->kept),
                         (Py_ssize_t)plan->level, (const char *)plan->x, latents,
                         (const char *)plan->positions, positions, (Py_ssize_t)plan->dim,
                         plan->length, plan->clearance, plan->seconds);
}

static PyObject *run(planner *p, const rm2_plan_query *query) {
    const rm2_plan *plan = NULL;
    rm2_context *ctx = glue_enter();
    rm2_status status;
    if (!ctx)
        return NULL;
    p->busy = true;
    GLUE_RUN(status, rm2_planner_update(ctx, p->planner, query, &plan));
    PyObject *result = status == RM2_OK ? plan_tuple(plan) : NULL;
    p->busy = false;
    (void)glue_left(ctx, status);
    return result;
}

/* planner_update(planner, start, goal, texts of obstacles, clearance, seconds) */
static PyObject *update(PyObject *self, PyObject *args) {
    PyObject *object, *from, *to, *result = NULL;
    const char *texts;
    glue_array a = {.data = NULL}, b = {.data = NULL};
    rm2_obstacles obstacles = {.count = 0};
    rm2_region *regions = NULL;
    rm2_plan_query q = rm2_plan_query_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOsdd", &object, &from, &to, &texts, &q.clearance, &q.seconds))
        return NULL;
    planner *p = glue_unwrap(object, &planner_kind);
    if (p && p->busy)
        PyErr_SetString(
            PyExc_RuntimeError,
            "an update of this planner runs on another thread; make a planner for each");
    else if (p && glue_read(from, "start", false, &a) && glue_sized(&a, "start", p->Q) &&
             glue_read(to, "goal", false, &b) && glue_sized(&b, "goal", p->Q) &&
             glue_regions(texts, p->manifold, &obstacles, &regions)) {
        q.count = obstacles.count;
        q.regions = obstacles.regions;
        q.from = a.data;
        q.to = b.data;
        result = run(p, &q);
    }
    rm2_free(regions);
    GLUE_RELEASE(&b, &a);
    return result;
}

static PyObject *forget(PyObject *self, PyObject *object) {
    planner *p = glue_unwrap(object, &planner_kind);
    (void)self;
    if (!p)
        return NULL;
    if (!p->busy)
        rm2_planner_forget(p->planner);
    Py_RETURN_NONE;
}

PyMethodDef planner_functions[] = {
    {"planner", make, METH_VARARGS, NULL},
    {"planner_update", update, METH_VARARGS, NULL},
    {"planner_forget", forget, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
