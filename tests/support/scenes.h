/* Random scenes of obstacles on the positions of the model of space_fixture.h, distances by definition, and a fine grid
 * that knows whether there is a way. */
#ifndef SCENES_H
#define SCENES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "space_fixture.h"

enum { MOST_REGIONS = 4, FINE = 141, SAMPLES = 40 };

typedef struct scene {
    size_t count;
    rm2_region regions[MOST_REGIONS];
    double clearance;
} scene;

/* ---- distances, by definition --------------------------------------------------------------- */

static inline double to_segment(const double *y, const double *a, const double *b) {
    double best = INFINITY;
    for (int i = 0; i <= 400; i++) {
        double t = i / 400.0, u = a[0] + t * (b[0] - a[0]), v = a[1] + t * (b[1] - a[1]);
        best = fmin(best, hypot(y[0] - u, y[1] - v));
    }
    return best;
}

static inline double own_distance(const rm2_region *r, const double *y) {
    double u = fmax(fmax(r->a[0] - y[0], y[0] - r->b[0]), 0);
    double v = fmax(fmax(r->a[1] - y[1], y[1] - r->b[1]), 0);
    switch (r->kind) {
    case RM2_REGION_SPHERE:
        return hypot(y[0] - r->a[0], y[1] - r->a[1]) - r->radius;
    case RM2_REGION_BOX:
        return hypot(u, v); /* 0 inside */
    case RM2_REGION_CAPSULE:
        return to_segment(y, r->a, r->b) - r->radius;
    case RM2_REGION_HALF_SPACE:
        return ((y[0] - r->a[0]) * r->b[0] + (y[1] - r->a[1]) * r->b[1]) / hypot(r->b[0], r->b[1]);
    }
    return NAN;
}

static inline double own_clearance(const scene *s, const double *y) {
    double least = INFINITY;
    for (size_t k = 0; k < s->count; k++)
        least = fmin(least, own_distance(&s->regions[k], y));
    return least;
}

/* ---- scenes --------------------------------------------------------------------------------- */

static double low[2], high[2]; /* box of the positions */

static inline void find_box(void) {
    for (int q = 0; q < 2; q++) {
        low[q] = INFINITY;
        high[q] = -INFINITY;
        for (size_t i = 0; i < N; i++) {
            low[q] = fmin(low[q], toy->points[i * D + (size_t)q]);
            high[q] = fmax(high[q], toy->points[i * D + (size_t)q]);
        }
    }
}

static inline double between(rm2_rng *rng, double a, double b) {
    return a + (b - a) * rm2_rng_uniform(rng);
}

static inline void random_place(rm2_rng *rng, double *y) {
    for (int q = 0; q < 2; q++)
        y[q] = between(rng, low[q], high[q]);
}

static inline rm2_region random_region(rm2_rng *rng, double extent) {
    rm2_region r = {.kind = (rm2_region_kind)(rm2_rng_next(rng) % 4), .dim = 2};
    random_place(rng, r.a);
    r.radius =
        extent * pow(10, between(rng, -2.5, -0.7)); /* some much smaller than a cell's image */
    if (r.kind == RM2_REGION_BOX)
        for (int q = 0; q < 2; q++)
            r.b[q] = r.a[q] + extent * pow(10, between(rng, -2.5, -0.5));
    if (r.kind == RM2_REGION_CAPSULE)
        random_place(rng, r.b);
    if (r.kind == RM2_REGION_HALF_SPACE) {
        double angle = between(rng, 0, 6.28318);
        r.b[0] = cos(angle);
        r.b[1] = sin(angle);
        for (int q = 0; q < 2; q++) /* behind most of the data */
            r.a[q] = (low[q] + high[q]) / 2 - 0.4 * extent * r.b[q];
    }
    return r;
}

static inline scene random_scene(rm2_rng *rng) {
    double extent = hypot(high[0] - low[0], high[1] - low[1]);
    scene s = {.count = 1 + rm2_rng_next(rng) % MOST_REGIONS};
    for (size_t k = 0; k < s.count; k++)
        s.regions[k] = random_region(rng, extent);
    s.clearance = rm2_rng_uniform(rng) < 0.4 ? 0 : extent * between(rng, 0, 0.03);
    return s;
}

/* ---- a grid of its own ---------------------------------------------------------------------- */

typedef struct fine_grid {
    double *x, *y; /* nodes: latent, decoded position */
    double *clear; /* of each in the scene */
} fine_grid;

static inline void decode_positions(size_t n, const double *x, double *y) {
    double *points = numbers(n * D);
    ok(rm2_model_decode(ctx, model, n, x, points, NULL, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        memcpy(y + 2 * i, points + i * D, 2 * sizeof *y);
    free(points);
}

static inline fine_grid make_grid(const rm2_space *space) {
    rm2_roadmap_info net = *rm2_space_roadmap(space);
    fine_grid g = {numbers(FINE * FINE * 2), numbers(FINE * FINE * 2), numbers(FINE * FINE)};
    const double *a = net.x, *b = net.x + (net.nodes - 1) * 2;
    for (size_t i = 0; i < FINE * FINE; i++) {
        g.x[2 * i] = a[0] + (b[0] - a[0]) * (double)(i / FINE) / (FINE - 1);
        g.x[2 * i + 1] = a[1] + (b[1] - a[1]) * (double)(i % FINE) / (FINE - 1);
    }
    decode_positions(FINE * FINE, g.x, g.y);
    return g;
}

static inline void free_grid(fine_grid *g) {
    free(g->x);
    free(g->y);
    free(g->clear);
}

/* Is the line between two near points clear without a doubt? Its image is hardly longer than the chord. */
static inline bool is_clear(const scene *s, const double *ya, double ca, const double *yb,
                            double cb) {
    double length = 1.3 * hypot(ya[0] - yb[0], ya[1] - yb[1]);
    return (ca + cb - length) / 2 > s->clearance;
}

/* The nodes of the cell around x, and those next to it, from which x is clear. */
static inline size_t nodes_around(const fine_grid *g, const scene *s, const double *x,
                                  size_t *found) {
    size_t count = 0, at[2];
    double y[2];
    decode_positions(1, x, y);
    for (int q = 0; q < 2; q++) {
        double step = q == 0 ? g->x[2 * FINE] - g->x[0] : g->x[3] - g->x[1];
        at[q] = (size_t)((x[q] - g->x[q]) / step);
    }
    for (size_t i = at[0]; i <= at[0] + 1; i++)
        for (size_t k = at[1]; k <= at[1] + 1; k++) {
            size_t node = i * FINE + k;
            if (i < FINE && k < FINE &&
                is_clear(s, y, own_clearance(s, y), g->y + 2 * node, g->clear[node]))
                found[count++] = node;
        }
    return count;
}

/* Breadth first over the eight neighbours. */
static inline bool grid_has_way(fine_grid *g, const scene *s, const double *from,
                                const double *to) {
    size_t starts[4], ends[4], *queue = calloc(FINE * FINE, sizeof *queue), head = 0, tail = 0;
    bool *seen = calloc(FINE * FINE, sizeof *seen), reached = false;
    assert_non_null(queue);
    assert_non_null(seen);
    for (size_t i = 0; i < FINE * FINE; i++)
        g->clear[i] = own_clearance(s, g->y + 2 * i);
    size_t first = nodes_around(g, s, from, starts), last = nodes_around(g, s, to, ends);
    for (size_t i = 0; i < first; i++) {
        seen[starts[i]] = true;
        queue[tail++] = starts[i];
    }
    while (head < tail) {
        size_t node = queue[head++];
        for (int di = -1; di <= 1; di++)
            for (int dk = -1; dk <= 1; dk++) {
                long i = (long)(node / FINE) + di, k = (long)(node % FINE) + dk;
                if (i < 0 || k < 0 || i >= FINE || k >= FINE)
                    continue;
                size_t next = (size_t)i * FINE + (size_t)k;
                if (!seen[next] &&
                    is_clear(s, g->y + 2 * node, g->clear[node], g->y + 2 * next, g->clear[next])) {
                    seen[next] = true;
                    queue[tail++] = next;
                }
            }
    }
    for (size_t i = 0; i < last; i++)
        reached = reached || seen[ends[i]];
    free(queue);
    free(seen);
    return reached;
}

/* Least clearance of the decoded polygon and of the polygon of decoded points, by samples. */
static inline double sampled_clearance(const scene *s, size_t nodes, const double *path) {
    size_t count = (nodes - 1) * SAMPLES + 1;
    double *x = numbers(count * Q), *y = numbers(count * 2), least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t q = 0; q < Q; q++) {
            size_t node = i == count - 1 ? nodes - 2 : i / SAMPLES;
            double t = (double)(i - node * SAMPLES) / SAMPLES;
            const double *a = path + node * Q + q;
            x[i * Q + q] = a[0] + t * (a[Q] - a[0]);
        }
    decode_positions(count, x, y);
    for (size_t i = 0; i < count; i++) {
        size_t node = i == count - 1 ? nodes - 2 : i / SAMPLES;
        const double *a = y + 2 * node * SAMPLES, *b = a + 2 * SAMPLES;
        double t = (double)(i - node * SAMPLES) / SAMPLES;
        double chord[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
        least = fmin(least, fmin(own_clearance(s, y + 2 * i), own_clearance(s, chord)));
    }
    free(x);
    free(y);
    return least;
}

#endif
