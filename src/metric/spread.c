/* How certain a pullback metric is. For directions a_j (one, or a basis for the trace), with
 *   mu_j = J a_j,  tau_m[j,l] = a_j^T R_m a_l,  Gp = P^T Gc P,  b_j = P^T Gc mu_j,
 * the sum of a_j^T G a_j over j, Gc held at the mean, has
 *   mean      sum_j mu_j^T Gc mu_j + sum_m tau_m[j,j] Gp_mm
 *   variance  sum_jl 2 sum_mn tau_m[j,l] tau_n[j,l] Gp_mn^2 + 4 sum_m tau_m[j,l] b_jm b_lm
 * and the random length |J a| is the root of a quadratic form in M normal numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "metric/pullback.h"

/* What is known at one point; arrays in the caller's scratch. */
typedef struct local {
    const rm2i_pullback_field *f;
    rm2i_moments mo;
    double *c, *Gp, *GP; /* M, M x M: P^T Gc P, M x M: rows Gc p_m */
    double *mu, *b;      /* Q x M each */
    double *tau;         /* M */
    double *moments, *work;
} local;

static void lay_out(local *l, const rm2i_pullback_field *f, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    l->f = f;
    l->c = rm2i_reserve(a, double, M);
    l->tau = rm2i_reserve(a, double, M);
    l->Gp = rm2i_reserve(a, double, M, M);
    l->GP = rm2i_reserve(a, double, M, M);
    l->mu = rm2i_reserve(a, double, Q, M);
    l->b = rm2i_reserve(a, double, Q, M);
    l->moments =
        rm2i_reserve(a, double, rm2i_moments_work(f->posterior, 1, RM2I_MOMENT_COVARIANCE));
    l->work = rm2i_reserve(a, double, rm2i_pullback_manifold_work(f));
}

static rm2_status local_at(local *l, const double *x) {
    const rm2i_pullback_field *f = l->f;
    size_t M = f->posterior->gp.M;
    rm2i_moments_at(f->posterior, 1, x, NULL, RM2I_MOMENT_COVARIANCE, l->moments, &l->mo);
    for (size_t k = 0; k < M; k++)
        l->c[k] = l->mo.f[k] + f->mean[k];
    RM2_TRY(rm2i_pullback_ambient(f, l->c, M, f->all.Pt, l->GP, l->work));
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n <= m; n++)
            l->Gp[m * M + n] = l->Gp[n * M + m] = rm2i_dot(M, f->all.Pt + m * M, l->GP + n * M);
    return isfinite(rm2i_max_abs(M * M, l->Gp)) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* mu and b of direction j; *square is mu^T Gc mu. */
static rm2_status aim(local *l, size_t j, const double *a, double *square) {
    size_t M = l->f->posterior->gp.M, Q = l->f->posterior->gp.Q;
    double *mu = l->mu + j * M, *b = l->b + j * M;
    memset(mu, 0, M * sizeof *mu);
    for (size_t r = 0; r < Q; r++)
        rm2i_axpy(M, a[r], l->mo.J + r * M, mu);
    RM2_TRY(rm2i_pullback_ambient(l->f, l->c, 1, mu, b, l->work));
    *square = rm2i_dot(M, mu, b);
    for (size_t m = 0; m < M; m++)
        b[m] = rm2i_dot(M, mu, l->GP + m * M);
    return isfinite(*square) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* ---- variance ------------------------------------------------------------------------------- */

/* What the pair (j, k) of directions adds to the variance, with its tau in l->tau; and the sum of
 * tau_m Gp_mm, which counts in the mean where j = k. */
static double pair_variance(const local *l, size_t j, size_t k, double *trace) {
    size_t M = l->f->posterior->gp.M;
    double sum = 0;
    *trace = 0;
    for (size_t m = 0; m < M; m++) {
        *trace += l->tau[m] * l->Gp[m * M + m];
        sum += 4 * l->tau[m] * l->b[j * M + m] * l->b[k * M + m];
        for (size_t n = 0; n < M; n++)
            sum += 2 * l->tau[m] * l->tau[n] * l->Gp[m * M + n] * l->Gp[m * M + n];
    }
    return sum;
}

typedef struct spread_job {
    const rm2i_pullback_field *f;
    const double *x, *directions;
    double *mean, *deviation;
} spread_job;

typedef struct spread_scratch {
    double *basis; /* Q x Q: directions */
    local at;
} spread_scratch;

static void lay_out_spread(spread_scratch *s, const rm2i_pullback_field *f, rm2i_arena *a) {
    s->basis = rm2i_reserve(a, double, f->posterior->gp.Q, f->posterior->gp.Q);
    lay_out(&s->at, f, a);
}

static rm2_status spread_point(const void *arg, size_t i, double *work) {
    const spread_job *s = arg;
    size_t Q = s->f->posterior->gp.Q, count = s->directions ? 1 : Q;
    double mean = 0, variance = 0;
    spread_scratch own;
    lay_out_spread(&own, s->f, &(rm2i_arena){work, 0});
    double *basis = own.basis;
    local *l = &own.at;
    RM2_TRY(local_at(l, s->x + i * Q));
    for (size_t k = 0; k < Q * Q; k++)
        basis[k] = k % (Q + 1) == 0;
    if (s->directions)
        memcpy(basis, s->directions + i * Q, Q * sizeof *basis);
    for (size_t j = 0; j < count; j++) {
        double square;
        RM2_TRY(aim(l, j, basis + j * Q, &square));
        mean += square;
    }
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < count; k++) {
            double trace;
            rm2i_moments_each(&l->mo, 0, basis + j * Q, basis + k * Q, l->tau);
            variance += pair_variance(l, j, k, &trace);
            mean += j == k ? trace : 0;
        }
    s->mean[i] = mean;
    s->deviation[i] = sqrt(fmax(variance, 0));
    return isfinite(mean) && isfinite(variance) ? RM2_OK : RM2_ERR_NUMERIC;
}

static bool concerns_a_point(rm2_status status) {
    return status != RM2_OK && status != RM2_INTERRUPTED && status != RM2_ERR_MEMORY;
}

rm2_status rm2_metric_spread(rm2_context *ctx, const rm2_metric *metric, size_t n, const double *x,
                             const double *directions, double *mean, double *deviation) {
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, x, mean, deviation);
    spread_job job = {.x = x, .directions = directions, .mean = mean, .deviation = deviation};
    size_t failed = 0, Q = metric->Q;
    RM2_TRY(rm2i_pullback_of(ctx, metric, &job.f));
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, x));
    if (directions && rm2i_metric_check_points(ctx, Q, n, directions) != RM2_OK)
        return rm2i_fail_prefix(ctx, RM2_ERR_DATA, "directions");
    rm2i_arena work = {NULL, 0};
    lay_out_spread(&(spread_scratch){0}, job.f, &work);
    rm2_status status = rm2i_jobs(ctx, n, work.used, spread_point, &job, &failed);
    return concerns_a_point(status)
               ? rm2i_fail(ctx, status, "the metric cannot be computed at point %zu", failed)
               : status;
}

/* ---- expected length ------------------------------------------------------------------------ */

/* A path on its way: the sum so far, and its variance. */
typedef struct path_length {
    size_t samples;
    rm2_rng *rng;
    double length, variance;
    const rm2i_pullback_field *f;
    local at;
    double *x, *step; /* Q */
    double *z;        /* M */
    double *memory;
} path_length;

static void lay_out_path(void *path, rm2i_arena *a) {
    path_length *p = path;
    p->x = rm2i_reserve(a, double, p->f->posterior->gp.Q);
    p->step = rm2i_reserve(a, double, p->f->posterior->gp.Q);
    p->z = rm2i_reserve(a, double, p->f->posterior->gp.M);
    lay_out(&p->at, p->f, a);
}

/* One draw of |J a|: z_m = sqrt(tau_m) N(0, 1), |mu + P z|^2 = square + 2 b.z + z^T Gp z. */
static double draw_length(const local *l, double square, rm2_rng *rng, double *z) {
    size_t M = l->f->posterior->gp.M;
    for (size_t m = 0; m < M; m++)
        z[m] = sqrt(fmax(l->tau[m], 0)) * rm2_rng_normal(rng);
    for (size_t m = 0; m < M; m++)
        square += z[m] * (2 * l->b[m] + rm2i_dot(M, l->Gp + m * M, z));
    return sqrt(fmax(square, 0));
}

/* Adds the mean of |J step| at x over the samples, and the variance of that mean (Welford's sums). */
static rm2_status add_node(path_length *p, double weight) {
    local *l = &p->at;
    double square, mean = 0, squares = 0, samples = (double)p->samples;
    RM2_TRY(local_at(l, p->x));
    RM2_TRY(aim(l, 0, p->step, &square));
    rm2i_moments_each(&l->mo, 0, p->step, p->step, l->tau);
    for (size_t k = 0; k < p->samples; k++) {
        double one = draw_length(l, square, p->rng, p->z), off = one - mean;
        mean += off / (double)(k + 1);
        squares += off * (one - mean);
    }
    p->length += weight * mean;
    p->variance += weight * weight * (squares / (samples * (samples - 1)));
    return RM2_OK;
}

/* Add the length of one side, with G at the nodes of its rule: then Jensen's inequality holds node by
 * node against rm2i_metric_measure. */
static rm2_status add_side(path_length *p, const double *from, const double *to) {
    size_t Q = p->f->posterior->gp.Q;
    for (size_t q = 0; q < Q; q++)
        p->step[q] = to[q] - from[q];
    for (size_t g = 0; g < RM2I_SIDE_NODES; g++) {
        for (size_t q = 0; q < Q; q++)
            p->x[q] = from[q] + rm2i_side_node[g] * p->step[q];
        RM2_TRY(add_node(p, rm2i_side_weight[g]));
    }
    return RM2_OK;
}

rm2_status rm2i_metric_expected_length(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                       const double *path, size_t samples, double *length,
                                       double *standard_error) {
    RM2_REQUIRE(ctx, metric, length, standard_error);
    if (n > 0)
        RM2_REQUIRE(ctx, path);
    size_t Q = metric->Q;
    path_length p = {.samples = samples, .rng = rm2_context_rng(ctx)};
    RM2_TRY(rm2i_pullback_of(ctx, metric, &p.f));
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, path));
    if (samples < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "an expected length needs at least two samples");
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_path, &p, &p.memory));
    rm2_status status = RM2_OK;
    for (size_t i = 0; i + 1 < n && status == RM2_OK; i++) {
        status = rm2i_interrupted(ctx) ? rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted")
                                       : add_side(&p, path + i * Q, path + (i + 1) * Q);
        if (concerns_a_point(status))
            status = rm2i_fail(ctx, status, "the metric cannot be computed at side %zu", i);
    }
    free(p.memory);
    *length = p.length;
    *standard_error = sqrt(p.variance);
    return status;
}
