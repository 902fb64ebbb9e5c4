/* Vector loops, products, Cholesky. Every inner loop runs along contiguous rows, so that the
 * compiler vectorises it without reordering sums. */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/serial.h"

enum { SMALL = 48 }; /* up to here loops beat the library's call and thread overhead */

RM2I_AVX2_CLONES static double max_abs_loop(size_t n, const double *x, bool *numbers) {
    double largest = 0;
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        double a = fabs(x[i]);
        largest = a > largest ? a : largest;
        bad |= a != a;
    }
    *numbers = !bad;
    return largest;
}

double rm2i_max_abs(size_t n, const double *x) {
    bool numbers;
    double largest = max_abs_loop(n, x, &numbers);
    return numbers ? largest : INFINITY;
}

double rm2i_scaled_norm(size_t n, const double *x) {
    double scale = rm2i_max_abs(n, x), sum = 0;
    if (scale == 0 || isinf(scale))
        return scale;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] / scale) * (x[i] / scale);
    return scale * sqrt(sum);
}

static void multiply_blas(CBLAS_TRANSPOSE transpose, size_t n, const double *A, const double *B,
                          double *C) {
    int k = (int)n;
    rm2i_dgemm(CblasRowMajor, transpose, CblasNoTrans, k, k, k, 1, A, k, B, k, 0, C, k);
}

/* Four neighbours of a row, wherever they begin. */
typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

/* C = A B with A's entry (i, k) at A[i row + k column]; B and C have rows of `width`. */
typedef struct small_product {
    size_t rows, inner, width;
    const double *A;
    size_t row, column;
    const double *B;
    double *C;
} small_product;

enum {
    TILE = 4
}; /* rows and columns of C that are in registers at once; twice as many columns where there are */

/* Rows i to i + TILE - 1 and columns j to j + 4 fours - 1 of C: each entry adds up as in a plain loop. */
static inline __attribute__((always_inline)) void tile(const small_product *p, size_t i, size_t j,
                                                       size_t fours) {
    four sum[TILE][2] = {{{0}}};
    for (size_t k = 0; k < p->inner; k++)
        for (size_t f = 0; f < fours; f++) {
            four b = *(const four *)(p->B + k * p->width + j + 4 * f);
            for (size_t r = 0; r < TILE; r++)
                sum[r][f] += p->A[(i + r) * p->row + k * p->column] * b;
        }
    for (size_t r = 0; r < TILE; r++)
        for (size_t f = 0; f < fours; f++)
            *(four *)(p->C + (i + r) * p->width + j + 4 * f) = sum[r][f];
}

/* Tiles cover C; the last ones of a row and of a column overlap those before, with the same numbers. */
RM2I_AVX2_CLONES static void multiply_tiles(const small_product *p) {
    size_t wide = p->width >= 2 * TILE ? 2 * TILE : TILE;
    for (size_t i = 0; i < p->rows; i += TILE) {
        size_t row = i + TILE <= p->rows ? i : p->rows - TILE;
        for (size_t j = 0; j < p->width; j += wide) {
            size_t column = j + wide <= p->width ? j : p->width - wide;
            if (wide == TILE)
                tile(p, row, column, 1);
            else
                tile(p, row, column, 2);
        }
    }
}

/* Fewer rows or columns than a tile has. */
RM2I_AVX2_CLONES static void multiply_loops(const small_product *p) {
    memset(p->C, 0, p->rows * p->width * sizeof *p->C);
    for (size_t i = 0; i < p->rows; i++)
        for (size_t k = 0; k < p->inner; k++)
            rm2i_axpy(p->width, p->A[i * p->row + k * p->column], p->B + k * p->width,
                      p->C + i * p->width);
}

static void multiply_small(const small_product *p) {
    if (p->rows >= TILE && p->width >= TILE)
        multiply_tiles(p);
    else
        multiply_loops(p);
}

void rm2i_multiply_rows(size_t rows, size_t inner, size_t width, const double *A, const double *B,
                        double *C) {
    multiply_small(&(small_product){rows, inner, width, A, inner, 1, B, C});
}

void rm2i_multiply(size_t n, const double *A, const double *B, double *C) {
    if (n > SMALL) {
        multiply_blas(CblasNoTrans, n, A, B, C);
        return;
    }
    multiply_small(&(small_product){n, n, n, A, n, 1, B, C});
}

void rm2i_multiply_tn(size_t n, const double *A, const double *B, double *C) {
    if (n > SMALL) {
        multiply_blas(CblasTrans, n, A, B, C);
        return;
    }
    multiply_small(&(small_product){n, n, n, A, 1, n, B, C});
}

void rm2i_transpose(size_t n, const double *A, double *B) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            B[j * n + i] = A[i * n + j];
}

RM2I_AVX2_CLONES static void weighted_gram_loops(size_t n, const double *d, const double *R,
                                                 double *C) {
    memset(C, 0, n * n * sizeof *C);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) /* upper triangle: j >= i */
            rm2i_axpy(n - i, d[k] * R[k * n + i], R + k * n + i, C + i * n + i);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            C[i * n + j] = C[j * n + i];
}

void rm2i_weighted_gram(size_t n, const double *d, const double *R, double *C) {
    weighted_gram_loops(n, d, R, C);
}

void rm2i_symmetrise(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

static rm2_status cholesky_lapack(size_t n, double *L) {
    if (rm2i_dpotrf((int)n, L, (int)n) != 0)
        return RM2_ERR_NUMERIC;
    for (size_t i = 0; i < n; i++) {
        memset(L + i * n + i + 1, 0, (n - i - 1) * sizeof *L);
        if (!isfinite(L[i * n + i])) /* OpenBLAS lets NaN pass */
            return RM2_ERR_NUMERIC;
    }
    return RM2_OK;
}

rm2_status rm2i_cholesky(size_t n, const double *A, double *L) {
    memcpy(L, A, n * n * sizeof *L);
    if (n > SMALL)
        return cholesky_lapack(n, L);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) /* L_ij = (A_ij - sum_k<j L_ik L_jk) / L_jj */
            L[i * n + j] = (L[i * n + j] - rm2i_dot(j, L + i * n, L + j * n)) / L[j * n + j];
        double pivot = L[i * n + i] - rm2i_dot(i, L + i * n, L + i * n);
        if (!(pivot > 0) || isinf(pivot))
            return RM2_ERR_NUMERIC;
        L[i * n + i] = sqrt(pivot);
        memset(L + i * n + i + 1, 0, (n - i - 1) * sizeof *L);
    }
    return RM2_OK;
}

void rm2i_lower_inverse(size_t n, const double *L, double *X) {
    memset(X, 0, n * n * sizeof *X);
    for (size_t i = 0; i < n; i++) { /* row i: (e_i - sum_k<i L_ik X_k) / L_ii */
        double *row = X + i * n;
        row[i] = 1;
        for (size_t k = 0; k < i; k++)
            rm2i_axpy(k + 1, -L[i * n + k], X + k * n, row);
        for (size_t j = 0; j <= i; j++)
            row[j] /= L[i * n + i];
    }
}
