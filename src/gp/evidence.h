/* Evidence of a matrix normal model with its mean's coefficients and its output covariance integrated out.
 *
 *   F = H beta + E,  H = [1, X] with a flat prior on beta;  vec E ~ N(0, Kf (x) (K + I)),
 *   Kf ~ inverse Wishart of mean psi I and weight nu, of m outputs
 *
 * K is a radial kernel of X with variance g and lengthscale l. With U (N x n, n = N - 1 - Q) an orthonormal
 * basis of the complement of H, which makes the evidence a restricted one,
 *
 *   A = U^T K U + I,  G = U^T F F^T U + e I,  c = nu psi,  a = nu + m + 1,  B = A + G/c
 *   E = sum_{j=1..m} (lgamma((a + n + 1 - j)/2) - lgamma((a + 1 - j)/2)) - (n m/2) log(pi c)
 *       - ((a + n)/2) (log|B| - log|A|) - (m/2) log|A|
 *   E_A = -((a + n)/2) (B^-1 - A^-1) - (m/2) A^-1
 *   dE/dlog c = -n m/2 + ((a + n)/2) tr(B^-1 G)/c
 *   dE/dnu = sum_j (digamma((a + n + 1 - j)/2) - digamma((a + 1 - j)/2))/2 - (log|B| - log|A|)/2
 *
 * Only F F^T counts: N^3 an evaluation whatever the number of outputs. e is the smallest variance of the
 * outputs that is taken seriously, times m; it keeps E finite where residuals vanish. U is never
 * formed: the reflectors of a QR decomposition of H are applied instead. */
#ifndef RM2I_EVIDENCE_H
#define RM2I_EVIDENCE_H

#include "kernel/latent.h"
#include "riemann2/base.h"

typedef struct rm2i_evidence rm2i_evidence;

/* Which outputs at which latents. */
typedef struct rm2i_evidence_data {
    size_t N, Q, rows;
    const double *X; /* N x Q */
    const double *F; /* rows x N: any rows with the F F^T of the outputs */
    size_t m;        /* outputs that count */
    double least;    /* smallest variance of an output */
    rm2_latent_kind kind;
} rm2i_evidence_data;

typedef struct rm2i_evidence_at {
    double variance, lengthscale, scale, weight; /* g, l, c, nu */
} rm2i_evidence_at;

/* Fails unless N > Q + 2 and m > 0. */
rm2_status rm2i_evidence_check(rm2_context *ctx, const rm2i_evidence_data *data);

/* log Gamma_m((a + n)/2) - log Gamma_m(a/2), a = nu + m + 1, and its derivative by nu. */
double rm2i_evidence_gammas(size_t n, size_t m, double nu, double *slope);

/* X and F are not needed any more afterwards. Fails as the check does. */
rm2_status rm2i_evidence_create(rm2_context *ctx, const rm2i_evidence_data *data,
                                rm2i_evidence **evidence);
void rm2i_evidence_free(rm2i_evidence *ev);

/* n = N - 1 - Q, and tr(G)/(n m): the mean variance of the residuals. */
size_t rm2i_evidence_freedom(const rm2i_evidence *ev);
double rm2i_evidence_level(const rm2i_evidence *ev);

/* E, and unless NULL its derivatives by the logarithms of the four. */
rm2_status rm2i_evidence_value(rm2i_evidence *ev, const rm2i_evidence_at *at, double *value,
                               rm2i_evidence_at *slope);

#endif
