/* Checks "gp", "gp_shoot", "gpdm" and "gamma_prior": likelihoods with derivatives by the natural
 * parameters, the posterior with its Jacobian, the expected metric and its geodesics. These look below the public API: a model there is trained, here
 * its parameters are given. */
#include "check.h"
#include "geodesic/geodesic.h"

#include <stdlib.h>
#include <string.h>

#include "gp/gpdm.h"
#include "gp/posterior.h"
#include "metric/pullback.h"
#include "riemann2/geodesic.h"
#include "train/objective.h"

/* A case's Gaussian process. */
typedef struct gp_case {
    conf_case *c;
    const json_value *in;
    size_t N, M, Q, R;
    const double *X, *F, *lengthscale, *B, *v, *task_noise;
    double outputscale, noise;
    rm2_fit_settings settings;
    double *Ft; /* M x N */
} gp_case;

static bool read_case(conf_case *c, gp_case *g) {
    size_t x, f, l, b, v;
    g->c = c;
    g->in = c->in;
    g->X = case_input_any(c, "X", &x);
    g->F = case_input_any(c, "F", &f);
    g->lengthscale = case_input_any(c, "lengthscale", &l);
    g->B = case_input_any(c, "B", &b);
    g->v = case_input_any(c, "v", &v);
    if (!g->X || !g->F || !g->lengthscale || !g->B || !g->v)
        return false;
    g->Q = l;
    g->M = v;
    g->N = x / l;
    g->R = b / v;
    g->outputscale = json_member_number(g->in, "outputscale", 0);
    g->noise = json_member_number(g->in, "noise", 0);
    g->Ft = case_scratch(c, g->M * g->N);
    for (size_t n = 0; g->Ft && n < g->N; n++)
        for (size_t m = 0; m < g->M; m++)
            g->Ft[m * g->N + n] = g->F[n * g->M + m];
    return g->Ft && f == g->N * g->M;
}

static bool read_settings(gp_case *g) {
    static const char *const kernels[] = {"se", "matern32", "matern52"};
    const char *kernel = json_member_string(g->in, "kernel", "");
    bool per_output = strcmp(json_member_string(g->in, "noise_model", ""), "per-output") == 0;
    rm2_hyperparameter one = {.start = 1, .learned = true};
    int k = 0;
    while (k < 3 && strcmp(kernel, kernels[k]) != 0)
        k++;
    g->settings = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    g->settings.kernel = (rm2_latent_kind)k;
    g->settings.ard = true;
    g->settings.latent_dim = g->Q;
    g->settings.noise = per_output ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER;
    g->settings.task = RM2_TASK_LEARNED;
    g->settings.task_random = true;
    g->settings.task_rank = g->R;
    g->settings.task_anchor = g->settings.latent_anchor = 0;
    g->settings.lengthscale = g->settings.variance = g->settings.noise_variance = one;
    g->settings.task_noise = one;
    if (per_output)
        g->task_noise = case_input(g->c, "task_noise", g->M);
    return k < 3 && (!per_output || g->task_noise);
}

/* ---- likelihood ------------------------------------------------------------------------------ */

static void set_block(rm2i_objective *o, rm2i_parameter_block block, const double *values) {
    const rm2i_block_info *b = &o->par.block[block];
    if (b->count)
        memcpy(o->natural + b->offset, values, b->count * sizeof *values);
}

static void output_block(gp_case *g, const rm2i_objective *o, const char *name,
                         rm2i_parameter_block block) {
    const rm2i_block_info *b = &o->par.block[block];
    double *out = case_output(g->c, name, b->count);
    if (out)
        memcpy(out, o->natural_bar + b->offset, b->count * sizeof *out);
}

static void output_likelihood(gp_case *g, const rm2i_objective *o) {
    double *value = case_output(g->c, "loglik", 1);
    if (value)
        *value = o->terms.log_likelihood;
    output_block(g, o, "grad_X", RM2I_LATENT);
    output_block(g, o, "grad_lengthscale", RM2I_LENGTHSCALE);
    output_block(g, o, "grad_outputscale", RM2I_VARIANCE);
    output_block(g, o, "grad_noise", RM2I_NOISE);
    output_block(g, o, "grad_task_noise", RM2I_TASK_NOISE);
    output_block(g, o, "grad_B", RM2I_TASK_FACTOR);
    output_block(g, o, "grad_v", RM2I_TASK_DIAGONAL);
}

static rm2i_objective *evaluate(gp_case *g) {
    rm2i_model_problem p = {.N = g->N, .M = g->M, .Q = g->Q, .F = g->Ft, .X0 = g->X};
    rm2i_objective *o;
    if (!case_ok(g->c, rm2i_objective_create(g->c->ctx, &g->settings, &p, &o)))
        return NULL;
    set_block(o, RM2I_LENGTHSCALE, g->lengthscale);
    set_block(o, RM2I_VARIANCE, &g->outputscale);
    set_block(o, RM2I_NOISE, &g->noise);
    set_block(o, RM2I_TASK_NOISE, g->task_noise);
    set_block(o, RM2I_TASK_FACTOR, g->B);
    set_block(o, RM2I_TASK_DIAGONAL, g->v);
    double *raw = case_scratch(g->c, 2 * o->par.raw_size), f;
    if (raw) {
        rm2i_objective_start(o, raw);
        case_ok(g->c, rm2i_objective_evaluate(o, raw, &f, raw + o->par.raw_size));
    }
    return o;
}

/* ---- posterior ------------------------------------------------------------------------------- */

/* index m*Q + r: sum_k P_mk P_nk R_k[r, s] */
static void jacobian_covariance(const rm2i_posterior *p, const double *R, double *out) {
    size_t M = p->gp.M, Q = p->gp.Q;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < M; n++)
            for (size_t r = 0; r < Q; r++)
                for (size_t s = 0; s < Q; s++) {
                    double sum = 0;
                    for (size_t k = 0; k < M; k++)
                        sum += p->P[m * M + k] * p->P[n * M + k] * R[(k * Q + r) * Q + s];
                    out[(m * Q + r) * M * Q + n * Q + s] = sum;
                }
}

static void output_posterior(gp_case *g, const rm2i_posterior *p, size_t n, const double *x) {
    size_t M = g->M, Q = g->Q;
    double *mean = case_output(g->c, "mean", n * M), *cov = case_output(g->c, "cov", n * M * M);
    double *jac = case_output(g->c, "jac_mean", n * M * Q);
    double *jac_cov = case_output(g->c, "jac_cov", n * M * Q * M * Q);
    double *h = case_scratch(g->c, n * M), *f = case_scratch(g->c, n * M);
    double *J = case_scratch(g->c, M * Q), *R = case_scratch(g->c, M * Q * Q);
    double *work = case_scratch(g->c, 2 * n * g->N + rm2i_posterior_work(p));
    double *square = case_scratch(g->c, M * M);
    if (!h || !f || !J || !R || !work || !square)
        return;
    rm2i_posterior_at(p, n, x, f, h, work);
    for (size_t i = 0; i < n; i++) {
        if (mean)
            memcpy(mean + i * M, f + i * M, M * sizeof *mean);
        if (cov)
            rm2i_posterior_covariance(p, h + i * M, cov + i * M * M, square);
        rm2i_posterior_jacobian(p, x + i * Q, J, R, work);
        if (jac)
            memcpy(jac + i * M * Q, J, M * Q * sizeof *jac);
        if (jac_cov)
            jacobian_covariance(p, R, jac_cov + i * M * Q * M * Q);
    }
}

/* G = dExp^T g dExp at the posterior mean */
static void output_metric(gp_case *g, const rm2i_posterior *p, size_t n, const double *x) {
    size_t M = g->M;
    double *G = case_output(g->c, "G", n * M * M);
    const rm2_manifold *manifold = G ? case_manifold(g->c, NULL) : NULL;
    const double *mean = manifold ? case_input(g->c, "tangent_mean", M) : NULL;
    double *f = case_scratch(g->c, n * M), *work = case_scratch(g->c, 2 * n * g->N);
    double *identity = case_scratch(g->c, n * M * M);
    if (!mean || !f || !work || !identity)
        return;
    rm2i_posterior_at(p, n, x, f, NULL, work);
    for (size_t i = 0; i < n * M; i++)
        f[i] += mean[i % M];
    for (size_t i = 0; i < n * M; i++)
        identity[i * M + i % M] = 1;
    case_ok(g->c, rm2_manifold_metric(g->c->ctx, manifold, n, f, M, identity, G));
}

/* The expected pullback metric of the posterior; NULL (and a failure) where the case has none. */
static rm2_metric *pullback(gp_case *g, const rm2i_posterior *p) {
    rm2i_pullback_field like = {.posterior = p,
                                .manifold = case_manifold(g->c, NULL),
                                .mean = case_input(g->c, "tangent_mean", g->M),
                                .weight = 1};
    rm2i_pullback_field *field;
    rm2_metric *metric = NULL;
    if (like.manifold && like.mean &&
        case_ok(g->c, rm2i_pullback_field_create(g->c->ctx, &like, &field)))
        case_ok(g->c, rm2i_pullback_create(g->c->ctx, field, "", &metric));
    return metric;
}

/* EG and its derivatives dEG[q] */
static void output_expected(gp_case *g, const rm2i_posterior *p, size_t n, const double *x) {
    size_t Q = g->Q;
    double *G = case_output(g->c, "EG", n * Q * Q), *dG = case_output(g->c, "dEG", n * Q * Q * Q);
    double *scratch = case_scratch(g->c, n * Q * Q);
    rm2_metric *metric = (G || dG) && scratch ? pullback(g, p) : NULL;
    if (metric)
        case_ok(g->c, rm2_metric_at(g->c->ctx, metric, n, x, G ? G : scratch, dG));
    rm2_metric_free(metric);
}

static rm2i_posterior *posterior_of(gp_case *g, const rm2i_objective *o) {
    rm2i_gp gp = {.N = g->N,
                  .M = g->M,
                  .Q = g->Q,
                  .noise_kind = g->settings.noise,
                  .kernel = {g->settings.kernel, g->Q, g->lengthscale, g->outputscale, 0},
                  .noise = g->noise,
                  .task_noise = g->task_noise,
                  .Kf = o->Kf,
                  .X = g->X,
                  .F = g->Ft};
    rm2i_posterior *p;
    return case_ok(g->c, rm2i_posterior_create(g->c->ctx, &gp, &p)) ? p : NULL;
}

static void output_at_points(gp_case *g, const rm2i_objective *o) {
    size_t size;
    const double *x = json_member(g->in, "Xstar") ? case_input_any(g->c, "Xstar", &size) : NULL;
    rm2i_posterior *p = x ? posterior_of(g, o) : NULL;
    if (!p)
        return;
    output_posterior(g, p, size / g->Q, x);
    output_metric(g, p, size / g->Q, x);
    output_expected(g, p, size / g->Q, x);
    rm2i_posterior_free(p);
}

/* The Gaussian process of a case with its likelihood evaluated; NULL after saying why not. */
static rm2i_objective *begin(conf_case *c, gp_case *g) {
    if (read_case(c, g) && read_settings(g))
        return evaluate(g);
    case_fail(c, "the inputs do not fit together");
    return NULL;
}

void check_gp(conf_case *c) {
    gp_case g = {.c = NULL};
    rm2i_objective *o = begin(c, &g);
    if (!o)
        return;
    output_likelihood(&g, o);
    output_at_points(&g, o);
    rm2i_objective_free(o);
}

/* ---- a geodesic of the expected metric ------------------------------------------------------- */

static void shoot(gp_case *g, const rm2i_posterior *p, const double *x0, const double *v0) {
    double *x1 = case_output(g->c, "x1", g->Q), *v1 = case_output(g->c, "v1", g->Q);
    rm2_metric *metric = x1 && v1 ? pullback(g, p) : NULL;
    if (metric)
        case_ok(g->c, rm2i_geodesic_exp(g->c->ctx, metric, 1e-9, x0, v0, x1, v1, 0, NULL));
    rm2_metric_free(metric);
}

void check_gp_shoot(conf_case *c) {
    gp_case g = {.c = NULL};
    size_t size;
    const double *x0 = case_input_any(c, "x0", &size), *v0 = case_input_any(c, "v0", &size);
    c->in = json_member(c->in, "gp");
    rm2i_objective *o = x0 && v0 ? begin(c, &g) : NULL;
    rm2i_posterior *p = o ? posterior_of(&g, o) : NULL;
    if (p)
        shoot(&g, p, x0, v0);
    rm2i_posterior_free(p);
    rm2i_objective_free(o);
}

/* ---- priors ---------------------------------------------------------------------------------- */

static void output_number(conf_case *c, const char *name, double value) {
    double *out = case_output(c, name, 1);
    if (out)
        *out = value;
}

void check_gpdm(conf_case *c) {
    const json_value *in = c->in;
    size_t size, count, N = 0;
    const double *X = case_input_any(c, "X", &size);
    const double *lengths = case_input_any(c, "trajectory_lengths", &count);
    if (!X || !lengths)
        return;
    size_t *starts = arena_array(&c->memory, count + 1, sizeof *starts);
    for (size_t t = 0; starts && t < count; t++) {
        starts[t] = N;
        N += (size_t)lengths[t];
        starts[t + 1] = N;
    }
    size_t Q = N ? size / N : 1;
    double *X_bar = case_output(c, "grad_X", size), *K = case_scratch(c, N * N);
    double *L = case_scratch(c, N * N),
           *backward = case_scratch(c, rm2i_latent_backward_work(Q, N));
    if (!starts || !X_bar || !K || !L || !backward)
        return;
    rm2i_gpdm g = {.N = N,
                   .Q = Q,
                   .trajectories = count,
                   .starts = starts,
                   .steps = {.all = N - count},
                   .first = {.units = 1, .unit = (size_t[]){0, count}},
                   .lengthscale = json_member_number(in, "lengthscale", 0),
                   .variance = json_member_number(in, "outputscale", 0),
                   .noise = json_member_number(in, "noise", 0),
                   .K = K,
                   .L = L,
                   .backward = backward,
                   .X_bar = X_bar};
    g.work = case_scratch(c, rm2i_gpdm_work(&g));
    if (!g.work || !case_ok(c, rm2i_gpdm_evaluate(&g, X)))
        return;
    output_number(c, "log_prob", g.value);
    output_number(c, "grad_lengthscale", g.lengthscale_bar);
    output_number(c, "grad_outputscale", g.variance_bar);
    output_number(c, "grad_noise", g.noise_bar);
}

void check_gamma_prior(conf_case *c) {
    const json_value *in = c->in;
    size_t n;
    const double *x = case_input_any(c, "x", &n);
    double *value = x ? case_output(c, "log_prob", n) : NULL;
    double *slope = x ? case_output(c, "dlog_prob", n) : NULL;
    for (size_t i = 0; value && slope && i < n; i++)
        value[i] = rm2i_log_prior(RM2_PRIOR_GAMMA, json_member_number(in, "concentration", 0),
                                  json_member_number(in, "rate", 0), x[i], &slope[i]);
}
