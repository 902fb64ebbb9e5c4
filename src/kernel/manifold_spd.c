/* Kernels on SPD(n), n > 1.
 *
 * Log-Euclidean: e^(-|log X - log Y|^2/(2 l^2)), a squared exponential of the matrix logarithms,
 * positive definite for every n. The logarithm is taken once a point, as coordinates at the
 * identity. Heat: with w the eigenvalues of log(X^-1/2 Y X^-1/2), SPD(2) is a line times a
 * hyperbolic plane, k = e^(-(w_1 + w_2)^2/(4 l^2)) k_H2(|w_1 - w_2|/2; lengthscale l/sqrt 2), and
 * SPD(3) is in manifold_spd3.c. X gets its frame once, Y its logarithm in it. (Arsigny et al.,
 * Log-Euclidean metrics, 2006; Terras, Harmonic analysis on symmetric spaces II.) */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "kernel/manifold_hyperbolic.h"
#include "kernel/manifold_kernel.h"
#include "linalg/dense.h"

static const double ROOT_HALF = 0.70710678118654752440;
static const double FARTHEST = 1500; /* on H^2 */

/* ---- log-Euclidean -------------------------------------------------------------------------- */

typedef struct log_scratch {
    double *identity, *frame, *work; /* work: of the geometry */
} log_scratch;

static void lay_out_log(log_scratch *s, const rm2_factor *f, rm2i_arena *a) {
    s->identity = rm2i_reserve(a, double, f->ambient);
    s->frame = rm2i_reserve(a, double, f->geometry->frame_size(f->n));
    s->work = rm2i_reserve(a, double, f->geometry->work_size(f->n));
}

static rm2_status logarithm_at_identity(const rm2i_kernel_rule *rule, const double *x,
                                        double *feature, double *work) {
    const rm2_geometry *g = rule->factor.geometry;
    size_t n = rule->factor.n;
    log_scratch s;
    lay_out_log(&s, &rule->factor, &(rm2i_arena){work, 0});
    g->default_point(n, s.identity);
    RM2_TRY(g->frame(n, s.identity, s.frame, s.work));
    return g->log(n, s.frame, x, feature, s.work);
}

static rm2_status log_pair(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                           double *value, double *work) {
    (void)work;
    double sum = 0;
    for (size_t i = 0; i < rule->feature_size; i++) {
        double d = (fx[i] - fy[i]) / rule->lengthscale;
        sum += d * d;
    }
    *value = rm2i_flat_kernel(RM2_KERNEL_HEAT, sqrt(sum));
    return RM2_OK;
}

/* ---- heat ----------------------------------------------------------------------------------- */

/* A feature is the point followed by its frame. */
static rm2_status point_and_frame(const rm2i_kernel_rule *rule, const double *x, double *feature,
                                  double *work) {
    size_t n = rule->factor.n;
    memcpy(feature, x, n * n * sizeof *x);
    return rule->factor.geometry->frame(n, x, feature + n * n, work);
}

static rm2_status spd2_pair(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                            double *value, double *work) {
    double c[3]; /* S_11, sqrt(2) S_12, S_22 */
    RM2_TRY(rule->factor.geometry->log(2, fx + 4, fy, c, work));
    double line = (c[0] + c[2]) / (2 * rule->lengthscale);
    double plane = hypot(c[0] - c[2], 2 * ROOT_HALF * c[1]) / 2;
    double k = exp(-line * line) * rm2i_profile_at(rule->profile, plane);
    *value = k < RM2I_TINY ? 0 : k;
    return RM2_OK;
}

typedef struct spd3_scratch {
    double *vectors, *eigen, *work; /* of the eigenproblem, of the geometry */
} spd3_scratch;

static void lay_out_spd3(spd3_scratch *s, const rm2_factor *f, rm2i_arena *a) {
    s->vectors = rm2i_reserve(a, double, 3, 3);
    s->eigen = rm2i_reserve(a, double, rm2i_eigen_work(3));
    s->work = rm2i_reserve(a, double, f->geometry->work_size(f->n));
}

static rm2_status spd3_pair(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                            double *value, double *work) {
    double c[6], w[3];
    spd3_scratch s;
    lay_out_spd3(&s, &rule->factor, &(rm2i_arena){work, 0});
    RM2_TRY(rule->factor.geometry->log(3, fx + 9, fy, c, s.work));
    double S[9] = {c[0], ROOT_HALF * c[1], ROOT_HALF * c[2], ROOT_HALF * c[1],
                   c[3], ROOT_HALF * c[4], ROOT_HALF * c[2], ROOT_HALF * c[4],
                   c[5]};
    RM2_TRY(rm2i_eigen(3, S, w, s.vectors, s.eigen));
    *value = rm2i_spd3_at(rule->spd3, w);
    return RM2_OK;
}

static double plane_value(const void *kernel, double r) {
    return rm2i_hyperbolic_kernel_at(kernel, r);
}

static rm2_status make_spd2(rm2_context *ctx, rm2i_kernel_rule *rule) {
    double l = rule->lengthscale * ROOT_HALF;
    rm2i_hyperbolic_kernel k;
    RM2_TRY(rm2i_hyperbolic_kernel_create(ctx, 2, RM2_KERNEL_HEAT, l, &k));
    rm2_status status =
        rm2i_profile_create(ctx, plane_value, &k, fmin(l, 1), FARTHEST, &rule->profile);
    rm2i_hyperbolic_kernel_free(&k);
    return status;
}

static rm2_status make_heat(rm2_context *ctx, rm2i_kernel_rule *rule) {
    const rm2_geometry *g = rule->factor.geometry;
    size_t n = rule->factor.n;
    if (n > 3)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "heat on SPD%zu is not available (it is up to SPD3): use log-euclidean",
                         n);
    rule->feature_size = n * n + g->frame_size(n);
    rm2i_arena a = {NULL, 0};
    lay_out_spd3(&(spd3_scratch){0}, &rule->factor, &a);
    rule->work_size = a.used;
    rule->feature = point_and_frame;
    rule->pair = n == 2 ? spd2_pair : spd3_pair;
    return n == 2 ? make_spd2(ctx, rule) : rm2i_spd3_create(ctx, rule->lengthscale, &rule->spd3);
}

rm2_status rm2i_rule_spd(rm2_context *ctx, rm2i_kernel_rule *rule) {
    const rm2_geometry *g = rule->factor.geometry;
    size_t n = rule->factor.n;
    if (rule->kind == RM2_KERNEL_HEAT)
        return make_heat(ctx, rule);
    if (rule->kind != RM2_KERNEL_LOG_EUCLIDEAN)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "%s on SPD%zu is not available: use %slog-euclidean",
                         rm2_kernel_name(rule->kind), n, n > 3 ? "" : "heat or ");
    rule->feature_size = g->dim(n);
    rm2i_arena a = {NULL, 0};
    lay_out_log(&(log_scratch){0}, &rule->factor, &a);
    rule->work_size = a.used;
    rule->feature = logarithm_at_identity;
    rule->pair = log_pair;
    return RM2_OK;
}
