/* manifold.h: arguments that are missing are named. */
#include "api.h"

static const double p[] = {1, 0, 0}, q[] = {0, 1, 0}, v[] = {0, 0.1, 0}, c[] = {0.1, 0.2};

static void manifolds(void **state) {
    rm2_context *ctx = *state;
    rm2_factor factor = {.geometry = &rm2_sphere, .n = 2}, none = {.geometry = NULL, .n = 2};
    rm2_manifold *m;
    double point[3];
    NO_CONTEXT(rm2_manifold_create(NULL, "S2", &m));
    MISSING("manifold", rm2_manifold_create(ctx, "S2", NULL));
    MISSING("spec", rm2_manifold_create(ctx, NULL, &m));
    assert_null(m);
    NO_CONTEXT(rm2_manifold_from_factors(NULL, &factor, 1, &m));
    MISSING("manifold", rm2_manifold_from_factors(ctx, &factor, 1, NULL));
    MISSING("factors", rm2_manifold_from_factors(ctx, NULL, 1, &m));
    REFUSED("no geometry", rm2_manifold_from_factors(ctx, &none, 1, &m));
    assert_null(m);
    rm2_manifold_free(NULL);
    assert_string_equal(rm2_manifold_spec(NULL), "");
    assert_int_equal(rm2_manifold_dim(NULL), 0);
    assert_int_equal(rm2_manifold_ambient(NULL), 0);
    assert_int_equal(rm2_manifold_factor_count(NULL), 0);
    assert_null(rm2_manifold_factor(NULL, 0));
    rm2_manifold_default_point(NULL, point);
    MUST(rm2_manifold_create(ctx, "S2", &m));
    rm2_manifold_default_point(m, NULL);
    assert_null(rm2_manifold_factor(m, 1));
    rm2_manifold_free(m);
}

/* A call F with one array and one that is written, each by its name. */
#define ONE_ARRAY(F, in, in_name, out_name)                                                        \
    do {                                                                                           \
        NO_CONTEXT(F(NULL, m, 1, in, out));                                                        \
        MISSING("m", F(ctx, NULL, 1, in, out));                                                    \
        MISSING(in_name, F(ctx, m, 1, NULL, out));                                                 \
        MISSING(out_name, F(ctx, m, 1, in, NULL));                                                 \
        MUST(F(ctx, m, 0, NULL, NULL));                                                            \
    } while (0)

static void points(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    double out[9];
    size_t count;
    ONE_ARRAY(rm2_manifold_defect, p, "x", "defect");
    ONE_ARRAY(rm2_manifold_project, p, "x", "y");
    ONE_ARRAY(rm2_manifold_log_volume, c, "c", "value");
    NO_CONTEXT(rm2_manifold_contains(NULL, m, 1, p, NULL, &count));
    MISSING("m", rm2_manifold_contains(ctx, NULL, 1, p, NULL, &count));
    MISSING("points", rm2_manifold_contains(ctx, m, 1, NULL, NULL, &count));
    MISSING("count", rm2_manifold_contains(ctx, m, 1, p, NULL, NULL));
    NO_CONTEXT(rm2_manifold_random(NULL, m, 1, out));
    MISSING("m", rm2_manifold_random(ctx, NULL, 1, out));
    MISSING("p", rm2_manifold_random(ctx, m, 1, NULL));
    rm2_manifold_free(m);
}

/* A call F at a base point. */
#define AT_BASE(F, in, in_name, out_name)                                                          \
    do {                                                                                           \
        NO_CONTEXT(F(NULL, m, 1, p, 1, in, out));                                                  \
        MISSING("m", F(ctx, NULL, 1, p, 1, in, out));                                              \
        MISSING("p", F(ctx, m, 1, NULL, 1, in, out));                                              \
        MISSING(in_name, F(ctx, m, 1, p, 1, NULL, out));                                           \
        MISSING(out_name, F(ctx, m, 1, p, 1, in, NULL));                                           \
    } while (0)

/* The same with a second tangent vector. */
#define AT_BASE_TWO(F, first, second, out_name)                                                    \
    do {                                                                                           \
        NO_CONTEXT(F(NULL, m, 1, p, 1, v, v, out));                                                \
        MISSING("m", F(ctx, NULL, 1, p, 1, v, v, out));                                            \
        MISSING("p", F(ctx, m, 1, NULL, 1, v, v, out));                                            \
        MISSING(first, F(ctx, m, 1, p, 1, NULL, v, out));                                          \
        MISSING(second, F(ctx, m, 1, p, 1, v, NULL, out));                                         \
        MISSING(out_name, F(ctx, m, 1, p, 1, v, v, NULL));                                         \
    } while (0)

static void maps(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    double out[9];
    AT_BASE(rm2_manifold_exp, v, "v", "y");
    AT_BASE(rm2_manifold_log, q, "q", "v");
    AT_BASE(rm2_manifold_distance, q, "q", "d");
    AT_BASE(rm2_manifold_to_coords, v, "v", "c");
    AT_BASE(rm2_manifold_from_coords, c, "c", "v");
    AT_BASE(rm2_manifold_exp_coords, c, "c", "y");
    AT_BASE(rm2_manifold_log_coords, q, "q", "c");
    AT_BASE_TWO(rm2_manifold_inner, "v", "w", "value");
    AT_BASE_TWO(rm2_manifold_transport, "v", "z", "out");
    AT_BASE_TWO(rm2_manifold_dexp, "v", "w", "out");
    rm2_manifold_free(m);
}

static void metrics(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    double out[9];
    NO_CONTEXT(rm2_manifold_metric(NULL, m, 1, c, 1, c, out));
    MISSING("m", rm2_manifold_metric(ctx, NULL, 1, c, 1, c, out));
    MISSING("c", rm2_manifold_metric(ctx, m, 1, NULL, 1, c, out));
    MISSING("W", rm2_manifold_metric(ctx, m, 1, c, 1, NULL, out));
    MISSING("out", rm2_manifold_metric(ctx, m, 1, c, 1, c, NULL));
    NO_CONTEXT(rm2_manifold_metric_derivative(NULL, m, 1, c, c, 1, c, out));
    MISSING("m", rm2_manifold_metric_derivative(ctx, NULL, 1, c, c, 1, c, out));
    MISSING("c", rm2_manifold_metric_derivative(ctx, m, 1, NULL, c, 1, c, out));
    MISSING("z", rm2_manifold_metric_derivative(ctx, m, 1, c, NULL, 1, c, out));
    MISSING("W", rm2_manifold_metric_derivative(ctx, m, 1, c, c, 1, NULL, out));
    MISSING("out", rm2_manifold_metric_derivative(ctx, m, 1, c, c, 1, c, NULL));
    rm2_manifold_free(m);
}

static void means(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    rm2_mean_settings s = rm2_mean_settings_default();
    double mean[3];
    NO_CONTEXT(rm2_manifold_mean(NULL, m, 1, p, NULL, &s, mean, NULL));
    MISSING("m", rm2_manifold_mean(ctx, NULL, 1, p, NULL, &s, mean, NULL));
    MISSING("points", rm2_manifold_mean(ctx, m, 1, NULL, NULL, &s, mean, NULL));
    MISSING("mean", rm2_manifold_mean(ctx, m, 1, p, NULL, &s, NULL, NULL));
    MUST(rm2_manifold_mean(ctx, m, 1, p, NULL, NULL, mean, NULL));
    rm2_manifold_free(m);
}

static void selftests(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    size_t failures;
    NO_CONTEXT(rm2_manifold_selftest(NULL, m, 1, NULL, NULL, &failures));
    MISSING("m", rm2_manifold_selftest(ctx, NULL, 1, NULL, NULL, &failures));
    MISSING("failures", rm2_manifold_selftest(ctx, m, 1, NULL, NULL, NULL));
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(manifolds), WITH_CONTEXT(points), WITH_CONTEXT(maps),
        WITH_CONTEXT(metrics),   WITH_CONTEXT(means),  WITH_CONTEXT(selftests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
