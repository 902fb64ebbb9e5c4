/* A kernel on a manifold inside the library: one rule a factor.
 *
 *   manifold_kernel.c      create, free, text; which rule serves which factor
 *   manifold_gram.c        matrices over many points
 *   manifold_radial.c      rules whose value is a function of the distance
 *   manifold_spd.c         rules on SPD(n)
 *   manifold_mixture.c     Matern kernels as mixtures of heat kernels over time
 *   manifold_sphere.c      sphere and SO(3): series; manifold_short.c: small times
 *   manifold_hyperbolic.c  hyperbolic space
 *   manifold_profile.c     a function of the distance as a table
 *   manifold_spd3.c        heat kernel of SPD(3) by quadrature and table */
#ifndef RM2I_MANIFOLD_KERNEL_H
#define RM2I_MANIFOLD_KERNEL_H

#include "kernel/manifold_profile.h"
#include "kernel/manifold_spd3.h"
#include "riemann2/kernel.h"

/* One factor's kernel. A point is turned into a feature once; `pair` sees two features. */
typedef struct rm2i_kernel_rule rm2i_kernel_rule;
struct rm2i_kernel_rule {
    rm2_factor factor;
    rm2_kernel_kind kind;
    double lengthscale;
    size_t feature_size, work_size;
    rm2_status (*feature)(const rm2i_kernel_rule *rule, const double *x, double *feature,
                          double *work);
    rm2_status (*pair)(const rm2i_kernel_rule *rule, const double *fx, const double *fy,
                       double *value, double *work);
    rm2i_profile *profile; /* of rules that read a table over the distance, else NULL */
    rm2i_spd3 *spd3;       /* of SPD(3), else NULL */
};

struct rm2_manifold_kernel {
    size_t count;
    rm2i_kernel_rule *rules;
    size_t ambient;
    size_t feature_size; /* of all factors */
    size_t work_size;    /* enough for any factor */
    char *text;
};

/* Fill feature, pair and what they need; factor, kind and lengthscale are set. */
rm2_status rm2i_rule_radial(rm2_context *ctx, rm2i_kernel_rule *rule);
rm2_status rm2i_rule_spd(rm2_context *ctx, rm2i_kernel_rule *rule);

/* The kernels of the line, as functions of distance/lengthscale. */
double rm2i_flat_kernel(rm2_kernel_kind kind, double scaled);

/* One line, such as "heat (lengthscale 0.2) on R3 x matern32 (lengthscale 0.5) on S3". */
const char *rm2i_manifold_kernel_text(const rm2_manifold_kernel *kernel);

#endif
