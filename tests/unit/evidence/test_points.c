/* Training with the covariance of the outputs integrated out: against values of another implementation
 * (NumPy, with SciPy's L-BFGS-B), on formulas as data; invariances; equal points, planes, more outputs than
 * points; settings and sizes that are refused.
 *
 * Tolerances. The objective of the first search is a maximum that both reach to 1e-9 of N M; the floor of 1e-8
 * of the variance, which the other implementation does not have, is 1e-5 of these residuals and moves it by less than 2e-6
 * of N M. Hyperparameters in flat directions to the root of that. The second follows an optimisation of the
 * latents that stops at a relative decrease of 1e-6: three digits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/points.h"
#include "linalg/dense.h"
#include "model/rules.h"
#include "shared_context.h"

static const double LOG_2PI = 1.8378770664093454836;

/* A curved surface in M outputs with a little of everything else, centred. */
static void fill(size_t N, size_t M, double *F) {
    for (size_t m = 0; m < M; m++) {
        double mean = 0, k = (double)m;
        for (size_t n = 0; n < N; n++) {
            double i = (double)n, t = 1.3 * sin(0.7 * i + 0.1), u = cos(1.9 * i + 0.4);
            F[m * N + n] = t * cos(k) + u * sin(2 * k + 1) * 0.8 +
                           0.3 * (t * t - 0.8) * sin(k + 0.5) + 0.1 * sin(3.1 * i * (k + 1) + k);
            mean += F[m * N + n] / (double)N;
        }
        for (size_t n = 0; n < N; n++)
            F[m * N + n] -= mean;
    }
}

typedef struct fitted {
    size_t N, M, Q;
    double *F, *X0;
    rm2_fit_settings s;
    rm2i_points_result r;
} fitted;

static double *doubles(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static void prepare(fitted *f, size_t N, size_t M, size_t Q) {
    *f = (fitted){.N = N, .M = M, .Q = Q};
    f->F = doubles(M * N);
    f->X0 = doubles(N * Q);
    f->r.X = doubles(N * Q);
    f->r.Kf = doubles(M * M);
    f->s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    f->s.latent_dim = Q;
    fill(N, M, f->F);
}

static void train(fitted *f, bool isomap) {
    rm2i_points_request r = {.data = {f->N, f->M, f->Q, f->F}, .start.X = f->X0, .settings = &f->s};
    ok(isomap ? rm2i_points_isomap(ctx, &r.data, 4, &r.start)
              : rm2i_points_components(ctx, &r.data, &r.start));
    free(f->r.training.trace);
    ok(rm2i_points_train(ctx, &r, &f->r));
}

static void release(fitted *f) {
    free(f->F);
    free(f->X0);
    free(f->r.X);
    free(f->r.Kf);
    free(f->r.training.trace);
}

static void near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%s: %.9g, not %.9g", what, got, want);
}

/* ---- values --------------------------------------------------------------------------------- */

static const struct {
    size_t N, M, Q;
    double held[5], moved[5], level, unit; /* objective, variance, lengthscale, scale, weight */
} known[] = {
    {30,
     6,
     2,
     {86.704671, 57.5913581, 2.6181268, 0.208335563, 25.4867499},
     {87.3710522, 62.8401345, 2.65099242, 0.230944366, 28.9437587},
     0.00790861736,
     1.34300581},
    {20,
     40,
     2,
     {650.34923, 47.7010866, 3.19158512, 0.335242307, 54.9421333},
     {650.896352, 52.9701507, 3.24653099, 0.347203793, 57.5152},
     0.00616011178,
     3.3640629},
    {25,
     4,
     1,
     {-0.0602923657, 2.00437902, 0.876488948, 0.0438804775, 0.455516556},
     {0.519398487, 1.22915505, 0.457058895, 0.0393826709, 0.456958535},
     0.165241661,
     1.46049251},
};

/* Prior densities there are without their constants, of widths 1, 3 and 3. */
static void compare(const fitted *f, const double *want, double objective, double hyper) {
    double total = f->r.training.end.total + log(9) + 1.5 * LOG_2PI;
    if (!(fabs(total - want[0]) <= objective * (double)(f->N * f->M)))
        fail_msg("objective %.9g, not %.9g", total, want[0]);
    near("variance", f->r.variance, want[1], hyper);
    near("lengthscale", f->r.lengthscale, want[2], hyper);
    near("scale", f->r.scale, want[3], hyper);
    near("weight", f->r.weight, want[4], hyper);
}

static void another_implementation_agrees(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        fitted f;
        prepare(&f, known[k].N, known[k].M, known[k].Q);
        f.s.latents_held = true;
        train(&f, false);
        for (size_t i = 0; i < f.N * f.Q; i++) /* centred again */
            assert_true(fabs(f.r.X[i] - f.X0[i]) <= 1e-14);
        compare(&f, known[k].held, 2e-6, 3e-3);
        f.s.latents_held = false;
        train(&f, false);
        compare(&f, known[k].moved, 2e-4, 3e-2);
        near("level", f.r.level, known[k].level, 1e-3);
        near("unit", f.r.unit, known[k].unit, 1e-3);
        assert_true(fabs(f.r.freedom - (f.r.weight + (double)(f.N - 1 - f.Q) + 2)) <= 1e-9);
        release(&f);
    }
}

/* Kf from its definition, with dense matrices: e in the span of the regression of F on X, zero
 * covariance with the rest, trace (tr S + c m)/(n + nu) there. */
static void covariance_is_its_definition(void **state) {
    (void)state;
    fitted f;
    prepare(&f, 30, 6, 2);
    train(&f, false);
    rm2i_points_data d = {f.N, f.M, f.Q, f.F};
    rm2i_points_linear l;
    ok(rm2i_points_linear_create(ctx, &d, &l));
    ok(rm2i_points_linear_at(&d, f.r.X, true, &l));
    assert_int_equal(l.columns, 2);
    double trace = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t a = 0; a < f.M; a++) { /* Kf w = e w */
            double sum = 0;
            for (size_t b = 0; b < f.M; b++)
                sum += f.r.Kf[a * f.M + b] * l.W[k * f.M + b];
            assert_true(fabs(sum - f.r.level * l.W[k * f.M + a]) <= 1e-12 * f.r.level);
        }
    for (size_t m = 0; m < f.M; m++)
        trace += f.r.Kf[m * f.M + m];
    near("trace", trace, f.r.level * (double)f.M, 1e-10);
    for (size_t m = 0; m < f.M; m++) /* residuals are orthogonal to X, and to W */
        for (size_t q = 0; q < f.Q; q++) {
            double along = 0;
            for (size_t n = 0; n < f.N; n++)
                along += l.left[m * f.N + n] * f.r.X[n * f.Q + q];
            assert_true(fabs(along) <= 1e-10);
        }
    free(l.memory);
    release(&f);
}

/* Units of the data: variances grow with the square, all else stays. */
static void units_do_not_matter(void **state) {
    (void)state;
    fitted a, b;
    prepare(&a, 30, 6, 2);
    prepare(&b, 30, 6, 2);
    for (size_t i = 0; i < 6 * 30; i++)
        b.F[i] *= 1e4;
    train(&a, false);
    train(&b, false);
    near("lengthscale", b.r.lengthscale, a.r.lengthscale, 1e-4);
    near("variance", b.r.variance, a.r.variance, 1e-3);
    near("unit", b.r.unit, 1e4 * a.r.unit, 1e-4);
    near("level", b.r.level, 1e8 * a.r.level, 1e-3);
    release(&a);
    release(&b);
}

/* ---- hard data ------------------------------------------------------------------------------ */

/* Every point twice: the training is that of the points once, equal points have equal latents. */
static void equal_points_count_once(void **state) {
    (void)state;
    fitted once, twice;
    prepare(&once, 30, 6, 2);
    prepare(&twice, 60, 6, 2);
    for (size_t m = 0; m < 6; m++)
        for (size_t n = 0; n < 60; n++)
            twice.F[m * 60 + n] = once.F[m * 30 + n / 2] * (1 + 1e-13 * (double)(n % 2));
    train(&once, false);
    train(&twice, false);
    assert_int_equal(once.r.distinct, 30);
    assert_int_equal(twice.r.distinct, 30);
    near("objective", twice.r.training.end.total, once.r.training.end.total, 1e-4);
    near("lengthscale", twice.r.lengthscale, once.r.lengthscale, 1e-3);
    for (size_t n = 0; n < 30; n++)
        assert_memory_equal(twice.r.X + 4 * n, twice.r.X + 4 * n + 2, 2 * sizeof *twice.r.X);
    release(&once);
    release(&twice);
}

/* A plane without noise: finite, the noise at its floor of 1e-8 of the variance. */
static void a_plane_has_a_floor(void **state) {
    (void)state;
    fitted f;
    double variance = 0;
    prepare(&f, 40, 5, 2);
    for (size_t n = 0; n < 40; n++)
        for (size_t m = 0; m < 5; m++)
            f.F[m * 40 + n] = sin(2.3 * (double)n) * (double)m + cos(1.1 * (double)n) * (m == 2);
    for (size_t i = 0; i < 200; i++)
        variance += f.F[i] * f.F[i] / 200;
    train(&f, false);
    assert_true(isfinite(f.r.training.end.total));
    assert_true(f.r.level >= 0.9e-8 * variance && f.r.level < 1e-5 * variance);
    double L[25];
    assert_int_equal(rm2i_cholesky(5, f.r.Kf, L), RM2_OK);
    release(&f);
}

/* Isomap on a roll: the latents unroll it, all outputs count. */
static void a_roll_is_unrolled(void **state) {
    (void)state;
    enum { N = 120 };
    fitted f;
    double ends = 0;
    prepare(&f, N, 3, 1);
    for (size_t n = 0; n < N; n++) {
        double t = 3 + 9 * (double)n / N;
        f.F[n] = t * cos(t) / 5;
        f.F[N + n] = t * sin(t) / 5;
        f.F[2 * N + n] = 0.05 * sin(37 * t);
    }
    train(&f, true);
    double xy = 0, xx = 0, yy = 0; /* in proportion to the length along the spiral, about t^2/2 */
    for (size_t n = 0; n < N; n++) {
        double t = 3 + 9 * (double)n / N, y = t * t / 2 - 31.2;
        xy += f.r.X[n] * y;
        xx += f.r.X[n] * f.r.X[n];
        yy += y * y;
    }
    assert_true(fabs(xy) >= 0.99 * sqrt(xx * yy));
    ends = fabs(f.r.X[N - 1] - f.r.X[0]) * f.r.unit; /* length of the spiral: 13.9 */
    assert_true(ends > 11 && ends < 17);
    release(&f);
}

/* ---- starts and refusals -------------------------------------------------------------------- */

static void latents_are_standard(void **state) {
    (void)state;
    fitted f;
    prepare(&f, 30, 6, 2);
    rm2i_points_data d = {f.N, f.M, f.Q, f.F};
    rm2i_points_start start = {.X = f.X0};
    for (int kind = 0; kind < 3; kind++) {
        ok(kind == 0   ? rm2i_points_components(ctx, &d, &start)
           : kind == 1 ? rm2i_points_isomap(ctx, &d, 8, &start)
                       : rm2i_points_given(ctx, &d, &start));
        double square = 0, mean[2] = {0};
        for (size_t i = 0; i < 60; i++) {
            square += f.X0[i] * f.X0[i];
            mean[i % 2] += f.X0[i];
        }
        assert_true(fabs(square - 60) <= 1e-10 && fabs(mean[0]) <= 1e-10 && fabs(mean[1]) <= 1e-10);
        assert_true(start.plane == (kind == 0));
    }
    memset(f.X0, 0, 60 * sizeof *f.X0);
    assert_int_equal(rm2i_points_given(ctx, &d, &start), RM2_ERR_DATA);
    release(&f);
}

static void refused(const rm2_fit_settings *s, size_t N, size_t M, rm2_status status) {
    assert_int_equal(rm2i_rules_check(ctx, s, &(rm2i_fit_sizes){N, M, 0}), status);
    assert_true(rm2_context_error(ctx)[0] != 0);
}

static void conflicts_are_refused(void **state) {
    (void)state;
    rm2_fit_settings good = rm2_fit_settings_recipe(RM2_RECIPE_POINTS), s;
    ok(rm2i_rules_check(ctx, &good, &(rm2i_fit_sizes){20, 5, 0}));
    refused(&good, 20, 2, RM2_ERR_ARGUMENT);
    refused(&good, 4, 5, RM2_ERR_DATA);
    s = good, s.noise = RM2_NOISE_PER_OUTPUT, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.independent = true, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.ard = true, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.back_constraint = true, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.gpdm_weight = 1, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.kernel = RM2_LATENT_LINEAR, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.linear.start = 0, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.noise_variance.start = 2, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.inducing_free = true, refused(&s, 20, 5, RM2_ERR_ARGUMENT);
    s = good, s.inducing = 5, s.inference = RM2_INFERENCE_EXACT;
    refused(&s, 20, 5, RM2_ERR_ARGUMENT);
}

static void hyperparameters_can_be_held(void **state) {
    (void)state;
    fitted f;
    prepare(&f, 30, 6, 2);
    f.s.lengthscale = (rm2_hyperparameter){.start = 1.7};
    f.s.task_weight = (rm2_hyperparameter){.start = 12};
    train(&f, false);
    near("lengthscale", f.r.lengthscale, 1.7, 1e-14);
    near("weight", f.r.weight, 12, 1e-14);
    release(&f);
}

static void interrupts_leave_a_model(void **state) {
    (void)state;
    fitted f;
    prepare(&f, 30, 6, 2);
    rm2_context_interrupt(ctx);
    train(&f, false);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(f.r.training.stop, RM2_STOP_INTERRUPTED);
    assert_true(f.r.level > 0 && isfinite(f.r.training.end.total));
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_implementation_agrees),
        cmocka_unit_test(covariance_is_its_definition),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(equal_points_count_once),
        cmocka_unit_test(a_plane_has_a_floor),
        cmocka_unit_test(a_roll_is_unrolled),
        cmocka_unit_test(latents_are_standard),
        cmocka_unit_test(conflicts_are_refused),
        cmocka_unit_test(hyperparameters_can_be_held),
        cmocka_unit_test(interrupts_leave_a_model),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
