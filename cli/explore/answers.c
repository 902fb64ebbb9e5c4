/* Numbers for the page: colours of the map, decoded points, paths, samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

enum {
    GRID_LIMIT = 400,     /* nodes along an axis */
    POINT_LIMIT = 100000, /* latent points of a request */
    NODE_LIMIT = 2000,    /* of a path to sample over */
    PATH_HEADER = 12,     /* numbers before the arrays of a path */
    QUICK_NODES = 100,    /* of a path while a handle moves */
    QUICK_ITERATIONS = 40,
    SEED = 1
};
static const double QUICK_TOLERANCE = 1e-2;

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

/* Magnification, deviation and clearance of the decoded mean from the obstacles at n latent points. */
static rm2_status colour_points(const explorer *e, rm2_context *ctx, const space_loan *loan,
                                size_t n, const double *x, double *points, double *colours) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    WORK_TRY(rm2_metric_magnification(ctx, rm2_space_metric(loan->space), n, x, colours));
    WORK_TRY(rm2_model_decode(ctx, e->model, n, x, points, NULL, NULL, colours + n));
    for (size_t i = 0; i < n; i++)
        colours[2 * n + i] = space_clearance(e, loan, points + i * ambient);
    return RM2_OK;
}

static rm2_status colour_plane(const explorer *e, rm2_context *ctx, const space_loan *loan,
                               const plane *p, numbers *out) {
    size_t Q = e->info->latent_dim, n = p->counts[0] * p->counts[1];
    double *x = malloc((n * Q + 1) * sizeof *x);
    double *points = malloc((n * rm2_manifold_ambient(e->info->manifold) + 1) * sizeof *points);
    rm2_status status = x && points ? numbers_make(3 * n, out) : RM2_ERR_MEMORY;
    if (status == RM2_OK) {
        lay_plane(p, Q, x);
        status = colour_points(e, ctx, loan, n, x, points, out->values);
    }
    free(x);
    free(points);
    return status;
}

rm2_status answer_grid(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t Q = e->info->latent_dim;
    plane p = {{0}, {0}, NULL, NULL};
    space_loan loan;
    p.axes[0] = reader_count(r, Q - 1);
    p.axes[1] = reader_count(r, Q - 1);
    p.counts[0] = reader_count(r, GRID_LIMIT);
    p.counts[1] = reader_count(r, GRID_LIMIT);
    p.box = reader_numbers(r, 4);
    p.at = reader_numbers(r, Q);
    if (p.counts[0] == 0 || p.counts[1] == 0)
        r->bad = true;
    rm2_status status = space_borrow(e, ctx, r, &loan);
    if (status == RM2_OK && !r->bad)
        status = colour_plane(e, ctx, &loan, &p, out);
    space_return(e, &loan);
    return status;
}

/* ---- decoded points ------------------------------------------------------------------------- */

rm2_status answer_decode(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    const double *x;
    size_t n = reader_rows(r, e->info->latent_dim, POINT_LIMIT, &x);
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    if (r->bad)
        return RM2_OK;
    WORK_TRY(numbers_make(n * (ambient + 1), out));
    return rm2_model_decode(ctx, e->model, n, x, out->values, NULL, NULL,
                            out->values + n * ambient);
}

/* ---- paths ---------------------------------------------------------------------------------- */

typedef struct path_query {
    rm2_geodesic_stage
        stage; /* before RM2_STAGE_POLISH: a handle moves, and a quick answer is better
                                 than an exact one */
    size_t stops;
    const double *points; /* stops x Q */
    double started;       /* on the clock */
} path_query;

static rm2_status trace(rm2_context *ctx, const rm2_space *space, const path_query *q,
                        rm2_curve **curve) {
    if (q->stops > 2)
        return rm2_space_through(ctx, space, q->stops, q->points, curve);
    return rm2_space_geodesic(ctx, space, q->points, q->points + rm2_space_dim(space), curve);
}

rm2_status space_quick(rm2_context *ctx, const rm2_space *space, rm2_geodesic_stage last,
                       rm2_space **quick) {
    rm2_space_settings s = *rm2_space_settings_of(space);
    s.stage = last;
    s.nodes = QUICK_NODES;
    s.max_iterations = QUICK_ITERATIONS;
    s.tolerance = QUICK_TOLERANCE;
    return rm2_space_with_settings(ctx, space, &s, quick);
}

static rm2_status find_path(rm2_context *ctx, const rm2_space *space, const path_query *q,
                            rm2_curve **curve) {
    rm2_space *quick;
    if (q->stage == RM2_STAGE_POLISH)
        return trace(ctx, space, q, curve);
    WORK_TRY(space_quick(ctx, space, q->stage, &quick));
    rm2_status status = trace(ctx, quick, q, curve);
    rm2_space_free(quick);
    return status;
}

static double side_of(size_t ambient, const double *points) {
    double square = 0;
    for (size_t k = 0; k < ambient; k++)
        square += (points[ambient + k] - points[k]) * (points[ambient + k] - points[k]);
    return sqrt(square);
}

rm2_status explorer_speed(const explorer *e, rm2_context *ctx, size_t n, const double *points,
                          double *speed) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    if (e->info->base)
        WORK_TRY(rm2_manifold_distance(ctx, e->info->manifold, n - 1, points, n - 1,
                                       points + ambient, speed));
    for (size_t i = 0; i + 1 < n && !e->info->base; i++)
        speed[i] = side_of(ambient, points + i * ambient);
    for (size_t i = 0; i + 1 < n; i++)
        speed[i] *= (double)(n - 1);
    speed[n - 1] = speed[n - 2];
    return RM2_OK;
}

/* Arrays of a path: latent points, decoded points, deviations, speeds. */
static rm2_status fill_arrays(const explorer *e, rm2_context *ctx, const rm2_curve *c,
                              double *latent) {
    size_t n = c->nodes, ambient = rm2_manifold_ambient(e->info->manifold);
    double *points = latent + n * c->Q, *deviation = points + n * ambient, *speed = deviation + n;
    memcpy(latent, c->x, n * c->Q * sizeof *latent);
    WORK_TRY(rm2_model_decode(ctx, e->model, n, latent, points, NULL, NULL, deviation));
    /* a model that is not on the manifold (RM2_GPLVM) has no distances there */
    if (explorer_speed(e, ctx, n, points, speed) != RM2_OK)
        memset(speed, 0, n * sizeof *speed);
    return RM2_OK;
}

/* Header: nodes, length, energy, error, converged, length of the straight line, largest distance from the
 * demonstrations in spreads, clearance, seconds, reasons not to rely on it, turning of the positions and of the rest over that of the
 * demonstrations. While a handle moves, there are no comparisons
 * with the straight line and with the demonstrations. */
static rm2_status write_path(const explorer *e, rm2_context *ctx, const rm2_space *space,
                             const path_query *q, const rm2_curve *c, numbers *out) {
    size_t width = c->Q + rm2_manifold_ambient(e->info->manifold) + 2;
    rm2_path_report report = {.size = sizeof report};
    rm2_report_settings s = rm2_report_settings_default();
    s.straight = q->stage == RM2_STAGE_POLISH;
    s.vicinity = s.straight ? e->vicinity : NULL;
    s.stops = q->stops;
    s.points = q->points;
    WORK_TRY(rm2_path_measure(ctx, space, c, &s, NULL, &report));
    WORK_TRY(numbers_make(PATH_HEADER + c->nodes * width, out));
    const double header[PATH_HEADER] = {
        (double)c->nodes,
        report.length,
        report.energy,
        report.error,
        report.converged,
        report.straight,
        report.over_spread,
        report.clearance,
        rm2_seconds() - q->started,
        (double)report.reasons,
        report.smoothness.turning[0] / report.demonstrated.turning[0],
        report.smoothness.turning[1] / report.demonstrated.turning[1]};
    memcpy(out->values, header, sizeof header);
    return fill_arrays(e, ctx, c, out->values + PATH_HEADER);
}

static rm2_status answer_path(const explorer *e, rm2_context *ctx, const space_loan *loan,
                              const path_query *q, numbers *out) {
    rm2_curve *curve = NULL;
    WORK_TRY(find_path(ctx, loan->space, q, &curve));
    rm2_status status = write_path(e, ctx, loan->space, q, curve, out);
    rm2_curve_free(curve);
    return status;
}

typedef struct plan_answer {
    explorer *e;
    rm2_context *ctx;
    const path_query *query;
    numbers *out;
} plan_answer;

static rm2_status write_plan(void *user, const rm2_curve *c) {
    const plan_answer *a = user;
    const rm2_space *space;
    WORK_TRY(space_plain(a->e, a->ctx, &space));
    return write_path(a->e, a->ctx, space, a->query, c, a->out);
}

rm2_status answer_geodesic(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    space_loan loan;
    path_query q = {.stage = (rm2_geodesic_stage)reader_count(r, RM2_STAGE_POLISH),
                    .started = rm2_seconds()};
    q.stops = reader_count(r, STOP_LIMIT);
    q.points = reader_numbers(r, q.stops * e->info->latent_dim);
    if (q.stops < 2)
        r->bad = true;
    if (q.stage < RM2_STAGE_POLISH && q.stops == 2 && !r->bad) {
        plan_answer answer = {e, ctx, &q, out};
        WORK_TRY(planning_path(e, ctx, r, q.points, write_plan, &answer));
        if (out->values)
            return RM2_OK;
    }
    rm2_status status = space_borrow(e, ctx, r, &loan);
    if (status == RM2_OK && !r->bad)
        status = answer_path(e, ctx, &loan, &q, out);
    space_return(e, &loan);
    return status;
}

/* ---- samples -------------------------------------------------------------------------------- */

rm2_status answer_samples(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    const double *x;
    size_t count = reader_count(r, SAMPLE_LIMIT);
    size_t n = reader_rows(r, e->info->latent_dim, NODE_LIMIT, &x);
    if (r->bad || n == 0)
        return RM2_OK;
    WORK_TRY(numbers_make(count * n * rm2_manifold_ambient(e->info->manifold), out));
    rm2_context_set_seed(ctx, SEED); /* the same path has the same samples */
    return rm2_model_sample(ctx, e->model, n, x, count, false, out->values);
}
