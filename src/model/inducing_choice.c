/* Which points are inducing. Pivoted Cholesky needs only the rows of K that it chooses:
 *
 *   d_i = k(x_i, x_i) - sum_j g_j(i)^2,   p = argmax d,   g = (k(., x_p) - sum_j g_j(p) g_j)/sqrt(d_p)
 *
 * d is the variance of each point given those that are chosen, and its sum is t = tr(K - Q). It is
 * greedy, and for kernels as smooth as these close to the best of its size (Harbrecht, Peters and
 * Schneider, Applied Numerical Mathematics 62, 2012). n r numbers, n r^2 steps, in blocks of points whose
 * sums are added in a fixed order: the choice does not depend on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/clones.h"
#include "linalg/dense.h"
#include "model/inducing.h"

enum { BLOCK = 1024, CHUNK = 32 }; /* points; rows g_j of one allocation */

static const double ROUNDING = 1e-12; /* of k(x, x): what is below is no variance any more */

typedef struct choice {
    const rm2i_latent_kernel *kernel;
    size_t n, chunks, count, pivot;
    const double *X;
    double **rows;    /* chunks of CHUNK x n: g_j */
    double *d;        /* n */
    double *sum;      /* of d, by block */
    size_t *best;     /* place of the largest d, by block */
    double *at_pivot; /* g_j(p), for all j */
    int threads;
} choice;

static double *row(const choice *c, size_t j) {
    return c->rows[j / CHUNK] + j % CHUNK * c->n;
}

static void survey(const choice *c, size_t b) {
    size_t first = b * BLOCK, end = first + BLOCK < c->n ? first + BLOCK : c->n;
    c->sum[b] = 0;
    c->best[b] = first;
    for (size_t i = first; i < end; i++) {
        c->sum[b] += c->d[i];
        if (c->d[i] > c->d[c->best[b]])
            c->best[b] = i;
    }
}

/* g -= sum_i a_i row_i over `rows` rows of one allocation, four at a time: g is read and written once for
 * these. */
RM2I_AVX2_CLONES static void subtract(size_t count, size_t rows, const double *a,
                                      const double *restrict first, size_t apart,
                                      double *restrict g) {
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const double *r = first + i * apart, *s = r + apart, *t = s + apart, *u = t + apart;
        for (size_t k = 0; k < count; k++)
            g[k] -= (a[i] * r[k] + a[i + 1] * s[k]) + (a[i + 2] * t[k] + a[i + 3] * u[k]);
    }
    for (; i < rows; i++)
        rm2i_axpy(count, -a[i], first + i * apart, g);
}

/* The newest row and what it leaves of d, for one block of points. */
static void update_block(const choice *c, size_t b) {
    size_t first = b * BLOCK, count = c->n - first < BLOCK ? c->n - first : BLOCK,
           Q = c->kernel->dim;
    size_t j = c->count;
    double *g = row(c, j) + first, *d = c->d + first, scale = 1 / c->at_pivot[j];
    rm2i_latent_rows(c->kernel, 1, c->X + c->pivot * Q, count, c->X + first * Q, g);
    for (size_t i = 0; i < j; i += CHUNK)
        subtract(count, j - i < CHUNK ? j - i : CHUNK, c->at_pivot + i, row(c, i) + first, c->n, g);
    for (size_t i = 0; i < count; i++) {
        g[i] *= scale;
        d[i] = fmax(d[i] - g[i] * g[i], 0);
    }
    if (c->pivot >= first && c->pivot < first + count)
        c->d[c->pivot] = 0;
    survey(c, b);
}

/* The point with the largest d; *left becomes the sum. */
static size_t next_pivot(const choice *c, double *left) {
    size_t blocks = (c->n + BLOCK - 1) / BLOCK, best = c->best[0];
    *left = 0;
    for (size_t b = 0; b < blocks; b++) {
        *left += c->sum[b];
        if (c->d[c->best[b]] > c->d[best])
            best = c->best[b];
    }
    return best;
}

static rm2_status take(rm2_context *ctx, choice *c) {
    size_t blocks = (c->n + BLOCK - 1) / BLOCK;
    if (c->count == c->chunks * CHUNK) {
        RM2_TRY(rm2i_alloc(ctx, c->n, CHUNK * sizeof(double), &c->rows[c->chunks]));
        c->chunks++;
    }
    for (size_t i = 0; i < c->count; i++)
        c->at_pivot[i] = row(c, i)[c->pivot];
    c->at_pivot[c->count] = sqrt(c->d[c->pivot]);
#pragma omp parallel for schedule(static) num_threads(c->threads) if (blocks > 1)
    for (size_t b = 0; b < blocks; b++)
        update_block(c, b);
    c->count++;
    return RM2_OK;
}

static rm2_status choose(rm2_context *ctx, choice *c, double enough, size_t most, size_t *index,
                         double *left) {
    double variance = c->kernel->variance;
    for (size_t i = 0; i < c->n; i++)
        c->d[i] = variance;
    for (size_t b = 0; b < (c->n + BLOCK - 1) / BLOCK; b++)
        survey(c, b);
    for (;;) {
        c->pivot = next_pivot(c, left);
        bool done = *left <= enough || c->d[c->pivot] <= ROUNDING * variance;
        if (c->count == most || (c->count > 0 && done)) /* one there is, however much is enough */
            return RM2_OK;
        index[c->count] = c->pivot;
        RM2_TRY(take(ctx, c));
    }
}

rm2_status rm2i_inducing_choose(rm2_context *ctx, const rm2i_latent_kernel *kernel, size_t n,
                                const double *X, double enough, size_t most, size_t *index,
                                size_t *count, double *left) {
    choice c = {.kernel = kernel, .n = n, .X = X, .threads = rm2_context_threads(ctx)};
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    most = most < n ? most : n;
    rm2_status status = rm2i_alloc(ctx, n + blocks + most, sizeof *c.d, &c.d);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, blocks, sizeof *c.best, &c.best);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, most / CHUNK + 1, sizeof *c.rows, &c.rows);
    if (status == RM2_OK) {
        c.sum = c.d + n;
        c.at_pivot = c.sum + blocks;
        status = choose(ctx, &c, enough, most, index, left);
    }
    *count = c.count;
    for (size_t k = 0; k < c.chunks; k++)
        free(c.rows[k]);
    free(c.rows);
    free(c.best);
    free(c.d);
    return status;
}
