/* Every allocation of the statistics fails once: the call answers RM2_ERR_MEMORY and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    if (rm2_context_create(&f.ctx) != RM2_OK || rm2_manifold_create(f.ctx, "SPD2", &f.m) != RM2_OK)
        return -1;
    rm2_context_set_threads(f.ctx, 1);
    if (rm2_manifold_random(f.ctx, f.m, N, f.points) != RM2_OK)
        return -1;
    f.data = (rm2_labelled){sizeof(rm2_labelled), f.m, N, f.points, labels, 2, subjects};
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
    rm2_group groups[2] = {{.size = sizeof *groups}};
    return rm2_group_means(f->ctx, &f->data, NULL, mean, groups);
}

static rm2_status test(void *state) {
    fixture *f = state;
    rm2_test_result r = {.size = sizeof r};
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

/* Folds of the six points, each its own subject. */
static rm2_status predict(fixture *f, double ridge, size_t count, const rm2_classifier *methods) {
    double right[3 * N];
    rm2_classify_settings s = rm2_classify_settings_default();
    rm2_labelled data = f->data;
    s.folds = 2;
    s.repeats = 1;
    s.latent_dim = 1;
    s.ridge = ridge;
    data.subjects = NULL;
    return rm2_classify(f->ctx, &data, &s, count, methods, right, NULL);
}

static rm2_status on_the_manifold(void *state) {
    const rm2_classifier methods[] = {RM2_CLASSIFY_MEAN, RM2_CLASSIFY_NEIGHBOURS,
                                      RM2_CLASSIFY_TANGENT};
    return predict(state, 0, 3, methods);
}

static rm2_status in_the_latent_space(void *state) {
    const rm2_classifier methods[] = {RM2_CLASSIFY_LATENT_NETWORK, RM2_CLASSIFY_LATENT_LOGISTIC};
    return predict(state, 1, 2, methods);
}

static rm2_status accuracy(void *state) {
    fixture *f = state;
    double right[N] = {0};
    rm2_accuracy a = {.size = sizeof a};
    return rm2_labelled_accuracy(f->ctx, &f->data, right, &a, NULL, NULL);
}

static void groups(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, means, f) >= 4);
    assert_true(fail_each_allocation(f->ctx, test, f) >= 8);
    assert_true(fail_each_allocation(f->ctx, adjust, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, distances, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, accuracy, f) >= 3);
}

static void classification(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, on_the_manifold, f) >= 30);
    assert_true(fail_each_allocation(f->ctx, in_the_latent_space, f) >= 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(classification)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
