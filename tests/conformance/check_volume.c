/* Check "volume": log |det dExp|, and the metric G of the coordinates through two numbers of it. */
#include "check.h"

static void output_log_volume(conf_case *c, const rm2_manifold *m) {
    double *value = case_output(c, "log_volume", 1);
    if (!value)
        return;
    const double *coords = case_input(c, "coords", rm2_manifold_dim(m));
    if (coords)
        case_ok(c, rm2_manifold_log_volume(c->ctx, m, 1, coords, value));
}

/* w1^T G w2 */
static void output_product(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_dim(m);
    double *value = case_output(c, "G_w1_w2", 1);
    if (!value)
        return;
    const double *coords = case_input(c, "coords", n), *w1 = case_input(c, "w1", n);
    const double *w2 = case_input(c, "w2", n);
    double *Gw = case_scratch(c, n);
    if (!coords || !w1 || !w2 || !Gw)
        return;
    if (!case_ok(c, rm2_manifold_metric(c->ctx, m, 1, coords, 1, w2, Gw)))
        return;
    *value = 0.0;
    for (size_t i = 0; i < n; i++)
        *value += w1[i] * Gw[i];
}

static void output_trace(conf_case *c, const rm2_manifold *m) {
    size_t n = rm2_manifold_dim(m);
    double *value = case_output(c, "trace_G", 1);
    if (!value)
        return;
    const double *coords = case_input(c, "coords", n), *identity = case_identity(c, n);
    double *G = case_scratch(c, n * n);
    if (!coords || !identity || !G)
        return;
    if (!case_ok(c, rm2_manifold_metric(c->ctx, m, 1, coords, n, identity, G)))
        return;
    *value = 0.0;
    for (size_t i = 0; i < n; i++)
        *value += G[i * n + i];
}

void check_volume(conf_case *c) {
    const rm2_manifold *m = case_manifold(c, NULL);
    if (!m)
        return;
    output_log_volume(c, m);
    output_product(c, m);
    output_trace(c, m);
}
