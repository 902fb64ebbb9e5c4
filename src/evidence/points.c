/* Hyperparameters, latents, hyperparameters again, covariance of the outputs. */
#include "evidence/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "evidence/points_training.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "model/rules.h"
#include "train/train.h"

static const double LEAST = 1e-8; /* of the mean variance: what counts as variance of an output */

/* ---- a training ----------------------------------------------------------------------------- */

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_points_training *t = arg;
    size_t N = t->d.N, M = t->d.M, Q = t->d.Q;
    t->F = rm2i_reserve(a, double, M, N);
    t->X0 = rm2i_reserve(a, double, N, Q);
    t->X = rm2i_reserve(a, double, N, Q);
    t->rows = rm2i_reserve(a, double, t->count, N);
    t->lengthscale = rm2i_reserve(a, double, Q);
    t->number = rm2i_reserve(a, size_t, N);
}

void rm2i_points_record(rm2i_points_training *t, double gradient, double step, rm2_stop stop) {
    if (t->traced < t->most_traced)
        t->trace[t->traced++] = t->terms.total;
    const rm2_fit_progress row = {.iteration = t->traced - 1,
                                  .max_iterations = t->most_traced - 1,
                                  .evaluations = t->evaluations,
                                  .terms = t->terms,
                                  .gradient = gradient,
                                  .step = step,
                                  .seconds = rm2_seconds() - t->since,
                                  .stop = stop};
    rm2i_activity_row(t->ctx, row.iteration, &row);
}

double rm2i_points_freedom(const rm2i_points_training *t) {
    return (double)(t->d.N - 1 - t->d.Q);
}

rm2i_latent_kernel rm2i_points_kernel(const rm2i_points_training *t, bool linear) {
    for (size_t q = 0; q < t->d.Q; q++)
        t->lengthscale[q] = t->hyper[RM2I_POINTS_LENGTHSCALE];
    return (rm2i_latent_kernel){t->s->kernel, t->d.Q, t->lengthscale,
                                t->hyper[RM2I_POINTS_VARIANCE], linear ? t->s->linear.start : 0};
}

rm2i_evidence_at rm2i_points_place(const double *hyper) {
    return (rm2i_evidence_at){.variance = hyper[RM2I_POINTS_VARIANCE],
                              .lengthscale = hyper[RM2I_POINTS_LENGTHSCALE],
                              .scale = hyper[RM2I_POINTS_SCALE],
                              .weight = hyper[RM2I_POINTS_WEIGHT]};
}

rm2i_evidence_data rm2i_points_evidence_data(const rm2i_points_training *t, const double *X) {
    return (rm2i_evidence_data){.N = t->d.N,
                                .Q = t->d.Q,
                                .rows = t->d.M,
                                .X = X,
                                .F = t->linear.left,
                                .m = t->d.M - t->linear.columns,
                                .least = t->least,
                                .kind = t->s->kernel};
}

/* e, and Kf unless it is NULL; by inducing points of the kernel with its linear part. */
static rm2_status find_outputs(rm2i_points_training *t, const double *X, double *Kf) {
    const rm2i_latent_kernel kernel = rm2i_points_kernel(t, true);
    if (t->by_inducing)
        RM2_TRY(rm2i_points_choose(t, &kernel, X, t->d.M));
    rm2i_points_covariance c = {.kernel = &kernel,
                                .X = X,
                                .scale = t->hyper[RM2I_POINTS_SCALE],
                                .weight = t->hyper[RM2I_POINTS_WEIGHT],
                                .freedom = rm2i_points_freedom(t),
                                .least = t->least,
                                .r = t->r,
                                .index = t->index,
                                .Kf = Kf};
    RM2_TRY(rm2i_points_outputs(t->ctx, &t->d, &t->linear, t->plane, &c));
    t->level = c.level;
    return RM2_OK;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Rows with the F F^T of the outputs: F itself, or where it has more rows than columns those of the
 * eigenvectors of F F^T. */
static rm2_status compress(rm2i_points_training *t) {
    size_t N = t->d.N, M = t->d.M;
    double *values;
    if (M <= N) {
        memcpy(t->rows, t->F, M * N * sizeof *t->rows);
        return RM2_OK;
    }
    RM2_TRY(rm2i_alloc(t->ctx, N + rm2i_symmetric_eigen_work(N), sizeof *values, &values));
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)N, (int)M, 1, t->F, (int)N, 0, t->rows,
               (int)N);
    rm2_status status = rm2i_symmetric_eigen(N, t->rows, values, values + N);
    for (size_t k = 0; status == RM2_OK && k < N; k++)
        rm2i_dscal((int)N, sqrt(fmax(values[k], 0)), t->rows + k * N, 1);
    free(values);
    return status;
}

/* The distinct points, centred; F of the request counts equal ones too. */
static void gather(rm2i_points_training *t, const rm2i_points_request *r, const size_t *first) {
    size_t N = t->d.N, Q = t->d.Q, k = 0;
    double sum = 0;
    for (size_t i = 0; i < r->data.N; i++) {
        if (first[i] != i)
            continue;
        for (size_t m = 0; m < t->d.M; m++)
            t->F[m * N + k] = r->data.F[m * r->data.N + i];
        memcpy(t->X0 + k * Q, r->start.X + i * Q, Q * sizeof *t->X0);
        t->number[k++] = i;
    }
    for (size_t m = 0; m < t->d.M; m++) {
        double mean = 0, *f = t->F + m * N;
        for (size_t i = 0; i < N; i++)
            mean += f[i] / (double)N;
        for (size_t i = 0; i < N; i++) {
            f[i] -= mean;
            sum += f[i] * f[i];
        }
    }
    t->least = LEAST * sum / (double)(N * t->d.M);
    rm2i_points_centre(N, Q, t->X0);
    memcpy(t->X, t->X0, N * Q * sizeof *t->X);
}

/* As many inducing points as are asked for, or as pay. */
static rm2_status prepare_inducing(rm2i_points_training *t) {
    size_t most = t->s->inducing ? t->s->inducing : RM2I_INDUCING_MOST;
    t->by_inducing = rm2i_rules_inducing(t->s, t->d.N);
    rm2i_rules_log_inference(t->ctx, t->s, t->d.N);
    if (!t->by_inducing)
        return RM2_OK;
    t->most = most < t->d.N ? most : t->d.N;
    return rm2i_alloc(t->ctx, t->most, sizeof *t->index, &t->index);
}

static rm2_status set_up(rm2i_points_training *t, const rm2i_points_request *r,
                         const size_t *first) {
    RM2_TRY(rm2i_rules_check(t->ctx, t->s, &(rm2i_fit_sizes){t->d.N, t->d.M, 0}));
    t->count = t->d.M < t->d.N ? t->d.M : t->d.N;
    RM2_TRY(rm2i_arena_calloc(t->ctx, lay_out, t, &t->memory));
    t->d.F = t->F;
    gather(t, r, first);
    RM2_TRY(prepare_inducing(t));
    RM2_TRY(rm2i_points_linear_create(t->ctx, &t->d, &t->linear));
    size_t searches = 2 * (t->by_inducing ? RM2I_POINTS_ROUNDS : 1);
    t->most_traced = searches * t->s->optim.max_iterations + RM2I_POINTS_LATENT_ITERATIONS + 3;
    RM2_TRY(rm2i_calloc(t->ctx, t->most_traced, sizeof *t->trace, &t->trace));
    return compress(t);
}

/* ---- all ------------------------------------------------------------------------------------ */

static bool goes_on(const rm2i_points_training *t) {
    return t->stop != RM2_STOP_INTERRUPTED && t->stop != RM2_STOP_MAX_SECONDS;
}

static rm2_status train(rm2i_points_training *t, double *Kf) {
    RM2_TRY(rm2i_points_find_hypers(t, t->X));
    if (!(t->unit > 0))
        t->unit = t->linear.unit;
    if (!t->s->latents_held && goes_on(t)) {
        RM2_TRY(find_outputs(t, t->X, NULL));
        RM2_TRY(rm2i_points_move(t));
    }
    if (!t->s->latents_held && goes_on(t)) {
        RM2_TRY(rm2i_points_find_hypers(t, t->X));
        t->unit = t->plane ? t->linear.unit : t->unit;
    }
    RM2_TRY(rm2i_points_linear_at(&t->d, t->X, t->plane, &t->linear));
    RM2_TRY(find_outputs(t, t->X, Kf));
    t->likelihood = (rm2_certificate){t->terms.log_likelihood, t->terms.log_likelihood};
    if (t->by_inducing)
        RM2_TRY(rm2i_points_certify(t));
    rm2i_points_record(t, 0, 0, t->stop);
    return RM2_OK;
}

static void hand_over(rm2i_points_training *t, const rm2i_points_request *r, const size_t *first,
                      rm2i_points_result *out) {
    size_t Q = t->d.Q, k = 0;
    for (size_t i = 0; i < r->data.N; i++) {
        bool own = first[i] == i;
        const double *x = own ? t->X + k++ * Q : out->X + first[i] * Q;
        memcpy(out->X + i * Q, x, Q * sizeof *x);
    }
    out->variance = t->hyper[RM2I_POINTS_VARIANCE];
    out->lengthscale = t->hyper[RM2I_POINTS_LENGTHSCALE];
    out->scale = t->hyper[RM2I_POINTS_SCALE];
    out->weight = t->hyper[RM2I_POINTS_WEIGHT];
    out->level = t->level;
    out->unit = t->unit;
    out->freedom = t->hyper[RM2I_POINTS_WEIGHT] + rm2i_points_freedom(t) + 2;
    out->distinct = t->d.N;
    out->training = (rm2_training_record){.stop = t->stop,
                                          .iterations = t->traced - 1,
                                          .evaluations = t->evaluations,
                                          .seconds = rm2_seconds() - t->since,
                                          .start = t->start,
                                          .end = t->terms,
                                          .likelihood = t->likelihood,
                                          .trace = t->trace};
    t->trace = NULL;
    for (size_t j = 0; j < t->r; j++)
        t->index[j] = t->number[t->index[j]];
    out->inducing = t->index;
    out->inducing_count = t->r;
    t->index = NULL;
}

rm2_status rm2i_points_train(rm2_context *ctx, const rm2i_points_request *r,
                             rm2i_points_result *result) {
    rm2i_points_training t = {.ctx = ctx,
                              .s = r->settings,
                              .d = {.M = r->data.M, .Q = r->data.Q},
                              .plane = r->start.plane,
                              .unit = r->start.unit,
                              .since = rm2_seconds()};
    size_t *first;
    RM2_TRY(rm2i_alloc(ctx, r->data.N, sizeof *first, &first));
    rm2_status status = rm2i_points_distinct(ctx, &r->data, first, &t.d.N);
    if (status == RM2_OK)
        status = set_up(&t, r, first);
    if (status == RM2_OK)
        status = train(&t, result->Kf);
    if (status == RM2_OK)
        hand_over(&t, r, first, result);
    free(t.trace);
    free(t.index);
    free(t.linear.memory);
    free(t.memory);
    free(first);
    return status;
}
