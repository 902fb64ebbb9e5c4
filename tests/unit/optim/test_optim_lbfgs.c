/* L-BFGS: convergence and evaluation counts on functions with known minima, walls, rounded and
 * wrong functions; the line search itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "optim/line_search.h"
#include "optim_fixture.h"

static void quadratic_is_solved_in_few_iterations(void **state) {
    (void)state;
    for (size_t n = 1; n <= 15; n++) {
        problem p = {.n = n, .condition = 10};
        rm2i_optim *o = optim_filled(exact_settings(), n, -3);
        assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_GRADIENT);
        for (size_t i = 0; i < n; i++)
            assert_near(rm2i_optim_x(o)[i], (double)i, 1e-8);
        /* n would do with exact minimisation along every line, which costs more evaluations */
        assert_true(rm2i_optim_iteration(o) <= n + 16);
        assert_true(rm2i_optim_evaluations(o) <= rm2i_optim_iteration(o) + 4);
        assert_int_equal(rm2i_optim_evaluations(o), p.calls);
        assert_true(rm2i_optim_gradient(o) <= 1e-10);
        assert_same_bits(rm2i_optim_x(o), rm2i_optim_best_x(o), n);
        rm2i_optim_free(o);
    }
}

static void spherical_quadratic_needs_two_iterations(void **state) {
    (void)state;
    problem p = {.n = 50, .condition = 1};
    rm2i_optim *o = optim_filled(exact_settings(), 50, -3);
    assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_GRADIENT);
    assert_true(rm2i_optim_iteration(o) <= 3);
    assert_true(rm2i_optim_evaluations(o) <= 6);
    rm2i_optim_free(o);
}

static void ill_conditioned_quadratic_is_solved(void **state) {
    (void)state;
    problem p = {.n = 30, .condition = 1e6};
    rm2_optim_settings s = exact_settings();
    s.gradient = 1e-9;
    s.history = 60; /* with fewer pairs than variables it takes thousands of iterations */
    rm2i_optim *o = optim_filled(s, 30, -3);
    assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 30; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-8);
    rm2i_optim_free(o);
}

static void rosenbrock_in_two_dimensions(void **state) {
    (void)state;
    problem p = {.n = 2};
    const double x0[2] = {-1.2, 1};
    rm2i_optim *o = optim_from(exact_settings(), 2, x0);
    assert_int_equal(optim_run(o, rosenbrock, &p), RM2_STOP_GRADIENT);
    assert_near(rm2i_optim_x(o)[0], 1, 1e-8);
    assert_near(rm2i_optim_x(o)[1], 1, 1e-8);
    assert_true(rm2i_optim_evaluations(o) <= 60);
    rm2i_optim_free(o);
}

static void rosenbrock_in_a_hundred_dimensions(void **state) {
    (void)state;
    problem p = {.n = 100};
    double x0[100];
    for (size_t i = 0; i < 100; i++)
        x0[i] = i % 2 ? 1 : -1.2;
    rm2i_optim *o = optim_from(exact_settings(), 100, x0);
    assert_int_equal(optim_run(o, rosenbrock, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 100; i++)
        assert_near(rm2i_optim_x(o)[i], 1, 1e-8);
    assert_true((double)rm2i_optim_evaluations(o) <= 1.2 * (double)rm2i_optim_iteration(o) + 10);
    rm2i_optim_free(o);
}

static void every_iteration_lowers_f(void **state) {
    (void)state;
    problem p = {.n = 20};
    rm2i_optim *o = optim_filled(exact_settings(), 20, -1.3);
    double before = INFINITY;
    rm2_stop stop;
    do {
        size_t k = rm2i_optim_iteration(o);
        stop = optim_step(o, rosenbrock, &p);
        assert_true(rm2i_optim_iteration(o) == k + 1 || stop == RM2_STOP_LINE_SEARCH);
        assert_true(rm2i_optim_f(o) < before || stop == RM2_STOP_LINE_SEARCH);
        assert_true(rm2i_optim_best_f(o) <= rm2i_optim_f(o));
        before = rm2i_optim_f(o);
    } while (stop == RM2_STOP_RUNNING);
    rm2i_optim_free(o);
}

static void walls_shorten_the_step(void **state) {
    (void)state;
    rm2i_objective_fn functions[] = {barrier, walled};
    for (size_t k = 0; k < 2; k++) {
        const double starts[] = {1e-6, 0.01, 0.5, 30, 1e4};
        for (size_t j = 0; j < sizeof starts / sizeof starts[0]; j++) {
            problem p = {.n = 25};
            rm2i_optim *o = optim_filled(exact_settings(), 25, starts[j]);
            rm2_stop stop = optim_run(o, functions[k], &p);
            assert_true(stop == RM2_STOP_GRADIENT || stop == RM2_STOP_LINE_SEARCH);
            for (size_t i = 0; i < 25; i++)
                assert_near(rm2i_optim_x(o)[i], 1, 1e-6);
            rm2i_optim_free(o);
        }
    }
}

static void minimum_at_a_wall_is_approached(void **state) {
    (void)state;
    problem p = {.n = 1};
    rm2i_optim *o = optim_filled(exact_settings(), 1, 0);
    assert_int_equal(optim_run(o, cliff, &p), RM2_STOP_LINE_SEARCH);
    assert_near(rm2i_optim_x(o)[0], 1, 1e-12);
    assert_true(rm2i_optim_x(o)[0] <= 1);
    rm2i_optim_free(o);
}

static void rounding_level_ends_the_search(void **state) {
    (void)state;
    problem p = {.n = 10, .condition = 10, .offset = 1e8};
    rm2_optim_settings s = exact_settings();
    s.gradient = 0;
    rm2i_optim *o = optim_filled(s, 10, 20);
    assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_LINE_SEARCH);
    for (size_t i = 0; i < 10; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-3); /* f is rounded at 1e-8 */
    assert_true(p.calls <= 100);
    /* asking again gives the same answer and no harm */
    double x[10];
    memcpy(x, rm2i_optim_x(o), sizeof x);
    assert_int_equal(optim_step(o, quadratic, &p), RM2_STOP_LINE_SEARCH);
    assert_same_bits(x, rm2i_optim_x(o), 10);
    rm2i_optim_free(o);
}

/* The gradient points the wrong way: no step can lower f. */
static rm2_status liar(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    *f = x[0];
    g[0] = -1;
    return RM2_OK;
}

static void wrong_gradient_ends_the_search(void **state) {
    (void)state;
    problem p = {.n = 1};
    rm2i_optim *o = optim_filled(exact_settings(), 1, 1);
    assert_int_equal(optim_run(o, liar, &p), RM2_STOP_LINE_SEARCH);
    assert_true(p.calls <= 21);
    assert_int_equal(rm2i_optim_iteration(o), 0);
    rm2i_optim_free(o);
}

/* Rosenbrock's function; once eight points were evaluated, the next is refused unless it lies down
 * the gradient of the last. */
typedef struct valley {
    problem p;
    size_t good, refused;
    double x[2], g[2];
} valley;

static rm2_status narrow_valley(void *user, const double *x, double *f, double *g) {
    valley *v = user;
    double dx = x[0] - v->x[0], dy = x[1] - v->x[1];
    double along = -(dx * v->g[0] + dy * v->g[1]);
    if (v->good == 8 && along < (1 - 1e-9) * hypot(dx, dy) * hypot(v->g[0], v->g[1])) {
        v->refused++;
        return RM2_ERR_NUMERIC;
    }
    v->good++;
    RM2_TRY(rosenbrock(&v->p, x, f, g));
    memcpy(v->x, x, sizeof v->x);
    memcpy(v->g, g, sizeof v->g);
    return RM2_OK;
}

static void steepest_descent_follows_a_failed_search(void **state) {
    (void)state;
    valley v = {.p.n = 2};
    const double x0[2] = {-1.2, 1};
    rm2i_optim *o = optim_from(exact_settings(), 2, x0);
    rm2_stop stop = RM2_STOP_RUNNING;
    while (stop == RM2_STOP_RUNNING)
        ok(rm2i_optim_step(ctx, o, narrow_valley, &v, &stop));
    assert_int_equal(stop, RM2_STOP_GRADIENT);
    assert_true(v.refused > 0);
    assert_near(rm2i_optim_x(o)[0], 1, 1e-8);
    assert_near(rm2i_optim_x(o)[1], 1, 1e-8);
    rm2i_optim_free(o);
}

/* ---- the line search itself ------------------------------------------------------------------ */

typedef struct curve {
    int kind;
    int calls;
} curve;

/* Test functions (5.1), (5.2) and (5.4) of Moré and Thuente (1994). */
static rm2_status phi(void *user, rm2i_line_trial *t) {
    curve *c = user;
    double a = t->step;
    c->calls++;
    if (c->kind == 1) {
        double b = 2;
        t->f = -a / (a * a + b);
        t->slope = (a * a - b) / ((a * a + b) * (a * a + b));
    } else if (c->kind == 2) {
        double b = 0.004, s = a + b;
        t->f = pow(s, 5) - 2 * pow(s, 4);
        t->slope = 5 * pow(s, 4) - 8 * pow(s, 3);
    } else {
        double b1 = 0.001, b2 = 0.001;
        double r1 = sqrt(1 + b1 * b1) - b1, r2 = sqrt(1 + b2 * b2) - b2;
        double u = sqrt((1 - a) * (1 - a) + b2 * b2), v = sqrt(a * a + b1 * b1);
        t->f = r1 * u + r2 * v;
        t->slope = -r1 * (1 - a) / u + r2 * a / v;
    }
    return RM2_OK;
}

static void steps_satisfy_the_strong_wolfe_conditions(void **state) {
    (void)state;
    for (int kind = 1; kind <= 3; kind++)
        for (int k = -3; k <= 3; k += 2) {
            curve c = {.kind = kind};
            rm2i_line_trial start = {.step = 0}, t;
            bool found;
            ok(phi(&c, &start));
            c.calls = 0;
            ok(rm2i_line_search(phi, &c, start.f, start.slope, pow(10, k), &t, &found));
            assert_true(found);
            assert_true(t.f <= start.f + 1e-4 * t.step * start.slope);
            /* 2 starts almost flat: there the width of the interval ends the search, close by */
            assert_true(fabs(t.slope) <= 0.9 * fabs(start.slope) ||
                        (kind == 2 && fabs(t.step - 1.596) < 0.1));
            assert_true(c.calls <= 12);
        }
}

static void ascents_are_not_searched(void **state) {
    (void)state;
    curve c = {.kind = 1};
    rm2i_line_trial t;
    bool found = true;
    ok(rm2i_line_search(phi, &c, 0, 0, 1, &t, &found));
    assert_false(found);
    assert_int_equal(c.calls, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_is_solved_in_few_iterations),
        cmocka_unit_test(spherical_quadratic_needs_two_iterations),
        cmocka_unit_test(ill_conditioned_quadratic_is_solved),
        cmocka_unit_test(rosenbrock_in_two_dimensions),
        cmocka_unit_test(rosenbrock_in_a_hundred_dimensions),
        cmocka_unit_test(every_iteration_lowers_f),
        cmocka_unit_test(walls_shorten_the_step),
        cmocka_unit_test(minimum_at_a_wall_is_approached),
        cmocka_unit_test(rounding_level_ends_the_search),
        cmocka_unit_test(wrong_gradient_ends_the_search),
        cmocka_unit_test(steepest_descent_follows_a_failed_search),
        cmocka_unit_test(steps_satisfy_the_strong_wolfe_conditions),
        cmocka_unit_test(ascents_are_not_searched),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
