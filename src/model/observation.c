/* What is maximised over the latent point x of an observation v.
 *
 * density:  log N(v; f(x), P diag(h(x) + noise) P^T) + log N(x; mean X, 25 var X), the second a
 *           broad Gaussian that only keeps x near the latents
 * residual: -1/2 (v - f(x))^T C^-1 (v - f(x)), C the noise covariance: s2 P P^T, or P P^T = D
 * With r = v - f, S = P diag(g) P^T, y = S^-1 r, p_m columns of P:
 *   d/dx log N = y^T J + 1/2 sum_m dg_m ((p_m^T y)^2 - p_m^T S^-1 p_m)
 * Missing coordinates: rows of v, f, P are left out. */
#include "model/observation.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/special.h"

static bool kronecker(const rm2i_observation *o) {
    return o->m->settings.noise == RM2_NOISE_KRONECKER;
}

size_t rm2i_observation_size(const rm2_model *m) {
    size_t M = m->M, Q = m->Q;
    return M + M * M + 2 * Q + M * M + 2 * M + 2 * M * Q + 2 * M + M * M + M + Q +
           rm2i_posterior_work(m->posterior);
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
    size_t M = m->M, Q = m->Q;
    rm2i_observation o = {.m = m};
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
    spread_of_latents(m, o.centre, o.precision);
    return o;
}

/* S = P diag(g) P^T over the coordinates that are there, factored into o->L. */
static rm2_status factor_covariance(rm2i_observation *o, const double *h, double noise) {
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

rm2_status rm2i_observe(rm2i_observation *o, const double *centred, const bool *there) {
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

/* ---- objectives ----------------------------------------------------------------------------- */

/* r = v - f over the coordinates that are there. */
static void find_residual(rm2i_observation *o) {
    for (size_t k = 0; k < o->count; k++)
        o->r[k] = o->v[k] - o->f[o->which[k]];
}

/* slope_q += y^T J_q */
static void add_mean_slope(const rm2i_observation *o, double scale, double *slope) {
    size_t Q = o->m->Q;
    for (size_t k = 0; k < o->count; k++)
        for (size_t q = 0; q < Q; q++)
            slope[q] += scale * o->y[k] * o->J[o->which[k] * Q + q];
}

/* g = h + s2 is one number: S = g P P^T. */
static double kronecker_density(rm2i_observation *o, double *slope) {
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

static double general_density(rm2i_observation *o, double *slope) {
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

double rm2i_observation_density(rm2i_observation *o, const double *x, double *slope) {
    rm2i_posterior_gradient(o->m->posterior, x, o->f, o->h, o->J, o->dh, o->work);
    find_residual(o);
    return kronecker(o) ? kronecker_density(o, slope) : general_density(o, slope);
}

/* y = C^-1 r; with a noise of their own the outputs' C is diagonal. */
static void weigh_by_noise(rm2i_observation *o) {
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

static double least_squares(rm2i_observation *o, const double *x, double *slope) {
    rm2i_posterior_gradient(o->m->posterior, x, o->f, NULL, o->J, NULL, o->work);
    find_residual(o);
    weigh_by_noise(o);
    add_mean_slope(o, 1, slope);
    return -0.5 * rm2i_dot(o->count, o->r, o->y);
}

rm2_status rm2i_observation_minus_log(void *observation, const double *x, double *value,
                                      double *gradient) {
    rm2i_observation *o = observation;
    size_t Q = o->m->Q;
    memset(gradient, 0, Q * sizeof *gradient);
    double sum =
        o->residual_only ? least_squares(o, x, gradient) : rm2i_observation_density(o, x, gradient);
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

/* ---- uncertainty ---------------------------------------------------------------------------- */

/* By central differences of the gradient; where they are not positive definite, J^T S^-1 J and the
 * broad Gaussian alone. */
rm2_status rm2i_observation_curvature(rm2i_observation *o, const double *x, double *covariance,
                                      double *work) {
    size_t Q = o->m->Q;
    double *H = work, *L = H + Q * Q, *up = L + Q * Q, *down = up + Q, *moved = down + Q, jitter, f;
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
    if (rm2i_cholesky(Q, H, L) != RM2_OK) {
        RM2_TRY(isfinite(rm2i_observation_density(o, x, NULL))
                    ? RM2_OK
                    : RM2_ERR_NUMERIC);                                    /* J and S at x */
        double g = kronecker(o) ? o->h[0] + o->m->posterior->observed : 1; /* S = g L L^T */
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
