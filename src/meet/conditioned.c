/* The Gaussian process of deviations, conditioned without noise. Between nodes i and j (M x M blocks)
 *
 *     C(i, j) = sum_d R_d,i R_d,j^T + lambda [ kappa b(s_i).b(s_j) + (1 + rho kappa) q(s_i - s_j) ] W
 *     q(u) = exp(-u^2/(2 l^2)) + beta exp(-u^2/(2 l2^2)),   b(s) = (1, 2s - 1)
 *
 * lambda = max(1, 8/D), l = 0.3, rho = 0.1, beta = 0.2, l2 = 0.07. On SPD factors the bracket is kappa q with l = 0.1: ellipsoids
 * near the ends of a motion differ in ways that have nothing to do with the rest of it. With `approach` b(s) = sqrt(2) (1 - w, w),
 * w = 10 s^3 - 15 s^4 + 6 s^5.
 *
 * An observation is a sum of weighted nodes of one coordinate: a deviation, or its difference quotient for a velocity. With r
 * what is observed less mu, kappa grows from 1 by factors of 1.25 until r^T K^-1 r is at most the number of observations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "meet/meet.h"

static const double WIDE = 0.3, WIDE_MATRIX = 0.1, NARROW = 0.07, RHO = 0.1, BETA = 0.2;
static const double ENOUGH_DEMONSTRATIONS = 8, GROWTH = 1.25;
enum { MOST_GROWTH = 400, REFINEMENTS = 3 }; /* 1.25^400 = 1e38 */

/* ---- the prior ------------------------------------------------------------------------------ */

double rm2i_meet_smooth(bool matrix, double u) {
    double wide = matrix ? WIDE_MATRIX : WIDE;
    return exp(-u * u / (2 * wide * wide)) + BETA * exp(-u * u / (2 * NARROW * NARROW));
}

void rm2i_meet_affine(const rm2i_meet_process *p, size_t i, double b[2]) {
    double s = p->route->s[i], w = s * s * s * (10 + s * (6 * s - 15));
    b[0] = p->approach ? sqrt(2) * (1 - w) : 1;
    b[1] = p->approach ? sqrt(2) * w : 2 * s - 1;
}

void rm2i_meet_parts(const rm2i_meet_process *p, size_t a, double *affine, double *smooth) {
    *affine = p->matrix[a] ? 0 : p->weight[a] * p->kappa;
    *smooth = p->weight[a] * (p->matrix[a] ? p->kappa : 1 + RHO * p->kappa);
}

double rm2i_meet_kernel(const rm2i_meet_process *p, size_t a, size_t i, size_t j) {
    double bi[2], bj[2], affine, smooth;
    rm2i_meet_affine(p, i, bi);
    rm2i_meet_affine(p, j, bj);
    rm2i_meet_parts(p, a, &affine, &smooth);
    return affine * (bi[0] * bj[0] + bi[1] * bj[1]) +
           smooth * rm2i_meet_smooth(p->matrix[a], p->route->s[i] - p->route->s[j]);
}

static const double *row_of(const rm2i_meet_process *p, size_t d, size_t i) {
    return p->d->R + (d * p->d->n + i) * p->d->M;
}

/* Entry (a, b) of C(i, j). */
static double covariance(const rm2i_meet_process *p, size_t a, size_t i, size_t b, size_t j) {
    double sum = a == b ? rm2i_meet_kernel(p, a, i, j) : 0;
    for (size_t d = 0; d < p->d->D; d++)
        sum += row_of(p, d, i)[a] * row_of(p, d, j)[b];
    return sum;
}

/* With an observation: the sum over its nodes. */
static double with_observation(const rm2i_meet_process *p, size_t a, size_t i,
                               const rm2i_meet_observation *o) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
        sum += o->at.weight[k] * covariance(p, a, i, o->coordinate, o->at.node[k]);
    return sum;
}

static void fill_matrix(rm2i_meet_process *p) {
    for (size_t k = 0; k < p->P; k++)
        for (size_t l = 0; l <= k; l++) {
            const rm2i_meet_observation *o = &p->observation[k];
            double sum = 0;
            for (size_t node = 0; node < o->count; node++)
                sum += o->at.weight[node] *
                       with_observation(p, o->coordinate, o->at.node[node], &p->observation[l]);
            p->K[k * p->P + l] = p->K[l * p->P + k] = sum;
        }
}

/* ---- observations --------------------------------------------------------------------------- */

static double observed_mean(const rm2i_meet_process *p, const rm2i_meet_observation *o) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
        sum += o->at.weight[k] * p->d->mu[o->at.node[k] * p->d->M + o->coordinate];
    return sum;
}

static void observe(rm2i_meet_process *p, size_t pose, const rm2_factor *f,
                    const rm2i_meet_slope *at, size_t count, const double *value) {
    for (size_t a = f->dim_offset; a < f->dim_offset + f->dim; a++) {
        rm2i_meet_observation *o = &p->observation[p->P];
        *o = (rm2i_meet_observation){pose, a, count, *at, value[a]};
        p->r[p->P++] = value[a] - observed_mean(p, o);
    }
}

static rm2_status observe_pose(rm2_context *ctx, const rm2i_meet_poses *poses, size_t k,
                               double *values, rm2i_meet_process *p) {
    const rm2i_meet_pose *pose = &poses->pose[k];
    const rm2_manifold *m = p->route->m;
    rm2i_meet_slope at = {.node = {pose->node}, .weight = {1}};
    RM2_TRY(rm2i_meet_residual(ctx, p->route, pose, values));
    for (size_t f = 0; f < m->count; f++)
        if (pose->there[f])
            observe(p, k, &m->factors[f], &at, 1, values);
    if (!pose->asked->velocity)
        return RM2_OK;
    RM2_TRY(rm2i_meet_velocity(ctx, p->route, pose, values, values + m->dim));
    at = rm2i_meet_slope_at(p->route, pose->node);
    for (size_t f = 0; f < m->count; f++)
        if (pose->moving[f])
            observe(p, k, &m->factors[f], &at, 3, values + m->dim);
    return RM2_OK;
}

static rm2_status observe_all(rm2_context *ctx, const rm2i_meet_poses *poses,
                              rm2i_meet_process *p) {
    double *values;
    rm2_status status = rm2i_alloc(ctx, 2 * p->route->m->dim, sizeof *values, &values);
    for (size_t k = 0; status == RM2_OK && k < poses->count; k++)
        if (poses->pose[k].node != SIZE_MAX)
            status = observe_pose(ctx, poses, k, values, p);
    free(values);
    return status;
}

/* ---- conditioning --------------------------------------------------------------------------- */

/* a = K^-1 r, refined: the factor may have needed a jitter. Returns r^T a. */
static double solve(rm2_context *ctx, rm2i_meet_process *p, double *rest) {
    size_t P = p->P;
    memset(p->a, 0, P * sizeof *p->a);
    for (int round = 0; round < REFINEMENTS; round++) {
        for (size_t k = 0; k < P; k++)
            rest[k] = p->r[k] - rm2i_dot(P, p->K + k * P, p->a);
        rm2i_factor_solve(ctx, P, p->L, 1, rest);
        rm2i_axpy(P, 1, rest, p->a);
    }
    return rm2i_dot(P, p->r, p->a);
}

static rm2_status find_kappa(rm2_context *ctx, rm2i_meet_process *p) {
    double *rest, jitter;
    RM2_TRY(rm2i_alloc(ctx, p->P, sizeof *rest, &rest));
    rm2_status status = RM2_OK;
    p->kappa = 1;
    for (size_t round = 0; round < MOST_GROWTH; round++) {
        fill_matrix(p);
        status = rm2i_factor(ctx, p->P, p->K, 0, p->L, &jitter);
        if (status != RM2_OK)
            break;
        double square = solve(ctx, p, rest) / (double)p->P;
        if (round == 0)
            p->stretch = sqrt(fmax(square, 0));
        if (!(square > 1))
            break;
        p->kappa *= GROWTH;
    }
    free(rest);
    return status == RM2_OK
               ? status
               : rm2i_fail_prefix(ctx, status, "what is asked of the motion contradicts itself");
}

void rm2i_meet_spread_back(const rm2i_meet_process *p, size_t i, const double *v, double *out) {
    for (size_t a = 0; a < p->d->M; a++)
        for (size_t k = 0; k < p->P; k++)
            out[a] += v[k] * with_observation(p, a, i, &p->observation[k]);
}

static size_t observations_of(const rm2i_meet_poses *poses, const rm2_manifold *m) {
    size_t count = 0;
    for (size_t k = 0; k < poses->count; k++)
        for (size_t f = 0; f < m->count; f++)
            count +=
                (size_t)(poses->pose[k].there[f] + poses->pose[k].moving[f]) * m->factors[f].dim;
    return count;
}

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_meet_process *p = arg;
    size_t M = p->d->M, P = p->P;
    p->weight = rm2i_reserve(a, double, M);
    p->matrix = rm2i_reserve(a, bool, M);
    p->observation = rm2i_reserve(a, rm2i_meet_observation, P);
    p->K = rm2i_reserve(a, double, P, P);
    p->L = rm2i_reserve(a, double, P, P);
    p->a = rm2i_reserve(a, double, P);
    p->r = rm2i_reserve(a, double, P);
}

static void set_weights(rm2i_meet_process *p) {
    const rm2_manifold *m = p->route->m;
    double D = p->d->D > 1 ? (double)p->d->D : 1, lambda = fmax(1, ENOUGH_DEMONSTRATIONS / D);
    for (size_t f = 0; f < m->count; f++)
        for (size_t a = m->factors[f].dim_offset; a < m->factors[f].dim_offset + m->factors[f].dim;
             a++) {
            p->weight[a] = lambda * p->d->W[f];
            p->matrix[a] = rm2_is_spd(m->factors[f].geometry);
        }
}

rm2_status rm2i_meet_condition(rm2_context *ctx, const rm2i_meet_route *route,
                               const rm2i_meet_deviations *deviations, const rm2i_meet_poses *poses,
                               bool approach, rm2i_meet_process *p, double *c) {
    size_t M = deviations->M, n = deviations->n;
    *p = (rm2i_meet_process){.route = route, .d = deviations, .approach = approach};
    p->P = observations_of(poses, route->m);
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, p, &p->memory));
    p->P = 0;
    set_weights(p);
    RM2_TRY(observe_all(ctx, poses, p));
    RM2_TRY(find_kappa(ctx, p));
    memcpy(c, deviations->mu, n * M * sizeof *c);
    for (size_t i = 0; i < n; i++)
        rm2i_meet_spread_back(p, i, p->a, c + i * M);
    return RM2_OK;
}

void rm2i_meet_process_free(rm2i_meet_process *p) {
    free(p->memory);
    *p = (rm2i_meet_process){.P = 0};
}

/* ---- covariances ---------------------------------------------------------------------------- */

void rm2i_meet_prior(const rm2i_meet_process *p, size_t i, double *C) {
    size_t M = p->d->M;
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b <= a; b++)
            C[a * M + b] = C[b * M + a] = covariance(p, a, i, b, i);
}

/* C(i, i) - X K^-1 X^T with X = C(i, observations), by half a solve: V = L^-1 X^T. */
void rm2i_meet_posterior(rm2_context *ctx, const rm2i_meet_process *p, size_t i, double *C,
                         double *work) {
    size_t M = p->d->M, P = p->P;
    rm2i_meet_prior(p, i, C);
    for (size_t a = 0; a < M; a++)
        for (size_t k = 0; k < P; k++)
            work[a * P + k] = with_observation(p, a, i, &p->observation[k]);
    rm2i_factor_half_solve(ctx, P, p->L, M, work);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b <= a; b++) {
            double entry = C[a * M + b] - rm2i_dot(P, work + a * P, work + b * P);
            C[a * M + b] = C[b * M + a] = a == b ? fmax(entry, 0) : entry;
        }
}
