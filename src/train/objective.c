/* The objective's terms and their derivatives.
 *
 *   log-likelihood   Kf (x) (Kx + s2 I), or its lower bound; or Kf (x) Kx + diag(d) (x) I
 *   task anchor      -(nu/2) (log|Kf| + tr(Kf^-1 Psi) - M), nu = weight N, Psi = (tr cov F/M) I
 *   latents          N(0, I); or around X0: -|X - X0|^2/(2 tau^2), its constant left out
 *   dynamics         weight * log p_GPDM(X)
 *   hyperparameters  Gamma, log-normal
 *
 * Profile: for given X, likelihood and task anchor are greatest at Kf = (S + nu Psi)/(N + nu), and
 * there the derivative by X is the one with Kf held (envelope theorem). */
#include "train/objective.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "kernel/latent.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

static double *block_values(const rm2i_objective *o, double *array, rm2i_parameter_block block) {
    return array + o->par.block[block].offset;
}

static double scalar(const rm2i_objective *o, rm2i_parameter_block block) {
    return o->natural[o->par.block[block].offset];
}

static double *bar(rm2i_objective *o, rm2i_parameter_block block) {
    return block_values(o, o->natural_bar, block);
}

/* ---- latents -------------------------------------------------------------------------------- */

void rm2i_objective_latents(rm2i_objective *o) {
    const double *latent = block_values(o, o->natural, RM2I_LATENT);
    int N = (int)o->p.N, Q = (int)o->p.Q;
    if (o->p.gram) /* X = gram W */
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, Q, N, 1, o->p.gram, N, latent, Q,
                   0, o->X, Q);
    const rm2i_block_info *l = &o->par.block[RM2I_LENGTHSCALE];
    for (size_t q = 0; q < o->p.Q; q++)
        o->lengthscale[q] = o->natural[l->offset + (l->count > 1 ? q : 0)];
}

rm2i_latent_kernel rm2i_objective_kernel(const rm2i_objective *o) {
    bool radial = o->s.kernel != RM2_LATENT_LINEAR, linear = o->par.block[RM2I_LINEAR].count > 0;
    return (rm2i_latent_kernel){.kind = o->s.kernel,
                                .dim = o->p.Q,
                                .lengthscale = o->lengthscale,
                                .variance = radial ? scalar(o, RM2I_VARIANCE) : 0,
                                .linear = linear ? scalar(o, RM2I_LINEAR) : 0};
}

static void latents_backward(rm2i_objective *o) {
    double *latent_bar = bar(o, RM2I_LATENT);
    int N = (int)o->p.N, Q = (int)o->p.Q;
    if (o->p.gram) /* W_bar = gram^T X_bar */
        rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, N, Q, N, 1, o->p.gram, N, o->X_bar, Q,
                   0, latent_bar, Q);
    const rm2i_block_info *l = &o->par.block[RM2I_LENGTHSCALE];
    for (size_t q = 0; q < o->p.Q; q++)
        o->natural_bar[l->offset + (l->count > 1 ? q : 0)] += o->lengthscale_bar[q];
}

/* Of the rows from `first` to `last`. */
static double latent_prior_of(void *objective, size_t first, size_t last) {
    rm2i_objective *o = objective;
    size_t begin = first * o->p.Q, end = last * o->p.Q;
    double tau2 = o->s.latent_anchor * o->s.latent_anchor, sum = 0;
    for (size_t i = begin; o->s.latent_normal && i < end; i++) {
        sum -= 0.5 * (o->X[i] * o->X[i] + RM2I_LOG_2PI);
        o->X_bar[i] -= o->X[i];
    }
    for (size_t i = begin; tau2 > 0 && i < end; i++) {
        double off = o->X[i] - o->p.X0[i];
        sum -= 0.5 * off * off / tau2;
        o->X_bar[i] -= off / tau2;
    }
    return sum;
}

static void latent_prior(rm2i_objective *o) {
    o->terms.latent = rm2i_rows_sum_units(&o->rows, latent_prior_of, o);
}

static rm2_status dynamics(rm2i_objective *o) {
    rm2i_gpdm *g = &o->gpdm;
    double weight = o->s.gpdm_weight;
    if (weight == 0)
        return RM2_OK;
    g->lengthscale = scalar(o, RM2I_GPDM_LENGTHSCALE);
    g->variance = scalar(o, RM2I_GPDM_VARIANCE);
    g->noise = scalar(o, RM2I_GPDM_NOISE);
    RM2_TRY(rm2i_gpdm_evaluate(g, o->X));
    o->terms.gpdm = weight * g->value;
    o->terms.jitter = fmax(o->terms.jitter, g->jitter);
    rm2i_daxpy((int)(o->p.N * o->p.Q), weight, g->X_bar, 1, o->X_bar, 1);
    *bar(o, RM2I_GPDM_LENGTHSCALE) += weight * g->lengthscale_bar;
    *bar(o, RM2I_GPDM_VARIANCE) += weight * g->variance_bar;
    *bar(o, RM2I_GPDM_NOISE) += weight * g->noise_bar;
    return RM2_OK;
}

/* ---- task covariance ------------------------------------------------------------------------ */

static rm2_status factor_task(rm2i_objective *o) {
    double jitter;
    RM2_TRY(rm2i_factor(NULL, o->p.M, o->Kf, 0, o->Lf, &jitter));
    o->terms.jitter = fmax(o->terms.jitter, jitter);
    return RM2_OK;
}

/* Kf = (S + nu Psi)/(N + nu), diagonal if the outputs are independent. */
static rm2_status profile_task(rm2i_objective *o) {
    size_t M = o->p.M;
    double nu = o->s.task_anchor * (double)o->rows.all, n = (double)o->rows.all + nu;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            o->Kf[i * M + j] = i != j && o->s.independent
                                   ? 0
                                   : (o->mn.S[i * M + j] + (i == j ? nu * o->psi : 0)) / n;
    return factor_task(o);
}

/* Kf = B B^T + diag(v) */
static rm2_status learned_task(rm2i_objective *o) {
    size_t M = o->p.M, R = o->columns;
    const double *B = block_values(o, o->natural, RM2I_TASK_FACTOR);
    const double *v = block_values(o, o->natural, RM2I_TASK_DIAGONAL);
    memset(o->Kf, 0, M * M * sizeof *o->Kf);
    if (R > 0)
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)M, (int)R, 1, B, (int)R, B,
                   (int)R, 0, o->Kf, (int)M);
    for (size_t m = 0; m < M; m++)
        o->Kf[m * M + m] += v[m];
    return factor_task(o);
}

/* -(nu/2) (log|Kf| + psi tr Kf^-1 - M), given nu psi tr Kf^-1 */
static void anchor_value(rm2i_objective *o, double log_det_Kf, double nu_psi_trace) {
    double nu = o->s.task_anchor * (double)o->rows.all, M = (double)o->p.M;
    o->terms.task_anchor = -0.5 * (nu * (log_det_Kf - M) + nu_psi_trace);
}

/* At the profile tr(Kf^-1 (S + nu Psi)) = (N + nu) M, also if only its diagonal is kept: the trace of
 * the likelihood gives that of the anchor. */
static void profile_anchor(rm2i_objective *o, double log_det_Kf, double trace) {
    double N = (double)o->rows.all, nu = o->s.task_anchor * N;
    if (nu > 0)
        anchor_value(o, log_det_Kf, (N + nu) * (double)o->p.M - trace);
}

/* The anchor of a learned Kf: value, and Kf_bar -= nu/2 (Kf^-1 - psi Kf^-2). */
static void learned_anchor(rm2i_objective *o) {
    size_t M = o->p.M;
    double nu = o->s.task_anchor * (double)o->rows.all, *inverse = o->scratch.inverse, trace = 0;
    if (nu == 0)
        return;
    memset(inverse, 0, M * M * sizeof *inverse);
    for (size_t m = 0; m < M; m++)
        inverse[m * M + m] = 1;
    rm2i_factor_solve(NULL, M, o->Lf, M, inverse);
    for (size_t m = 0; m < M; m++)
        trace += inverse[m * M + m];
    anchor_value(o, rm2i_factor_log_det(M, o->Lf), nu * o->psi * trace);
    rm2i_daxpy((int)(M * M), -0.5 * nu, inverse, 1, o->Kf_bar, 1);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)M, (int)M, 0.5 * nu * o->psi,
               inverse, (int)M, inverse, (int)M, 1, o->Kf_bar, (int)M);
}

/* B_bar = 2 Kf_bar B, v_bar = diag Kf_bar */
static void task_backward(rm2i_objective *o) {
    size_t M = o->p.M, R = o->columns;
    if (R > 0)
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)R, (int)M, 2, o->Kf_bar,
                   (int)M, block_values(o, o->natural, RM2I_TASK_FACTOR), (int)R, 0,
                   bar(o, RM2I_TASK_FACTOR), (int)R);
    for (size_t m = 0; m < M; m++)
        bar(o, RM2I_TASK_DIAGONAL)[m] += o->Kf_bar[m * M + m];
}

/* ---- likelihood ----------------------------------------------------------------------------- */

static void kernel_backward(rm2i_objective *o, const rm2i_latent_kernel *kernel,
                            const double *K_bar) {
    double variance_bar = 0, linear_bar = 0;
    const rm2i_latent_adjoint adjoint = {.n = o->p.N,
                                         .X = o->X,
                                         .K = o->K,
                                         .K_bar = K_bar,
                                         .X_bar = o->X_bar,
                                         .lengthscale_bar = o->lengthscale_bar,
                                         .variance_bar = &variance_bar,
                                         .linear_bar = &linear_bar};
    rm2i_latent_gram_backward(o->ctx, kernel, &adjoint, o->scratch.kernel);
    *bar(o, RM2I_VARIANCE) += variance_bar;
    if (kernel->linear > 0)
        *bar(o, RM2I_LINEAR) += linear_bar;
}

/* Of the matrix normal once S is known, exact or the lower bound. */
static double matrix_normal_value(rm2i_objective *o, double *trace) {
    return o->inducing ? rm2i_inducing_value(o->inducing, o->Lf, trace)
                       : rm2i_matrix_normal_value(&o->mn, o->Lf, trace);
}

static rm2_status profile_value(rm2i_objective *o) {
    double trace;
    RM2_TRY(profile_task(o));
    o->terms.log_likelihood = matrix_normal_value(o, &trace);
    profile_anchor(o, rm2i_factor_log_det(o->p.M, o->Lf), trace);
    return RM2_OK;
}

static rm2_status learned_value(rm2i_objective *o) {
    RM2_TRY(learned_task(o));
    o->terms.log_likelihood = matrix_normal_value(o, NULL);
    rm2i_matrix_normal_task_backward(&o->mn, o->Lf, o->Kf_bar, o->scratch.task);
    return RM2_OK;
}

static rm2_status task_value(rm2i_objective *o) {
    return o->s.task == RM2_TASK_PROFILE ? profile_value(o) : learned_value(o);
}

/* Value, and A_bar in L, by Kf or without it. */
static rm2_status primal(rm2i_objective *o) {
    RM2_TRY(rm2i_matrix_normal_solve(&o->mn, o->K, scalar(o, RM2I_NOISE), o->p.F, o->L));
    o->terms.jitter = fmax(o->terms.jitter, o->mn.jitter);
    RM2_TRY(task_value(o));
    return rm2i_matrix_normal_backward(&o->mn, o->L);
}

static rm2_status dual(rm2i_objective *o) {
    RM2_TRY(rm2i_dual_solve(&o->du, o->K, scalar(o, RM2I_NOISE), o->L));
    o->terms.jitter = fmax(o->terms.jitter, o->du.jitter);
    o->terms.log_likelihood = o->du.value;
    profile_anchor(o, o->du.log_det_Kf, o->du.trace);
    return RM2_OK;
}

static rm2_status kronecker(rm2i_objective *o, const rm2i_latent_kernel *kernel) {
    size_t N = o->p.N;
    rm2i_latent_gram(o->ctx, kernel, N, o->X, o->K);
    RM2_TRY(o->dual ? dual(o) : primal(o));
    for (size_t i = 0; i < N; i++)
        *bar(o, RM2I_NOISE) += o->L[i * N + i];
    kernel_backward(o, kernel, o->L);
    return RM2_OK;
}

/* The lower bound: its S and Lf^-1 R^T are where those of the exact likelihood would be. */
static rm2_status bounded(rm2i_objective *o, const rm2i_latent_kernel *kernel) {
    rm2i_inducing *in = o->inducing;
    in->Y = o->mn.Y;
    in->S = o->mn.S;
    if (!in->index) {
        memcpy(in->Z, block_values(o, o->natural, RM2I_INDUCING), in->r * in->Q * sizeof *in->Z);
        in->Z_bar = bar(o, RM2I_INDUCING);
    }
    RM2_TRY(rm2i_inducing_solve(in, kernel, o->X, scalar(o, RM2I_NOISE), o->p.F));
    o->terms.jitter = fmax(o->terms.jitter, in->jitter);
    RM2_TRY(task_value(o));
    const rm2i_inducing_bars bars = {.X = o->X_bar,
                                     .lengthscale = o->lengthscale_bar,
                                     .variance = bar(o, RM2I_VARIANCE),
                                     .linear = bar(o, RM2I_LINEAR),
                                     .noise = bar(o, RM2I_NOISE)};
    return rm2i_inducing_backward(in, kernel, o->X, &bars);
}

/* Value of the likelihood with per-output noise, and K_bar in L. */
static rm2_status by_factors(rm2i_objective *o) {
    RM2_TRY(rm2i_per_output_factor(&o->po, o->Kf, o->p.F, o->K, o->L, o->scratch.per_output));
    o->terms.jitter = fmax(o->terms.jitter, o->po.jitter);
    return RM2_OK;
}

static rm2_status by_eigenvectors(rm2i_objective *o) {
    memcpy(o->po.V, o->K, o->p.N * o->p.N * sizeof *o->K);
    RM2_TRY(rm2i_per_output_solve(&o->po, o->Kf, o->p.F, o->scratch.per_output));
    rm2i_per_output_kernel_backward(&o->po, o->L, o->scratch.per_output);
    return RM2_OK;
}

static rm2_status per_output(rm2i_objective *o, const rm2i_latent_kernel *kernel) {
    size_t N = o->p.N, M = o->p.M;
    rm2i_latent_gram(o->ctx, kernel, N, o->X, o->K);
    for (size_t m = 0; m < M; m++)
        o->po.d[m] = block_values(o, o->natural, RM2I_TASK_NOISE)[m] + scalar(o, RM2I_NOISE);
    RM2_TRY(learned_task(o));
    RM2_TRY(rm2i_per_output_few(N, M) ? by_factors(o) : by_eigenvectors(o));
    o->terms.log_likelihood = o->po.value;
    double *d_bar = bar(o, RM2I_TASK_NOISE);
    rm2i_per_output_task_backward(&o->po, o->K, o->Kf_bar, d_bar, o->scratch.per_output);
    for (size_t m = 0; m < M; m++)
        *bar(o, RM2I_NOISE) += d_bar[m];
    kernel_backward(o, kernel, o->L);
    return RM2_OK;
}

static rm2_status likelihood(rm2i_objective *o) {
    rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    if (o->s.noise == RM2_NOISE_PER_OUTPUT)
        return per_output(o, &kernel);
    return o->inducing ? bounded(o, &kernel) : kronecker(o, &kernel);
}

/* ---- all terms ------------------------------------------------------------------------------ */

static rm2_status evaluate_terms(rm2i_objective *o) {
    memset(o->natural_bar, 0, o->par.natural_size * sizeof *o->natural_bar);
    if (o->p.gram) /* else it is a part of natural_bar */
        memset(o->X_bar, 0, o->p.N * o->p.Q * sizeof *o->X_bar);
    memset(o->lengthscale_bar, 0, o->p.Q * sizeof *o->lengthscale_bar);
    o->terms = (rm2_objective_terms){.jitter = 0};
    rm2i_objective_latents(o);
    RM2_TRY(likelihood(o));
    if (o->s.task == RM2_TASK_LEARNED) {
        learned_anchor(o);
        task_backward(o);
    }
    latent_prior(o);
    RM2_TRY(dynamics(o));
    o->terms.hyper = rm2i_parameters_log_prior(&o->par, o->natural, o->natural_bar);
    latents_backward(o);
    o->terms.total = o->terms.log_likelihood + o->terms.task_anchor + o->terms.latent +
                     o->terms.gpdm + o->terms.hyper;
    return isfinite(o->terms.total) ? RM2_OK : RM2_ERR_NUMERIC;
}

rm2_status rm2i_objective_evaluate(void *objective, const double *raw, double *f,
                                   double *gradient) {
    rm2i_objective *o = objective;
    double unit = 1 / (double)(o->rows.all * o->p.M);
    rm2i_parameters_unpack(&o->par, raw, o->natural);
    RM2_TRY(evaluate_terms(o));
    rm2i_parameters_backward(&o->par, raw, o->natural_bar, o->natural, gradient);
    *f = -unit * o->terms.total;
    if (!rm2i_rows_same(&o->rows, *f))
        return rm2i_fail(
            o->ctx, RM2_ERR_UNSUPPORTED,
            "the processes compute different numbers (here an objective of %.17g): use "
            "processors of one "
            "kind for all, or set OPENBLAS_CORETYPE to one that all have",
            *f);
    for (size_t i = 0; i < o->par.raw_size; i++)
        gradient[i] *= -unit;
    return RM2_OK;
}
