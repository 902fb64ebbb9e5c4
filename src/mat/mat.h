/* MATLAB files inside libriemann2-mat: a library of its own, on installed headers and libmatio.
 *
 *   library.c  libmatio, loaded in the reading process
 *   read.c     lists the arrays of a file, or sends one of them; runs in the reading process
 *   element.c  is a variable whole; runs there too
 *   process.c  the reading process, its limits, and the pipe to it
 *   mat.c      the format of named arrays; trusts nothing that comes through the pipe
 *
 * Through the pipe come, as uint64_t unless said otherwise, a status and, if it is not RM2_OK, a text; else
 *
 *   list       per array: 1, name (text), refusal (text, empty: none), 1 for texts, dims, shape; then 0
 *   numbers    dims, shape, doubles in C order
 *   texts      count, texts
 *
 * A text is its length and its bytes. The last word is RM2I_MAT_END. */
#ifndef RM2I_MAT_H
#define RM2I_MAT_H

#include <sys/types.h>

#include "riemann2/mat.h"

#define RM2_TRY(call)                                                                              \
    do {                                                                                           \
        rm2_status rm2_try_status_ = (call);                                                       \
        if (rm2_try_status_ != RM2_OK)                                                             \
            return rm2_try_status_;                                                                \
    } while (0)

#define RM2I_MAT_END UINT64_C(0x646e65206c6c6157)
enum { RM2I_MAT_TEXT_MAX = 1 << 16, RM2I_MAT_LIST_MAX = 1 << 16 }; /* bytes of a text; arrays */

/* Numbers, or characters, that a file of this size can hold: deflate packs at most 1032 bytes into one. */
static inline uint64_t rm2i_mat_most(uint64_t file_size) {
    return file_size < UINT64_MAX / 1032 ? file_size * 1032 : UINT64_MAX;
}

/* What the reading process is asked for: the list, or the array with this number in it. */
typedef struct rm2i_mat_request {
    const char *path;
    uint64_t file_size;
    size_t index; /* SIZE_MAX: the list */
} rm2i_mat_request;

/* In the reading process: answer, and return whether all was written. */
bool rm2i_mat_answer(const rm2i_mat_request *request, int out);

/* There, too: is variable `number` of the file there, all of it, and unharmed where that can be told? */
bool rm2i_mat_is_whole(const rm2i_mat_request *request, size_t number);

/* The reading process, seen from the other end. */
typedef struct rm2i_mat_process {
    rm2_context *ctx;
    const char *path;
    int in;
    pid_t id;
    uint64_t seconds; /* of processor time that it may take */
} rm2i_mat_process;

rm2_status rm2i_mat_start(rm2_context *ctx, const rm2i_mat_request *request, rm2i_mat_process *p);
/* Exactly `size` bytes; a failure if the process ended before, which says how. */
rm2_status rm2i_mat_receive(rm2i_mat_process *p, void *bytes, size_t size);
rm2_status rm2i_mat_receive_word(rm2i_mat_process *p, uint64_t *word);
/* End the process, if it has not ended. */
void rm2i_mat_stop(rm2i_mat_process *p);

#endif
