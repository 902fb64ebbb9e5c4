/* Covariances of a motion, and motions drawn from the conditioned process.
 *
 * A draw is one of the prior, corrected by what it has at the poses (Matheron's rule):
 *
 *     c = mu + u + C(., S) K^-1 (r - u(S)),    u ~ GP(0, C)
 *     u_i = sum_d R_d,i g_d + sqrt(lambda kappa W) b(s_i).h + sqrt(lambda (1 + rho kappa) W) (L_q g)_i,  L_q L_q^T = q
 *
 * with standard normal numbers g, h. It needs two factors of n x n, whatever M is, and meets the poses by construction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "meet/meet.h"

/* ---- covariances ---------------------------------------------------------------------------- */

typedef struct turning {
    const rm2_meet *meet;
    double *
        T; /* M x M: carried coordinates to those at the motion's point, in the units of the data */
    double *C, *half, *turned, *column, *v, *moved, *frame, *next, *work, *solved;
    double *memory;
} turning;

static void lay_out_turning(void *arg, rm2i_arena *a) {
    turning *t = arg;
    const rm2_manifold *m = t->meet->line.m;
    size_t M = m->dim;
    t->T = rm2i_reserve(a, double, M, M);
    t->C = rm2i_reserve(a, double, M, M);
    t->half = rm2i_reserve(a, double, M, M);
    t->turned = rm2i_reserve(a, double, M, M);
    t->column = rm2i_reserve(a, double, M);
    t->v = rm2i_reserve(a, double, M);
    t->moved = rm2i_reserve(a, double, m->ambient);
    t->frame = rm2i_reserve(a, double, m->frame_size);
    t->next = rm2i_reserve(a, double, m->frame_size);
    t->work = rm2i_reserve(a, double, m->work_size);
    t->solved = rm2i_reserve(a, double, M, t->meet->process.P);
}

/* Transport along the correction, times the units. */
static rm2_status find_turn(const turning *t, size_t i) {
    const rm2_meet *meet = t->meet;
    const rm2_manifold *m = meet->line.m;
    size_t M = m->dim, D = m->ambient;
    rm2i_meet_to_frame(&meet->line, i, meet->result.correction + i * M, t->v);
    RM2_TRY(rm2i_manifold_frame(m, meet->line.y + i * D, t->frame, t->work, NULL));
    RM2_TRY(rm2i_manifold_frame(m, meet->moved + i * D, t->next, t->work, NULL));
    for (size_t k = 0; k < M; k++) {
        for (size_t r = 0; r < M; r++)
            t->column[r] = meet->line.F[(i * M + r) * M + k];
        RM2_TRY(rm2i_manifold_transport(m, t->frame, t->v, t->column, t->moved, t->work, NULL));
        rm2i_manifold_to_coords(m, t->next, t->moved, t->column, t->work);
        for (size_t f = 0; f < m->count; f++) {
            double unit = rm2i_meet_unit(meet->model, &m->factors[f], f);
            size_t from = m->factors[f].dim_offset;
            for (size_t r = from; r < from + m->factors[f].dim; r++)
                t->T[r * M + k] = unit * t->column[r];
        }
    }
    return RM2_OK;
}

/* out = C or T C T^T */
static void turn(const turning *t, rm2_meet_frame frame, double *out) {
    size_t M = t->meet->line.m->dim;
    if (frame == RM2_MEET_CARRIED) {
        memcpy(out, t->C, M * M * sizeof *out);
        return;
    }
    rm2i_multiply(M, t->T, t->C, t->half);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b <= a; b++)
            out[a * M + b] = out[b * M + a] = rm2i_dot(M, t->half + a * M, t->T + b * M);
}

static void demonstrated(const turning *t, size_t i) {
    const rm2i_meet_deviations *d = &t->meet->deviations;
    memset(t->C, 0, d->M * d->M * sizeof *t->C);
    for (size_t k = 0; k < d->D; k++)
        for (size_t a = 0; a < d->M; a++) {
            const double *R = d->R + (k * d->n + i) * d->M;
            rm2i_axpy(d->M, R[a], R, t->C + a * d->M);
        }
}

/* What is asked of each node: whole covariances (M x M), or the roots of their diagonals (M). */
typedef struct asked {
    rm2_meet_frame frame;
    bool diagonal;
    double *of_motion, *of_demonstrations; /* NULL: not asked */
} asked;

static void put(const turning *t, const asked *a, size_t i, double *out) {
    size_t M = t->meet->line.m->dim;
    turn(t, a->frame, a->diagonal ? t->turned : out + i * M * M);
    for (size_t k = 0; a->diagonal && k < M; k++)
        out[i * M + k] = sqrt(fmax(t->turned[k * (M + 1)], 0));
}

static rm2_status put_all(rm2_context *ctx, const turning *t, const asked *a) {
    for (size_t i = 0; i < t->meet->line.n; i++) {
        if (rm2i_interrupted(ctx))
            return RM2_INTERRUPTED;
        if (a->frame == RM2_MEET_POSE)
            RM2_TRY(find_turn(t, i));
        if (a->of_motion) {
            rm2i_meet_posterior(ctx, &t->meet->process, i, t->C, t->solved);
            put(t, a, i, a->of_motion);
        }
        if (a->of_demonstrations) {
            demonstrated(t, i);
            put(t, a, i, a->of_demonstrations);
        }
    }
    return RM2_OK;
}

static rm2_status answer(rm2_context *ctx, const rm2_meet *meet, const asked *a) {
    RM2_REQUIRE(ctx, meet);
    if (a->frame != RM2_MEET_CARRIED && a->frame != RM2_MEET_POSE)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "frame is %d; expected RM2_MEET_CARRIED or "
                         "RM2_MEET_POSE",
                         (int)a->frame);
    turning t = {.meet = meet};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_turning, &t, &t.memory));
    rm2i_activity_begin(ctx, "covariance of a motion", 0);
    rm2_status status = put_all(ctx, &t, a);
    rm2i_activity_end(ctx);
    free(t.memory);
    return status == RM2_OK || status == RM2_INTERRUPTED
               ? status
               : rm2i_fail(ctx, status, "covariance of the motion: %s", rm2_status_text(status));
}

rm2_status rm2_meet_covariance(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                               double *covariance, double *variability) {
    const asked a = {frame, false, covariance, variability};
    return answer(ctx, meet, &a);
}

rm2_status rm2_meet_deviations(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                               double *deviations, double *variability) {
    const asked a = {frame, true, deviations, variability};
    return answer(ctx, meet, &a);
}

/* ---- draws ---------------------------------------------------------------------------------- */

typedef struct drawing {
    const rm2_meet *meet;
    double *factor[2]; /* n x n: of q, and of q on SPD factors */
    double *u;         /* n x M */
    double *normal;    /* n */
    double *rest;      /* P */
    double *memory;
} drawing;

static void lay_out_drawing(void *arg, rm2i_arena *a) {
    drawing *d = arg;
    const rm2i_meet_route *line = &d->meet->line;
    for (int k = 0; k < 2; k++)
        d->factor[k] = rm2i_reserve(a, double, line->n, line->n);
    d->u = rm2i_reserve(a, double, line->n, line->m->dim);
    d->normal = rm2i_reserve(a, double, line->n);
    d->rest = rm2i_reserve(a, double, d->meet->process.P);
}

/* Lower factor of q at the nodes; the jitter is relative and does not touch the poses. */
static rm2_status factor_smooth(rm2_context *ctx, const drawing *d, bool matrix, double *L) {
    size_t n = d->meet->line.n;
    const double *s = d->meet->line.s;
    double *q, jitter;
    RM2_TRY(rm2i_alloc(ctx, n * n, sizeof *q, &q));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            q[i * n + j] = rm2i_meet_smooth(matrix, s[i] - s[j]);
    rm2_status status = rm2i_factor(ctx, n, q, 0, L, &jitter);
    free(q);
    return status;
}

static void draw_smooth(rm2_rng *rng, drawing *d, size_t a) {
    const rm2i_meet_process *p = &d->meet->process;
    size_t n = d->meet->line.n, M = d->meet->line.m->dim;
    const double *L = d->factor[p->matrix[a]];
    double affine, smooth, b[2], h[2] = {rm2_rng_normal(rng), rm2_rng_normal(rng)};
    rm2i_meet_parts(p, a, &affine, &smooth);
    for (size_t i = 0; i < n; i++)
        d->normal[i] = rm2_rng_normal(rng);
    for (size_t i = 0; i < n; i++) {
        rm2i_meet_affine(p, i, b);
        d->u[i * M + a] = sqrt(affine) * (b[0] * h[0] + b[1] * h[1]) +
                          sqrt(smooth) * rm2i_dot(i + 1, L + i * n, d->normal);
    }
}

/* u from the prior, then c in its place. */
static void draw(rm2_context *ctx, rm2_rng *rng, drawing *d) {
    const rm2i_meet_process *p = &d->meet->process;
    const rm2i_meet_deviations *v = p->d;
    for (size_t a = 0; a < v->M; a++)
        draw_smooth(rng, d, a);
    for (size_t k = 0; k < v->D; k++)
        rm2i_axpy(v->n * v->M, rm2_rng_normal(rng), v->R + k * v->n * v->M, d->u);
    for (size_t k = 0; k < p->P; k++) {
        const rm2i_meet_observation *o = &p->observation[k];
        d->rest[k] = p->r[k];
        for (size_t l = 0; l < o->count; l++)
            d->rest[k] -= o->at.weight[l] * d->u[o->at.node[l] * v->M + o->coordinate];
    }
    rm2i_factor_solve(ctx, p->P, p->L, 1, d->rest);
    rm2i_axpy(v->n * v->M, 1, v->mu, d->u);
    for (size_t i = 0; i < v->n; i++)
        rm2i_meet_spread_back(p, i, d->rest, d->u + i * v->M);
}

/* The asked factors of the poses themselves: what the draw has there up to rounding. */
static void set_poses(const drawing *d, double *points) {
    const rm2_meet *meet = d->meet;
    const rm2_manifold *m = meet->line.m;
    for (size_t k = 0; k < meet->poses.count; k++)
        for (size_t f = 0; f < m->count; f++) {
            const rm2i_meet_pose *pose = &meet->poses.pose[k];
            size_t at = m->factors[f].ambient_offset;
            if (pose->there[f])
                memcpy(points + pose->node * m->ambient + at, pose->point + at,
                       m->factors[f].ambient * sizeof *points);
        }
}

static rm2_status draw_all(rm2_context *ctx, drawing *d, size_t count, double *points) {
    size_t size = d->meet->line.n * d->meet->line.m->ambient;
    RM2_TRY(factor_smooth(ctx, d, false, d->factor[0]));
    RM2_TRY(factor_smooth(ctx, d, true, d->factor[1]));
    for (size_t k = 0; k < count; k++) {
        if (rm2i_interrupted(ctx))
            return RM2_INTERRUPTED;
        draw(ctx, rm2_context_rng(ctx), d);
        rm2_status status = rm2i_meet_move(ctx, &d->meet->line, d->u, points + k * size);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "sample %zu", k);
        set_poses(d, points + k * size);
        rm2_data_unscale(d->meet->model->data, d->meet->line.n, points + k * size);
    }
    return RM2_OK;
}

rm2_status rm2_meet_sample(rm2_context *ctx, const rm2_meet *meet, size_t count, double *points) {
    RM2_REQUIRE(ctx, meet, points);
    drawing d = {.meet = meet};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_drawing, &d, &d.memory));
    rm2_status status = draw_all(ctx, &d, count, points);
    free(d.memory);
    return status;
}
