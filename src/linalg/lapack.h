/* LAPACK's functions in Fortran, which OpenBLAS contains, on the calling thread alone (serial.h).
 *
 * Matrices are by columns, `stride` apart: a lower triangle by rows is an upper one by columns. Names and order of the
 * arguments are LAPACK's. Each returns LAPACK's info: 0 if all went well. Fortran takes addresses, and the lengths of
 * texts behind all other arguments. */
#ifndef RM2I_LAPACK_H
#define RM2I_LAPACK_H

#include <stddef.h>

#include "linalg/serial.h"

_Static_assert(sizeof(blasint) == sizeof(int), "OpenBLAS with integers of another size");

void dpotrf_(const char *uplo, const int *n, double *A, const int *stride, int *info, size_t);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *A, const int *stride,
             int *info, size_t, size_t);
void dgeqrf_(const int *m, const int *n, double *A, const int *stride, double *tau, double *work,
             const int *lwork, int *info);
void dgeqr2_(const int *m, const int *n, double *A, const int *stride, double *tau, double *work,
             int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *A, const int *stride,
             const double *tau, double *work, const int *lwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *A, const int *stride,
             double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info,
             size_t, size_t);
void dsyevr_(const char *jobz, const char *range, const char *uplo, const int *n, double *A,
             const int *stride, const double *vl, const double *vu, const int *il, const int *iu,
             const double *abstol, int *m, double *w, double *Z, const int *z_stride, int *isuppz,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
             size_t, size_t);

/* A = U^T U, in the upper triangle. */
static inline int rm2i_dpotrf(int n, double *A, int stride) {
    int info = 0;
    RM2I_ONE_THREAD(dpotrf_("U", &n, A, &stride, &info, 1));
    return info;
}

/* Inverse of a lower triangle. */
static inline int rm2i_dtrtri(int n, double *A, int stride) {
    int info = 0;
    RM2I_ONE_THREAD(dtrtri_("L", "N", &n, A, &stride, &info, 1, 1));
    return info;
}

/* Scratch memory of a call; `integers` only where it takes some. */
typedef struct rm2i_lapack_work {
    double *doubles;
    int *integers;
    int double_count,
        integer_count; /* -1: dsyevr writes the counts that it needs into the first entries */
} rm2i_lapack_work;

/* A = Q R for a square matrix: R in the upper triangle, reflectors below it. */
static inline int rm2i_dgeqrf(int n, double *A, double *tau, const rm2i_lapack_work *work) {
    int info = 0;
    RM2I_ONE_THREAD(dgeqrf_(&n, &n, A, &n, tau, work->doubles, &work->double_count, &info));
    return info;
}

/* The same for m x n, column by column; work has n doubles. */
static inline int rm2i_dgeqr2(int m, int n, double *A, double *tau, double *work) {
    int info = 0;
    RM2I_ONE_THREAD(dgeqr2_(&m, &n, A, &m, tau, work, &info));
    return info;
}

/* Q of a square matrix from its reflectors. */
static inline int rm2i_dorgqr(int n, double *A, const double *tau, const rm2i_lapack_work *work) {
    int info = 0;
    RM2I_ONE_THREAD(dorgqr_(&n, &n, &n, A, &n, tau, work->doubles, &work->double_count, &info));
    return info;
}

/* All eigenvalues, rising, of the upper triangle; A becomes their vectors, by columns. */
static inline int rm2i_dsyevd(int n, double *A, double *values, const rm2i_lapack_work *work) {
    int info = 0;
    RM2I_ONE_THREAD(dsyevd_("V", "U", &n, A, &n, values, work->doubles, &work->double_count,
                            work->integers, &work->integer_count, &info, 1, 1));
    return info;
}

/* The `count` largest eigenvalues, rising, of a lower triangle, and their vectors, by columns. */
typedef struct rm2i_largest_eigen {
    int n, count, found;
    double *A;                /* destroyed */
    double *values, *vectors; /* n, of which `found` are set; n x count */
    int *support;             /* 2 n */
    rm2i_lapack_work work;
} rm2i_largest_eigen;

static inline int rm2i_dsyevr(rm2i_largest_eigen *e) {
    int info = 0, from = e->n - e->count + 1;
    double none = 0;
    RM2I_ONE_THREAD(dsyevr_("V", "I", "L", &e->n, e->A, &e->n, &none, &none, &from, &e->n, &none,
                            &e->found, e->values, e->vectors, &e->n, e->support, e->work.doubles,
                            &e->work.double_count, e->work.integers, &e->work.integer_count, &info,
                            1, 1, 1));
    return info;
}

#endif
