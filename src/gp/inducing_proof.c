/* Sums over all points proven by random vectors (Freivalds, 1977).
 *
 * With T = V^T P = Knu (Lu^-T P) for a few vectors P (r x PROBES) the sums must satisfy
 *     P^T A P = T^T T,   (V F)^T P = F^T T
 * which a matrix that differs does for almost no P. T takes N r steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

enum { PROBES = 4 };

typedef struct proof {
    const rm2i_sums_claim *claim;
    size_t workers;
    double *P, *W;   /* PROBES x r: the vectors, and Lu^-T P */
    double *Kuu, *L; /* r x r */
    double *AP;      /* PROBES x r */
    double *T;       /* N x PROBES */
    double *K;       /* RM2I_ROWS x r for each worker */
} proof;

static void lay_out(void *proof_, rm2i_arena *a) {
    proof *p = proof_;
    size_t r = p->claim->r;
    p->P = rm2i_reserve(a, double, PROBES, r);
    p->W = rm2i_reserve(a, double, PROBES, r);
    p->AP = rm2i_reserve(a, double, PROBES, r);
    p->Kuu = rm2i_reserve(a, double, r, r);
    p->L = rm2i_reserve(a, double, r, r);
    p->T = rm2i_reserve(a, double, p->claim->data->N, PROBES);
    p->K = rm2i_reserve(a, double, p->workers, RM2I_ROWS, r);
}

/* Rows of T: T = Knu W. */
static void project_rows(void *proof_, size_t part, size_t worker) {
    const proof *p = proof_;
    const rm2i_inducing_data *d = p->claim->data;
    size_t r = p->claim->r, first = part * RM2I_ROWS, Q = d->kernel->dim;
    size_t count = d->N - first < RM2I_ROWS ? d->N - first : RM2I_ROWS;
    double *K = p->K + worker * RM2I_ROWS * r;
    rm2i_latent_rows(d->kernel, count, d->X + first * Q, r, p->claim->Z, K);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, PROBES, (int)r, 1, K, (int)r,
               p->W, (int)r, 0, p->T + first * PROBES, PROBES);
}

/* Rows of AP = P A, from the packed lower triangle. */
static void multiply_triangle(const proof *p) {
    size_t r = p->claim->r;
    const double *A = p->claim->sums;
    memset(p->AP, 0, PROBES * r * sizeof *p->AP);
    for (size_t i = 0; i < r; A += i + 1, i++)
        for (size_t k = 0; k < PROBES; k++) {
            double *out = p->AP + k * r;
            const double *x = p->P + k * r;
            out[i] += rm2i_dot(i + 1, A, x);
            rm2i_axpy(i, x[i], A, out);
        }
}

/* The larger of `off` and the difference in units of `size`; NaN stays. */
static double larger_difference(double off, double a, double b, double size) {
    double difference = a == b ? 0 : fabs(a - b) / size;
    return difference <= off || isnan(off) ? off : difference;
}

static double compare_squares(const proof *p) {
    size_t r = p->claim->r, N = p->claim->data->N;
    double squares[PROBES * PROBES] = {0}, off = 0;
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, PROBES, PROBES, (int)N, 1, p->T, PROBES,
               p->T, PROBES, 0, squares, PROBES);
    multiply_triangle(p);
    for (size_t j = 0; j < PROBES; j++)
        for (size_t k = 0; k <= j; k++) {
            double size = sqrt(squares[j * PROBES + j]) * sqrt(squares[k * PROBES + k]);
            off = larger_difference(off, rm2i_dot(r, p->AP + j * r, p->P + k * r),
                                    squares[j * PROBES + k], size);
        }
    return off;
}

/* F T against (V F) P; |F_m| |T_k| bounds both. */
static double compare_outputs(const proof *p) {
    const rm2i_inducing_data *d = p->claim->data;
    size_t r = p->claim->r;
    const double *VF = p->claim->sums + rm2i_triangle(r);
    double off = 0;
    for (size_t m = 0; m < d->M; m++) {
        const double *F = d->F + m * d->N;
        double product[PROBES] = {0}, squares[PROBES] = {0}, length = rm2i_norm(d->N, F);
        for (size_t n = 0; n < d->N; n++)
            for (size_t k = 0; k < PROBES; k++) {
                double t = p->T[n * PROBES + k];
                product[k] += F[n] * t;
                squares[k] += t * t;
            }
        for (size_t k = 0; k < PROBES; k++)
            off = larger_difference(off, rm2i_dot(r, VF + m * r, p->P + k * r), product[k],
                                    length * sqrt(squares[k]));
    }
    return off;
}

/* P of signs, so that each entry counts alike, and W. */
static rm2_status draw_probes(const proof *p) {
    const rm2i_sums_claim *c = p->claim;
    rm2_rng rng;
    double jitter;
    rm2_rng_seed(&rng, 1);
    for (size_t i = 0; i < PROBES * c->r; i++)
        p->P[i] = rm2_rng_uniform(&rng) < 0.5 ? -1 : 1;
    memcpy(p->W, p->P, PROBES * c->r * sizeof *p->W);
    rm2i_latent_gram(NULL, c->data->kernel, c->r, c->Z, p->Kuu);
    RM2_TRY(rm2i_factor(NULL, c->r, p->Kuu, 0, p->L, &jitter));
    rm2i_factor_other_half_solve(NULL, c->r, p->L, PROBES, p->W);
    return RM2_OK;
}

rm2_status rm2i_inducing_sums_off(rm2_context *ctx, const rm2i_sums_claim *claim, double *off) {
    size_t parts = (claim->data->N + RM2I_ROWS - 1) / RM2I_ROWS;
    proof p = {.claim = claim, .workers = rm2i_workers(ctx, parts)};
    double *memory;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &p, &memory));
    rm2_status status = draw_probes(&p);
    if (status == RM2_OK) {
        rm2i_parallel(ctx, parts, project_rows, &p);
        double squares = compare_squares(&p), outputs = compare_outputs(&p);
        *off = squares + outputs; /* NaN stays */
    }
    free(memory);
    return status;
}
