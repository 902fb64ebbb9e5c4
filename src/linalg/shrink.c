/* Shrinkage towards a multiple of the identity, and the test for singular matrices. */
#include "linalg/shrink.h"

#include <float.h>

#include "linalg/dense.h"

static const double ROUNDINGS = 16;

void rm2i_shrink(size_t n, double a, double *A) {
    double trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += A[i * n + i];
    for (size_t i = 0; i < n * n; i++)
        A[i] *= 1 - a;
    for (size_t i = 0; i < n; i++)
        A[i * n + i] += a * trace / (double)n;
}

size_t rm2i_singular_work(size_t n) {
    return 2 * n * n;
}

bool rm2i_singular(size_t n, const double *A, double *work) {
    double *C = work, *L = work + n * n, trace = 0;
    for (size_t i = 0; i < n; i++)
        if (!(A[i * n + i] > 0))
            return true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) /* C = D^-1/2 A D^-1/2 */
            C[i * n + j] = A[i * n + j] / sqrt(A[i * n + i]) / sqrt(A[j * n + j]);
    if (rm2i_cholesky(n, C, L) != RM2_OK)
        return true;
    rm2i_lower_inverse(n, L, C);
    for (size_t i = 0; i < n; i++) /* tr(C^-1) = |L^-1|^2 */
        trace += rm2i_dot(i + 1, C + i * n, C + i * n);
    return !(trace * ROUNDINGS * (double)(n * n) * DBL_EPSILON < 1);
}
