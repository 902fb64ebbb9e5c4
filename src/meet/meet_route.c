/* The decoded route: frames carried along it by parallel transport, its arc length, and vectors in its frames. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "meet/meet.h"

/* ---- frames --------------------------------------------------------------------------------- */

typedef struct carry {
    const rm2_manifold *m;
    double *frame, *next, *v, *column, *moved, *work;
    double *memory;
} carry;

static void lay_out_carry(void *arg, rm2i_arena *a) {
    carry *c = arg;
    const rm2_manifold *m = c->m;
    c->frame = rm2i_reserve(a, double, m->frame_size);
    c->next = rm2i_reserve(a, double, m->frame_size);
    c->v = rm2i_reserve(a, double, m->dim);
    c->column = rm2i_reserve(a, double, m->dim);
    c->moved = rm2i_reserve(a, double, m->ambient);
    c->work = rm2i_reserve(a, double, m->work_size);
}

/* F_{i+1} = T_i F_i, column by column. */
static rm2_status carry_step(const carry *c, const double *F, const double *y, const double *to,
                             double *next) {
    const rm2_manifold *m = c->m;
    size_t M = m->dim;
    RM2_TRY(rm2i_manifold_frame(m, y, c->frame, c->work, NULL));
    RM2_TRY(rm2i_manifold_frame(m, to, c->next, c->work, NULL));
    RM2_TRY(rm2i_manifold_log(m, c->frame, to, c->v, c->work, NULL));
    for (size_t k = 0; k < M; k++) {
        for (size_t r = 0; r < M; r++)
            c->column[r] = F[r * M + k];
        RM2_TRY(rm2i_manifold_transport(m, c->frame, c->v, c->column, c->moved, c->work, NULL));
        rm2i_manifold_to_coords(m, c->next, c->moved, c->column, c->work);
        for (size_t r = 0; r < M; r++)
            next[r * M + k] = c->column[r];
    }
    return RM2_OK;
}

static rm2_status carry_frames(rm2_context *ctx, rm2i_meet_route *route) {
    size_t M = route->m->dim, D = route->m->ambient;
    carry c = {.m = route->m};
    rm2_status status = RM2_OK;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_carry, &c, &c.memory));
    for (size_t k = 0; k < M * M; k++)
        route->F[k] = k % (M + 1) == 0;
    for (size_t i = 0; status == RM2_OK && i + 1 < route->n; i++) {
        status = carry_step(&c, route->F + i * M * M, route->y + i * D, route->y + (i + 1) * D,
                            route->F + (i + 1) * M * M);
        if (status != RM2_OK)
            status = rm2i_fail(ctx, status, "route, from node %zu to %zu: %s", i + 1, i + 2,
                               rm2_status_text(status));
    }
    free(c.memory);
    return status;
}

/* ---- arc length ----------------------------------------------------------------------------- */

static rm2_status measure(rm2_context *ctx, rm2i_meet_route *route) {
    size_t n = route->n, D = route->m->ambient;
    route->s[0] = 0;
    RM2_TRY(
        rm2_manifold_distance(ctx, route->m, n - 1, route->y, n - 1, route->y + D, route->s + 1));
    for (size_t i = 1; i < n; i++)
        route->s[i] += route->s[i - 1];
    route->length = route->s[n - 1];
    if (!(route->length > 0))
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "the route from start to goal has no length: both are the same point");
    for (size_t i = 0; i < n; i++)
        route->s[i] /= route->length;
    return RM2_OK;
}

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_meet_route *r = arg;
    r->y = rm2i_reserve(a, double, r->n, r->m->ambient);
    r->F = rm2i_reserve(a, double, r->n, r->m->dim, r->m->dim);
    r->s = rm2i_reserve(a, double, r->n);
}

rm2_status rm2i_meet_route_build(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *y,
                                 rm2i_meet_route *route) {
    *route = (rm2i_meet_route){.m = m, .n = n};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, route, &route->memory));
    memcpy(route->y, y, n * m->ambient * sizeof *y);
    RM2_TRY(measure(ctx, route));
    return carry_frames(ctx, route);
}

void rm2i_meet_route_free(rm2i_meet_route *route) {
    free(route->memory);
    *route = (rm2i_meet_route){.m = NULL};
}

/* ---- vectors in frames ---------------------------------------------------------------------- */

void rm2i_meet_to_frame(const rm2i_meet_route *route, size_t i, const double *c, double *v) {
    size_t M = route->m->dim;
    for (size_t r = 0; r < M; r++)
        v[r] = rm2i_dot(M, route->F + (i * M + r) * M, c);
}

void rm2i_meet_from_frame(const rm2i_meet_route *route, size_t i, const double *v, double *c) {
    size_t M = route->m->dim;
    memset(c, 0, M * sizeof *c);
    for (size_t r = 0; r < M; r++)
        rm2i_axpy(M, v[r], route->F + (i * M + r) * M, c);
}

/* Is a vector in the frame safe for Exp and Log? */
static rm2_status check_cut(rm2_context *ctx, const rm2_manifold *m, const char *what, size_t i,
                            const double *v) {
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        double length = rm2i_norm(factor->dim, v + factor->dim_offset);
        double radius = factor->geometry->injectivity_radius(factor->n);
        if (!(length <= radius - RM2I_MEET_CUT))
            return rm2i_fail(ctx, RM2_ERR_CUT_LOCUS,
                             "%s is %.4g away from node %zu of the route in factor %zu, at most "
                             "%.4g are possible: the direction to it is not unique",
                             what, length, i + 1, f + 1, radius - RM2I_MEET_CUT);
    }
    return RM2_OK;
}

rm2_status rm2i_meet_residual(rm2_context *ctx, const rm2i_meet_route *route,
                              const rm2i_meet_pose *pose, double *e) {
    const rm2_manifold *m = route->m;
    size_t i = pose->node;
    double *v;
    RM2_TRY(rm2i_alloc(ctx, m->dim, sizeof *v, &v));
    rm2_status status =
        rm2_manifold_log_coords(ctx, m, 1, route->y + i * m->ambient, 1, pose->point, v);
    for (size_t f = 0; f < m->count; f++)
        if (!pose->there[f])
            memset(v + m->factors[f].dim_offset, 0, m->factors[f].dim * sizeof *v);
    if (status == RM2_OK)
        status = check_cut(ctx, m, pose->name, i, v);
    else
        status = rm2i_fail_prefix(ctx, status, "%s", pose->name);
    rm2i_meet_from_frame(route, i, v, e);
    free(v);
    return status;
}

rm2_status rm2i_meet_move(rm2_context *ctx, const rm2i_meet_route *route, const double *c,
                          double *points) {
    size_t M = route->m->dim, n = route->n;
    double *v;
    RM2_TRY(rm2i_alloc(ctx, n * M, sizeof *v, &v));
    rm2_status status = RM2_OK;
    for (size_t i = 0; status == RM2_OK && i < n; i++) {
        rm2i_meet_to_frame(route, i, c + i * M, v + i * M);
        status = check_cut(ctx, route->m, "the correction", i, v + i * M);
    }
    if (status == RM2_OK)
        status = rm2_manifold_exp_coords(ctx, route->m, n, route->y, n, v, points);
    free(v);
    return status;
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* Derivative at s_i of the parabola through three points. */
rm2i_meet_slope rm2i_meet_slope_at(const rm2i_meet_route *route, size_t i) {
    size_t first = i == 0 ? 0 : i + 1 < route->n ? i - 1 : i - 2;
    rm2i_meet_slope d = {.node = {first, first + 1, first + 2}};
    const double *s = route->s + first;
    double x = route->s[i];
    for (size_t k = 0; k < 3; k++) {
        double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        d.weight[k] = ((x - a) + (x - b)) / ((s[k] - a) * (s[k] - b));
    }
    return d;
}

typedef struct velocity_work {
    const rm2_manifold *m;
    double *v, *A, *AtA, *column, *wanted, *point, *frame, *at_pose, *ambient, *work;
    double *memory;
} velocity_work;

static void lay_out_velocity(void *arg, rm2i_arena *a) {
    velocity_work *w = arg;
    size_t M = w->m->dim;
    w->v = rm2i_reserve(a, double, M);
    w->A = rm2i_reserve(a, double, M, M);
    w->AtA = rm2i_reserve(a, double, M, M);
    w->column = rm2i_reserve(a, double, M);
    w->wanted = rm2i_reserve(a, double, M);
    w->point = rm2i_reserve(a, double, w->m->ambient);
    w->frame = rm2i_reserve(a, double, w->m->frame_size);
    w->at_pose = rm2i_reserve(a, double, w->m->frame_size);
    w->ambient = rm2i_reserve(a, double, w->m->ambient);
    w->work = rm2i_reserve(a, double, w->m->work_size);
}

/* wanted -= d/ds Exp_{y(s)}(F(s) e): the velocity that the motion has with a constant deviation. */
static rm2_status subtract_base(const rm2i_meet_route *route, const rm2i_meet_pose *pose,
                                const double *e, const velocity_work *w) {
    const rm2_manifold *m = route->m;
    rm2i_meet_slope d = rm2i_meet_slope_at(route, pose->node);
    for (size_t k = 0; k < 3; k++) {
        size_t i = d.node[k];
        rm2i_meet_to_frame(route, i, e, w->v);
        RM2_TRY(rm2i_manifold_frame(m, route->y + i * m->ambient, w->frame, w->work, NULL));
        RM2_TRY(rm2i_manifold_exp(m, w->frame, w->v, w->point, w->work, NULL));
        RM2_TRY(rm2i_manifold_log(m, w->at_pose, w->point, w->v, w->work, NULL));
        rm2i_axpy(m->dim, -d.weight[k], w->v, w->wanted);
    }
    return RM2_OK;
}

/* A: coordinates at the pose of dExp_{F e}(F .), which takes slopes of c to velocities. */
static rm2_status find_differential(const rm2i_meet_route *route, const rm2i_meet_pose *pose,
                                    const double *e, const velocity_work *w) {
    const rm2_manifold *m = route->m;
    size_t M = m->dim, i = pose->node;
    rm2i_meet_to_frame(route, i, e, w->v);
    RM2_TRY(rm2i_manifold_frame(m, route->y + i * m->ambient, w->frame, w->work, NULL));
    for (size_t k = 0; k < M; k++) {
        for (size_t r = 0; r < M; r++)
            w->column[r] = route->F[(i * M + r) * M + k];
        RM2_TRY(rm2i_manifold_dexp(m, w->frame, w->v, w->column, w->ambient, w->work, NULL));
        rm2i_manifold_to_coords(m, w->at_pose, w->ambient, w->column, w->work);
        for (size_t r = 0; r < M; r++)
            w->A[r * M + k] = w->column[r];
    }
    return RM2_OK;
}

/* x of A x = b by least squares: A is nearly orthogonal away from the cut locus. */
static rm2_status solve(size_t M, const velocity_work *w, double *x) {
    rm2i_multiply_tn(M, w->A, w->A, w->AtA);
    memset(x, 0, M * sizeof *x);
    for (size_t r = 0; r < M; r++)
        rm2i_axpy(M, w->wanted[r], w->A + r * M, x);
    RM2_TRY(rm2i_cholesky(M, w->AtA, w->A));
    for (size_t r = 0; r < M; r++) /* L y = A^T b */
        x[r] = (x[r] - rm2i_dot(r, w->A + r * M, x)) / w->A[r * M + r];
    for (size_t r = M; r-- > 0;) { /* L^T x = y */
        x[r] /= w->A[r * M + r];
        rm2i_axpy(r, -x[r], w->A + r * M, x);
    }
    return RM2_OK;
}

static void clear_free(const rm2_manifold *m, const rm2i_meet_pose *pose, double *v) {
    for (size_t f = 0; f < m->count; f++)
        if (!pose->moving[f])
            memset(v + m->factors[f].dim_offset, 0, m->factors[f].dim * sizeof *v);
}

rm2_status rm2i_meet_velocity(rm2_context *ctx, const rm2i_meet_route *route,
                              const rm2i_meet_pose *pose, const double *e, double *slope) {
    const rm2_manifold *m = route->m;
    velocity_work w = {.m = m};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_velocity, &w, &w.memory));
    rm2_status status = rm2i_manifold_frame(m, pose->point, w.at_pose, w.work, NULL);
    if (status == RM2_OK)
        rm2i_manifold_to_coords(m, w.at_pose, pose->velocity, w.wanted, w.work);
    rm2i_axpy(m->dim, 1, pose->adjust, w.wanted);
    if (status == RM2_OK)
        status = subtract_base(route, pose, e, &w);
    clear_free(m, pose, w.wanted);
    if (status == RM2_OK)
        status = find_differential(route, pose, e, &w);
    if (status == RM2_OK)
        status = solve(m->dim, &w, slope);
    free(w.memory);
    return status == RM2_OK
               ? status
               : rm2i_fail(ctx, status, "velocity of %s: %s", pose->name, rm2_status_text(status));
}

rm2_status rm2i_meet_adjust_velocity(rm2_context *ctx, const rm2i_meet_route *route,
                                     const double *points, rm2i_meet_pose *pose, double *lack) {
    const rm2_manifold *m = route->m;
    rm2i_meet_slope d = rm2i_meet_slope_at(route, pose->node);
    velocity_work w = {.m = m};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_velocity, &w, &w.memory));
    rm2_status status = rm2i_manifold_frame(m, pose->point, w.at_pose, w.work, NULL);
    if (status == RM2_OK)
        rm2i_manifold_to_coords(m, w.at_pose, pose->velocity, w.wanted, w.work);
    for (size_t k = 0; status == RM2_OK && k < 3; k++) {
        status =
            rm2i_manifold_log(m, w.at_pose, points + d.node[k] * m->ambient, w.v, w.work, NULL);
        rm2i_axpy(m->dim, -d.weight[k], w.v, w.wanted);
    }
    clear_free(m, pose, w.wanted);
    rm2i_axpy(m->dim, 1, w.wanted, pose->adjust);
    *lack = rm2i_norm(m->dim, w.wanted);
    free(w.memory);
    return status == RM2_OK
               ? status
               : rm2i_fail(ctx, status, "velocity of %s: %s", pose->name, rm2_status_text(status));
}
