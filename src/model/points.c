/* Hyperparameters, latents, hyperparameters again, covariance of the outputs. */
#include "model/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "gp/restricted.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/neighbours.h"
#include "linalg/serial.h"
#include "model/parameters.h"
#include "optim/bounded.h"

/* Where the evidence is searched: it is bounded there, whatever the data. */
static const double LOG_VARIANCE[2] = {-14, 10}, LOG_WEIGHT[2] = {-5, 14};
static const double LOG_SCALE = 15; /* either way of the start */
/* A lengthscale below the distance of neighbours would make the kernel a second noise. */
static const double LONGEST = 10, ABOVE_NEIGHBOURS = 1.2;
static const double LEAST = 1e-8; /* of the mean variance: what counts as variance of an output */
static const double LATENT_DECREASE = 1e-6;
enum { LATENT_ITERATIONS = 100, LATENT_HISTORY = 20, MOST_POINTS = 4000 };

enum { VARIANCE, LENGTHSCALE, SCALE, WEIGHT, HYPERS };

/* ---- a training ----------------------------------------------------------------------------- */

typedef struct training {
    rm2_context *ctx;
    const rm2_fit_settings *s;
    rm2i_points_data d; /* distinct points */
    bool plane;
    double *F, *X0, *X; /* of distinct points: M x N, N x Q, N x Q */
    double *rows;       /* count x N, count = min(N, M): rows with the F F^T of the outputs */
    size_t count;
    rm2i_points_linear linear;
    double least, unit, level;
    double hyper[HYPERS];
    double *lengthscale; /* Q, for kernels */
    size_t evaluations, traced, most_traced;
    double *trace, offset; /* offset: of the objective of the latents */
    rm2_objective_terms start, terms;
    double since;
    rm2_stop stop;
    double *memory;
} training;

static void lay_out(void *arg, rm2i_arena *a) {
    training *t = arg;
    size_t N = t->d.N, M = t->d.M, Q = t->d.Q;
    t->F = rm2i_take(a, double, M, N);
    t->X0 = rm2i_take(a, double, N, Q);
    t->X = rm2i_take(a, double, N, Q);
    t->rows = rm2i_take(a, double, t->count, N);
    t->lengthscale = rm2i_take(a, double, Q);
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One more iteration, at an objective with these terms. */
static void record(training *t, double gradient, double step, rm2_stop stop) {
    if (t->traced < t->most_traced)
        t->trace[t->traced++] = t->terms.total;
    const rm2_fit_progress row = {.iteration = t->traced - 1,
                                  .max_iterations = t->most_traced - 1,
                                  .evaluations = t->evaluations,
                                  .terms = t->terms,
                                  .gradient = gradient,
                                  .step = step,
                                  .seconds = now() - t->since,
                                  .stop = stop};
    rm2i_activity_row(t->ctx, row.iteration, &row);
}

/* ---- hyperparameters ------------------------------------------------------------------------ */

/* log of the four, with bounds and priors. */
typedef struct search {
    training *t;
    rm2i_evidence *evidence;
    rm2_hyperparameter setting[HYPERS];
    double at[HYPERS], lower[HYPERS], upper[HYPERS], centre[HYPERS];
    double unit; /* 1/(n m) */
    double value, prior;
} search;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over the points of the distance to the 2Q-th nearest latent. */
static rm2_status neighbour_distance(rm2_context *ctx, size_t N, size_t Q, const double *X,
                                     double *distance) {
    size_t k = 2 * Q < N - 1 ? 2 * Q : N - 1, *nearest;
    rm2i_tree tree;
    double *far, *squares;
    RM2_TRY(rm2i_tree_build(ctx, N, Q, X, &tree));
    rm2_status status = rm2i_alloc(ctx, k, sizeof *nearest, &nearest);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, N + k, sizeof *far, &far);
    if (status == RM2_OK) {
        squares = far + N;
        for (size_t i = 0; i < N; i++) {
            (void)rm2i_tree_nearest(&tree, X + i * Q, i, k, nearest, squares);
            far[i] = sqrt(squares[k - 1]);
        }
        qsort(far, N, sizeof *far, by_value);
        *distance = (far[(N - 1) / 2] + far[N / 2]) / 2;
        free(far);
    }
    free(nearest);
    rm2i_tree_free(&tree);
    return status;
}

/* Start, bounds and centre of the prior of one; `start` is the data's where the settings have none. */
static void describe(search *q, int k, const rm2_hyperparameter *setting, double start,
                     const double bounds[2]) {
    double value = setting->start > 0 ? setting->start : start;
    q->setting[k] = *setting;
    q->at[k] = log(value);
    q->centre[k] = isnan(setting->a) ? log(value) : setting->a;
    q->lower[k] = setting->learned ? bounds[0] : q->at[k];
    q->upper[k] = setting->learned ? bounds[1] : q->at[k];
}

/* l is at least the distance of neighbours, and starts at sqrt Q or a little above that distance. */
static rm2_status prepare_search(search *q, const double *X) {
    training *t = q->t;
    const rm2_fit_settings *s = t->s;
    double Q = (double)t->d.Q, n = (double)rm2i_evidence_freedom(q->evidence), near;
    RM2_TRY(neighbour_distance(t->ctx, t->d.N, t->d.Q, X, &near));
    double l0 = fmax(sqrt(Q), ABOVE_NEIGHBOURS * near);
    double log_c = log(n * rm2i_evidence_level(q->evidence));
    double smallest = fmax(near, 1e-3 * l0);
    describe(q, VARIANCE, &s->variance, 0.1, LOG_VARIANCE);
    describe(q, LENGTHSCALE, &s->lengthscale, l0, (double[]){log(smallest), log(LONGEST * l0)});
    describe(q, SCALE, &s->task_scale, exp(log_c),
             (double[]){log_c - LOG_SCALE, log_c + LOG_SCALE});
    describe(q, WEIGHT, &s->task_weight, n, LOG_WEIGHT);
    q->unit = 1 / (n * (double)(t->d.M - t->linear.rank));
    return RM2_OK;
}

/* Log prior of one; its derivative by the logarithm. */
static double log_prior(const search *q, int k, double at, double *slope) {
    const rm2_hyperparameter *p = &q->setting[k];
    double x = exp(at), derivative;
    double value = rm2i_log_prior(p->prior, p->prior == RM2_PRIOR_LOGNORMAL ? q->centre[k] : p->a,
                                  p->b, x, &derivative);
    *slope = derivative * x;
    return value;
}

static rm2_status minus_evidence(void *user, const double *at, double *f, double *gradient) {
    search *q = user;
    const rm2i_evidence_at point = {exp(at[VARIANCE]), exp(at[LENGTHSCALE]), exp(at[SCALE]),
                                    exp(at[WEIGHT])};
    rm2i_evidence_at slope;
    q->t->evaluations++;
    RM2_TRY(rm2i_evidence_value(q->evidence, &point, &q->value, &slope));
    const double slopes[HYPERS] = {slope.variance, slope.lengthscale, slope.scale, slope.weight};
    q->prior = 0;
    for (int k = 0; k < HYPERS; k++) {
        double of_prior;
        q->prior += log_prior(q, k, at[k], &of_prior);
        gradient[k] = -q->unit * (slopes[k] + of_prior);
    }
    *f = -q->unit * (q->value + q->prior);
    return RM2_OK;
}

static void take_terms(search *q, double total) {
    q->t->terms = (rm2_objective_terms){
        .log_likelihood = total - q->prior, .hyper = q->prior, .total = total};
}

static void report_search(void *user, double f) {
    search *q = user;
    take_terms(q, -f / q->unit);
    record(q->t, 0, 0, RM2_STOP_RUNNING);
}

static rm2_status maximise(search *q) {
    training *t = q->t;
    rm2i_bounded_result result;
    const rm2i_bounded_problem problem = {.fn = minus_evidence,
                                          .user = q,
                                          .n = HYPERS,
                                          .lower = q->lower,
                                          .upper = q->upper,
                                          .settings = &t->s->optim,
                                          .report = report_search};
    double f, gradient[HYPERS];
    rm2_status status = minus_evidence(q, q->at, &f, gradient);
    if (status == RM2_OK) {
        take_terms(q, -f / q->unit);
        if (t->traced == 0) {
            t->start = t->terms;
            record(t, 0, 0, RM2_STOP_RUNNING);
        }
        status = rm2i_bounded_minimise(t->ctx, &problem, q->at, &result);
    }
    if (status != RM2_OK)
        return status == RM2_ERR_NUMERIC
                   ? rm2i_fail(t->ctx, status, "the evidence cannot be evaluated at its start")
                   : status;
    RM2_TRY(minus_evidence(q, q->at, &f, gradient)); /* the terms at the result */
    take_terms(q, q->value + q->prior);
    t->stop = result.stop;
    for (int k = 0; k < HYPERS; k++)
        t->hyper[k] = exp(q->at[k]);
    return RM2_OK;
}

/* The kernel of the model at the hyperparameters as they are. */
static rm2i_latent_kernel kernel_of(const training *t, bool linear) {
    for (size_t q = 0; q < t->d.Q; q++)
        t->lengthscale[q] = t->hyper[LENGTHSCALE];
    return (rm2i_latent_kernel){t->s->kernel, t->d.Q, t->lengthscale, t->hyper[VARIANCE],
                                linear ? t->s->linear.start : 0};
}

static double freedom(const training *t) {
    return (double)(t->d.N - 1 - t->d.Q);
}

/* e, and Kf unless it is NULL. */
static rm2_status find_outputs(training *t, const double *X, double *Kf) {
    const rm2i_latent_kernel kernel = kernel_of(t, true);
    rm2i_points_covariance c = {.kernel = &kernel,
                                .X = X,
                                .scale = t->hyper[SCALE],
                                .weight = t->hyper[WEIGHT],
                                .freedom = freedom(t),
                                .least = t->least,
                                .Kf = Kf};
    RM2_TRY(rm2i_points_outputs(t->ctx, &t->d, &t->linear, t->plane, &c));
    t->level = c.level;
    return RM2_OK;
}

static rm2_status find_hypers(training *t, const double *X) {
    search q = {.t = t};
    RM2_TRY(rm2i_points_linear_at(&t->d, X, t->plane, &t->linear));
    const rm2i_evidence_data data = {.N = t->d.N,
                                     .Q = t->d.Q,
                                     .rows = t->d.M,
                                     .X = X,
                                     .F = t->linear.left,
                                     .m = t->d.M - t->linear.rank,
                                     .least = t->least,
                                     .kind = t->s->kernel};
    RM2_TRY(rm2i_evidence_create(t->ctx, &data, &q.evidence));
    rm2_status status = prepare_search(&q, X);
    if (status == RM2_OK)
        status = maximise(&q);
    rm2i_evidence_free(q.evidence);
    return status;
}

/* ---- latents -------------------------------------------------------------------------------- */

typedef struct move {
    training *t;
    rm2i_restricted *restricted;
    double unit; /* 1/(N M) */
} move;

static rm2_status minus_likelihood(void *user, const double *X, double *f, double *gradient) {
    move *m = user;
    double value;
    m->t->evaluations++;
    RM2_TRY(rm2i_restricted_value(m->restricted, X, &value, gradient));
    *f = -m->unit * value;
    for (size_t i = 0; i < m->t->d.N * m->t->d.Q; i++)
        gradient[i] *= -m->unit;
    return RM2_OK;
}

static rm2_status descend(move *m, rm2i_optim *optim) {
    training *t = m->t;
    rm2_stop stop = RM2_STOP_RUNNING;
    rm2_objective_terms before = t->terms;
    double first = NAN;
    while (stop == RM2_STOP_RUNNING) {
        RM2_TRY(rm2i_optim_step(t->ctx, optim, minus_likelihood, m, &stop));
        double value = -rm2i_optim_f(optim) / m->unit;
        first = isnan(first) ? value : first;
        t->terms = before; /* the evidence before, and what the latents have gained since */
        t->terms.latent = value - first;
        t->terms.total = before.total + t->terms.latent;
        record(t, rm2i_optim_gradient(optim), rm2i_optim_step_length(optim), RM2_STOP_RUNNING);
    }
    memcpy(t->X, rm2i_optim_best_x(optim), t->d.N * t->d.Q * sizeof *t->X);
    if (stop == RM2_STOP_INTERRUPTED || stop == RM2_STOP_MAX_SECONDS)
        t->stop = stop;
    return RM2_OK;
}

static void centre(size_t N, size_t Q, double *X) {
    for (size_t q = 0; q < Q; q++) {
        double mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += X[i * Q + q] / (double)N;
        for (size_t i = 0; i < N; i++)
            X[i * Q + q] -= mean;
    }
}

static rm2_status move_latents(training *t) {
    double tau = t->s->latent_anchor;
    rm2_optim_settings settings = t->s->optim;
    rm2i_optim *optim = NULL;
    move m = {.t = t, .unit = 1 / (double)(t->d.N * t->d.M)};
    const rm2i_restricted_data data = {
        .N = t->d.N,
        .Q = t->d.Q,
        .M = t->d.M,
        .rows = t->count,
        .F = t->rows,
        .X0 = t->X0,
        .kernel = kernel_of(t, false),
        .variance = t->level,
        .precision = tau > 0 ? t->unit * t->unit / (t->level * tau * tau) : 0};
    settings.method = RM2_LBFGS;
    settings.history = LATENT_HISTORY;
    settings.relative_decrease = fmax(settings.relative_decrease, LATENT_DECREASE);
    if (settings.max_iterations > LATENT_ITERATIONS)
        settings.max_iterations = LATENT_ITERATIONS;
    rm2_status status = rm2i_restricted_create(t->ctx, &data, &m.restricted);
    if (status == RM2_OK)
        status = rm2i_optim_create(t->ctx, &settings, t->d.N * t->d.Q, t->X0, &optim);
    if (status == RM2_OK)
        status = descend(&m, optim);
    rm2i_optim_free(optim);
    rm2i_restricted_free(m.restricted);
    centre(t->d.N, t->d.Q, t->X);
    return status;
}

/* ---- set-up --------------------------------------------------------------------------------- */

rm2_status rm2i_points_check(rm2_context *ctx, const rm2_fit_settings *s, size_t N, size_t M) {
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {s->noise != RM2_NOISE_KRONECKER, "needs Kronecker noise"},
        {s->independent, "needs correlated outputs"},
        {s->ard, "has one lengthscale for all latent dimensions"},
        {s->back_constraint, "has no back constraint"},
        {s->gpdm_weight > 0, "has no dynamics prior"},
        {s->latent_normal, "has an anchor instead of a normal prior of the latents"},
        {s->kernel == RM2_LATENT_LINEAR, "needs a kernel with a radial part"},
        {!(s->linear.start > 0) || s->linear.learned,
         "needs a linear part of a weight that is held"},
        {s->noise_variance.start != 1 || s->noise_variance.learned,
         "measures all variances by the noise, which is held at 1"},
        {s->softplus, "searches logarithms of its hyperparameters"},
        {s->optim.method != RM2_LBFGS, "needs L-BFGS"},
        {s->inference == RM2_INFERENCE_INDUCING || s->inducing_points || s->inducing_free,
         "is exact"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "training with the covariance of the outputs integrated out %s",
                             conflicts[k].text);
    if (s->latent_dim >= M)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%zu latent dimensions for %zu outputs: the covariance of the outputs can "
                         "be integrated out only with fewer",
                         s->latent_dim, M);
    if (N > MOST_POINTS)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu points: the covariance of the outputs can be integrated out for at "
                         "most %d, since the work grows with their cube",
                         N, MOST_POINTS);
    if (N <= s->latent_dim + 2)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu distinct points are too few for %zu latent dimensions: at least %zu "
                         "are needed",
                         N, s->latent_dim, s->latent_dim + 3);
    return RM2_OK;
}

/* Rows with the F F^T of the outputs: F itself, or where it has more rows than columns those of the
 * eigenvectors of F F^T. */
static rm2_status compress(training *t) {
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
static void gather(training *t, const rm2i_points_request *r, const size_t *first) {
    size_t N = t->d.N, Q = t->d.Q, k = 0;
    double sum = 0;
    for (size_t i = 0; i < r->data.N; i++) {
        if (first[i] != i)
            continue;
        for (size_t m = 0; m < t->d.M; m++)
            t->F[m * N + k] = r->data.F[m * r->data.N + i];
        memcpy(t->X0 + k * Q, r->start.X + i * Q, Q * sizeof *t->X0);
        k++;
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
    centre(N, Q, t->X0);
    memcpy(t->X, t->X0, N * Q * sizeof *t->X);
}

static rm2_status set_up(training *t, const rm2i_points_request *r, const size_t *first) {
    RM2_TRY(rm2i_points_check(t->ctx, t->s, t->d.N, t->d.M));
    t->count = t->d.M < t->d.N ? t->d.M : t->d.N;
    RM2_TRY(rm2i_arena_calloc(t->ctx, lay_out, t, &t->memory));
    t->d.F = t->F;
    gather(t, r, first);
    RM2_TRY(rm2i_points_linear_create(t->ctx, &t->d, &t->linear));
    t->most_traced = 2 * t->s->optim.max_iterations + LATENT_ITERATIONS + 3;
    RM2_TRY(rm2i_calloc(t->ctx, t->most_traced, sizeof *t->trace, &t->trace));
    return compress(t);
}

/* ---- all ------------------------------------------------------------------------------------ */

static bool goes_on(const training *t) {
    return t->stop != RM2_STOP_INTERRUPTED && t->stop != RM2_STOP_MAX_SECONDS;
}

static rm2_status train(training *t, double *Kf) {
    RM2_TRY(find_hypers(t, t->X));
    if (!(t->unit > 0))
        t->unit = t->linear.unit;
    if (!t->s->latents_held && goes_on(t)) {
        RM2_TRY(find_outputs(t, t->X, NULL));
        RM2_TRY(move_latents(t));
    }
    if (!t->s->latents_held && goes_on(t)) {
        RM2_TRY(find_hypers(t, t->X));
        t->unit = t->plane ? t->linear.unit : t->unit;
    }
    RM2_TRY(rm2i_points_linear_at(&t->d, t->X, t->plane, &t->linear));
    RM2_TRY(find_outputs(t, t->X, Kf));
    record(t, 0, 0, t->stop);
    return RM2_OK;
}

static void hand_over(training *t, const rm2i_points_request *r, const size_t *first,
                      rm2i_points_result *out) {
    size_t Q = t->d.Q, k = 0;
    for (size_t i = 0; i < r->data.N; i++) {
        bool own = first[i] == i;
        const double *x = own ? t->X + k++ * Q : out->X + first[i] * Q;
        memcpy(out->X + i * Q, x, Q * sizeof *x);
    }
    out->variance = t->hyper[VARIANCE];
    out->lengthscale = t->hyper[LENGTHSCALE];
    out->scale = t->hyper[SCALE];
    out->weight = t->hyper[WEIGHT];
    out->level = t->level;
    out->unit = t->unit;
    out->freedom = t->hyper[WEIGHT] + freedom(t) + 2;
    out->distinct = t->d.N;
    out->stop = t->stop;
    out->iterations = t->traced - 1;
    out->evaluations = t->evaluations;
    out->seconds = now() - t->since;
    out->start = t->start;
    out->end = t->terms;
    out->trace = t->trace;
    t->trace = NULL;
}

rm2_status rm2i_points_train(rm2_context *ctx, const rm2i_points_request *r,
                             rm2i_points_result *result) {
    training t = {.ctx = ctx,
                  .s = r->settings,
                  .d = {.M = r->data.M, .Q = r->data.Q},
                  .plane = r->start.plane,
                  .unit = r->start.unit,
                  .since = now()};
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
    free(t.linear.memory);
    free(t.memory);
    free(first);
    return status;
}
