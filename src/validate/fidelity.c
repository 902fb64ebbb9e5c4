/* How well the latents of a model stand for its training points, compared with the mean and with principal components of
 * the same number of dimensions.
 *
 *   mean  sqrt(tr(F F^T)/N);  components  sqrt((tr(F F^T) - sum of its Q largest eigenvalues)/N)
 *   model sqrt(|F - f(X)|^2/N), all in tangent coordinates at the base point */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "graph/neighbours.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "model/model.h"

static const double COINCIDENT =
    1e-3; /* of the root mean squared distance of the latents from their mean */
static const double CROWDED = 10000; /* points, above which that shrinks with their spacing */

/* Sum of the Q largest eigenvalues of F F^T, from the smaller of the two Gram matrices. */
static rm2_status leading(rm2_context *ctx, const rm2_model *m, double *sum) {
    size_t n = m->N < m->M ? m->N : m->M;
    int N = (int)m->N, M = (int)m->M;
    double *gram;
    RM2_TRY(rm2i_alloc(ctx, n * n + n + rm2i_symmetric_eigen_work(n), sizeof *gram, &gram));
    double *values = gram + n * n;
    if (M <= N)
        rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, N, 1, m->F, N, 0, gram, M);
    else
        rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, N, M, 1, m->F, N, 0, gram, N);
    rm2_status status = rm2i_symmetric_eigen(n, gram, values, values + n);
    *sum = 0;
    for (size_t q = 0; status == RM2_OK && q < m->Q && q < n; q++)
        *sum += fmax(values[n - 1 - q], 0);
    free(gram);
    return status == RM2_ERR_NUMERIC
               ? rm2i_fail(ctx, status, "principal components of the outputs were not found")
               : status;
}

/* Of the same distance. More points in the same space are closer to each other, N^(-1/Q) apart: a fixed distance would
 * count neighbours of an even distribution. */
static double coincident_distance(size_t N, size_t Q) {
    double crowding = (double)N > CROWDED ? CROWDED / (double)N : 1;
    return COINCIDENT * pow(crowding, 1 / (double)Q);
}

/* Latents with another one so near that the two cannot be told apart. */
static rm2_status count_coincident(rm2_context *ctx, const rm2_model *m, size_t *count) {
    size_t N = m->N, Q = m->Q, *nearest;
    double mean, square = 0;
    rm2i_kd_tree tree;
    for (size_t q = 0; q < Q; q++) {
        mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += m->X[i * Q + q] / (double)N;
        for (size_t i = 0; i < N; i++)
            square += pow(m->X[i * Q + q] - mean, 2) / (double)N;
    }
    double near = coincident_distance(N, Q) * sqrt(square);
    RM2_TRY(rm2i_alloc(ctx, N, sizeof *nearest, &nearest));
    rm2_status status = rm2i_kd_build(ctx, N, Q, m->X, &tree);
    if (status == RM2_OK)
        status = rm2i_neighbours(ctx, &tree, m->X, 1, nearest);
    *count = 0;
    for (size_t i = 0; status == RM2_OK && i < N; i++)
        *count += rm2i_separation(Q, m->X, i, nearest[i]) <= near;
    rm2i_kd_free(&tree);
    free(nearest);
    return status;
}

rm2_status rm2_model_fidelity(rm2_context *ctx, const rm2_model *model, rm2_fidelity *fidelity) {
    const rm2_model *m = model;
    double ambient, found, total;
    RM2_REQUIRE(ctx, model, fidelity);
    RM2_TRY(rm2i_check_size(ctx, fidelity, sizeof *fidelity));
    rm2_fidelity f = {.mean = 0};
    RM2_TRY(rm2_model_reconstruction(ctx, m, &ambient, &f.residual));
    RM2_TRY(leading(ctx, m, &found));
    RM2_TRY(count_coincident(ctx, m, &f.coincident));
    double n = (double)m->N;
    total = rm2i_dot(m->M * m->N, m->F, m->F);
    f.mean = sqrt(total / n);
    f.components = sqrt(fmax(total - found, 0) / n);
    f.worse = m->Q < m->M && f.residual > 1.002 * f.components;
    rm2i_results_give(1, &f, sizeof f, fidelity);
    return RM2_OK;
}
