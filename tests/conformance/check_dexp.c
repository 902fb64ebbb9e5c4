/* Check "dexp": the metric G of the coordinates, its derivatives, and dExp in ambient form. */
#include "check.h"

static void output_metric(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_dim(m);
    double *G = case_output(c, "G", n * n);
    if (!G)
        return;
    const double *coords = case_input(c, "coords", n), *identity = case_identity(c, n);
    if (coords && identity)
        case_ok(c, rm2_manifold_metric(c->ctx, m, 1, coords, n, identity, G));
}

/* dG[k] = derivative of G with respect to coordinate k */
static void output_derivative(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_dim(m);
    double *dG = case_output(c, "dG", n * n * n);
    if (!dG)
        return;
    const double *coords = case_input(c, "coords", n), *identity = case_identity(c, n);
    bool going = coords && identity;
    for (size_t k = 0; going && k < n; k++)
        going = case_ok(c, rm2_manifold_metric_derivative(c->ctx, m, 1, coords, identity + k * n, n,
                                                          identity, dG + k * n * n));
}

static void output_dexp(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_ambient(m);
    double *out = case_output(c, "dexp_w", n);
    if (!out)
        return;
    const double *p = case_input(c, "p", n), *v = case_input(c, "v", n);
    const double *w = case_input(c, "w", n);
    if (p && v && w)
        case_ok(c, rm2_manifold_dexp(c->ctx, m, 1, p, 1, v, w, out));
}

void check_dexp(conf_case *c) {
    const rm2_manifold *m = case_manifold(c, NULL);
    if (!m)
        return;
    output_metric(c, m);
    output_derivative(c, m);
    output_dexp(c, m);
}
