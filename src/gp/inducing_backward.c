/* Derivatives of the lower bound. With W = R/s2, and V W = u because B u = V F,
 *
 *   C = M/2 (I/s2 - B^-1),   D = M/2 (A/s2 - I + s2 B^-1) + 1/2 u Kf^-1 u^T  (= C A + ...)
 *   Kun_bar = 2 Lu^-T (C V + 1/2 u Kf^-1 W^T),   Kuu_bar = -Lu^-T D Lu^-1,   k_nn_bar = -M/(2 s2)
 *   s2_bar = 1/2 tr(Kf^-1 W^T W) - M/2 (N - tr(B^-1 A))/s2 + M t/(2 s2^2)
 *
 * where M is the number of outputs that are counted,
 * so that one product of V with an r x r matrix a block is all that a gradient adds: Kuu_bar needs no
 * pass of its own. Where Z are rows of X, their derivative is added there. */
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

/* What the pass sums, one after the other. */
typedef struct sums {
    double *Z, *lengthscale, *variance, *linear, *square; /* sides x r x Q, Q, 1, 1, 1: |X|^2 */
} sums;

static sums sums_at(const rm2i_inducing *in, double *at) {
    double *lengthscale = at + in->sides * in->r * in->Q, *variance = lengthscale + in->Q;
    return (sums){at, lengthscale, variance, variance + 1, variance + 2};
}

static void backward_rows(const rm2i_row_pass *pass, size_t first, size_t count,
                          const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    const rm2i_row_block b = rm2i_block_of(pass, first, count, own);
    const rm2i_side *s = b.side;
    size_t r = in->r, Q = in->Q;
    int R = (int)r, n = (int)count, M = (int)in->M, N = (int)in->N, k = (int)b.columns;
    double *K_bar = own->K_bar, *X_bar = rm2i_block_bars(pass, &b, own);
    const double *V = rm2i_inducing_V(pass, &b, own), *K = rm2i_inducing_K(pass, &b, own);
    const sums unit = sums_at(in, own->sums);
    /* Kun_bar^T = 2 (V^T C Lu^-1 + 1/2 W Kf^-1 u^T Lu^-1) = V^T P + Y^T H */
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, k, (int)b.beyond, 1, V, (int)b.beyond,
               s->P + b.begin * (r + 1), R, 0, K_bar, k);
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, M, 1, in->Y + first, N,
               s->H + b.begin, R, 1, K_bar, k);
    const rm2i_latent_adjoint adjoint = {.n = count,
                                         .r = b.columns,
                                         .X = b.X,
                                         .Z = s->Z + b.begin * Q,
                                         .K = K,
                                         .K_bar = K_bar,
                                         .X_bar = X_bar,
                                         .Z_bar = unit.Z + (b.number * r + b.begin) * Q,
                                         .lengthscale_bar = unit.lengthscale,
                                         .variance_bar = unit.variance,
                                         .linear_bar = unit.linear};
    rm2i_latent_rows_backward(pass->kernel, &adjoint);
    rm2i_block_add_bars(pass, &b, X_bar);
    *unit.square += rm2i_dot(count * Q, b.X, b.X);
}

static void mirror(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j];
}

/* Lu^-T D Lu^-1 in place of D: rows Lu^-T d give D Lu^-1; transposed and once more, Lu^-T D Lu^-1. */
static void between_factors(const rm2i_inducing *in, double *D) {
    size_t r = in->r;
    rm2i_factor_other_half_solve(in->ctx, r, in->L, r, D);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < i; j++) {
            double keep = D[i * r + j];
            D[i * r + j] = D[j * r + i];
            D[j * r + i] = keep;
        }
    rm2i_factor_other_half_solve(in->ctx, r, in->L, r, D);
}

/* From B^-1 (in->B): P = 2 C Lu^-1 there, Kuu_bar in place of A, H = U Lu^-1/s2 in place of U. */
static void small_matrices(rm2i_inducing *in) {
    size_t r = in->r;
    double M = (double)in->counted, s2 = in->noise, *B = in->B, *A = in->A;
    mirror(r, B);
    for (size_t i = 0; i < r * r; i++) {
        double one = i % (r + 1) == 0;
        A[i] = -0.5 * M * (A[i] / s2 - one + s2 * B[i]);
        B[i] = M * (one / s2 - B[i]);
    }
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)r, (int)in->M, -0.5, in->U, (int)r, 1, A,
               (int)r);
    mirror(r, A);
    between_factors(in, A);
    rm2i_factor_other_half_solve(in->ctx, r, in->L, r, B);
    rm2i_factor_other_half_solve(in->ctx, r, in->L, in->M, in->U);
    rm2i_dscal((int)(r * in->M), 1 / s2, in->U, 1);
}

static double noise_derivative(const rm2i_inducing *in) {
    double N = (double)in->all, M = (double)in->counted, s2 = in->noise, trace = 0;
    for (size_t j = 0; j < in->r; j++) /* tr(B^-1 A) = r - s2 tr B^-1 */
        trace += 1 - s2 * in->B[j * in->r + j];
    double square = in->square / (s2 * s2);
    return 0.5 * (square - M * (N - trace) / s2 + M * in->trace / (s2 * s2));
}

/* k_nn = s + w (1 + |x_n|^2), given |X|^2 */
static void diagonal_backward(const rm2i_inducing *in, const rm2i_row_pass *pass, double square,
                              const rm2i_inducing_bars *bars) {
    double k_bar = -0.5 * (double)in->counted / in->noise, w = pass->kernel->linear;
    *bars->variance += (double)in->all * k_bar;
    if (!(w > 0))
        return;
    *bars->linear += k_bar * ((double)in->all + square);
    rm2i_axpy(in->N * in->Q, 2 * k_bar * w, pass->X, bars->X);
}

/* Derivatives by Kuu, which are added to the sums. */
static void gram_backward(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const sums *all) {
    const rm2i_latent_adjoint adjoint = {.n = in->r,
                                         .X = in->Z,
                                         .K = in->Kuu,
                                         .K_bar = in->A,
                                         .X_bar = all->Z,
                                         .lengthscale_bar = all->lengthscale,
                                         .variance_bar = all->variance,
                                         .linear_bar = all->linear};
    rm2i_latent_gram_backward(in->ctx, kernel, &adjoint, in->gram_work);
}

/* Z are rows of all points: their derivatives are added to those of the rows that are here. */
static void add_inputs(const rm2i_inducing *in, const double *Z_bar, double *X_bar) {
    size_t before = rm2i_rows_before(in->rows);
    for (size_t j = 0; j < in->r; j++) /* rows before wrap around to large numbers */
        if (in->index[j] - before < in->N)
            rm2i_axpy(in->Q, 1, Z_bar + j * in->Q, X_bar + (in->index[j] - before) * in->Q);
}

rm2_status rm2i_inducing_backward(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                  const double *X, const rm2i_inducing_bars *bars) {
    size_t r = in->r, Q = in->Q;
    rm2i_row_pass pass = {.in = in, .kernel = kernel, .X = X, .X_bar = bars->X};
    RM2_TRY(rm2i_factor_invert(in->ctx, r, in->B));
    *bars->noise += noise_derivative(in);
    small_matrices(in);
    rm2i_sides_turn_derivatives(in);
    const rm2i_row_sums added = {backward_rows, 0, 0, rm2i_inducing_backward_sums(in, in->sides)};
    sums all = sums_at(in, rm2i_inducing_rows(&pass, &added));
    all.Z = rm2i_sides_join_inputs(in, all.Z);
    gram_backward(in, kernel, &all);
    if (in->index)
        add_inputs(in, all.Z, bars->X);
    else
        rm2i_axpy(r * Q, 1, all.Z, in->Z_bar);
    rm2i_axpy(Q, 1, all.lengthscale, bars->lengthscale);
    *bars->variance += *all.variance;
    if (kernel->linear > 0)
        *bars->linear += *all.linear;
    diagonal_backward(in, &pass, *all.square, bars);
    return RM2_OK;
}
