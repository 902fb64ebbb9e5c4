/* Cholesky factors of band matrices, column by column (outer products): once column j of L is known, the
 * columns it reaches lose l l^T. Every loop is a vector operation on contiguous numbers, without a sum
 * that waits for the one before. The band does not fill. */
#include "linalg/band.h"

#include <math.h>

#include "base/clones.h"
#include "linalg/dense.h"

/* Entries of column j below the diagonal. */
static size_t below(size_t n, size_t reach, size_t j) {
    return n - 1 - j < reach ? n - 1 - j : reach;
}

RM2I_AVX2_CLONES
static bool factor(size_t n, size_t reach, double *A) {
    for (size_t j = 0; j < n; j++) {
        double *column = A + rm2i_band_index(reach, j, j);
        size_t rows = below(n, reach, j);
        if (!(column[0] > 0 && isfinite(column[0])))
            return false;
        column[0] = sqrt(column[0]);
        double inverse = 1 / column[0];
        for (size_t k = 1; k <= rows; k++)
            column[k] *= inverse;
        for (size_t k = 1; k <= rows; k++) /* A(i, j + k) -= L(i, j) L(j + k, j), i = j + k... */
            rm2i_axpy(rows - k + 1, -column[k], column + k, column + k * (reach + 1));
    }
    return true;
}

bool rm2i_band_cholesky(size_t n, size_t reach, double *A) {
    return factor(n, reach, A);
}

void rm2i_band_solve(size_t n, size_t reach, const double *L, double *b) {
    for (size_t j = 0; j < n; j++) {
        const double *column = L + rm2i_band_index(reach, j, j);
        b[j] /= column[0];
        rm2i_axpy(below(n, reach, j), -b[j], column + 1, b + j + 1);
    }
    for (size_t j = n; j-- > 0;) {
        const double *column = L + rm2i_band_index(reach, j, j);
        b[j] = (b[j] - rm2i_dot(below(n, reach, j), column + 1, b + j + 1)) / column[0];
    }
}

double rm2i_band_form(size_t n, size_t reach, const double *A, const double *y) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        const double *column = A + rm2i_band_index(reach, j, j);
        double under = rm2i_dot(below(n, reach, j), column + 1, y + j + 1);
        sum += y[j] * (2 * under + column[0] * y[j]);
    }
    return sum;
}
