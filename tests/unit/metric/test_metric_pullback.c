/* The expected pullback metric against its definition: dense conditioning and differentials of the
 * exponential map, sampled Jacobians, distances of decoded points, differences for its derivative.
 *
 * Tolerances: both sides solve with a covariance of condition below 1e4 and multiply some 1e2 terms:
 * 1e-10 of the largest entry. Five-point differences over h = 1e-3 have truncation h^4 G'''''/30,
 * 1e-13 times the fifth derivative (some 1e3 for lengthscales near 1), and rounding 1e-15/h: 1e-8.
 * Squared distances over h = 1e-4 have truncation h^2 times curvatures of order 10: 1e-6. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "pullback_fixture.h"

enum { POINTS = 5, Q3 = FIELD_MOST_Q * FIELD_MOST_Q * FIELD_MOST_Q };

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

/* Three points among the data, one at some distance, one that sees the prior. */
static const double places[POINTS][FIELD_MOST_Q] = {
    {0.13, -0.21, 0.3}, {0.47, 0.15, -0.4}, {-0.6, 0.33, 0.1}, {1.9, 1.4, -1.2}, {9, -9, 9}};

static void expected_is_the_definition(const field_kind *kind) {
    field_problem p;
    field_create(ctx, kind, &p);
    for (int w = 0; w < 2; w++) {
        double weight = w ? 7.5 : 1, G[Q3], dG[Q3], E[Q3];
        rm2_metric *metric = field_metric(ctx, &p, weight);
        for (size_t i = 0; i < POINTS + 1; i++) { /* the last: at a data point */
            const double *x = i < POINTS ? places[i] : p.X + 3 * kind->Q;
            field_expected(ctx, &p, x, weight, E);
            assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, NULL), RM2_OK);
            assert_close("G", kind->Q * kind->Q, G, E, 1e-10);
            assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
            assert_close("G beside dG", kind->Q * kind->Q, G, E, 1e-10);
        }
        assert_true(rm2_metric_weight(metric) == weight);
        rm2_metric_free(metric);
    }
    field_free(&p);
}

static void derivative_is_that_of_the_metric(const field_kind *kind) {
    size_t Q = kind->Q;
    field_problem p;
    field_create(ctx, kind, &p);
    for (int w = 0; w < 3; w++) {
        rm2_metric *metric = field_metric(ctx, &p, w == 0 ? 1 : w == 1 ? 7.5 : 0);
        for (size_t i = 0; i < 4; i++) {
            double G[Q3], dG[Q3], differences[Q3];
            assert_int_equal(rm2_metric_at(ctx, metric, 1, places[i], G, dG), RM2_OK);
            metric_differences(ctx, metric, places[i], 1e-3, differences);
            assert_close("dG", Q * Q * Q, dG, differences, 1e-8);
            for (size_t t = 0; t < Q; t++)
                for (size_t r = 0; r < Q; r++)
                    for (size_t s = 0; s < r; s++)
                        assert_true(dG[(t * Q + r) * Q + s] == dG[(t * Q + s) * Q + r] &&
                                    G[r * Q + s] == G[s * Q + r]);
        }
        rm2_metric_free(metric);
    }
    field_free(&p);
}

/* Largest entry of G(x + h d) - G(x) - h dG[d]. */
static double taylor_rest(const rm2_metric *metric, const double *x, const double *direction,
                          double h) {
    size_t Q = rm2_metric_dim(metric);
    double G[Q3], dG[Q3], there[Q3], moved[FIELD_MOST_Q], rest = 0;
    for (size_t q = 0; q < Q; q++)
        moved[q] = x[q] + h * direction[q];
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, moved, there, NULL), RM2_OK);
    for (size_t k = 0; k < Q * Q; k++) {
        double linear = G[k];
        for (size_t t = 0; t < Q; t++)
            linear += h * direction[t] * dG[t * Q * Q + k];
        rest = fmax(rest, fabs(there[k] - linear));
    }
    return rest;
}

/* What is left after the linear term falls with h^2: the slope between 2e-3 and 1e-3 is 2 up to
 * h G'''/G'' (3e-2 at these places). */
static void taylor_slope_is_two(const field_kind *kind) {
    static const double direction[FIELD_MOST_Q] = {0.7, -0.6, 0.4};
    field_problem p;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 3);
    for (size_t i = 0; i < 3; i++) {
        double coarse = taylor_rest(metric, places[i], direction, 2e-3);
        double fine = taylor_rest(metric, places[i], direction, 1e-3), slope = log2(coarse / fine);
        if (!(fabs(slope - 2) <= 0.1))
            fail_msg("place %zu of %s: slope %g", i, kind->spec ? kind->spec : "R3", slope);
    }
    rm2_metric_free(metric);
    field_free(&p);
}

/* v^T d_t d_s G v against differences of dG, for fields that have it: all with the SE kernel and Kronecker
 * noise. Its own differences, of the manifold's part, are over 1e-5 lengthscales: 1e-4 of the largest
 * entry. */
static void bend_is_that_of_the_metric(const field_kind *kind) {
    static const double v[FIELD_MOST_Q] = {0.7, -0.6, 0.4};
    size_t Q = kind->Q;
    field_problem p;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 7.5);
    bool has = kind->noise == RM2_NOISE_KRONECKER && kind->kernel == RM2_LATENT_SE;
    assert_true(rm2i_metric_can_bend(metric) == has);
    double *work = malloc(rm2i_metric_work(metric, 1, 1, RM2I_ORDER_BEND) * sizeof *work);
    assert_non_null(work);
    for (size_t i = 0; has && i < POINTS; i++) {
        double G[Q3], dG[Q3], same_G[Q3], same_dG[Q3], bend[Q3], expected[Q3], h = 1e-4, scale = 1;
        assert_int_equal(
            rm2i_metric_bend_at(
                metric, 1,
                &(rm2i_metric_request){.x = places[i], .G = G, .dG = dG, .v = v, .bend = bend},
                &(rm2i_metric_room){1, work, NULL}),
            RM2_OK);
        assert_int_equal(rm2i_metric_at(metric, 1, places[i], same_G, same_dG,
                                        &(rm2i_metric_room){1, work, NULL}),
                         RM2_OK);
        assert_memory_equal(G, same_G, Q * Q * sizeof *G);
        assert_memory_equal(dG, same_dG, Q * Q * Q * sizeof *dG);
        for (size_t s = 0; s < Q; s++) {
            double x[FIELD_MOST_Q], up[Q3], down[Q3];
            memcpy(x, places[i], sizeof x);
            x[s] += h;
            assert_int_equal(
                rm2i_metric_at(metric, 1, x, G, up, &(rm2i_metric_room){1, work, NULL}), RM2_OK);
            x[s] -= 2 * h;
            assert_int_equal(
                rm2i_metric_at(metric, 1, x, G, down, &(rm2i_metric_room){1, work, NULL}), RM2_OK);
            for (size_t t = 0; t < Q; t++) {
                expected[t * Q + s] = (rm2i_metric_inner(Q, up + t * Q * Q, v, v) -
                                       rm2i_metric_inner(Q, down + t * Q * Q, v, v)) /
                                      (2 * h);
                scale = fmax(scale, fabs(expected[t * Q + s]));
            }
        }
        for (size_t k = 0; k < Q * Q; k++)
            if (!(fabs(bend[k] - expected[k]) <= 1e-4 * scale))
                fail_msg("place %zu of %s, Q %zu: %.8g, not %.8g", i,
                         kind->spec ? kind->spec : "R3", Q, bend[k], expected[k]);
    }
    free(work);
    rm2_metric_free(metric);
    field_free(&p);
}

static void test_bend(void **state) {
    (void)state;
    field_for_all(bend_is_that_of_the_metric);
}

static void test_definition(void **state) {
    (void)state;
    field_for_all(expected_is_the_definition);
}

static void test_derivative(void **state) {
    (void)state;
    field_for_all(derivative_is_that_of_the_metric);
    field_for_all(taylor_slope_is_two);
}

/* ---- sampled Jacobians ---------------------------------------------------------------------- */

/* The mean of J^T Gc J over sampled Jacobians, within 5 of its standard errors. The seed is fixed:
 * no chance. */
static void mean_over_samples(const field_kind *kind) {
    enum { DRAWS = 4000 };
    size_t Q = kind->Q;
    field_problem p;
    field_jacobian j;
    double G[Q3], J[FIELD_MOST_MQ], sum[Q3] = {0}, squares[Q3] = {0};
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    field_create(ctx, kind, &p);
    field_jacobian_at(ctx, &p, places[1], &j);
    for (int draw = 0; draw < DRAWS; draw++) {
        field_draw(&j, &rng, J);
        for (size_t k = 0; k < Q * Q; k++) {
            double one = field_square(&j, J, k / Q, k % Q);
            sum[k] += one / DRAWS;
            squares[k] += one * one / DRAWS;
        }
    }
    rm2_metric *metric = field_metric(ctx, &p, 1);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, places[1], G, NULL), RM2_OK);
    for (size_t k = 0; k < Q * Q; k++) {
        double error = sqrt((squares[k] - sum[k] * sum[k]) / DRAWS);
        assert_true(error > 0 && fabs(sum[k] - G[k]) <= 5 * error);
    }
    rm2_metric_free(metric);
    field_free(&p);
}

static void test_samples(void **state) {
    (void)state;
    field_for_all(mean_over_samples);
}

/* ---- decoded distances ---------------------------------------------------------------------- */

static double distance_between(const rm2_manifold *m, size_t M, const double *c1,
                               const double *c2) {
    double p[FIELD_MOST_D], y[2 * FIELD_MOST_D], d = 0;
    if (!m) {
        for (size_t k = 0; k < M; k++)
            d = hypot(d, c1[k] - c2[k]);
        return d;
    }
    size_t D = rm2_manifold_ambient(m);
    rm2_manifold_default_point(m, p);
    assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, c1, y), RM2_OK);
    assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, c2, y + D), RM2_OK);
    assert_int_equal(rm2_manifold_distance(ctx, m, 1, y, 1, y + D, &d), RM2_OK);
    return d;
}

/* Without the covariance term a^T G a is the squared distance of decoded points over h^2. */
static void lengths_are_those_of_decoded_points(const field_kind *kind) {
    static const double a[FIELD_MOST_Q] = {0.8, -0.5, 0.3};
    size_t Q = kind->Q;
    field_problem p;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 0);
    for (size_t i = 0; i < 4; i++) {
        double h = 1e-4, G[Q3], up[FIELD_MOST_Q], down[FIELD_MOST_Q];
        double c1[FIELD_MOST_M], c2[FIELD_MOST_M];
        for (size_t q = 0; q < Q; q++) {
            up[q] = places[i][q] + h / 2 * a[q];
            down[q] = places[i][q] - h / 2 * a[q];
        }
        field_output(&p, up, c1);
        field_output(&p, down, c2);
        double speed = distance_between(p.manifold, p.gp.M, c1, c2) / h, square = speed * speed;
        assert_int_equal(rm2_metric_at(ctx, metric, 1, places[i], G, NULL), RM2_OK);
        double found = rm2i_metric_inner(Q, G, a, a);
        assert_close("speed", 1, &found, &square, 1e-6);
    }
    rm2_metric_free(metric);
    field_free(&p);
}

/* Many points, little noise: the metric, with its covariance term, is that of the curve the points
 * lie on. With points 0.1 apart, lengthscale 0.6 and noise 1e-8 the derivative is known to some 1e-2 in
 * each of four outputs of speed about 1, so that squares differ by some 1e-4: bound 1e-3. */
static void metric_of_a_known_curve(void **state) {
    (void)state;
    enum { N = 41, M = 4 };
    double X[N], F[M * N], Kf[M * M] = {0}, l = 0.6;
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, "R2 x S2", &m), RM2_OK);
    for (size_t n = 0; n < N; n++) {
        X[n] = -2 + 0.1 * (double)n;
        for (size_t k = 0; k < M; k++)
            F[k * N + n] = sin(X[n] + (double)k);
    }
    for (size_t k = 0; k < M; k++)
        Kf[k * M + k] = 1;
    rm2i_gp gp = {.N = N,
                  .M = M,
                  .Q = 1,
                  .noise_kind = RM2_NOISE_KRONECKER,
                  .kernel = {RM2_LATENT_SE, 1, &l, 1, 0},
                  .noise = 1e-8,
                  .Kf = Kf,
                  .X = X,
                  .F = F};
    field_problem curve = {.manifold = m, .gp = gp};
    assert_int_equal(rm2i_posterior_create(ctx, &gp, &curve.posterior), RM2_OK);
    rm2_metric *metric = field_metric(ctx, &curve, 1);
    for (int i = -7; i <= 7; i++) {
        double x = 0.21 * i + 0.03, h = 1e-4, c1[M], c2[M], G;
        for (size_t k = 0; k < M; k++) {
            c1[k] = sin(x - h / 2 + (double)k);
            c2[k] = sin(x + h / 2 + (double)k);
        }
        double square = pow(distance_between(m, M, c1, c2) / h, 2);
        assert_int_equal(rm2_metric_at(ctx, metric, 1, &x, &G, NULL), RM2_OK);
        assert_close("speed on the curve", 1, &G, &square, 1e-3);
    }
    rm2_metric_free(metric);
    field_free(&curve);
}

static void test_decoded_distances(void **state) {
    (void)state;
    field_for_all(lengths_are_those_of_decoded_points);
}

/* ---- many points ---------------------------------------------------------------------------- */

/* All at once, one by one, on one and on two threads: sums in BLAS may come in another order, so
 * equal to 1e-12 of the largest entry. */
static void batches_agree(const field_kind *kind) {
    enum { N = 700, MOST = N * Q3 };
    size_t Q = kind->Q;
    static double x[N * FIELD_MOST_Q], G[MOST], dG[MOST], other[MOST], d_other[MOST];
    field_problem p;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 2);
    rm2_rng rng;
    rm2_rng_seed(&rng, 9);
    for (size_t i = 0; i < N * Q; i++)
        x[i] = rm2_rng_normal(&rng);
    rm2_context_set_threads(ctx, 1);
    assert_int_equal(rm2_metric_at(ctx, metric, N, x, G, dG), RM2_OK);
    rm2_context_set_threads(ctx, 2);
    assert_int_equal(rm2_metric_at(ctx, metric, N, x, other, d_other), RM2_OK);
    assert_close("G on two threads", N * Q * Q, other, G, 1e-12);
    assert_close("dG on two threads", N * Q * Q * Q, d_other, dG, 1e-12);
    assert_int_equal(rm2_metric_at(ctx, metric, N, x, other, NULL), RM2_OK);
    assert_close("G alone", N * Q * Q, other, G, 1e-12);
    for (size_t i = 0; i < N; i += 7) {
        assert_int_equal(rm2_metric_at(ctx, metric, 1, x + i * Q, other, d_other), RM2_OK);
        assert_close("one point", Q * Q, other, G + i * Q * Q, 1e-12);
        assert_close("its derivative", Q * Q * Q, d_other, dG + i * Q * Q * Q, 1e-12);
    }
    rm2_metric_free(metric);
    field_free(&p);
}

/* Scratch for n points is enough for every smaller number, which may be cut into larger blocks: 65 points on
 * one thread are two blocks of 33, 64 are one. A number behind the scratch stays what it is. */
static void scratch_is_enough(const field_kind *kind) {
    enum { MOST_POINTS = 65 };
    double x[MOST_POINTS * FIELD_MOST_Q] = {0}, G[MOST_POINTS * FIELD_MOST_Q * FIELD_MOST_Q];
    field_problem p;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 2);
    size_t size = rm2i_metric_work(metric, MOST_POINTS, 1, RM2I_ORDER_VALUE);
    double *work = malloc((size + 1) * sizeof *work);
    assert_non_null(work);
    for (size_t n = MOST_POINTS; n > 0; n--) {
        assert_true(rm2i_metric_work(metric, n, 1, RM2I_ORDER_VALUE) <= size);
        work[size] = 12345;
        assert_int_equal(rm2i_metric_at(metric, n, x, G, NULL, &(rm2i_metric_room){1, work, NULL}),
                         RM2_OK);
        assert_true(work[size] == 12345);
    }
    free(work);
    rm2_metric_free(metric);
    field_free(&p);
}

static void test_scratch(void **state) {
    (void)state;
    field_for_all(scratch_is_enough);
}

static void test_batches(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        field_kind kind = {"R2 x SPD2", noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER,
                           RM2_LATENT_SE, 2, 0};
        batches_agree(&kind);
        kind.Q = 3;
        kind.spec = NULL;
        batches_agree(&kind);
    }
}

/* Far from the data nothing is known: G is weight tr(Gc Kf) d2K, to the last digits. */
static void test_far_field(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        field_kind kind = {"R2 x S2", noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER,
                           RM2_LATENT_MATERN52, 2, 0};
        field_problem p;
        field_create(ctx, &kind, &p);
        rm2_metric *metric = field_metric(ctx, &p, 4);
        double x[2] = {1e5, -1e300}, G[4], dG[8], Gc[16], trace = 0;
        dense_ambient(ctx, p.manifold, 4, p.mean, Gc);
        for (size_t a = 0; a < 4; a++)
            for (size_t b = 0; b < 4; b++)
                trace += Gc[a * 4 + b] * p.Kf[a * 4 + b];
        assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
        for (size_t q = 0; q < 2; q++) {
            double far = 4 * trace * 5.0 / 3 * 1.3 / (p.lengthscale[q] * p.lengthscale[q]);
            assert_close("far field", 1, &G[3 * q], &far, 1e-12);
        }
        assert_true(G[1] == 0 && G[2] == 0);
        for (size_t k = 0; k < 8; k++)
            assert_true(dG[k] == 0);
        rm2_metric_free(metric);
        field_free(&p);
    }
}

static void test_not_finite(void **state) {
    (void)state;
    field_kind kind = {"R2 x S2", RM2_NOISE_KRONECKER, RM2_LATENT_SE, 2, 0};
    field_problem p;
    field_create(ctx, &kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 1);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        double x[6] = {0, 0.1, 0.2, 0.3, 0.4, bad[k]}, G[12];
        assert_int_equal(rm2_metric_at(ctx, metric, 3, x, G, NULL), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(ctx), "point 2, coordinate 1 is "));
    }
    rm2_context_interrupt(ctx);
    double x[2] = {0, 0}, G[4];
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, NULL), RM2_INTERRUPTED);
    assert_int_equal(rm2_metric_at(ctx, metric, 0, x, G, NULL), RM2_OK);
    rm2_context_clear_interrupt(ctx);
    rm2_metric_free(metric);
    field_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_bend),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_decoded_distances),
        cmocka_unit_test(metric_of_a_known_curve),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_far_field),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
