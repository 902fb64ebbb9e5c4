/* Passes over the rows: each thread adds up units, and the trees of the threads are joined, then those of all rows. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "gp/inducing.h"

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

size_t rm2i_inducing_forward_sums(const rm2i_inducing *in, size_t sides) {
    return sides * (rm2i_triangle(in->r) + in->M * in->r) + 1;
}

size_t rm2i_inducing_backward_sums(const rm2i_inducing *in, size_t sides) {
    return (sides * in->r + 1) * in->Q + 3; /* Z, lengthscales, variance, linear part; |X|^2 */
}

static size_t most_sides(const rm2i_inducing *in) {
    return in->local ? RM2I_SIDES : 1;
}

/* Numbers of the longest pass: A, V F, t; or R^T R; or derivatives. */
static size_t most_sums(const rm2i_inducing *in) {
    size_t sides = most_sides(in);
    return larger(rm2i_inducing_forward_sums(in, sides),
                  larger(rm2i_triangle(in->M), rm2i_inducing_backward_sums(in, sides)));
}

/* Rows of a unit where none are given. */
static size_t even_rows(const rm2i_inducing *in) {
    return (rm2i_unit_rows(in->N) + RM2I_ROWS - 1) / RM2I_ROWS * RM2I_ROWS;
}

static rm2i_rows rows_of(const rm2i_inducing *in) {
    size_t count = (in->N + even_rows(in) - 1) / even_rows(in);
    return in->rows ? *in->rows : (rm2i_rows){.units = count, .all_units = count};
}

/* Where unit u begins; for the one behind the last, N. */
static size_t unit_start(const rm2i_inducing *in, size_t u) {
    size_t even = u * even_rows(in);
    return in->rows ? in->rows->unit[u] : even < in->N ? even : in->N;
}

static void lay_out_part(rm2i_part *p, const rm2i_inducing *in, rm2i_arena *a) {
    size_t r = in->r, moved = in->local ? RM2I_ROWS : 0;
    p->square = rm2i_reserve(a, double, larger(most_sides(in) * r * r, in->M * in->M));
    p->nodes = rm2i_reserve(a, double, rm2i_tree_most(rows_of(in).all_units), most_sums(in));
    p->K = rm2i_reserve(a, double, RM2I_ROWS, r);
    p->V = rm2i_reserve(a, double, in->kept ? 0 : RM2I_ROWS, r);
    p->K_bar = rm2i_reserve(a, double, in->derivatives ? RM2I_ROWS : 0, r);
    p->X = rm2i_reserve(a, double, moved, in->Q);
    p->X_bar = rm2i_reserve(a, double, moved, in->Q);
    p->F = rm2i_reserve(a, double, moved, in->M);
    p->sums = NULL;
}

static rm2i_part part_of(const rm2i_inducing *in, size_t range) {
    rm2i_part part;
    lay_out_part(&part, in, &(rm2i_arena){in->parts, range * in->part});
    return part;
}

size_t rm2i_inducing_part_size(const rm2i_inducing *in) {
    rm2i_arena one = {NULL, 0};
    lay_out_part(&(rm2i_part){0}, in, &one);
    return one.used;
}

/* The lower triangle of a square matrix, packed. */
static void pack_triangle(size_t n, const double *A, double *packed) {
    for (size_t i = 0; i < n; packed += i + 1, i++)
        memcpy(packed, A + i * n, (i + 1) * sizeof *A);
}

void rm2i_unpack_triangle(size_t n, const double *packed, double *A) {
    for (size_t i = 0; i < n; packed += i + 1, i++)
        memcpy(A + i * n, packed, (i + 1) * sizeof *A);
}

/* The sums of unit u, in own->sums. */
static void sum_unit(const rm2i_row_pass *pass, const rm2i_row_sums *sums, size_t u,
                     const rm2i_part *own) {
    size_t end = unit_start(pass->in, u + 1), first = unit_start(pass->in, u);
    size_t block = rm2i_block_rows(end - first), square = sums->order * sums->order;
    memset(own->square, 0, sums->squares * square * sizeof *own->square);
    for (; first < end; first += block)
        sums->fn(pass, first, end - first < block ? end - first : block, own);
    for (size_t k = 0; k < sums->squares; k++)
        pack_triangle(sums->order, own->square + k * square,
                      own->sums + k * rm2i_triangle(sums->order));
}

/* The units from `begin` to `end`. */
static void sum_units(const rm2i_row_pass *pass, const rm2i_row_sums *sums, size_t begin,
                      size_t end, rm2i_part *own, rm2i_tree *tree) {
    size_t offset = rows_of(pass->in).units_before;
    tree->values = own->nodes;
    tree->size = sums->squares * rm2i_triangle(sums->order) + sums->others;
    tree->count = 0;
    for (size_t u = begin; u < end; u++) {
        own->sums = rm2i_tree_leaf(tree, offset + u);
        sum_unit(pass, sums, u, own);
    }
}

typedef struct pass_job {
    const rm2i_row_pass *pass;
    const rm2i_row_sums *sums;
    size_t units, ranges;
} pass_job;

/* A range of the units, with a tree of its own. */
static void sum_range(void *pass_, size_t range, size_t worker) {
    (void)worker;
    const pass_job *p = pass_;
    const rm2i_inducing *in = p->pass->in;
    rm2i_part own = part_of(in, range);
    sum_units(p->pass, p->sums, p->units * range / p->ranges, p->units * (range + 1) / p->ranges,
              &own, &in->trees[range]);
}

double *rm2i_inducing_rows(const rm2i_row_pass *pass, const rm2i_row_sums *sums) {
    const rm2i_inducing *in = pass->in;
    pass_job p = {.pass = pass, .sums = sums, .units = rows_of(in).units};
    p.ranges = p.units < in->workers ? p.units : in->workers;
    rm2i_parallel(in->ctx, p.ranges, sum_range, &p);
    for (size_t t = 1; t < p.ranges; t++)
        rm2i_tree_append(&in->trees[0], &in->trees[t]);
    return rm2i_rows_sum(in->rows, &in->trees[0]);
}

/* ---- order of the rows ---------------------------------------------------------------------- */

enum { BINS = 256 }; /* along the coordinate, for the rows of a unit */

typedef struct arranging {
    const rm2i_row_pass *pass;
    double least, per_bin; /* of the coordinate */
} arranging;

static size_t bin_of(const arranging *a, size_t row) {
    const rm2i_inducing *in = a->pass->in;
    double bin = (a->pass->X[row * in->Q + in->axis] - a->least) / a->per_bin;
    return (size_t)fmin(fmax(bin, 0), BINS - 1); /* also where it is not a number */
}

/* Rows by bin; within a bin as they are. */
static void arrange_unit(void *arranging_, size_t u, size_t worker) {
    (void)worker;
    const arranging *a = arranging_;
    const rm2i_inducing *in = a->pass->in;
    size_t first = unit_start(in, u), end = unit_start(in, u + 1), next[BINS + 1] = {0};
    for (size_t i = first; i < end; i++)
        next[bin_of(a, i) + 1]++;
    for (size_t k = 0; k < BINS; k++)
        next[k + 1] += next[k];
    for (size_t i = first; i < end; i++)
        in->row[first + next[bin_of(a, i)]++] = i;
}

void rm2i_inducing_arrange(const rm2i_row_pass *pass) {
    const rm2i_inducing *in = pass->in;
    const rm2i_side *s = &in->near[0];
    arranging a = {.pass = pass, .least = s->Z[in->axis]};
    a.per_bin = (s->Z[(in->r - 1) * in->Q + in->axis] - a.least) / BINS;
    rm2i_parallel(in->ctx, rows_of(in).units, arrange_unit, &a);
}
