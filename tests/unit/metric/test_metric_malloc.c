/* Every allocation of the metric layer fails once: the call answers RM2_ERR_MEMORY, hands out nothing
 * and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "metric/metric.h"
#include "riemann2/fit.h"
#include "riemann2/metric.h"

enum { POINTS = 3, Q = 2 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_model *model;
    rm2_metric *pullback, *closed;
    double G[POINTS * Q * Q], dG[POINTS * Q * Q * Q], a[POINTS], b[POINTS];
} fixture;

static const double x[POINTS * Q] = {0.1, 0.2, 0.5, 0.4, 0.7, 1.1};

static rm2_status keep_or_nothing(rm2_status status, rm2_metric *metric) {
    assert_true((status == RM2_OK) == (metric != NULL));
    rm2_metric_free(metric);
    return status;
}

static rm2_status make_analytic(void *state) {
    fixture *f = state;
    rm2_metric *metric;
    rm2_status status = rm2_metric_analytic(f->ctx, "bump", Q, &metric);
    return keep_or_nothing(status, metric);
}

static rm2_status flat(const void *user, const double *at, double *G, double *dG) {
    (void)user, (void)at, (void)dG;
    memset(G, 0, Q * Q * sizeof *G);
    return RM2_OK;
}

static rm2_status make_own(void *state) {
    fixture *f = state;
    rm2_metric *metric;
    rm2_status status = rm2_metric_from_function(f->ctx, Q, flat, NULL, "own", &metric);
    return keep_or_nothing(status, metric);
}

static rm2_status make_density(void *state) {
    fixture *f = state;
    rm2_metric *metric;
    rm2_status status = rm2i_metric_density(f->ctx, POINTS, Q, x, 0.3, &metric);
    return keep_or_nothing(status, metric);
}

/* By contrast: the latents are surveyed. */
static rm2_status make_pullback(void *state) {
    fixture *f = state;
    rm2_metric *metric;
    rm2_status status = rm2i_metric_pullback(f->ctx, f->model, NULL, &metric);
    return keep_or_nothing(status, metric);
}

static rm2_status make_with_cost(void *state) {
    fixture *f = state;
    const double centre[2] = {0, 0}, one = 1;
    rm2_discouraged o = {1, 0, 2, centre, &one, &one};
    rm2i_pullback_settings s = {
        .size = sizeof s, .weight = 2, .cost = {rm2i_discouraged_cost, &o, 0}};
    rm2_metric *metric;
    rm2_status status = rm2i_metric_pullback(f->ctx, f->model, &s, &metric);
    return keep_or_nothing(status, metric);
}

static rm2_status evaluate(void *state) {
    fixture *f = state;
    return rm2_metric_at(f->ctx, f->pullback, POINTS, x, f->G, f->dG);
}

static rm2_status evaluate_closed(void *state) {
    fixture *f = state;
    return rm2_metric_at(f->ctx, f->closed, POINTS, x, f->G, f->dG);
}

static rm2_status magnify(void *state) {
    fixture *f = state;
    return rm2_metric_magnification(f->ctx, f->pullback, POINTS, x, f->a);
}

static rm2_status measure(void *state) {
    fixture *f = state;
    return rm2i_metric_measure(f->ctx, f->pullback, POINTS, x, f->a, f->b);
}

static rm2_status spread(void *state) {
    fixture *f = state;
    return rm2_metric_spread(f->ctx, f->pullback, POINTS, x, NULL, f->a, f->b);
}

static rm2_status expected_length(void *state) {
    fixture *f = state;
    return rm2i_metric_expected_length(f->ctx, f->pullback, POINTS, x, 4, f->a, f->b);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static fixture shared;

static int set_up(void **state) {
    fixture *f = *state = &shared;
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = 2, .points = 4};
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data = NULL;
    if (rm2_context_create(&f->ctx) != RM2_OK)
        return -1;
    rm2_context_set_threads(f->ctx, 1);
    s.optim.max_iterations = 2;
    bool ready = rm2_data_generate(f->ctx, "toy", &toy, &data) == RM2_OK &&
                 rm2_fit(f->ctx, data, &s, NULL, &f->model) == RM2_OK &&
                 rm2i_metric_pullback(f->ctx, f->model, NULL, &f->pullback) == RM2_OK &&
                 rm2_metric_analytic(f->ctx, "half_plane", Q, &f->closed) == RM2_OK;
    rm2_data_free(data);
    return ready ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_metric_free(f->closed);
    rm2_metric_free(f->pullback);
    rm2_model_free(f->model);
    rm2_context_free(f->ctx);
    return 0;
}

/* The least number of allocations is known from what each call must hold: object, text, own data. */
static void creation(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, make_analytic, f) >= 3);
    assert_true(fail_each_allocation(f->ctx, make_own, f) >= 3);
    assert_true(fail_each_allocation(f->ctx, make_density, f) >= 3);
    assert_true(fail_each_allocation(f->ctx, make_pullback, f) >= 6);
    assert_true(fail_each_allocation(f->ctx, make_with_cost, f) >= 4);
}

static void evaluation(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, evaluate, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, evaluate_closed, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, magnify, f) >= 2);
    assert_true(fail_each_allocation(f->ctx, measure, f) >= 2);
    assert_true(fail_each_allocation(f->ctx, spread, f) >= 1);
    assert_true(fail_each_allocation(f->ctx, expected_length, f) >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),
        cmocka_unit_test(evaluation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
