/* Draws of the whole field at n points jointly: f = mean + P g, g_m ~ N(0, Sigma_m) where
 *   Sigma_m = l_m K** - l_m^2 K*^T (l_m K + I)^-1 K*, or K** - K*^T A^-1 K* for all m. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/posterior.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

typedef struct scratch {
    double *cross, *reduced;   /* n x N */
    double *prior, *Sigma, *L; /* n x n */
    double *normals, *g;       /* n, M x n */
} scratch;

static void lay_out(scratch *s, const rm2i_posterior *p, size_t n, rm2i_arena *a) {
    s->cross = rm2i_reserve(a, double, n, p->n);
    s->reduced = rm2i_reserve(a, double, n, p->n);
    s->prior = rm2i_reserve(a, double, n, n);
    s->Sigma = rm2i_reserve(a, double, n, n);
    s->L = rm2i_reserve(a, double, n, n);
    s->normals = rm2i_reserve(a, double, n);
    s->g = rm2i_reserve(a, double, p->gp.M, n);
}

size_t rm2i_posterior_sample_work(const rm2i_posterior *p, size_t n) {
    scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, p, n, &a);
    return a.used;
}

/* Sigma = scale * prior - R diag(w) R^T with rows R of `reduced`; lower triangle. The cross covariances
 * make room for R diag(w)^1/2. */
static void joint_covariance(const rm2i_posterior *p, size_t n, size_t m, const scratch *s) {
    size_t N = p->n;
    bool eigen = p->gp.noise_kind == RM2_NOISE_PER_OUTPUT;
    double scale = eigen ? p->l[m] : 1, *scaled = s->cross;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            scaled[i * N + k] =
                s->reduced[i * N + k] * (eigen ? p->l[m] / sqrt(p->l[m] * p->o[k] + 1) : 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            s->Sigma[i * n + j] = scale * s->prior[i * n + j];
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)N, -1, scaled, (int)N, 1,
               s->Sigma, (int)n);
}

/* Of the points, before the data are known. */
static double largest_variance(size_t n, const double *prior) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, prior[i * n + i]);
    return largest;
}

/* g = L * normals */
static void draw(size_t n, const double *L, rm2_rng *rng, double *normals, double *g) {
    for (size_t i = 0; i < n; i++)
        normals[i] = rm2_rng_normal(rng);
    for (size_t i = 0; i < n; i++)
        g[i] = rm2i_ddot((int)i + 1, L + i * n, 1, normals, 1);
}

rm2_status rm2i_posterior_sample(const rm2i_posterior *p, size_t n, const double *x, rm2_rng *rng,
                                 double *f, double *work) {
    size_t N = p->n, M = p->gp.M, Q = p->gp.Q;
    double jitter;
    scratch s;
    lay_out(&s, p, n, &(rm2i_arena){work, 0});
    for (size_t i = 0; i < n; i++)
        rm2i_latent_cross(&p->gp.kernel, N, p->Z, x + i * Q, s.cross + i * N);
    rm2i_latent_gram(NULL, &p->gp.kernel, n, x, s.prior);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)M, (int)N, 1, s.cross, (int)N,
               p->C, (int)N, 0, f, (int)M);
    bool eigen = p->gp.noise_kind == RM2_NOISE_PER_OUTPUT;
    rm2i_posterior_reduce(p, n, s.cross, s.reduced);
    for (size_t m = 0; m < M; m++) {
        if (eigen && p->l[m] == 0) { /* a direction without signal */
            memset(s.g + m * n, 0, n * sizeof *s.g);
            continue;
        }
        if (m == 0 || eigen) {
            joint_covariance(p, n, m, &s);
            /* far from all data the covariance is the prior's; on them it is almost singular */
            double added = 1e-10 * largest_variance(n, s.prior) * (eigen ? p->l[m] : 1);
            RM2_TRY(rm2i_factor(NULL, n, s.Sigma, added, s.L, &jitter));
        }
        draw(n, s.L, rng, s.normals, s.g + m * n);
    }
    /* f += (P g)^T */
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)n, (int)M, (int)M, 1, s.g, (int)n, p->P,
               (int)M, 1, f, (int)M);
    return RM2_OK;
}
