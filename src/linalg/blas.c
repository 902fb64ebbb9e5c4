/* Detects OpenBLAS kernels that are too old for the processor. */
#include "linalg/blas.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cblas.h>

#include "base/base.h"
#include "riemann2/blas.h"

/* OpenBLAS's x86-64 kernels that use no AVX. */
static const char *const before_avx[] = {
    "Prescott", "Core2",      "Penryn",       "Dunnington", "Nehalem", "Atom",
    "Athlon",   "Opteron",    "Opteron_SSE3", "Barcelona",  "Bobcat",  "Nano",
    "Katmai",   "Coppermine", "Northwood",    "Banias",     "Generic"};

const char *rm2i_blas_better_core(const char *core, rm2i_cpu cpu) {
    for (size_t i = 0; i < sizeof before_avx / sizeof before_avx[0]; i++)
        if (strcasecmp(core, before_avx[i]) == 0)
            return cpu.avx512 ? "SkylakeX" : cpu.avx2_fma ? "Haswell" : NULL;
    return NULL;
}

static rm2i_cpu this_cpu(void) {
    rm2i_cpu cpu = {false, false};
#if defined(__x86_64__)
    __builtin_cpu_init();
    cpu.avx2_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    cpu.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512cd");
#endif
    return cpu;
}

void rm2_blas_set_threads(int threads) {
    openblas_set_num_threads(threads > 0 ? threads : openblas_get_num_procs());
}

rm2_status rm2_blas_check(rm2_context *ctx, rm2_blas_info *info) {
    rm2_blas_info found = {.config = openblas_get_config(), .core = openblas_get_corename()};
    if (!info)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "argument 'info' is NULL");
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    if (!chosen || !*chosen)
        found.better = rm2i_blas_better_core(found.core, this_cpu());
    if (found.better)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "OpenBLAS runs its %s kernels, which do not use this processor's AVX; start with "
                 "OPENBLAS_CORETYPE=%s for matrix products several times faster",
                 found.core, found.better);
    rm2i_results_give(1, &found, sizeof found, info);
    return RM2_OK;
}
