/* Latent points of new observations.
 *
 * density:  log N(v; f(x), P diag(h(x) + noise) P^T) + log N(x; mean X, 25 var X), the second a
 *           broad Gaussian that only keeps x near the latents
 * residual: -1/2 (v - f(x))^T C^-1 (v - f(x)), C the noise covariance: s2 P P^T, or P P^T = D
 * by L-BFGS, least squares from the latents of the nearest training points that lie apart from each
 * other, the density from the best of that and from the nearest one. With r = v - f,
 * S = P diag(g) P^T, y = S^-1 r, p_m columns of P:
 *   d/dx log N = y^T J + 1/2 sum_m dg_m ((p_m^T y)^2 - p_m^T S^-1 p_m)
 * Missing coordinates: rows of v, f, P are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/special.h"
#include "model/back.h"
#include "model/model.h"
#include "optim/optim.h"

rm2_encode_settings rm2_encode_settings_default(void) {
    rm2_encode_settings s = {.objective = RM2_ENCODE_DENSITY,
                             .starts = 4,
                             .back_constraint = true,
                             .optim = rm2_optim_settings_default()};
    s.optim.max_iterations = 200;
    s.optim.relative_decrease = 1e-10;
    s.optim.gradient = 1e-5;
    s.optim.history = 5;
    return s;
}

/* ---- one observation ------------------------------------------------------------------------ */

typedef struct observation {
    rm2_context *ctx; /* whose interrupt ends a search */
    const rm2_model *m;
    bool residual_only;
    size_t count;               /* coordinates that are there */
    size_t *which;              /* M: their indices */
    double *v;                  /* count: centred */
    double *P;                  /* count x M: rows of P that are there */
    double *centre, *precision; /* Q: the broad Gaussian */
    double *L;                  /* count x count: factor of S, or of P P^T with Kronecker noise */
    double log_det;             /* of P P^T, Kronecker noise */
    double *f, *h, *J, *dh, *r, *y, *Y; /* M, M, MQ, MQ, M, M, M x M */
    double *start;                      /* Q: best of least squares */
    double *work;
} observation;

static bool kronecker(const observation *o) {
    return o->m->settings.noise == RM2_NOISE_KRONECKER;
}

static size_t observation_size(const rm2_model *m) {
    size_t M = m->M, Q = m->Q;
    return M + M * M + 2 * Q + M * M + 2 * M + 2 * M * Q + 2 * M + M * M + M + Q +
           rm2i_posterior_work(m->posterior);
}

static observation observation_in(const rm2_model *m, double *memory) {
    size_t M = m->M, Q = m->Q;
    observation o = {.m = m};
    o.v = rm2i_cut(&memory, M);
    o.P = rm2i_cut(&memory, M * M);
    o.centre = rm2i_cut(&memory, Q);
    o.precision = rm2i_cut(&memory, Q);
    o.L = rm2i_cut(&memory, M * M);
    o.f = rm2i_cut(&memory, M);
    o.h = rm2i_cut(&memory, M);
    o.J = rm2i_cut(&memory, M * Q);
    o.dh = rm2i_cut(&memory, M * Q);
    o.r = rm2i_cut(&memory, M);
    o.y = rm2i_cut(&memory, M);
    o.Y = rm2i_cut(&memory, M * M);
    o.which = (size_t *)(void *)rm2i_cut(&memory, M);
    o.start = rm2i_cut(&memory, Q);
    o.work = memory;
    return o;
}

/* S = P diag(g) P^T over the coordinates that are there, factored into o->L. */
static rm2_status factor_covariance(observation *o, const double *h, double noise) {
    size_t n = o->count, M = o->m->M;
    double *S = o->Y, jitter;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t m = 0; m < M; m++)
                sum += o->P[a * M + m] * o->P[b * M + m] * (h ? h[m] + noise : noise);
            S[a * n + b] = sum;
        }
    return rm2i_factor(n, S, 0, o->L, &jitter);
}

/* Coordinates that are there, their rows of P, and the factor that does not depend on x. */
static rm2_status observe(observation *o, const double *centred, const bool *there) {
    size_t M = o->m->M;
    const double *P = o->m->posterior->P;
    o->count = 0;
    for (size_t k = 0; k < M; k++) {
        if (!there[k])
            continue;
        o->which[o->count] = k;
        o->v[o->count] = centred[k];
        memcpy(o->P + o->count * M, P + k * M, M * sizeof *P);
        o->count++;
    }
    if (!kronecker(o)) /* S depends on x: factored where it is needed */
        return RM2_OK;
    RM2_TRY(factor_covariance(o, NULL, 1));
    o->log_det = rm2i_factor_log_det(o->count, o->L);
    return RM2_OK;
}

/* Mean and variance of the latents, for the broad Gaussian. */
static void spread_of_latents(const rm2_model *m, double *centre, double *precision) {
    for (size_t q = 0; q < m->Q; q++) {
        double sum = 0, squares = 0;
        for (size_t n = 0; n < m->N; n++)
            sum += m->X[n * m->Q + q];
        centre[q] = sum / (double)m->N;
        for (size_t n = 0; n < m->N; n++)
            squares += pow(m->X[n * m->Q + q] - centre[q], 2);
        double variance = squares / (double)m->N;
        precision[q] = variance > 0 ? 0.04 / variance : 1;
    }
}

/* ---- objectives ----------------------------------------------------------------------------- */

/* r = v - f over the coordinates that are there. */
static void find_residual(observation *o) {
    for (size_t k = 0; k < o->count; k++)
        o->r[k] = o->v[k] - o->f[o->which[k]];
}

/* slope_q += y^T J_q */
static void add_mean_slope(const observation *o, double scale, double *slope) {
    size_t Q = o->m->Q;
    for (size_t k = 0; k < o->count; k++)
        for (size_t q = 0; q < Q; q++)
            slope[q] += scale * o->y[k] * o->J[o->which[k] * Q + q];
}

/* g = h + s2 is one number: S = g P P^T. */
static double kronecker_density(observation *o, double *slope) {
    size_t n = o->count;
    double g = o->h[0] + o->m->posterior->observed;
    memcpy(o->y, o->r, n * sizeof *o->y);
    rm2i_factor_solve(n, o->L, 1, o->y); /* (P P^T)^-1 r */
    double quadratic = rm2i_dot(n, o->r, o->y);
    if (slope) {
        add_mean_slope(o, 1 / g, slope);
        for (size_t q = 0; q < o->m->Q; q++)
            slope[q] += 0.5 * o->dh[q] * (quadratic / (g * g) - (double)n / g);
    }
    return -0.5 * (quadratic / g + (double)n * log(g) + o->log_det + (double)n * RM2I_LOG_2PI);
}

static double general_density(observation *o, double *slope) {
    size_t n = o->count, M = o->m->M, Q = o->m->Q;
    if (factor_covariance(o, o->h, o->m->posterior->observed) != RM2_OK)
        return NAN;
    memcpy(o->y, o->r, n * sizeof *o->y);
    rm2i_factor_solve(n, o->L, 1, o->y);
    for (size_t m = 0; slope && m < M; m++) { /* rows of Y: L^-1 p_m */
        for (size_t k = 0; k < n; k++)
            o->Y[m * n + k] = o->P[k * M + m];
    }
    if (slope) {
        rm2i_factor_half_solve(n, o->L, M, o->Y);
        add_mean_slope(o, 1, slope);
        for (size_t m = 0; m < M; m++) {
            double along = 0, spread = rm2i_dot(n, o->Y + m * n, o->Y + m * n);
            for (size_t k = 0; k < n; k++)
                along += o->P[k * M + m] * o->y[k];
            for (size_t q = 0; q < Q; q++)
                slope[q] += 0.5 * o->dh[m * Q + q] * (along * along - spread);
        }
    }
    return -0.5 *
           (rm2i_dot(n, o->r, o->y) + rm2i_factor_log_det(n, o->L) + (double)n * RM2I_LOG_2PI);
}

/* log density at x; its slope is added if wanted. */
static double log_density(observation *o, const double *x, double *slope) {
    rm2i_posterior_gradient(o->m->posterior, x, o->f, o->h, o->J, o->dh, o->work);
    find_residual(o);
    return kronecker(o) ? kronecker_density(o, slope) : general_density(o, slope);
}

/* y = C^-1 r; with a noise of their own the outputs' C is diagonal. */
static void weigh_by_noise(observation *o) {
    size_t M = o->m->M;
    memcpy(o->y, o->r, o->count * sizeof *o->y);
    if (kronecker(o)) {
        rm2i_factor_solve(o->count, o->L, 1, o->y);
        for (size_t k = 0; k < o->count; k++)
            o->y[k] /= o->m->posterior->observed;
        return;
    }
    for (size_t k = 0; k < o->count; k++)
        o->y[k] /= rm2i_dot(M, o->P + k * M, o->P + k * M);
}

static double least_squares(observation *o, const double *x, double *slope) {
    rm2i_posterior_gradient(o->m->posterior, x, o->f, NULL, o->J, NULL, o->work);
    find_residual(o);
    weigh_by_noise(o);
    add_mean_slope(o, 1, slope);
    return -0.5 * rm2i_dot(o->count, o->r, o->y);
}

/* An rm2i_objective_fn: minus the log of what is maximised. */
static rm2_status minus_log(void *user, const double *x, double *value, double *gradient) {
    observation *o = user;
    size_t Q = o->m->Q;
    memset(gradient, 0, Q * sizeof *gradient);
    double sum = o->residual_only ? least_squares(o, x, gradient) : log_density(o, x, gradient);
    for (size_t q = 0; !o->residual_only && q < Q; q++) {
        double off = x[q] - o->centre[q];
        sum -= 0.5 * o->precision[q] * off * off;
        gradient[q] -= o->precision[q] * off;
    }
    *value = -sum;
    for (size_t q = 0; q < Q; q++)
        gradient[q] = -gradient[q];
    return isfinite(*value) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* ---- search --------------------------------------------------------------------------------- */

static double squared_output_distance(const observation *o, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
        sum += pow(o->m->F[o->which[k] * o->m->N + n] - o->v[k], 2);
    return sum;
}

/* Within a lengthscale of a start that was tried already? */
static bool tried(const observation *o, const size_t *starts, size_t count, size_t n) {
    const rm2_model *m = o->m;
    for (size_t s = 0; s < count; s++) {
        double rho2 = 0;
        for (size_t q = 0; q < m->Q; q++)
            rho2 += pow((m->X[starts[s] * m->Q + q] - m->X[n * m->Q + q]) / m->lengthscale[q], 2);
        if (rho2 < 1)
            return true;
    }
    return false;
}

static size_t next_start(const observation *o, const size_t *starts, size_t count) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t n = 0; n < o->m->N; n++) {
        double distance = squared_output_distance(o, n);
        if (distance < least && !tried(o, starts, count, n)) {
            least = distance;
            best = n;
        }
    }
    return best;
}

/* Minimise from `start`; keep the result in x if it is below *least. */
static rm2_status search_from(observation *o, const rm2_optim_settings *settings,
                              const double *start, double *x, double *least, bool *converged) {
    rm2i_optim *optim;
    rm2_stop stop = RM2_STOP_RUNNING;
    RM2_TRY(rm2i_optim_create(NULL, settings, o->m->Q, start, &optim));
    rm2_status status = RM2_OK;
    while (status == RM2_OK && stop == RM2_STOP_RUNNING)
        status = rm2i_interrupted(o->ctx) ? RM2_INTERRUPTED
                                          : rm2i_optim_step(NULL, optim, minus_log, o, &stop);
    if (status == RM2_ERR_NUMERIC) /* nothing from this start; others may do */
        status = RM2_OK;
    if (rm2i_optim_best_f(optim) < *least) {
        *least = rm2i_optim_best_f(optim);
        *converged = stop != RM2_STOP_MAX_ITERATIONS;
        memcpy(x, rm2i_optim_best_x(optim), o->m->Q * sizeof *x);
    }
    rm2i_optim_free(optim);
    return status;
}

/* The best of the searches from several training latents. */
static rm2_status search(observation *o, const rm2_encode_settings *s, double *x, double *least,
                         rm2_encoded *info) {
    enum { MOST = 32 };
    size_t starts[MOST], count = 0, wanted = s->starts < MOST ? s->starts : MOST;
    *least = INFINITY;
    while (count < wanted) {
        size_t start = next_start(o, starts, count);
        double before = *least;
        if (start == SIZE_MAX)
            break;
        starts[count++] = start;
        RM2_TRY(search_from(o, &s->optim, o->m->X + start * o->m->Q, x, least, &info->converged));
        if (*least < before)
            info->nearest = start;
    }
    return isfinite(*least) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Least squares first, from all starts: it needs no variance and costs little. The density then goes
 * from its best and from the nearest training point. */
static rm2_status search_density(observation *o, const rm2_encode_settings *s, double *x,
                                 rm2_encoded *info) {
    size_t nearest = next_start(o, NULL, 0);
    double least = INFINITY, before;
    o->residual_only = true;
    RM2_TRY(search(o, s, o->start, &before, info));
    o->residual_only = false;
    RM2_TRY(search_from(o, &s->optim, o->start, x, &least, &info->converged));
    before = least;
    RM2_TRY(search_from(o, &s->optim, o->m->X + nearest * o->m->Q, x, &least, &info->converged));
    if (least < before)
        info->nearest = nearest;
    return isfinite(least) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* ---- uncertainty ---------------------------------------------------------------------------- */

/* Inverse of the curvature of minus the log at x, by central differences of the gradient; where it
 * is not positive definite, of J^T S^-1 J and the broad Gaussian alone. work: 2 Q^2 + 4 Q. */
static rm2_status curvature(observation *o, const double *x, double *covariance, double *work) {
    size_t Q = o->m->Q;
    double *H = work, *L = H + Q * Q, *up = L + Q * Q, *down = up + Q, *moved = down + Q, jitter, f;
    for (size_t q = 0; q < Q; q++) {
        double h = 1e-4 * o->m->lengthscale[q];
        memcpy(moved, x, Q * sizeof *x);
        moved[q] = x[q] + h;
        RM2_TRY(minus_log(o, moved, &f, up));
        moved[q] = x[q] - h;
        RM2_TRY(minus_log(o, moved, &f, down));
        for (size_t r = 0; r < Q; r++)
            H[q * Q + r] = (up[r] - down[r]) / (2 * h);
    }
    rm2i_symmetrise(Q, H);
    if (rm2i_cholesky(Q, H, L) != RM2_OK) {
        RM2_TRY(isfinite(log_density(o, x, NULL)) ? RM2_OK : RM2_ERR_NUMERIC); /* J and S at x */
        double g = kronecker(o) ? o->h[0] + o->m->posterior->observed : 1;     /* S = g L L^T */
        for (size_t q = 0; q < Q; q++) {
            for (size_t k = 0; k < o->count; k++)
                o->y[k] = o->J[o->which[k] * Q + q];
            rm2i_factor_solve(o->count, o->L, 1, o->y);
            for (size_t r = 0; r < Q; r++) {
                double sum = q == r ? o->precision[q] : 0;
                for (size_t k = 0; k < o->count; k++)
                    sum += o->y[k] * o->J[o->which[k] * Q + r] / g;
                H[q * Q + r] = sum;
            }
        }
        RM2_TRY(rm2i_factor(Q, H, 0, L, &jitter));
    }
    for (size_t i = 0; i < Q * Q; i++)
        covariance[i] = i % (Q + 1) == 0;
    rm2i_factor_solve(Q, L, Q, covariance);
    rm2i_symmetrise(Q, covariance);
    return RM2_OK;
}

/* ---- batch ---------------------------------------------------------------------------------- */

typedef struct encoding {
    rm2_context *ctx;
    const rm2_model *m;
    const rm2_encode_settings *s;
    bool mapped;     /* latents of complete points are given by the back constraint */
    double *centred; /* n x M */
    bool *there;     /* n x M */
    double *latents, *covariance;
    rm2_encoded *info;
} encoding;

static bool complete(const encoding *e, size_t i) {
    for (size_t k = 0; k < e->m->M; k++)
        if (!e->there[i * e->m->M + k])
            return false;
    return true;
}

static rm2_status encode_point(const void *arg, size_t i, double *work) {
    const encoding *e = arg;
    const rm2_model *m = e->m;
    observation o = observation_in(m, work);
    double *x = e->latents + i * m->Q, *scratch = work + observation_size(m);
    rm2_encoded info = {.converged = true};
    double least;
    spread_of_latents(m, o.centre, o.precision);
    o.ctx = e->ctx;
    o.residual_only = e->s->objective == RM2_ENCODE_RESIDUAL;
    RM2_TRY(observe(&o, e->centred + i * m->M, e->there + i * m->M));
    if (e->mapped && complete(e, i))
        info.nearest = next_start(&o, NULL, 0);
    else
        RM2_TRY(o.residual_only ? search(&o, e->s, x, &least, &info)
                                : search_density(&o, e->s, x, &info));
    if (e->covariance)
        RM2_TRY(curvature(&o, x, e->covariance + i * m->Q * m->Q, scratch));
    info.log_density = log_density(&o, x, NULL);
    info.residual = rm2i_norm(o.count, o.r);
    if (e->info)
        e->info[i] = info;
    rm2i_activity_advance(e->ctx, 1);
    return isfinite(info.log_density) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Which coordinates of a point are there; NaN entries are replaced by the base point's, so that the
 * rest can be converted. A curved factor is there as a whole or not at all. */
static rm2_status find_missing(rm2_context *ctx, const rm2_model *m, size_t i, double *point,
                               bool *there) {
    size_t seen = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(m->manifold, k);
        bool flat = f->geometry == &rm2_euclidean;
        size_t missing = 0;
        for (size_t j = 0; j < f->ambient; j++) {
            double *x = &point[f->ambient_offset + j];
            bool gone = isnan(*x);
            missing += gone;
            if (gone)
                *x = m->base[f->ambient_offset + j];
            if (m->settings.model == RM2_GPLVM)
                there[f->ambient_offset + j] = !gone;
            else if (flat)
                there[f->dim_offset + j] = !gone;
        }
        if (missing && missing < f->ambient && !flat && m->settings.model == RM2_WGPLVM)
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "point %zu, factor %zu (%s%zu): %zu of %zu entries are missing; a curved "
                "factor can be missing only as a whole",
                i, k + 1, f->geometry->name, f->n, missing, f->ambient);
        if (missing == f->ambient && !flat) /* a valid point stands in for it */
            memcpy(point + f->ambient_offset, m->base + f->ambient_offset,
                   f->ambient * sizeof *point);
        for (size_t j = 0; !flat && m->settings.model == RM2_WGPLVM && j < f->dim; j++)
            there[f->dim_offset + j] = missing == 0;
        seen += f->ambient - missing;
    }
    return seen ? RM2_OK : rm2i_fail(ctx, RM2_ERR_DATA, "point %zu: every entry is missing", i);
}

/* Centred outputs and masks of the observations. */
static rm2_status prepare(rm2_context *ctx, const rm2_model *m, size_t n, double *points,
                          double *centred, bool *there) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    for (size_t i = 0; i < n; i++)
        RM2_TRY(find_missing(ctx, m, i, points + i * ambient, there + i * m->M));
    RM2_TRY(rm2i_model_outputs(ctx, m, n, points, centred));
    for (size_t i = 0; i < n * m->M; i++)
        centred[i] -= m->mean[i % m->M];
    return RM2_OK;
}

static rm2_status encode(rm2_context *ctx, const rm2_model *m, const rm2_encode_settings *s,
                         size_t n, double *points, encoding *e) {
    size_t failed = 0;
    if (s->starts == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "encoding needs at least 1 start");
    RM2_TRY(prepare(ctx, m, n, points, e->centred, e->there));
    e->mapped = s->back_constraint && m->back_weights;
    if (e->mapped)
        RM2_TRY(rm2i_back_map(ctx, m, n, points, e->latents));
    rm2_status status = rm2i_tasks(ctx, n, observation_size(m) + 2 * m->Q * m->Q + 4 * m->Q,
                                   encode_point, e, &failed);
    if (status != RM2_OK && status != RM2_INTERRUPTED)
        return rm2i_fail(ctx, status, "point %zu cannot be encoded: %s", failed,
                         rm2_status_text(status));
    return status;
}

rm2_status rm2_model_encode(rm2_context *ctx, const rm2_model *m,
                            const rm2_encode_settings *settings, size_t n, const double *points,
                            double *latents, double *covariance, rm2_encoded *info) {
    rm2_encode_settings defaults = rm2_encode_settings_default();
    size_t ambient = rm2_manifold_ambient(m->manifold);
    double *scaled = NULL;
    bool *there = NULL;
    rm2_status status = rm2i_alloc(ctx, n, (ambient + m->M) * sizeof *scaled, &scaled);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, n, m->M * sizeof *there, &there);
    if (status == RM2_OK) {
        memcpy(scaled, points, n * ambient * sizeof *scaled);
        rm2i_model_scale(m, false, n, scaled);
        encoding e = {.ctx = ctx,
                      .m = m,
                      .s = settings ? settings : &defaults,
                      .centred = scaled + n * ambient,
                      .there = there,
                      .latents = latents,
                      .covariance = covariance,
                      .info = info};
        rm2i_activity_begin(ctx, "encode", n);
        status = encode(ctx, m, e.s, n, scaled, &e);
        rm2i_activity_end(ctx);
    }
    free(scaled);
    free(there);
    return status;
}
