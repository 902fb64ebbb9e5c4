/* Progress of calls: when it is reported, to whom, on which thread, and that a callback can stop. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/base.h"
#include "context_fixture.h"

enum { MOST = 64 };

typedef struct listener {
    size_t calls, done[MOST], stop_at; /* stop_at: `done` at which it says stop; 0: never */
    rm2_progress last;
    pthread_t thread;
    int busy;
} listener;

static bool listen(void *user, const rm2_progress *p) {
    listener *l = user;
    assert_int_equal(l->busy++, 0); /* never twice at a time */
    assert_true(pthread_equal(l->thread, pthread_self()));
    assert_true(p->seconds >= 0);
    if (l->calls < MOST)
        l->done[l->calls] = p->done;
    l->calls++;
    l->last = *p;
    l->busy--;
    return l->stop_at == 0 || p->done < l->stop_at;
}

static void listen_to(rm2_context *ctx, listener *l) {
    *l = (listener){.thread = pthread_self()};
    rm2_context_set_progress(ctx, listen, l);
}

static void wait_seconds(double seconds) {
    double start = rm2_seconds();
    while (rm2_seconds() - start < seconds)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void a_call_reports_its_parts(void **state) {
    rm2_context *ctx = *state;
    listener l;
    listen_to(ctx, &l);
    rm2i_activity_begin(ctx, "test", 3);
    assert_true(l.calls == 1 && l.last.done == 0 && l.last.total == 3 && !l.last.row);
    assert_string_equal(l.last.activity, "test");
    rm2i_activity_advance(ctx, 1);
    rm2i_activity_advance(ctx, 2);
    assert_true(l.calls == 3 && l.done[1] == 1 && l.done[2] == 3);
    rm2i_activity_end(ctx);
    assert_int_equal(l.calls, 3); /* the last was told already */
    rm2i_activity_begin(ctx, "next", 0);
    assert_true(l.calls == 4 && l.last.done == 0 && l.last.total == 0);
    rm2i_activity_end(ctx);
    rm2_context_set_progress(ctx, NULL, NULL);
    rm2i_activity_begin(ctx, "unheard", 1);
    rm2i_activity_advance(ctx, 1);
    rm2i_activity_end(ctx);
    assert_int_equal(l.calls, 4);
}

static void calls_without_an_activity_are_silent(void **state) {
    rm2_context *ctx = *state;
    listener l;
    listen_to(ctx, &l);
    rm2i_activity_advance(ctx, 1);
    assert_false(rm2i_interrupted(ctx));
    assert_int_equal(l.calls, 0);
    rm2i_activity_begin(NULL, "none", 1);
    rm2i_activity_advance(NULL, 1);
    rm2i_activity_end(NULL);
    rm2_context_set_progress(NULL, listen, &l);
    assert_int_equal(l.calls, 0);
}

static void a_call_inside_another_is_part_of_it(void **state) {
    rm2_context *ctx = *state;
    listener l;
    listen_to(ctx, &l);
    rm2i_activity_begin(ctx, "outer", 2);
    rm2i_activity_begin(ctx, "inner", 50);
    rm2i_activity_advance(ctx, 25);
    rm2i_activity_end(ctx);
    assert_int_equal(l.calls, 1);
    rm2i_activity_advance(ctx, 1);
    assert_true(l.calls == 2 && l.last.done == 1 && l.last.total == 2);
    assert_string_equal(l.last.activity, "outer");
    rm2i_activity_end(ctx);
}

/* Loops that look at the interrupt keep the callback informed, not too often. */
static void looks_report_now_and_then(void **state) {
    rm2_context *ctx = *state;
    listener l;
    listen_to(ctx, &l);
    rm2i_activity_begin(ctx, "test", 7);
    double start = rm2_seconds();
    for (int k = 0; k < 1000; k++)
        assert_false(rm2i_interrupted(ctx));
    assert_true((double)l.calls <=
                2 + (rm2_seconds() - start) / 0.1); /* one per tenth of a second */
    size_t before = l.calls;
    wait_seconds(0.15);
    assert_false(rm2i_interrupted(ctx));
    assert_true(l.calls == before + 1 && l.last.done == 0 && l.last.seconds >= 0.15);
    rm2i_activity_end(ctx);
}

static void false_is_an_interrupt(void **state) {
    rm2_context *ctx = *state;
    listener l;
    listen_to(ctx, &l);
    l.stop_at = 2;
    rm2i_activity_begin(ctx, "test", 5);
    rm2i_activity_advance(ctx, 1);
    assert_false(rm2i_interrupted(ctx));
    rm2i_activity_advance(ctx, 1);
    assert_true(rm2i_interrupted(ctx));
    rm2i_activity_end(ctx);
    assert_true(rm2i_interrupted(ctx)); /* until it is cleared */
    rm2_context_clear_interrupt(ctx);
    assert_false(rm2i_interrupted(ctx));
}

/* A child has its own message, and the flag and the listener of its parent. */
static void children_share_the_interrupt(void **state) {
    rm2_context *ctx = *state, *child, *grandchild;
    listener l;
    listen_to(ctx, &l);
    assert_int_equal(rm2i_context_child(ctx, 3, &child), RM2_OK);
    assert_int_equal(rm2i_context_child(child, 1, &grandchild), RM2_OK);
    assert_int_equal(rm2_context_threads(child), 3);
    rm2i_activity_begin(ctx, "test", 5);
    rm2i_activity_begin(child, "of a child", 1);
    rm2i_activity_advance(child, 4);
    rm2i_activity_end(child);
    assert_true(l.calls == 1 && l.last.done == 0);
    wait_seconds(0.15);
    assert_false(rm2i_interrupted(grandchild));
    assert_int_equal(l.calls, 2);
    assert_string_equal(l.last.activity, "test");
    rm2_context_interrupt(ctx);
    assert_true(rm2i_interrupted(child) && rm2i_interrupted(grandchild));
    assert_int_equal(rm2i_fail(child, RM2_ERR_DATA, "own"), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx), "");
    rm2i_activity_end(ctx);
    rm2_context_free(grandchild);
    rm2_context_free(child);
}

/* ---- threads -------------------------------------------------------------------------------- */

static rm2_status wait_and_advance(const void *job, size_t i, double *work) {
    rm2_context *ctx = *(rm2_context *const *)job;
    (void)i;
    (void)work;
    wait_seconds(0.005);
    rm2i_activity_advance(ctx, 1);
    (void)rm2i_interrupted(ctx);
    return RM2_OK;
}

enum { PARTS = 120 };

/* `listen` asserts that it runs on the thread of the test. */
static void threads_are_heard_on_the_callers(void **state) {
    rm2_context *ctx = *state;
    listener l;
    rm2_context_set_threads(ctx, 4);
    listen_to(ctx, &l);
    rm2i_activity_begin(ctx, "test", PARTS);
    assert_int_equal(rm2i_jobs(ctx, PARTS, 0, wait_and_advance, &ctx, NULL), RM2_OK);
    rm2i_activity_end(ctx);
    assert_true(l.calls >= 3 && l.last.done == PARTS);
    for (size_t k = 1; k < l.calls && k < MOST; k++)
        assert_true(l.done[k] >= l.done[k - 1]);
    l.calls = 0;
    l.stop_at = 10;
    rm2i_activity_begin(ctx, "test", PARTS);
    assert_int_equal(rm2i_jobs(ctx, PARTS, 0, wait_and_advance, &ctx, NULL), RM2_INTERRUPTED);
    rm2i_activity_end(ctx);
    assert_true(l.last.done >= 10 && l.last.done < PARTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_call_reports_its_parts),
        WITH_CONTEXT(calls_without_an_activity_are_silent),
        WITH_CONTEXT(a_call_inside_another_is_part_of_it),
        WITH_CONTEXT(looks_report_now_and_then),
        WITH_CONTEXT(false_is_an_interrupt),
        WITH_CONTEXT(children_share_the_interrupt),
        WITH_CONTEXT(threads_are_heard_on_the_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
