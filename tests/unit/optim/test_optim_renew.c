/* A function that changes while it is minimised: value, gradient and best point are those of the new
 * one, what was learnt about curvature is kept, and a failure changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optim_fixture.h"

enum { DIM = 20 };

/* A long valley with its minimum at `centre`, raised by `level`. */
typedef struct valley {
    double centre, level;
    bool broken;
    size_t calls;
} valley;

static rm2_status height(void *user, const double *x, double *f, double *g) {
    valley *v = user;
    v->calls++;
    *f = v->level;
    for (size_t i = 0; i < DIM; i++) {
        double weight = pow(10, 4. * (double)i / DIM), d = x[i] - v->centre;
        *f += 0.5 * weight * d * d + 0.1 * weight * d * d * d * d;
        g[i] = weight * d + 0.4 * weight * d * d * d;
    }
    return v->broken ? RM2_ERR_NUMERIC : RM2_OK;
}

static rm2i_optim *optimiser(rm2_optimiser method, const double *x0) {
    rm2_optim_settings s = usual_settings();
    rm2i_optim *o;
    s.method = method;
    s.max_iterations = 10000;
    s.relative_decrease = 0;
    s.gradient = 1e-7;
    assert_int_equal(rm2i_optim_create(NULL, &s, DIM, x0, &o), RM2_OK);
    return o;
}

static void steps(rm2i_optim *o, valley *v, int count) {
    rm2_stop stop = RM2_STOP_RUNNING;
    for (int k = 0; k < count && stop == RM2_STOP_RUNNING; k++)
        assert_int_equal(rm2i_optim_step(NULL, o, height, v, &stop), RM2_OK);
}

/* A small decrease of the old function and one of the new one are not two in a row. */
static void decreases_of_two_functions_are_not_in_a_row(void **state) {
    (void)state;
    double x0[DIM];
    valley v = {.centre = 0.3};
    rm2_optim_settings s = usual_settings();
    rm2i_optim *o;
    rm2_stop stop = RM2_STOP_RUNNING;
    for (size_t i = 0; i < DIM; i++)
        x0[i] = 1;
    s.gradient = 0;
    s.relative_decrease = 2; /* every decrease is smaller */
    assert_int_equal(rm2i_optim_create(NULL, &s, DIM, x0, &o), RM2_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(rm2i_optim_step(NULL, o, height, &v, &stop), RM2_OK);
        assert_int_equal(stop, RM2_STOP_RUNNING);
        assert_int_equal(rm2i_optim_step(NULL, o, height, &v, &stop), RM2_OK);
        assert_int_equal(stop, RM2_STOP_DECREASE);
        v.centre = 0.31;
        assert_int_equal(rm2i_optim_renew(o, height, &v), RM2_OK);
    }
    rm2i_optim_free(o);
}

static void values_are_renewed(void **state) {
    (void)state;
    for (int method = RM2_LBFGS; method <= RM2_ADAM; method++) {
        double x0[DIM], x[DIM], g[DIM], f, largest = 0;
        valley v = {.centre = 0.3};
        for (size_t i = 0; i < DIM; i++)
            x0[i] = 1;
        rm2i_optim *o = optimiser((rm2_optimiser)method, x0);
        assert_int_equal(rm2i_optim_renew(o, height, &v), RM2_OK); /* nothing to renew yet */
        assert_int_equal(v.calls, 0);
        steps(o, &v, 12);
        memcpy(x, rm2i_optim_x(o), sizeof x);
        size_t iteration = rm2i_optim_iteration(o);
        v.centre = 0.31;
        v.level = -5;
        assert_int_equal(rm2i_optim_renew(o, height, &v), RM2_OK);
        assert_int_equal(height(&v, x, &f, g), RM2_OK);
        for (size_t i = 0; i < DIM; i++)
            largest = fmax(largest, fabs(g[i]));
        assert_memory_equal(x, rm2i_optim_x(o), sizeof x);
        assert_true(rm2i_optim_f(o) == f && rm2i_optim_gradient(o) == largest);
        assert_int_equal(rm2i_optim_iteration(o), iteration);
        /* the best is one of the two points, with its new value */
        assert_int_equal(height(&v, rm2i_optim_best_x(o), &f, g), RM2_OK);
        assert_true(rm2i_optim_best_f(o) == f && f <= rm2i_optim_f(o));
        rm2i_optim_free(o);
    }
}

/* Renewed by the same function, both methods go on as if nothing had happened. */
static void memory_is_kept(void **state) {
    (void)state;
    for (int method = RM2_LBFGS; method <= RM2_ADAM; method++) {
        double x0[DIM];
        valley v = {.centre = 0.3};
        for (size_t i = 0; i < DIM; i++)
            x0[i] = 1;
        rm2i_optim *plain = optimiser((rm2_optimiser)method, x0);
        rm2i_optim *renewed = optimiser((rm2_optimiser)method, x0);
        steps(plain, &v, 15);
        for (int k = 0; k < 5; k++) {
            steps(renewed, &v, 3);
            assert_int_equal(rm2i_optim_renew(renewed, height, &v), RM2_OK);
        }
        assert_memory_equal(rm2i_optim_x(plain), rm2i_optim_x(renewed), sizeof x0);
        assert_memory_equal(rm2i_optim_best_x(plain), rm2i_optim_best_x(renewed), sizeof x0);
        assert_true(rm2i_optim_best_f(plain) == rm2i_optim_best_f(renewed));
        rm2i_optim_free(plain);
        rm2i_optim_free(renewed);
    }
}

static void failure_changes_nothing(void **state) {
    (void)state;
    double x0[DIM] = {0};
    valley v = {.centre = 0.3};
    rm2i_optim *o = optimiser(RM2_ADAM, x0);
    steps(o, &v, 5);
    double f = rm2i_optim_f(o), best = rm2i_optim_best_f(o), slope = rm2i_optim_gradient(o);
    v.broken = true;
    assert_int_equal(rm2i_optim_renew(o, height, &v), RM2_ERR_NUMERIC);
    assert_true(rm2i_optim_f(o) == f && rm2i_optim_best_f(o) == best &&
                rm2i_optim_gradient(o) == slope);
    rm2i_optim_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_renewed),
        cmocka_unit_test(decreases_of_two_functions_are_not_in_a_row),
        cmocka_unit_test(memory_is_kept),
        cmocka_unit_test(failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
