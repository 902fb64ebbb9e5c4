/* The latents of a training without trajectories, moved once. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "evidence/points_training.h"
#include "gp/restricted_bound.h"
#include "optim/optim.h"

static const double DECREASE = 1e-6;
enum { HISTORY = 20 };

typedef struct move {
    rm2i_points_training *t;
    rm2i_restricted *restricted;
    rm2i_restricted_bound *bound; /* NULL: exact */
    double unit;                  /* 1/(N M) */
} move;

static rm2_status minus_likelihood(void *user, const double *X, double *f, double *gradient) {
    move *m = user;
    double value;
    m->t->evaluations++;
    RM2_TRY(m->bound ? rm2i_restricted_bound_value(m->bound, X, &value, gradient)
                     : rm2i_restricted_value(m->restricted, X, &value, gradient));
    *f = -m->unit * value;
    for (size_t i = 0; i < m->t->d.N * m->t->d.Q; i++)
        gradient[i] *= -m->unit;
    return RM2_OK;
}

static rm2_status descend(move *m, rm2i_optim *optim) {
    rm2i_points_training *t = m->t;
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
        rm2i_points_record(t, rm2i_optim_gradient(optim), rm2i_optim_step_length(optim),
                           RM2_STOP_RUNNING);
    }
    memcpy(t->X, rm2i_optim_best_x(optim), t->d.N * t->d.Q * sizeof *t->X);
    if (stop == RM2_STOP_INTERRUPTED || stop == RM2_STOP_MAX_SECONDS)
        t->stop = stop;
    return RM2_OK;
}

void rm2i_points_centre(size_t N, size_t Q, double *X) {
    for (size_t q = 0; q < Q; q++) {
        double mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += X[i * Q + q] / (double)N;
        for (size_t i = 0; i < N; i++)
            X[i * Q + q] -= mean;
    }
}

/* The function to be maximised, exact or by the inducing points that the hyperparameters were found with. */
static rm2_status create_function(move *m) {
    rm2i_points_training *t = m->t;
    double tau = t->s->latent_anchor;
    const rm2i_restricted_data data = {
        .N = t->d.N,
        .Q = t->d.Q,
        .M = t->d.M,
        .rows = t->count,
        .F = t->rows,
        .X0 = t->X0,
        .kernel = rm2i_points_kernel(t, false),
        .variance = t->level,
        .precision = tau > 0 ? t->unit * t->unit / (t->level * tau * tau) : 0};
    if (!t->by_inducing)
        return rm2i_restricted_create(t->ctx, &data, &m->restricted);
    RM2_TRY(rm2i_points_choose(t, &data.kernel, t->X0, t->d.M));
    return rm2i_restricted_bound_create(t->ctx, &data, t->r, t->index, &m->bound);
}

rm2_status rm2i_points_move(rm2i_points_training *t) {
    rm2_optim_settings settings = t->s->optim;
    rm2i_optim *optim = NULL;
    move m = {.t = t, .unit = 1 / (double)(t->d.N * t->d.M)};
    settings.method = RM2_LBFGS;
    settings.history = HISTORY;
    settings.relative_decrease = fmax(settings.relative_decrease, DECREASE);
    if (settings.max_iterations > RM2I_POINTS_LATENT_ITERATIONS)
        settings.max_iterations = RM2I_POINTS_LATENT_ITERATIONS;
    rm2_status status = create_function(&m);
    if (status == RM2_OK)
        status = rm2i_optim_create(t->ctx, &settings, t->d.N * t->d.Q, t->X0, &optim);
    if (status == RM2_OK)
        status = descend(&m, optim);
    rm2i_optim_free(optim);
    rm2i_restricted_free(m.restricted);
    rm2i_restricted_bound_free(m.bound);
    rm2i_points_centre(t->d.N, t->d.Q, t->X);
    return status;
}
