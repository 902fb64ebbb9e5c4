/* Parts on the threads of a context: each runs once, workers do not share numbers, calls inside calls, a fork, a thread that
 * is late, and waiting that is paid back by a pause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"

enum { PARTS = 1000, THREADS = 4 };

typedef struct record {
    rm2_context *ctx;
    atomic_int runs[PARTS];
    atomic_int inside[THREADS]; /* parts that a worker is running */
    atomic_bool shared;         /* two parts with one worker number at once */
    atomic_size_t inner;
    pthread_t caller;
    atomic_int elsewhere; /* parts on other threads than the caller's */
    double wait;          /* seconds that a part takes on another thread */
} record;

static rm2_context *context_of(int threads) {
    rm2_context *ctx;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    rm2_context_set_threads(ctx, threads);
    return ctx;
}

static void sleep_for(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
    nanosleep(&t, NULL);
}

static void note(void *job, size_t part, size_t worker) {
    record *r = job;
    if (worker >= THREADS || atomic_fetch_add(&r->inside[worker], 1) > 0)
        atomic_store(&r->shared, true);
    atomic_fetch_add(&r->runs[part], 1);
    if (!pthread_equal(pthread_self(), r->caller)) {
        atomic_fetch_add(&r->elsewhere, 1);
        if (r->wait > 0)
            sleep_for(r->wait);
    }
    atomic_fetch_sub(&r->inside[worker], 1);
}

static bool once(const record *r, size_t parts) {
    bool all = !atomic_load(&r->shared);
    for (size_t i = 0; i < PARTS; i++)
        all = all && atomic_load(&r->runs[i]) == (i < parts);
    return all;
}

static void every_part_once(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 3, 7, PARTS};
    for (int threads = 1; threads <= THREADS; threads++) {
        rm2_context *ctx = context_of(threads);
        for (int again = 0; again < 50; again++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                record r = {.caller = pthread_self()};
                rm2i_parallel(ctx, counts[k], note, &r);
                assert_true(once(&r, counts[k]));
                assert_true(threads > 1 || atomic_load(&r.elsewhere) == 0);
            }
        rm2_context_free(ctx);
    }
    record r = {.caller = pthread_self()};
    rm2i_parallel(NULL, 5, note, &r);
    assert_true(once(&r, 5));
}

static void numbers_of_workers(void **state) {
    (void)state;
    rm2_context *ctx = context_of(3);
    assert_int_equal(rm2i_workers(NULL, 10), 1);
    assert_int_equal(rm2i_workers(ctx, 0), 1);
    assert_int_equal(rm2i_workers(ctx, 2), 2);
    assert_int_equal(rm2i_workers(ctx, 10), 3);
    rm2_context_set_threads(ctx, 100000);
    assert_int_equal(rm2i_workers(ctx, SIZE_MAX), RM2I_HELPERS + 1);
    rm2_context_free(ctx);
}

/* A call inside a part runs on the thread of the part, as worker 0. */
static void inner_part(void *job, size_t part, size_t worker) {
    record *r = job;
    (void)part;
    if (worker > 0)
        atomic_store(&r->shared, true);
    atomic_fetch_add(&r->inner, 1);
}

static void outer_part(void *job, size_t part, size_t worker) {
    record *r = job;
    note(job, part, worker);
    rm2i_parallel(r->ctx, 10, inner_part, r);
}

static void calls_inside_calls(void **state) {
    (void)state;
    record r = {.ctx = context_of(THREADS), .caller = pthread_self()};
    rm2i_parallel(r.ctx, 100, outer_part, &r);
    assert_true(once(&r, 100));
    assert_int_equal(atomic_load(&r.inner), 1000);
    rm2_context_free(r.ctx);
}

/* Helpers hold their part for 20 ms, the caller's parts take nothing: what is lost is paid back by a pause, in which the
 * caller works alone. */
static void waiting_is_paid_back(void **state) {
    (void)state;
    rm2_context *ctx = context_of(2);
    double start = rm2_seconds();
    size_t calls = 0, with_help = 0;
    for (; rm2_seconds() - start < 0.5; calls++) {
        record r = {.caller = pthread_self(), .wait = 0.02};
        rm2i_parallel(ctx, 100, note, &r);
        assert_true(once(&r, 100));
        with_help += atomic_load(&r.elsewhere) > 0;
    }
    assert_true(calls > 100 && with_help < calls / 10); /* a pause is 20 times 20 ms */
    rm2_context_free(ctx);
}

/* Work that pays is shared: parts that sleep take their time on all threads. */
static void sleepy_part(void *job, size_t part, size_t worker) {
    note(job, part, worker);
    sleep_for(0.002);
}

static void work_is_shared(void **state) {
    (void)state;
    rm2_context *ctx = context_of(2);
    record r = {.caller = pthread_self()};
    rm2i_parallel(ctx, 50, sleepy_part, &r);
    assert_true(once(&r, 50));
    assert_in_range(atomic_load(&r.elsewhere), 1, 49); /* half of them if both threads run */
    rm2_context_free(ctx);
}

/* The child of a fork has none of the helpers, and starts its own. */
static void after_a_fork(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__ /* cannot follow threads that start after a fork */
    skip();
#endif
    rm2_context *ctx = context_of(2);
    record before = {.caller = pthread_self()};
    rm2i_parallel(ctx, 50, sleepy_part, &before);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        record r = {.caller = pthread_self()};
        rm2i_parallel(ctx, 50, sleepy_part, &r);
        bool good = once(&r, 50) && atomic_load(&r.elsewhere) > 0;
        rm2_context_free(ctx);
        _exit(good ? 0 : 1);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    rm2_context_free(ctx);
}

/* Threads with contexts of their own share nothing. */
static void *many_calls(void *all_good) {
    bool *good = all_good;
    rm2_context *ctx;
    *good = rm2_context_create(&ctx) == RM2_OK;
    rm2_context_set_threads(ctx, 3);
    for (int i = 0; i < 300; i++) {
        record r = {.caller = pthread_self()};
        rm2i_parallel(ctx, 20, note, &r);
        *good = *good && once(&r, 20);
    }
    rm2_context_free(ctx);
    return NULL;
}

static void several_contexts(void **state) {
    (void)state;
    pthread_t thread[3];
    bool good[3];
    for (size_t t = 0; t < 3; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, many_calls, &good[t]), 0);
    for (size_t t = 0; t < 3; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_true(good[t]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_once),    cmocka_unit_test(numbers_of_workers),
        cmocka_unit_test(calls_inside_calls), cmocka_unit_test(waiting_is_paid_back),
        cmocka_unit_test(work_is_shared),     cmocka_unit_test(after_a_fork),
        cmocka_unit_test(several_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
