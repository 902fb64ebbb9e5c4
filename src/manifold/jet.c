/* Jets of products: each factor by its own call, or by the calls that every geometry has. */
#include "manifold/jet.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/serial.h"
#include "manifold/spd_jet.h"

/* ---- what depends on the covariance alone --------------------------------------------------- */

static bool has_table(const rm2_factor *f) {
    return f->geometry == &rm2_spd && f->n <= RM2I_SPD_JET_MAX;
}

static bool is_part(const rm2i_traces *t, const rm2_factor *f) {
    return f->dim_offset >= t->from && f->dim_offset + f->dim <= t->to;
}

static void lay_out_tables(void *traces, rm2i_arena *a) {
    rm2i_traces *t = traces;
    const rm2_manifold *m = t->manifold;
    t->table = rm2i_reserve(a, double *, m->count);
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        size_t size = is_part(t, f) && has_table(f) ? rm2i_spd_trace_table_size(f->n) : 0;
        double *table = rm2i_reserve(a, double, size);
        if (t->table)
            t->table[i] = size ? table : NULL;
    }
}

/* The table of factor i, through Sigma = P P^T on its coordinates. */
static void fill_table(const rm2i_traces *t, size_t i, double *Sigma) {
    const rm2_factor *f = &t->manifold->factors[i];
    int dim = (int)f->dim, all = (int)t->manifold->dim;
    const double *Pt = t->Pt + f->dim_offset;
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, dim, dim, all, 1, Pt, all, Pt, all, 0,
               Sigma, dim);
    rm2i_spd_trace_table(f->n, Sigma, t->table[i]);
}

static rm2_status fill_tables(rm2_context *ctx, const rm2i_traces *t) {
    for (size_t i = 0; i < t->manifold->count; i++) {
        double *Sigma;
        if (!t->table[i])
            continue;
        size_t dim = t->manifold->factors[i].dim;
        RM2_TRY(rm2i_alloc(ctx, dim, dim * sizeof *Sigma, &Sigma));
        fill_table(t, i, Sigma);
        free(Sigma);
    }
    return RM2_OK;
}

rm2_status rm2i_traces_create(rm2_context *ctx, const rm2_manifold *manifold, size_t from,
                              size_t to, const double *Pt, rm2i_traces **traces) {
    rm2i_traces *t;
    *traces = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *t, &t));
    *t = (rm2i_traces){.manifold = manifold, .from = from, .to = to, .Pt = Pt};
    rm2_status status = rm2i_arena_alloc(ctx, lay_out_tables, t, &t->memory);
    if (status == RM2_OK)
        status = fill_tables(ctx, t);
    if (status != RM2_OK) {
        rm2i_traces_free(t);
        return status;
    }
    *traces = t;
    return RM2_OK;
}

void rm2i_traces_free(rm2i_traces *traces) {
    if (!traces)
        return;
    free(traces->memory);
    free(traces);
}

/* ---- by the calls that every geometry has --------------------------------------------------- */

typedef struct plain_scratch {
    double *GW;                 /* count x dim: also with derivatives of G */
    double *value, *derivative; /* of squared norms: rows of Pt, times directions */
    double *work;               /* of the geometry */
} plain_scratch;

static void lay_out_plain(plain_scratch *s, const rm2i_traces *t, const rm2_factor *f, size_t count,
                          size_t directions, rm2i_arena *a) {
    s->GW = rm2i_reserve(a, double, count, f->dim);
    s->value = rm2i_reserve(a, double, t->manifold->dim);
    s->derivative = rm2i_reserve(a, double, t->manifold->dim, directions);
    s->work = rm2i_reserve(a, double, rm2i_factor_work(f));
}

/* slope[d][k][l] += w_k^T dG[z_d] w_l */
static rm2_status plain_slopes(const rm2_factor *f, const rm2i_jet_query *q, size_t i,
                               const plain_scratch *s) {
    size_t count = q->count;
    const double *c = q->c + i * q->stride, *W = q->W + i * count * q->stride;
    for (size_t d = 0; d < q->directions; d++) {
        const double *z = q->Z + (i * q->directions + d) * q->stride;
        double *slope = q->slope + (i * q->directions + d) * count * count;
        for (size_t k = 0; k < count; k++) {
            double *out = s->GW + k * f->dim;
            const rm2_product_query one = {1, W + k * q->stride, out, f->dim};
            RM2_TRY(f->geometry->metric_derivative(f->n, c, z, &one, s->work));
            for (size_t l = 0; l < count; l++)
                slope[l * count + k] += rm2i_dot(f->dim, W + l * q->stride, out);
        }
    }
    return RM2_OK;
}

/* Squared norms of the rows of Pt, and slopes, summed. */
static rm2_status plain_trace(const rm2i_traces *t, const rm2_factor *f, const rm2i_jet_query *q,
                              size_t i, const plain_scratch *s) {
    size_t rows = t->manifold->dim, directions = q->directions;
    const rm2_norms_query norms = {.count = rows,
                                   .W = t->Pt + f->dim_offset,
                                   .directions = directions,
                                   .Z = directions ? q->Z + i * directions * q->stride : NULL,
                                   .stride = rows,
                                   .sum = true,
                                   .value = s->value,
                                   .derivative = s->derivative};
    memset(s->value, 0, rows * sizeof *s->value);
    memset(s->derivative, 0, rows * directions * sizeof *s->derivative);
    RM2_TRY(rm2i_factor_norms(f, q->c + i * q->stride, &norms, s->work));
    for (size_t k = 0; k < rows; k++) {
        q->trace[i] += s->value[k];
        for (size_t d = 0; d < directions; d++)
            q->trace_slope[i * directions + d] += s->derivative[k * directions + d];
    }
    return RM2_OK;
}

/* inner[k][l] += w_k^T G w_l */
static rm2_status plain_inner(const rm2_factor *f, const rm2i_jet_query *q, size_t i,
                              const plain_scratch *s) {
    size_t count = q->count;
    const double *c = q->c + i * q->stride, *W = q->W + i * count * q->stride;
    for (size_t k = 0; k < count; k++) {
        const rm2_product_query one = {1, W + k * q->stride, s->GW, f->dim};
        RM2_TRY(f->geometry->metric(f->n, c, &one, s->work));
        for (size_t l = 0; l < count; l++)
            q->inner[(i * count + k) * count + l] += rm2i_dot(f->dim, W + l * q->stride, s->GW);
    }
    return RM2_OK;
}

static rm2_status plain_products(const rm2_factor *f, const rm2i_jet_query *q, size_t i,
                                 const plain_scratch *s) {
    size_t at = i * q->count * q->stride;
    const rm2_product_query products = {q->count, q->W + at, q->GW + at, q->stride};
    RM2_TRY(f->geometry->metric(f->n, q->c + i * q->stride, &products, s->work));
    return plain_slopes(f, q, i, s);
}

static rm2_status plain_jets(const rm2i_traces *t, const rm2_factor *f, const rm2i_jet_query *q,
                             double *work) {
    plain_scratch s;
    lay_out_plain(&s, t, f, q->count, q->directions, &(rm2i_arena){work, 0});
    for (size_t i = 0; i < q->points; i++) {
        RM2_TRY(q->GW ? plain_products(f, q, i, &s) : plain_inner(f, q, i, &s));
        if (q->trace)
            RM2_TRY(plain_trace(t, f, q, i, &s));
    }
    return RM2_OK;
}

/* ---- all factors ---------------------------------------------------------------------------- */

size_t rm2i_jets_work(const rm2i_traces *t, size_t points, size_t count, size_t directions) {
    size_t most = 0;
    for (size_t i = 0; i < t->manifold->count; i++) {
        const rm2_factor *f = &t->manifold->factors[i];
        rm2i_arena a = {NULL, 0};
        if (has_table(f))
            (void)rm2i_reserve(&a, double, rm2i_spd_jets_work(f->n, points, count, directions));
        else
            lay_out_plain(&(plain_scratch){0}, t, f, count, directions, &a);
        most = a.used > most ? a.used : most;
    }
    return most;
}

/* The coordinates of one factor. */
static rm2i_jet_query query_of(const rm2_factor *f, const rm2i_jet_query *q) {
    rm2i_jet_query own = *q;
    size_t at = f->dim_offset;
    own.c += at;
    own.W += at;
    own.Z = q->directions ? q->Z + at : NULL;
    own.GW = q->GW ? q->GW + at : NULL;
    return own;
}

static void clear_rows(size_t rows, size_t stride, size_t width, double *x) {
    for (size_t k = 0; k < rows && x; k++)
        memset(x + k * stride, 0, width * sizeof *x);
}

rm2_status rm2i_jets(const rm2i_traces *t, const rm2i_jet_query *q, double *work) {
    size_t slopes = q->points * q->directions;
    if (!q->GW)
        memset(q->inner, 0, q->points * q->count * q->count * sizeof *q->inner);
    if (slopes)
        memset(q->slope, 0, slopes * q->count * q->count * sizeof *q->slope);
    if (q->trace)
        memset(q->trace, 0, q->points * sizeof *q->trace);
    if (q->trace && slopes)
        memset(q->trace_slope, 0, slopes * sizeof *q->trace_slope);
    for (size_t i = 0; i < t->manifold->count; i++) {
        const rm2_factor *f = &t->manifold->factors[i];
        rm2i_jet_query own = query_of(f, q);
        if (!is_part(t, f))
            clear_rows(q->points * q->count, q->stride, f->dim, own.GW);
        else
            RM2_TRY(t->table[i] ? rm2i_spd_jets(f->n, t->table[i], &own, work)
                                : plain_jets(t, f, &own, work));
    }
    return RM2_OK;
}
