/* Kernels that the linear algebra library runs on this processor.
 *
 * OpenBLAS picks its kernels when it is loaded. Releases older than a processor may not know it and
 * fall back to kernels without AVX, about five times slower in matrix products. The choice cannot
 * be changed inside a running process: the program restarts itself once with OPENBLAS_CORETYPE set;
 * a user of the library sets that variable before the process starts. */
#ifndef RIEMANN2_BLAS_H
#define RIEMANN2_BLAS_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_blas_info {
    size_t size;        /* sizeof(rm2_blas_info), set by the caller */
    const char *config; /* version and build of the library */
    const char *core;   /* kernels in use, such as "Haswell" */
    const char *better; /* the right value of OPENBLAS_CORETYPE; NULL if `core` is right */
} rm2_blas_info;

/* Inspect the linear algebra library and the processor, and log a warning to the context's sink if
 * `better` is set. If the environment variable OPENBLAS_CORETYPE is set, that choice is respected:
 * `better` is NULL. */
RM2_API rm2_status rm2_blas_check(rm2_context *ctx, rm2_blas_info *info);

/* Set the number of threads of the linear algebra library for the whole process; 0 means all
 * processors. Calls of this library need 1. With the OpenMP build of OpenBLAS they ensure that
 * themselves: this function is for other builds, and for other users of OpenBLAS in the process. */
RM2_API void rm2_blas_set_threads(int threads);

#ifdef __cplusplus
}
#endif
#endif
