#include "optim_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "riemann2/model.h"

enum { SIZE_MAX_TEST = 128 };

void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

void assert_same_bits(const double *a, const double *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
}

/* ---- functions ------------------------------------------------------------------------------- */

static rm2_status counted(problem *p) {
    p->calls++;
    return p->calls == p->fail_at ? p->status : RM2_OK;
}

rm2_status quadratic(void *user, const double *x, double *f, double *g) {
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

rm2_status rosenbrock(void *user, const double *x, double *f, double *g) {
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

rm2_status barrier(void *user, const double *x, double *f, double *g) {
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

rm2_status walled(void *user, const double *x, double *f, double *g) {
    const problem *p = user;
    for (size_t i = 0; i < p->n; i++)
        if (x[i] <= 0)
            return rm2i_fail(ctx, RM2_ERR_NUMERIC, "coordinate %zu is not positive", i);
    return barrier(user, x, f, g);
}

rm2_status cliff(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    p->calls++;
    if (x[0] > 1)
        return RM2_ERR_NUMERIC;
    *f = -x[0];
    g[0] = -1;
    return RM2_OK;
}

rm2_status waves(void *user, const double *x, double *f, double *g) {
    problem *p = user;
    RM2_TRY(counted(p));
    *f = 0;
    for (size_t i = 0; i < p->n; i++) {
        *f += 0.05 * x[i] * x[i] + sin(5 * x[i]);
        g[i] = 0.1 * x[i] + 5 * cos(5 * x[i]);
    }
    return RM2_OK;
}

/* ---- optimisers ------------------------------------------------------------------------------ */

rm2_optim_settings usual_settings(void) {
    return rm2_fit_settings_recipe(RM2_RECIPE_ROBUST).optim;
}

rm2_optim_settings exact_settings(void) {
    rm2_optim_settings s = usual_settings();
    s.max_iterations = 5000;
    s.relative_decrease = 0;
    s.gradient = 1e-10;
    return s;
}

rm2_optim_settings adam_settings(void) {
    rm2_optim_settings s = usual_settings();
    s.method = RM2_ADAM;
    return s;
}

rm2i_optim *optim_from(rm2_optim_settings s, size_t n, const double *x0) {
    rm2i_optim *o;
    ok(rm2i_optim_create(ctx, &s, n, x0, &o));
    return o;
}

rm2i_optim *optim_filled(rm2_optim_settings s, size_t n, double value) {
    double x0[SIZE_MAX_TEST];
    for (size_t i = 0; i < n; i++)
        x0[i] = value;
    return optim_from(s, n, x0);
}

static rm2_status next_numbers(void *user, size_t count, double *values) {
    const double **at = user;
    memcpy(values, *at, count * sizeof *values);
    *at += count;
    return RM2_OK;
}

rm2_status optim_restore(rm2i_optim *o, const double *state, size_t size) {
    return rm2i_optim_restore(ctx, o, &(rm2i_optim_source){size, next_numbers, &state});
}

rm2_stop optim_step(rm2i_optim *o, rm2i_objective_fn fn, problem *p) {
    rm2_stop stop;
    ok(rm2i_optim_step(ctx, o, fn, p, &stop));
    return stop;
}

rm2_stop optim_run(rm2i_optim *o, rm2i_objective_fn fn, problem *p) {
    rm2_stop stop;
    do
        stop = optim_step(o, fn, p);
    while (stop == RM2_STOP_RUNNING);
    return stop;
}
