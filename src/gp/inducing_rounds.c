/* Inducing points for all points, where only some of them are considered at a time.
 *
 * Some of the points that are not considered (inducing_choice.c) are at the border of the data, far from those that
 * are, and leave most of t. Rounds find them. The first choice is made among every k-th point. Then the variance
 *
 *   d_i = k(x_i, x_i) - |v_i|^2,   V = Lu^-1 Kun
 *
 * of every point is computed, and the choice goes on among the candidates, the points with the largest d:
 *
 *   candidates = {i: d_i >= threshold},   rest = sum of the d_i below the threshold <= REST enough
 *
 * d only becomes smaller with more inducing points, so that t <= rest + the d of the candidates: once that is enough,
 * no further pass is needed. There is another round where the candidates would be more than are considered at a time.
 *
 * Thresholds follow from sums over all rows, and all processes get the candidates in the order of points: the choice is
 * the same for any number of threads and processes. N r^2 steps and N numbers for a round. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/inducing.h"
#include "linalg/dense.h"

enum {
    ROUNDS = 5,     /* passes over all points, at most */
    BISECTIONS = 40 /* of the logarithm of a threshold: to 1e-10 of it */
};

static const double FIRST = 0.5;      /* of what is enough: where the first choice stops */
static const double OF_MOST = 0.75;   /* of the inducing points: what it may use */
static const double REST = 0.75;      /* of what is enough: what the rest may leave */
static const double SMALLEST = 1e-20; /* of t: no candidates below */

typedef struct rounds {
    const rm2i_inducing_request *request;
    size_t most;       /* candidates at a time */
    size_t *index;     /* request->most */
    size_t count;      /* chosen */
    double left;       /* t of all points, or a bound */
    double *variances; /* N: d */
} rounds;

/* Points among which a round goes on. */
typedef struct candidates {
    rm2i_rows rows;      /* n of them here, `all` of all points */
    size_t width;        /* of an item: x, d, the number of the point */
    double *items, *all; /* n x width, all x width */
    double *X, *d;       /* all x Q, all */
    size_t *point;       /* all */
    double *memory;
} candidates;

/* ---- passes over all points ----------------------------------------------------------------- */

/* d = k(x, x) - |v|^2 of a block; their sum. */
static void find_variances(const rm2i_row_pass *pass, size_t first, size_t count,
                           const rm2i_part *own) {
    const rm2i_row_block b = rm2i_block_of(pass, first, count, own);
    const double *V = rm2i_inducing_V(pass, &b, own);
    size_t r = pass->in->r;
    for (size_t i = 0; i < count; i++) {
        double d = rm2i_latent_variance_at(pass->kernel, b.X + i * pass->in->Q) -
                   rm2i_dot(r, V + i * r, V + i * r);
        pass->variances[first + i] = fmax(d, 0);
        *own->sums += fmax(d, 0);
    }
}

/* How many points have d >= threshold, and the sum of the others. */
static void compare(const rm2i_row_pass *pass, size_t first, size_t count, const rm2i_part *own) {
    for (size_t i = first; i < first + count; i++)
        if (pass->variances[i] >= pass->threshold)
            own->sums[0] += 1;
        else
            own->sums[1] += pass->variances[i];
}

/* Can the threshold be larger? It can where candidates are too many, or the rest is small enough: both are so up to
 * some threshold and not above. */
static bool is_low(const rounds *s, const rm2i_row_pass *pass) {
    const double *sums = rm2i_inducing_rows(pass, &(rm2i_row_sums){compare, 0, 0, 2});
    return sums[0] > (double)s->most || sums[1] <= REST * s->request->enough;
}

/* The largest threshold that is low, by bisection of its logarithm; no d is above t. */
static double find_threshold(const rounds *s, rm2i_row_pass *pass) {
    double low = SMALLEST * s->left, high = s->left;
    for (int k = 0; k < BISECTIONS; k++) {
        pass->threshold = sqrt(low * high);
        if (is_low(s, pass))
            low = pass->threshold;
        else
            high = pass->threshold;
    }
    return low;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void lay_out_candidates(void *candidates_, rm2i_arena *a) {
    candidates *c = candidates_;
    c->items = rm2i_reserve(a, double, c->rows.n, c->width);
    c->all = rm2i_reserve(a, double, c->rows.all, c->width);
    c->X = rm2i_reserve(a, double, c->rows.all, c->width - 2);
    c->d = rm2i_reserve(a, double, c->rows.all);
    c->point = rm2i_reserve(a, size_t, c->rows.all);
}

/* If more than can be considered, because many d are equal, the first ones. */
static rm2_status count_candidates(rm2_context *ctx, const rounds *s, double threshold,
                                   rm2i_rows *found) {
    const rm2i_rows *rows = s->request->rows;
    rm2i_rows own = {.comm = rows ? rows->comm : NULL};
    for (size_t i = 0; i < s->request->N; i++)
        own.n += s->variances[i] >= threshold;
    RM2_TRY(rm2i_rows_join(ctx, &own, found));
    rm2i_rows_keep_first(found, s->most);
    return RM2_OK;
}

static void pack(const rounds *s, double threshold, const candidates *c) {
    size_t Q = c->width - 2, before = rm2i_rows_before(s->request->rows);
    double *item = c->items;
    for (size_t i = 0; item < c->items + c->rows.n * c->width; i++) {
        if (!(s->variances[i] >= threshold))
            continue;
        memcpy(item, s->request->X + i * Q, Q * sizeof *item);
        item[Q] = s->variances[i];
        item[Q + 1] = (double)(before + i);
        item += c->width;
    }
}

/* All candidates, in the order of points. */
static void share(const candidates *c) {
    size_t Q = c->width - 2;
    rm2i_rows_gather_all(&c->rows, c->width, c->items, c->all);
    for (size_t i = 0; i < c->rows.all; i++) {
        const double *item = c->all + i * c->width;
        memcpy(c->X + i * Q, item, Q * sizeof *item);
        c->d[i] = item[Q];
        c->point[i] = (size_t)item[Q + 1];
    }
}

/* ---- a round -------------------------------------------------------------------------------- */

/* Choose among the candidates until these and the rest leave what is enough. */
static rm2_status choose_candidates(rm2_context *ctx, rounds *s, const rm2i_inducing *in,
                                    const candidates *c) {
    const rm2i_inducing_given given = {
        .count = s->count, .Z = in->Z, .L = in->L, .jitter = in->jitter, .d = c->d};
    rm2i_inducing_request some = *s->request;
    double rest = s->left, left;
    for (size_t i = 0; i < c->rows.all; i++)
        rest -= c->d[i];
    rest = fmax(rest, 0);
    some.N = c->rows.all;
    some.X = c->X;
    some.enough = fmax(some.enough - rest, (1 - REST) * some.enough);
    RM2_TRY(rm2i_inducing_choose_more(ctx, &some, &given, s->index, &s->count, &left));
    for (size_t j = given.count; j < s->count; j++)
        s->index[j] = c->point[s->index[j]];
    s->left = rest + left;
    return RM2_OK;
}

static rm2_status go_on(rm2_context *ctx, rounds *s, rm2i_row_pass *pass) {
    double threshold = find_threshold(s, pass);
    candidates c = {.width = s->request->kernel->dim + 2};
    RM2_TRY(count_candidates(ctx, s, threshold, &c.rows));
    rm2_status status = rm2i_arena_alloc(ctx, lay_out_candidates, &c, &c.memory);
    status = rm2i_rows_agree(ctx, &c.rows, status);
    if (status == RM2_OK) {
        pack(s, threshold, &c);
        share(&c);
        status = choose_candidates(ctx, s, pass->in, &c);
    }
    free(c.memory);
    rm2i_rows_free(&c.rows);
    return status;
}

static bool is_done(const rounds *s) {
    return s->left <= s->request->enough || s->count >= s->request->most;
}

/* t of all points, and more inducing points where it is too large. */
static rm2_status one_round(rm2_context *ctx, rounds *s) {
    const rm2i_inducing_request *request = s->request;
    const rm2i_inducing_shape shape = {.N = request->N,
                                       .Q = request->kernel->dim,
                                       .r = s->count,
                                       .index = s->index,
                                       .rows = request->rows,
                                       .recompute = true};
    rm2i_inducing *in;
    rm2_status status = rm2i_inducing_create(ctx, &shape, &in);
    status = rm2i_rows_agree(ctx, request->rows, status);
    if (status == RM2_OK)
        status = rm2i_inducing_factor(in, request->kernel, request->X);
    if (status == RM2_OK) {
        rm2i_row_pass pass = {
            .in = in, .kernel = request->kernel, .X = request->X, .variances = s->variances};
        s->left = *rm2i_inducing_rows(&pass, &(rm2i_row_sums){find_variances, 0, 0, 1});
        if (!is_done(s))
            status = go_on(ctx, s, &pass);
    }
    rm2i_inducing_free(in);
    return status;
}

static rm2_status run(rm2_context *ctx, rounds *s) {
    rm2i_inducing_request first = *s->request;
    first.enough *= FIRST;
    first.most = (size_t)ceil(OF_MOST * (double)first.most);
    RM2_TRY(rm2i_inducing_choose(ctx, &first, s->index, &s->count, &s->left));
    RM2_TRY(
        rm2i_rows_alloc(ctx, s->request->rows, s->request->N, sizeof *s->variances, &s->variances));
    for (int k = 0; k < ROUNDS; k++) {
        size_t before = s->count;
        RM2_TRY(one_round(ctx, s));
        if (is_done(s) || s->count == before) /* what is left is rounding */
            break;
    }
    return RM2_OK;
}

rm2_status rm2i_inducing_choose_for_all(rm2_context *ctx, const rm2i_inducing_request *request,
                                        size_t *index, size_t *count, double *left) {
    rounds s = {.request = request, .index = index};
    size_t all = rm2i_rows_all(request->rows, request->N);
    s.most = rm2i_inducing_at_a_time(request);
    if (all <= s.most)
        return rm2i_inducing_choose(ctx, request, index, count, left);
    rm2_status status = run(ctx, &s);
    *count = s.count;
    *left = s.left;
    free(s.variances);
    return status;
}
