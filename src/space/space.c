/* The latent space as an object: metrics, roadmap and settings in one place. */
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/leg.h"
#include "metric/metric.h"
#include "model/model.h"

/* ---- shared parts --------------------------------------------------------------------------- */

static void core_free(rm2i_space_core *core) {
    if (!core || atomic_fetch_sub(&core->users, 1) > 1)
        return;
    rm2i_roadmap_free(core->roadmap);
    rm2_metric_free(core->own[0]);
    rm2_metric_free(core->own[1]);
    free(core->discouraged_numbers);
    free(core);
}

static rm2_status core_create(rm2_context *ctx, size_t Q, rm2i_space_core **core) {
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **core, core));
    atomic_init(&(*core)->users, 1);
    (*core)->Q = Q;
    return RM2_OK;
}

/* ---- discouraged places ------------------------------------------------------------------------------ */

static rm2_status check_discouraged(rm2_context *ctx, const rm2_model *model,
                                    const rm2_discouraged *o) {
    size_t ambient = rm2_manifold_ambient(model->manifold);
    if (o->count > 0 && (!o->centres || !o->radius || !o->height))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.discouraged: centres, radius or height is NULL");
    if (o->dim > ambient || o->offset > ambient - o->dim)
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "settings.discouraged: entries %zu to %zu of a point; points of %s have %zu", o->offset,
            o->offset + o->dim, rm2_manifold_spec(model->manifold), ambient);
    for (size_t k = 0; k < o->count; k++)
        if (!(o->radius[k] > 0 && o->height[k] >= 0 && isfinite(o->radius[k] + o->height[k])))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "settings.discouraged: sphere %zu has radius %g and height %g; the "
                             "radius must be positive, the height not negative",
                             k, o->radius[k], o->height[k]);
    rm2_status status = rm2i_metric_check_points(ctx, o->dim, o->count, o->centres);
    return status == RM2_OK ? status
                            : rm2i_fail_prefix(ctx, status, "settings.discouraged: centres");
}

/* A copy, so that the caller's may go. */
static rm2_status copy_discouraged(rm2_context *ctx, const rm2_discouraged *o,
                                   rm2i_space_core *core) {
    size_t entries = o->count * o->dim;
    double *memory;
    RM2_TRY(rm2i_alloc(ctx, entries + 2 * o->count, sizeof *memory, &core->discouraged_numbers));
    memory = core->discouraged_numbers;
    if (o->count > 0) {
        memcpy(memory, o->centres, entries * sizeof *memory);
        memcpy(memory + entries, o->radius, o->count * sizeof *memory);
        memcpy(memory + entries + o->count, o->height, o->count * sizeof *memory);
    }
    core->discouraged = *o;
    core->discouraged.centres = memory;
    core->discouraged.radius = memory + entries;
    core->discouraged.height = memory + entries + o->count;
    return RM2_OK;
}

/* ---- metrics of a model --------------------------------------------------------------------- */

static rm2i_pullback_settings pullback_settings(const rm2_space_settings *s,
                                                const rm2i_space_core *core) {
    rm2i_pullback_settings p = rm2i_pullback_settings_default();
    p.contrast = s->contrast;
    p.weight = s->weight;
    p.cost = s->cost;
    if (core->discouraged_numbers)
        p.cost = (rm2_cost){rm2i_discouraged_cost, &core->discouraged, RM2_ALL_FACTORS};
    return p;
}

/* What is minimised, where that is not the exact metric. */
static rm2_status open_search(rm2_context *ctx, const rm2_space_settings *s,
                              rm2i_pullback_settings *p, rm2i_space_core *core) {
    const rm2_model *m = core->model;
    if (s->metric == RM2_SPACE_DENSITY)
        return rm2i_metric_density(ctx, m->N, m->Q, m->X, s->sigma, &core->own[1]);
    if (s->metric == RM2_SPACE_STRAIGHT)
        return rm2_metric_analytic(ctx, "euclidean", m->Q, &core->own[1]);
    if (s->support == 0)
        return RM2_OK;
    p->support = s->support;
    return rm2i_metric_pullback(ctx, m, p, &core->own[1]);
}

static rm2_status open_metrics(rm2_context *ctx, const rm2_space_settings *s,
                               rm2i_space_core *core) {
    if (s->discouraged) {
        RM2_TRY(check_discouraged(ctx, core->model, s->discouraged));
        RM2_TRY(copy_discouraged(ctx, s->discouraged, core));
    }
    rm2i_pullback_settings p = pullback_settings(s, core);
    RM2_TRY(rm2i_metric_pullback(ctx, core->model, &p, &core->own[0]));
    RM2_TRY(open_search(ctx, s, &p, core));
    core->exact = core->own[0];
    core->search = core->own[1] ? core->own[1] : core->own[0];
    return RM2_OK;
}

/* ---- the object ----------------------------------------------------------------------------- */

/* "expected pullback metric, ...; grid of 50 x 50 nodes; geodesic equation, tolerance 0.0001" */
static rm2_status describe(rm2_context *ctx, rm2_space *space) {
    const rm2i_roadmap *net = space->core->roadmap;
    const rm2i_geodesic_settings *g = &space->geodesics;
    char text[640], roadmap[96] = "straight lines", around[96] = "";
    if (net && net->grid)
        (void)snprintf(roadmap, sizeof roadmap, "grid of %zu nodes", net->nodes);
    else if (net)
        (void)snprintf(roadmap, sizeof roadmap, "graph of %zu points with %zu neighbours",
                       net->nodes, net->neighbours);
    if (space->regions)
        (void)snprintf(around, sizeof around, "; around %zu obstacle%s, clearance %g",
                       space->obstacles.count, space->obstacles.count == 1 ? "" : "s",
                       space->settings.clearance);
    (void)snprintf(text, sizeof text, "%s; %s; %s, tolerance %g%s",
                   rm2_metric_text(space->core->search), roadmap, rm2_stage_text(g->last),
                   g->tolerance, around);
    return rm2i_strdup(ctx, text, &space->text);
}

/* Takes over one use of the core, also when it fails. */
static rm2_status space_of(rm2_context *ctx, rm2i_space_core *core, const rm2_space_settings *s,
                           rm2_space **space) {
    rm2_space *made;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *made, &made);
    if (status != RM2_OK) {
        core_free(core);
        return status;
    }
    *made = (rm2_space){.core = core,
                        .settings = *s,
                        .geodesics = rm2i_space_geodesics(s),
                        .roadmap = rm2i_roadmap_describe(core->roadmap)};
    if (core->discouraged_numbers)
        made->settings.discouraged = &core->discouraged;
    status = rm2i_space_convert_obstacles(ctx, made);
    if (status == RM2_OK)
        status = describe(ctx, made);
    if (status == RM2_OK)
        *space = made;
    else
        rm2_space_free(made);
    return status;
}

/* Roadmap and object around a core whose metrics are there, unless `status` says otherwise. */
static rm2_status finish(rm2_context *ctx, rm2_status status, const rm2_space_settings *s,
                         const rm2i_space_points *points, rm2i_space_core *core,
                         rm2_space **space) {
    if (status == RM2_OK)
        status = rm2i_space_build_roadmap(ctx, s, points, core);
    if (status == RM2_OK)
        return space_of(ctx, core, s, space);
    core_free(core);
    return status;
}

rm2_status rm2_space_create(rm2_context *ctx, const rm2_model *model,
                            const rm2_space_settings *settings, size_t n, const double *points,
                            rm2_space **space) {
    rm2_space_settings s;
    rm2i_space_core *core;
    RM2_REQUIRE(ctx, space);
    *space = NULL;
    RM2_REQUIRE(ctx, model);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    RM2_TRY(rm2i_space_settings_overlay(ctx, settings, model->Q, model->N, &s));
    RM2_TRY(rm2i_metric_check_points(ctx, model->Q, n, points));
    RM2_TRY(core_create(ctx, model->Q, &core));
    core->model = model;
    rm2i_space_points covered = {{model->N, n}, {model->X, points}};
    return finish(ctx, open_metrics(ctx, &s, core), &s, &covered, core, space);
}

/* Settings that would have no effect on a metric that is there. */
static rm2_status check_unused(rm2_context *ctx, const rm2_space_settings *s) {
    const char *name = s->metric != RM2_SPACE_PULLBACK ? "metric"
                       : s->weight > 0                 ? "weight"
                       : s->cost.at                    ? "cost"
                       : s->discouraged                ? "discouraged"
                       : s->obstacles                  ? "obstacles"
                                                       : NULL;
    return name ? rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                            "settings.%s has no effect in a space with a metric of its own", name)
                : RM2_OK;
}

rm2_status rm2_space_from_metric(rm2_context *ctx, const rm2_metric *metric,
                                 const rm2_space_settings *settings, size_t n, const double *points,
                                 rm2_space **space) {
    rm2_space_settings s;
    rm2i_space_core *core;
    RM2_REQUIRE(ctx, space);
    *space = NULL;
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    RM2_TRY(rm2i_space_settings_overlay(ctx, settings, metric->Q, n, &s));
    RM2_TRY(check_unused(ctx, &s));
    if (n == 0 && s.roadmap != RM2_SPACE_LINE)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.roadmap needs points, and there are none: pass some, or "
                         "RM2_SPACE_LINE");
    RM2_TRY(rm2i_metric_check_points(ctx, metric->Q, n, points));
    RM2_TRY(core_create(ctx, metric->Q, &core));
    core->exact = core->search = metric;
    rm2i_space_points covered = {{0, n}, {NULL, points}};
    return finish(ctx, RM2_OK, &s, &covered, core, space);
}

/* The name of a setting of the metrics or the roadmap that differs; NULL: none does. */
static const char *other_core(const rm2_space_settings *a, const rm2_space_settings *b) {
    const struct {
        bool same;
        const char *name;
    } members[] = {
        {a->metric == b->metric, "metric"},
        {a->contrast == b->contrast, "contrast"},
        {a->weight == b->weight, "weight"},
        {a->sigma == b->sigma, "sigma"},
        {a->cost.at == b->cost.at && a->cost.user == b->cost.user &&
             a->cost.factor == b->cost.factor,
         "cost"},
        {a->discouraged == b->discouraged, "discouraged"},
        {a->support == b->support, "support"},
        {a->roadmap == b->roadmap, "roadmap"},
        {a->grid_points == b->grid_points, "grid_points"},
        {a->padding == b->padding, "padding"},
        {a->reach == b->reach, "reach"},
        {a->neighbours == b->neighbours, "neighbours"},
    };
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!members[k].same)
            return members[k].name;
    return NULL;
}

rm2_status rm2_space_with_settings(rm2_context *ctx, const rm2_space *space,
                                   const rm2_space_settings *settings, rm2_space **other) {
    RM2_REQUIRE(ctx, other);
    *other = NULL;
    RM2_REQUIRE(ctx, space, settings);
    rm2_space_settings s = space->settings;
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_SPACE), &s));
    const char *name = other_core(&s, &space->settings);
    if (name)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.%s is not that of the space, whose metrics and roadmap are "
                         "shared: create another space",
                         name);
    (void)atomic_fetch_add(&space->core->users, 1);
    return space_of(ctx, space->core, &s, other);
}

void rm2_space_free(rm2_space *space) {
    if (!space)
        return;
    core_free(space->core);
    free(space->regions);
    free(space->text);
    free(space);
}

/* ---- what is in it -------------------------------------------------------------------------- */

size_t rm2_space_dim(const rm2_space *space) {
    return space ? space->core->Q : 0;
}

const char *rm2_space_text(const rm2_space *space) {
    return space ? space->text : "";
}

const rm2_model *rm2_space_model(const rm2_space *space) {
    return space ? space->core->model : NULL;
}

const rm2_metric *rm2_space_metric(const rm2_space *space) {
    return space ? space->core->search : NULL;
}

const rm2_metric *rm2_space_exact_metric(const rm2_space *space) {
    return space ? space->core->exact : NULL;
}

const rm2_roadmap_info *rm2_space_roadmap(const rm2_space *space) {
    return space ? &space->roadmap : NULL;
}

const rm2_space_settings *rm2_space_settings_of(const rm2_space *space) {
    return space ? &space->settings : NULL;
}
