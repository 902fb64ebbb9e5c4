/* BLAS and LAPACK on the calling thread alone.
 *
 * A context says how many threads its calls use, and src/base/pool.h shares work among them in a way that does not
 * wait for a thread that is not running. Threads of the library below would come on top of those and wait for each
 * other. So all of the library calls BLAS by these names and LAPACK by those of lapack.h; work that is large enough for several threads is
 * cut into calls of its own (factor.c). With OpenBLAS's OpenMP build the number is the calling thread's own, and what the
 * caller had set is back after the call; other builds have one number for the process, which rm2_blas_set_threads sets. */
#ifndef RM2I_SERIAL_H
#define RM2I_SERIAL_H

#include <cblas.h>
#include <omp.h>

/* Between the two, BLAS and LAPACK start no threads; `end` takes what `begin` returned. */
static inline int rm2i_one_thread_begin(void) {
    int before = omp_get_max_threads();
    if (before != 1)
        omp_set_num_threads(1); /* of the calling thread; OpenBLAS asks for it at every call */
    return before;
}

static inline void rm2i_one_thread_end(int before) {
    if (before != 1)
        omp_set_num_threads(before);
}

#define RM2I_ONE_THREAD(call)                                                                      \
    do {                                                                                           \
        int rm2i_before_ = rm2i_one_thread_begin();                                                \
        call;                                                                                      \
        rm2i_one_thread_end(rm2i_before_);                                                         \
    } while (0)

#define rm2i_dgemm(...) RM2I_ONE_THREAD(cblas_dgemm(__VA_ARGS__))
#define rm2i_dsymm(...) RM2I_ONE_THREAD(cblas_dsymm(__VA_ARGS__))
#define rm2i_dsyrk(...) RM2I_ONE_THREAD(cblas_dsyrk(__VA_ARGS__))
#define rm2i_dtrsm(...) RM2I_ONE_THREAD(cblas_dtrsm(__VA_ARGS__))
#define rm2i_dtrsv(...) RM2I_ONE_THREAD(cblas_dtrsv(__VA_ARGS__))
#define rm2i_dgemv(...) RM2I_ONE_THREAD(cblas_dgemv(__VA_ARGS__))
#define rm2i_dsymv(...) RM2I_ONE_THREAD(cblas_dsymv(__VA_ARGS__))
#define rm2i_dsyr(...)  RM2I_ONE_THREAD(cblas_dsyr(__VA_ARGS__))
#define rm2i_dsyr2(...) RM2I_ONE_THREAD(cblas_dsyr2(__VA_ARGS__))
#define rm2i_daxpy(...) RM2I_ONE_THREAD(cblas_daxpy(__VA_ARGS__))
#define rm2i_dscal(...) RM2I_ONE_THREAD(cblas_dscal(__VA_ARGS__))

static inline double rm2i_ddot(int n, const double *x, int x_step, const double *y, int y_step) {
    int before = rm2i_one_thread_begin();
    double sum = cblas_ddot(n, x, x_step, y, y_step);
    rm2i_one_thread_end(before);
    return sum;
}

#endif
