/* Loops over LANES points side by side: the innermost index is the point, so that every operation is
 * the same on all of them and the compiler turns it into vector instructions. */
#ifndef RM2I_LANES_H
#define RM2I_LANES_H

enum { LANES = 16 };

#define FOR_LANES(i) for (int i = 0; i < LANES; i++)

/* Compiled once more for processors with AVX2, chosen when the program is loaded; without fused
 * multiply-add, so that both give the same bits. For static functions only: the choice of others is an
 * exported symbol. Sanitizers cannot run that early. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define RM2I_LANES_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RM2I_LANES_CLONES
#endif

#endif
