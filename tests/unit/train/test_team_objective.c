/* The objective of a team: value and derivatives have the bits of one process, for any number of ranks and any cut
 * between units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "front/base.h"
#include "model_settings.h"
#include "shared_context.h"
#include "thread_team.h"
#include "train/objective.h"

enum { N = 1300, M = 3, Q = 2, TRAJECTORIES = 14, MOST_SHARED = 200 };

static size_t starts[TRAJECTORIES + 1];
static double F[M * N], X0[N * Q];

static int setup(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    omp_set_num_threads(1);
    for (size_t t = 0; t <= TRAJECTORIES; t++) /* of many lengths, two of single points */
        starts[t] = t < 2 ? t : t == 2 ? 150 : t == TRAJECTORIES ? N : 150 + 90 * (t - 2);
    for (size_t n = 0; n < N; n++) {
        double t = (double)(n % 90) / 20;
        X0[n * Q] = cos(t) + 0.1 * rm2_rng_normal(&rng);
        X0[n * Q + 1] = sin(1.3 * t) + 0.1 * rm2_rng_normal(&rng);
        for (size_t m = 0; m < M; m++)
            F[m * N + n] = sin(t * (double)(m + 1)) + 0.05 * rm2_rng_normal(&rng);
    }
    return create_shared_context(state);
}

/* ---- settings ------------------------------------------------------------------------------- */

typedef struct combination {
    rm2_latent_kind kernel;
    rm2_task_kind task;
    bool gpdm, learned, free, linear;
    bool long_latents; /* over many lengthscales: two sides of inducing points */
} combination;

static const combination combinations[] = {
    {RM2_LATENT_SE, RM2_TASK_PROFILE, false, false, false, false, false},
    {RM2_LATENT_SE, RM2_TASK_LEARNED, true, true, false, true, false},
    {RM2_LATENT_MATERN52, RM2_TASK_PROFILE, true, true, true, false, false},
    {RM2_LATENT_SE, RM2_TASK_PROFILE, false, true, false, false, true},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static rm2_fit_settings settings_of(const combination *c) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.inference = RM2_INFERENCE_INDUCING;
    s.accuracy = 0.05;
    s.inducing = c->kernel == RM2_LATENT_MATERN52 ? 40 /* it needs many for an accuracy */
                 : c->long_latents                ? 20
                                                  : 0;
    s.kernel = c->kernel;
    s.task = c->task;
    s.gpdm_weight = c->gpdm; /* with other weights BLAS rounds the ends of an array differently */
    s.latent_normal = c->learned;
    s.inducing_free = c->free;
    s.lengthscale = learned_around(c->long_latents ? 0.12 : 0.6, c->learned);
    s.variance = learned_around(1.3, c->learned);
    s.noise_variance = learned_around(0.05, c->learned);
    s.gpdm_lengthscale = learned_around(0.8, c->learned);
    s.gpdm_variance = learned_around(0, c->learned);
    s.gpdm_noise = learned_around(0, c->learned);
    s.linear = learned_around(c->linear ? 0.2 : 0, c->linear);
    return s;
}

/* ---- one evaluation, by some number of ranks ------------------------------------------------- */

typedef struct evaluation {
    const combination *c;
    int ranks;
    double f, gradient[N * Q + MOST_SHARED];
    rm2_certificate likelihood, dynamics;
    size_t inducing, gpdm_inducing, shared;
    bool stale[2];
    rm2_status status;
    char message[200];
} evaluation;

/* The rows of a rank, as scattered.c makes them, but cut at other places. */
typedef struct part {
    double F[M * N];
    size_t starts[TRAJECTORIES + 1];
    rm2i_model_problem p;
    rm2i_rows rows;
} part;

static void cut(rm2_context *own, const rm2_communicator *comm, part *to) {
    const rm2i_rows all = rm2i_rows_alone(N, TRAJECTORIES, starts);
    rm2i_rows whole, here = rm2i_rows_none(own);
    if (rm2i_rows_cut(own, &all, rm2i_unit_rows(N), &whole) != RM2_OK)
        abort();
    const rm2i_rows each = rm2i_rows_of_trajectories(&whole);
    size_t ranks = (size_t)comm->ranks, rank = (size_t)comm->rank, count = whole.units;
    size_t u = count * rank / ranks, v = count * (rank + 1) / ranks;
    size_t begin = whole.unit[u], n = whole.unit[v] - begin;
    size_t first = each.unit[u], t = each.unit[v] - first;
    rm2i_rows_free(&whole);
    for (size_t m = 0; m < M; m++)
        memcpy(to->F + m * n, F + m * N + begin, n * sizeof *F);
    for (size_t k = 0; k <= t; k++)
        to->starts[k] = starts[first + k] - begin;
    to->p = (rm2i_model_problem){.N = n,
                                 .M = M,
                                 .Q = Q,
                                 .F = to->F,
                                 .X0 = X0 + begin * Q,
                                 .trajectories = t,
                                 .starts = to->starts,
                                 .rows = &to->rows};
    here.n = n;
    here.trajectories = t;
    here.starts = to->starts;
    if (rm2i_rows_join(own, &here, &to->rows) != RM2_OK)
        abort();
}

/* The latents of this rank and the parameters of all, moved by numbers that depend on the latent alone. */
static void perturb(const rm2i_objective *o, size_t first, double *raw) {
    size_t latents = o->p.N * Q;
    rm2i_objective_start(o, raw);
    for (size_t i = 0; i < o->par.raw_size; i++)
        raw[i] += 0.02 * sin(3.0 * (double)(i < latents ? first + i : i - latents));
}

static void take_gradient(const rm2i_objective *o, size_t first, const double *gradient,
                          evaluation *e) {
    size_t latents = o->p.N * Q, shared = o->par.raw_size - latents;
    memcpy(e->gradient + first, gradient, latents * sizeof *gradient); /* each rank its own */
    if (first == 0) {
        memcpy(e->gradient + N * Q, gradient + latents, shared * sizeof *gradient);
        e->shared = shared;
        e->inducing = o->inducing->r;
        e->gpdm_inducing = o->gpdm.inducing ? o->gpdm.inducing->r : 0;
    }
}

static void evaluate(rm2_context *own, const rm2_communicator *comm, void *user) {
    evaluation *e = user;
    rm2_fit_settings s = settings_of(e->c);
    part *my = malloc(sizeof *my);
    rm2i_objective *o = NULL;
    cut(own, comm, my);
    rm2_status status = rm2i_objective_create(own, &s, &my->p, &o);
    if (status == RM2_OK) {
        size_t first = (size_t)(my->p.X0 - X0);
        double *raw = malloc(2 * o->par.raw_size * sizeof *raw), f;
        double *gradient = raw + o->par.raw_size;
        perturb(o, first, raw);
        status = rm2i_objective_evaluate(o, raw, &f, gradient);
        bool running = rm2i_objective_stale(o, false), ended = rm2i_objective_stale(o, true);
        rm2_certificate likelihood, dynamics;
        if (status == RM2_OK)
            status = rm2i_objective_certify(o, &likelihood, &dynamics);
        take_gradient(o, first, gradient, e);
        if (comm->rank == 0) {
            e->f = f;
            e->likelihood = likelihood;
            e->dynamics = dynamics;
            e->stale[0] = running;
            e->stale[1] = ended;
        }
        free(raw);
    }
    if (comm->rank == 0) {
        e->status = status;
        strncpy(e->message, rm2_context_error(own), sizeof e->message - 1);
    }
    rm2i_objective_free(o);
    rm2i_rows_free(&my->rows);
    free(my);
}

static void any_number_of_ranks_gives_the_same_bits(void **state) {
    (void)state;
    static evaluation alone, e;
    for (size_t k = 0; k < COMBINATIONS; k++) {
        alone = (evaluation){.c = &combinations[k], .ranks = 1};
        run_thread_team(ctx, 1, evaluate, &alone);
        if (alone.status != RM2_OK)
            fail_msg("combination %zu: %s", k, alone.message);
        assert_in_range(alone.inducing, 10, N / 16); /* where threads have no say either */
        assert_true(!combinations[k].gpdm || alone.gpdm_inducing > 5);
        assert_true(isfinite(alone.f) && alone.likelihood.upper >= alone.likelihood.lower);
        for (int ranks = 2; ranks <= 5; ranks++) {
            e = (evaluation){.c = &combinations[k], .ranks = ranks};
            run_thread_team(ctx, ranks, evaluate, &e);
            if (e.status != RM2_OK)
                fail_msg("combination %zu, %d ranks: %s", k, ranks, e.message);
            assert_memory_equal(&e.f, &alone.f, sizeof e.f);
            assert_int_equal(e.shared, alone.shared);
            assert_memory_equal(e.gradient, alone.gradient,
                                (N * Q + alone.shared) * sizeof *e.gradient);
            assert_memory_equal(&e.likelihood, &alone.likelihood, sizeof e.likelihood);
            assert_memory_equal(&e.dynamics, &alone.dynamics, sizeof e.dynamics);
            assert_memory_equal(e.stale, alone.stale, sizeof e.stale);
            assert_int_equal(e.inducing, alone.inducing);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, setup, free_shared_context);
}
