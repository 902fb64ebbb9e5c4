/* Demonstrations made up for the tests: a motion in four dimensions that crosses and retraces itself, each
 * time a little different, at any timing, cut and reversed. */
#ifndef DEMOS_FIXTURE_H
#define DEMOS_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "start/curves.h"

enum { DEMO_DIM = 4 };

/* One demonstration: `motion` 0, 1, .. are different motions, `number` varies them. */
typedef struct demo_plan {
    size_t points, motion, number;
    double warp;       /* timing t + warp sin(2 pi t) / (2 pi): -1 .. 1 */
    double begin, end; /* part of the motion: 0, 1 for all of it */
    bool reversed;
} demo_plan;

typedef struct demo_set {
    size_t count;
    size_t starts[1100];
    double *F; /* points x DEMO_DIM */
} demo_set;

/* Where demonstration `number` is at u of 0 .. 1. */
static inline void demo_point(size_t motion, size_t number, double u, double *x) {
    double m = (double)motion, n = (double)number;
    for (size_t k = 0; k < DEMO_DIM; k++) {
        double w = (double)k + 1;
        x[k] = cos(2.1 * w * u + 1.3 * w + 2.6 * m * w) + 0.5 * sin(5.3 * u + w * w + m) +
               0.06 * sin(3 * u + 2.4 * n + w) + 0.5 * m * w;
    }
}

static inline size_t demo_points(const demo_set *s) {
    return s->starts[s->count];
}

static inline void add_demo(demo_set *s, const demo_plan *p) {
    size_t from = s->count ? s->starts[s->count] : 0;
    double *F = realloc(s->F, (from + p->points) * DEMO_DIM * sizeof *F), pi = acos(-1);
    if (!F)
        abort();
    s->F = F;
    s->starts[s->count] = from;
    s->starts[++s->count] = from + p->points;
    for (size_t i = 0; i < p->points; i++) {
        double t = p->points > 1 ? (double)i / (double)(p->points - 1) : 0;
        double u = t + p->warp * sin(2 * pi * t) / (2 * pi);
        u = p->begin + (p->end - p->begin) * (p->reversed ? 1 - u : u);
        demo_point(p->motion, p->number, u, F + (from + i) * DEMO_DIM);
    }
}

static inline rm2i_start_data demos_of(const demo_set *s) {
    return (rm2i_start_data){demo_points(s), DEMO_DIM, s->F, s->count, s->starts, NULL, NULL};
}

#endif
