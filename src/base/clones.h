/* Functions for more than one kind of processor. */
#ifndef RM2I_CLONES_H
#define RM2I_CLONES_H

/* Compiled once more for processors with AVX2, chosen when the program is loaded; without fused
 * multiply-add, so that both give the same bits. For static functions only: the choice of others is an
 * exported symbol. Sanitizers cannot run that early. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RM2I_AVX2_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RM2I_AVX2_CLONES
#endif

#endif
