/* Kernels on manifolds: settings checked, one rule a factor, and the text that describes them. */
#include "kernel/manifold_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static const double SMALLEST_LENGTHSCALE = 1e-100, LARGEST_LENGTHSCALE = 1e100;

enum { TEXT_SIZE = 96 }; /* of one factor's part of the text */

static const char *const names[] = {
#define KERNEL_NAME(name, text) text,
    RM2_KERNEL_LIST(KERNEL_NAME)
#undef KERNEL_NAME
};

enum { KERNELS = sizeof names / sizeof names[0] };

const char *rm2_kernel_name(rm2_kernel_kind kind) {
    return (size_t)kind < KERNELS ? names[kind] : "?";
}

bool rm2_kernel_from_name(const char *name, rm2_kernel_kind *kind) {
    for (size_t i = 0; name && kind && i < KERNELS; i++)
        if (strcmp(name, names[i]) == 0) {
            *kind = (rm2_kernel_kind)i;
            return true;
        }
    return false;
}

rm2_kernel_kind rm2_kernel_default(const rm2_factor *factor) {
    bool flat = factor && factor->geometry == &rm2_spd_log; /* whose heat kernel it is */
    bool large = factor && factor->geometry == &rm2_spd && factor->n > 3;
    return flat || large ? RM2_KERNEL_LOG_EUCLIDEAN : RM2_KERNEL_HEAT;
}

static bool built_in(const rm2_geometry *g) {
    return g == &rm2_euclidean || g == &rm2_sphere || g == &rm2_rotation || rm2_is_spd(g) ||
           g == &rm2_hyperbolic;
}

static rm2_status check_setting(rm2_context *ctx, const rm2_factor *f, const rm2_factor_kernel *s) {
    if ((size_t)s->kind >= KERNELS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "unknown kernel %d", (int)s->kind);
    if (!(s->lengthscale >= SMALLEST_LENGTHSCALE && s->lengthscale <= LARGEST_LENGTHSCALE))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "lengthscale %g is not a positive number between %g and %g",
                         s->lengthscale, SMALLEST_LENGTHSCALE, LARGEST_LENGTHSCALE);
    if (!built_in(f->geometry))
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "no kernel is known for this geometry");
    if (s->kind != RM2_KERNEL_LOG_EUCLIDEAN && f->geometry == &rm2_spd_log)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "%s is not available with the log-Euclidean metric: use log-euclidean, its "
            "squared exponential and heat kernel",
            rm2_kernel_name(s->kind));
    if (s->kind == RM2_KERNEL_LOG_EUCLIDEAN && !rm2_is_spd(f->geometry))
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "log-euclidean is a kernel of SPD matrices: use heat or matern52");
    return RM2_OK;
}

static rm2_status make_rule(rm2_context *ctx, const rm2_factor *f, const rm2_factor_kernel *s,
                            rm2i_kernel_rule *rule) {
    RM2_TRY(check_setting(ctx, f, s));
    *rule = (rm2i_kernel_rule){.factor = *f, .kind = s->kind, .lengthscale = s->lengthscale};
    if (f->geometry == &rm2_spd_log || (f->geometry == &rm2_spd && f->n > 1))
        return rm2i_rule_spd(ctx, rule);
    return rm2i_rule_radial(ctx, rule);
}

static rm2_status make_rules(rm2_context *ctx, const rm2_manifold *m,
                             const rm2_factor_kernel *settings, rm2_manifold_kernel *k) {
    size_t count = rm2_manifold_factor_count(m);
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *k->rules, &k->rules));
    for (size_t i = 0; i < count; i++) {
        const rm2_factor *f = rm2_manifold_factor(m, i);
        rm2i_kernel_rule *rule = &k->rules[i];
        k->count = i + 1;
        rm2_status status = make_rule(ctx, f, &settings[i], rule);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "kernel of factor %zu (%s%zu)", i + 1,
                                    f->geometry->name, f->n);
        size_t defect_work = f->geometry->work_size(f->n);
        size_t work = rule->work_size > defect_work ? rule->work_size : defect_work;
        k->feature_size += rule->feature_size;
        k->work_size = work > k->work_size ? work : k->work_size;
    }
    return RM2_OK;
}

static rm2_status make_text(rm2_context *ctx, rm2_manifold_kernel *k) {
    size_t used = 0, size = k->count * TEXT_SIZE + 1;
    RM2_TRY(rm2i_alloc(ctx, size, 1, &k->text));
    for (size_t i = 0; i < k->count; i++) {
        const rm2i_kernel_rule *rule = &k->rules[i];
        int length = snprintf(k->text + used, size - used, "%s%s (lengthscale %.6g) on %s%zu",
                              i > 0 ? " x " : "", rm2_kernel_name(rule->kind), rule->lengthscale,
                              rule->factor.geometry->name, rule->factor.n);
        used += length > 0 ? (size_t)length : 0;
    }
    return RM2_OK;
}

rm2_status rm2_manifold_kernel_create(rm2_context *ctx, const rm2_manifold *manifold,
                                      const rm2_factor_kernel *settings, size_t count,
                                      rm2_manifold_kernel **kernel) {
    RM2_REQUIRE(ctx, kernel);
    *kernel = NULL;
    RM2_REQUIRE(ctx, manifold, settings);
    if (count != rm2_manifold_factor_count(manifold))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu kernels for %s, which has %zu factors", count,
                         rm2_manifold_spec(manifold), rm2_manifold_factor_count(manifold));
    rm2_manifold_kernel *k;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *k, &k));
    k->ambient = rm2_manifold_ambient(manifold);
    rm2_status status = make_rules(ctx, manifold, settings, k);
    if (status == RM2_OK)
        status = make_text(ctx, k);
    if (status != RM2_OK) {
        rm2_manifold_kernel_free(k);
        return status;
    }
    *kernel = k;
    return RM2_OK;
}

void rm2_manifold_kernel_free(rm2_manifold_kernel *kernel) {
    if (!kernel)
        return;
    for (size_t i = 0; i < kernel->count; i++) {
        rm2i_profile_free(kernel->rules[i].profile);
        rm2i_spd3_free(kernel->rules[i].spd3);
    }
    free(kernel->rules);
    free(kernel->text);
    free(kernel);
}

const char *rm2i_manifold_kernel_text(const rm2_manifold_kernel *kernel) {
    return kernel ? kernel->text : "";
}
