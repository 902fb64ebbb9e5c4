/* Checks "manifold" and "frechet_mean": geodesics, inner products and means in ambient form. */
#include "check.h"

#include <math.h>

static void output_exp(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_ambient(m);
    double *y = case_output(c, "exp", n);
    if (!y)
        return;
    const double *p = case_input(c, "p", n), *v = case_input(c, "v", n);
    if (p && v)
        case_ok(c, rm2_manifold_exp(c->ctx, m, 1, p, 1, v, y));
}

static void output_log(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_ambient(m);
    double *v = case_output(c, "log", n);
    if (!v)
        return;
    const double *p = case_input(c, "p", n), *q = case_input(c, "q", n);
    if (p && q)
        case_ok(c, rm2_manifold_log(c->ctx, m, 1, p, 1, q, v));
}

static void output_distance(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_ambient(m);
    double *d = case_output(c, "dist", 1);
    if (!d)
        return;
    const double *p = case_input(c, "p", n), *q = case_input(c, "q", n);
    if (p && q)
        case_ok(c, rm2_manifold_distance(c->ctx, m, 1, p, 1, q, d));
}

/* <v, w> at p, where `name` is the input w. */
static void inner(conf_case *c, const rm2_manifold *m, const char *name, double *value) {
    size_t n = rm2_manifold_ambient(m);
    const double *p = case_input(c, "p", n), *v = case_input(c, "v", n);
    const double *w = case_input(c, name, n);
    if (p && v && w)
        case_ok(c, rm2_manifold_inner(c->ctx, m, 1, p, 1, v, w, value));
}

static void output_inner(conf_case *c, const rm2_manifold *m) {
    double *value = case_output(c, "norm_v", 1);
    if (value) {
        inner(c, m, "v", value);
        *value = sqrt(*value);
    }
    value = case_output(c, "inner_vz", 1);
    if (value)
        inner(c, m, "z", value);
}

static void output_transport(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_ambient(m);
    double *out = case_output(c, "transport_z", n);
    if (!out)
        return;
    const double *p = case_input(c, "p", n), *v = case_input(c, "v", n);
    const double *z = case_input(c, "z", n);
    if (p && v && z)
        case_ok(c, rm2_manifold_transport(c->ctx, m, 1, p, 1, v, z, out));
}

void check_manifold(conf_case *c) {
    const rm2_manifold *m = case_manifold(c, NULL);
    if (!m)
        return;
    output_exp(c, m);
    output_log(c, m);
    output_distance(c, m);
    output_inner(c, m);
    output_transport(c, m);
}

void check_frechet_mean(conf_case *c) {
    const rm2_manifold *m = case_manifold(c, NULL);
    size_t n = m ? rm2_manifold_ambient(m) : 0, count;
    double *mean = m ? case_output(c, "mean", n) : NULL;
    const double *points = mean ? case_input_any(c, "points", &count) : NULL;
    if (!points)
        return;
    if (count == 0 || count % n != 0)
        case_fail(c, "input points has %zu numbers, no multiple of %zu", count, n);
    else
        case_ok(c, rm2_manifold_mean(c->ctx, m, count / n, points, NULL, NULL, mean, NULL));
}
