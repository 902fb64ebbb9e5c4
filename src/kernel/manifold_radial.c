/* Kernels that are functions of the distance: R^n, S^n, SO(3), H^n and SPD(1).
 *
 * R^n, and the lines H^1 and SPD(1) = {e^y}, have closed forms in s = distance/lengthscale:
 *   heat e^(-s^2/2), matern32 (1 + u) e^-u with u = sqrt(3) s, matern52 (1 + u + u^2/3) e^-u with
 *   u = sqrt(5) s. (Rasmussen and Williams, Gaussian processes for machine learning, 2006, 4.2.)
 * The others are tables over the distance (manifold_profile.h). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "kernel/manifold_hyperbolic.h"
#include "kernel/manifold_kernel.h"
#include "kernel/manifold_sphere.h"

static const double FARTHEST = 1500; /* on H^n; kernels there are below RM2I_TINY */

double rm2i_flat_kernel(rm2_kernel_kind kind, double s) {
    double value, u;
    switch (kind) {
    case RM2_KERNEL_MATERN32:
        u = 1.73205080756887729353 * s;
        value = (1 + u) * exp(-u);
        break;
    case RM2_KERNEL_MATERN52:
        u = 2.23606797749978969641 * s;
        value = (1 + u + u * u / 3) * exp(-u);
        break;
    case RM2_KERNEL_HEAT:
    case RM2_KERNEL_LOG_EUCLIDEAN:
    default:
        value = exp(-s * s / 2);
    }
    return value < RM2I_TINY || isnan(value) ? 0 : value; /* inf * 0 far out */
}

static rm2_status copy_point(const rm2i_kernel_rule *rule, const double *x, double *feature,
                             double *work) {
    (void)work;
    memcpy(feature, x, rule->feature_size * sizeof *x);
    return RM2_OK;
}

static rm2_status flat_pair(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                            double *value, double *work) {
    double d;
    RM2_TRY(rule->factor.geometry->distance(rule->factor.n, fx, fy, &d, work));
    *value = rm2i_flat_kernel(rule->kind, d / rule->lengthscale);
    return RM2_OK;
}

static rm2_status table_pair(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                             double *value, double *work) {
    double d;
    RM2_TRY(rule->factor.geometry->distance(rule->factor.n, fx, fy, &d, work));
    *value = rm2i_profile_at(rule->profile, d);
    return RM2_OK;
}

static double sphere_value(const void *kernel, double r) {
    return rm2i_sphere_kernel_at(kernel, r);
}

/* The angle on S^3 is half that of the rotation. */
static double rotation_value(const void *kernel, double r) {
    return rm2i_sphere_kernel_at(kernel, r / 2);
}

static double hyperbolic_value(const void *kernel, double r) {
    return rm2i_hyperbolic_kernel_at(kernel, r);
}

static rm2_status make_sphere(rm2_context *ctx, rm2i_kernel_rule *rule) {
    bool rotation = rule->factor.geometry == &rm2_rotation;
    double scale = rule->lengthscale;
    rm2i_sphere_kernel k;
    RM2_TRY(rm2i_sphere_kernel_create(ctx, rotation ? 3 : rule->factor.n, rotation, rule->kind,
                                      rotation ? scale / 2 : scale, &k));
    rm2_status status = rm2i_profile_create(ctx, rotation ? rotation_value : sphere_value, &k,
                                            scale, RM2_PI, &rule->profile);
    rm2i_sphere_kernel_free(&k);
    return status;
}

static rm2_status make_hyperbolic(rm2_context *ctx, rm2i_kernel_rule *rule) {
    if (rule->factor.n > RM2I_HYPERBOLIC_MOST)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "%s on H%zu is not available: hyperbolic kernels go up to H%d",
                         rm2_kernel_name(rule->kind), rule->factor.n, RM2I_HYPERBOLIC_MOST);
    rm2i_hyperbolic_kernel k;
    RM2_TRY(rm2i_hyperbolic_kernel_create(ctx, rule->factor.n, rule->kind, rule->lengthscale, &k));
    rm2_status status = rm2i_profile_create(ctx, hyperbolic_value, &k, fmin(rule->lengthscale, 1),
                                            FARTHEST, &rule->profile);
    rm2i_hyperbolic_kernel_free(&k);
    return status;
}

rm2_status rm2i_rule_radial(rm2_context *ctx, rm2i_kernel_rule *rule) {
    const rm2_geometry *g = rule->factor.geometry;
    size_t n = rule->factor.n;
    rule->feature_size = rule->factor.ambient;
    rule->work_size = g->work_size(n);
    rule->feature = copy_point;
    rule->pair = table_pair;
    if (g == &rm2_sphere || g == &rm2_rotation)
        return make_sphere(ctx, rule);
    if (g == &rm2_hyperbolic && n > 1)
        return make_hyperbolic(ctx, rule);
    rule->pair = flat_pair;
    return RM2_OK;
}
