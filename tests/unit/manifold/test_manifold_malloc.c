/* Every allocation of the manifold layer fails once: the call answers RM2_ERR_MEMORY, hands out
 * nothing and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "failing_malloc.h"
#include "front/base.h"
#include "riemann2/manifold.h"

/* ---- calls under test ----------------------------------------------------------------------- */

enum { POINTS = 200 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *m;
    double points[POINTS * 7], out[POINTS * 7];
} fixture;

static rm2_status create_context(void *state) {
    (void)state;
    rm2_context *ctx;
    rm2_status status = rm2_context_create(&ctx);
    assert_true((status == RM2_OK) == (ctx != NULL));
    rm2_context_free(ctx);
    return status;
}

static rm2_status create_manifold(void *state) {
    fixture *f = state;
    rm2_manifold *m;
    rm2_status status = rm2_manifold_create(f->ctx, "R3 x S3 x SPD2 x T5", &m);
    assert_true((status == RM2_OK) == (m != NULL));
    rm2_manifold_free(m);
    return status;
}

static rm2_status batch_log_shared(void *state) {
    fixture *f = state;
    return rm2_manifold_log(f->ctx, f->m, POINTS, f->points, 1, f->points, f->out);
}

static rm2_status batch_log_own(void *state) {
    fixture *f = state;
    return rm2_manifold_log(f->ctx, f->m, POINTS, f->points, POINTS, f->points, f->out);
}

static rm2_status register_geometry(void *state) {
    static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
    rm2_geometry g[6];
    rm2_context *ctx;
    rm2_status status = rm2_context_create(&ctx);
    (void)state;
    for (size_t i = 0; i < 6 && status == RM2_OK; i++) {
        g[i] = rm2_sphere;
        g[i].name = names[i];
        status = rm2_manifold_register(ctx, &g[i]);
    }
    rm2_context_free(ctx);
    return status;
}

static rm2_status project_within(void *state) {
    fixture *f = state;
    return rm2_manifold_project_within(f->ctx, f->m, NULL, 1e-3, POINTS, f->points, f->out);
}

static rm2_status random_points(void *state) {
    fixture *f = state;
    return rm2_manifold_random(f->ctx, f->m, POINTS, f->out);
}

static rm2_status mean(void *state) {
    fixture *f = state;
    rm2_mean_info info = {.size = sizeof info};
    return rm2_manifold_mean(f->ctx, f->m, POINTS, f->points, NULL, NULL, f->out, &info);
}

static rm2_status selftest(void *state) {
    fixture *f = state;
    size_t failures;
    rm2_status status = rm2_manifold_selftest(f->ctx, f->m, 2, NULL, NULL, &failures);
    assert_int_equal(failures, 0);
    return status;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static fixture shared;

static int set_up(void **state) {
    fixture *f = *state = &shared;
    if (rm2_context_create(&f->ctx) != RM2_OK ||
        rm2_manifold_create(f->ctx, "R1 x S2 x H2", &f->m) != RM2_OK)
        return -1;
    rm2_context_set_threads(f->ctx, 1);
    double c[5 * POINTS], p[7];
    for (size_t i = 0; i < 5 * POINTS; i++) /* within 90 degrees, so that a mean exists */
        c[i] = rm2_rng_uniform(rm2_context_rng(f->ctx)) - 0.5;
    rm2_manifold_default_point(f->m, p);
    return rm2_manifold_exp_coords(f->ctx, f->m, POINTS, p, 1, c, f->points) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_manifold_free(f->m);
    rm2_context_free(f->ctx);
    return 0;
}

static long fail_each(fixture *f, allocating_fn call) {
    return fail_each_allocation(f->ctx, call, f);
}

static void creation(void **state) {
    assert_int_equal(fail_each_allocation(NULL, create_context, NULL), 1);
    assert_true(fail_each(*state, create_manifold) >= 4); /* factors, offsets, spec, object */
    assert_true(fail_each_allocation(NULL, register_geometry, NULL) >= 7);
}

static void batches(void **state) {
    assert_true(fail_each(*state, batch_log_shared) >= 2); /* the shared frame too */
    assert_true(fail_each(*state, batch_log_own) >= 1);
    assert_true(fail_each(*state, random_points) >= 1);
    assert_true(fail_each(*state, project_within) >= 2);
}

/* A failing batch allocates once more to find out which factor it was. */
static void explanation(void **state) {
    fixture *f = *state;
    double q[7];
    memcpy(q, f->points, sizeof q);
    for (size_t i = 1; i < 4; i++)
        q[i] = -q[i];
    fail_allocation_after(1, false);
    assert_int_equal(rm2_manifold_log(f->ctx, f->m, 1, f->points, 1, q, f->out), RM2_ERR_MEMORY);
    fail_no_allocation();
    assert_int_equal(rm2_manifold_log(f->ctx, f->m, 1, f->points, 1, q, f->out), RM2_ERR_CUT_LOCUS);
}

static void means(void **state) {
    assert_true(fail_each(*state, mean) >= 3);
}

static void conformance_suite(void **state) {
    assert_true(fail_each(*state, selftest) >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),          cmocka_unit_test(batches),
        cmocka_unit_test(explanation),       cmocka_unit_test(means),
        cmocka_unit_test(conformance_suite),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
