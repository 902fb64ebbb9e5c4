/* The same for few outputs, without an eigenproblem of K: with A_m = K + I/l_m = B_m/l_m,
 *   alpha_m = A_m^-1 S_m/l_m,  log|B_m| = log|A_m| + N log l_m,  l_m B_m^-1 = A_m^-1,
 *   K_bar = 1/2 sum_m (l_m alpha_m alpha_m^T - A_m^-1),
 * so that each output costs a Cholesky factor and an inverse, as Kronecker noise does once. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "gp/likelihood.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

/* A factor and an inverse of N x N take a fourth (N = 200) to a sixth (N = 1200) of the eigenproblem's time on one thread,
 * and are shared by several. */
bool rm2i_per_output_few(size_t N, size_t M) {
    return M <= (N < 400 ? 4 : 8);
}

/* S = U^T D^-1/2 F */
static void rotate_outputs(rm2i_per_output *po, const double *F) {
    size_t N = po->N, M = po->M;
    memset(po->rotated, 0, M * N * sizeof *po->rotated);
    for (size_t m = 0; m < M; m++)
        for (size_t a = 0; a < M; a++)
            rm2i_axpy(N, po->Ut[m * M + a] / sqrt(po->d[a]), F + a * N, po->rotated + m * N);
}

/* ---- sums over K and A_m^-1 ------------------------------------------------------------------ */

enum { STRIP = 64 }; /* rows of one part */

typedef struct adding {
    size_t N;
    const double *K, *inverse; /* A_m^-1 */
    double *K_bar;
    double *traces; /* 2 per part: of K A_m^-1, of A_m^-1 */
} adding;

static void add_rows(void *adding_, size_t part, size_t worker) {
    (void)worker;
    const adding *a = adding_;
    size_t end = (part + 1) * STRIP < a->N ? (part + 1) * STRIP : a->N;
    double product = 0, trace = 0;
    for (size_t i = part * STRIP; i < end; i++) {
        const double *K = a->K + i * a->N, *inverse = a->inverse + i * a->N;
        rm2i_axpy(i + 1, -0.5, inverse, a->K_bar + i * a->N);
        product += 2 * rm2i_dot(i, K, inverse) + K[i] * inverse[i];
        trace += inverse[i];
    }
    a->traces[2 * part] = product;
    a->traces[2 * part + 1] = trace;
}

static size_t parts_of(size_t N) {
    return (N + STRIP - 1) / STRIP;
}

/* K_bar -= A_m^-1/2, tr(K B_m^-1), tr B_m^-1. */
static void add_inverse(rm2i_per_output *po, size_t m, const double *K, double *K_bar,
                        double *work) {
    size_t parts = parts_of(po->N);
    adding a = {po->N, K, po->V, K_bar, work};
    rm2i_parallel(po->ctx, parts, add_rows, &a);
    po->weight[m] = po->inverse[m] = 0;
    for (size_t k = 0; k < parts; k++) {
        po->weight[m] += work[2 * k] / po->l[m];
        po->inverse[m] += work[2 * k + 1] / po->l[m];
    }
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* l_m is 0 where Kf is singular: B_m = I. */
static void without_kernel(rm2i_per_output *po, size_t m, const double *K) {
    size_t N = po->N;
    memcpy(po->alpha + m * N, po->rotated + m * N, N * sizeof *po->alpha);
    po->inverse[m] = (double)N;
    po->weight[m] = 0;
    for (size_t i = 0; i < N; i++)
        po->weight[m] += K[i * N + i];
}

static rm2_status one_output(rm2i_per_output *po, size_t m, const double *K, double *K_bar,
                             double *work) {
    size_t N = po->N;
    double *alpha = po->alpha + m * N, jitter, l = po->l[m];
    RM2_TRY(rm2i_factor(po->ctx, N, K, 1 / l, po->V, &jitter));
    po->jitter = fmax(po->jitter, jitter);
    po->log_dets += rm2i_factor_log_det(N, po->V) + (double)N * log(l);
    for (size_t n = 0; n < N; n++)
        alpha[n] = po->rotated[m * N + n] / l;
    rm2i_factor_solve(NULL, N, po->V, 1, alpha);
    RM2_TRY(rm2i_factor_invert(po->ctx, N, po->V));
    add_inverse(po, m, K, K_bar, work);
    return RM2_OK;
}

/* K_bar += 1/2 sum_m l_m alpha_m alpha_m^T, with the rows scaled for a moment in place of S. */
static void add_outputs(rm2i_per_output *po, double *K_bar) {
    size_t N = po->N, M = po->M;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            po->rotated[m * N + n] = sqrt(fmax(po->l[m], 0)) * po->alpha[m * N + n];
    rm2i_gram_product(po->ctx, &(rm2i_gram){N, M, po->rotated, 0.5, 1}, K_bar);
}

size_t rm2i_per_output_factor_work(size_t N, size_t M) {
    rm2i_arena none = {NULL, 0}, eigen = none, traces = none, half = none;
    (void)rm2i_reserve(&eigen, double, rm2i_symmetric_eigen_work(M));
    (void)rm2i_reserve(&traces, double, parts_of(N), 2);
    (void)rm2i_reserve(&half, double, M, N);
    return rm2i_arena_longer(rm2i_arena_longer(eigen, traces), half).used;
}

static const double SMALLEST = 1e-200; /* l_m that is not 0: 1/l_m and its multiples are finite */

rm2_status rm2i_per_output_factor(rm2i_per_output *po, const double *Kf, const double *F,
                                  const double *K, double *K_bar, double *work) {
    size_t N = po->N, M = po->M;
    double squares = 0;
    po->jitter = po->log_dets = 0;
    if (rm2i_per_output_task(po, Kf, work) != RM2_OK)
        return RM2_ERR_NUMERIC;
    rotate_outputs(po, F);
    for (size_t i = 0; i < N; i++)
        memset(K_bar + i * N, 0, (i + 1) * sizeof *K_bar);
    for (size_t m = 0; m < M; m++) {
        if (po->l[m] > SMALLEST)
            RM2_TRY(one_output(po, m, K, K_bar, work));
        else
            without_kernel(po, m, K);
        squares += rm2i_dot(N, po->rotated + m * N, po->alpha + m * N);
    }
    add_outputs(po, K_bar);
    rm2i_per_output_unrotate(po);
    return rm2i_per_output_value(po, squares);
}
