/* Draws of the whole field at n points jointly: f = mean + P g, g_m ~ N(0, Sigma_m) where
 *   Sigma_m = l_m K** - l_m^2 K*^T (l_m K + I)^-1 K*, or K** - K*^T A^-1 K* for all m. */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/base.h"
#include "gp/posterior.h"
#include "linalg/factor.h"

size_t rm2i_posterior_sample_work(const rm2i_posterior *p, size_t n) {
    /* cross and reduced (n x N), prior, covariance and factor (n x n), normals (n), g (M x n) */
    return 2 * n * p->n + 3 * n * n + n + p->gp.M * n;
}

/* Sigma = scale * prior - R diag(w) R^T with rows R of `reduced`; lower triangle, through `scaled`.
 */
static void joint_covariance(const rm2i_posterior *p, size_t n, size_t m, const double *prior,
                             const double *reduced, double *scaled, double *Sigma) {
    size_t N = p->n;
    bool eigen = p->gp.noise_kind == RM2_NOISE_PER_OUTPUT;
    double scale = eigen ? p->l[m] : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            scaled[i * N + k] =
                reduced[i * N + k] * (eigen ? p->l[m] / sqrt(p->l[m] * p->o[k] + 1) : 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            Sigma[i * n + j] = scale * prior[i * n + j];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)N, -1, scaled, (int)N, 1,
                Sigma, (int)n);
}

/* g = L * normals */
static void draw(size_t n, const double *L, rm2_rng *rng, double *normals, double *g) {
    for (size_t i = 0; i < n; i++)
        normals[i] = rm2_rng_normal(rng);
    for (size_t i = 0; i < n; i++)
        g[i] = cblas_ddot((int)i + 1, L + i * n, 1, normals, 1);
}

rm2_status rm2i_posterior_sample(const rm2i_posterior *p, size_t n, const double *x, rm2_rng *rng,
                                 double *f, double *work) {
    size_t N = p->n, M = p->gp.M, Q = p->gp.Q;
    double *cross = work, *reduced = cross + n * N, *prior = reduced + n * N,
           *Sigma = prior + n * n, *L = Sigma + n * n, *normals = L + n * n, *g = normals + n,
           jitter;
    for (size_t i = 0; i < n; i++)
        rm2i_latent_cross(&p->gp.kernel, N, p->Z, x + i * Q, cross + i * N);
    rm2i_latent_gram(&p->gp.kernel, n, x, 1, prior);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)M, (int)N, 1, cross, (int)N,
                p->C, (int)N, 0, f, (int)M);
    bool eigen = p->gp.noise_kind == RM2_NOISE_PER_OUTPUT;
    rm2i_posterior_reduce(p, n, cross, reduced);
    for (size_t m = 0; m < M; m++) {
        if (eigen && p->l[m] == 0) { /* a direction without signal */
            memset(g + m * n, 0, n * sizeof *g);
            continue;
        }
        if (m == 0 || eigen) {
            joint_covariance(p, n, m, prior, reduced, cross, Sigma);
            /* far from all data the covariance is the prior's; on them it is almost singular */
            double added = 1e-10 * p->gp.kernel.variance * (eigen ? p->l[m] : 1);
            RM2_TRY(rm2i_factor(n, Sigma, added, L, &jitter));
        }
        draw(n, L, rng, normals, g + m * n);
    }
    /* f += (P g)^T */
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)n, (int)M, (int)M, 1, g, (int)n, p->P,
                (int)M, 1, f, (int)M);
    return RM2_OK;
}
