/* Derivatives of a function of kernel matrices, from K_bar = df/dK. With v_q = (x_i - z_j)_q/l_q and
 * w = K_bar a, as dk/dx_q = -a v_q/l_q = -dk/dz_q and dk/dl_q = a v_q^2/l_q,
 *   x_bar_iq -= sum_j w v_q/l_q,   z_bar_jq += sum_i w v_q/l_q,   l_bar_q += sum_ij w v_q^2/l_q
 *   s_bar += sum_ij K_bar k/s
 * where k is the radial part, which is K unless there is a linear one; of that
 *   x_bar_i += w sum_j K_bar z_j,   z_bar_j += w sum_i K_bar x_i,   w_bar += sum_ij K_bar (1 + x_i.z_j)
 * in blocks of a few rows: sums that are not along a row are kept a column each until its end. */
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "kernel/latent.h"
#include "kernel/latent_shape.h"
#include "linalg/dense.h"

enum { ROWS = RM2I_LATENT_ROWS, COLUMNS = RM2I_LATENT_COLUMNS };

/* Where the sums go: rows x Q, columns x Q, Q and one number each. */
typedef struct bars {
    double *x, *z, *lengthscale, *variance, *linear;
} bars;

/* A part of the kernel matrix. */
typedef struct part {
    size_t rows, columns;
    const double *x, *z, *K, *K_bar;
    size_t stride, K_stride; /* between rows of K_bar, of K */
} part;

/* Columns `first` to `first + count`. */
RM2I_INLINED part columns_of(const rm2i_latent_kernel *k, part p, size_t first, size_t count) {
    p.columns = count;
    p.z += first * k->dim;
    p.K += first;
    p.K_bar += first;
    return p;
}

/* Sum of COLUMNS numbers, by halves; they are lost. */
RM2I_INLINED double fold(double *x) {
    for (size_t half = COLUMNS / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            x[j] += x[j + half];
    return x[0];
}

/* w: from rho^2 (not read for SE) to K_bar a; K_bar k is added to `scale`. */
RM2I_INLINED void weight_row(rm2_latent_kind kind, size_t count, const double *restrict K,
                             const double *restrict K_bar, double *restrict w,
                             double *restrict scale) {
    for (size_t j = 0; j < count; j++) {
        scale[j] += K_bar[j] * K[j];
        w[j] = K_bar[j] * (kind == RM2_LATENT_SE ? K[j] : rm2i_latent_radial(kind, w[j], K[j]));
    }
}

/* Rows of w are COLUMNS apart. Returns the sum of K_bar k. */
RM2I_INLINED double weigh(const rm2i_latent_kernel *k, part p, double *w) {
    double scale[COLUMNS] = {0};
    if (k->kind != RM2_LATENT_SE)
        rm2i_latent_distances(k, p.rows, p.x, p.columns, p.z, COLUMNS, w);
    for (size_t i = 0; i < p.rows; i++, p.K += p.K_stride, p.K_bar += p.stride, w += COLUMNS)
        switch (k->kind) {
        case RM2_LATENT_SE:
            weight_row(RM2_LATENT_SE, p.columns, p.K, p.K_bar, w, scale);
            break;
        case RM2_LATENT_MATERN32:
            weight_row(RM2_LATENT_MATERN32, p.columns, p.K, p.K_bar, w, scale);
            break;
        case RM2_LATENT_MATERN52:
            weight_row(RM2_LATENT_MATERN52, p.columns, p.K, p.K_bar, w, scale);
            break;
        case RM2_LATENT_LINEAR:
            memset(w, 0, p.columns * sizeof *w);
            break;
        }
    return fold(scale);
}

/* The radial part of K alone, computed again: in a difference of K and the linear part it would lose
 * digits. Rows are COLUMNS apart. */
RM2I_INLINED void radial_part(const rm2i_latent_kernel *k, part p, double *radial) {
    rm2i_latent_distances(k, p.rows, p.x, p.columns, p.z, COLUMNS, radial);
    for (size_t i = 0; i < p.rows; i++)
        for (size_t j = i * COLUMNS; j < i * COLUMNS + p.columns; j++)
            radial[j] = k->variance * rm2i_latent_shape_at(k->kind, radial[j]).k;
}

/* Derivatives of the linear part. */
RM2I_INLINED void linear_part(const rm2i_latent_kernel *k, part p, bars out) {
    size_t Q = k->dim;
    for (size_t i = 0; i < p.rows; i++) {
        const double *K_bar = p.K_bar + i * p.stride, *x = p.x + i * Q;
        double sum = 0;
        for (size_t j = 0; j < p.columns; j++)
            sum += K_bar[j];
        *out.linear += sum;
        for (size_t q = 0; q < Q; q++) {
            double along = 0;
            for (size_t j = 0; j < p.columns; j++) {
                along += K_bar[j] * p.z[j * Q + q];
                out.z[j * Q + q] += k->linear * K_bar[j] * x[q];
            }
            out.x[i * Q + q] += k->linear * along;
            *out.linear += along * x[q];
        }
    }
}

/* Coordinate q; where a weight is zero the difference may be infinite, and does not count. */
RM2I_INLINED void coordinate(const rm2i_latent_kernel *k, size_t q, part p, const double *w,
                             bars out) {
    double column[COLUMNS], v[COLUMNS], column_bar[COLUMNS] = {0}, spread[COLUMNS] = {0};
    double inverse = 1 / k->lengthscale[q];
    rm2i_latent_gather(k->dim, q, p.columns, p.z, column);
    for (size_t i = 0; i < p.rows; i++, w += COLUMNS) {
        double at = p.x[i * k->dim + q];
        for (size_t j = 0; j < p.columns; j++) {
            v[j] = rm2i_zero_unless(w[j] != 0, (at - column[j]) * inverse);
            column_bar[j] += w[j] * v[j];
            spread[j] += w[j] * v[j] * v[j];
        }
        out.x[i * k->dim + q] -= rm2i_dot(p.columns, w, v) * inverse;
    }
    for (size_t j = 0; j < p.columns; j++)
        out.z[j * k->dim + q] += column_bar[j] * inverse;
    out.lengthscale[q] += fold(spread) * inverse;
}

/* At most ROWS rows. */
RM2I_AVX2_CLONES static void block(const rm2i_latent_kernel *k, part p, bars out) {
    double w[ROWS * COLUMNS], radial[ROWS * COLUMNS];
    for (size_t first = 0; first < p.columns; first += COLUMNS) {
        size_t left = p.columns - first;
        part some = columns_of(k, p, first, left < COLUMNS ? left : COLUMNS);
        if (k->linear > 0) {
            linear_part(k, some, out);
            radial_part(k, some, radial);
            some.K = radial;
            some.K_stride = COLUMNS;
        }
        *out.variance += weigh(k, some, w) / (k->variance > 0 ? k->variance : 1);
        for (size_t q = 0; q < k->dim; q++)
            coordinate(k, q, some, w, out);
        out.z += COLUMNS * k->dim;
    }
}

void rm2i_latent_rows_backward(const rm2i_latent_kernel *k, const rm2i_latent_adjoint *a) {
    for (size_t first = 0; first < a->n; first += ROWS) {
        size_t left = a->n - first, at = first * a->r;
        part rows = {left < ROWS ? left : ROWS,
                     a->r,
                     a->X + first * k->dim,
                     a->Z,
                     a->K + at,
                     a->K_bar + at,
                     a->r,
                     a->r};
        block(k, rows,
              (bars){a->X_bar + first * k->dim, a->Z_bar, a->lengthscale_bar, a->variance_bar,
                     a->linear_bar});
    }
}

/* ---- Gram matrices -------------------------------------------------------------------------- */

/* Blocks of ROWS rows are dealt to PARTS parts, each with sums of its own. */
enum { PARTS = 8, MOST_ROWS_ALONE = 64 };

/* A part's own sums: x and z are the same points. */
static void lay_out_sums(bars *sums, size_t Q, size_t n, rm2i_arena *a) {
    sums->x = sums->z = rm2i_reserve(a, double, n, Q);
    sums->lengthscale = rm2i_reserve(a, double, Q);
    sums->variance = rm2i_reserve(a, double, 1);
    sums->linear = rm2i_reserve(a, double, 1);
}

static size_t sums_size(size_t Q, size_t n) {
    rm2i_arena a = {NULL, 0};
    bars sums;
    lay_out_sums(&sums, Q, n, &a);
    return a.used;
}

static size_t parts_of(size_t n) {
    return n > MOST_ROWS_ALONE ? PARTS : 1;
}

size_t rm2i_latent_backward_work(size_t Q, size_t n) {
    return parts_of(n) * sums_size(Q, n);
}

/* Rows from `first` on, of the lower triangle: half of the derivative, as K_bar is symmetric. The
 * part left of the diagonal is a block, the triangle with half of the diagonal another one. */
static void triangle_rows(const rm2i_latent_kernel *k, const rm2i_latent_adjoint *a, size_t first,
                          bars sums) {
    size_t n = a->n, Q = k->dim, rows = n - first < ROWS ? n - first : ROWS;
    const double *x = a->X + first * Q, *left = a->K + first * n, *left_bar = a->K_bar + first * n;
    double square[ROWS * ROWS] = {0}, square_bar[ROWS * ROWS] = {0};
    for (size_t i = 0; i < rows; i++) {
        memcpy(square + i * ROWS, left + i * n + first, (i + 1) * sizeof *square);
        memcpy(square_bar + i * ROWS, left_bar + i * n + first, (i + 1) * sizeof *square);
        square_bar[i * ROWS + i] *= 0.5;
    }
    sums.x += first * Q;
    block(k, (part){rows, first, x, a->X, left, left_bar, n, n}, sums);
    sums.z = sums.x;
    block(k, (part){rows, rows, x, x, square, square_bar, ROWS, ROWS}, sums);
}

typedef struct gram_job {
    const rm2i_latent_kernel *k;
    const rm2i_latent_adjoint *a;
    double *work;
    size_t parts, size;
} gram_job;

static bars sums_of_part(const gram_job *g, size_t p) {
    bars own;
    lay_out_sums(&own, g->k->dim, g->a->n, &(rm2i_arena){g->work, p * g->size});
    return own;
}

static void gram_part(void *gram, size_t p, size_t worker) {
    (void)worker;
    const gram_job *g = gram;
    memset(g->work + p * g->size, 0, g->size * sizeof *g->work);
    for (size_t first = p * ROWS; first < g->a->n; first += g->parts * ROWS)
        triangle_rows(g->k, g->a, first, sums_of_part(g, p));
}

void rm2i_latent_gram_backward(rm2_context *ctx, const rm2i_latent_kernel *k,
                               const rm2i_latent_adjoint *a, double *work) {
    size_t Q = k->dim, n = a->n;
    gram_job g = {k, a, work, parts_of(n), sums_size(Q, n)};
    rm2i_parallel(ctx, g.parts, gram_part, &g);
    for (size_t p = 0; p < g.parts; p++) { /* in a fixed order */
        bars own = sums_of_part(&g, p);
        rm2i_axpy(n * Q, 2, own.x, a->X_bar);
        rm2i_axpy(Q, 2, own.lengthscale, a->lengthscale_bar);
        *a->variance_bar += 2 * *own.variance;
        if (k->linear > 0)
            *a->linear_bar += 2 * *own.linear;
    }
}
