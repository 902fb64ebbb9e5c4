/* The training objective with inducing points: derivatives against central differences, the exact
 * objective where all points are inducing, certificates around exact values, and when a choice is made
 * anew. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "linalg/factor.h"
#include "model_settings.h"
#include "train/objective.h"

enum { N = 64, M = 3, Q = 2, TRAJECTORIES = 4 };

static rm2_context *ctx;
static const size_t starts[TRAJECTORIES + 1] = {0, 20, 21, 40, N}; /* one has a single point */
static double F[M * N], X0[N * Q], gram[N * N];

static int setup(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t n = 0; n < N; n++) {
        double t = (double)(n % 20) / 4;
        X0[n * Q] = cos(t) + 0.1 * rm2_rng_normal(&rng);
        X0[n * Q + 1] = sin(1.3 * t) + 0.1 * rm2_rng_normal(&rng);
        for (size_t m = 0; m < M; m++)
            F[m * N + n] = sin(t * (double)(m + 1)) + 0.05 * rm2_rng_normal(&rng);
    }
    for (size_t m = 0; m < M; m++) { /* centred */
        double mean = 0;
        for (size_t n = 0; n < N; n++)
            mean += F[m * N + n] / N;
        for (size_t n = 0; n < N; n++)
            F[m * N + n] -= mean;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d2 = 0;
            for (size_t m = 0; m < M; m++)
                d2 += pow(F[m * N + i] - F[m * N + j], 2);
            gram[i * N + j] = exp(-d2 / 2);
        }
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

/* ---- settings ------------------------------------------------------------------------------- */

typedef struct combination {
    rm2_latent_kind kernel;
    rm2_task_kind task;
    bool anchored, gpdm, learned, ard, back, independent;
    size_t rank;
} combination;

static const combination combinations[] = {
    {RM2_LATENT_SE, RM2_TASK_PROFILE, true, false, false, false, false, false, 0}, /* robust */
    {RM2_LATENT_SE, RM2_TASK_PROFILE, true, true, false, false, false, true, 0},
    {RM2_LATENT_SE, RM2_TASK_LEARNED, true, true, true, false, false, false, 0}, /* map */
    {RM2_LATENT_MATERN52, RM2_TASK_LEARNED, false, true, true, true, false, false, 1},
    {RM2_LATENT_MATERN32, RM2_TASK_PROFILE, false, false, true, true, false, false, 0},
    {RM2_LATENT_SE, RM2_TASK_PROFILE, true, true, true, true, true, false, 0},
    {RM2_LATENT_MATERN52, RM2_TASK_LEARNED, false, false, true, false, true, true, 0},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static rm2_fit_settings settings_of(const combination *c) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.inference = RM2_INFERENCE_INDUCING;
    s.accuracy = 0.02;
    s.kernel = c->kernel;
    s.task = c->task;
    s.task_rank = c->rank;
    s.independent = c->independent;
    s.task_anchor = c->anchored ? 1 : 0;
    s.latent_anchor = c->anchored ? 0.3 : 0;
    s.latent_normal = !c->anchored;
    s.gpdm_weight = c->gpdm ? 0.7 : 0;
    s.ard = c->ard;
    s.lengthscale = learned_around(0.6, c->learned);
    s.variance = learned_around(1.3, c->learned);
    s.noise_variance = learned_around(0.05, c->learned);
    s.gpdm_lengthscale = learned_around(0.8, c->learned);
    s.gpdm_variance = learned_around(0, c->learned);
    s.gpdm_noise = learned_around(0, c->learned);
    s.back_constraint = c->back;
    s.back_ridge = 0.1;
    return s;
}

static rm2i_objective *objective_of(const rm2_fit_settings *s) {
    rm2i_model_problem p = {.N = N,
                            .M = M,
                            .Q = Q,
                            .F = F,
                            .X0 = X0,
                            .gram = s->back_constraint ? gram : NULL,
                            .trajectories = TRAJECTORIES,
                            .starts = starts};
    rm2i_objective *o;
    if (rm2i_objective_create(ctx, s, &p, &o) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return o;
}

/* A raw vector near the start, with room for two gradients behind it. */
static double *raw_near_start(const rm2i_objective *o) {
    double *raw = malloc(3 * o->par.raw_size * sizeof *raw);
    assert_non_null(raw);
    rm2i_objective_start(o, raw);
    rm2_rng rng;
    rm2_rng_seed(&rng, 9);
    for (size_t i = 0; i < o->par.raw_size; i++)
        raw[i] += 0.02 * rm2_rng_normal(&rng);
    return raw;
}

static double value_at(rm2i_objective *o, const double *raw, double *gradient) {
    double f;
    assert_int_equal(rm2i_objective_evaluate(o, raw, &f, gradient), RM2_OK);
    return f;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Central differences have error h^2 f'''/6 + eps |f|/h; h = 1e-5 leaves about 1e-8 of the largest
 * derivative of a block. */
static void gradients_are_differences(void **state) {
    (void)state;
    for (size_t k = 0; k < 2 * COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k / 2]);
        s.inducing_free = k % 2;
        rm2i_objective *o = objective_of(&s);
        double *raw = raw_near_start(o), *gradient = raw + o->par.raw_size;
        double *ignored = gradient + o->par.raw_size;
        assert_non_null(o->inducing);
        assert_in_range(o->inducing->r, 5, N - 1);
        assert_int_equal(o->par.block[RM2I_INDUCING].count, k % 2 ? o->inducing->r * Q : 0);
        (void)value_at(o, raw, gradient);
        size_t at = 0;
        for (int b = 0; b < RM2I_BLOCKS; b++) {
            const rm2i_block_info *block = &o->par.block[b];
            double worst = 0, largest = 0;
            for (size_t i = 0; block->learned && i < block->count; i++, at++) {
                double h = 1e-5, keep = raw[at];
                raw[at] = keep + h;
                double up = value_at(o, raw, ignored);
                raw[at] = keep - h;
                double down = value_at(o, raw, ignored);
                raw[at] = keep;
                worst = fmax(worst, fabs((up - down) / (2 * h) - gradient[at]));
                largest = fmax(largest, fabs(gradient[at]));
            }
            if (block->learned && block->count && !(worst <= 1e-6 * largest))
                fail_msg("combination %zu, block %d: error %.2e of %.2e", k / 2, b, worst, largest);
        }
        free(raw);
        rm2i_objective_free(o);
    }
}

/* f(x + t d) - f(x) - t g.d falls like t^2: the ratio of the remainders at t and t/2 is 4. */
static void remainders_are_quadratic(void **state) {
    (void)state;
    for (size_t k = 0; k < 2 * COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k / 2]);
        s.inducing_free = k % 2;
        rm2i_objective *o = objective_of(&s);
        size_t n = o->par.raw_size;
        double *raw = raw_near_start(o), *gradient = raw + n,
               *moved = malloc(3 * n * sizeof *moved);
        assert_non_null(moved);
        double *direction = moved + n, *ignored = direction + n, slope = 0, remainder[2];
        double f = value_at(o, raw, gradient);
        rm2_rng rng;
        rm2_rng_seed(&rng, 11);
        for (size_t i = 0; i < n; i++) {
            direction[i] = rm2_rng_normal(&rng) / sqrt((double)n);
            slope += direction[i] * gradient[i];
        }
        for (int half = 0; half < 2; half++) {
            double t = half ? 1e-3 : 2e-3;
            for (size_t i = 0; i < n; i++)
                moved[i] = raw[i] + t * direction[i];
            remainder[half] = value_at(o, moved, ignored) - f - t * slope;
        }
        double order = log2(remainder[0] / remainder[1]);
        if (!(fabs(order - 2) < 0.05)) /* third order terms at t = 2e-3 */
            fail_msg("combination %zu: slope %.3f", k / 2, order);
        free(moved);
        free(raw);
        rm2i_objective_free(o);
    }
}

/* ---- against exact inference ---------------------------------------------------------------- */

/* Value, gradient and Kf are those of exact inference. Kernel matrices of all points are nearly
 * singular: pivots down to 1e-12 leave 1e-6. */
static void all_points_are_exact_inference(void **state) {
    (void)state;
    for (size_t k = 0; k < COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k]);
        s.lengthscale.start = 0.3;
        s.gpdm_lengthscale.start = 0.2; /* SE: less smooth, so that all are chosen */
        s.accuracy = 1e-12;
        s.inducing = N;
        rm2i_objective *all = objective_of(&s);
        s.inference = RM2_INFERENCE_EXACT;
        rm2i_objective *exact = objective_of(&s);
        size_t n = all->par.raw_size;
        assert_null(exact->inducing);
        assert_int_equal(n, exact->par.raw_size);
        double *raw = raw_near_start(exact), *mine = raw + n, *theirs = mine + n, largest = 0;
        double a = value_at(all, raw, mine), b = value_at(exact, raw, theirs);
        if (!(fabs(a - b) <= 1e-6 * fmax(fabs(b), 1)))
            fail_msg("combination %zu: %.12g, exactly %.12g", k, a, b);
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(theirs[i]));
        for (size_t i = 0; i < n; i++)
            if (!(fabs(mine[i] - theirs[i]) <=
                  1e-4 * largest)) /* Kuu^-1 there: 1e-12 of it is lost */
                fail_msg("combination %zu, derivative %zu: %g, exactly %g (of %g)", k, i, mine[i],
                         theirs[i], largest);
        for (size_t i = 0; i < M * M; i++)
            assert_true(fabs(all->Kf[i] - exact->Kf[i]) <= 1e-6 * fabs(exact->Kf[0]));
        free(raw);
        rm2i_objective_free(all);
        rm2i_objective_free(exact);
    }
}

/* The exact log-likelihood at the objective's latents and Kf. */
static double exact_likelihood(const rm2i_objective *o) {
    static double K[N * N], L[N * N], Y[M * N], S[M * M];
    rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    rm2i_matrix_normal mn = {.N = N, .M = M, .Y = Y, .S = S};
    rm2i_latent_gram(NULL, &kernel, N, o->X, K);
    assert_int_equal(
        rm2i_matrix_normal_solve(&mn, K, o->natural[o->par.block[RM2I_NOISE].offset], F, L),
        RM2_OK);
    return rm2i_matrix_normal_value(&mn, o->Lf, NULL);
}

static double exact_dynamics(const rm2i_objective *o) {
    static double K[N * N], L[N * N], X_bar[N * Q];
    rm2i_gpdm g = o->gpdm;
    g.inducing = NULL;
    g.K = K;
    g.L = L;
    g.X_bar = X_bar;
    g.backward = malloc(rm2i_latent_backward_work(Q, N) * sizeof *g.backward);
    assert_non_null(g.backward);
    assert_int_equal(rm2i_gpdm_evaluate(&g, o->X), RM2_OK);
    free(g.backward);
    return o->s.gpdm_weight * g.value;
}

/* The certificates hold, and the bound is as close as was asked for. */
static void certificates_hold(void **state) {
    (void)state;
    for (size_t k = 0; k < COMBINATIONS; k++)
        for (double accuracy = 1; accuracy > 1e-4; accuracy /= 10) {
            rm2_fit_settings s = settings_of(&combinations[k]);
            s.accuracy = accuracy;
            rm2i_objective *o = objective_of(&s);
            double *raw = malloc(2 * o->par.raw_size * sizeof *raw);
            assert_non_null(raw);
            rm2i_objective_start(o, raw);
            (void)value_at(o, raw, raw + o->par.raw_size);
            rm2_certificate likelihood, dynamics;
            assert_int_equal(rm2i_objective_certify(o, &likelihood, &dynamics), RM2_OK);
            double exact = exact_likelihood(o), slack = 1e-9 * fabs(exact);
            assert_true(likelihood.lower <= exact + slack && exact <= likelihood.upper + slack);
            assert_true(o->terms.log_likelihood <= likelihood.lower + slack);
            /* promised where residuals are noise, as with Kf at its best value */
            if (s.task == RM2_TASK_PROFILE && !(exact - o->terms.log_likelihood <= accuracy * N))
                fail_msg("combination %zu, accuracy %g: off by %g", k, accuracy,
                         exact - o->terms.log_likelihood);
            exact = s.gpdm_weight > 0 ? exact_dynamics(o) : 0;
            slack = 1e-9 * fabs(exact);
            assert_true(dynamics.lower <= exact + slack && exact <= dynamics.upper + slack);
            assert_true(o->terms.gpdm <= dynamics.lower + slack);
            free(raw);
            rm2i_objective_free(o);
        }
}

/* ---- choices -------------------------------------------------------------------------------- */

static void latents_that_move_make_a_choice_stale(void **state) {
    (void)state;
    rm2_fit_settings s = settings_of(&combinations[1]);
    rm2i_objective *o = objective_of(&s);
    double *raw = malloc(2 * o->par.raw_size * sizeof *raw), *g = raw + o->par.raw_size;
    assert_non_null(raw);
    rm2i_objective_start(o, raw);
    (void)value_at(o, raw, g);
    assert_false(rm2i_objective_stale(o, false) || rm2i_objective_stale(o, true));
    for (size_t i = 0; i < N * Q; i++)
        raw[i] *= 3;
    double before = value_at(o, raw, g);
    assert_true(rm2i_objective_stale(o, false) && rm2i_objective_stale(o, true));
    assert_int_equal(rm2i_objective_choose(o), RM2_OK);
    assert_true(value_at(o, raw, g) < before); /* minus the objective: the bound is tighter */
    assert_false(rm2i_objective_stale(o, true));
    free(raw);
    rm2i_objective_free(o);
}

/* The same sets give the same bits; others are refused. */
static void sets_travel(void **state) {
    (void)state;
    rm2_fit_settings s = settings_of(&combinations[2]);
    rm2i_objective *o = objective_of(&s), *other = objective_of(&s);
    double *raw = raw_near_start(o), *g = raw + o->par.raw_size;
    for (size_t i = 0; i < N * Q; i++)
        other->X[i] *= 2;
    assert_int_equal(rm2i_objective_choose(other), RM2_OK);
    double expected = value_at(o, raw, g), f = value_at(other, raw, g);
    assert_true(f != expected);
    rm2i_sets sets = rm2i_objective_sets(o);
    assert_true(sets.likelihood.count > 0 && sets.dynamics.count > 0);
    assert_int_equal(rm2i_objective_use(other, &sets), RM2_OK);
    assert_true(rm2i_objective_sets(other).likelihood.trace == sets.likelihood.trace);
    assert_true(value_at(other, raw, g) == expected);
    size_t wrong[2] = {0, N};
    rm2i_sets bad[4] = {sets, sets, sets, sets};
    bad[0].likelihood.count = 0;
    bad[1].likelihood = (rm2i_set){wrong, 2, 1, 1};
    bad[2].dynamics = (rm2i_set){wrong, 2, 1, 1};
    bad[3].dynamics.trace = NAN;
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(rm2i_objective_use(other, &bad[k]), RM2_ERR_FORMAT);
    assert_true(value_at(other, raw, g) == expected); /* what could not be used changes nothing */
    free(raw);
    rm2i_objective_free(o);
    rm2i_objective_free(other);
}

static void refusals_and_automatic_choice(void **state) {
    (void)state;
    rm2i_objective *o;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2i_model_problem p = {.N = N, .M = M, .Q = Q, .F = F, .X0 = X0};
    assert_int_equal(s.inference, RM2_INFERENCE_AUTO);
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_OK);
    assert_null(o->inducing); /* few points */
    rm2i_objective_free(o);
    s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    s.inference = RM2_INFERENCE_INDUCING;
    s.gpdm_weight = 0;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "Kronecker"));
}

/* Many points: inducing for a smooth kernel, exact where a rough one needs most of them. */
static void automatic_choice_for_many(void **state) {
    (void)state;
    enum { MANY = 1100 };
    double *X = malloc(MANY * (Q + M) * sizeof *X), *Y = X + MANY * Q;
    assert_non_null(X);
    for (size_t n = 0; n < MANY; n++) {
        X[n * Q] = cos(0.3 * (double)n);
        X[n * Q + 1] = (double)n / MANY;
        for (size_t m = 0; m < M; m++)
            Y[m * MANY + n] = sin((double)(n * (m + 1)));
    }
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2i_model_problem p = {.N = MANY, .M = M, .Q = Q, .F = Y, .X0 = X};
    rm2i_objective *o;
    s.lengthscale.start = 0.5;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_OK);
    assert_non_null(o->inducing);
    assert_null(o->K); /* nothing is N x N */
    rm2i_objective_free(o);
    s.kernel = RM2_LATENT_MATERN32;
    s.lengthscale.start = 0.05;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_OK);
    assert_null(o->inducing);
    rm2i_objective_free(o);
    free(X);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(remainders_are_quadratic),
        cmocka_unit_test(all_points_are_exact_inference),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(latents_that_move_make_a_choice_stale),
        cmocka_unit_test(sets_travel),
        cmocka_unit_test(refusals_and_automatic_choice),
        cmocka_unit_test(automatic_choice_for_many),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
