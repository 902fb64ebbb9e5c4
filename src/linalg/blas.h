/* The rule behind rm2_blas_check, apart from the machine it runs on. */
#ifndef RM2I_BLAS_H
#define RM2I_BLAS_H

#include <stdbool.h>

typedef struct rm2i_cpu {
    bool avx2_fma; /* AVX2 and FMA */
    bool avx512;   /* AVX-512 F, DQ, BW, VL, CD: what the SkylakeX kernels use */
} rm2i_cpu;

/* The core whose kernels this processor can run, if `core` leaves AVX unused; else NULL. */
const char *rm2i_blas_better_core(const char *core, rm2i_cpu cpu);

#endif
