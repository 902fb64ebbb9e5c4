/* Hyperparameters of a training without trajectories: the maximum of evidence + log priors in a box.
 *
 * By inducing points the search starts where the exact evidence of some hundred points, drawn by a generator of its
 * own, has its maximum: there the points are chosen for the kernel that is about right. They are chosen again at the
 * result where it needs more of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/selection.h"
#include "evidence/points_training.h"
#include "gp/evidence_bound.h"
#include "graph/neighbours.h"
#include "math/order.h"
#include "optim/bounded.h"
#include "train/parameters.h"

/* Where the evidence is searched: it is bounded there, whatever the data. */
static const double LOG_VARIANCE[2] = {-14, 10}, LOG_WEIGHT[2] = {-5, 14};
static const double LOG_SCALE = 15; /* either way of the start */
/* A lengthscale below the distance of neighbours would make the kernel a second noise. */
static const double LONGEST = 10, ABOVE_NEIGHBOURS = 1.2;
enum { HYPERS = RM2I_POINTS_HYPERS };
/* By inducing points: lengthscales of a choice against those of the kernel; decrease of the objective, relative, in
 * units of the accuracy. */
static const double SHORTER = 0.8, OF_ACCURACY = 1e-3;
enum { DRAWN = 500 }; /* points of the first search by inducing points */

/* log of the four, with bounds and priors. */
typedef struct search {
    rm2i_points_training *t;
    rm2i_evidence *evidence;
    rm2i_evidence_bound *bound; /* NULL: exact */
    rm2_hyperparameter setting[HYPERS];
    double at[HYPERS], lower[HYPERS], upper[HYPERS], centre[HYPERS];
    double unit; /* 1/(n m) */
    double value, prior;
    bool silent; /* not part of the record */
} search;

/* ---- start and bounds ------------------------------------------------------------------------ */

/* Median over the points of the distance to the 2Q-th nearest latent. */
static rm2_status neighbour_distance(rm2_context *ctx, size_t N, size_t Q, const double *X,
                                     double *distance) {
    size_t k = 2 * Q < N - 1 ? 2 * Q : N - 1, *nearest;
    rm2i_kd_tree tree;
    double *far, *squares;
    RM2_TRY(rm2i_kd_build(ctx, N, Q, X, &tree));
    rm2_status status = rm2i_alloc(ctx, k, sizeof *nearest, &nearest);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, N + k, sizeof *far, &far);
    if (status == RM2_OK) {
        squares = far + N;
        for (size_t i = 0; i < N; i++) {
            (void)rm2i_kd_nearest(&tree, X + i * Q, i, k, nearest, squares);
            far[i] = sqrt(squares[k - 1]);
        }
        qsort(far, N, sizeof *far, rm2i_ascending);
        *distance = (far[(N - 1) / 2] + far[N / 2]) / 2;
        free(far);
    }
    free(nearest);
    rm2i_kd_free(&tree);
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
    rm2i_points_training *t = q->t;
    const rm2_fit_settings *s = t->s;
    double Q = (double)t->d.Q, n = rm2i_points_freedom(t), near;
    RM2_TRY(neighbour_distance(t->ctx, t->d.N, t->d.Q, X, &near));
    double l0 = fmax(sqrt(Q), ABOVE_NEIGHBOURS * near);
    double log_c = log(n * rm2i_evidence_level(q->evidence));
    double smallest = fmax(near, 1e-3 * l0);
    describe(q, RM2I_POINTS_VARIANCE, &s->variance, 0.1, LOG_VARIANCE);
    describe(q, RM2I_POINTS_LENGTHSCALE, &s->lengthscale, l0,
             (double[]){log(smallest), log(LONGEST * l0)});
    describe(q, RM2I_POINTS_SCALE, &s->task_scale, exp(log_c),
             (double[]){log_c - LOG_SCALE, log_c + LOG_SCALE});
    describe(q, RM2I_POINTS_WEIGHT, &s->task_weight, n, LOG_WEIGHT);
    return RM2_OK;
}

/* ---- the function ---------------------------------------------------------------------------- */

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
    double hyper[HYPERS];
    for (int k = 0; k < HYPERS; k++)
        hyper[k] = exp(at[k]);
    const rm2i_evidence_at point = rm2i_points_place(hyper);
    rm2i_evidence_at slope;
    q->t->evaluations++;
    RM2_TRY(q->bound ? rm2i_evidence_bound_value(q->bound, &point, &q->value, &slope)
                     : rm2i_evidence_value(q->evidence, &point, &q->value, &slope));
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

static void record_terms(search *q, double total) {
    q->t->terms = (rm2_objective_terms){
        .log_likelihood = total - q->prior, .hyper = q->prior, .total = total};
}

static void report_search(void *user, double f) {
    search *q = user;
    record_terms(q, -f / q->unit);
    rm2i_points_record(q->t, 0, 0, RM2_STOP_RUNNING);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* The first row of the record: where the search begins. */
static void record_start(search *q, double f) {
    rm2i_points_training *t = q->t;
    record_terms(q, -f / q->unit);
    if (t->traced > 0 || q->silent)
        return;
    t->start = t->terms;
    rm2i_points_record(t, 0, 0, RM2_STOP_RUNNING);
}

static rm2_status maximise(search *q, size_t n) {
    rm2i_points_training *t = q->t;
    rm2i_bounded_result result;
    rm2_optim_settings settings = t->s->optim;
    const rm2i_bounded_problem problem = {.fn = minus_evidence,
                                          .user = q,
                                          .n = HYPERS,
                                          .lower = q->lower,
                                          .upper = q->upper,
                                          .settings = &settings,
                                          .report = q->silent ? NULL : report_search};
    double f, gradient[HYPERS];
    if (t->by_inducing)
        settings.relative_decrease = fmax(settings.relative_decrease, OF_ACCURACY * t->s->accuracy);
    q->unit = 1 / ((double)n * (double)(t->d.M - t->linear.columns));
    rm2_status status = minus_evidence(q, q->at, &f, gradient);
    if (status == RM2_OK) {
        record_start(q, f);
        status = rm2i_bounded_minimise(t->ctx, &problem, q->at, &result);
    }
    if (status != RM2_OK)
        return status == RM2_ERR_NUMERIC
                   ? rm2i_fail(t->ctx, status, "the evidence cannot be evaluated at its start")
                   : status;
    RM2_TRY(minus_evidence(q, q->at, &f, gradient)); /* the terms at the result */
    record_terms(q, q->value + q->prior);
    t->stop = result.stop;
    for (int k = 0; k < HYPERS; k++)
        t->hyper[k] = exp(q->at[k]);
    return RM2_OK;
}

static rm2_status search_exact(search *q, const double *X) {
    const rm2i_evidence_data data = rm2i_points_evidence_data(q->t, X);
    RM2_TRY(rm2i_evidence_create(q->t->ctx, &data, &q->evidence));
    RM2_TRY(prepare_search(q, X));
    return maximise(q, rm2i_evidence_freedom(q->evidence));
}

/* ---- by inducing points ---------------------------------------------------------------------- */

typedef struct sample {
    size_t n, Q, rows;
    double *X, *F, *memory; /* n x Q, rows x n */
} sample;

static void lay_out_sample(void *arg, rm2i_arena *a) {
    sample *w = arg;
    w->X = rm2i_reserve(a, double, w->n, w->Q);
    w->F = rm2i_reserve(a, double, w->rows, w->n);
}

static void copy_sample(sample *w, const rm2i_evidence_data *all) {
    rm2i_draw draw = rm2i_draw_some(all->N, w->n);
    size_t k = 0;
    for (size_t i = 0; i < all->N; i++) {
        if (!rm2i_drawn(&draw))
            continue;
        memcpy(w->X + k * w->Q, all->X + i * w->Q, w->Q * sizeof *w->X);
        for (size_t m = 0; m < w->rows; m++)
            w->F[m * w->n + k] = all->F[m * all->N + i];
        k++;
    }
}

/* The exact evidence of points that are drawn: q->at becomes its maximum. */
static rm2_status search_sample(search *q, const double *X) {
    rm2i_evidence_data data = rm2i_points_evidence_data(q->t, X);
    sample w = {.n = data.N < DRAWN ? data.N : DRAWN, .Q = data.Q, .rows = data.rows};
    RM2_TRY(rm2i_arena_alloc(q->t->ctx, lay_out_sample, &w, &w.memory));
    copy_sample(&w, &data);
    data.N = w.n;
    data.X = w.X;
    data.F = w.F;
    q->silent = true;
    rm2_status status = rm2i_evidence_create(q->t->ctx, &data, &q->evidence);
    free(w.memory);
    RM2_TRY(status);
    RM2_TRY(prepare_search(q, X));
    status = maximise(q, rm2i_evidence_freedom(q->evidence));
    q->silent = false;
    return status;
}

/* A choice of points for a kernel a little shorter than the present one: the search may go there without another. */
static rm2_status choose_bound(search *q, const double *X) {
    rm2i_points_training *t = q->t;
    const rm2i_evidence_data data = rm2i_points_evidence_data(t, X);
    const rm2i_latent_kernel kernel = rm2i_points_kernel(t, false);
    for (size_t k = 0; k < t->d.Q; k++)
        t->lengthscale[k] *= SHORTER;
    RM2_TRY(rm2i_points_choose(t, &kernel, X, data.m));
    rm2i_evidence_bound_free(q->bound);
    return rm2i_evidence_bound_create(t->ctx, &data, t->r, t->index, &q->bound);
}

/* Chosen again until the trace at the result is what the accuracy allows, or a choice gains less than the
 * accuracy. */
static rm2_status search_by_inducing(search *q, const double *X) {
    rm2i_points_training *t = q->t;
    double before = -INFINITY, allowed = rm2i_points_trace(t, t->d.M - t->linear.columns);
    RM2_TRY(search_sample(q, X));
    for (int round = 0; round < RM2I_POINTS_ROUNDS && t->stop != RM2_STOP_INTERRUPTED; round++) {
        RM2_TRY(choose_bound(q, X));
        RM2_TRY(maximise(q, rm2i_evidence_bound_freedom(q->bound)));
        bool reached = rm2i_evidence_bound_trace(q->bound) <= allowed && !t->s->inducing;
        if (reached || t->terms.total - before <= t->s->accuracy * (double)t->d.N)
            break;
        before = t->terms.total;
    }
    return RM2_OK;
}

rm2_status rm2i_points_find_hypers(rm2i_points_training *t, const double *X) {
    search q = {.t = t};
    RM2_TRY(rm2i_points_linear_at(&t->d, X, t->plane, &t->linear));
    rm2_status status = t->by_inducing ? search_by_inducing(&q, X) : search_exact(&q, X);
    rm2i_evidence_free(q.evidence);
    rm2i_evidence_bound_free(q.bound);
    return status;
}
