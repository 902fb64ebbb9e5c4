/* Manifolds as objects: references, equality, geometries of one's own by name, and points that are
 * moved onto a manifold or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "context_fixture.h"
#include "front/base.h"
#include "riemann2/trajectory.h"
#include "trajectory/dtw.h"

/* ---- references ----------------------------------------------------------------------------- */

static void references_are_counted(void **state) {
    rm2_manifold *m = make_manifold(*state, "R3 x S3");
    rm2_manifold *second = rm2_manifold_retain(m);
    assert_ptr_equal(second, m);
    rm2_manifold_free(m);
    assert_string_equal(rm2_manifold_spec(second), "R3 x S3"); /* under ASan: still there */
    rm2_manifold_free(second);
    assert_null(rm2_manifold_retain(NULL));
}

enum { THREADS = 4, TURNS = 20000 };

static void *hold_and_let_go(void *shared) {
    const rm2_manifold *m = shared;
    for (int i = 0; i < TURNS; i++)
        rm2_manifold_free(rm2_manifold_retain(m));
    return rm2_manifold_retain(m);
}

/* Every reference that is taken is given back, however the threads take turns: a lost one would leak
 * under ASan, one too few would free the manifold that is read at the end. */
static void references_from_many_threads(void **state) {
    rm2_manifold *m = make_manifold(*state, "SPD3");
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hold_and_let_go, m), 0);
    for (int i = 0; i < THREADS; i++) {
        void *held;
        assert_int_equal(pthread_join(thread[i], &held), 0);
        rm2_manifold_free(held);
    }
    assert_int_equal(rm2_manifold_dim(m), 6);
    rm2_manifold_free(m);
}

typedef struct share {
    const rm2_manifold *m;
    double worst;
} share;

/* Each thread has a context of its own: Log inverts Exp at random points. */
static void *use_manifold(void *arg) {
    share *s = arg;
    enum { N = 50, D = 12, M = 9 };
    rm2_context *ctx;
    double p[D], c[N * M], y[N * D], back[N * M];
    s->worst = INFINITY;
    if (rm2_context_create(&ctx) != RM2_OK)
        return NULL;
    for (size_t i = 0; i < N * M; i++)
        c[i] = 0.3 * rm2_rng_normal(rm2_context_rng(ctx));
    if (rm2_manifold_random(ctx, s->m, 1, p) == RM2_OK &&
        rm2_manifold_exp_coords(ctx, s->m, N, p, 1, c, y) == RM2_OK &&
        rm2_manifold_log_coords(ctx, s->m, N, p, 1, y, back) == RM2_OK) {
        s->worst = 0;
        for (size_t i = 0; i < N * M; i++)
            s->worst = fmax(s->worst, fabs(back[i] - c[i]));
    }
    rm2_context_free(ctx);
    return NULL;
}

static void one_manifold_two_contexts(void **state) {
    rm2_manifold *m = make_manifold(*state, "R3 x SPD3"); /* 12 entries, 9 coordinates */
    share shares[2] = {{m, NAN}, {m, NAN}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use_manifold, &shares[i]), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_true(shares[i].worst < 1e-12); /* condition of the points, about 1e2, times 1e-16 */
    }
    assert_true(shares[0].worst == shares[1].worst); /* the same seed, bit for bit */
    rm2_manifold_free(m);
}

static void equality_is_of_factors(void **state) {
    rm2_manifold *a = make_manifold(*state, "SE3"), *b = make_manifold(*state, "r3 x SO(3)");
    rm2_manifold *c = make_manifold(*state, "R3 x S3"), *d = make_manifold(*state, "R3");
    rm2_geometry copy = rm2_euclidean;
    rm2_manifold *e;
    copy.name = "Copy";
    assert_int_equal(
        rm2_manifold_from_factors(*state, &(rm2_factor){.geometry = &copy, .n = 3}, 1, &e), RM2_OK);
    assert_true(rm2_manifold_equal(a, b) && rm2_manifold_equal(a, a));
    assert_false(rm2_manifold_equal(a, c) || rm2_manifold_equal(a, d));
    assert_false(rm2_manifold_equal(d, e)); /* another table is another geometry */
    assert_true(rm2_manifold_equal(NULL, NULL));
    assert_false(rm2_manifold_equal(a, NULL) || rm2_manifold_equal(NULL, a));
    rm2_manifold *all[] = {a, b, c, d, e};
    for (size_t i = 0; i < 5; i++)
        rm2_manifold_free(all[i]);
}

/* ---- geometries by name ---------------------------------------------------------------------- */

static rm2_geometry named_sphere(const char *name) {
    rm2_geometry g = rm2_sphere;
    g.name = name;
    return g;
}

static void registered_names_parse(void **state) {
    rm2_context *ctx;
    (void)state;
    rm2_geometry globe = named_sphere("Globe"), xs = named_sphere("x");
    rm2_manifold *m = NULL, *same = NULL;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    assert_int_equal(rm2_manifold_create(ctx, "R2 x Globe2", &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "position 6: no such manifold");
    assert_contains(rm2_context_error(ctx), "Globe must be registered");
    assert_int_equal(rm2_manifold_register(ctx, &globe), RM2_OK);
    assert_int_equal(rm2_manifold_register(ctx, &globe), RM2_OK); /* again: nothing to do */
    assert_int_equal(rm2_manifold_register(ctx, &xs), RM2_OK);
    assert_int_equal(rm2_manifold_register(ctx, &rm2_spd), RM2_OK); /* built in: likewise */
    assert_int_equal(rm2_manifold_create(ctx, "r2xgLOBE(2)xX^3", &m), RM2_OK);
    assert_string_equal(rm2_manifold_spec(m), "R2 x Globe2 x x3");
    assert_ptr_equal(rm2_manifold_factor(m, 1)->geometry, &globe);
    assert_int_equal(rm2_manifold_factor(m, 2)->n, 3);
    assert_int_equal(rm2_manifold_create(ctx, rm2_manifold_spec(m), &same), RM2_OK);
    assert_true(rm2_manifold_equal(m, same));
    rm2_manifold_free(m);
    rm2_manifold_free(same);
    assert_int_equal(rm2_manifold_create(ctx, "Globe0", &m), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "Globe exists for n = 1 to");
    rm2_context_free(ctx);
}

static void assert_name_refused(rm2_context *ctx, const char *name, const char *why) {
    rm2_geometry g = named_sphere(name);
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_register(ctx, &g), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), why);
    assert_int_equal(rm2_manifold_from_factors(ctx, &(rm2_factor){.geometry = &g, .n = 2}, 1, &m),
                     RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), why);
    assert_null(m);
}

static void names_that_mean_something_else(void **state) {
    rm2_context *ctx;
    (void)state;
    rm2_geometry globe = named_sphere("Globe");
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    assert_int_equal(rm2_manifold_register(ctx, &globe), RM2_OK);
    static const char *const taken[] = {"S", "spd", "SO", "t", "SE", "GLOBE"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        assert_name_refused(ctx, taken[i], "belongs to another geometry");
    static const char *const invalid[] = {NULL, "", "Globe2", "my globe", "abcdefghijklmnopqrstu"};
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_name_refused(ctx, invalid[i], "1 to 20 letters");
    rm2_geometry longest = named_sphere("abcdefghijklmnopqrst");
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_register(ctx, &longest), RM2_OK);
    assert_int_equal(rm2_manifold_create(ctx, "abcdefghijklmnopqrst4", &m), RM2_OK);
    assert_string_equal(rm2_manifold_spec(m), "abcdefghijklmnopqrst4");
    rm2_manifold_free(m);
    rm2_context_free(ctx);
}

static void incomplete_geometries(void **state) {
    rm2_context *ctx = *state;
    rm2_geometry g = named_sphere("Globe");
    rm2_manifold *m;
    g.log_volume = NULL;
    assert_int_equal(rm2_manifold_from_factors(ctx, &(rm2_factor){.geometry = &g, .n = 2}, 1, &m),
                     RM2_ERR_ARGUMENT);
    assert_string_equal(rm2_context_error(ctx), "geometry Globe: function log_volume is missing");
    g = named_sphere("Globe");
    g.exp_many = NULL;
    assert_int_equal(rm2_manifold_register(ctx, &g), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "exp_many is missing");
    g.many_n_max = 0; /* now it is not asked for */
    g.n_max = 0;
    assert_int_equal(rm2_manifold_register(ctx, &g), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "n_min 1 is larger than n_max 0");
    assert_int_equal(rm2_manifold_register(ctx, NULL), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "'geometry' is NULL");
    assert_int_equal(rm2_manifold_register(NULL, &rm2_sphere), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_create(ctx, "R1", NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_from_factors(ctx, NULL, 1, &m), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_manifold_from_factors(ctx, &(rm2_factor){.geometry = &g}, 1, NULL),
                     RM2_ERR_ARGUMENT);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void off_the_manifold(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *x,
                             const char *why) {
    double y[10];
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, n, x, y), RM2_ERR_DOMAIN);
    assert_string_equal(rm2_context_error(ctx), why);
}

static void points_within_a_tolerance(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2 x S2");
    const double on[5] = {7, -1e30, 0.6, 0, 0.8};
    double off[10], y[10];
    memcpy(off, on, sizeof on);
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 0, 1, on, y), RM2_OK);
    assert_memory_equal(y, on, sizeof on);
    off[2] *= 1 + 1e-15; /* rounding: taken as it is */
    off[4] *= 1 + 1e-15;
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, 1, off, off), RM2_OK);
    assert_true(off[2] != on[2] && off[4] != on[4]);
    for (size_t k = 2; k < 5; k++)
        off[k] = 1.0005 * on[k];
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, 1, off, off),
                     RM2_OK); /* in place */
    for (size_t k = 0; k < 5; k++)
        assert_true(fabs(off[k] - on[k]) <= 2e-16 * fabs(on[k]));
    memcpy(off + 5, on, sizeof on);
    off[7] = 3;
    off_the_manifold(
        ctx, m, 2, off,
        "point 1, factor 2 (S2) is off the manifold by 2.1e+00, more than the tolerance "
        "0.001");
    off_the_manifold(ctx, m, 1, off + 5,
                     "factor 2 (S2) is off the manifold by 2.1e+00, more than the tolerance 0.001");
    off[6] = INFINITY;
    off_the_manifold(ctx, m, 2, off, "point 1, entry 1 (counted from 0) is inf: must be finite");
    off[1] = NAN;
    off_the_manifold(ctx, m, 2, off, "point 0, entry 1 (counted from 0) is nan: must be finite");
    assert_int_equal(rm2_manifold_project_within(ctx, m, "goal", 1e-3, 2, off, y), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "goal: point 0, entry 1");
    rm2_manifold_free(m);
    m = make_manifold(ctx, "SO3");
    off_the_manifold(
        ctx, m, 1, (double[]){0, 0, 0, 0},
        "factor 1 (SO3) is off the manifold by 1.0e+00, more than the tolerance 0.001");
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 2, 1, (double[]){0, 0, 0, 0}, y),
                     RM2_ERR_DOMAIN); /* within the tolerance, but nothing is nearest */
    rm2_manifold_free(m);
}

static void keep_line(void *line, rm2_log_level level, const char *text) {
    if (level == RM2_LOG_WARNING)
        (void)snprintf(line, 200, "%s", text);
}

static void moved_points_are_logged(void **state) {
    rm2_context *ctx = *state;
    char line[200] = "";
    rm2_manifold *m = make_manifold(ctx, "S2");
    double x[9] = {1, 0, 0, 0, 1.0001, 0, 0, 0, 1.0002}, y[9];
    rm2_context_set_log(ctx, keep_line, line);
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, 1, x, y), RM2_OK);
    x[0] = 1 + 9e-7;
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, 1, x, y), RM2_OK);
    assert_string_equal(line, "");
    assert_int_equal(rm2_manifold_project_within(ctx, m, NULL, 1e-3, 3, x, y), RM2_OK);
    assert_string_equal(line, "point 2, factor 1 (S2) is off the manifold by 2.0e-04, others by "
                              "less; projected");
    rm2_context_set_log(ctx, NULL, NULL);
    rm2_manifold_free(m);
}

/* Calls that need a frame see a base point that is none; one off by rounding is taken. */
static void bad_base_points(void **state) {
    rm2_context *ctx = *state;
    static const struct {
        const char *spec;
        double off[4], near[4], point[4];
    } cases[] = {
        {"S2", {3, 0, 0}, {1.0005, 0, 0}, {0, 1, 0}},
        {"SO3", {0, 0, 0, 0}, {0.9995, 0, 0, 0}, {0.8, 0.6, 0, 0}},
        {"H2", {1, 1, 0}, {1.0005, 0, 0}, {1, 0, 0}},
        {"SPD2", {1, 0.1, 0, 1}, {1, 0.0005, 0, 1}, {1, 0, 0, 1}},
        {"SPD2", {1, 2, 2, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},
        {"R2", {NAN, 0}, {0, 0}, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rm2_manifold *m = make_manifold(ctx, cases[i].spec);
        size_t D = rm2_manifold_ambient(m);
        double two[8], v[8];
        for (size_t k = 0; k < 2; k++)
            memcpy(two + k * D, cases[i].point, D * sizeof *two);
        for (size_t n = 1; n <= 2; n++) {
            assert_int_equal(rm2_manifold_log(ctx, m, n, cases[i].off, 1, two, v), RM2_ERR_DOMAIN);
            assert_contains(rm2_context_error(ctx), "not on the manifold");
            assert_int_equal(rm2_manifold_log(ctx, m, n, cases[i].near, 1, two, v), RM2_OK);
        }
        memcpy(two + D, cases[i].off, D * sizeof *two);
        assert_int_equal(rm2_manifold_log(ctx, m, 2, two, 2, two, v), RM2_ERR_DOMAIN);
        assert_contains(rm2_context_error(ctx), "point 1, factor 1");
        rm2_manifold_free(m);
    }
}

/* q and 5 q are one direction, but 5 q is no point of the sphere: every call that reads points says so and names the
 * point; a point that is off by less than the tolerance is taken. */
static void points_off_the_manifold(void **state) {
    rm2_context *ctx = *state;
    static const struct {
        const char *spec;
        double good[5], near[5], off[5];
    } cases[] = {
        {"S2", {0, 0.6, 0.8}, {0, 0.6003, 0.8004}, {0, 3, 4}},
        {"SO3", {0.6, 0.8, 0, 0}, {0.6003, 0.8004, 0, 0}, {0.3, 0.4, 0, 0}},
        {"H2", {1, 0, 0}, {1.0005, 0, 0}, {2, 0, 0}},
        {"SPD2", {1, 0.1, 0.1, 1}, {1, 0.1, 0.1005, 1}, {1, 0.1, 0.3, 1}},
        {"SPD2:log", {1, 0.1, 0.1, 1}, {1, 0.1, 0.1005, 1}, {1, 0.1, 0.3, 1}},
        {"R2 x S2", {7, 8, 1, 0, 0}, {7, 8, 1.0005, 0, 0}, {7, 8, 5, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum { N = 40, AMBIENT = 5 }; /* enough for threads and for many points at once */
        rm2_manifold *m = make_manifold(ctx, cases[i].spec);
        size_t D = rm2_manifold_ambient(m);
        double x[N * AMBIENT], out[N * N], p[AMBIENT];
        rm2_manifold_default_point(m, p);
        for (int off = 0; off < 2; off++) {
            rm2_status expected = off ? RM2_ERR_DOMAIN : RM2_OK;
            for (size_t k = 0; k < N; k++)
                memcpy(x + k * D, cases[i].good, D * sizeof *x);
            memcpy(x + 33 * D, off ? cases[i].off : cases[i].near, D * sizeof *x);
            rm2_sequence a = {N, D, x}, b = {1, D, p};
            rm2_dtw_settings s = rm2_dtw_settings_default();
            s.manifold = m;
            const struct {
                const char *call;
                rm2_status status;
            } calls[] = {
                {"distance", rm2_manifold_distance(ctx, m, N, p, 1, x, out)},
                {"distance, from", rm2_manifold_distance(ctx, m, N, x, N, x, out)},
                {"distances", rm2_manifold_distances(ctx, m, N, x, out)},
                {"log", rm2_manifold_log(ctx, m, N, p, 1, x, out)},
                {"log, one base point each", rm2_manifold_log(ctx, m, N, x, N, x, out)},
                {"log_coords", rm2_manifold_log_coords(ctx, m, N, p, 1, x, out)},
                {"mean", rm2_manifold_mean(ctx, m, N, x, NULL, NULL, out, NULL)},
                {"dtw", rm2i_dtw(ctx, &s, &b, &a, out)},
            };
            for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
                if (calls[c].status != expected)
                    fail_msg("%s, %s, %s: status %d", cases[i].spec, calls[c].call,
                             off ? "off" : "near", (int)calls[c].status);
            if (off)
                assert_contains(rm2_context_error(ctx), "sequence 1, point 33, factor");
            if (off && i == 5) {
                assert_int_equal(rm2_manifold_log(ctx, m, N, p, 1, x, out), RM2_ERR_DOMAIN);
                assert_string_equal(rm2_context_error(ctx), "point 33, factor 2 (S2): point is not "
                                                            "on the manifold, off by 4");
            }
        }
        rm2_manifold_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(references_from_many_threads),
        cmocka_unit_test(one_manifold_two_contexts),
        cmocka_unit_test(equality_is_of_factors),
        cmocka_unit_test(registered_names_parse),
        cmocka_unit_test(names_that_mean_something_else),
        cmocka_unit_test(incomplete_geometries),
        cmocka_unit_test(points_within_a_tolerance),
        cmocka_unit_test(moved_points_are_logged),
        cmocka_unit_test(bad_base_points),
        cmocka_unit_test(points_off_the_manifold),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}
