/* Optimisers: convergence and evaluation counts on functions with known minima, walls, flat and
 * rounded functions, every reason to stop, Adam against its formula, and resumes bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "optim/line_search.h"
#include "optim/optim.h"

enum { SIZE_MAX_TEST = 128 };

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

static void assert_same_bits(const double *a, const double *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
}

/* ---- functions ------------------------------------------------------------------------------ */

typedef struct problem {
    size_t n, calls;
    double condition, offset;
    size_t fail_at; /* call that fails with `status`; 0: none */
    rm2_status status;
} problem;

static rm2_status counted(problem *p) {
    p->calls++;
    return p->calls == p->fail_at ? p->status : RM2_OK;
}

/* offset + sum_i c_i (x_i - i)^2 / 2 with c_i from 1 to the condition number */
static rm2_status quadratic(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    RM2_TRY(counted(p));
    *f = p->offset;
    for (size_t i = 0; i < p->n; i++) {
        double c = pow(p->condition, p->n > 1 ? (double)i / (double)(p->n - 1) : 0);
        double d = x[i] - (double)i;
        *f += 0.5 * c * d * d;
        g[i] = c * d;
    }
    return RM2_OK;
}

/* sum_i 100 (x_i+1 - x_i^2)^2 + (1 - x_i)^2 */
static rm2_status rosenbrock(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    RM2_TRY(counted(p));
    *f = 0;
    memset(g, 0, p->n * sizeof *g);
    for (size_t i = 0; i + 1 < p->n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        *f += 100 * a * a + b * b;
        g[i] += -400 * a * x[i] - 2 * b;
        g[i + 1] += 200 * a;
    }
    return RM2_OK;
}

/* x - log x a coordinate: minimum n at 1; NaN where x <= 0. Every tenth coordinate is steeper. */
static rm2_status barrier(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    *f = 0;
    for (size_t i = 0; i < p->n; i++) {
        double c = i % 10 == 0 ? 100 : 1;
        *f += c * (x[i] - (x[i] > 0 ? log(x[i]) : NAN));
        g[i] = c * (1 - 1 / x[i]);
    }
    return RM2_OK;
}

/* The same, refusing by status and touching nothing. */
static rm2_status walled(void *user, const double *x, double *f, double *g) {
    const problem *p = user;
    for (size_t i = 0; i < p->n; i++)
        if (x[i] <= 0)
            return rm2i_fail(ctx, RM2_ERR_NUMERIC, "coordinate %zu is not positive", i);
    return barrier(user, x, f, g);
}

/* Falls towards a wall at 1 with no minimum before it. */
static rm2_status cliff(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    if (x[0] > 1)
        return RM2_ERR_NUMERIC;
    *f = -x[0];
    g[0] = -1;
    return RM2_OK;
}

static rm2_status flat(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    (void)x;
    *f = 3;
    memset(g, 0, p->n * sizeof *g);
    return RM2_OK;
}

/* The gradient points the wrong way: no step can lower f. */
static rm2_status liar(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    *f = x[0];
    g[0] = -1;
    return RM2_OK;
}

/* Waves over a bowl: Adam's steps rise often. */
static rm2_status waves(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    RM2_TRY(counted(p));
    *f = 0;
    for (size_t i = 0; i < p->n; i++) {
        *f += 0.05 * x[i] * x[i] + sin(5 * x[i]);
        g[i] = 0.1 * x[i] + 5 * cos(5 * x[i]);
    }
    return RM2_OK;
}

/* ---- helpers -------------------------------------------------------------------------------- */

static rm2_optim_settings exact(void) {
    rm2_optim_settings s = rm2_optim_settings_default();
    s.max_iterations = 5000;
    s.relative_decrease = 0;
    s.gradient = 1e-10;
    return s;
}

static rm2_optim_settings adam(void) {
    rm2_optim_settings s = rm2_optim_settings_default();
    s.method = RM2_ADAM;
    return s;
}

static rm2i_optim *create(rm2_optim_settings s, size_t n, const double *x0) {
    rm2i_optim *o;
    ok(rm2i_optim_create(ctx, &s, n, x0, &o));
    return o;
}

static rm2i_optim *create_filled(rm2_optim_settings s, size_t n, double value) {
    double x0[SIZE_MAX_TEST];
    for (size_t i = 0; i < n; i++)
        x0[i] = value;
    return create(s, n, x0);
}

static rm2_stop step(rm2i_optim *o, rm2i_objective_fn fn, problem *p) {
    rm2_stop stop;
    ok(rm2i_optim_step(ctx, o, fn, p, &stop));
    return stop;
}

static rm2_stop run(rm2i_optim *o, rm2i_objective_fn fn, problem *p) {
    rm2_stop stop;
    do
        stop = step(o, fn, p);
    while (stop == RM2_STOP_RUNNING);
    return stop;
}

/* ---- texts and settings --------------------------------------------------------------------- */

static void every_reason_has_its_own_text(void **state) {
    (void)state;
    const rm2_stop all[] = {
#define STOP_NAME(name, value, text) name,
        RM2_STOP_LIST(STOP_NAME)
#undef STOP_NAME
    };
    size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i], i);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rm2_stop_text(all[i]), rm2_stop_text(all[j]));
    }
    assert_string_equal(rm2_stop_text((rm2_stop)99), "unknown reason");
}

static void refused(rm2_optim_settings s, size_t n, double x0) {
    rm2i_optim *o = (void *)ctx;
    assert_int_equal(rm2i_optim_create(ctx, &s, n, &x0, &o), RM2_ERR_ARGUMENT);
    assert_null(o);
    assert_true(strlen(rm2_context_error(ctx)) > 0);
}

static void settings_without_sense_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = rm2_optim_settings_default();
    refused(s, 0, 0);
    refused(s, 1, NAN);
    refused(s, 1, INFINITY);
    s.history = 0;
    refused(s, 1, 0);
    s = rm2_optim_settings_default();
    s.method = (rm2_optimiser)7;
    refused(s, 1, 0);
}

static void tolerances_and_rates_are_checked(void **state) {
    (void)state;
    const double bad[] = {-1, NAN};
    for (size_t i = 0; i < 2; i++) {
        rm2_optim_settings s = rm2_optim_settings_default();
        s.relative_decrease = bad[i];
        refused(s, 1, 0);
        s = rm2_optim_settings_default();
        s.gradient = bad[i];
        refused(s, 1, 0);
        s = rm2_optim_settings_default();
        s.max_seconds = bad[i];
        refused(s, 1, 0);
        s = adam();
        s.learning_rate = bad[i];
        refused(s, 1, 0);
        s = adam();
        s.beta1 = bad[i];
        refused(s, 1, 0);
        s = adam();
        s.beta2 = i ? bad[i] : 1;
        refused(s, 1, 0);
        s = adam();
        s.epsilon = bad[i];
        refused(s, 1, 0);
    }
}

static void sizes_beyond_memory_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = rm2_optim_settings_default();
    double x0 = 0;
    rm2i_optim *o;
    s.history = SIZE_MAX / 2;
    assert_int_equal(rm2i_optim_create(ctx, &s, 1, &x0, &o), RM2_ERR_MEMORY);
    assert_null(o);
    s.history = SIZE_MAX / 80;
    assert_int_equal(rm2i_optim_create(ctx, &s, 1, &x0, &o), RM2_ERR_MEMORY);
}

static void no_settings_are_the_defaults(void **state) {
    (void)state;
    problem p = {.n = 3, .condition = 1};
    double x0[3] = {5, 5, 5};
    rm2i_optim *o;
    ok(rm2i_optim_create(ctx, NULL, 3, x0, &o));
    assert_true(isinf(rm2i_optim_f(o)));
    assert_same_bits(rm2i_optim_x(o), x0, 3);
    assert_int_equal(run(o, quadratic, &p), RM2_STOP_GRADIENT);
    rm2i_optim_free(o);
    rm2i_optim_free(NULL);
}

/* ---- L-BFGS --------------------------------------------------------------------------------- */

static void quadratic_is_solved_in_few_iterations(void **state) {
    (void)state;
    for (size_t n = 1; n <= 15; n++) {
        problem p = {.n = n, .condition = 10};
        rm2i_optim *o = create_filled(exact(), n, -3);
        assert_int_equal(run(o, quadratic, &p), RM2_STOP_GRADIENT);
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
    rm2i_optim *o = create_filled(exact(), 50, -3);
    assert_int_equal(run(o, quadratic, &p), RM2_STOP_GRADIENT);
    assert_true(rm2i_optim_iteration(o) <= 3);
    assert_true(rm2i_optim_evaluations(o) <= 6);
    rm2i_optim_free(o);
}

static void ill_conditioned_quadratic_is_solved(void **state) {
    (void)state;
    problem p = {.n = 30, .condition = 1e6};
    rm2_optim_settings s = exact();
    s.gradient = 1e-9;
    s.history = 60; /* with fewer pairs than variables it takes thousands of iterations */
    rm2i_optim *o = create_filled(s, 30, -3);
    assert_int_equal(run(o, quadratic, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 30; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-8);
    rm2i_optim_free(o);
}

static void rosenbrock_in_two_dimensions(void **state) {
    (void)state;
    problem p = {.n = 2};
    const double x0[2] = {-1.2, 1};
    rm2i_optim *o = create(exact(), 2, x0);
    assert_int_equal(run(o, rosenbrock, &p), RM2_STOP_GRADIENT);
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
    rm2i_optim *o = create(exact(), 100, x0);
    assert_int_equal(run(o, rosenbrock, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 100; i++)
        assert_near(rm2i_optim_x(o)[i], 1, 1e-8);
    assert_true((double)rm2i_optim_evaluations(o) <= 1.2 * (double)rm2i_optim_iteration(o) + 10);
    rm2i_optim_free(o);
}

static void every_iteration_lowers_f(void **state) {
    (void)state;
    problem p = {.n = 20};
    rm2i_optim *o = create_filled(exact(), 20, -1.3);
    double before = INFINITY;
    rm2_stop stop;
    do {
        size_t k = rm2i_optim_iteration(o);
        stop = step(o, rosenbrock, &p);
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
            rm2i_optim *o = create_filled(exact(), 25, starts[j]);
            rm2_stop stop = run(o, functions[k], &p);
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
    rm2i_optim *o = create_filled(exact(), 1, 0);
    assert_int_equal(run(o, cliff, &p), RM2_STOP_LINE_SEARCH);
    assert_near(rm2i_optim_x(o)[0], 1, 1e-12);
    assert_true(rm2i_optim_x(o)[0] <= 1);
    rm2i_optim_free(o);
}

static void rounding_level_ends_the_search(void **state) {
    (void)state;
    problem p = {.n = 10, .condition = 10, .offset = 1e8};
    rm2_optim_settings s = exact();
    s.gradient = 0;
    rm2i_optim *o = create_filled(s, 10, 20);
    assert_int_equal(run(o, quadratic, &p), RM2_STOP_LINE_SEARCH);
    for (size_t i = 0; i < 10; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-3); /* f is rounded at 1e-8 */
    assert_true(p.calls <= 100);
    /* asking again gives the same answer and no harm */
    double x[10];
    memcpy(x, rm2i_optim_x(o), sizeof x);
    assert_int_equal(step(o, quadratic, &p), RM2_STOP_LINE_SEARCH);
    assert_same_bits(x, rm2i_optim_x(o), 10);
    rm2i_optim_free(o);
}

static void flat_functions_stop_at_once(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 4};
        rm2i_optim *o = create_filled(k ? adam() : exact(), 4, 1);
        assert_int_equal(run(o, flat, &p), RM2_STOP_GRADIENT);
        assert_int_equal(p.calls, 1);
        assert_int_equal(rm2i_optim_iteration(o), 0);
        rm2i_optim_free(o);
    }
}

static void wrong_gradient_ends_the_search(void **state) {
    (void)state;
    problem p = {.n = 1};
    rm2i_optim *o = create_filled(exact(), 1, 1);
    assert_int_equal(run(o, liar, &p), RM2_STOP_LINE_SEARCH);
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
    rm2i_optim *o = create(exact(), 2, x0);
    rm2_stop stop = RM2_STOP_RUNNING;
    while (stop == RM2_STOP_RUNNING)
        ok(rm2i_optim_step(ctx, o, narrow_valley, &v, &stop));
    assert_int_equal(stop, RM2_STOP_GRADIENT);
    assert_true(v.refused > 0);
    assert_near(rm2i_optim_x(o)[0], 1, 1e-8);
    assert_near(rm2i_optim_x(o)[1], 1, 1e-8);
    rm2i_optim_free(o);
}

/* ---- the line search itself ----------------------------------------------------------------- */

typedef struct curve {
    int kind;
    int calls;
} curve;

/* Test functions (5.1), (5.2) and (5.4) of Moré and Thuente (1994). */
static rm2_status phi(void *user, rm2i_trial *t) {
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
            rm2i_trial start = {.step = 0}, t;
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
    rm2i_trial t;
    bool found = true;
    ok(rm2i_line_search(phi, &c, 0, 0, 1, &t, &found));
    assert_false(found);
    assert_int_equal(c.calls, 0);
}

/* ---- reasons to stop, failures -------------------------------------------------------------- */

static void small_decrease_stops(void **state) {
    (void)state;
    problem p = {.n = 2};
    const double x0[2] = {-1.2, 1};
    rm2_optim_settings s = exact();
    s.relative_decrease = 1e-5;
    rm2i_optim *o = create(s, 2, x0);
    double before = INFINITY;
    rm2_stop stop = RM2_STOP_RUNNING;
    while (stop == RM2_STOP_RUNNING) {
        before = rm2i_optim_f(o);
        stop = step(o, rosenbrock, &p);
    }
    assert_int_equal(stop, RM2_STOP_DECREASE);
    assert_true(before - rm2i_optim_f(o) <= 1e-5 * fmax(1, before));
    rm2i_optim_free(o);
}

static void iterations_are_limited(void **state) {
    (void)state;
    for (size_t most = 0; most < 4; most++)
        for (int k = 0; k < 2; k++) {
            problem p = {.n = 2};
            rm2_optim_settings s = k ? adam() : exact();
            s.max_iterations = most;
            rm2i_optim *o = create_filled(s, 2, -1.2);
            assert_int_equal(run(o, rosenbrock, &p), RM2_STOP_MAX_ITERATIONS);
            assert_int_equal(rm2i_optim_iteration(o), most);
            assert_true(isfinite(rm2i_optim_f(o)));
            rm2i_optim_free(o);
        }
}

static void seconds_are_limited_and_counted_across_resumes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {.n = 2};
        rm2_optim_settings s = k ? adam() : exact();
        s.max_seconds = 1e-12;
        rm2i_optim *o = create_filled(s, 2, -1.2);
        assert_int_equal(step(o, rosenbrock, &p), RM2_STOP_MAX_SECONDS);
        assert_int_equal(rm2i_optim_iteration(o), 1);
        double *saved = calloc(rm2i_optim_state_size(o), sizeof *saved);
        assert_non_null(saved);
        rm2i_optim_save(o, saved);
        double seconds = rm2i_optim_seconds(o);
        rm2i_optim_free(o);

        o = create_filled(s, 2, 0);
        ok(rm2i_optim_restore(ctx, o, saved, rm2i_optim_state_size(o)));
        assert_true(rm2i_optim_seconds(o) == seconds && seconds > 0);
        assert_int_equal(step(o, rosenbrock, &p), RM2_STOP_MAX_SECONDS);
        assert_int_equal(rm2i_optim_iteration(o), 1); /* the time was up already */
        rm2i_optim_free(o);
        free(saved);
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
        rm2i_optim *o = create_filled(k ? adam() : exact(), 3, 2);
        assert_int_equal(run(o, interrupting, &p), RM2_STOP_INTERRUPTED);
        size_t iteration = rm2i_optim_iteration(o), calls = p.calls;
        assert_true(iteration > 0);
        assert_int_equal(step(o, interrupting, &p), RM2_STOP_INTERRUPTED);
        assert_int_equal(rm2i_optim_iteration(o), iteration);
        assert_int_equal(p.calls, calls);
        rm2_context_clear_interrupt(ctx);
        assert_int_equal(step(o, waves, &p), RM2_STOP_RUNNING);
        assert_int_equal(rm2i_optim_iteration(o), iteration + 1);
        rm2i_optim_free(o);
    }
}

static void interrupt_before_the_start_does_nothing(void **state) {
    (void)state;
    problem p = {.n = 3};
    rm2i_optim *o = create_filled(exact(), 3, 2);
    rm2_context_interrupt(ctx);
    assert_int_equal(step(o, waves, &p), RM2_STOP_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(p.calls, 0);
    assert_int_equal(step(o, waves, &p), RM2_STOP_RUNNING);
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
                rm2i_optim *a = create_filled(k ? adam() : exact(), 3, 2);
                rm2i_optim *b = create_filled(k ? adam() : exact(), 3, 2);
                for (int i = 0; i < 8; i++)
                    (void)step(a, waves, &p);
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
        rm2i_optim *o = create_filled(exact(), 2, -1);
        assert_int_equal(rm2i_optim_step(ctx, o, functions[k], &p, &stop), RM2_ERR_NUMERIC);
        assert_non_null(strstr(rm2_context_error(ctx), "start"));
        assert_non_null(strstr(rm2_context_error(ctx), words[k]));
        rm2i_optim_free(o);
    }
    problem p = {.n = 2, .fail_at = 1, .status = RM2_ERR_DATA};
    rm2_stop stop;
    rm2i_optim *o = create_filled(exact(), 2, 0);
    assert_int_equal(rm2i_optim_step(ctx, o, rosenbrock, &p, &stop), RM2_ERR_DATA);
    rm2i_optim_free(o);
}

/* ---- Adam ----------------------------------------------------------------------------------- */

static void adam_follows_its_formula(void **state) {
    (void)state;
    problem p = {.n = 2}, q = {.n = 2};
    rm2_optim_settings s = adam();
    s.learning_rate = 0.1;
    double x[2] = {-1.2, 1}, m[2] = {0}, v[2] = {0}, g[2], f;
    rm2i_optim *o = create(s, 2, x);
    for (int t = 1; t <= 5; t++) {
        assert_int_equal(step(o, rosenbrock, &p), RM2_STOP_RUNNING);
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
    rm2i_optim *o = create_filled(adam(), 2, -1.2);
    (void)step(o, rosenbrock, &p);
    assert_near(rm2i_optim_x(o)[0], -1.2 + 0.025, 1e-9);
    assert_near(rm2i_optim_step_length(o), 0.025 * sqrt(2), 1e-9);
    rm2i_optim_free(o);
}

static void adam_keeps_the_best(void **state) {
    (void)state;
    problem p = {.n = 2}, q = {.n = 2};
    rm2_optim_settings s = adam();
    s.learning_rate = 0.3;
    rm2i_optim *o = create_filled(s, 2, 2);
    double least = INFINITY, f, g[2];
    bool rose = false;
    rm2_stop stop;
    do {
        double before = rm2i_optim_f(o);
        stop = step(o, waves, &p);
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
    rm2_optim_settings s = adam();
    s.max_iterations = 5000;
    rm2i_optim *o = create_filled(s, 5, -1);
    assert_int_equal(run(o, quadratic, &p), RM2_STOP_GRADIENT);
    for (size_t i = 0; i < 5; i++)
        assert_near(rm2i_optim_x(o)[i], (double)i, 1e-5);
    rm2i_optim_free(o);
}

static void adam_halves_steps_at_walls(void **state) {
    (void)state;
    problem p = {.n = 1};
    rm2_optim_settings s = adam();
    s.learning_rate = 3;
    s.max_iterations = 2000;
    rm2i_optim *o = create_filled(s, 1, 2);
    assert_int_equal(step(o, walled, &p), RM2_STOP_RUNNING);
    assert_near(rm2i_optim_x(o)[0], 0.5, 1e-6); /* 2 - 3/2 */
    rm2i_optim_free(o);

    problem q = {.n = 1};
    o = create_filled(adam(), 1, 0.99);
    assert_int_equal(run(o, cliff, &q), RM2_STOP_LINE_SEARCH);
    assert_near(rm2i_optim_best_x(o)[0], 1, 1e-6);
    rm2i_optim_free(o);
}

/* ---- resume --------------------------------------------------------------------------------- */

enum { TOTAL = 40 };

typedef struct trace {
    double x[TOTAL][10], f[TOTAL], best[TOTAL][10];
    size_t evaluations[TOTAL];
    rm2_stop stop[TOTAL];
} trace;

static void record(rm2i_optim *o, problem *p, trace *t, int from, int to) {
    for (int i = from; i < to; i++) {
        t->stop[i] = step(o, rosenbrock, p);
        memcpy(t->x[i], rm2i_optim_x(o), sizeof t->x[i]);
        memcpy(t->best[i], rm2i_optim_best_x(o), sizeof t->best[i]);
        t->f[i] = rm2i_optim_f(o);
        t->evaluations[i] = rm2i_optim_evaluations(o);
    }
}

static void resume_is_exact_for(rm2_optim_settings s) {
    static trace whole, parts;
    problem p = {.n = 10}, q = {.n = 10};
    rm2i_optim *o = create_filled(s, 10, -1.3);
    record(o, &p, &whole, 0, TOTAL);
    rm2i_optim_free(o);
    for (int k = 0; k <= 10; k++) {
        memset(&parts, 0, sizeof parts);
        o = create_filled(s, 10, -1.3);
        record(o, &q, &parts, 0, k);
        size_t size = rm2i_optim_state_size(o);
        double *saved = calloc(size, sizeof *saved);
        assert_non_null(saved);
        rm2i_optim_save(o, saved);
        rm2i_optim_free(o);

        o = create_filled(s, 10, 7);
        ok(rm2i_optim_restore(ctx, o, saved, size));
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
    rm2_optim_settings s = exact();
    resume_is_exact_for(s);
    s.history = 3; /* a ring that has gone round */
    resume_is_exact_for(s);
    resume_is_exact_for(adam());
}

static void damaged(rm2i_optim *o, const double *saved, size_t size, size_t at, double value) {
    double *copy = calloc(size, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, saved, size * sizeof *copy);
    copy[at] = value;
    if (copy[at] != saved[at])
        assert_int_equal(rm2i_optim_restore(ctx, o, copy, size), RM2_ERR_ARGUMENT);
    free(copy);
}

static void states_of_others_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = exact(), shorter = exact();
    shorter.history = 5;
    problem p = {.n = 4};
    rm2i_optim *o = create_filled(s, 4, -1),
               *kinds[] = {create_filled(adam(), 4, 0), create_filled(s, 5, 0),
                           create_filled(shorter, 4, 0)};
    const char *words[] = {"method", "variables", "history"};
    for (int i = 0; i < 6; i++)
        (void)step(o, rosenbrock, &p);
    size_t size = rm2i_optim_state_size(o);
    double *saved = calloc(size + 1, sizeof *saved);
    assert_non_null(saved);
    rm2i_optim_save(o, saved);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(rm2i_optim_restore(ctx, kinds[k], saved, size), RM2_ERR_ARGUMENT);
        assert_non_null(strstr(rm2_context_error(ctx), words[k]));
        assert_int_equal(rm2i_optim_iteration(kinds[k]), 0);
        rm2i_optim_free(kinds[k]);
    }
    rm2i_optim *fresh = create_filled(s, 4, 0);
    const size_t sizes[] = {0, 3, size - 1, size + 1};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(rm2i_optim_restore(ctx, fresh, saved, sizes[k]), RM2_ERR_ARGUMENT);
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
        rm2i_optim *first = create_filled(k ? adam() : exact(), 10, 0.3);
        rm2i_optim *second = create_filled(k ? adam() : exact(), 10, 0.3);
        record(first, &p, &a, 0, TOTAL);
        record(second, &q, &b, 0, TOTAL);
        assert_memory_equal(&a, &b, sizeof a);
        rm2i_optim_free(first);
        rm2i_optim_free(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_its_own_text),
        cmocka_unit_test(settings_without_sense_are_refused),
        cmocka_unit_test(tolerances_and_rates_are_checked),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
        cmocka_unit_test(no_settings_are_the_defaults),
        cmocka_unit_test(quadratic_is_solved_in_few_iterations),
        cmocka_unit_test(spherical_quadratic_needs_two_iterations),
        cmocka_unit_test(ill_conditioned_quadratic_is_solved),
        cmocka_unit_test(rosenbrock_in_two_dimensions),
        cmocka_unit_test(rosenbrock_in_a_hundred_dimensions),
        cmocka_unit_test(every_iteration_lowers_f),
        cmocka_unit_test(walls_shorten_the_step),
        cmocka_unit_test(minimum_at_a_wall_is_approached),
        cmocka_unit_test(rounding_level_ends_the_search),
        cmocka_unit_test(flat_functions_stop_at_once),
        cmocka_unit_test(wrong_gradient_ends_the_search),
        cmocka_unit_test(steepest_descent_follows_a_failed_search),
        cmocka_unit_test(steps_satisfy_the_strong_wolfe_conditions),
        cmocka_unit_test(ascents_are_not_searched),
        cmocka_unit_test(small_decrease_stops),
        cmocka_unit_test(iterations_are_limited),
        cmocka_unit_test(seconds_are_limited_and_counted_across_resumes),
        cmocka_unit_test(interrupt_stops_after_the_iteration),
        cmocka_unit_test(interrupt_before_the_start_does_nothing),
        cmocka_unit_test(failed_steps_can_be_repeated),
        cmocka_unit_test(bad_start_is_an_error),
        cmocka_unit_test(adam_follows_its_formula),
        cmocka_unit_test(first_step_of_adam_has_the_learning_rate),
        cmocka_unit_test(adam_keeps_the_best),
        cmocka_unit_test(adam_reaches_the_minimum),
        cmocka_unit_test(adam_halves_steps_at_walls),
        cmocka_unit_test(resume_is_exact),
        cmocka_unit_test(states_of_others_are_refused),
        cmocka_unit_test(runs_are_repeatable),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
