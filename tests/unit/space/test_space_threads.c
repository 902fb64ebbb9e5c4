/* Two threads with a context each ask one space at once: both get the numbers that one alone gets. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "space_fixture.h"

enum { POINTS = 6, ROUNDS = 3 };

/* Everything that a thread asks, and what it is told. */
typedef struct answers {
    const rm2_space *space;
    atomic_int *waiting; /* threads that have yet to come; NULL: nobody waits */
    bool failed;
    double points[POINTS * Q];
    double distance[POINTS * POINTS], mean[Q], log[Q], exp[Q], straight, decoded[POINTS * D];
    double inside[2], outside[2]; /* lengths of geodesics, and of their first part */
} answers;

#define CALL(call) a->failed = a->failed || (call) != RM2_OK

/* Length, and the first step along the curve. */
static void take_curve(rm2_curve *c, double *lengths) {
    lengths[0] = c ? c->length : 0;
    lengths[1] = c ? c->x[Q] : 0;
    rm2_curve_free(c);
}

static void ask(rm2_context *own, answers *a) {
    const double far[Q] = {3, -4};
    rm2_mean_settings few = {.size = sizeof few, .max_iterations = 1, .tolerance = 1e-6};
    rm2_curve *inside = NULL, *outside = NULL;
    CALL(rm2_space_distances(own, a->space, POINTS, a->points, a->distance, NULL));
    CALL(rm2_space_geodesic(own, a->space, a->points, a->points + Q, &inside));
    CALL(rm2_space_geodesic(own, a->space, a->points, far, &outside));
    CALL(rm2_space_mean(own, a->space, 3, a->points, NULL, &few, a->mean, NULL));
    CALL(rm2_space_log(own, a->space, a->points, a->points + Q, a->log, NULL));
    CALL(rm2_space_exp(own, a->space, a->points, a->log, a->exp, NULL, 0, NULL));
    CALL(rm2_space_straight_length(own, a->space, POINTS, a->points, &a->straight));
    CALL(rm2_space_decode(own, a->space, POINTS, a->points, a->decoded, NULL));
    take_curve(inside, a->inside);
    take_curve(outside, a->outside);
}

static void *run(void *user) {
    answers *a = user;
    rm2_context *own = NULL;
    if (rm2_context_create(&own) != RM2_OK) {
        a->failed = true;
        return NULL;
    }
    rm2_context_set_threads(own, 2);
    if (a->waiting) {
        atomic_fetch_sub(a->waiting, 1);
        while (atomic_load(a->waiting) > 0) {
        }
    }
    ask(own, a);
    rm2_context_free(own);
    return NULL;
}

static void start_from(answers *a, const rm2_space *space, atomic_int *waiting) {
    memset(a, 0, sizeof *a);
    a->space = space;
    a->waiting = waiting;
    for (size_t i = 0; i < POINTS; i++)
        memcpy(a->points + i * Q, latents + i * (N / POINTS) * Q, Q * sizeof *latents);
}

static void assert_same(const answers *a, const answers *b) {
    assert_false(a->failed || b->failed);
    assert_memory_equal(a->distance, b->distance, sizeof a->distance);
    assert_memory_equal(a->inside, b->inside, sizeof a->inside);
    assert_memory_equal(a->outside, b->outside, sizeof a->outside);
    assert_memory_equal(a->mean, b->mean, sizeof a->mean);
    assert_memory_equal(a->log, b->log, sizeof a->log);
    assert_memory_equal(a->exp, b->exp, sizeof a->exp);
    assert_memory_equal(a->decoded, b->decoded, sizeof a->decoded);
    assert_true(a->straight == b->straight && a->straight > 0);
}

static void two_at_once(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    answers alone, both[2];
    pthread_t thread[2];
    start_from(&alone, space, NULL);
    assert_int_equal(pthread_create(&thread[0], NULL, run, &alone), 0);
    assert_int_equal(pthread_join(thread[0], NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        atomic_int waiting = 2;
        for (int k = 0; k < 2; k++) {
            start_from(&both[k], space, &waiting);
            assert_int_equal(pthread_create(&thread[k], NULL, run, &both[k]), 0);
        }
        for (int k = 0; k < 2; k++) {
            assert_int_equal(pthread_join(thread[k], NULL), 0);
            assert_same(&alone, &both[k]);
        }
    }
    rm2_space_free(space);
}

/* Spaces that share their parts are freed on two threads. */
static void *free_space(void *space) {
    rm2_space_free(space);
    return NULL;
}

static void freed_at_once(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space[2];
    pthread_t thread;
    space[0] = make_space(&s, 0, NULL);
    ok(rm2_space_with_settings(ctx, space[0], rm2_space_settings_of(space[0]), &space[1]));
    assert_int_equal(pthread_create(&thread, NULL, free_space, space[1]), 0);
    rm2_space_free(space[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(freed_at_once),
    };
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
