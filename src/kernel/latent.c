/* Kernel matrices and derivatives at a point. Loops run along rows: rho^2 first, then the shapes
 * (latent_shape.h) in place, or, with derivatives by x, from the scaled differences
 *   v_q = (x_i - x)_q/l_q,   rho^2 = sum_q v_q^2,   u_q = v_q/l_q,
 * that wait in the rows of the gradient until a and b are known. */
#include "kernel/latent.h"

#include <string.h>

#include "base/pool.h"
#include "kernel/latent_shape.h"

enum { ROWS = RM2I_LATENT_ROWS, COLUMNS = RM2I_LATENT_COLUMNS };
enum { PART_ROWS = 64 }; /* of a Gram matrix, for one thread */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- matrices ------------------------------------------------------------------------------- */

/* row: from rho^2 to k */
RM2I_INLINED void shapes(rm2_latent_kind kind, double variance, size_t count, double *row) {
    for (size_t j = 0; j < count; j++)
        row[j] = variance * rm2i_latent_shape_at(kind, row[j]).k;
}

/* row_j += w (1 + x.z_j) */
RM2I_INLINED void add_linear(const rm2i_latent_kernel *k, const double *x, size_t count,
                             const double *z, double *restrict row) {
    double product[COLUMNS] = {0}, column[COLUMNS];
    for (size_t q = 0; q < k->dim; q++) {
        rm2i_latent_gather(k->dim, q, count, z, column);
        for (size_t j = 0; j < count; j++)
            product[j] += x[q] * column[j];
    }
    for (size_t j = 0; j < count; j++)
        row[j] += k->linear * (1 + product[j]);
}

/* K_ij = k(x_i, z_j); rows of K are `stride` apart. */
RM2I_AVX2_CLONES static void block(const rm2i_latent_kernel *k, size_t rows, const double *x,
                                   size_t columns, const double *z, size_t stride, double *K) {
    for (size_t first = 0; first < columns; first += COLUMNS) {
        size_t count = smaller(COLUMNS, columns - first);
        rm2i_latent_distances(k, rows, x, count, z + first * k->dim, stride, K + first);
        for (size_t i = 0; i < rows; i++) {
            double *row = K + i * stride + first;
            switch (k->kind) {
            case RM2_LATENT_SE:
                shapes(RM2_LATENT_SE, k->variance, count, row);
                break;
            case RM2_LATENT_MATERN32:
                shapes(RM2_LATENT_MATERN32, k->variance, count, row);
                break;
            case RM2_LATENT_MATERN52:
                shapes(RM2_LATENT_MATERN52, k->variance, count, row);
                break;
            case RM2_LATENT_LINEAR:
                memset(row, 0, count * sizeof *row);
                break;
            }
            if (k->linear > 0)
                add_linear(k, x + i * k->dim, count, z + first * k->dim, row);
        }
    }
}

typedef struct gram_job {
    const rm2i_latent_kernel *k;
    size_t n;
    const double *X;
    double *K;
} gram_job;

/* Rows of the lower triangle. */
static void gram_rows(const gram_job *g, size_t first) {
    const rm2i_latent_kernel *k = g->k;
    const double *x = g->X + first * k->dim;
    double *rows = g->K + first * g->n, square[ROWS * ROWS]; /* at the diagonal */
    size_t count = smaller(ROWS, g->n - first);
    block(k, count, x, first, g->X, g->n, rows);
    block(k, count, x, count, x, ROWS, square);
    for (size_t i = 0; i < count; i++) {
        memcpy(rows + i * g->n + first, square + i * ROWS, i * sizeof *rows);
        rows[i * g->n + first + i] = rm2i_latent_variance_at(k, x + i * k->dim);
    }
}

/* The last rows, which are the longest, come first. */
static void gram_part(void *gram, size_t part, size_t worker) {
    (void)worker;
    const gram_job *g = gram;
    size_t parts = (g->n + PART_ROWS - 1) / PART_ROWS, at = (parts - 1 - part) * PART_ROWS;
    for (size_t first = at; first < smaller(at + PART_ROWS, g->n); first += ROWS)
        gram_rows(g, first);
}

void rm2i_latent_gram(rm2_context *ctx, const rm2i_latent_kernel *k, size_t n, const double *X,
                      double *K) {
    gram_job g = {k, n, X, K};
    rm2i_parallel(ctx, (n + PART_ROWS - 1) / PART_ROWS, gram_part, &g);
}

void rm2i_latent_rows(const rm2i_latent_kernel *k, size_t n, const double *X, size_t r,
                      const double *Z, double *K) {
    for (size_t first = 0; first < n; first += ROWS)
        block(k, smaller(ROWS, n - first), X + first * k->dim, r, Z, r, K + first * r);
}

/* ---- at a point ----------------------------------------------------------------------------- */

void rm2i_latent_cross(const rm2i_latent_kernel *k, size_t n, const double *X, const double *x,
                       double *values) {
    block(k, 1, x, n, X, n, values);
}

/* v_q, rows of d, and rho^2 */
RM2I_INLINED void differences(const rm2i_latent_kernel *k, size_t count, const double *X,
                              const double *x, size_t n, double *restrict d,
                              double *restrict rho2) {
    size_t q = 0;
    do {
        double at = x[q], inverse = 1 / k->lengthscale[q];
        for (size_t i = 0; i < count; i++) {
            double v = (X[i * k->dim + q] - at) * inverse; /* rounded as in the Gram matrix */
            d[q * n + i] = v;
            rho2[i] = (q == 0 ? 0 : rho2[i]) + v * v;
        }
    } while (++q < k->dim);
}

/* k, a and, unless NULL, b, with the variance */
RM2I_INLINED void radials(rm2_latent_kind kind, double variance, size_t count,
                          const double *restrict rho2, double *restrict values, double *restrict a,
                          double *restrict b) {
    for (size_t i = 0; i < count; i++) {
        rm2i_latent_shape at = rm2i_latent_shape_at(kind, rho2[i]);
        values[i] = variance * at.k;
        a[i] = variance * at.a;
        if (b)
            b[i] = variance * at.b;
    }
}

/* h_rs = b u_r u_s - a d_rs/l_r^2; where b is zero v may be infinite */
RM2I_INLINED void second_derivatives(const rm2i_latent_kernel *k, size_t count, size_t n,
                                     const double *restrict a, const double *restrict b,
                                     const double *restrict d, double *restrict h) {
    for (size_t r = 0; r < k->dim; r++)
        for (size_t s = r; s < k->dim; s++, h += n) {
            const double *restrict vr = d + r * n, *restrict vs = d + s * n;
            double over = 1 / (k->lengthscale[r] * k->lengthscale[s]), diagonal = r == s ? over : 0;
            for (size_t i = 0; i < count; i++)
                h[i] = rm2i_zero_unless(b[i] != 0, b[i] * vr[i] * vs[i] * over) - a[i] * diagonal;
        }
}

/* dk/dx_q = a u_q */
RM2I_INLINED void first_derivatives(const rm2i_latent_kernel *k, size_t count, size_t n,
                                    const double *restrict a, double *restrict d) {
    for (size_t q = 0; q < k->dim; q++) {
        double inverse = 1 / k->lengthscale[q];
        for (size_t i = 0; i < count; i++)
            d[q * n + i] = rm2i_zero_unless(a[i] != 0, a[i] * d[q * n + i] * inverse);
    }
}

/* `count` of n points and what is computed there; h may be NULL. */
typedef struct cross_part {
    size_t count, n;
    const double *X, *x;
    double *values, *d, *h;
} cross_part;

/* At most COLUMNS of the points. */
RM2I_INLINED void cross_block(rm2_latent_kind kind, const rm2i_latent_kernel *k, cross_part c) {
    double rho2[COLUMNS], a[COLUMNS], b[COLUMNS];
    differences(k, c.count, c.X, c.x, c.n, c.d, rho2);
    if (c.h) {
        radials(kind, k->variance, c.count, rho2, c.values, a, b);
        second_derivatives(k, c.count, c.n, a, b, c.d, c.h);
    } else
        radials(kind, k->variance, c.count, rho2, c.values, a, NULL);
    first_derivatives(k, c.count, c.n, a, c.d);
}

/* The linear part: dk/dx_q += w x_iq; second derivatives have none. */
RM2I_INLINED void add_linear_part(const rm2i_latent_kernel *k, cross_part c) {
    add_linear(k, c.x, c.count, c.X, c.values);
    for (size_t q = 0; q < k->dim; q++)
        for (size_t i = 0; i < c.count; i++)
            c.d[q * c.n + i] += k->linear * c.X[i * k->dim + q];
}

RM2I_AVX2_CLONES static void cross(const rm2i_latent_kernel *k, size_t n, const double *X,
                                   const double *x, double *values, double *d, double *h) {
    for (size_t first = 0; first < n; first += COLUMNS) {
        const cross_part part = {.count = smaller(COLUMNS, n - first),
                                 .n = n,
                                 .X = X + first * k->dim,
                                 .x = x,
                                 .values = values + first,
                                 .d = d + first,
                                 .h = h ? h + first : NULL};
        switch (k->kind) {
        case RM2_LATENT_SE:
            cross_block(RM2_LATENT_SE, k, part);
            break;
        case RM2_LATENT_MATERN32:
            cross_block(RM2_LATENT_MATERN32, k, part);
            break;
        case RM2_LATENT_MATERN52:
            cross_block(RM2_LATENT_MATERN52, k, part);
            break;
        case RM2_LATENT_LINEAR:
            cross_block(RM2_LATENT_LINEAR, k, part);
            break;
        }
        if (k->linear > 0)
            add_linear_part(k, part);
    }
}

void rm2i_latent_cross_gradient(const rm2i_latent_kernel *k, size_t n, const double *X,
                                const double *x, double *values, double *d) {
    cross(k, n, X, x, values, d, NULL);
}

void rm2i_latent_cross_hessian(const rm2i_latent_kernel *k, size_t n, const double *X,
                               const double *x, double *values, double *d, double *h) {
    cross(k, n, X, x, values, d, h);
}

/* p_s = sum_r v_r h_rs; pairs are in the order of the upper triangle. */
RM2I_AVX2_CLONES static void along_once(size_t Q, size_t n, const double *v, const double *h,
                                        double *p) {
    memset(p, 0, Q * n * sizeof *p);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = r; s < Q; s++, h += n)
            for (size_t i = 0; i < n; i++) {
                p[s * n + i] += v[r] * h[i];
                if (r != s)
                    p[r * n + i] += v[s] * h[i];
            }
}

/* pp_ts = u_t p_s - v_t dk_s/l_t^2 - d_ts (sum_r v_r dk_r)/l_s^2, because dk = k u for SE, dk without that
 * of the linear part, w x_i */
RM2I_AVX2_CLONES static void along_twice(const rm2i_latent_kernel *k, size_t n, const double *X,
                                         const double *x, const rm2i_latent_along *along) {
    size_t Q = k->dim;
    const double *v = along->v, *d = along->d, *p = along->p;
    double *pp = along->pp;
    for (size_t t = 0; t < Q; t++)
        for (size_t s = t; s < Q; s++, pp += n) {
            double over = 1 / (k->lengthscale[t] * k->lengthscale[t]), at = x[t], vt = v[t] * over;
            const double *ps = p + s * n, *ds = d + s * n;
            for (size_t i = 0; i < n; i++)
                pp[i] = rm2i_zero_unless(ps[i] != 0, (X[i * Q + t] - at) * over * ps[i]) -
                        vt * (ds[i] - k->linear * X[i * Q + s]);
            for (size_t r = 0; t == s && r < Q; r++)
                for (size_t i = 0; i < n; i++)
                    pp[i] -= v[r] * over * (d[r * n + i] - k->linear * X[i * Q + r]);
        }
}

void rm2i_latent_cross_along(const rm2i_latent_kernel *k, size_t n, const double *X,
                             const double *x, const rm2i_latent_along *along) {
    along_once(k->dim, n, along->v, along->h, along->p);
    along_twice(k, n, X, x, along);
}

void rm2i_latent_derivative_variance(const rm2i_latent_kernel *k, double *diagonal) {
    double a = k->variance * rm2i_latent_shape_at(k->kind, 0).a;
    for (size_t q = 0; q < k->dim; q++)
        diagonal[q] =
            a * (1 / (k->lengthscale[q] * k->lengthscale[q])) + k->linear; /* as in the Hessian */
}
