/* Derivatives of a function of kernel matrices, from K_bar = df/dK. With v_q = (x_i - z_j)_q/l_q and
 * w = K_bar a, as dk/dx_q = -a v_q/l_q = -dk/dz_q and dk/dl_q = a v_q^2/l_q,
 *   x_bar_iq -= sum_j w v_q/l_q,   z_bar_jq += sum_i w v_q/l_q,   l_bar_q += sum_ij w v_q^2/l_q
 *   s_bar += sum_ij K_bar k/s
 * in blocks of a few rows: sums that are not along a row are kept a column each until its end. */
#include <string.h>

#include <omp.h>

#include "kernel/latent.h"
#include "kernel/latent_shape.h"
#include "linalg/dense.h"

enum { ROWS = RM2I_LATENT_ROWS, COLUMNS = RM2I_LATENT_COLUMNS };

/* Where the sums go: rows x Q, columns x Q, Q and one number. */
typedef struct bars {
    double *x, *z, *lengthscale, *variance;
} bars;

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

/* Rows of K and K_bar are `stride` apart, those of w COLUMNS. Returns the sum of K_bar k. */
RM2I_INLINED double weigh(const rm2i_latent_kernel *k, size_t rows, const double *x, size_t columns,
                          const double *z, size_t stride, const double *K, const double *K_bar,
                          double *w) {
    double scale[COLUMNS] = {0};
    if (k->kind != RM2_LATENT_SE)
        rm2i_latent_distances(k, rows, x, columns, z, COLUMNS, w);
    for (size_t i = 0; i < rows; i++, K += stride, K_bar += stride, w += COLUMNS)
        switch (k->kind) {
        case RM2_LATENT_SE:
            weight_row(RM2_LATENT_SE, columns, K, K_bar, w, scale);
            break;
        case RM2_LATENT_MATERN32:
            weight_row(RM2_LATENT_MATERN32, columns, K, K_bar, w, scale);
            break;
        case RM2_LATENT_MATERN52:
            weight_row(RM2_LATENT_MATERN52, columns, K, K_bar, w, scale);
            break;
        }
    return fold(scale);
}

/* Coordinate q; where a weight is zero the difference may be infinite, and does not count. */
RM2I_INLINED void coordinate(const rm2i_latent_kernel *k, size_t q, size_t rows, const double *x,
                             size_t columns, const double *z, const double *w, bars out) {
    double column[COLUMNS], v[COLUMNS], column_bar[COLUMNS] = {0}, spread[COLUMNS] = {0};
    double inverse = 1 / k->lengthscale[q];
    rm2i_latent_gather(k->dim, q, columns, z, column);
    for (size_t i = 0; i < rows; i++, w += COLUMNS) {
        double at = x[i * k->dim + q];
        for (size_t j = 0; j < columns; j++) {
            v[j] = rm2i_zero_unless(w[j] != 0, (at - column[j]) * inverse);
            column_bar[j] += w[j] * v[j];
            spread[j] += w[j] * v[j] * v[j];
        }
        out.x[i * k->dim + q] -= rm2i_dot(columns, w, v) * inverse;
    }
    for (size_t j = 0; j < columns; j++)
        out.z[j * k->dim + q] += column_bar[j] * inverse;
    out.lengthscale[q] += fold(spread) * inverse;
}

/* At most ROWS rows; those of K and K_bar are `stride` apart. */
RM2I_AVX2_CLONES static void block(const rm2i_latent_kernel *k, size_t rows, const double *x,
                                   size_t columns, const double *z, size_t stride, const double *K,
                                   const double *K_bar, bars out) {
    double w[ROWS * COLUMNS];
    for (size_t first = 0; first < columns; first += COLUMNS) {
        size_t count = columns - first < COLUMNS ? columns - first : COLUMNS;
        const double *part = z + first * k->dim;
        *out.variance +=
            weigh(k, rows, x, count, part, stride, K + first, K_bar + first, w) / k->variance;
        for (size_t q = 0; q < k->dim; q++)
            coordinate(k, q, rows, x, count, part, w, out);
        out.z += COLUMNS * k->dim;
    }
}

void rm2i_latent_rows_backward(const rm2i_latent_kernel *k, size_t n, const double *X, size_t r,
                               const double *Z, const double *K, const double *K_bar, double *X_bar,
                               double *Z_bar, double *lengthscale_bar, double *variance_bar) {
    for (size_t first = 0; first < n; first += ROWS) {
        bars out = {X_bar + first * k->dim, Z_bar, lengthscale_bar, variance_bar};
        block(k, n - first < ROWS ? n - first : ROWS, X + first * k->dim, r, Z, r, K + first * r,
              K_bar + first * r, out);
    }
}

size_t rm2i_latent_backward_work(const rm2i_latent_kernel *k, size_t n, int threads) {
    return (size_t)threads * (n * k->dim + k->dim + 1);
}

/* Rows from `first` on, of the lower triangle: half of the derivative, as K_bar is symmetric. What is
 * left of the diagonal is a block, the triangle with half of the diagonal another one. */
static void triangle_rows(const rm2i_latent_kernel *k, size_t n, size_t first, const double *X,
                          const double *K, const double *K_bar, double *own) {
    size_t Q = k->dim, rows = n - first < ROWS ? n - first : ROWS;
    const double *x = X + first * Q, *left = K + first * n, *left_bar = K_bar + first * n;
    double square[ROWS * ROWS] = {0}, square_bar[ROWS * ROWS] = {0};
    for (size_t i = 0; i < rows; i++) {
        memcpy(square + i * ROWS, left + i * n + first, (i + 1) * sizeof *square);
        memcpy(square_bar + i * ROWS, left_bar + i * n + first, (i + 1) * sizeof *square);
        square_bar[i * ROWS + i] *= 0.5;
    }
    bars out = {own + first * Q, own, own + n * Q, own + n * Q + Q};
    block(k, rows, x, first, X, n, left, left_bar, out);
    out.z = out.x;
    block(k, rows, x, rows, x, ROWS, square, square_bar, out);
}

void rm2i_latent_gram_backward(const rm2i_latent_kernel *k, size_t n, const double *X,
                               const double *K, const double *K_bar, int threads, double *work,
                               double *X_bar, double *lengthscale_bar, double *variance_bar) {
    size_t part = n * k->dim + k->dim + 1;
    int used = n > 64 ? threads : 1;
    memset(work, 0, (size_t)used * part * sizeof *work);
#pragma omp parallel num_threads(used) if (used > 1)
    {
        double *own = work + (size_t)omp_get_thread_num() * part;
#pragma omp for schedule(static, 1)
        for (size_t first = 0; first < n; first += ROWS)
            triangle_rows(k, n, first, X, K, K_bar, own);
    }
    for (int t = 0; t < used; t++) { /* fixed order: the same threads give the same bits */
        const double *own = work + (size_t)t * part, *own_l = own + n * k->dim;
        rm2i_axpy(n * k->dim, 2, own, X_bar);
        rm2i_axpy(k->dim, 2, own_l, lengthscale_bar);
        *variance_bar += 2 * own_l[k->dim];
    }
}
