/* Every allocation of the statistics fails once: the call answers RM2_ERR_MEMORY and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>

#include "failing_malloc.h"
#include "riemann2/statistics.h"

enum { N = 6, D = 4 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *m;
    double points[N * D];
    rm2_labelled data;
} fixture;

static const size_t labels[N] = {0, 1, 0, 1, 0, 1}, subjects[N] = {0, 1, 2, 2, 3, 3};

static int set_up(void **state) {
    static fixture f;
    omp_set_num_threads(1);
    if (rm2_context_create(&f.ctx) != RM2_OK || rm2_manifold_create(f.ctx, "SPD2", &f.m) != RM2_OK)
        return -1;
    rm2_context_set_threads(f.ctx, 1);
    if (rm2_manifold_random(f.ctx, f.m, N, f.points) != RM2_OK)
        return -1;
    f.data = (rm2_labelled){f.m, N, f.points, labels, 2, subjects};
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_manifold_free(f->m);
    rm2_context_free(f->ctx);
    return 0;
}

static rm2_status means(void *state) {
    fixture *f = state;
    double mean[2 * D];
    rm2_group groups[2];
    return rm2_group_means(f->ctx, &f->data, NULL, mean, groups);
}

static rm2_status test(void *state) {
    fixture *f = state;
    rm2_test_result r;
    rm2_test_settings s = rm2_test_settings_default();
    s.permutations = 5;
    return rm2_group_test(f->ctx, &f->data, 0, 1, &s, NULL, &r);
}

static rm2_status adjust(void *state) {
    fixture *f = state;
    double p[] = {0.1, 0.2};
    return rm2_adjust_p_values(f->ctx, 2, p, p);
}

static rm2_status distances(void *state) {
    fixture *f = state;
    double distance[N * N];
    return rm2_manifold_distances(f->ctx, f->m, N, f->points, distance);
}

static void groups(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, means, f) >= 4);
    assert_true(fail_each_allocation(f->ctx, test, f) >= 8);
    assert_true(fail_each_allocation(f->ctx, adjust, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, distances, f) >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
