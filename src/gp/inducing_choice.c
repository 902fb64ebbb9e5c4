/* Which points are inducing. Pivoted Cholesky needs only the rows of K that it chooses:
 *
 *   d_i = k(x_i, x_i) - sum_j g_j(i)^2,   p = argmax d,   g = (k(., x_p) - sum_j g_j(p) g_j)/sqrt(d_p)
 *
 * d is the variance of each point given those that are chosen, and its sum is t = tr(K - Q). It is
 * greedy, and for kernels as smooth as these close to the best of its size (Harbrecht, Peters and
 * Schneider, Applied Numerical Mathematics 62, 2012). n r numbers, n r^2 steps, in blocks of points whose
 * sums are added in a fixed order: the choice does not depend on the number of threads.
 *
 * Several processes know all the points, and each has the rows and the d of its own blocks. They find p together, and
 * g_j(p) is broadcast. No number depends on who computes it: nor does the choice.
 *
 * The sum over j reads all rows for each new one, and where these are many, memory is what takes the time.
 * So the next pivots are guessed, as the largest of a d that those before them make smaller around them, and
 * the rows of several are begun together, by one matrix product. A guess that is not confirmed costs its
 * share of that; the choice is the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/clones.h"
#include "base/pool.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/serial.h"

enum {
    BLOCK = 1024,    /* points */
    CHUNK = 32,      /* rows g_j of one allocation */
    AHEAD = 8,       /* rows that are begun together */
    BATCHES = 2,     /* of these, kept */
    CACHED = 1 << 21 /* numbers that stay in a cache: rows need not be read together */
};

enum { LARGEST, PLACE, SUM, FOUND }; /* of a block */

static const double ROUNDING =
    1e-12; /* of the largest k(x, x): what is below is no variance any more */
static const double NARROW = 0.5; /* lengthscales of what is left of K, against those of K */

/* The beginning of the row of a point: k(., x_p) - sum_{j < done} g_j(p) g_j. */
typedef struct begun {
    size_t point; /* SIZE_MAX: none */
    size_t done;
    double *row; /* n */
} begun;

/* A point and what makes it the largest. */
typedef struct leader {
    double value;
    size_t point; /* among all */
} leader;

typedef struct choice {
    const rm2i_latent_kernel *kernel;
    rm2i_rows blocks; /* of points, spread over the processes */
    size_t all;       /* points */
    size_t first, n;  /* points of this process */
    size_t chunks, count;
    leader pivot;
    const double *X;  /* all x Q */
    double **rows;    /* chunks of CHUNK x n: g_j, each an allocation of its own */
    double *d;        /* n */
    double *survey;   /* FOUND per block here: the largest d and its point, the sum of d */
    double *surveys;  /* the same of all blocks */
    double *at_pivot; /* g_j(p), for all j */
    begun begun[BATCHES * AHEAD];
    size_t batch;     /* number of the next */
    size_t most;      /* that may be chosen: columns of at_guess */
    double *at_guess; /* AHEAD x most: g_j of guessed points */
    double *guess;    /* n: d as it is expected to become */
    double *narrow;   /* lengthscales */
    rm2_context *ctx;
    double *memory;
} choice;

static void lay_out(void *arg, rm2i_arena *a) {
    choice *c = arg;
    size_t n = c->n;
    c->d = rm2i_reserve(a, double, n);
    c->survey = rm2i_reserve(a, double, c->blocks.n, FOUND);
    c->surveys = rm2i_reserve(a, double, c->blocks.all, FOUND);
    c->at_pivot = rm2i_reserve(a, double, c->most);
    c->at_guess = rm2i_reserve(a, double, AHEAD, c->most);
    c->guess = rm2i_reserve(a, double, n);
    c->narrow = rm2i_reserve(a, double, c->kernel->dim);
    c->rows = rm2i_reserve(a, double *, c->most / CHUNK + 1);
    for (size_t k = 0; k < BATCHES * AHEAD; k++) /* those of a batch follow each other */
        c->begun[k] = (begun){SIZE_MAX, 0, rm2i_reserve(a, double, n)};
}

static double *row(const choice *c, size_t j) {
    return c->rows[j / CHUNK] + j % CHUNK * c->n;
}

static size_t block_size(const choice *c, size_t first) {
    return c->n - first < BLOCK ? c->n - first : BLOCK;
}

/* Points of this process from the place `first` on. */
static const double *points_from(const choice *c, size_t first) {
    return c->X + (c->first + first) * c->kernel->dim;
}

/* ---- all blocks ------------------------------------------------------------------------------ */

/* Points before a block. */
static size_t points_before(const choice *c, size_t block) {
    return block * BLOCK < c->all ? block * BLOCK : c->all;
}

static rm2_status divide(rm2_context *ctx, const rm2i_rows *like, choice *c) {
    RM2_TRY(rm2i_rows_spread(ctx, like, (c->all + BLOCK - 1) / BLOCK, &c->blocks));
    c->first = points_before(c, c->blocks.before);
    c->n = points_before(c, c->blocks.before + c->blocks.n) - c->first;
    return RM2_OK;
}

/* The largest of all blocks, the first of equal ones; *left becomes the sum over all blocks. */
static leader compare_blocks(const choice *c, double *left) {
    leader best = {-INFINITY, 0};
    *left = 0;
    rm2i_rows_gather_all(&c->blocks, FOUND, c->survey, c->surveys);
    for (const double *s = c->surveys; s < c->surveys + c->blocks.all * FOUND; s += FOUND) {
        if (s[LARGEST] > best.value)
            best = (leader){s[LARGEST], (size_t)s[PLACE]};
        *left += s[SUM];
    }
    return best;
}

/* g_j of a point, for all j. */
static void values_at(const choice *c, size_t point, double *values) {
    for (size_t i = 0; point - c->first < c->n && i < c->count; i++)
        values[i] = row(c, i)[point - c->first];
    rm2i_rows_broadcast_row(&c->blocks, point / BLOCK, values, c->count * sizeof *values);
}

/* ---- steps over blocks ---------------------------------------------------------------------- */

/* The largest of `values` (n) in a block, and their sum. */
static void survey(const choice *c, size_t b, const double *values) {
    size_t first = b * BLOCK, end = first + block_size(c, first), best = first;
    double *found = c->survey + b * FOUND;
    found[SUM] = 0;
    for (size_t i = first; i < end; i++) {
        found[SUM] += values[i];
        if (values[i] > values[best])
            best = i;
    }
    found[LARGEST] = values[best];
    found[PLACE] = (double)(c->first + best);
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

/* ---- rows ahead ----------------------------------------------------------------------------- */

typedef struct block_job {
    choice *c;
    const rm2i_inducing_given *given;
    rm2i_latent_kernel narrow; /* for discounts */
    size_t point;
    begun *batch; /* of rows ahead; the beginning of a row */
} block_job;

static void discount_block(void *job, size_t b, size_t worker) {
    (void)worker;
    const block_job *j = job;
    const choice *c = j->c;
    size_t first = b * BLOCK, count = block_size(c, first), Q = j->narrow.dim;
    double rho[BLOCK];
    rm2i_latent_rows(&j->narrow, 1, c->X + j->point * Q, count, points_from(c, first), rho);
    for (size_t i = 0; i < count; i++)
        c->guess[first + i] *= 1 - rho[i] * rho[i];
}

/* guess *= 1 - rho^2 around a point, rho the narrow kernel's correlation with it. */
static void discount(choice *c, size_t point) {
    rm2i_latent_kernel kernel = *c->kernel;
    kernel.lengthscale = c->narrow;
    kernel.variance = 1;
    kernel.linear = 0; /* its few dimensions are taken up by the first pivots */
    rm2i_parallel(c->ctx, c->blocks.n, discount_block,
                  &(block_job){.c = c, .narrow = kernel, .point = point});
    if (point - c->first < c->n)
        c->guess[point - c->first] = 0;
}

static leader largest_guess(const choice *c) {
    double sum;
    for (size_t b = 0; b < c->blocks.n; b++)
        survey(c, b, c->guess);
    return compare_blocks(c, &sum);
}

/* The pivot, and the pivots that will come after it if the guesses are right. */
static void guess_pivots(choice *c, begun *batch) {
    memcpy(c->guess, c->d, c->n * sizeof *c->guess);
    batch[0].point = c->pivot.point;
    for (size_t k = 0; k < BATCHES * AHEAD; k++)
        if (c->begun[k].point != SIZE_MAX)
            discount(c, c->begun[k].point);
    for (size_t k = 1; k < AHEAD; k++) {
        leader best = largest_guess(c);
        batch[k].point = best.value > 0 ? best.point : SIZE_MAX;
        if (batch[k].point != SIZE_MAX && k + 1 < AHEAD)
            discount(c, best.point);
    }
}

/* Rows of the batch in one block of points. */
static void begin_block(void *job, size_t b, size_t worker) {
    (void)worker;
    const block_job *own = job;
    const choice *c = own->c;
    const begun *batch = own->batch;
    size_t first = b * BLOCK, count = block_size(c, first), Q = c->kernel->dim, j = c->count;
    for (size_t k = 0; k < AHEAD; k++)
        if (batch[k].point != SIZE_MAX)
            rm2i_latent_rows(c->kernel, 1, c->X + batch[k].point * Q, count, points_from(c, first),
                             batch[k].row + first);
    for (size_t i = 0; i < j; i += CHUNK)
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, AHEAD, (int)count,
                   (int)(j - i < CHUNK ? j - i : CHUNK), -1, c->at_guess + i, (int)c->most,
                   row(c, i) + first, (int)c->n, 1, batch[0].row + first, (int)c->n);
}

/* Begin the row of the pivot, with others. */
static begun *begin(choice *c) {
    begun *batch = c->begun + c->batch++ % BATCHES * AHEAD;
    for (size_t k = 0; k < AHEAD; k++)
        batch[k].point = SIZE_MAX;
    guess_pivots(c, batch);
    for (size_t k = 0; k < AHEAD; k++) {
        double *values = c->at_guess + k * c->most;
        batch[k].done = c->count;
        if (batch[k].point != SIZE_MAX)
            values_at(c, batch[k].point, values);
        else
            memset(values, 0, c->count * sizeof *values);
    }
    rm2i_parallel(c->ctx, c->blocks.n, begin_block, &(block_job){.c = c, .batch = batch});
    return batch;
}

/* The beginning of the pivot's row; NULL where that is not worth it. */
static begun *find_begun(choice *c) {
    for (size_t k = 0; k < BATCHES * AHEAD; k++)
        if (c->begun[k].point == c->pivot.point)
            return &c->begun[k];
    return c->all * c->count > CACHED ? begin(c) : NULL;
}

/* ---- one row -------------------------------------------------------------------------------- */

/* The newest row and what it leaves of d, for one block of points. */
static void update_block(void *job, size_t b, size_t worker) {
    (void)worker;
    const block_job *own = job;
    const choice *c = own->c;
    const begun *start = own->batch;
    size_t first = b * BLOCK, count = block_size(c, first), Q = c->kernel->dim, j = c->count;
    size_t pivot = c->pivot.point - c->first - first; /* its place in the block, if it is there */
    double *g = row(c, j) + first, *d = c->d + first, scale = 1 / c->at_pivot[j];
    if (start)
        memcpy(g, start->row + first, count * sizeof *g);
    else
        rm2i_latent_rows(c->kernel, 1, c->X + c->pivot.point * Q, count, points_from(c, first), g);
    for (size_t i = start ? start->done : 0; i < j;) {
        size_t rows = CHUNK - i % CHUNK; /* to the end of the allocation */
        rows = rows < j - i ? rows : j - i;
        subtract(count, rows, c->at_pivot + i, row(c, i) + first, c->n, g);
        i += rows;
    }
    for (size_t i = 0; i < count; i++) {
        g[i] *= scale;
        d[i] = fmax(d[i] - g[i] * g[i], 0);
    }
    if (pivot < count)
        d[pivot] = 0;
    survey(c, b, c->d);
}

static rm2_status allocate_rows(rm2_context *ctx, choice *c) {
    RM2_TRY(rm2i_alloc(ctx, c->n, CHUNK * sizeof(double), &c->rows[c->chunks]));
    c->chunks++;
    return RM2_OK;
}

/* Memory for this number of rows. */
static rm2_status reserve(rm2_context *ctx, choice *c, size_t rows) {
    for (size_t k = c->chunks; k * CHUNK < rows; k++)
        RM2_TRY(rm2i_rows_agree(ctx, &c->blocks, allocate_rows(ctx, c)));
    return RM2_OK;
}

static rm2_status add_pivot(rm2_context *ctx, choice *c) {
    RM2_TRY(reserve(ctx, c, c->count + 1));
    values_at(c, c->pivot.point, c->at_pivot);
    c->at_pivot[c->count] = sqrt(c->pivot.value);
    begun *start = find_begun(c);
    rm2i_parallel(c->ctx, c->blocks.n, update_block, &(block_job){.c = c, .batch = start});
    if (start)
        start->point = SIZE_MAX;
    c->count++;
    return RM2_OK;
}

/* Rows of the points that are given, g = L^-1 k(Z, .), for one block of points, chunk a after chunk a:
 *
 *   G_a = L_aa^-1 (k(Z_a, .) - sum_{b < a} L_ab G_b) */
static void given_block(void *job, size_t b, size_t worker) {
    (void)worker;
    const block_job *own = job;
    const choice *c = own->c;
    const rm2i_inducing_given *given = own->given;
    size_t first = b * BLOCK, count = block_size(c, first), Q = c->kernel->dim, r = given->count;
    for (size_t i = 0; i < r; i += CHUNK) {
        size_t rows = r - i < CHUNK ? r - i : CHUNK;
        double *G = row(c, i) + first;
        for (size_t k = 0; k < rows; k++)
            rm2i_latent_rows(c->kernel, 1, given->Z + (i + k) * Q, count, points_from(c, first),
                             G + k * c->n);
        for (size_t j = 0; j < i; j += CHUNK)
            rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)count, CHUNK, -1,
                       given->L + i * r + j, (int)r, row(c, j) + first, (int)c->n, 1, G, (int)c->n);
        rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                   (int)count, 1, given->L + i * (r + 1), (int)r, G, (int)c->n);
    }
}

static rm2_status add_given(rm2_context *ctx, choice *c, const rm2i_inducing_given *given) {
    RM2_TRY(reserve(ctx, c, given->count));
    rm2i_parallel(ctx, c->blocks.n, given_block, &(block_job){.c = c, .given = given});
    memcpy(c->d, given->d + c->first, c->n * sizeof *c->d);
    c->count = given->count;
    return RM2_OK;
}

/* d of points of which none is chosen; the largest of all points. */
static double begin_variances(const choice *c) {
    double largest = 0;
    for (size_t i = 0; i < c->all; i++) {
        double variance = rm2i_latent_variance_at(c->kernel, c->X + i * c->kernel->dim);
        largest = fmax(largest, variance);
        if (i - c->first < c->n)
            c->d[i - c->first] = variance;
    }
    return largest;
}

static rm2_status choose(rm2_context *ctx, choice *c, const rm2i_inducing_given *given,
                         double enough, size_t *index, double *left) {
    double rounding = ROUNDING * begin_variances(c);
    if (given) {
        RM2_TRY(add_given(ctx, c, given));
        rounding = fmax(rounding, 2 * given->jitter);
    }
    for (size_t b = 0; b < c->blocks.n; b++)
        survey(c, b, c->d);
    for (;;) {
        c->pivot = compare_blocks(c, left);
        bool done = *left <= enough || c->pivot.value <= rounding;
        if (c->count == c->most ||
            (c->count > 0 && done)) /* one there is, however much is enough */
            return RM2_OK;
        index[c->count] = c->pivot.point;
        RM2_TRY(add_pivot(ctx, c));
    }
}

rm2_status rm2i_inducing_choose_more(rm2_context *ctx, const rm2i_inducing_request *request,
                                     const rm2i_inducing_given *given, size_t *index, size_t *count,
                                     double *left) {
    size_t all = request->N + (given ? given->count : 0);
    choice c = {.kernel = request->kernel,
                .all = request->N,
                .X = request->X,
                .most = request->most < all ? request->most : all,
                .ctx = ctx};
    RM2_TRY(divide(ctx, request->rows, &c));
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, &c, &c.memory);
    status = rm2i_rows_agree(ctx, &c.blocks, status);
    if (status == RM2_OK) {
        for (size_t q = 0; q < c.kernel->dim; q++)
            c.narrow[q] = NARROW * c.kernel->lengthscale[q];
        status = choose(ctx, &c, given, request->enough, index, left);
    }
    *count = c.count;
    for (size_t k = 0; k < c.chunks; k++)
        free(c.rows[k]);
    free(c.memory);
    rm2i_rows_free(&c.blocks);
    return status;
}
