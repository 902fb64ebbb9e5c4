/* Adam against its formula, and on functions that rise and have walls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "optim_fixture.h"

static void adam_follows_its_formula(void **state) {
    (void)state;
    problem p = {.n = 2}, q = {.n = 2};
    rm2_optim_settings s = adam_settings();
    s.learning_rate = 0.1;
    double x[2] = {-1.2, 1}, m[2] = {0}, v[2] = {0}, g[2], f;
    rm2i_optim *o = optim_from(s, 2, x);
    for (int t = 1; t <= 5; t++) {
        assert_int_equal(optim_step(o, rosenbrock, &p), RM2_STOP_RUNNING);
        ok(rosenbrock(&q, x, &f, g));
        for (int i = 0; i < 2; i++) {
            m[i] += (1 - 0.9) * (g[i] - m[i]);
            v[i] += (1 - 0.999) * (g[i] * g[i] - v[i]);
            double rate = 0.1 * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t));
            /* the paper's efficient form: epsilon is scaled by the second bias */
            x[i] -= rate * m[i] / (sqrt(v[i]) + 1e-8 * sqrt(1 - pow(0.999, t)));
        }
        for (int i = 0; i < 2; i++)
            assert_near(rm2i_optim_x(o)[i], x[i], 1e-13);
        ok(rosenbrock(&q, x, &f, g));
        assert_near(rm2i_optim_f(o), f, 1e-10);
        assert_int_equal(rm2i_optim_iteration(o), t);
        assert_int_equal(rm2i_optim_evaluations(o), t + 1);
    }
    rm2i_optim_free(o);
}

static void first_step_of_adam_has_the_learning_rate(void **state) {
    (void)state;
    problem p = {.n = 2};
    rm2i_optim *o = optim_filled(adam_settings(), 2, -1.2);
    (void)optim_step(o, rosenbrock, &p);
    assert_near(rm2i_optim_x(o)[0], -1.2 + 0.025, 1e-9);
    assert_near(rm2i_optim_step_length(o), 0.025 * sqrt(2), 1e-9);
    rm2i_optim_free(o);
}

static void adam_keeps_the_best(void **state) {
    (void)state;
    problem p = {.n = 2}, q = {.n = 2};
    rm2_optim_settings s = adam_settings();
    s.learning_rate = 0.3;
    rm2i_optim *o = optim_filled(s, 2, 2);
    double least = INFINITY, f, g[2];
    bool rose = false;
    rm2_stop stop;
    do {
        double before = rm2i_optim_f(o);
        stop = optim_step(o, waves, &p);
        rose = rose || rm2i_optim_f(o) > before;
        least = fmin(least, rm2i_optim_f(o));
    } while (stop == RM2_STOP_RUNNING);
    assert_int_equal(stop, RM2_STOP_MAX_ITERATIONS); /* no decrease test */
    assert_int_equal(rm2i_optim_iteration(o), 150);
    assert_true(rose);
    assert_true(rm2i_optim_best_f(o) <= least);
    ok(waves(&q, rm2i_optim_best_x(o), &f, g));
    assert_true(f == rm2i_optim_best_f(o));
    rm2i_optim_free(o);
}

static void adam_reaches_the_minimum(void **state) {
    (void)state;
    problem p = {.n = 5, .condition = 50};
    rm2_optim_settings s = adam_settings();
    s.max_iterations = 5000;
    rm2i_optim *o = optim_filled(s, 5, -1);
    assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 5; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-5);
    rm2i_optim_free(o);
}

static void adam_halves_steps_at_walls(void **state) {
    (void)state;
    problem p = {.n = 1};
    rm2_optim_settings s = adam_settings();
    s.learning_rate = 3;
    s.max_iterations = 2000;
    rm2i_optim *o = optim_filled(s, 1, 2);
    assert_int_equal(optim_step(o, walled, &p), RM2_STOP_RUNNING);
    assert_near(rm2i_optim_x(o)[0], 0.5, 1e-6); /* 2 - 3/2 */
    rm2i_optim_free(o);

    problem q = {.n = 1};
    o = optim_filled(adam_settings(), 1, 0.99);
    assert_int_equal(optim_run(o, cliff, &q), RM2_STOP_LINE_SEARCH);
    assert_near(rm2i_optim_best_x(o)[0], 1, 1e-6);
    rm2i_optim_free(o);
}

/* Minus a Gaussian log-likelihood of k numbers with a learned log variance y, and a prior of y:
 * k exp(-y) x^2/2 + k y/2 + (y + 12)^2/8. The valley x = 0 becomes narrower as y falls, 1e-5 at the minimum y = -12 - 2 k. */
static rm2_status narrowing(void *user, const double *x, double *f, double *gradient) {
    const problem *p = user;
    size_t k = p->n - 1;
    double y = x[k], square = 0;
    for (size_t i = 0; i < k; i++) {
        square += (1 + (double)i) * x[i] * x[i];
        gradient[i] = (1 + (double)i) * x[i] * exp(-y);
    }
    *f = 0.5 * square * exp(-y) + 0.5 * (double)k * y + (y + 12) * (y + 12) / 8;
    gradient[k] = -0.5 * square * exp(-y) + 0.5 * (double)k + (y + 12) / 4;
    return RM2_OK;
}

/* With steps of one length f would rise to hundreds, again and again, and end far above its best value. */
static void adam_goes_back_where_a_valley_narrows(void **state) {
    (void)state;
    enum { K = 6 };
    problem p = {.n = K + 1};
    rm2_optim_settings s = adam_settings();
    s.learning_rate = 0.1;
    s.max_iterations = 3000;
    rm2i_optim *o = optim_filled(s, K + 1, 1);
    double start = INFINITY, least = -54, late = -INFINITY; /* least: at x = 0, y = -24 */
    while (optim_step(o, narrowing, &p) == RM2_STOP_RUNNING) {
        if (rm2i_optim_iteration(o) == 1)
            start = rm2i_optim_f(o);
        if (rm2i_optim_iteration(o) > 2000)
            late = fmax(late, rm2i_optim_f(o));
    }
    double gain = start - rm2i_optim_best_f(o);
    assert_true(gain > 0.85 * (start - least)); /* steps of one length: 0.7 */
    assert_true(rm2i_optim_f(o) - rm2i_optim_best_f(o) < 0.05 * gain);
    assert_true(late - rm2i_optim_best_f(o) <
                0.5 * gain); /* steps of one length: 30 times the gain */
    rm2i_optim_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam_follows_its_formula),
        cmocka_unit_test(first_step_of_adam_has_the_learning_rate),
        cmocka_unit_test(adam_keeps_the_best),
        cmocka_unit_test(adam_reaches_the_minimum),
        cmocka_unit_test(adam_halves_steps_at_walls),
        cmocka_unit_test(adam_goes_back_where_a_valley_narrows),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
