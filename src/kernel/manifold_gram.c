/* Kernel matrices over many points.
 *
 * Points become features once (logarithms, frames); then every pair is one call a factor, and
 * k(x, y) = prod_f k_f(x_f, y_f). In the symmetric case row i is computed up to the diagonal and
 * mirrored, so that the matrix is symmetric to the last bit; rows i and n - 1 - i go together,
 * which gives every thread the same amount of work. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "kernel/manifold_kernel.h"

static const double ON_MANIFOLD = 1e-6; /* relative defect that a point may have */

/* ---- features ------------------------------------------------------------------------------- */

typedef struct feature_job {
    const rm2_manifold_kernel *kernel;
    const double *points;
    double *features;
    size_t *factor; /* set when a failure is looked at again, else NULL */
} feature_job;

static rm2_status feature_of_factor(const rm2i_kernel_rule *rule, const double *x, double *feature,
                                    double *work) {
    const rm2_factor *f = &rule->factor;
    if (!(f->geometry->defect(f->n, x, work) <= ON_MANIFOLD))
        return RM2_ERR_DOMAIN;
    return rule->feature(rule, x, feature, work);
}

static rm2_status feature_of_point(const void *data, size_t i, double *work) {
    const feature_job *job = data;
    const rm2_manifold_kernel *k = job->kernel;
    const double *x = job->points + i * k->ambient;
    double *feature = job->features + i * k->feature_size;
    for (size_t f = 0; f < k->count; f++) {
        const rm2i_kernel_rule *rule = &k->rules[f];
        if (job->factor)
            *job->factor = f;
        RM2_TRY(feature_of_factor(rule, x + rule->factor.ambient_offset, feature, work));
        feature += rule->feature_size;
    }
    return RM2_OK;
}

/* Name the point and the factor of a failure. */
static rm2_status explain(rm2_context *ctx, feature_job *job, size_t point, rm2_status status) {
    double *work;
    size_t factor = 0;
    RM2_TRY(rm2i_alloc(ctx, job->kernel->work_size, sizeof *work, &work));
    job->factor = &factor;
    (void)feature_of_point(job, point, work);
    job->factor = NULL;
    free(work);
    const rm2_factor *f = &job->kernel->rules[factor].factor;
    return rm2i_fail(ctx, status, "point %zu, factor %zu (%s%zu): %s", point, factor + 1,
                     f->geometry->name, f->n, rm2_status_text(status));
}

static rm2_status make_features(rm2_context *ctx, const rm2_manifold_kernel *k, size_t n,
                                const double *points, double **features) {
    RM2_TRY(rm2i_alloc(ctx, n * k->feature_size, sizeof **features, features));
    feature_job job = {.kernel = k, .points = points, .features = *features};
    size_t point = 0;
    rm2_status status = rm2i_batch(ctx, n, k->work_size, feature_of_point, &job, &point);
    if (status != RM2_OK && status != RM2_ERR_MEMORY && status != RM2_INTERRUPTED)
        status = explain(ctx, &job, point, status);
    if (status == RM2_OK)
        return RM2_OK;
    free(*features);
    *features = NULL;
    return status;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

typedef struct pair_job {
    const rm2_manifold_kernel *kernel;
    size_t n, m;
    const double *fx, *fy;
    double *K;
} pair_job;

static rm2_status pair_value(const rm2_manifold_kernel *k, const double *fx, const double *fy,
                             double *value, double *work) {
    double product = 1;
    for (size_t f = 0; f < k->count && product > 0; f++) {
        const rm2i_kernel_rule *rule = &k->rules[f];
        double factor;
        RM2_TRY(rule->pair(rule, fx, fy, &factor, work));
        product *= factor;
        fx += rule->feature_size;
        fy += rule->feature_size;
    }
    *value = product < RM2I_TINY ? 0 : product;
    return RM2_OK;
}

static rm2_status cross_row(const void *data, size_t i, double *work) {
    const pair_job *job = data;
    size_t size = job->kernel->feature_size;
    for (size_t j = 0; j < job->m; j++)
        RM2_TRY(pair_value(job->kernel, job->fx + i * size, job->fy + j * size,
                           &job->K[i * job->m + j], work));
    return RM2_OK;
}

/* Row i below the diagonal, mirrored. */
static rm2_status symmetric_row(const pair_job *job, size_t i, double *work) {
    size_t n = job->n, size = job->kernel->feature_size;
    for (size_t j = 0; j < i; j++) {
        double value;
        RM2_TRY(pair_value(job->kernel, job->fx + i * size, job->fx + j * size, &value, work));
        job->K[i * n + j] = job->K[j * n + i] = value;
    }
    job->K[i * n + i] = 1;
    return RM2_OK;
}

static rm2_status symmetric_rows(const void *data, size_t i, double *work) {
    const pair_job *job = data;
    RM2_TRY(symmetric_row(job, i, work));
    size_t other = job->n - 1 - i;
    return other == i ? RM2_OK : symmetric_row(job, other, work);
}

static rm2_status run_pairs(rm2_context *ctx, const pair_job *job) {
    bool symmetric = !job->fy;
    size_t row = 0;
    rm2_status status =
        rm2i_batch(ctx, symmetric ? (job->n + 1) / 2 : job->n, job->kernel->work_size,
                   symmetric ? symmetric_rows : cross_row, job, &row);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status, "kernel of point %zu with another point: %s", row,
                     rm2_status_text(status));
}

rm2_status rm2_manifold_kernel_matrix(rm2_context *ctx, const rm2_manifold_kernel *kernel, size_t n,
                                      const double *X, size_t m, const double *Y, double *K) {
    double *fx = NULL, *fy = NULL;
    RM2_REQUIRE(ctx, kernel);
    if (n > 0)
        RM2_REQUIRE(ctx, X, K);
    rm2_status status = make_features(ctx, kernel, n, X, &fx);
    if (status == RM2_OK && Y) {
        status = make_features(ctx, kernel, m, Y, &fy);
        if (status == RM2_ERR_DOMAIN)
            status = rm2i_fail_prefix(ctx, status, "second set");
    }
    if (status == RM2_OK) {
        pair_job job = {.kernel = kernel, .n = n, .m = m, .fx = fx, .fy = fy, .K = K};
        status = run_pairs(ctx, &job);
    }
    free(fx);
    free(fy);
    return status;
}
