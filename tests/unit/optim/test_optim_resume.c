/* Optimisers: resumes and repetitions are the same bit for bit, states of others are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim_fixture.h"

enum { TOTAL = 40 };

typedef struct trace {
    double x[TOTAL][10], f[TOTAL], best[TOTAL][10];
    size_t evaluations[TOTAL];
    rm2_stop stop[TOTAL];
} trace;

static void record(rm2i_optim *o, problem *p, trace *t, int from, int to) {
    for (int i = from; i < to; i++) {
        t->stop[i] = optim_step(o, rosenbrock, p);
        memcpy(t->x[i], rm2i_optim_x(o), sizeof t->x[i]);
        memcpy(t->best[i], rm2i_optim_best_x(o), sizeof t->best[i]);
        t->f[i] = rm2i_optim_f(o);
        t->evaluations[i] = rm2i_optim_evaluations(o);
    }
}

static void resume_is_exact_for(rm2_optim_settings s) {
    static trace whole, parts;
    problem p = {.n = 10}, q = {.n = 10};
    rm2i_optim *o = optim_filled(s, 10, -1.3);
    record(o, &p, &whole, 0, TOTAL);
    rm2i_optim_free(o);
    for (int k = 0; k <= 10; k++) {
        memset(&parts, 0, sizeof parts);
        o = optim_filled(s, 10, -1.3);
        record(o, &q, &parts, 0, k);
        size_t size = rm2i_optim_state_size(o);
        double *saved = calloc(size, sizeof *saved);
        assert_non_null(saved);
        rm2i_optim_save(o, saved);
        rm2i_optim_free(o);

        o = optim_filled(s, 10, 7);
        ok(optim_restore(o, saved, size));
        double *again = calloc(size, sizeof *again);
        assert_non_null(again);
        rm2i_optim_save(o, again);
        assert_same_bits(saved, again, size);
        record(o, &q, &parts, k, TOTAL);
        assert_memory_equal(&whole, &parts, sizeof whole);
        rm2i_optim_free(o);
        free(saved);
        free(again);
    }
}

static void resume_is_exact(void **state) {
    (void)state;
    rm2_optim_settings s = exact_settings();
    resume_is_exact_for(s);
    s.history = 3; /* a ring that has gone round */
    resume_is_exact_for(s);
    resume_is_exact_for(adam_settings());
}

static void damaged(rm2i_optim *o, const double *saved, size_t size, size_t at, double value) {
    double *copy = calloc(size, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, saved, size * sizeof *copy);
    copy[at] = value;
    if (copy[at] != saved[at])
        assert_int_equal(optim_restore(o, copy, size), RM2_ERR_ARGUMENT);
    free(copy);
}

static void states_of_others_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = exact_settings(), shorter = exact_settings();
    shorter.history = 5;
    problem p = {.n = 4};
    rm2i_optim *o = optim_filled(s, 4, -1),
               *kinds[] = {optim_filled(adam_settings(), 4, 0), optim_filled(s, 5, 0),
                           optim_filled(shorter, 4, 0)};
    const char *words[] = {"method", "variables", "history"};
    for (int i = 0; i < 6; i++)
        (void)optim_step(o, rosenbrock, &p);
    size_t size = rm2i_optim_state_size(o);
    double *saved = calloc(size + 1, sizeof *saved);
    assert_non_null(saved);
    rm2i_optim_save(o, saved);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(optim_restore(kinds[k], saved, size), RM2_ERR_ARGUMENT);
        assert_non_null(strstr(rm2_context_error(ctx), words[k]));
        assert_int_equal(rm2i_optim_iteration(kinds[k]), 0);
        rm2i_optim_free(kinds[k]);
    }
    rm2i_optim *fresh = optim_filled(s, 4, 0);
    const size_t sizes[] = {0, 3, size - 1, size + 1};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(optim_restore(fresh, saved, sizes[k]), RM2_ERR_ARGUMENT);
    assert_true(isinf(rm2i_optim_f(fresh)));
    for (size_t at = 0; at < size; at++)
        damaged(fresh, saved, size, at, NAN);
    for (size_t at = 0; at < 9; at++) {
        damaged(fresh, saved, size, at, -1);
        damaged(fresh, saved, size, at, 0.5);
        damaged(fresh, saved, size, at, 1e300);
    }
    assert_int_equal(rm2i_optim_iteration(fresh), 0);
    rm2i_optim_free(fresh);
    rm2i_optim_free(o);
    free(saved);
}

static void runs_are_repeatable(void **state) {
    (void)state;
    static trace a, b;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 10}, q = {.n = 10};
        rm2i_optim *first = optim_filled(k ? adam_settings() : exact_settings(), 10, 0.3);
        rm2i_optim *second = optim_filled(k ? adam_settings() : exact_settings(), 10, 0.3);
        record(first, &p, &a, 0, TOTAL);
        record(second, &q, &b, 0, TOTAL);
        assert_memory_equal(&a, &b, sizeof a);
        rm2i_optim_free(first);
        rm2i_optim_free(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resume_is_exact),
        cmocka_unit_test(states_of_others_are_refused),
        cmocka_unit_test(runs_are_repeatable),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
