/* Families from distances: groups that are there by construction, with odd ones among them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/base.h"
#include "start/families.h"

enum { MOST = 24 };

/* Distances of points on a line, and a little noise. */
static void line(size_t n, const double *x, double *distance) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double d = i == j ? 0 : fabs(x[i] - x[j]) + 0.1 + 0.01 * rm2_rng_uniform(&rng);
            distance[i * n + j] = distance[j * n + i] = d;
        }
}

static size_t find(rm2_context *ctx, size_t n, const double *x, size_t *family) {
    double distance[MOST * MOST];
    size_t count = 0;
    line(n, x, distance);
    assert_int_equal(rm2i_families(ctx, n, distance, family, &count), RM2_OK);
    return count;
}

static void one_motion_is_one_family(void **state) {
    double x[MOST];
    size_t family[MOST];
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++)
            x[i] = 0.2 * rm2_rng_uniform(&rng);
        assert_int_equal(find(*state, n, x, family), 1);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(family[i], 0);
    }
}

static void groups_are_found_in_any_order(void **state) {
    double x[12];
    size_t family[12], expected[12];
    for (size_t i = 0; i < 12; i++) { /* three groups, interleaved */
        expected[i] = i % 3;
        x[i] = 0.7 * (double)(i % 3) + 0.01 * (double)i;
    }
    assert_int_equal(find(*state, 12, x, family), 3);
    assert_memory_equal(family, expected, sizeof expected);
}

/* A stray joins the nearest group, and does not keep groups from being found. */
static void strays_join(void **state) {
    double x[] = {0, 0.05, 0.02, 0.01, 0.7, 0.72, 0.71, 1.1};
    size_t family[8], expected[] = {0, 0, 0, 0, 1, 1, 1, 1};
    assert_int_equal(find(*state, 8, x, family), 2);
    assert_memory_equal(family, expected, sizeof expected);
}

/* Groups of two are no families; nor are those that are close, or hardly farther apart than wide. */
static void few_or_close_are_one(void **state) {
    double pairs[] = {0, 0.01, 0.7, 0.71}, close[] = {0, 0.01, 0.02, 0.2, 0.21, 0.22};
    double wide[] = {0, 0.3, 0.6, 0.9, 1.2, 1.5};
    size_t family[6];
    assert_int_equal(find(*state, 4, pairs, family), 1);
    assert_int_equal(find(*state, 6, close, family), 1);
    assert_int_equal(find(*state, 6, wide, family), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(one_motion_is_one_family),
        WITH_CONTEXT(groups_are_found_in_any_order),
        WITH_CONTEXT(strays_join),
        WITH_CONTEXT(few_or_close_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
