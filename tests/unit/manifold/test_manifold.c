/* Manifolds: the conformance suite on every geometry and on broken ones, spec strings, and the
 * messages of failing calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context_fixture.h"
#include "front/base.h"

/* ---- conformance suite ---------------------------------------------------------------------- */

static void print_failure(void *user, const char *property, double worst, double bound,
                          bool passed) {
    if (!passed)
        print_error("%s: %s: %g > %g\n", (const char *)user, property, worst, bound);
}

static void check_spec(rm2_context *ctx, const char *spec, size_t trials) {
    rm2_manifold *m = make_manifold(ctx, spec);
    size_t failures = 99;
    char label[64];
    (void)snprintf(label, sizeof label, "%s", spec);
    assert_int_equal(rm2_manifold_selftest(ctx, m, trials, print_failure, label, &failures),
                     RM2_OK);
    assert_int_equal(failures, 0);
    rm2_manifold_free(m);
}

static void every_manifold_conforms(void **state) {
    static const char *const specs[] = {
        "R1",       "R3",       "R10",      "S1",       "S2",
        "S3",       "S9",       "SO3",      "SPD1",     "SPD2",
        "SPD3",     "SPD7",     "H1",       "H2",       "H5",
        "SE3",      "SE2",      "T3",       "R3 x S3",  "R2 x SPD2 x H2",
        "SPD1:log", "SPD2:log", "SPD3:log", "SPD7:log", "R2 x SPD3:log"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        check_spec(*state, specs[i], 50);
}

static void large_manifolds_conform(void **state) {
    check_spec(*state, "SPD15", 5);
    check_spec(*state, "SPD15:log", 5);
    check_spec(*state, "SPD50:log", 1);
    check_spec(*state, "SPD50", 1); /* LAPACK's side of the switch; no determinants */
    check_spec(*state, "R600", 1);
    check_spec(*state, "S300 x H100", 1);
}

typedef struct tally {
    size_t rows, failed;
    char names[64][64]; /* of the failed properties */
} tally;

static void count_row(void *user, const char *property, double worst, double bound, bool passed) {
    tally *t = user;
    t->rows++;
    assert_true(passed == (worst <= bound));
    if (!passed)
        (void)snprintf(t->names[t->failed++], sizeof t->names[0], "%s", property);
}

static bool failed(const tally *t, const char *property) {
    for (size_t i = 0; i < t->failed; i++)
        if (strcmp(t->names[i], property) == 0)
            return true;
    return false;
}

static void suite_reports_every_property(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    tally t = {.rows = 0};
    size_t failures;
    assert_int_equal(rm2_manifold_selftest(ctx, m, 3, count_row, &t, &failures), RM2_OK);
    assert_int_equal(t.rows, 36);
    assert_int_equal(t.failed, 0);
    assert_int_equal(rm2_manifold_selftest(ctx, m, 3, NULL, NULL, &failures), RM2_OK);
    rm2_manifold_free(m);
}

static void suite_refuses_no_trials(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    size_t failures;
    assert_int_equal(rm2_manifold_selftest(ctx, m, 0, NULL, NULL, &failures), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "trial");
    assert_int_equal(rm2_manifold_selftest(NULL, m, 1, NULL, NULL, &failures), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_selftest(ctx, NULL, 1, NULL, NULL, &failures), RM2_ERR_ARGUMENT);
    rm2_manifold_free(m);
}

/* The suite leaves the number of threads as it was. */
static void suite_restores_the_threads(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S2");
    size_t failures;
    rm2_context_set_threads(ctx, 3);
    assert_int_equal(rm2_manifold_selftest(ctx, m, 1, NULL, NULL, &failures), RM2_OK);
    assert_int_equal(rm2_context_threads(ctx), 3);
    rm2_manifold_free(m);
}

/* ---- broken geometries ---------------------------------------------------------------------- */

static rm2_status wrong_volume(size_t n, const double *c, double *value, double *work) {
    rm2_status status = rm2_sphere.log_volume(n, c, value, work);
    *value *= 2; /* log((sin r/r)^2) instead of log(sin r/r) */
    return status;
}

static rm2_status stretching_transport(size_t n, const double *frame, const double *c,
                                       const double *z, double *out, double *work) {
    rm2_status status = rm2_sphere.transport(n, frame, c, z, out, work);
    for (size_t i = 0; i <= n; i++)
        out[i] *= 1 + 1e-8;
    return status;
}

/* The frame vector itself instead of the carried one. */
static rm2_status lazy_transport(size_t n, const double *frame, const double *c, const double *z,
                                 double *out, double *work) {
    (void)c;
    rm2_sphere.from_coords(n, frame, z, out, work);
    return RM2_OK;
}

static void double_from_coords(size_t n, const double *frame, const double *c, double *v,
                               double *work) {
    rm2_sphere.from_coords(n, frame, c, v, work);
    for (size_t i = 0; i <= n; i++)
        v[i] *= 2;
}

static void half_to_coords(size_t n, const double *frame, const double *v, double *c,
                           double *work) {
    rm2_sphere.to_coords(n, frame, v, c, work);
    for (size_t i = 0; i < n; i++)
        c[i] /= 2;
}

static rm2_status negative_log(size_t n, const double *frame, const double *q, double *c,
                               double *work) {
    rm2_status status = rm2_sphere.log(n, frame, q, c, work);
    for (size_t i = 0; i < n; i++)
        c[i] = -c[i];
    return status;
}

static rm2_status failing_log(size_t n, const double *frame, const double *q, double *c,
                              double *work) {
    (void)n, (void)frame, (void)q, (void)c, (void)work;
    return RM2_ERR_NUMERIC;
}

static rm2_status chord(size_t n, const double *p, const double *q, double *d, double *work) {
    (void)work;
    double sum = 0;
    for (size_t i = 0; i <= n; i++)
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    *d = sqrt(sum);
    return RM2_OK;
}

static rm2_status lopsided_distance(size_t n, const double *p, const double *q, double *d,
                                    double *work) {
    rm2_status status = rm2_sphere.distance(n, p, q, d, work);
    if (p[0] > q[0])
        *d *= 1 + 1e-9;
    return status;
}

static rm2_status not_a_number(size_t n, const double *c, const rm2_product_query *query,
                               double *work) {
    rm2_status status = rm2_sphere.metric(n, c, query, work);
    query->out[0] = NAN;
    return status;
}

/* dG in half the direction: right at 0 and symmetric, but not the derivative. */
static rm2_status half_derivative(size_t n, const double *c, const double *z,
                                  const rm2_product_query *query, double *work) {
    rm2_status status = rm2_sphere.metric_derivative(n, c, z, query, work);
    for (size_t k = 0; k < query->count; k++)
        for (size_t i = 0; i < n; i++)
            query->out[k * query->stride + i] *= 0.5;
    return status;
}

static rm2_status transport_as_dexp(size_t n, const double *frame, const double *c, const double *w,
                                    double *out, double *work) {
    return rm2_sphere.transport(n, frame, c, w, out, work);
}

static rm2_status no_projection(size_t n, const double *x, double *y, double *work) {
    (void)work;
    for (size_t i = 0; i <= n; i++)
        y[i] = 1.01 * x[i];
    return RM2_OK;
}

static void in_the_cube(size_t n, rm2_rng *rng, double *p, double *work) {
    (void)work;
    for (size_t i = 0; i <= n; i++)
        p[i] = rm2_rng_uniform(rng);
}

static rm2_status no_norms(size_t n, const double *c, const rm2_norms_query *query, double *work) {
    (void)n, (void)c, (void)query, (void)work;
    return RM2_OK;
}

static const struct {
    const char *property; /* that must fail */
    rm2_geometry part;    /* members other than NULL replace those of the sphere */
} broken[] = {
    {"log_volume is half log det of the metric", {.log_volume = wrong_volume}},
    {"log_volume is log |det dExp|", {.log_volume = wrong_volume}},
    {"transport is an isometry", {.transport = stretching_transport}},
    {"transport carries the velocity", {.transport = lazy_transport}},
    {"to_coords inverts from_coords", {.from_coords = double_from_coords}},
    {"frame is orthonormal", {.from_coords = double_from_coords}},
    {"frame is the derivative of Exp at 0",
     {.from_coords = double_from_coords, .to_coords = half_to_coords}},
    {"Log inverts Exp", {.log = negative_log}},
    {"Exp inverts Log", {.log = negative_log}},
    {"Log of the base is 0", {.log = failing_log}},
    {"|Log| is the distance", {.distance = chord}},
    {"geodesics have constant speed", {.distance = chord}},
    {"distance is symmetric", {.distance = lopsided_distance}},
    {"metric is dExp^T g dExp", {.metric = not_a_number}},
    {"metric at 0 is the identity", {.metric = not_a_number}},
    {"Gauss lemma: G(c) c = c", {.metric = not_a_number}},
    {"metric_derivative is the derivative of metric", {.metric_derivative = half_derivative}},
    {"metric_norms are those of metric and its derivative", {.metric_norms = no_norms}},
    {"dExp is the derivative of Exp", {.dexp = transport_as_dexp}},
    {"projection keeps points", {.project = no_projection}},
    {"projection is idempotent", {.project = no_projection}},
    {"random points lie on the manifold", {.random_point = in_the_cube}},
};

static rm2_geometry broken_sphere(const rm2_geometry *part) {
    rm2_geometry g = rm2_sphere;
    g.name = "Broken";
#define REPLACE(member) g.member = part->member ? part->member : g.member
    REPLACE(log_volume);
    REPLACE(transport);
    REPLACE(from_coords);
    REPLACE(to_coords);
    REPLACE(log);
    REPLACE(distance);
    REPLACE(metric);
    REPLACE(metric_derivative);
    REPLACE(metric_norms);
    REPLACE(dexp);
    REPLACE(project);
    REPLACE(random_point);
#undef REPLACE
    return g;
}

static tally run_suite(rm2_context *ctx, const rm2_geometry *g) {
    const rm2_factor factors[2] = {{.geometry = g, .n = 2}, {.geometry = &rm2_euclidean, .n = 1}};
    rm2_manifold *m;
    tally t = {.rows = 0};
    size_t failures;
    assert_int_equal(rm2_manifold_from_factors(ctx, factors, 2, &m), RM2_OK);
    assert_int_equal(rm2_manifold_selftest(ctx, m, 5, count_row, &t, &failures), RM2_OK);
    assert_int_equal(failures, t.failed);
    rm2_manifold_free(m);
    return t;
}

static void copied_geometry_conforms(void **state) {
    rm2_geometry g = broken_sphere(&(rm2_geometry){.name = NULL});
    tally t = run_suite(*state, &g);
    assert_int_equal(t.failed, 0);
}

static void suite_catches_broken_geometries(void **state) {
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        rm2_geometry g = broken_sphere(&broken[i].part);
        tally t = run_suite(*state, &g);
        if (!failed(&t, broken[i].property))
            fail_msg("breakage %zu is not caught by \"%s\"", i, broken[i].property);
    }
}

/* One broken function fails only the properties it has part in. */
static void suite_blames_the_broken_function(void **state) {
    rm2_geometry g = broken_sphere(&(rm2_geometry){.log_volume = wrong_volume});
    tally t = run_suite(*state, &g);
    assert_int_equal(t.failed, 2);
}

static rm2_status no_frame(size_t n, const double *p, double *frame, double *work) {
    (void)n, (void)p, (void)frame, (void)work;
    return RM2_ERR_DOMAIN;
}

static void geometry_without_frames_fails_everything(void **state) {
    rm2_geometry g = rm2_sphere;
    g.name = "Frameless";
    g.frame = no_frame;
    tally t = run_suite(*state, &g);
    assert_int_equal(t.failed, t.rows);
}

/* ---- spec strings --------------------------------------------------------------------------- */

static void specs_are_normalised(void **state) {
    static const char *const pairs[][2] = {
        {"R3", "R3"},
        {" s^2 ", "S2"},
        {"r3\xc3\x97s3", "R3 x S3"},
        {"R3xS3", "R3 x S3"},
        {"R3 X S3", "R3 x S3"},
        {"SO(3)", "SO3"},
        {"spd(15)", "SPD15"},
        {"spd(15):LOG x R2", "SPD15:log x R2"},
        {"SPDlog4", "SPD4:log"},
        {"SE3", "R3 x SO3"},
        {"se(2)", "R2 x S1"},
        {"T3", "S1 x S1 x S1"},
        {"R2 x SPD2 x H2", "R2 x SPD2 x H2"},
        {"R007", "R7"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        rm2_manifold *m = make_manifold(*state, pairs[i][0]),
                     *again = make_manifold(*state, rm2_manifold_spec(m));
        assert_string_equal(rm2_manifold_spec(m), pairs[i][1]);
        assert_string_equal(rm2_manifold_spec(again), pairs[i][1]);
        rm2_manifold_free(again);
        rm2_manifold_free(m);
    }
}

static void sizes_and_offsets_add_up(void **state) {
    rm2_manifold *m = make_manifold(*state, "R2 x SPD3 x SO3 x T7");
    assert_int_equal(rm2_manifold_dim(m), 2 + 6 + 3 + 7);
    assert_int_equal(rm2_manifold_ambient(m), 2 + 9 + 4 + 14);
    assert_int_equal(rm2_manifold_factor_count(m), 10);
    size_t dim = 0, ambient = 0;
    for (size_t i = 0; i < 10; i++) {
        const rm2_factor *f = rm2_manifold_factor(m, i);
        assert_int_equal(f->dim_offset, dim);
        assert_int_equal(f->ambient_offset, ambient);
        dim += f->dim;
        ambient += f->ambient;
    }
    assert_null(rm2_manifold_factor(m, 10));
    assert_ptr_equal(rm2_manifold_factor(m, 1)->geometry, &rm2_spd);
    rm2_manifold_free(m);
    rm2_manifold_free(NULL);
}

static void default_points(void **state) {
    rm2_manifold *m = make_manifold(*state, "R2 x S2 x SO3 x SPD2 x H1");
    const double expected[15] = {0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0};
    double p[15];
    rm2_manifold_default_point(m, p);
    assert_memory_equal(p, expected, sizeof p);
    rm2_manifold_free(m);
}

static void bad_specs_say_where_and_why(void **state) {
    rm2_context *ctx = *state;
    static const struct {
        const char *spec;
        int position;
        const char *why;
    } bad[] = {
        {"", 1, "expected a manifold"},
        {"   ", 4, "expected a manifold"},
        {"S0", 1, "S exists for n = 1 to"},
        {"R3 x SPD0", 6, "SPD exists for n = 1 to"},
        {"SO2", 1, "SO exists for n = 3 to 3"},
        {"R3 x", 5, "expected a manifold"},
        {"R3 S3", 4, "expected 'x'"},
        {"R3 * S3", 4, "expected 'x'"},
        {"Q4", 1, "no such manifold"},
        {"R3 x SE4", 6, "no such manifold"},
        {"T0", 1, "no such manifold"},
        {"T1001", 1, "no such manifold"},
        {"T1000 x T1", 9, "too many factors"},
        {"R", 2, "expected the number"},
        {"R-3", 2, "expected the number"},
        {"SO(3", 5, "expected ')'"},
        {"SO(3x", 5, "expected ')'"},
        {"R99999999999999999999999999", 1, "R exists for n = 1 to"},
        {"S18446744073709551618", 1, "S exists for n = 1 to"}, /* 2^64 + 2 */
        {"3R", 1, "expected a manifold"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rm2_manifold *m = (rm2_manifold *)state; /* anything that is not NULL */
        char expected[128];
        assert_int_equal(rm2_manifold_create(ctx, bad[i].spec, &m), RM2_ERR_ARGUMENT);
        assert_null(m);
        (void)snprintf(expected, sizeof expected, "manifold \"%s\", position %d: %s", bad[i].spec,
                       bad[i].position, bad[i].why);
        assert_contains(rm2_context_error(ctx), expected);
        assert_contains(rm2_context_error(ctx), "examples: \"R3 x S3\"");
    }
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, NULL, &m), RM2_ERR_ARGUMENT);
    assert_string_equal(rm2_context_error(ctx), "argument 'spec' is NULL");
}

static void bad_factors_are_refused(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m;
    rm2_factor none = {.geometry = NULL, .n = 1};
    rm2_factor small = {.geometry = &rm2_sphere, .n = 0};
    rm2_factor large = {.geometry = &rm2_spd, .n = 2001};
    rm2_factor good[2] = {{.geometry = &rm2_sphere, .n = 2}, none};
    assert_int_equal(rm2_manifold_from_factors(ctx, good, 0, &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "1 to 1000 factors, not 0");
    assert_int_equal(rm2_manifold_from_factors(ctx, good, 1001, &m), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_from_factors(ctx, good, 2, &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "factor 2 has no geometry");
    assert_int_equal(rm2_manifold_from_factors(ctx, &small, 1, &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "S0: S exists for n = 1 to");
    assert_int_equal(rm2_manifold_from_factors(ctx, &large, 1, &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "SPD2001");
    assert_null(m);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void wrong_number_of_bases(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2");
    double x[10] = {0}, y[10];
    assert_int_equal(rm2_manifold_log(ctx, m, 5, x, 2, x, y), RM2_ERR_ARGUMENT);
    assert_string_equal(rm2_context_error(ctx), "2 base points for 5 points: give 1 or 5");
    assert_int_equal(rm2_manifold_distance(ctx, m, 5, x, 4, x, y), RM2_ERR_ARGUMENT);
    assert_string_equal(rm2_context_error(ctx), "4 base points for 5 points: give 1 or 5");
    assert_int_equal(rm2_manifold_log(ctx, m, 0, x, 1, x, y), RM2_OK);
    rm2_manifold_free(m);
}

/* The first failing point is named, whatever the threads, with its factor. */
static void cut_locus_names_point_and_factor(void **state) {
    rm2_context *ctx = *state;
    enum { N = 300 };
    rm2_manifold *m = make_manifold(ctx, "R3 x S3");
    static double p[7 * N], q[7 * N], v[7 * N];
    assert_int_equal(rm2_manifold_random(ctx, m, N, p), RM2_OK);
    assert_int_equal(rm2_manifold_random(ctx, m, N, q), RM2_OK);
    static const size_t bad[] = {217, 38, 299};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 4; i++)
            q[7 * bad[k] + 3 + i] = -p[7 * bad[k] + 3 + i];
    for (int threads = 1; threads <= 4; threads++) {
        rm2_context_set_threads(ctx, threads);
        assert_int_equal(rm2_manifold_log(ctx, m, N, p, N, q, v), RM2_ERR_CUT_LOCUS);
        assert_contains(rm2_context_error(ctx), "point 38, factor 2 (S3): logarithm at the cut");
    }
    assert_int_equal(rm2_manifold_log(ctx, m, N, p + 7 * 217, 1, q, v), RM2_ERR_CUT_LOCUS);
    assert_contains(rm2_context_error(ctx), "point 217, factor 2 (S3)");
    rm2_manifold_free(m);
}

static void bad_shared_base_is_named(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1 x SPD2");
    double p[5] = {0, 1, 2, 2, 1}, q[10] = {0, 1, 0, 0, 1, 0, 1, 0, 0, 1}, v[10];
    assert_int_equal(rm2_manifold_log(ctx, m, 2, p, 1, q, v), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "base point, factor 2 (SPD2): point is not on");
    assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, q, v), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "point 0, factor 2 (SPD2): point is not on");
    rm2_manifold_free(m);
}

/* Calls that loop over points stop with RM2_INTERRUPTED. */
static void interrupt_stops_calls(void **state) {
    rm2_context *ctx = *state;
    enum { N = 2000 };
    rm2_manifold *m = make_manifold(ctx, "S2");
    static double p[3 * N], v[3 * N];
    size_t failures;
    rm2_mean_info info = {.size = sizeof info};
    assert_int_equal(rm2_manifold_random(ctx, m, N, p), RM2_OK);
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2_manifold_log(ctx, m, N, p, 1, p, v), RM2_INTERRUPTED);
    assert_string_equal(rm2_context_error(ctx), "interrupted");
    assert_int_equal(rm2_manifold_mean(ctx, m, N, p, NULL, NULL, v, &info), RM2_INTERRUPTED);
    assert_string_equal(rm2_context_error(ctx), "interrupted");
    assert_int_equal(rm2_manifold_selftest(ctx, m, 10, NULL, NULL, &failures), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(rm2_manifold_distance(ctx, m, N, p, 1, p, v), RM2_OK);
    rm2_manifold_free(m);
}

static void *interrupt_soon(void *ctx) {
    const struct timespec pause = {0, 100000000};
    (void)nanosleep(&pause, NULL);
    rm2_context_interrupt(ctx);
    return NULL;
}

/* Large matrices: a row of distances, or a part of a batch, takes many times longer than one. The interrupt comes when the call has hardly
 * begun; from then on it takes the time of a few distances. In units of one distance, in processor time of this process. */
static void interrupts_are_seen_between_large_points(void **state) {
    rm2_context *ctx = *state;
    enum { N = 400, SOME = 20, ENOUGH = 60 };
    rm2_manifold *m = make_manifold(ctx, "SPD30");
    size_t ambient = rm2_manifold_ambient(m);
    double *points = malloc(N * ambient * sizeof *points), *out = malloc(N * ambient * sizeof *out);
    assert_true(points && out);
    assert_int_equal(rm2_manifold_random(ctx, m, N, points), RM2_OK);
    rm2_context_set_threads(ctx, 1);
    clock_t start = clock();
    assert_int_equal(rm2_manifold_distance(ctx, m, SOME, points, 1, points, out), RM2_OK);
    double one = (double)(clock() - start) / SOME, before = 0.1 * CLOCKS_PER_SEC;
    pthread_t thread;
    start = clock();
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, ctx), 0);
    assert_int_equal(rm2_manifold_distances(ctx, m, N, points, out), RM2_INTERRUPTED);
    double took = (double)(clock() - start);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (took > before + ENOUGH * one)
        fail_msg("%g distances after the interrupt", (took - before) / one);
    rm2_context_clear_interrupt(ctx);
    free(points);
    free(out);
    rm2_manifold_free(m);
}

/* ---- mean ----------------------------------------------------------------------------------- */

/* However close together the points are, the mean converges, with the gradient of its rounding:
 * logarithms of points of size one are good to 1e-15. */
static void mean_of_tight_clusters(void **state) {
    rm2_context *ctx = *state;
    enum { N = 50 };
    static const char *const specs[] = {"R3", "S2", "SO3", "H2", "SPD3"};
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++)
        for (double spread = 0.1; spread > 1e-17; spread /= 100) {
            rm2_manifold *m = make_manifold(ctx, specs[s]);
            double p[9], c[6 * N], points[9 * N], mean[9];
            rm2_mean_info info = {.size = sizeof info};
            assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
            for (size_t i = 0; i < N * rm2_manifold_dim(m); i++)
                c[i] = spread * rm2_rng_normal(rm2_context_rng(ctx));
            assert_int_equal(rm2_manifold_exp_coords(ctx, m, N, p, 1, c, points), RM2_OK);
            assert_int_equal(rm2_manifold_mean(ctx, m, N, points, NULL, NULL, mean, &info), RM2_OK);
            assert_true(info.converged);
            assert_true(info.gradient <= 1e-14);
            rm2_manifold_free(m);
        }
}

/* Map coordinates in metres: offsets of 5e6 and a spread of some metres, next to orientations. The mean is that of the
 * positions less their offset: entries round at 5e6 * 2^-53, sums of 50 of them at no more than 50 times that. */
static void mean_of_points_with_offsets(void **state) {
    rm2_context *ctx = *state;
    enum { N = 50 };
    const double offset[3] = {453e3, 5031e3, 210};
    rm2_manifold *m = make_manifold(ctx, "R3 x S3");
    for (double spread = 1e3; spread > 1e-3; spread /= 10) {
        double points[7 * N], mean[7], sum[3] = {0, 0, 0};
        rm2_mean_info info = {.size = sizeof info};
        assert_int_equal(rm2_manifold_random(ctx, m, N, points), RM2_OK);
        for (size_t i = 0; i < N; i++) {
            double *x = points + 7 * i;
            x[3] = 5 * fabs(x[3]); /* orientations within one half of the sphere */
            for (size_t k = 0; k < 3; k++) {
                double deviation = spread * rm2_rng_normal(rm2_context_rng(ctx));
                x[k] = offset[k] + deviation;
                sum[k] += x[k] - offset[k];
            }
        }
        assert_int_equal(rm2_manifold_project(ctx, m, N, points, points), RM2_OK);
        assert_int_equal(rm2_manifold_mean(ctx, m, N, points, NULL, NULL, mean, &info), RM2_OK);
        if (!info.converged)
            fail_msg("spread %g: gradient %g after %d iterations", spread, info.gradient,
                     info.iterations);
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(mean[k] - offset[k] - sum[k] / N) <= 50 * 5031e3 * 0x1p-53);
    }
    rm2_manifold_free(m);
}

/* Matrices far apart: steps of constant length took 217 iterations. */
static void mean_in_strong_curvature(void **state) {
    rm2_context *ctx = *state;
    enum { N = 20, SIZE = 20 };
    rm2_manifold *m = make_manifold(ctx, "SPD20");
    size_t dim = rm2_manifold_dim(m), ambient = rm2_manifold_ambient(m);
    double *c = malloc(N * dim * sizeof *c), *points = malloc(N * ambient * sizeof *points);
    double *base = malloc(ambient * sizeof *base), *mean = malloc(ambient * sizeof *mean);
    rm2_mean_info info = {.size = sizeof info};
    assert_true(c && points && base && mean);
    rm2_manifold_default_point(m, base);
    for (size_t i = 0; i < N * dim; i++)
        c[i] = 0.6 * rm2_rng_normal(rm2_context_rng(ctx));
    assert_int_equal(rm2_manifold_exp_coords(ctx, m, N, base, 1, c, points), RM2_OK);
    assert_int_equal(rm2_manifold_mean(ctx, m, N, points, NULL, NULL, mean, &info), RM2_OK);
    if (!info.converged || info.iterations > 60)
        fail_msg("%d iterations, gradient %g", info.iterations, info.gradient);
    free(c);
    free(points);
    free(base);
    free(mean);
    rm2_manifold_free(m);
}

static void mean_with_weights(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1");
    double points[3] = {0, 1, 10}, weights[3] = {1, 3, 0}, mean;
    rm2_mean_info info = {.size = sizeof info};
    assert_int_equal(rm2_manifold_mean(ctx, m, 3, points, weights, NULL, &mean, &info), RM2_OK);
    assert_true(info.converged && fabs(mean - 0.75) < 1e-15);
    assert_true(fabs(info.variance - 3.0 / 16) < 1e-15);
    rm2_manifold_free(m);
}

/* All points but one at one place of the circle, that one opposite: it is named, whichever of the blocks it
 * is in that sums are made of. */
static void mean_names_the_point_at_the_cut_locus(void **state) {
    enum { MOST = 150 };
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S1");
    const size_t cases[][2] = {
        {12, 9}, {12, 11}, {64, 63}, {70, 67}, {MOST, 128}}; /* number, which */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double points[2 * MOST], mean[2];
        char expected[64];
        for (size_t i = 0; i < cases[k][0]; i++) {
            points[2 * i] = i == cases[k][1] ? -1 : 1;
            points[2 * i + 1] = 0;
        }
        assert_int_equal(rm2_manifold_mean(ctx, m, cases[k][0], points, NULL, NULL, mean, NULL),
                         RM2_ERR_CUT_LOCUS);
        (void)snprintf(expected, sizeof expected, "mean: point %zu (counted from 0) is at the cut",
                       cases[k][1]);
        assert_contains(rm2_context_error(ctx), expected);
    }
    rm2_manifold_free(m);
}

static void mean_refuses(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "S1");
    double points[4] = {1, 0, -1, 0}, mean[2], weights[2] = {0, 0};
    assert_int_equal(rm2_manifold_mean(ctx, m, 0, points, NULL, NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_mean(ctx, m, 2, points, weights, NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "all weights are 0");
    weights[1] = -1;
    assert_int_equal(rm2_manifold_mean(ctx, m, 2, points, weights, NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "weight 1 is -1");
    weights[1] = NAN;
    assert_int_equal(rm2_manifold_mean(ctx, m, 2, points, weights, NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_mean(ctx, m, 2, points, NULL, NULL, mean, NULL),
                     RM2_ERR_CUT_LOCUS);
    points[2] = NAN;
    assert_int_equal(rm2_manifold_mean(ctx, m, 2, points, NULL, NULL, mean, NULL), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "mean: point 1");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_manifold_conforms),
        WITH_CONTEXT(large_manifolds_conform),
        WITH_CONTEXT(suite_reports_every_property),
        WITH_CONTEXT(suite_refuses_no_trials),
        WITH_CONTEXT(suite_restores_the_threads),
        WITH_CONTEXT(copied_geometry_conforms),
        WITH_CONTEXT(suite_catches_broken_geometries),
        WITH_CONTEXT(suite_blames_the_broken_function),
        WITH_CONTEXT(geometry_without_frames_fails_everything),
        WITH_CONTEXT(specs_are_normalised),
        WITH_CONTEXT(sizes_and_offsets_add_up),
        WITH_CONTEXT(default_points),
        WITH_CONTEXT(bad_specs_say_where_and_why),
        WITH_CONTEXT(bad_factors_are_refused),
        WITH_CONTEXT(wrong_number_of_bases),
        WITH_CONTEXT(cut_locus_names_point_and_factor),
        WITH_CONTEXT(bad_shared_base_is_named),
        WITH_CONTEXT(interrupt_stops_calls),
        WITH_CONTEXT(mean_of_tight_clusters),
        WITH_CONTEXT(mean_of_points_with_offsets),
        WITH_CONTEXT(mean_in_strong_curvature),
        WITH_CONTEXT(interrupts_are_seen_between_large_points),
        WITH_CONTEXT(mean_with_weights),
        WITH_CONTEXT(mean_refuses),
        WITH_CONTEXT(mean_names_the_point_at_the_cut_locus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
