/* Which columns of K and V a block of rows has, and sums in the orders of two sides. */
#include "gp/inducing_sides.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

/* In lengthscales; exp(-7.5^2/2) is 6e-13. With the latents of a training and sets for accuracies of 1e-3 and 1e-6 the
 * value changes by 1e-8 of 4e5, the gradient by 2e-10 and 3e-9 of its length. */
static const double REACH = 7.5;
/* The least extent of the inducing points, in units of REACH: at 1.5 a fifth of the
 * products is saved where points are even. */
static const double EXTENT = 1.5;

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- sides ---------------------------------------------------------------------------------- */

void rm2i_sides_whole(rm2i_inducing *in) {
    in->whole = (rm2i_side){.Z = in->Z, .L = in->L, .u = in->u, .P = in->B, .H = in->U};
    in->side = &in->whole;
    in->sides = 1;
}

/* The coordinate along which Z extends over most lengthscales; *extent is their number. */
static size_t longest_axis(const rm2i_inducing *in, const rm2i_latent_kernel *k, double *extent) {
    size_t axis = 0;
    *extent = 0;
    for (size_t q = 0; q < in->Q; q++) {
        double least = in->Z[q], most = in->Z[q];
        for (size_t j = 1; j < in->r; j++) {
            least = fmin(least, in->Z[j * in->Q + q]);
            most = fmax(most, in->Z[j * in->Q + q]);
        }
        double length = (most - least) / k->lengthscale[q];
        if (length > *extent) {
            axis = q;
            *extent = length;
        }
    }
    return axis;
}

/* Coordinates z, r of them `stride` apart, in ascending order; equal ones as they are numbered. */
static void sort(size_t r, const double *z, size_t stride, size_t *order) {
    for (size_t j = 0; j < r; j++) {
        size_t k = j;
        for (; k > 0 && z[order[k - 1] * stride] > z[j * stride]; k--)
            order[k] = order[k - 1];
        order[k] = j;
    }
}

static void reverse(size_t r, const size_t *order, size_t *reversed) {
    for (size_t k = 0; k < r; k++)
        reversed[k] = order[r - 1 - k];
}

static void place_inputs(const rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                         const rm2i_side *s, bool descending) {
    for (size_t k = 0; k < in->r; k++) {
        const double *z = in->Z + s->order[k] * in->Q;
        double at = z[in->axis] / kernel->lengthscale[in->axis];
        s->at[k] = descending ? -at : at;
        memcpy(s->Z + k * in->Q, z, in->Q * sizeof *z);
    }
}

/* Rows of Lu in the order of the side are Ls T^T: no digits are lost where Kuu is nearly singular, as there would be
 * with another Cholesky factor. */
static void turn_factor(const rm2i_inducing *in, const rm2i_side *s) {
    size_t r = in->r;
    memset(s->turn, 0, r * r * sizeof *s->turn);
    for (size_t k = 0; k < r; k++) {
        size_t j = s->order[k];
        memcpy(s->turn + k * r, in->L + j * r, (j + 1) * sizeof *s->turn);
    }
    rm2i_lq(r, s->turn, s->L, s->A);
}

typedef struct side_job {
    rm2i_inducing *in;
    const rm2i_latent_kernel *kernel;
} side_job;

static void make_side(void *job, size_t number, size_t worker) {
    (void)worker;
    const side_job *j = job;
    const rm2i_side *s = &j->in->near[number];
    place_inputs(j->in, j->kernel, s, number == 1);
    turn_factor(j->in, s);
}

static void make_sides(rm2i_inducing *in, const rm2i_latent_kernel *kernel) {
    sort(in->r, in->Z + in->axis, in->Q, in->near[0].order);
    reverse(in->r, in->near[0].order, in->near[1].order);
    rm2i_parallel(in->ctx, RM2I_SIDES, make_side, &(side_job){in, kernel});
}

void rm2i_sides_choose(const rm2i_row_pass *pass) {
    rm2i_inducing *in = pass->in;
    const rm2i_latent_kernel *k = pass->kernel;
    double extent = 0;
    rm2i_sides_whole(in);
    if (!in->local || k->kind != RM2_LATENT_SE || k->linear > 0)
        return;
    in->axis = longest_axis(in, k, &extent);
    if (!(extent > EXTENT * REACH))
        return;
    make_sides(in, k);
    in->side = in->near;
    in->sides = RM2I_SIDES;
    rm2i_inducing_arrange(pass);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Of an ascending list, how many are below a limit. */
static size_t below(size_t r, const double *at, double limit) {
    size_t first = 0, end = r;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (at[middle] < limit)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Columns for rows between two places in the order of a side; at least one. */
static void set_columns(rm2i_row_block *b, const rm2i_side *s, size_t r, double least,
                        double most) {
    b->begin = smaller(below(r, s->at, least - REACH), r - 1);
    b->columns = below(r, s->at, most + REACH) - b->begin;
    if (b->columns < 1 || b->columns > r)
        b->columns = 1;
    b->beyond = r - b->begin;
    b->side = s;
}

static void choose_columns(rm2i_row_block *b, const rm2i_row_pass *pass) {
    const rm2i_inducing *in = pass->in;
    double least = INFINITY, most = -INFINITY, unit = pass->kernel->lengthscale[in->axis];
    rm2i_row_block other = *b;
    for (size_t i = 0; i < b->count; i++) {
        double at = b->X[i * in->Q + in->axis] / unit;
        least = fmin(least, at);
        most = fmax(most, at);
    }
    set_columns(b, &in->side[0], in->r, least, most);
    set_columns(&other, &in->side[1], in->r, -most, -least);
    other.number = 1;
    if (other.begin > b->begin)
        *b = other;
}

rm2i_row_block rm2i_block_of(const rm2i_row_pass *pass, size_t first, size_t count,
                             const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    size_t Q = in->Q;
    rm2i_row_block b = {.first = first,
                        .count = count,
                        .X = pass->X + first * Q,
                        .side = in->side,
                        .columns = in->r,
                        .beyond = in->r};
    if (in->sides == 1)
        return b;
    for (size_t i = 0; i < count; i++)
        memcpy(own->X + i * Q, pass->X + in->row[first + i] * Q, Q * sizeof *own->X);
    b.X = own->X;
    choose_columns(&b, pass);
    return b;
}

const double *rm2i_block_outputs(const rm2i_row_pass *pass, const rm2i_row_block *b,
                                 const rm2i_part *own, size_t *stride) {
    const rm2i_inducing *in = pass->in;
    *stride = in->N;
    if (in->sides == 1)
        return pass->F + b->first;
    *stride = b->count;
    for (size_t m = 0; m < in->M; m++)
        for (size_t i = 0; i < b->count; i++)
            own->F[m * b->count + i] = pass->F[m * in->N + in->row[b->first + i]];
    return own->F;
}

double *rm2i_block_bars(const rm2i_row_pass *pass, const rm2i_row_block *b, const rm2i_part *own) {
    if (pass->in->sides == 1)
        return pass->X_bar + b->first * pass->in->Q;
    memset(own->X_bar, 0, b->count * pass->in->Q * sizeof *own->X_bar);
    return own->X_bar;
}

void rm2i_block_add_bars(const rm2i_row_pass *pass, const rm2i_row_block *b, const double *bars) {
    const rm2i_inducing *in = pass->in;
    for (size_t i = 0; in->sides > 1 && i < b->count; i++)
        rm2i_axpy(in->Q, 1, bars + i * in->Q, pass->X_bar + in->row[b->first + i] * in->Q);
}

/* ---- sums of the sides ---------------------------------------------------------------------- */

enum { PART_ROWS = 64 }; /* of A, for one thread */

/* As T^T, in place of Ps. */
static void turn_columns(void *inducing, size_t number, size_t worker) {
    (void)worker;
    const rm2i_inducing *in = inducing;
    const rm2i_side *s = &in->side[number];
    int R = (int)in->r;
    rm2i_dsymm(CblasRowMajor, CblasLeft, CblasLower, R, R, 1, s->A, R, s->turn, R, 0, s->P, R);
}

/* Rows of A = sum of T (As T^T). */
static void turn_rows(void *inducing, size_t part, size_t worker) {
    (void)worker;
    const rm2i_inducing *in = inducing;
    size_t first = part * PART_ROWS, count = smaller(PART_ROWS, in->r - first);
    int R = (int)in->r;
    for (size_t k = 0; k < in->sides; k++)
        rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)count, R, R, 1,
                   in->side[k].turn + first, R, in->side[k].P, R, k > 0, in->A + first * in->r, R);
}

void rm2i_sides_join(rm2i_inducing *in, const double *sums) {
    size_t r = in->r, M = in->M;
    const double *VF = sums + in->sides * rm2i_triangle(r);
    in->trace = VF[in->sides * M * r];
    if (in->sides == 1) {
        rm2i_unpack_triangle(r, sums, in->A);
        memcpy(in->U, VF, M * r * sizeof *in->U);
        return;
    }
    for (size_t k = 0; k < in->sides; k++) {
        rm2i_unpack_triangle(r, sums + k * rm2i_triangle(r), in->side[k].A);
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)r, (int)r, 1,
                   VF + k * M * r, (int)r, in->side[k].turn, (int)r, k > 0, in->U, (int)r);
    }
    rm2i_parallel(in->ctx, in->sides, turn_columns, in);
    rm2i_parallel(in->ctx, (r + PART_ROWS - 1) / PART_ROWS, turn_rows, in);
}

void rm2i_sides_turn_means(rm2i_inducing *in) {
    int M = (int)in->M, R = (int)in->r;
    for (size_t k = 0; in->sides > 1 && k < in->sides; k++)
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, R, R, 1, in->u, R, in->side[k].turn,
                   R, 0, in->side[k].u, R);
}

/* Columns of an n x r matrix in the order of a side. */
static void order_columns(const rm2i_side *s, size_t n, size_t r, const double *from, double *to) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < r; k++)
            to[i * r + k] = from[i * r + s->order[k]];
}

static void turn_derivatives(void *inducing, size_t number, size_t worker) {
    (void)worker;
    const rm2i_inducing *in = inducing;
    const rm2i_side *s = &in->side[number];
    int R = (int)in->r;
    order_columns(s, in->M, in->r, in->U, s->H);
    order_columns(s, in->r, in->r, in->B, s->A);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, R, R, R, 1, s->turn, R, s->A, R, 0, s->P,
               R);
}

void rm2i_sides_turn_derivatives(rm2i_inducing *in) {
    if (in->sides > 1)
        rm2i_parallel(in->ctx, in->sides, turn_derivatives, in);
}

double *rm2i_sides_join_inputs(rm2i_inducing *in, double *Z_bar) {
    size_t r = in->r, Q = in->Q;
    if (in->sides == 1)
        return Z_bar;
    memset(in->joined, 0, r * Q * sizeof *in->joined);
    for (size_t k = 0; k < in->sides; k++)
        for (size_t j = 0; j < r; j++)
            rm2i_axpy(Q, 1, Z_bar + (k * r + j) * Q, in->joined + in->side[k].order[j] * Q);
    return in->joined;
}
