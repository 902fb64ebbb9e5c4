/* Making an objective: which blocks there are, where they start, one allocation for all arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "kernel/latent.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "model/rules.h"
#include "train/motion_scale.h"
#include "train/objective.h"

/* ---- blocks --------------------------------------------------------------------------------- */

static void positive_block(rm2i_objective *o, rm2i_parameter_block which, size_t count,
                           const rm2_hyperparameter *setting, double bound) {
    rm2i_block_info *b = &o->par.block[which];
    b->count = count;
    b->learned = setting->learned;
    b->transform = o->s.softplus ? RM2I_SOFTPLUS : RM2I_LOG;
    b->bound = o->s.softplus ? bound : 0;
    b->prior = setting->prior;
    b->a = setting->a;
    b->b = setting->b;
}

static void describe_blocks(rm2i_objective *o) {
    const rm2_fit_settings *s = &o->s;
    size_t N = o->p.N, M = o->p.M, Q = o->p.Q;
    rm2i_block_info *block = o->par.block;
    block[RM2I_LATENT] = (rm2i_block_info){.count = N * Q, .learned = true};
    positive_block(o, RM2I_LENGTHSCALE, s->ard ? Q : 1, &s->lengthscale, 0);
    positive_block(o, RM2I_VARIANCE, 1, &s->variance, 0);
    if (s->linear.start > 0)
        positive_block(o, RM2I_LINEAR, 1, &s->linear, 0);
    positive_block(o, RM2I_NOISE, 1, &s->noise_variance, s->noise_bound);
    if (s->noise == RM2_NOISE_PER_OUTPUT)
        positive_block(o, RM2I_TASK_NOISE, M, &s->task_noise, s->noise_bound);
    if (s->task == RM2_TASK_LEARNED) {
        static const rm2_hyperparameter diagonal = {.start = 1, .learned = true};
        block[RM2I_TASK_FACTOR] = (rm2i_block_info){.count = M * o->columns, .learned = true};
        positive_block(o, RM2I_TASK_DIAGONAL, M, &diagonal, 0);
    }
    if (s->gpdm_weight > 0) {
        positive_block(o, RM2I_GPDM_LENGTHSCALE, 1, &s->gpdm_lengthscale, 0);
        positive_block(o, RM2I_GPDM_VARIANCE, 1, &s->gpdm_variance, 0);
        positive_block(o, RM2I_GPDM_NOISE, 1, &s->gpdm_noise, s->noise_bound);
    }
    rm2i_parameters_lay_out(&o->par);
}

/* ---- starts --------------------------------------------------------------------------------- */

static void fill_block(rm2i_objective *o, rm2i_parameter_block which, double value) {
    rm2i_block_info *b = &o->par.block[which];
    for (size_t i = 0; i < b->count; i++)
        o->natural[b->offset + i] = value;
    if (b->prior == RM2_PRIOR_LOGNORMAL && isnan(b->a))
        b->a = log(value); /* centred at the start */
}

/* Sum of the squared entries of steps, and their number. */
typedef struct steps {
    double sum;
    size_t count;
} steps;

static void add_steps(const void *problem, void *state) {
    const rm2i_model_problem *p = problem;
    steps *s = state;
    for (size_t t = 0; t < p->trajectories; t++)
        for (size_t i = p->starts[t]; i + 1 < p->starts[t + 1]; i++)
            for (size_t q = 0; q < p->Q; q++, s->count++)
                s->sum += pow(p->X0[(i + 1) * p->Q + q] - p->X0[i * p->Q + q], 2);
}

/* Mean squared entry of the steps of X0 along the trajectories. */
static double mean_squared_step(const rm2i_model_problem *p) {
    steps s = {0, 0};
    rm2i_rows_fold(p->rows, sizeof s, &s, add_steps, p);
    return s.sum > 0 ? s.sum / (double)s.count : 1;
}

static void start_hyperparameters(rm2i_objective *o) {
    const rm2_fit_settings *s = &o->s;
    fill_block(o, RM2I_LENGTHSCALE, s->lengthscale.start);
    fill_block(o, RM2I_VARIANCE, s->variance.start);
    fill_block(o, RM2I_LINEAR, s->linear.start);
    fill_block(o, RM2I_NOISE, s->noise_variance.start);
    fill_block(o, RM2I_TASK_NOISE, s->task_noise.start);
    if (s->gpdm_weight > 0) {
        double step2 = mean_squared_step(&o->p);
        const rm2_hyperparameter *v = &s->gpdm_variance, *z = &s->gpdm_noise;
        fill_block(o, RM2I_GPDM_LENGTHSCALE, s->gpdm_lengthscale.start);
        fill_block(o, RM2I_GPDM_VARIANCE, v->start > 0 ? v->start : step2);
        fill_block(o, RM2I_GPDM_NOISE, z->start > 0 ? z->start : 0.1 * step2);
    }
}

/* X0, or for a back constraint W = (gram + ridge I)^-1 X0. */
static rm2_status start_latents(rm2i_objective *o) {
    size_t N = o->p.N, Q = o->p.Q;
    double *latent = o->natural + o->par.block[RM2I_LATENT].offset, jitter;
    double *column = o->scratch.column;
    if (!o->p.gram) {
        memcpy(latent, o->p.X0, N * Q * sizeof *latent);
        return RM2_OK;
    }
    double *L;
    RM2_TRY(rm2i_alloc(o->ctx, N, N * sizeof *L, &L));
    bool factored = rm2i_factor(o->ctx, N, o->p.gram, o->s.back_ridge, L, &jitter) == RM2_OK;
    for (size_t q = 0; factored && q < Q; q++) {
        for (size_t i = 0; i < N; i++)
            column[i] = o->p.X0[i * Q + q];
        rm2i_factor_solve(NULL, N, L, 1, column);
        for (size_t i = 0; i < N; i++)
            latent[i * Q + q] = column[i];
    }
    free(L);
    return factored ? RM2_OK
                    : rm2i_fail(o->ctx, RM2_ERR_NUMERIC,
                                "the Gram matrix of the back constraint is not positive definite");
}

/* B ~ N(0, 1), v = softplus(N(0, 1)) */
static void random_task(rm2i_objective *o) {
    rm2_rng rng;
    rm2_rng_seed(&rng, o->s.seed);
    const rm2i_block_info *B = &o->par.block[RM2I_TASK_FACTOR],
                          *v = &o->par.block[RM2I_TASK_DIAGONAL];
    for (size_t i = 0; i < B->count; i++)
        o->natural[B->offset + i] = rm2_rng_normal(&rng);
    for (size_t i = 0; i < v->count; i++)
        o->natural[v->offset + i] = log1p(exp(rm2_rng_normal(&rng)));
}

/* S = F^T A^-1 F at the start. */
static rm2_status start_products(rm2i_objective *o) {
    rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    double noise = o->s.noise == RM2_NOISE_KRONECKER ? o->s.noise_variance.start : 1e-2;
    for (size_t q = 0; q < o->p.Q; q++)
        o->lengthscale[q] = o->s.lengthscale.start;
    if (o->inducing) {
        o->inducing->Y = o->mn.Y;
        o->inducing->S = o->mn.S;
        return rm2i_inducing_solve(o->inducing, &kernel, o->p.X0, noise, o->p.F);
    }
    rm2i_latent_gram(o->ctx, &kernel, o->p.N, o->p.X0, o->K);
    return rm2i_matrix_normal_solve(&o->mn, o->K, noise, o->p.F, o->L);
}

/* Kf at X0 by the profile, split into a twentieth of the mean variance on the diagonal and the
 * leading eigenvectors of the rest. */
static rm2_status profile_start(rm2i_objective *o) {
    size_t M = o->p.M, R = o->columns;
    double N = (double)o->rows.all, n = (1 + o->s.task_anchor) * N, floor_value = 0.05 * o->psi;
    if (start_products(o) != RM2_OK)
        return rm2i_fail(o->ctx, RM2_ERR_NUMERIC, "the kernel matrix of the start is singular");
    for (size_t m = 0; m < M; m++)
        o->mn.S[m * M + m] += o->s.task_anchor * N * o->psi;
    for (size_t i = 0; i < M * M; i++)
        o->mn.S[i] /= n;
    double *v = o->natural + o->par.block[RM2I_TASK_DIAGONAL].offset;
    double *B = o->natural + o->par.block[RM2I_TASK_FACTOR].offset;
    for (size_t m = 0; m < M; m++)
        v[m] = R > 0 ? floor_value : o->mn.S[m * M + m];
    if (R == 0)
        return RM2_OK;
    double *values = o->scratch.values, *vectors = o->scratch.vectors;
    if (rm2i_eigen(M, o->mn.S, values, vectors, o->scratch.eigen) != RM2_OK)
        return rm2i_fail(o->ctx, RM2_ERR_NUMERIC, "the task covariance of the start is not finite");
    for (size_t r = 0; r < R; r++) { /* the r-th largest that is left */
        size_t top = 0;
        for (size_t m = 1; m < M; m++)
            top = values[m] > values[top] ? m : top;
        double root = sqrt(fmax(values[top] - floor_value, 0.01 * floor_value));
        for (size_t m = 0; m < M; m++)
            B[m * R + r] = root * vectors[top * M + m];
        values[top] = -INFINITY;
    }
    return RM2_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t per_output_work(size_t N, size_t M) {
    return rm2i_per_output_few(N, M) ? rm2i_per_output_factor_work(N, M)
                                     : rm2i_per_output_work(N, M);
}

static void lay_out_scratch(rm2i_objective *o, rm2i_arena *a) {
    size_t N = o->p.N, M = o->p.M;
    bool per_output = o->s.noise == RM2_NOISE_PER_OUTPUT, dynamics = o->s.gpdm_weight > 0;
    rm2i_objective_scratch *s = &o->scratch;
    rm2i_arena column = *a, inverse = *a, start = *a, task = *a, likelihood = *a, gpdm = *a;
    s->column = rm2i_reserve(&column, double, N);
    s->inverse = rm2i_reserve(&inverse, double, M, M);
    s->values = rm2i_reserve(&start, double, M);
    s->vectors = rm2i_reserve(&start, double, M, M);
    s->eigen = rm2i_reserve(&start, double, rm2i_eigen_work(M));
    s->task = rm2i_reserve(&task, double, rm2i_matrix_normal_task_work(M));
    s->per_output = rm2i_reserve(&likelihood, double, per_output ? per_output_work(N, M) : 0);
    o->gpdm.work = rm2i_reserve(&gpdm, double, dynamics ? rm2i_gpdm_work(&o->gpdm) : 0);
    const rm2i_arena turns[] = {column, inverse, start, task, likelihood, gpdm};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++)
        *a = rm2i_arena_longer(*a, turns[k]);
}

static void lay_out_per_output(rm2i_per_output *po, rm2i_arena *a) {
    size_t N = po->N, M = po->M;
    po->V = rm2i_reserve(a, double, N, N);
    po->o = rm2i_reserve(a, double, N);
    po->Ut = rm2i_reserve(a, double, M, M);
    po->l = rm2i_reserve(a, double, M);
    po->d = rm2i_reserve(a, double, M);
    po->rotated = rm2i_reserve(a, double, M, N);
    po->alpha = rm2i_reserve(a, double, M, N);
    po->Am = rm2i_reserve(a, double, M, N);
    po->weight = rm2i_reserve(a, double, M);
    po->inverse = rm2i_reserve(a, double, M);
}

static void lay_out(void *objective, rm2i_arena *a) {
    rm2i_objective *o = objective;
    size_t N = o->p.N, M = o->p.M, Q = o->p.Q;
    size_t natural = o->par.natural_size + rm2i_objective_free_inputs(o);
    o->natural = rm2i_reserve(a, double, natural);
    o->natural_bar = rm2i_reserve(a, double, natural);
    o->X = rm2i_reserve(a, double, o->p.gram ? N : 0, Q);
    o->X_bar = rm2i_reserve(a, double, o->p.gram ? N : 0, Q);
    o->gpdm.X_bar = rm2i_reserve(a, double, o->s.gpdm_weight > 0 ? N : 0, Q);
    o->lengthscale = rm2i_reserve(a, double, Q);
    o->lengthscale_bar = rm2i_reserve(a, double, Q);
    o->Kf = rm2i_reserve(a, double, M, M);
    o->Lf = rm2i_reserve(a, double, M, M);
    o->Kf_bar = rm2i_reserve(a, double, M, M);
    o->mn.S = rm2i_reserve(a, double, M, M);
    o->mn.Y = rm2i_reserve(a, double, M, N);
    if (o->s.noise == RM2_NOISE_PER_OUTPUT)
        lay_out_per_output(&o->po, a);
    lay_out_scratch(o, a);
}

static rm2_status allocate(rm2i_objective *o) {
    size_t N = o->p.N, M = o->p.M;
    o->mn = (rm2i_matrix_normal){.ctx = o->ctx, .N = o->rows.all, .M = M};
    o->po = (rm2i_per_output){.ctx = o->ctx, .N = N, .M = M};
    o->gpdm = (rm2i_gpdm){.N = N,
                          .Q = o->p.Q,
                          .trajectories = o->p.trajectories,
                          .starts = o->p.starts,
                          .steps = rm2i_rows_of_steps(&o->rows),
                          .first = rm2i_rows_of_trajectories(&o->rows),
                          .ctx = o->ctx};
    RM2_TRY(rm2i_arena_calloc(o->ctx, lay_out, o, &o->memory));
    if (!o->p.gram) {
        size_t latents = o->par.block[RM2I_LATENT].offset;
        o->X = o->natural + latents;
        o->X_bar = o->natural_bar + latents;
    }
    return RM2_OK;
}

/* ---- object ---------------------------------------------------------------------------------- */

/* An output of the points. */
typedef struct output {
    size_t n;
    const double *values;
} output;

static void add_squares(const void *job, void *state) {
    const output *o = job;
    double *sum = state;
    for (size_t i = 0; i < o->n; i++)
        *sum += o->values[i] * o->values[i];
}

/* Mean variance of the outputs; 0 or not finite: there is nothing to learn. */
static rm2_status find_mean_variance(rm2i_objective *o) {
    const rm2i_model_problem *p = &o->p;
    double sum = 0;
    for (size_t m = 0; m < p->M; m++)
        rm2i_rows_fold(p->rows, sizeof sum, &sum, add_squares, &(output){p->N, p->F + m * p->N});
    o->psi = sum / (double)(rm2i_rows_all(p->rows, p->N) - 1) / (double)p->M;
    if (o->psi > 0 && isfinite(o->psi))
        return RM2_OK;
    return rm2i_fail(o->ctx, RM2_ERR_DATA, "all points are the same: there is nothing to learn");
}

rm2_status rm2i_objective_cut(rm2i_objective *o, size_t unit_rows) {
    const rm2i_model_problem *p = &o->p;
    const rm2i_rows rows = p->rows ? *p->rows : rm2i_rows_alone(p->N, p->trajectories, p->starts);
    RM2_TRY(rm2i_rows_cut(o->ctx, &rows, unit_rows, &o->rows));
    o->gpdm.steps = rm2i_rows_of_steps(&o->rows);
    o->gpdm.first = rm2i_rows_of_trajectories(&o->rows);
    return RM2_OK;
}

static rm2_status build(rm2i_objective *o) {
    size_t all = rm2i_rows_all(o->p.rows, o->p.N);
    RM2_TRY(rm2i_rows_agree(
        o->ctx, o->p.rows,
        rm2i_rules_check(o->ctx, &o->s, &(rm2i_fit_sizes){all, o->p.M, o->p.trajectories})));
    RM2_TRY(find_mean_variance(o));
    if (!(o->s.lengthscale.start > 0))
        RM2_TRY(rm2i_motion_scale(o->ctx, &o->s, &o->p, &o->s.lengthscale.start));
    o->columns = o->s.independent ? 0 : o->s.task_rank ? o->s.task_rank : o->p.M;
    describe_blocks(o);
    RM2_TRY(rm2i_objective_cut(o, rm2i_unit_rows(all)));
    RM2_TRY(rm2i_rows_agree(o->ctx, &o->rows, allocate(o)));
    start_hyperparameters(o);
    RM2_TRY(start_latents(o));
    rm2i_objective_latents(o);
    RM2_TRY(rm2i_objective_prepare(o));
    if (o->s.task != RM2_TASK_LEARNED)
        return RM2_OK;
    if (!o->s.task_random)
        return profile_start(o);
    random_task(o);
    return RM2_OK;
}

rm2_status rm2i_objective_create(rm2_context *ctx, const rm2_fit_settings *s,
                                 const rm2i_model_problem *p, rm2i_objective **objective) {
    *objective = NULL;
    size_t all = rm2i_rows_all(p->rows, p->N);
    if (all < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "training needs at least 2 points, not %zu", all);
    rm2i_objective *o;
    RM2_TRY(rm2i_rows_alloc(ctx, p->rows, 1, sizeof *o, &o));
    o->ctx = ctx;
    o->s = *s;
    o->p = *p;
    rm2_status status = build(o);
    if (status != RM2_OK) {
        rm2i_objective_free(o);
        return status;
    }
    *objective = o;
    return RM2_OK;
}

void rm2i_objective_free(rm2i_objective *o) {
    if (!o)
        return;
    rm2i_inducing_free(o->inducing);
    rm2i_inducing_free(o->gpdm.inducing);
    rm2i_rows_free(&o->rows);
    free(o->square);
    free(o->memory);
    free(o);
}

void rm2i_objective_start(const rm2i_objective *o, double *raw) {
    rm2i_parameters_pack(&o->par, o->natural, raw);
}
