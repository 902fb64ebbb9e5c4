/* Optimisers: every reason to stop, interrupts, evaluations that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim_fixture.h"

static rm2_status flat(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    (void)x;
    *f = 3;
    memset(g, 0, p->n * sizeof *g);
    return RM2_OK;
}

static void flat_functions_stop_at_once(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 4};
        rm2i_optim *o = optim_filled(k ? adam_settings() : exact_settings(), 4, 1);
        assert_int_equal(optim_run(o, flat, &p), RM2_STOP_GRADIENT);
        assert_int_equal(p.calls, 1);
        assert_int_equal(rm2i_optim_iteration(o), 0);
        rm2i_optim_free(o);
    }
}

static void small_decrease_stops(void **state) {
    (void)state;
    problem p = {.n = 2};
    const double x0[2] = {-1.2, 1};
    rm2_optim_settings s = exact_settings();
    s.relative_decrease = 1e-5;
    rm2i_optim *o = optim_from(s, 2, x0);
    double before = INFINITY;
    rm2_stop stop = RM2_STOP_RUNNING;
    while (stop == RM2_STOP_RUNNING) {
        before = rm2i_optim_f(o);
        stop = optim_step(o, rosenbrock, &p);
    }
    assert_int_equal(stop, RM2_STOP_DECREASE);
    assert_true(before - rm2i_optim_f(o) <= 1e-5 * fmax(1, before));
    rm2i_optim_free(o);
}

enum { FALLS = 30 };

/* Relative decreases of the first iterations on Rosenbrock's function of ten variables. */
static void record_falls(double *falls) {
    problem p = {.n = 10};
    rm2i_optim *o = optim_filled(exact_settings(), 10, -1.3);
    assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_RUNNING);
    for (int k = 1; k < FALLS; k++) {
        double before = rm2i_optim_f(o);
        assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_RUNNING);
        falls[k] = (before - rm2i_optim_f(o)) / fmax(before, 1);
    }
    rm2i_optim_free(o);
}

/* The first iteration that gains less than those next to it; later ones gain more again. */
static int lone_small_fall(const double *falls) {
    for (int k = 2; k < FALLS - 1; k++)
        if (falls[k] < falls[k - 1] && falls[k] < falls[k + 1])
            return k;
    fail_msg("no iteration gains less than both of its neighbours");
    return 0;
}

/* Another optimiser of n variables that continues from the state of this one. */
static rm2i_optim *saved_and_restored(rm2i_optim *o, rm2_optim_settings s, size_t n) {
    size_t size = rm2i_optim_state_size(o);
    double *saved = calloc(size, sizeof *saved);
    assert_non_null(saved);
    rm2i_optim_save(o, saved);
    rm2i_optim_free(o);
    o = optim_filled(s, n, 0);
    ok(optim_restore(o, saved, size));
    free(saved);
    return o;
}

/* With a tolerance that only iteration k keeps, k does not stop; with one that k and k + 1 keep, k + 1 does, also if the
 * state was saved between them. */
static void small_decrease_stops_only_twice_in_a_row(void **state) {
    (void)state;
    double falls[FALLS] = {0};
    record_falls(falls);
    int lone = lone_small_fall(falls);
    for (int resumed = 0; resumed < 2; resumed++)
        for (int twice = 0; twice < 2; twice++) {
            problem p = {.n = 10};
            rm2_optim_settings s = exact_settings();
            s.relative_decrease = falls[lone + twice];
            rm2i_optim *o = optim_filled(s, 10, -1.3);
            for (int k = 0; k <= lone; k++)
                assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_RUNNING);
            if (resumed)
                o = saved_and_restored(o, s, 10);
            assert_int_equal(optim_step(o, rosenbrock, &p),
                             twice ? RM2_STOP_DECREASE : RM2_STOP_RUNNING);
            rm2i_optim_free(o);
        }
}

static void iterations_are_limited(void **state) {
    (void)state;
    for (size_t most = 0; most < 4; most++)
        for (int k = 0; k < 2; k++) {
            problem p = {.n = 2};
            rm2_optim_settings s = k ? adam_settings() : exact_settings();
            s.max_iterations = most;
            rm2i_optim *o = optim_filled(s, 2, -1.2);
            assert_int_equal(optim_run(o, rosenbrock, &p), RM2_STOP_MAX_ITERATIONS);
            assert_int_equal(rm2i_optim_iteration(o), most);
            assert_true(isfinite(rm2i_optim_f(o)));
            rm2i_optim_free(o);
        }
}

static void seconds_are_limited_and_counted_across_resumes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 2};
        rm2_optim_settings s = k ? adam_settings() : exact_settings();
        s.max_seconds = 1e-12;
        rm2i_optim *o = optim_filled(s, 2, -1.2);
        assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_MAX_SECONDS);
        assert_int_equal(rm2i_optim_iteration(o), 1);
        double seconds = rm2i_optim_seconds(o);
        o = saved_and_restored(o, s, 2);
        assert_true(rm2i_optim_seconds(o) == seconds && seconds > 0);
        assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_MAX_SECONDS);
        assert_int_equal(rm2i_optim_iteration(o), 1); /* the time was up already */
        rm2i_optim_free(o);
    }
}

static rm2_status interrupting(void *user, const double *x, double *f, double *g) {
    const problem *p = user;
    if (p->calls == 4)
        rm2_context_interrupt(ctx);
    return waves(user, x, f, g);
}

static void interrupt_stops_after_the_iteration(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 3};
        rm2i_optim *o = optim_filled(k ? adam_settings() : exact_settings(), 3, 2);
        assert_int_equal(optim_run(o, interrupting, &p), RM2_STOP_INTERRUPTED);
        size_t iteration = rm2i_optim_iteration(o), calls = p.calls;
        assert_true(iteration > 0);
        assert_int_equal(optim_step(o, interrupting, &p), RM2_STOP_INTERRUPTED);
        assert_int_equal(rm2i_optim_iteration(o), iteration);
        assert_int_equal(p.calls, calls);
        rm2_context_clear_interrupt(ctx);
        assert_int_equal(optim_step(o, waves, &p), RM2_STOP_RUNNING);
        assert_int_equal(rm2i_optim_iteration(o), iteration + 1);
        rm2i_optim_free(o);
    }
}

static void interrupt_before_the_start_does_nothing(void **state) {
    (void)state;
    problem p = {.n = 3};
    rm2i_optim *o = optim_filled(exact_settings(), 3, 2);
    rm2_context_interrupt(ctx);
    assert_int_equal(optim_step(o, waves, &p), RM2_STOP_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(p.calls, 0);
    assert_int_equal(optim_step(o, waves, &p), RM2_STOP_RUNNING);
    rm2i_optim_free(o);
}

/* A failure or an interrupt at any evaluation leaves the last iteration's state, and going on gives
 * what an undisturbed run gives. */
static void failed_steps_can_be_repeated(void **state) {
    (void)state;
    const rm2_status statuses[] = {RM2_ERR_MEMORY, RM2_INTERRUPTED};
    for (int k = 0; k < 2; k++)
        for (size_t j = 0; j < 2; j++)
            for (size_t fail_at = 1; fail_at <= 15; fail_at++) {
                problem p = {.n = 3}, q = {.n = 3, .fail_at = fail_at, .status = statuses[j]};
                rm2i_optim *a = optim_filled(k ? adam_settings() : exact_settings(), 3, 2);
                rm2i_optim *b = optim_filled(k ? adam_settings() : exact_settings(), 3, 2);
                for (int i = 0; i < 8; i++)
                    (void)optim_step(a, waves, &p);
                bool failed = false;
                while (rm2i_optim_iteration(b) < rm2i_optim_iteration(a)) {
                    rm2_stop stop;
                    size_t before = rm2i_optim_iteration(b);
                    rm2_status status = rm2i_optim_step(ctx, b, waves, &q, &stop);
                    if (status == RM2_OK && stop != RM2_STOP_INTERRUPTED)
                        continue;
                    failed = true;
                    assert_int_equal(status, statuses[j] == RM2_INTERRUPTED ? RM2_OK : statuses[j]);
                    assert_int_equal(rm2i_optim_iteration(b), before);
                }
                assert_true(failed || fail_at > p.calls);
                assert_same_bits(rm2i_optim_x(a), rm2i_optim_x(b), 3);
                rm2i_optim_free(a);
                rm2i_optim_free(b);
            }
}

static void bad_start_is_an_error(void **state) {
    (void)state;
    rm2i_objective_fn functions[] = {barrier, walled};
    const char *words[] = {"value nan", "coordinate 0 is not positive"};
    for (size_t k = 0; k < 2; k++) {
        problem p = {.n = 2};
        rm2_stop stop;
        rm2i_optim *o = optim_filled(exact_settings(), 2, -1);
        assert_int_equal(rm2i_optim_step(ctx, o, functions[k], &p, &stop), RM2_ERR_NUMERIC);
        assert_non_null(strstr(rm2_context_error(ctx), "start"));
        assert_non_null(strstr(rm2_context_error(ctx), words[k]));
        rm2i_optim_free(o);
    }
    problem p = {.n = 2, .fail_at = 1, .status = RM2_ERR_DATA};
    rm2_stop stop;
    rm2i_optim *o = optim_filled(exact_settings(), 2, 0);
    assert_int_equal(rm2i_optim_step(ctx, o, rosenbrock, &p, &stop), RM2_ERR_DATA);
    rm2i_optim_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_functions_stop_at_once),
        cmocka_unit_test(small_decrease_stops),
        cmocka_unit_test(small_decrease_stops_only_twice_in_a_row),
        cmocka_unit_test(iterations_are_limited),
        cmocka_unit_test(seconds_are_limited_and_counted_across_resumes),
        cmocka_unit_test(interrupt_stops_after_the_iteration),
        cmocka_unit_test(interrupt_before_the_start_does_nothing),
        cmocka_unit_test(failed_steps_can_be_repeated),
        cmocka_unit_test(bad_start_is_an_error),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
