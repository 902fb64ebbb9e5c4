/* Latent points to points on the manifold, with uncertainty; draws of whole trajectories. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model/model.h"

enum { BLOCK = 64 }; /* points whose kernel vectors are solved for at once */

static rm2_status check_latents(rm2_context *ctx, const rm2_model *model, size_t n,
                                const double *latents) {
    RM2_REQUIRE(ctx, model);
    if (n > 0)
        RM2_REQUIRE(ctx, latents);
    for (size_t i = 0; i < n * model->Q; i++)
        if (!isfinite(latents[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "latent point %zu, coordinate %zu is %g",
                             i / model->Q, i % model->Q, latents[i]);
    return RM2_OK;
}

/* Root of the mean variance: tr(P diag(h) P^T) = sum_k h_k |p_k|^2, p_k the columns of P. */
static double mean_deviation(size_t M, const double *h, const double *squares) {
    double trace = 0;
    for (size_t k = 0; k < M; k++)
        trace += h[k] * squares[k];
    return sqrt(trace / (double)M);
}

static void column_squares(size_t M, const double *P, double *squares) {
    memset(squares, 0, M * sizeof *squares);
    for (size_t a = 0; a < M; a++)
        for (size_t k = 0; k < M; k++)
            squares[k] += P[a * M + k] * P[a * M + k];
}

typedef struct decoding {
    const rm2_model *m;
    const double *latents;
    const double *squares; /* M: of the columns of P */
    double *tangent, *covariance, *deviation;
    size_t n;
} decoding;

/* Block b of the points; work: that of the posterior, h, and that of a covariance. */
static rm2_status decode_block(const void *arg, size_t b, double *work) {
    const decoding *d = arg;
    const rm2_model *m = d->m;
    size_t first = b * BLOCK, count = d->n - first < BLOCK ? d->n - first : BLOCK, M = m->M;
    double *h = work + rm2i_posterior_at_work(m->posterior, BLOCK), *rest = h + BLOCK * M;
    bool uncertain = d->covariance || d->deviation;
    rm2i_posterior_at(m->posterior, count, d->latents + first * m->Q, d->tangent + first * M,
                      uncertain ? h : NULL, work);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < M; k++)
            d->tangent[(first + i) * M + k] += m->mean[k];
        if (d->covariance)
            rm2i_posterior_covariance(m->posterior, h + i * M, d->covariance + (first + i) * M * M,
                                      rest);
        if (d->deviation)
            d->deviation[first + i] = mean_deviation(M, h + i * M, d->squares);
    }
    return RM2_OK;
}

rm2_status rm2_model_decode(rm2_context *ctx, const rm2_model *m, size_t n, const double *latents,
                            double *points, double *tangent, double *covariance,
                            double *deviation) {
    double *own;
    RM2_TRY(check_latents(ctx, m, n, latents));
    size_t M = m->M, work = rm2i_posterior_at_work(m->posterior, BLOCK) + BLOCK * M;
    RM2_TRY(rm2i_alloc(ctx, tangent ? 1 : n + 1, M * sizeof *own, &own));
    column_squares(M, m->posterior->P, own);
    decoding d = {m, latents, own, tangent ? tangent : own + M, covariance, deviation, n};
    work += covariance ? M * M : 0;
    rm2_status status = rm2i_jobs(ctx, (n + BLOCK - 1) / BLOCK, work, decode_block, &d, NULL);
    if (status == RM2_OK && points) {
        status = rm2i_model_points(ctx, m, n, d.tangent, points);
        rm2_data_unscale(m->data, n, points);
    }
    free(own);
    return status;
}

rm2_status rm2_model_reconstruction(rm2_context *ctx, const rm2_model *model, double *ambient,
                                    double *outputs) {
    RM2_REQUIRE(ctx, model);
    size_t N = model->N, M = model->M, D = rm2_manifold_ambient(model->manifold);
    double *tangent, *points, inner = 0, outer = 0;
    RM2_TRY(rm2i_alloc(ctx, N, (M + D) * sizeof *tangent, &tangent));
    points = tangent + N * M;
    rm2_status status = rm2_model_decode(ctx, model, N, model->X, NULL, tangent, NULL, NULL);
    if (status == RM2_OK)
        status = rm2i_model_points(ctx, model, N, tangent, points);
    for (size_t n = 0; status == RM2_OK && n < N; n++)
        for (size_t k = 0; k < M; k++)
            inner += pow(tangent[n * M + k] - model->mean[k] - model->F[k * N + n], 2);
    for (size_t i = 0; status == RM2_OK && i < N * D; i++)
        outer += pow(points[i] - model->data->points[i], 2);
    *outputs = sqrt(inner / (double)N);
    *ambient = sqrt(outer / (double)N);
    free(tangent);
    return status;
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* Observation noise: P sqrt(observed) e, e ~ N(0, I). */
static void add_noise(const rm2_model *m, size_t n, rm2_rng *rng, double *f, double *e) {
    size_t M = m->M;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < M; k++)
            e[k] = sqrt(m->posterior->observed) * rm2_rng_normal(rng);
        for (size_t a = 0; a < M; a++)
            for (size_t k = 0; k < M; k++)
                f[i * M + a] += m->posterior->P[a * M + k] * e[k];
    }
}

rm2_status rm2_model_sample(rm2_context *ctx, const rm2_model *m, size_t n, const double *latents,
                            size_t count, bool noise, double *points) {
    double *f, *work;
    RM2_TRY(check_latents(ctx, m, n, latents));
    if (n == 0 || count == 0)
        return RM2_OK;
    RM2_REQUIRE(ctx, points);
    size_t M = m->M, ambient = rm2_manifold_ambient(m->manifold);
    RM2_TRY(
        rm2i_alloc(ctx, n * M + M + rm2i_posterior_sample_work(m->posterior, n), sizeof *f, &f));
    work = f + n * M + M;
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < count && status == RM2_OK; k++) {
        if (rm2i_interrupted(ctx)) {
            status = rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
            break;
        }
        status = rm2i_posterior_sample(m->posterior, n, latents, rm2_context_rng(ctx), f, work);
        if (status != RM2_OK) {
            status =
                rm2i_fail(ctx, status, "the joint covariance of the %zu points is singular", n);
            break;
        }
        if (noise)
            add_noise(m, n, rm2_context_rng(ctx), f, f + n * M);
        for (size_t i = 0; i < n * M; i++)
            f[i] += m->mean[i % M];
        status = rm2i_model_points(ctx, m, n, f, points + k * n * ambient);
        if (status == RM2_OK)
            rm2_data_unscale(m->data, n, points + k * n * ambient);
    }
    free(f);
    return status;
}
