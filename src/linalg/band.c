/* Cholesky factors of band matrices, by rows: L(i, j) = (A(i, j) - sum_k L(i, k) L(j, k)) / L(j, j),
 * where k runs over the columns that both rows have. The band does not fill. */
#include "linalg/band.h"

#include <math.h>

#include "linalg/clones.h"
#include "linalg/dense.h"

static size_t first_column(size_t reach, size_t i) {
    return i > reach ? i - reach : 0;
}

RM2I_AVX2_CLONES
static bool factor(size_t n, size_t reach, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = first_column(reach, i); j <= i; j++) {
            size_t k = first_column(reach, i), ij = rm2i_band_index(reach, i, j);
            double rest = A[ij] - rm2i_dot(j - k, A + rm2i_band_index(reach, i, k),
                                           A + rm2i_band_index(reach, j, k));
            if (j < i)
                A[ij] = rest / A[rm2i_band_index(reach, j, j)];
            else if (rest > 0 && isfinite(rest))
                A[ij] = sqrt(rest);
            else
                return false;
        }
    return true;
}

bool rm2i_band_cholesky(size_t n, size_t reach, double *A) {
    return factor(n, reach, A);
}

void rm2i_band_solve(size_t n, size_t reach, const double *L, double *b) {
    for (size_t i = 0; i < n; i++) {
        size_t k = first_column(reach, i);
        b[i] -= rm2i_dot(i - k, L + rm2i_band_index(reach, i, k), b + k);
        b[i] /= L[rm2i_band_index(reach, i, i)];
    }
    for (size_t i = n; i-- > 0;) {
        size_t k = first_column(reach, i);
        b[i] /= L[rm2i_band_index(reach, i, i)];
        rm2i_axpy(i - k, -b[i], L + rm2i_band_index(reach, i, k), b + k);
    }
}

double rm2i_band_form(size_t n, size_t reach, const double *A, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = first_column(reach, i);
        double left = rm2i_dot(i - k, A + rm2i_band_index(reach, i, k), y + k);
        sum += y[i] * (2 * left + A[rm2i_band_index(reach, i, i)] * y[i]);
    }
    return sum;
}
