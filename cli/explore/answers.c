/* Numbers for the page: colours of the map, decoded points, paths, samples, an arm's motion, encoded data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

enum {
    GRID_LIMIT = 400,       /* nodes along an axis */
    POINT_LIMIT = 100000,   /* latent points of a request */
    STOP_LIMIT = 64,        /* points that a path passes */
    NODE_LIMIT = 2000,      /* of a path */
    SAMPLE_LIMIT = 32,      /* trajectories drawn */
    OBSTACLE_LIMIT = 64,
    PATH_HEADER = 10        /* numbers before the arrays of a path */
};
static const double OBSTACLE_HEIGHT = 1e4; /* metric inside an obstacle over that outside */

/* ---- numbers of a request ------------------------------------------------------------------- */

const double *reader_numbers(reader *r, size_t count) {
    if ((size_t)(r->end - r->at) < count) {
        r->short_of = true;
        return NULL;
    }
    const double *values = r->at;
    r->at += count;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            r->short_of = true;
    return r->short_of ? NULL : values;
}

double reader_number(reader *r) {
    const double *value = reader_numbers(r, 1);
    return value ? *value : 0;
}

size_t reader_count(reader *r, size_t limit) {
    double value = reader_number(r);
    if (!(value >= 0 && value <= (double)limit && value == floor(value)))
        r->short_of = true;
    return r->short_of ? 0 : (size_t)value;
}

static rm2_status make_numbers(size_t count, numbers *out) {
    out->values = calloc(count ? count : 1, sizeof *out->values);
    out->count = count;
    return out->values ? RM2_OK : RM2_ERR_MEMORY;
}

/* ---- obstacles ------------------------------------------------------------------------------ */

/* The first Euclidean factor, or NULL. */
static const rm2_factor *position_factor(const explorer *e) {
    const rm2_manifold *m = e->info->manifold;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        if (rm2_manifold_factor(m, k)->geometry == &rm2_euclidean)
            return rm2_manifold_factor(m, k);
    return NULL;
}

static bool same_obstacles(const explorer *e, size_t count, size_t width, const double *values) {
    return e->avoiding && e->obstacle_count == count &&
           memcmp(e->obstacles, values, count * width * sizeof *values) == 0;
}

static rm2_status make_avoiding(explorer *e, rm2_context *ctx, const rm2_factor *f, size_t count,
                                const double *values) {
    size_t n = f->n;
    double *memory = malloc(count * (2 * n + 3) * sizeof *memory);
    if (!memory)
        return RM2_ERR_MEMORY;
    double *kept = memory, *centres = kept + count * (n + 1), *radius = centres + count * n,
           *height = radius + count;
    memcpy(kept, values, count * (n + 1) * sizeof *kept);
    for (size_t k = 0; k < count; k++) {
        memcpy(centres + k * n, values + k * (n + 1), n * sizeof *centres);
        radius[k] = values[k * (n + 1) + n];
        height[k] = OBSTACLE_HEIGHT;
    }
    rm2_obstacles obstacles = {.count = count,
                               .offset = f->ambient_offset,
                               .dim = n,
                               .centres = centres,
                               .radius = radius,
                               .height = height};
    rm2_space_settings s = e->space_settings;
    rm2_space *space;
    s.obstacles = &obstacles;
    rm2_status status = rm2_space_create(ctx, e->model, &s, 0, NULL, &space);
    if (status != RM2_OK) {
        free(memory);
        return status;
    }
    rm2_space_free(e->avoiding);
    free(e->obstacles);
    e->avoiding = space;
    e->obstacles = kept;
    e->obstacle_count = count;
    return RM2_OK;
}

/* The space with the obstacles that end the request. The lock is held until release_space if there are
 * any: their space is replaced when they move. */
static rm2_status take_space(explorer *e, rm2_context *ctx, reader *r, const rm2_space **space,
                             bool *locked) {
    const rm2_factor *f = position_factor(e);
    size_t count = reader_count(r, OBSTACLE_LIMIT), width = f ? f->n + 1 : 0;
    const double *values = reader_numbers(r, count * width);
    *locked = false;
    *space = e->space;
    if (r->short_of || count == 0)
        return RM2_OK;
    if (!f)
        return RM2_ERR_UNSUPPORTED;
    (void)pthread_mutex_lock(&e->space_lock);
    rm2_status status = same_obstacles(e, count, width, values)
                            ? RM2_OK
                            : make_avoiding(e, ctx, f, count, values);
    if (status != RM2_OK) {
        (void)pthread_mutex_unlock(&e->space_lock);
        return status;
    }
    *space = e->avoiding;
    *locked = true;
    return RM2_OK;
}

static void release_space(explorer *e, bool locked) {
    if (locked)
        (void)pthread_mutex_unlock(&e->space_lock);
}

/* Least distance of a path from the obstacles of a request; infinity without. */
static double clearance_of(const explorer *e, bool avoiding, size_t n, const double *points) {
    const rm2_factor *f = position_factor(e);
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    double least = INFINITY;
    for (size_t k = 0; avoiding && k < e->obstacle_count; k++)
        for (size_t i = 0; i < n; i++) {
            const double *centre = e->obstacles + k * (f->n + 1);
            double square = 0;
            for (size_t j = 0; j < f->n; j++) {
                double d = points[i * ambient + f->ambient_offset + j] - centre[j];
                square += d * d;
            }
            least = fmin(least, sqrt(square) - centre[f->n]);
        }
    return least;
}

/* ---- colours of the map --------------------------------------------------------------------- */

typedef struct plane {
    size_t axes[2], counts[2];
    const double *box, *at;
} plane;

static void lay_plane(const plane *p, size_t Q, double *x) {
    for (size_t j = 0; j < p->counts[1]; j++)
        for (size_t i = 0; i < p->counts[0]; i++) {
            double *row = x + (j * p->counts[0] + i) * Q;
            double s = p->counts[0] > 1 ? (double)i / (double)(p->counts[0] - 1) : 0.5;
            double t = p->counts[1] > 1 ? (double)j / (double)(p->counts[1] - 1) : 0.5;
            memcpy(row, p->at, Q * sizeof *row);
            if (p->axes[1] != p->axes[0])
                row[p->axes[1]] = p->box[2] + t * (p->box[3] - p->box[2]);
            row[p->axes[0]] = p->box[0] + s * (p->box[1] - p->box[0]);
        }
}

static rm2_status colour_plane(const explorer *e, rm2_context *ctx, const rm2_space *space,
                               const plane *p, numbers *out) {
    size_t Q = e->info->latent_dim, n = p->counts[0] * p->counts[1];
    double *x = malloc(n * Q * sizeof *x);
    rm2_status status = x ? make_numbers(2 * n, out) : RM2_ERR_MEMORY;
    if (status == RM2_OK) {
        lay_plane(p, Q, x);
        status = rm2_metric_magnification(ctx, rm2_space_metric(space), n, x, out->values);
    }
    if (status == RM2_OK)
        status = rm2_model_decode(ctx, e->model, n, x, NULL, NULL, NULL, out->values + n);
    free(x);
    return status;
}

rm2_status answer_grid(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t Q = e->info->latent_dim;
    plane p = {{0}, {0}, NULL, NULL};
    const rm2_space *space;
    bool locked;
    p.axes[0] = reader_count(r, Q - 1);
    p.axes[1] = reader_count(r, Q - 1);
    p.counts[0] = reader_count(r, GRID_LIMIT);
    p.counts[1] = reader_count(r, GRID_LIMIT);
    p.box = reader_numbers(r, 4);
    p.at = reader_numbers(r, Q);
    rm2_status status = take_space(e, ctx, r, &space, &locked);
    if (status == RM2_OK && !r->short_of)
        status = colour_plane(e, ctx, space, &p, out);
    release_space(e, locked);
    return status;
}

/* ---- decoded points ------------------------------------------------------------------------- */

rm2_status answer_decode(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t Q = e->info->latent_dim, ambient = rm2_manifold_ambient(e->info->manifold);
    size_t n = (size_t)(r->end - r->at) / Q;
    const double *x = reader_numbers(r, n <= POINT_LIMIT ? n * Q : SIZE_MAX);
    if (!x)
        return RM2_OK;
    double *points = malloc((n * (ambient + 1) + 1) * sizeof *points), *deviation = NULL;
    rm2_status status = points ? make_numbers(n * (ambient + 1), out) : RM2_ERR_MEMORY;
    if (status == RM2_OK) {
        deviation = points + n * ambient;
        status = rm2_model_decode(ctx, e->model, n, x, points, NULL, NULL, deviation);
    }
    for (size_t i = 0; i < n && status == RM2_OK; i++) {
        memcpy(out->values + i * (ambient + 1), points + i * ambient, ambient * sizeof *points);
        out->values[i * (ambient + 1) + ambient] = deviation[i];
    }
    free(points);
    return status;
}

/* ---- paths ---------------------------------------------------------------------------------- */

typedef struct path_query {
    bool final;
    size_t nodes, stops;
    const double *points; /* stops x Q */
} path_query;

/* Dragging asks for quick answers: a spline. */
static rm2_status find_path(rm2_context *ctx, const rm2_space *space, const path_query *q,
                            rm2_curve **curve) {
    rm2_geodesic_settings s = *rm2_space_geodesic_settings(space);
    rm2_space *own;
    s.nodes = q->nodes;
    if (!q->final)
        s.last = RM2_STAGE_SPLINE;
    WORK_TRY(rm2_space_with_geodesic_settings(ctx, space, &s, &own));
    rm2_status status = rm2_space_through(ctx, own, q->stops, q->points, curve);
    rm2_space_free(own);
    return status;
}

/* Distance of neighbours on the manifold per step of time, 0..1. */
static rm2_status measure_speed(const explorer *e, rm2_context *ctx, size_t n, const double *points,
                                double *speed) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    WORK_TRY(rm2_manifold_distance(ctx, e->info->manifold, n - 1, points, n - 1, points + ambient,
                                   speed));
    for (size_t i = 0; i + 1 < n; i++)
        speed[i] *= (double)(n - 1);
    speed[n - 1] = n > 1 ? speed[n - 2] : 0;
    return RM2_OK;
}

static rm2_status fill_path(const explorer *e, rm2_context *ctx, const rm2_space *space,
                            const rm2_curve *c, double *values) {
    size_t Q = c->Q, n = c->nodes, ambient = rm2_manifold_ambient(e->info->manifold);
    double *latent = values + PATH_HEADER, *points = latent + n * Q,
           *deviation = points + n * ambient, *speed = deviation + n;
    memcpy(latent, c->x, n * Q * sizeof *latent);
    WORK_TRY(rm2_space_decode(ctx, space, n, latent, points, deviation));
    WORK_TRY(measure_speed(e, ctx, n, points, speed));
    values[0] = (double)n;
    values[1] = c->length;
    values[2] = c->energy;
    values[3] = c->error;
    values[4] = c->converged;
    values[7] = clearance_of(e, space == e->avoiding, n, points);
    return RM2_OK;
}

static rm2_status trace_path(const explorer *e, rm2_context *ctx, const rm2_space *space,
                             const path_query *q, numbers *out) {
    rm2_curve *curve = NULL;
    double started = work_clock();
    WORK_TRY(find_path(ctx, space, q, &curve));
    size_t n = curve->nodes, width = curve->Q + rm2_manifold_ambient(e->info->manifold) + 2;
    rm2_status status = make_numbers(PATH_HEADER + n * width, out);
    if (status == RM2_OK)
        status = fill_path(e, ctx, space, curve, out->values);
    if (status == RM2_OK)
        status = rm2_space_straight_length(ctx, space, q->stops, q->points, &out->values[5]);
    if (status == RM2_OK) {
        out->values[6] = NAN;
        out->values[8] = work_clock() - started;
    }
    rm2_curve_free(curve);
    return status;
}

rm2_status answer_geodesic(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    const rm2_space *space;
    bool locked;
    path_query q = {.final = reader_count(r, 1) == 1};
    q.nodes = reader_count(r, NODE_LIMIT);
    q.stops = reader_count(r, STOP_LIMIT);
    q.points = reader_numbers(r, q.stops * e->info->latent_dim);
    if (q.nodes < 2 || q.stops < 2)
        r->short_of = true;
    rm2_status status = take_space(e, ctx, r, &space, &locked);
    if (status == RM2_OK && !r->short_of)
        status = trace_path(e, ctx, space, &q, out);
    release_space(e, locked);
    return status;
}

/* ---- samples -------------------------------------------------------------------------------- */

rm2_status answer_samples(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t Q = e->info->latent_dim, ambient = rm2_manifold_ambient(e->info->manifold);
    size_t count = reader_count(r, SAMPLE_LIMIT), n = (size_t)(r->end - r->at) / Q;
    const double *x = reader_numbers(r, n <= NODE_LIMIT ? n * Q : SIZE_MAX);
    if (!x || n == 0)
        return RM2_OK;
    WORK_TRY(make_numbers(count * n * ambient, out));
    return rm2_model_sample(ctx, e->model, n, x, count, false, out->values);
}

/* ---- an arm --------------------------------------------------------------------------------- */

rm2_status answer_arm(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    size_t n = (size_t)(r->end - r->at) / ambient;
    const double *points = reader_numbers(r, n <= NODE_LIMIT ? n * ambient : SIZE_MAX);
    rm2_arm_task task;
    if (!points || n == 0)
        return RM2_OK;
    if (!e->arm)
        return RM2_ERR_UNSUPPORTED;
    size_t joints = rm2_arm_joints(e->arm), links = rm2_arm_links(e->arm) + 1;
    double *q = malloc(n * joints * sizeof *q);
    rm2_status status = q ? make_numbers(1 + n * links * 3, out) : RM2_ERR_MEMORY;
    if (status == RM2_OK)
        status = rm2_arm_task_of(ctx, e->info->manifold, &task);
    if (status == RM2_OK)
        status = rm2_arm_track(ctx, e->arm, &task, n, points, NULL, NULL, q, NULL, NULL);
    if (status == RM2_OK)
        status = rm2_arm_skeleton(ctx, e->arm, n, q, out->values + 1);
    if (status == RM2_OK)
        out->values[0] = (double)links;
    free(q);
    return status;
}
