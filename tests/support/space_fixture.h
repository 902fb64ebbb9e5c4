/* A small model whose latent space the tests of spaces ask. */
#ifndef SPACE_FIXTURE_H
#define SPACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/space.h"

enum { Q = 2, N = 24, D = 5 }; /* toy data: R2 x S2 */

static rm2_data *toy;
static rm2_model *model;
static const double *latents; /* N x Q */

static inline int space_set_up(void **state) {
    if (model_set_up(state) != 0)
        return 1;
    rm2_fit_settings s = robust_settings(15);
    toy = example_data("toy", 2, N / 2);
    model = fit_model(toy, &s);
    latents = rm2_model_info_of(model)->latents;
    return 0;
}

static inline int space_tear_down(void **state) {
    rm2_model_free(model);
    rm2_data_free(toy);
    return model_tear_down(state);
}

/* Small grids and few nodes: numbers count here, not accuracy. */
static inline rm2_space_settings quick_settings(void) {
    rm2_space_settings s = rm2_space_settings_default();
    s.grid_points = 20;
    s.nodes = 12;
    return s;
}

static inline rm2_space *make_space(const rm2_space_settings *s, size_t n, const double *points) {
    rm2_space *space;
    ok(rm2_space_create(ctx, model, s, n, points, &space));
    return space;
}

/* Every number of two curves, bit for bit. */
static inline void assert_same_curve(const rm2_curve *a, const rm2_curve *b) {
    assert_true(a->nodes == b->nodes && a->Q == b->Q);
    assert_memory_equal(a->x, b->x, a->nodes * a->Q * sizeof *a->x);
    assert_memory_equal(a->velocity, b->velocity, a->nodes * a->Q * sizeof *a->x);
    assert_true(a->length == b->length && a->energy == b->energy);
    assert_true(a->path_length == b->path_length && a->spline_length == b->spline_length);
    assert_true(a->error == b->error && a->residual == b->residual);
    assert_true(a->stage == b->stage && a->converged == b->converged);
    assert_true(a->iterations == b->iterations && a->evaluations == b->evaluations);
}

#endif
