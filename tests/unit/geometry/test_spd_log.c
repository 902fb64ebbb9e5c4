/* The log-Euclidean metric against 60-digit arithmetic (mpmath): distances, logarithm, inner product, exponential,
 * transport, mean; and what tells it apart from the affine-invariant metric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "near.h"
#include "riemann2/kernel.h"

static const double P[9] = {2, 0.5, -0.25, 0.5, 1.5, 0.125, -0.25, 0.125, 0.75};
static const double Q[9] = {1, -0.5, 0.25, -0.5, 3, 0.5, 0.25, 0.5, 0.5};
/* eigenvalues 5.7e-5, 5.5e-3, 1.3 */
static const double W[9] = {1, 0.5, 0.25, 0.5, 0.2568359375, 0.125, 0.25, 0.125, 0.06256103515625};
static const double V[9] = {0.5, -1, 0.25, -1, 0.75, 2, 0.25, 2, -1.5};

/* Upper triangles by rows; errors are of the size of rounding times the condition of the matrices (2.3e4 of W). */
static void assert_matrix(const double *matrix, const double *upper, double bound) {
    for (size_t i = 0, k = 0; i < 3; i++)
        for (size_t j = i; j < 3; j++, k++) {
            assert_near(matrix[i * 3 + j], upper[k], bound);
            assert_near(matrix[j * 3 + i], upper[k], bound);
        }
}

static void distances(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SPD3:log");
    double d;
    assert_int_equal(rm2_manifold_distance(ctx, m, 1, P, 1, Q, &d), RM2_OK);
    assert_near(d, 1.9696144391466793, 1e-14);
    assert_int_equal(rm2_manifold_distance(ctx, m, 1, P, 1, W, &d), RM2_OK);
    assert_near(d, 10.988807738291914, 1e-11);
    assert_int_equal(rm2_manifold_distance(ctx, m, 1, W, 1, W, &d), RM2_OK);
    assert_true(d == 0);
    rm2_manifold_free(m);
}

static void maps(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SPD3:log");
    static const double S[6] = {-0.80817164522781986, -0.68074682419812227, 0.76656410904645589,
                                0.65637804932966674,  0.31777016313259991,  -0.70098373025367608};
    static const double Y[6] = {3.2088362843000725, -1.5948573104215836, -0.95254202841809978,
                                5.3379835801989648, 2.5377785182308338,  1.2479768901152383};
    static const double carried[6] = {0.40864575748264297, -0.91961258531806375,
                                      -0.7901634196552118, 3.0767883362325819,
                                      2.2498263545370853,  -0.43537290382974801};
    double c[6], y[9], v[9], inner;
    assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, P, 1, Q, c), RM2_OK);
    for (size_t i = 0, k = 0; i < 3; i++)
        for (size_t j = i; j < 3; j++, k++)
            assert_near(c[k], i == j ? S[k] : sqrt(2) * S[k], 1e-14);
    assert_int_equal(rm2_manifold_inner(ctx, m, 1, P, 1, V, V, &inner), RM2_OK);
    assert_near(inner, 14.812248897151525, 1e-12);
    assert_int_equal(rm2_manifold_exp(ctx, m, 1, P, 1, V, y), RM2_OK);
    assert_matrix(y, Y, 1e-13);
    assert_int_equal(rm2_manifold_log(ctx, m, 1, P, 1, Q, v), RM2_OK);
    assert_int_equal(rm2_manifold_transport(ctx, m, 1, P, 1, v, V, y), RM2_OK);
    assert_matrix(y, carried, 1e-13);
    rm2_manifold_free(m);
}

/* expm of the mean of the logarithms: one step, and one that finds nothing to do. */
static void mean(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SPD3:log");
    static const double expected[6] = {1.0499416444249737,  0.48556999454684625,
                                       0.26428741692950394, 0.55489796042742496,
                                       0.15062099324367871, 0.09389349911125775};
    double points[27], result[9];
    rm2_mean_info info = {.size = sizeof info};
    for (size_t i = 0; i < 9; i++) {
        points[i] = P[i];
        points[9 + i] = Q[i];
        points[18 + i] = W[i];
    }
    assert_int_equal(rm2_manifold_mean(ctx, m, 3, points, NULL, NULL, result, &info), RM2_OK);
    assert_true(info.converged && info.iterations <= 2);
    assert_matrix(result, expected, 1e-11);
    rm2_manifold_free(m);
}

/* Other metric, other geometry; its kernel is the log-Euclidean one. */
static void apart(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *flat = make_manifold(ctx, "SPD3:log"), *affine = make_manifold(ctx, "SPD3"), *bad;
    double a, b;
    assert_false(rm2_manifold_equal(flat, affine));
    assert_int_equal(rm2_manifold_distance(ctx, flat, 1, P, 1, W, &a), RM2_OK);
    assert_int_equal(rm2_manifold_distance(ctx, affine, 1, P, 1, W, &b), RM2_OK);
    assert_true(a > 1.001 * b || b > 1.001 * a);
    assert_int_equal(rm2_kernel_default(rm2_manifold_factor(flat, 0)), RM2_KERNEL_LOG_EUCLIDEAN);
    assert_true(rm2_is_spd(rm2_manifold_factor(flat, 0)->geometry));
    assert_false(rm2_is_spd(&rm2_euclidean));
    assert_int_equal(rm2_manifold_create(ctx, "S3:log", &bad), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "expected the metric of SPD");
    assert_int_equal(rm2_manifold_create(ctx, "SPD3:affine", &bad), RM2_ERR_ARGUMENT);
    rm2_manifold_free(flat);
    rm2_manifold_free(affine);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(distances), WITH_CONTEXT(maps),
                                       WITH_CONTEXT(mean), WITH_CONTEXT(apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
