/* Demonstrations on any manifold, models of them, and motions that meet poses. */
#ifndef MEET_FIXTURE_H
#define MEET_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/meet.h"

enum { POINTS = 30, NODES = 40 }; /* of a demonstration, of a motion */

/* Which demonstrations, and what is wrong with one of them. */
typedef struct plan {
    const char *spec;
    size_t count;      /* demonstrations */
    size_t families;   /* 1, or 2: the second half are another motion, by label */
    bool broken_start; /* of the last one */
    bool bump;         /* of the last one, over a fifth of it */
    bool spike;        /* one point of the last one */
    size_t cut;        /* points that the last one lacks at its beginning */
} plan;

/* Tangent coordinates of demonstration d at u of 0 .. 1. */
static inline void curve_at(const plan *p, size_t dim, size_t d, double u, double *c) {
    size_t motion = d >= (p->count + 1) / p->families ? 1 : 0;
    for (size_t a = 0; a < dim; a++) {
        double w = (double)a + 1, n = (double)d, side = motion ? -1.0 : 1.0;
        c[a] = 0.45 * (a == 0 ? 2 * u - 1 : sin(2.2 * u + 1.1 * w)) * side +
               0.05 * sin(2 * u + 2.4 * n + w) + (motion ? 0.3 : 0);
    }
    bool last = d + 1 == p->count;
    if (last && p->broken_start && u < 0.2)
        c[dim - 1] += 1.2 * (0.2 - u) / 0.2;
    if (last && p->bump && fabs(u - 0.5) < 0.1)
        c[dim - 1] += 12 * (0.1 - fabs(u - 0.5));
    if (last && p->spike && fabs(u - 0.5) < 0.6 / (POINTS - 1))
        c[dim - 1] += 0.9;
}

static inline rm2_data *plan_data(const plan *p) {
    rm2_manifold *m;
    rm2_data *data;
    size_t starts[32] = {0}, label[32 * POINTS];
    const char *const names[] = {"a", "b"};
    ok(rm2_manifold_create(ctx, p->spec, &m));
    size_t D = rm2_manifold_ambient(m), M = rm2_manifold_dim(m), at = 0;
    double *base = numbers(D), *c = numbers(M), *y = numbers(p->count * POINTS * D);
    rm2_manifold_default_point(m, base);
    for (size_t d = 0; d < p->count; d++) {
        for (size_t k = d + 1 == p->count ? p->cut : 0; k < POINTS; k++, at++) {
            curve_at(p, M, d, (double)k / (POINTS - 1), c);
            ok(rm2_manifold_exp_coords(ctx, m, 1, base, 1, c, y + at * D));
            label[at] = d >= (p->count + 1) / p->families;
        }
        starts[d + 1] = at;
    }
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .count = at,
                              .points = y,
                              .trajectories = p->count,
                              .starts = starts};
    if (p->families > 1) {
        arrays.labels = label;
        arrays.label_names = names;
        arrays.label_count = 2;
    }
    ok(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    rm2_manifold_free(m);
    free(base);
    free(c);
    free(y);
    return data;
}

typedef struct scene {
    rm2_data *data;
    rm2_model *model;
    rm2_space *space;
    const rm2_manifold *m;
    size_t D, M; /* ambient, dim */
    double *y;   /* points of the data, in its units */
} scene;

static inline scene open_scene(const plan *p, size_t iterations) {
    scene s = {.data = plan_data(p)};
    rm2_fit_settings fit = robust_settings(iterations);
    if (p->families > 1)
        fit.families = RM2_FAMILIES_LABEL;
    s.model = fit_model(s.data, &fit);
    rm2_space_settings space = rm2_space_settings_default();
    space.grid_points = 20;
    space.nodes = NODES;
    ok(rm2_space_create(ctx, s.model, &space, 0, NULL, &s.space));
    s.m = s.data->manifold;
    s.D = rm2_manifold_ambient(s.m);
    s.M = rm2_manifold_dim(s.m);
    s.y = numbers(s.data->count * s.D);
    rm2_data_original(s.data, s.y);
    return s;
}

static inline void close_scene(scene *s) {
    rm2_space_free(s->space);
    rm2_model_free(s->model);
    rm2_data_free(s->data);
    free(s->y);
}

/* Point k of demonstration d. */
static inline const double *shown(const scene *s, size_t d, size_t k) {
    return s->y + (s->data->starts[d] + k) * s->D;
}

/* It, moved by `step` in every tangent coordinate. */
static inline double *aside(const scene *s, const double *y, double step) {
    double *c = numbers(s->M), *moved = numbers(s->D);
    for (size_t a = 0; a < s->M; a++)
        c[a] = a % 2 ? -step : step;
    ok(rm2_manifold_exp_coords(ctx, s->m, 1, y, 1, c, moved));
    free(c);
    return moved;
}

static inline rm2_meet *meet_request(const scene *s, const rm2_meet_request *r,
                                     const rm2_meet_settings *settings) {
    rm2_meet *meet;
    ok(rm2_meet_create(ctx, s->space, NULL, r, settings, &meet));
    return meet;
}

/* From a start to a goal. */
static inline rm2_meet *meet_ends(const scene *s, const double *start, const double *goal,
                                  const rm2_meet_settings *settings) {
    rm2_meet_request r = {.start = {.point = start}, .goal = {.point = goal}};
    return meet_request(s, &r, settings);
}

static inline double distance_of(const rm2_manifold *m, const double *a, const double *b) {
    double d;
    ok(rm2_manifold_distance(ctx, m, 1, a, 1, b, &d));
    return d;
}

#endif
