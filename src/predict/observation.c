/* What is maximised over the latent point x of an observation v.
 *
 * density:  log N(v; f(x), P diag(h(x) + noise) P^T) + log N(x; mean X, 25 var X), the second a
 *           broad Gaussian that only keeps x near the latents. With n degrees of freedom the first is a
 *           Student t density of the same covariance, the second the prior of gp/latent_prior.h
 * residual: -1/2 (v - f(x))^T C^-1 (v - f(x)), C the noise covariance: s2 P P^T, or P P^T = D
 * nearest:  -1/2 |v - f(x)|^2
 * Least squares have no prior. Far from the latents f is constant, or grows only along the linear part of the
 * kernel, and a minimum may lie at infinity: a wall outside an ellipse that is much larger than the latents
 * keeps x finite. With w = 0.04 sum_q (x_q - mean)^2/var_q it is -(wall/2) max(0, w - R)^2, R = 100 Q: 50 standard
 * deviations. Its height is that of the function at f = 0.
 * With r = v - f, S = P diag(g) P^T, y = S^-1 r, p_m columns of P:
 *   d/dx log N = y^T J + 1/2 sum_m dg_m ((p_m^T y)^2 - p_m^T S^-1 p_m)
 * Missing coordinates: rows of v, f, P are left out. */
#include "predict/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

static const double LOG_PI = 1.1447298858494001741;
static const double WALL = 100;      /* R/Q */
static const double FLATTEST = 1e-3; /* curvature, of the largest: less is not believed */

static bool kronecker(const rm2i_observation *o) {
    return o->m->settings.noise == RM2_NOISE_KRONECKER;
}

static void lay_out(rm2i_observation *o, rm2i_arena *a) {
    size_t M = o->m->M, Q = o->m->Q;
    o->v = rm2i_reserve(a, double, M);
    o->w = rm2i_reserve(a, double, M);
    o->P = rm2i_reserve(a, double, M, M);
    o->centre = rm2i_reserve(a, double, Q);
    o->precision = rm2i_reserve(a, double, Q);
    o->L = rm2i_reserve(a, double, M, M);
    o->f = rm2i_reserve(a, double, M);
    o->h = rm2i_reserve(a, double, M);
    o->J = rm2i_reserve(a, double, M, Q);
    o->dh = rm2i_reserve(a, double, M, Q);
    o->r = rm2i_reserve(a, double, M);
    o->y = rm2i_reserve(a, double, M);
    o->Y = rm2i_reserve(a, double, M, M);
    o->which = rm2i_reserve(a, size_t, M);
    o->start = rm2i_reserve(a, double, Q);
    o->prior = rm2i_reserve(a, double, 3, Q);
    o->work = rm2i_reserve(a, double, rm2i_posterior_work(o->m->posterior));
}

size_t rm2i_observation_size(const rm2_model *m) {
    rm2i_arena count = {NULL, 0};
    lay_out(&(rm2i_observation){.m = m}, &count);
    return count.used;
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

rm2i_observation rm2i_observation_in(const rm2_model *m, double *memory) {
    const rm2i_posterior *quick = atomic_load(&m->quick->found);
    rm2i_observation o = {.m = m, .quick = quick ? quick : m->posterior};
    lay_out(&o, &(rm2i_arena){memory, 0});
    spread_of_latents(m, o.centre, o.precision);
    return o;
}

/* S = P diag(g) P^T (lower triangle) of n rows of P, g = h + noise or noise alone. work: n x M. */
static void fill_covariance(size_t n, size_t M, const double *P, const double *h, double noise,
                            double *S, double *work) {
    for (size_t a = 0; a < n; a++)
        for (size_t m = 0; m < M; m++)
            work[a * M + m] = P[a * M + m] * sqrt(h ? h[m] + noise : noise);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)M, 1, work, (int)M, 0, S,
               (int)n);
}

/* S over the coordinates that are there, factored into o->L. */
static rm2_status factor_covariance(rm2i_observation *o, const double *h, double noise) {
    double jitter;
    fill_covariance(o->count, o->m->M, o->P, h, noise, o->Y, o->L);
    o->S = o->L;
    return rm2i_factor(NULL, o->count, o->Y, 0, o->L, &jitter);
}

/* y = C^-1 r; with a noise of their own the outputs' C is diagonal. */
static void weigh_by_noise(rm2i_observation *o) {
    size_t M = o->m->M;
    memcpy(o->y, o->r, o->count * sizeof *o->y);
    if (o->kind == RM2_ENCODE_NEAREST)
        return;
    if (kronecker(o)) {
        if (!o->white)
            rm2i_factor_solve(NULL, o->count, o->S, 1, o->y);
        for (size_t k = 0; k < o->count; k++)
            o->y[k] /= o->m->posterior->observed;
        return;
    }
    for (size_t k = 0; k < o->count; k++)
        o->y[k] /= rm2i_dot(M, o->P + k * M, o->P + k * M);
}

static void find_wall(rm2i_observation *o) {
    memcpy(o->r, o->v, o->count * sizeof *o->r);
    weigh_by_noise(o);
    o->wall = 1 + 0.5 * rm2i_dot(o->count, o->r, o->y);
}

rm2_status rm2i_observe(rm2i_observation *o, const double *centred, const bool *there) {
    size_t M = o->m->M;
    const double *P = o->m->posterior->P;
    o->count = 0;
    o->white = NULL;
    for (size_t k = 0; k < M; k++) {
        if (!there[k])
            continue;
        o->which[o->count] = k;
        o->v[o->count] = centred[k];
        o->count++;
    }
    bool rows = o->count < M || !kronecker(o); /* else the factor is P itself */
    for (size_t k = 0; rows && k < o->count; k++)
        memcpy(o->P + k * M, P + o->which[k] * M, M * sizeof *P);
    if (kronecker(o)) { /* else S depends on x: factored where it is needed */
        if (o->count == M)
            o->S = P; /* a Cholesky factor itself */
        else
            RM2_TRY(factor_covariance(o, NULL, 1));
        o->log_det = rm2i_factor_log_det(o->count, o->S);
    }
    find_wall(o);
    o->white = o->count == M && o->kind != RM2_ENCODE_NEAREST ? o->m->white : NULL;
    if (o->white) {
        memcpy(o->w, o->v, M * sizeof *o->w);
        rm2i_factor_half_solve(NULL, M, o->S, 1, o->w);
    }
    return RM2_OK;
}

/* ---- objectives ----------------------------------------------------------------------------- */

/* r = v - f over the coordinates that are there. */
static void find_residual(rm2i_observation *o) {
    const double *v = o->white ? o->w : o->v;
    for (size_t k = 0; k < o->count; k++)
        o->r[k] = v[k] - o->f[o->which[k]];
}

/* slope_q += y^T J_q */
static void add_mean_slope(const rm2i_observation *o, double scale, double *slope) {
    size_t Q = o->m->Q;
    for (size_t k = 0; k < o->count; k++)
        for (size_t q = 0; q < Q; q++)
            slope[q] += scale * o->y[k] * o->J[o->which[k] * Q + q];
}

/* Student t of n degrees and covariance S = g P P^T, with u = r^T (P P^T)^-1 r/(g (n - 2)) in d coordinates:
 *   log t = lgamma((n + d)/2) - lgamma(n/2) - (d log(pi (n - 2) g) + log|P P^T| + (n + d) log(1 + u))/2
 *   dlog t = (n + d)/((1 + u) (n - 2) g) y^T dr' + dg/(2 g) ((n + d) u/(1 + u) - d), y = (P P^T)^-1 r, dr' = J dx */
static double student_density(rm2i_observation *o, double g, double quadratic, double *slope) {
    double n = o->m->freedom, d = (double)o->count, u = quadratic / (g * (n - 2));
    if (slope) {
        add_mean_slope(o, (n + d) / ((1 + u) * (n - 2) * g), slope);
        for (size_t q = 0; q < o->m->Q; q++)
            slope[q] += 0.5 * o->dh[q] / g * ((n + d) * u / (1 + u) - d);
    }
    return lgamma((n + d) / 2) - lgamma(n / 2) -
           0.5 * (d * (LOG_PI + log((n - 2) * g)) + o->log_det + (n + d) * log1p(u));
}

/* g = h + s2 is one number: S = g P P^T. */
static double kronecker_density(rm2i_observation *o, double *slope) {
    size_t n = o->count;
    double g = o->h[0] + o->m->posterior->observed;
    memcpy(o->y, o->r, n * sizeof *o->y);
    if (!o->white)
        rm2i_factor_solve(NULL, n, o->S, 1, o->y); /* (P P^T)^-1 r */
    double quadratic = rm2i_dot(n, o->r, o->y);
    if (o->m->freedom > 0)
        return student_density(o, g, quadratic, slope);
    if (slope) {
        add_mean_slope(o, 1 / g, slope);
        for (size_t q = 0; q < o->m->Q; q++)
            slope[q] += 0.5 * o->dh[q] * (quadratic / (g * g) - (double)n / g);
    }
    return -0.5 * (quadratic / g + (double)n * log(g) + o->log_det + (double)n * RM2I_LOG_2PI);
}

static double general_density(rm2i_observation *o, double *slope) {
    size_t n = o->count, M = o->m->M, Q = o->m->Q;
    if (factor_covariance(o, o->h, o->m->posterior->observed) != RM2_OK)
        return NAN;
    memcpy(o->y, o->r, n * sizeof *o->y);
    rm2i_factor_solve(NULL, n, o->S, 1, o->y);
    for (size_t m = 0; slope && m < M; m++) { /* rows of Y: L^-1 p_m */
        for (size_t k = 0; k < n; k++)
            o->Y[m * n + k] = o->P[k * M + m];
    }
    if (slope) {
        rm2i_factor_half_solve(NULL, n, o->S, M, o->Y);
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
           (rm2i_dot(n, o->r, o->y) + rm2i_factor_log_det(n, o->S) + (double)n * RM2I_LOG_2PI);
}

double rm2i_observation_density(rm2i_observation *o, const double *x, double *slope) {
    bool simple = kronecker(o);
    rm2i_posterior_gradient(o->white ? o->white : o->m->posterior, x, o->f, simple ? NULL : o->h,
                            o->J, simple ? NULL : o->dh, o->work);
    find_residual(o);
    if (!simple)
        return general_density(o, slope);
    rm2i_posterior_variance(o->quick, x, o->h, o->dh, o->work);
    return kronecker_density(o, slope);
}

static double wall_at(const rm2i_observation *o, const double *x, double *slope) {
    size_t Q = o->m->Q;
    double w = 0, most = WALL * (double)Q;
    for (size_t q = 0; q < Q; q++)
        w += o->precision[q] * (x[q] - o->centre[q]) * (x[q] - o->centre[q]);
    double over = fmax(w - most, 0);
    for (size_t q = 0; over > 0 && q < Q; q++)
        slope[q] -= o->wall * over * 2 * o->precision[q] * (x[q] - o->centre[q]);
    return -0.5 * o->wall * over * over;
}

static double least_squares(rm2i_observation *o, const double *x, double *slope) {
    rm2i_posterior_gradient(o->white ? o->white : o->m->posterior, x, o->f, NULL, o->J, NULL,
                            o->work);
    find_residual(o);
    weigh_by_noise(o);
    add_mean_slope(o, 1, slope);
    return -0.5 * rm2i_dot(o->count, o->r, o->y) + wall_at(o, x, slope);
}

/* log p(x) without its constant; the slope is added. */
static double log_prior(const rm2i_observation *o, const double *x, double *slope) {
    double sum = 0;
    if (o->m->prior)
        return rm2i_latent_prior_log(o->m->prior, x, slope, o->prior);
    for (size_t q = 0; q < o->m->Q; q++) {
        double off = x[q] - o->centre[q];
        sum -= 0.5 * o->precision[q] * off * off;
        slope[q] -= o->precision[q] * off;
    }
    return sum;
}

static double prior_constant(const rm2i_observation *o) {
    double sum = 0;
    for (size_t q = 0; q < o->m->Q; q++)
        sum += 0.5 * (log(o->precision[q]) - RM2I_LOG_2PI);
    return o->m->prior ? o->m->prior->constant : sum;
}

rm2_status rm2i_observation_minus_log(void *observation, const double *x, double *value,
                                      double *gradient) {
    rm2i_observation *o = observation;
    size_t Q = o->m->Q;
    memset(gradient, 0, Q * sizeof *gradient);
    double sum;
    if (o->kind == RM2_ENCODE_DENSITY)
        sum = rm2i_observation_density(o, x, gradient) + log_prior(o, x, gradient);
    else
        sum = least_squares(o, x, gradient);
    *value = -sum;
    for (size_t q = 0; q < Q; q++)
        gradient[q] = -gradient[q];
    return isfinite(*value) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* ---- uncertainty ---------------------------------------------------------------------------- */

size_t rm2i_observation_scratch(const rm2_model *m) {
    return 2 * m->Q * m->Q + 4 * m->Q + rm2i_eigen_work(m->Q);
}

/* H (Q x Q) by central differences of the gradient. work: 3 Q. */
static rm2_status find_curvature(rm2i_observation *o, const double *x, double *H, double *work) {
    size_t Q = o->m->Q;
    double *up = work, *down = up + Q, *moved = down + Q, f;
    for (size_t q = 0; q < Q; q++) {
        double h = 1e-4 * o->m->lengthscale[q];
        memcpy(moved, x, Q * sizeof *x);
        moved[q] = x[q] + h;
        RM2_TRY(rm2i_observation_minus_log(o, moved, &f, up));
        moved[q] = x[q] - h;
        RM2_TRY(rm2i_observation_minus_log(o, moved, &f, down));
        for (size_t r = 0; r < Q; r++)
            H[q * Q + r] = (up[r] - down[r]) / (2 * h);
    }
    rm2i_symmetrise(Q, H);
    return RM2_OK;
}

/* Where the curvature is not positive definite, J^T S^-1 J and the broad Gaussian alone. */
rm2_status rm2i_observation_curvature(rm2i_observation *o, const double *x, double *covariance,
                                      double *work) {
    size_t Q = o->m->Q;
    double *H = work, *L = H + Q * Q, jitter;
    RM2_TRY(find_curvature(o, x, H, L + Q * Q));
    if (rm2i_cholesky(Q, H, L) != RM2_OK) {
        RM2_TRY(isfinite(rm2i_observation_density(o, x, NULL))
                    ? RM2_OK
                    : RM2_ERR_NUMERIC);                                    /* J and S at x */
        double g = kronecker(o) ? o->h[0] + o->m->posterior->observed : 1; /* S = g L L^T */
        for (size_t q = 0; q < Q; q++) {
            for (size_t k = 0; k < o->count; k++)
                o->y[k] = o->J[o->which[k] * Q + q];
            if (!o->white)
                rm2i_factor_solve(NULL, o->count, o->S, 1, o->y);
            for (size_t r = 0; r < Q; r++) {
                double sum = q == r ? o->precision[q] : 0;
                for (size_t k = 0; k < o->count; k++)
                    sum += o->y[k] * o->J[o->which[k] * Q + r] / g;
                H[q * Q + r] = sum;
            }
        }
        RM2_TRY(rm2i_factor(NULL, Q, H, 0, L, &jitter));
    }
    for (size_t i = 0; i < Q * Q; i++)
        covariance[i] = i % (Q + 1) == 0;
    rm2i_factor_solve(NULL, Q, L, Q, covariance);
    rm2i_symmetrise(Q, covariance);
    return RM2_OK;
}

/* log of the integral = log density(x) + log p(x) + (Q log(2 pi) - log|H|)/2, H the curvature at x; where it is nearly
 * flat or bends the other way, as between two latents of equal density, H gets a part of its largest eigenvalue. */
rm2_status rm2i_observation_laplace(rm2i_observation *o, const double *x, double *value,
                                    double *work) {
    size_t Q = o->m->Q;
    double *H = work, *vectors = H + Q * Q, *values = vectors + Q * Q, *rest = values + Q, f;
    RM2_TRY(find_curvature(o, x, H, rest));
    RM2_TRY(rm2i_observation_minus_log(o, x, &f, rest));
    RM2_TRY(rm2i_eigen(Q, H, values, vectors, rest));
    double largest = rm2i_max_abs(Q, values);
    *value = prior_constant(o) - f + 0.5 * (double)Q * RM2I_LOG_2PI;
    for (size_t q = 0; q < Q; q++)
        *value -= 0.5 * log(fmax(values[q], FLATTEST * largest));
    return RM2_OK;
}
