/* The training objective: likelihoods against dense NM x NM matrices, every derivative against
 * central differences, for settings that cover all pairs of (noise, task, kernel, prior, back
 * constraint). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "linalg/factor.h"
#include "train/objective.h"

enum { N = 30, M = 4, Q = 2, TRAJECTORIES = 3 };

static rm2_context *ctx;
static const size_t starts[TRAJECTORIES + 1] = {0, 12, 13, 30}; /* one has a single point */
static double F[M * N], X0[N * Q], gram[N * N];

static int setup(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t n = 0; n < N; n++) {
        double t = (double)n / N * 5;
        X0[n * Q] = cos(t) + 0.1 * rm2_rng_normal(&rng);
        X0[n * Q + 1] = sin(1.3 * t) + 0.1 * rm2_rng_normal(&rng);
        for (size_t m = 0; m < M; m++)
            F[m * N + n] =
                sin(t * (double)(m + 1)) + 0.3 * (double)m * cos(t) + 0.05 * rm2_rng_normal(&rng);
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

/* ---- settings that cover all pairs ---------------------------------------------------------- */

typedef struct combination {
    rm2_noise_kind noise;
    rm2_latent_kind kernel;
    double linear; /* weight of its linear part */
    int prior;     /* 0 none, 1 normal + gamma, 2 GPDM + log-normal, 3 anchors */
    bool back, independent, ard, softplus;
    rm2_task_kind task;
    size_t rank;
} combination;

static const combination combinations[] = {
    {RM2_NOISE_KRONECKER, RM2_LATENT_SE, 0, 0, false, false, false, false, RM2_TASK_PROFILE, 0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_MATERN32, 0.5, 1, true, false, true, true, RM2_TASK_LEARNED,
     0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_MATERN52, 0, 2, false, true, true, false, RM2_TASK_LEARNED, 0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_SE, 0.5, 3, true, true, false, false, RM2_TASK_PROFILE, 0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_SE, 0, 2, true, false, true, true, RM2_TASK_LEARNED, 2},
    {RM2_NOISE_KRONECKER, RM2_LATENT_MATERN52, 0.5, 3, false, false, false, true, RM2_TASK_PROFILE,
     0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_MATERN32, 0, 2, false, false, false, false, RM2_TASK_PROFILE,
     0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_MATERN52, 0, 0, true, false, false, false, RM2_TASK_LEARNED,
     1},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_SE, 0, 1, false, true, true, true, RM2_TASK_LEARNED, 0},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_MATERN32, 0.5, 3, false, false, true, false, RM2_TASK_LEARNED,
     2},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_MATERN52, 0, 1, true, false, false, true, RM2_TASK_LEARNED,
     0},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_MATERN32, 0, 0, true, true, false, false, RM2_TASK_LEARNED,
     0},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_SE, 0.5, 2, true, false, false, false, RM2_TASK_LEARNED, 3},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_MATERN52, 0, 2, false, true, true, true, RM2_TASK_LEARNED, 0},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_SE, 0, 0, false, false, true, true, RM2_TASK_LEARNED, 4},
    {RM2_NOISE_PER_OUTPUT, RM2_LATENT_SE, 0, 3, true, false, true, true, RM2_TASK_LEARNED, 1},
    {RM2_NOISE_KRONECKER, RM2_LATENT_LINEAR, 0.5, 3, false, false, false, false, RM2_TASK_PROFILE,
     0},
    {RM2_NOISE_KRONECKER, RM2_LATENT_LINEAR, 0.5, 1, false, false, true, true, RM2_TASK_LEARNED, 2},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static rm2_hyperparameter learned(double start, rm2_prior_kind prior, double a, double b) {
    return (rm2_hyperparameter){.start = start, .learned = true, .prior = prior, .a = a, .b = b};
}

static rm2_fit_settings settings_of(const combination *c) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_prior_kind prior = c->prior == 1   ? RM2_PRIOR_GAMMA
                           : c->prior == 2 ? RM2_PRIOR_LOGNORMAL
                                           : RM2_PRIOR_NONE;
    s.noise = c->noise;
    s.kernel = c->kernel;
    s.ard = c->ard;
    s.softplus = c->softplus;
    s.noise_bound = c->softplus ? 1e-4 : 0;
    s.independent = c->independent;
    s.task = c->task;
    s.task_rank = c->rank;
    s.task_anchor = c->prior == 3 ? 1 : 0;
    s.latent_anchor = c->prior == 3 ? 0.5 : 0;
    s.latent_normal = c->prior == 1;
    s.gpdm_weight = c->prior == 2 ? 0.7 : 0;
    s.lengthscale = learned(0.6, prior, 2, 2);
    s.variance = learned(1.3, prior, 0.5, 1.5);
    if (c->linear > 0)
        s.linear = learned(c->linear, prior, 0.5, 1.5);
    s.noise_variance = learned(0.05, prior, 0.3, 2);
    s.task_noise = learned(0.03, prior, 1.5, 1.5);
    s.gpdm_lengthscale = learned(0.8, prior, NAN, 0.5);
    s.gpdm_variance = learned(0, prior, NAN, 0.5);
    s.gpdm_noise = learned(0, prior, NAN, 0.5);
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

/* A raw vector near the start, so that priors around it have slopes. */
static double *raw_near_start(const rm2i_objective *o) {
    double *raw = malloc(3 * o->par.raw_size * sizeof *raw); /* and room for two gradients */
    assert_non_null(raw);
    rm2i_objective_start(o, raw);
    rm2_rng rng;
    rm2_rng_seed(&rng, 9);
    for (size_t i = 0; i < o->par.raw_size; i++)
        raw[i] += 0.05 * rm2_rng_normal(&rng);
    return raw;
}

static double value_at(rm2i_objective *o, const double *raw, double *gradient) {
    double f;
    assert_int_equal(rm2i_objective_evaluate(o, raw, &f, gradient), RM2_OK);
    return f;
}

/* Central differences have error h^2 f'''/6 + eps |f|/h; h = 1e-5 leaves about 1e-9 of the largest
 * derivative of a block, far below the bound of 1e-6. */
static void test_gradients(void **state) {
    (void)state;
    for (size_t k = 0; k < COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k]);
        rm2i_objective *o = objective_of(&s);
        double *raw = raw_near_start(o), *gradient = raw + o->par.raw_size;
        double *ignored = gradient + o->par.raw_size;
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
                fail_msg("combination %zu, block %d: error %.2e of %.2e", k, b, worst, largest);
        }
        assert_int_equal(at, o->par.raw_size);
        free(raw);
        rm2i_objective_free(o);
    }
}

/* f(x + t d) - f(x) - t g.d falls like t^2: the ratio of the remainders at t and t/2 is 4. */
static void test_taylor_slope(void **state) {
    (void)state;
    for (size_t k = 0; k < COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k]);
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
            fail_msg("combination %zu: slope %.3f", k, order);
        free(moved);
        free(raw);
        rm2i_objective_free(o);
    }
}

/* ---- dense matrices ------------------------------------------------------------------------- */

static double kernel_value(const rm2i_objective *o, size_t i, size_t j) {
    double rho2 = 0, s = o->natural[o->par.block[RM2I_VARIANCE].offset], linear = 1;
    for (size_t q = 0; q < Q; q++) {
        rho2 += pow((o->X[i * Q + q] - o->X[j * Q + q]) / o->lengthscale[q], 2);
        linear += o->X[i * Q + q] * o->X[j * Q + q];
    }
    double r = sqrt(rho2);
    linear *= o->par.block[RM2I_LINEAR].count ? o->natural[o->par.block[RM2I_LINEAR].offset] : 0;
    switch (o->s.kernel) {
    case RM2_LATENT_SE:
        return linear + s * exp(-rho2 / 2);
    case RM2_LATENT_MATERN32:
        return linear + s * (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
    case RM2_LATENT_MATERN52:
        return linear + s * (1 + sqrt(5) * r + 5 * rho2 / 3) * exp(-sqrt(5) * r);
    case RM2_LATENT_LINEAR:
        break;
    }
    return linear;
}

/* log N(vec F; 0, Sigma) with Sigma of NM x NM entries, by its definition. */
static double dense_log_likelihood(const rm2i_objective *o) {
    size_t n = N * M;
    double *Sigma = calloc(2 * n * n + n, sizeof *Sigma), *L = Sigma + n * n, *x = L + n * n,
           jitter;
    assert_non_null(Sigma);
    double noise = o->natural[o->par.block[RM2I_NOISE].offset];
    const double *task_noise = o->natural + o->par.block[RM2I_TASK_NOISE].offset;
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++)
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                    double k = kernel_value(o, i, j), *entry = &Sigma[(a * N + i) * n + b * N + j];
                    if (o->s.noise == RM2_NOISE_KRONECKER)
                        k += i == j ? noise : 0;
                    *entry = o->Kf[a * M + b] * k;
                    if (o->s.noise == RM2_NOISE_PER_OUTPUT && a == b && i == j)
                        *entry += task_noise[a] + noise;
                }
    assert_int_equal(rm2i_factor(NULL, n, Sigma, 0, L, &jitter), RM2_OK);
    assert_true(jitter == 0);
    memcpy(x, F, n * sizeof *x);
    rm2i_factor_half_solve(NULL, n, L, 1, x);
    double sum = (double)n * log(2 * 3.14159265358979323846) + rm2i_factor_log_det(n, L);
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    free(Sigma);
    return -0.5 * sum;
}

static void test_dense_likelihood(void **state) {
    (void)state;
    for (size_t k = 0; k < COMBINATIONS; k++) {
        rm2_fit_settings s = settings_of(&combinations[k]);
        rm2i_objective *o = objective_of(&s);
        double *raw = raw_near_start(o);
        (void)value_at(o, raw, raw + o->par.raw_size);
        double dense = dense_log_likelihood(o);
        if (!(fabs(o->terms.log_likelihood - dense) <= 1e-9 * fabs(dense)))
            fail_msg("combination %zu: %.15g, dense %.15g", k, o->terms.log_likelihood, dense);
        free(raw);
        rm2i_objective_free(o);
    }
}

/* The profile is the maximum over Kf: any other Kf gives less. */
static void test_profile_is_the_maximum(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.lengthscale.start = 0.6;
    rm2i_objective *profile = objective_of(&s);
    s.task = RM2_TASK_LEARNED;
    rm2i_objective *free_task = objective_of(&s);
    double *raw = malloc(3 * free_task->par.raw_size * sizeof *raw),
           *g = raw + free_task->par.raw_size;
    assert_non_null(raw);
    rm2i_objective_start(profile, raw);
    double best = value_at(profile, raw, g);
    rm2i_objective_start(free_task, raw);
    /* the start of the learned Kf is the profile with one eigenvalue floor: close, never above */
    double close = value_at(free_task, raw, g);
    assert_true(close >= best - 1e-12 && close < best + 0.1);
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (int trial = 0; trial < 20; trial++) {
        double *moved = g + free_task->par.raw_size;
        memcpy(moved, raw, free_task->par.raw_size * sizeof *moved);
        for (size_t i = N * Q; i < free_task->par.raw_size; i++)
            moved[i] += 0.1 * rm2_rng_normal(&rng);
        assert_true(value_at(free_task, moved, g) > best);
    }
    free(raw);
    rm2i_objective_free(profile);
    rm2i_objective_free(free_task);
}

/* Many outputs: N x N matrices alone, or by Kf, which has been checked above. The condition of the
 * kernel matrices, 1e2 to 1e4, times 1e-16 is what may differ. */
static void test_dual_is_the_primal(void **state) {
    (void)state;
    enum { FEW = 12, MOST = 30 };
    static const size_t outputs[] = {6, 11, 12, 13, MOST};
    double many[FEW * MOST];
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t i = 0; i < FEW * MOST; i++)
        many[i] = rm2_rng_normal(&rng);
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
        rm2i_model_problem p = {.N = FEW, .M = outputs[k], .Q = Q, .F = many, .X0 = X0};
        rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
        s.lengthscale = s.noise_variance = learned(0.3, RM2_PRIOR_NONE, 0, 0);
        s.gpdm_weight = 0;
        s.task_anchor = 2; /* with less, that many outputs leave no maximum */
        rm2i_objective *o;
        assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_OK);
        size_t n = o->par.raw_size;
        double *raw = raw_near_start(o), *g = raw + n, *reference = g + n;
        assert_true(o->dual);
        double f = value_at(o, raw, g);
        rm2_objective_terms terms = o->terms;
        o->dual = false;
        assert_true(fabs(value_at(o, raw, reference) - f) <= 1e-12 * fabs(f));
        assert_true(fabs(terms.task_anchor - o->terms.task_anchor) <= 1e-12 * fabs(o->terms.total));
        double largest = 0;
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(reference[i]));
            assert_true(fabs(g[i] - reference[i]) <= 1e-11);
        }
        assert_true(largest > 1e-3);
        free(raw);
        rm2i_objective_free(o);
    }
}

/* Where it does not hold or does not pay. */
static void test_dual_where_it_pays(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.gpdm_weight = 0;
    rm2i_objective *o = objective_of(&s);
    assert_false(o->dual); /* 4 outputs of 30 points */
    rm2i_objective_free(o);
    rm2i_model_problem few = {.N = 4, .M = M, .Q = Q, .F = F, .X0 = X0};
    for (int without = 0; without < 3; without++) {
        rm2_fit_settings other = s;
        other.independent = without == 0;
        other.task_anchor = without == 1 ? 0 : s.task_anchor;
        other.task = without == 2 ? RM2_TASK_LEARNED : s.task;
        assert_int_equal(rm2i_objective_create(ctx, &other, &few, &o), RM2_OK);
        assert_false(o->dual);
        rm2i_objective_free(o);
    }
}

static void test_refusals(void **state) {
    (void)state;
    rm2i_objective *o;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    double zeros[M * N] = {0};
    rm2i_model_problem p = {.N = N, .M = M, .Q = Q, .F = zeros, .X0 = X0};
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "nothing to learn"));
    p.F = F;
    s.gpdm_weight = 1;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_ERR_ARGUMENT);
    s.gpdm_weight = 0;
    s.noise = RM2_NOISE_PER_OUTPUT;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_ERR_ARGUMENT);
    s.noise = RM2_NOISE_KRONECKER;
    p.N = 1;
    assert_int_equal(rm2i_objective_create(ctx, &s, &p, &o), RM2_ERR_DATA);
    assert_null(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_likelihood),   cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_taylor_slope),       cmocka_unit_test(test_profile_is_the_maximum),
        cmocka_unit_test(test_dual_is_the_primal), cmocka_unit_test(test_dual_where_it_pays),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
