/* Demonstrations in the frames of objects that move from one demonstration to the next.
 *
 * Frame j has a pose T_j,d in demonstration d and a pose T_j now. Seen from it, the demonstration is T_j T_j,d^-1 demo_d: a rigid motion of
 * the position (R2, R3) and, where the manifold has one, of the orientation (S1; S3 or SO3, both quaternions); other factors stay as they are. With J
 * frames there are J versions of each demonstration. Near its object, demonstrations agree in the version of a frame; far from it
 * they do not. At part u of the arc length and in factor f, the bent demonstrations are those combinations that agree best,
 *
 *     S_ij(u) = mean over d of <e_i,d, e_j,d>,  e_j,d = version j of demo_d(u) less the mean over d, + prior_j(u) where i = j
 *     p(u) = S^-1 1/(1^T S^-1 1), not negative;   demo_d(u) <- Exp_b( sum_j p_j Log_b(version j) ),   b = version 1
 *
 * For frames whose errors are independent p_j ~ 1/S_jj, the product of the Gaussians of the versions. Errors of two objects are not: where
 * one version is wrong by part of the way between them, the other is wrong by the rest in the opposite direction. The prior is what S_jj is
 * expected to be from one demonstration: a start matters at the start (u^2), a goal at the goal. All that follows (alignment, mean,
 * covariance) is that of demonstrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "linalg/dense.h"
#include "math/quaternion.h"
#include "meet/meet.h"
#include "start/curves.h"

enum { K = RM2I_MEET_SAMPLES, SMOOTHED = 5 };
static const double PRIOR = 0.02; /* standard deviation at the other end, in parts of the way */
static const double FLOOR = 1e-3; /* of the largest S */

/* ---- rigid motions -------------------------------------------------------------------------- */

static bool turns(const rm2_factor *f, size_t n) {
    return n == 3 ? rm2i_is_orientation(f) : f->geometry == &rm2_sphere && f->n == 1;
}

/* Factors that a frame moves; SIZE_MAX: there is none. */
static void find_factors(const rm2_manifold *m, size_t *position, size_t *orientation) {
    *position = *orientation = SIZE_MAX;
    for (size_t f = m->count; f-- > 0;)
        if (m->factors[f].geometry == &rm2_euclidean &&
            (m->factors[f].n == 2 || m->factors[f].n == 3))
            *position = f;
    for (size_t f = m->count; f-- > 0 && *position != SIZE_MAX;)
        if (turns(&m->factors[f], m->factors[*position].n))
            *orientation = f;
}

/* R by rows, and the quaternion that it is of. */
static void convert_rotation(const double *x, rm2i_rigid *g) {
    if (g->n == 2) {
        g->R[0] = g->R[3] = x[0];
        g->R[1] = -x[1];
        g->R[2] = x[1];
        return;
    }
    memcpy(g->q, x, sizeof g->q);
    for (size_t k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        double column[3];
        rm2i_quaternion_rotate(x, unit, column);
        for (size_t r = 0; r < 3; r++)
            g->R[r * 3 + k] = column[r];
    }
}

static rm2i_rigid rigid_of(const rm2_manifold *m, const double *pose) {
    size_t position, orientation;
    find_factors(m, &position, &orientation);
    const rm2_factor *p = &m->factors[position];
    rm2i_rigid g = {.n = p->n, .q = {1}};
    for (size_t k = 0; k < g.n; k++) {
        g.t[k] = pose[p->ambient_offset + k];
        g.R[k * (g.n + 1)] = 1;
    }
    if (orientation != SIZE_MAX)
        convert_rotation(pose + m->factors[orientation].ambient_offset, &g);
    return g;
}

/* now then^-1 */
static rm2i_rigid between(const rm2i_rigid *then, const rm2i_rigid *now) {
    size_t n = now->n;
    const double back[4] = {then->q[0], -then->q[1], -then->q[2], -then->q[3]};
    rm2i_rigid g = {.n = n};
    rm2i_quaternion_multiply(now->q, back, g.q);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            g.R[a * n + b] = rm2i_dot(n, now->R + a * n, then->R + b * n);
        g.t[a] = now->t[a] - rm2i_dot(n, g.R + a * n, then->t);
    }
    return g;
}

static void rotate(const rm2i_rigid *g, double *x) {
    double out[3] = {0};
    for (size_t a = 0; a < g->n; a++)
        out[a] = rm2i_dot(g->n, g->R + a * g->n, x);
    memcpy(x, out, g->n * sizeof *x);
}

static void apply(const rm2_manifold *m, const rm2i_rigid *g, double *point) {
    size_t position, orientation;
    find_factors(m, &position, &orientation);
    double *p = point + m->factors[position].ambient_offset;
    rotate(g, p);
    rm2i_axpy(g->n, 1, g->t, p);
    if (orientation == SIZE_MAX)
        return;
    double *x = point + m->factors[orientation].ambient_offset;
    if (g->n == 2)
        rotate(g, x);
    else
        rm2i_quaternion_multiply(g->q, x, x);
}

/* ---- frames of a request ------------------------------------------------------------------- */

static rm2_status check(rm2_context *ctx, const rm2_model *model, const rm2i_meet_poses *poses,
                        const rm2_meet_request *request) {
    size_t position, orientation;
    find_factors(model->manifold, &position, &orientation);
    if (position == SIZE_MAX)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "frames need positions (a factor R2 or R3), and %s has none",
                         rm2_manifold_spec(model->manifold));
    RM2_REQUIRE(ctx, request->frame);
    if (request->frames > RM2I_TASK_FRAMES)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu frames; at most %d are possible",
                         request->frames, RM2I_TASK_FRAMES);
    for (size_t k = 0; k < request->frames; k++) {
        const rm2_task_frame *o = &request->frame[k];
        const rm2i_meet_pose *end = &poses->pose[o->kind == RM2_FRAME_START ? 0 : poses->count - 1];
        if (o->kind > RM2_FRAME_GIVEN)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "frame %zu: unknown kind %d", k + 1,
                             (int)o->kind);
        if (o->kind == RM2_FRAME_GIVEN && (!o->then || !o->now))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "frame %zu: then or now is NULL", k + 1);
        if (o->kind <= RM2_FRAME_GOAL &&
            (!end->there[position] || (orientation != SIZE_MAX && !end->there[orientation])))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s: its frame needs its position and its "
                             "orientation, and one of them is free",
                             end->name);
    }
    return RM2_OK;
}

void rm2i_task_frames_complete(const rm2_meet_request *request, const rm2_model *model,
                               rm2i_meet_ends *ends) {
    for (size_t k = 0; request->frame && k < request->frames; k++)
        for (size_t t = 0;
             request->frame[k].kind <= RM2_FRAME_GOAL && t < model->data->trajectories; t++)
            ends->extent[request->frame[k].kind == RM2_FRAME_GOAL][t] = 0;
}

static rm2_status project_given(rm2_context *ctx, const rm2_model *model, size_t index, size_t n,
                                const double *points, const char *when, double *out) {
    rm2_status status = rm2i_model_project(ctx, model, n, points, out, NULL);
    return status == RM2_OK ? status
                            : rm2i_fail_prefix(ctx, status, "frame %zu, %s", index + 1, when);
}

/* The pose of demonstration t at the start (goal) of the motion. */
static const double *end_of(const rm2_model *model, const rm2i_meet_ends *ends,
                            rm2_task_frame_kind kind, size_t t) {
    const rm2_start_demo *demo = rm2i_meet_demo(model, t);
    bool last = (kind == RM2_FRAME_GOAL) != ends->reversed;
    if (demo && demo->reversed)
        last = !last;
    size_t point = last ? model->data->starts[t + 1] - 1 : model->data->starts[t];
    return model->data->points + point * model->manifold->ambient;
}

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_task_frames *o = arg;
    o->kind = rm2i_reserve(a, rm2_task_frame_kind, o->count);
    o->motion = rm2i_reserve(a, rm2i_rigid, o->count, o->trajectories);
}

static rm2_status fill(rm2_context *ctx, const rm2_model *model, const rm2i_meet_poses *poses,
                       const rm2i_meet_ends *ends, const rm2_meet_request *request,
                       rm2i_task_frames *o, double *given) {
    const rm2_manifold *m = model->manifold;
    size_t T = o->trajectories;
    for (size_t k = 0; k < o->count; k++) {
        const rm2_task_frame *asked = &request->frame[k];
        o->kind[k] = asked->kind;
        if (asked->kind == RM2_FRAME_GIVEN) {
            RM2_TRY(project_given(ctx, model, k, T, asked->then, "demonstrations", given));
            RM2_TRY(project_given(ctx, model, k, 1, asked->now, "now", given + T * m->ambient));
        }
        for (size_t t = 0; t < T; t++) {
            const double *now =
                poses->pose[asked->kind == RM2_FRAME_START ? 0 : poses->count - 1].point;
            const double *then = given + t * m->ambient;
            if (asked->kind == RM2_FRAME_GIVEN)
                now = given + T * m->ambient;
            else
                then = asked->kind == RM2_FRAME_WORLD ? now : end_of(model, ends, asked->kind, t);
            rm2i_rigid before = rigid_of(m, then), after = rigid_of(m, now);
            o->motion[k * T + t] = between(&before, &after);
        }
    }
    return RM2_OK;
}

rm2_status rm2i_task_frames_convert(rm2_context *ctx, const rm2_model *model,
                                    const rm2i_meet_poses *poses, const rm2i_meet_ends *ends,
                                    const rm2_meet_request *request, rm2i_task_frames *frames) {
    double *given;
    *frames =
        (rm2i_task_frames){.count = request->frames, .trajectories = model->data->trajectories};
    if (frames->count == 0)
        return RM2_OK;
    RM2_TRY(check(ctx, model, poses, request));
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, frames, &frames->memory));
    RM2_TRY(rm2i_alloc(ctx, (frames->trajectories + 1) * model->manifold->ambient, sizeof *given,
                       &given));
    rm2_status status = fill(ctx, model, poses, ends, request, frames, given);
    free(given);
    return status;
}

void rm2i_task_frames_free(rm2i_task_frames *frames) {
    free(frames->memory);
    *frames = (rm2i_task_frames){.count = 0};
}

/* ---- demonstrations in their frames --------------------------------------------------------- */

typedef struct bending {
    const rm2_manifold *m;
    const rm2i_task_frames *frames;
    const size_t *which;
    size_t J, D;
    double *version; /* J x D x K x ambient */
    double *S;       /* factors x J x J x K */
    double *weight;  /* factors x J x K */
    double *away;    /* J x D x dim: from the mean of each frame */
    double *smoothed, *frame, *mean, *base, *A, *L, *p, *work;
    double *memory;
} bending;

static void lay_out_bending(void *arg, rm2i_arena *a) {
    bending *b = arg;
    const rm2_manifold *m = b->m;
    b->version = rm2i_reserve(a, double, b->J, b->D, K, m->ambient);
    b->S = rm2i_reserve(a, double, m->count, b->J, b->J, K);
    b->weight = rm2i_reserve(a, double, m->count, b->J, K);
    b->away = rm2i_reserve(a, double, b->J, b->D, m->dim);
    b->smoothed = rm2i_reserve(a, double, K);
    b->frame = rm2i_reserve(a, double, m->frame_size);
    b->mean = rm2i_reserve(a, double, m->dim);
    b->base = rm2i_reserve(a, double, m->ambient);
    b->A = rm2i_reserve(a, double, b->J, b->J);
    b->L = rm2i_reserve(a, double, b->J, b->J);
    b->p = rm2i_reserve(a, double, b->J);
    b->work = rm2i_reserve(a, double, m->work_size);
}

static double *version_of(const bending *b, size_t j, size_t d, size_t k) {
    return b->version + ((j * b->D + d) * K + k) * b->m->ambient;
}

static double *weight_of(const bending *b, size_t f, size_t j) {
    return b->weight + (f * b->J + j) * K;
}

static double *S_of(const bending *b, size_t f, size_t i, size_t j) {
    return b->S + ((f * b->J + i) * b->J + j) * K;
}

/* Quaternions of S3 on the side of another curve at most of its points. */
static void face(const rm2_manifold *m, const double *other, double *curve) {
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        size_t at = factor->ambient_offset;
        double dot = 0;
        if (factor->geometry != &rm2_sphere || factor->n != 3)
            continue;
        for (size_t k = 0; k < K; k++)
            dot += rm2i_dot(4, other + k * m->ambient + at, curve + k * m->ambient + at);
        for (size_t e = 0; dot < 0 && e < 4 * K; e++)
            curve[e / 4 * m->ambient + at + e % 4] *= -1;
    }
}

static void make_versions(const bending *b, const double *samples) {
    size_t curve = K * b->m->ambient;
    for (size_t j = 0; j < b->J; j++)
        for (size_t d = 0; d < b->D; d++) {
            double *version = version_of(b, j, d, 0);
            const rm2i_rigid *g = &b->frames->motion[j * b->frames->trajectories + b->which[d]];
            memcpy(version, samples + d * curve, curve * sizeof *version);
            for (size_t k = 0; k < K; k++)
                apply(b->m, g, version + k * b->m->ambient);
            face(b->m, version_of(b, 0, 0, 0), version);
        }
}

/* Log_base of all versions at sample k, less the mean of each frame; base: the mean of the first frame, one step from one of its
 * versions. */
static rm2_status deviate(const bending *b, size_t k) {
    const rm2_manifold *m = b->m;
    memcpy(b->base, version_of(b, 0, 0, k), m->ambient * sizeof *b->base);
    for (int round = 0; round < 2; round++) {
        RM2_TRY(rm2i_manifold_frame(m, b->base, b->frame, b->work, NULL));
        for (size_t j = b->J; j-- > 0;) {
            memset(b->mean, 0, m->dim * sizeof *b->mean);
            for (size_t d = 0; d < b->D; d++) {
                double *away = b->away + (j * b->D + d) * m->dim;
                RM2_TRY(
                    rm2i_manifold_log(m, b->frame, version_of(b, j, d, k), away, b->work, NULL));
                rm2i_axpy(m->dim, 1 / (double)b->D, away, b->mean);
            }
            for (size_t d = 0; d < b->D; d++)
                rm2i_axpy(m->dim, -1, b->mean, b->away + (j * b->D + d) * m->dim);
        }
        if (round == 0)
            RM2_TRY(rm2i_manifold_exp(m, b->frame, b->mean, b->base, b->work, NULL));
    }
    return RM2_OK;
}

static rm2_status find_covariance(const bending *b, size_t k) {
    size_t dim = b->m->dim;
    RM2_TRY(deviate(b, k));
    for (size_t f = 0; f < b->m->count; f++)
        for (size_t i = 0; i < b->J; i++)
            for (size_t j = 0; j < b->J; j++) {
                const rm2_factor *factor = &b->m->factors[f];
                double sum = 0;
                for (size_t d = 0; d < b->D; d++)
                    sum +=
                        rm2i_dot(factor->dim, b->away + (i * b->D + d) * dim + factor->dim_offset,
                                 b->away + (j * b->D + d) * dim + factor->dim_offset);
                S_of(b, f, i, j)[k] = sum / (b->D > 1 ? (double)(b->D - 1) : 1);
            }
    return RM2_OK;
}

static double expected(rm2_task_frame_kind kind, double u) {
    return kind == RM2_FRAME_START ? u * u : kind == RM2_FRAME_GOAL ? (1 - u) * (1 - u) : 0.25;
}

/* Squared length of a demonstration in a factor. */
static double way_of(const bending *b, const rm2_factor *f) {
    double sum = 0;
    for (size_t k = 0; k + 1 < K; k++) {
        double d = 0;
        const double *y = version_of(b, 0, 0, k) + f->ambient_offset;
        if (f->geometry->distance(f->n, y, y + b->m->ambient, &d, b->work) == RM2_OK)
            sum += d;
    }
    return sum * sum;
}

/* Smooth along the demonstrations, and add what is expected of one of them. */
static void complete_covariance(const bending *b, size_t f) {
    double way = way_of(b, &b->m->factors[f]), largest = 0;
    for (size_t i = 0; i < b->J; i++)
        for (size_t j = 0; j < b->J; j++) {
            double *S = S_of(b, f, i, j);
            rm2i_running_mean(K, S, SMOOTHED, b->smoothed);
            memcpy(S, b->smoothed, K * sizeof *S);
            for (size_t k = 0; i == j && k < K; k++) {
                S[k] += PRIOR * PRIOR * way * expected(b->frames->kind[j], (double)k / (K - 1));
                largest = fmax(largest, S[k]);
            }
        }
    for (size_t i = 0; i < b->J; i++)
        for (size_t k = 0; k < K; k++)
            S_of(b, f, i, i)[k] += largest > 0 ? FLOOR * largest : 1;
}

/* p of the frames in `in`, by the Cholesky factor of their part of S, and the least of them. */
static rm2_status solve(const bending *b, size_t f, size_t k, size_t count, const size_t *in,
                        size_t *least) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            b->A[i * count + j] = S_of(b, f, in[i], in[j])[k];
    RM2_TRY(rm2i_cholesky(count, b->A, b->L));
    for (size_t i = 0; i < count; i++) /* L y = 1 */
        b->p[i] = (1 - rm2i_dot(i, b->L + i * count, b->p)) / b->L[i * count + i];
    for (size_t i = count; i-- > 0;) { /* L^T p = y */
        b->p[i] /= b->L[i * count + i];
        rm2i_axpy(i, -b->p[i], b->L + i * count, b->p);
    }
    *least = 0;
    for (size_t i = 0; i < count; i++) {
        sum += b->p[i];
        *least = b->p[i] < b->p[*least] ? i : *least;
    }
    for (size_t i = 0; i < count; i++)
        b->p[i] /= sum;
    return RM2_OK;
}

/* Frames whose weight would be negative are left out, the worst first. */
static rm2_status weigh(const bending *b, size_t f, size_t k) {
    size_t in[RM2I_TASK_FRAMES], count = b->J, least = 0;
    for (size_t j = 0; j < b->J; j++) {
        in[j] = j;
        weight_of(b, f, j)[k] = 0;
    }
    RM2_TRY(solve(b, f, k, count, in, &least));
    while (b->p[least] < 0) {
        memmove(in + least, in + least + 1, (count - least - 1) * sizeof *in);
        count--;
        RM2_TRY(solve(b, f, k, count, in, &least));
    }
    for (size_t i = 0; i < count; i++)
        weight_of(b, f, in[i])[k] = b->p[i];
    return RM2_OK;
}

/* One point of one demonstration between its versions. */
static rm2_status join(const bending *b, size_t d, size_t k, double *out) {
    const rm2_manifold *m = b->m;
    memset(b->mean, 0, m->dim * sizeof *b->mean);
    RM2_TRY(rm2i_manifold_frame(m, version_of(b, 0, d, k), b->frame, b->work, NULL));
    for (size_t j = 0; j < b->J; j++) {
        RM2_TRY(rm2i_manifold_log(m, b->frame, version_of(b, j, d, k), b->away, b->work, NULL));
        for (size_t f = 0; f < m->count; f++) {
            size_t from = m->factors[f].dim_offset;
            rm2i_axpy(m->factors[f].dim, weight_of(b, f, j)[k], b->away + from, b->mean + from);
        }
    }
    return rm2i_manifold_exp(m, b->frame, b->mean, out, b->work, NULL);
}

static rm2_status bend(rm2_context *ctx, const bending *b, double *samples) {
    make_versions(b, samples);
    for (size_t k = 0; k < K; k++) {
        if (rm2i_interrupted(ctx))
            return RM2_INTERRUPTED;
        RM2_TRY(find_covariance(b, k));
    }
    for (size_t f = 0; f < b->m->count; f++) {
        complete_covariance(b, f);
        for (size_t k = 0; k < K; k++)
            RM2_TRY(weigh(b, f, k));
    }
    for (size_t d = 0; d < b->D; d++)
        for (size_t k = 0; k < K; k++)
            RM2_TRY(join(b, d, k, samples + (d * K + k) * b->m->ambient));
    return RM2_OK;
}

rm2_status rm2i_task_frames_bend(rm2_context *ctx, const rm2_manifold *m,
                                 const rm2i_task_frames *frames, size_t count, const size_t *which,
                                 double *samples) {
    bending b = {
        .m = m, .frames = frames, .which = which, .J = frames ? frames->count : 0, .D = count};
    if (b.J == 0 || count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_bending, &b, &b.memory));
    rm2_status status = bend(ctx, &b, samples);
    free(b.memory);
    return status == RM2_OK ? status
                            : rm2i_fail(ctx, status, "demonstrations in the frames: %s",
                                        rm2_status_text(status));
}
