/* The kernel of a back constraint lives on the data's manifold; for a Euclidean model on its
 * ambient space. Default lengthscale of a factor: the median distance between training points (of
 * up to 200 evenly picked ones), so that neighbours speak to each other and opposite ends do not.
 */
#include "model/back.h"

#include <stdlib.h>

#include "base/base.h"
#include "linalg/serial.h"
#include "math/order.h"

enum { PICKED = 200 };

/* The space of the kernel: the manifold, or R^ambient. */
static rm2_status kernel_space(rm2_context *ctx, const rm2_model *m, rm2_manifold **space) {
    rm2_factor flat = {.geometry = &rm2_euclidean, .n = rm2_manifold_ambient(m->manifold)};
    if (m->settings.model == RM2_GPLVM)
        return rm2_manifold_from_factors(ctx, &flat, 1, space);
    *space = rm2_manifold_retain(m->manifold);
    return RM2_OK;
}

static rm2_status median_distance(rm2_context *ctx, const rm2_model *m, const rm2_factor *f,
                                  double *median) {
    size_t picked = m->N < PICKED ? m->N : PICKED, ambient = rm2_manifold_ambient(m->manifold);
    size_t pairs = picked * (picked - 1) / 2, k = 0;
    double *distances, *work;
    RM2_TRY(rm2i_alloc(ctx, pairs + f->geometry->work_size(f->n), sizeof *distances, &distances));
    work = distances + pairs;
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < picked && status == RM2_OK; i++)
        for (size_t j = 0; j < i && status == RM2_OK; j++, k++)
            status = f->geometry->distance(
                f->n, m->data->points + i * m->N / picked * ambient + f->ambient_offset,
                m->data->points + j * m->N / picked * ambient + f->ambient_offset, &distances[k],
                work);
    if (status == RM2_OK) {
        double middle = rm2i_median(pairs, distances);
        *median = middle > 0 ? middle : 1;
    }
    free(distances);
    return status;
}

static rm2_status choose_kernels(rm2_context *ctx, const rm2_factor_kernel *given,
                                 const rm2_manifold *space, rm2_model *m) {
    for (size_t k = 0; k < rm2_manifold_factor_count(space); k++) {
        const rm2_factor *f = rm2_manifold_factor(space, k);
        if (given) {
            m->back_kernels[k] = given[k];
            continue;
        }
        m->back_kernels[k].kind = rm2_kernel_default(f);
        RM2_TRY(median_distance(ctx, m, f, &m->back_kernels[k].lengthscale));
    }
    return RM2_OK;
}

static rm2_status make_kernel(rm2_context *ctx, const rm2_model *m, const rm2_manifold *space,
                              rm2_manifold_kernel **kernel) {
    return rm2_manifold_kernel_create(ctx, space, m->back_kernels, rm2_manifold_factor_count(space),
                                      kernel);
}

/* K between n points and the training points (points NULL: among these). */
static rm2_status kernel_matrix(rm2_context *ctx, const rm2_model *m, const rm2_manifold *space,
                                size_t n, const double *points, double *K) {
    rm2_manifold_kernel *kernel;
    RM2_TRY(make_kernel(ctx, m, space, &kernel));
    rm2_status status =
        points ? rm2_manifold_kernel_matrix(ctx, kernel, n, points, m->N, m->data->points, K)
               : rm2_manifold_kernel_matrix(ctx, kernel, m->N, m->data->points, 0, NULL, K);
    rm2_manifold_kernel_free(kernel);
    return status;
}

rm2_status rm2i_back_create(rm2_context *ctx, const rm2_factor_kernel *given, rm2_model *m,
                            double **gram) {
    rm2_manifold *space;
    *gram = NULL;
    RM2_TRY(kernel_space(ctx, m, &space));
    rm2_status status = choose_kernels(ctx, given, space, m);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, m->N, m->N * sizeof **gram, gram);
    if (status == RM2_OK)
        status = kernel_matrix(ctx, m, space, 0, NULL, *gram);
    rm2_manifold_free(space);
    return status;
}

rm2_status rm2i_back_map(rm2_context *ctx, const rm2_model *m, size_t n, const double *points,
                         double *X) {
    rm2_manifold *space;
    double *K = NULL;
    RM2_TRY(kernel_space(ctx, m, &space));
    rm2_status status = rm2i_alloc(ctx, n, m->N * sizeof *K, &K);
    if (status == RM2_OK)
        status = kernel_matrix(ctx, m, space, n, points, K);
    if (status == RM2_OK) /* X = K W */
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)m->Q, (int)m->N, 1, K,
                   (int)m->N, m->back_weights, (int)m->Q, 0, X, (int)m->Q);
    free(K);
    rm2_manifold_free(space);
    return status;
}

rm2_status rm2i_back_check(rm2_context *ctx, const rm2_model *m) {
    rm2_manifold *space;
    rm2_manifold_kernel *kernel;
    RM2_TRY(kernel_space(ctx, m, &space));
    rm2_status status = make_kernel(ctx, m, space, &kernel);
    rm2_manifold_kernel_free(kernel);
    rm2_manifold_free(space);
    return status;
}
