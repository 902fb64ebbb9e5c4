/* Metrics for tests of geodesics: a winding corridor, and rough ground. */
#ifndef METRIC_FIXTURE_H
#define METRIC_FIXTURE_H

#include <math.h>
#include <string.h>

#include "front/base.h"
#include "riemann2/metric.h"

/* G = f I, f = 1 + contrast (1 - exp(-d^2/(2 width^2))): cheap within about `width` of the curve
 * y = height sin(k x), d = (y - height sin kx)/sqrt(1 + (height k cos kx)^2) being about the
 * distance from it. */
typedef struct corridor {
    double height, k, width, contrast;
} corridor;

static inline rm2_status corridor_at(const void *user, const double *x, double *G, double *dG) {
    const corridor *c = user;
    double y = c->height * sin(c->k * x[0]), slope = c->height * c->k * cos(c->k * x[0]);
    double root = sqrt(1 + slope * slope), d = (x[1] - y) / root;
    double d_x = -slope / root + d * slope * c->k * c->k * y / (root * root), d_y = 1 / root;
    double e = exp(-d * d / (2 * c->width * c->width));
    double f = 1 + c->contrast * (1 - e), f_d = c->contrast * e * d / (c->width * c->width);
    memcpy(G, (double[4]){f, 0, 0, f}, 4 * sizeof *G);
    if (dG)
        memcpy(dG, (double[8]){f_d * d_x, 0, 0, f_d * d_x, f_d * d_y, 0, 0, f_d * d_y},
               8 * sizeof *dG);
    return RM2_OK;
}

/* Nodes of a grid along the middle of the corridor from x = 0 to `end`: a path with the zigzag of
 * shortest paths on grids. At most `most` points; returns how many. */
static inline size_t corridor_path(const corridor *c, double end, double cell, size_t most,
                                   double *path) {
    enum { FINE = 4000 };
    size_t n = 0;
    for (size_t i = 0; i <= FINE && n < most; i++) {
        double x = end * (double)i / FINE, y = c->height * sin(c->k * x);
        double at[2] = {cell * round(x / cell), cell * round(y / cell)};
        bool is_end = i == 0 || i == FINE;
        const double *last = n ? path + 2 * (n - 1) : at;
        if (is_end || hypot(at[0] - last[0], at[1] - last[1]) > 0.9 * cell)
            memcpy(path + 2 * n++, is_end ? (double[2]){x, y} : at, 2 * sizeof *path);
    }
    return n;
}

/* G = A + sum_k h_k exp(-|x - c_k|^2/(2 r^2)) B_k, with A and B_k positive definite. */
enum { HILLS = 12 };
typedef struct hills {
    double A[3], radius;
    double centre[HILLS][2], height[HILLS], B[HILLS][3]; /* matrices by (11, 12, 22) */
} hills;

static inline hills make_hills(uint64_t seed, double extent, double height, double radius) {
    hills h = {.A = {1, 0.2, 0.8}, .radius = radius};
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t k = 0; k < HILLS; k++) {
        h.centre[k][0] = extent * (2 * rm2_rng_uniform(&rng) - 1);
        h.centre[k][1] = extent * (2 * rm2_rng_uniform(&rng) - 1);
        h.height[k] = height * rm2_rng_uniform(&rng);
        double a = rm2_rng_normal(&rng), b = rm2_rng_normal(&rng);
        memcpy(h.B[k], (double[3]){0.3 + a * a, a * b, 0.3 + b * b}, 3 * sizeof(double));
    }
    return h;
}

static inline rm2_status hills_at(const void *user, const double *x, double *G, double *dG) {
    const hills *h = user;
    memcpy(G, (double[4]){h->A[0], h->A[1], h->A[1], h->A[2]}, 4 * sizeof *G);
    if (dG)
        memset(dG, 0, 8 * sizeof *dG);
    for (size_t k = 0; k < HILLS; k++) {
        double u = x[0] - h->centre[k][0], v = x[1] - h->centre[k][1], r2 = h->radius * h->radius;
        double e = h->height[k] * exp(-(u * u + v * v) / (2 * r2));
        const double *B = h->B[k], full[4] = {B[0], B[1], B[1], B[2]};
        for (size_t i = 0; i < 4; i++) {
            G[i] += e * full[i];
            if (dG) {
                dG[i] -= e * u / r2 * full[i];
                dG[4 + i] -= e * v / r2 * full[i];
            }
        }
    }
    return RM2_OK;
}

#endif
