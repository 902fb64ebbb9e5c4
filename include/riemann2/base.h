/* Status codes, context and random numbers: what every other call of the library stands on.
 *
 * Every function that can fail returns an rm2_status and takes an rm2_context first. The context
 * keeps the text of the last failure (with file, row, column and value in it), the number of
 * threads, the random generator, the log sink and the interrupt flag. The library has no global
 * mutable state: two threads that use two contexts never meet. */
#ifndef RIEMANN2_BASE_H
#define RIEMANN2_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RM2_API __attribute__((visibility("default")))
#else
#define RM2_API
#endif

/* The compiler checks the arguments of a format like those of printf. */
#if defined(__GNUC__)
#define RM2_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define RM2_PRINTF(text, first)
#endif

#define RM2_VERSION_MAJOR 0
#define RM2_VERSION_MINOR 1
#define RM2_VERSION_PATCH 0

/* Version of the library that is linked, such as "0.1.0". */
RM2_API const char *rm2_version(void);

/* The one list of codes: name, value, default text. */
#define RM2_STATUS_LIST(X)                                                                         \
    X(RM2_OK, 0, "success")                                                                        \
    X(RM2_ERR_ARGUMENT, 1, "invalid argument")                                                     \
    X(RM2_ERR_MEMORY, 2, "out of memory")                                                          \
    X(RM2_ERR_IO, 3, "cannot read or write a file")                                                \
    X(RM2_ERR_FORMAT, 4, "file is not in the expected format")                                     \
    X(RM2_ERR_DATA, 5, "data do not fit the manifold or the settings")                              \
    X(RM2_ERR_CUT_LOCUS, 6, "logarithm at the cut locus: no unique shortest geodesic")             \
    X(RM2_ERR_DOMAIN, 7, "point is not on the manifold")                                           \
    X(RM2_ERR_NUMERIC, 8, "numerical failure")                                                     \
    X(RM2_ERR_UNSUPPORTED, 9, "operation not supported")                                           \
    X(RM2_INTERRUPTED, 10, "interrupted")

typedef enum rm2_status {
#define RM2_STATUS_ENUM(name, value, text) name = (value),
    RM2_STATUS_LIST(RM2_STATUS_ENUM)
#undef RM2_STATUS_ENUM
} rm2_status;

/* Default text of a status code; never NULL. */
RM2_API const char *rm2_status_text(rm2_status status);

typedef struct rm2_context rm2_context;

/* A context: one per thread of the caller. On failure *ctx is NULL. */
RM2_API rm2_status rm2_context_create(rm2_context **ctx);
RM2_API void rm2_context_free(rm2_context *ctx);

/* Text of the last failure, one line without newline; "" if there was none. */
RM2_API const char *rm2_context_error(const rm2_context *ctx);

/* Store a message, one line without newline (cut after 1023 bytes), and return `status`: how functions that the
 * library calls, and libraries on top of it, report what went wrong. A NULL context stores nothing. */
RM2_API rm2_status rm2_context_fail(rm2_context *ctx, rm2_status status, const char *format, ...)
    RM2_PRINTF(3, 4);

/* Threads of the batched calls; 0 means all processors (the default). */
RM2_API void rm2_context_set_threads(rm2_context *ctx, int threads);
RM2_API int rm2_context_threads(const rm2_context *ctx);

typedef enum rm2_log_level { RM2_LOG_DEBUG, RM2_LOG_INFO, RM2_LOG_WARNING } rm2_log_level;
typedef void (*rm2_log_fn)(void *user, rm2_log_level level, const char *line);

/* Where messages go; without a sink they are dropped. */
RM2_API void rm2_context_set_log(rm2_context *ctx, rm2_log_fn sink, void *user);

/* Ask running calls to stop soon with RM2_INTERRUPTED; safe in a signal handler. */
RM2_API void rm2_context_interrupt(rm2_context *ctx);
RM2_API void rm2_context_clear_interrupt(rm2_context *ctx);

/* xoshiro256++ (Blackman and Vigna, 2019): 256 bits of state, plain data, yours to copy. */
typedef struct rm2_rng {
    uint64_t state[4];
    double spare; /* second normal of a pair, if has_spare */
    bool has_spare;
} rm2_rng;

RM2_API void rm2_rng_seed(rm2_rng *rng, uint64_t seed);
RM2_API uint64_t rm2_rng_next(rm2_rng *rng);
RM2_API double rm2_rng_uniform(rm2_rng *rng); /* in (0, 1) */
RM2_API double rm2_rng_normal(rm2_rng *rng);  /* N(0, 1) */

/* Number of bytes of the well-formed UTF-8 character at the start of a text of `size` bytes; 0 if there is
 * none. */
RM2_API size_t rm2_utf8_length(const char *text, size_t size);

/* The generator of a context; seeded with 0 at the start. */
RM2_API void rm2_context_set_seed(rm2_context *ctx, uint64_t seed);
RM2_API rm2_rng *rm2_context_rng(rm2_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
