/* Status codes, context, progress and random numbers: the basis of all other headers.
 *
 * Every function that can fail returns an rm2_status and takes an rm2_context first. The context
 * keeps the text of the last failure (with file, row, column and value in it), the number of
 * threads, the random generator, the log sink, the progress callback and the interrupt flag.
 *
 * Threads. The library has no global mutable state: two threads that use two contexts share nothing
 * except the objects that both read. A context is used by one thread at a time; only
 * rm2_context_interrupt may be called on it from elsewhere. Several threads may read an object that
 * calls take as `const` at once, each with its own context. The log sink and the progress callback
 * run on the thread that made the call. Costs and metrics of your own (metric.h) are called on
 * several threads at once.
 *
 * Only OpenBLAS has process-wide state. The library calls it with one thread. The OpenMP build of
 * OpenBLAS needs no setting, and the library does not change the setting of the process. Other
 * builds have one number of threads per process (rm2_blas_set_threads, OPENBLAS_NUM_THREADS), which
 * should be 1.
 *
 * A context has threads of its own, which start when a call first needs them, sleep between calls
 * and end with the context; OMP_NUM_THREADS and OMP_WAIT_POLICY have no effect on them. A call
 * proceeds with the threads that get a processor: if other programs occupy the processors, it
 * continues alone. Inside a parallel region of OpenMP, a call uses the calling thread alone. After
 * a fork, a context starts its threads anew. Results do not depend on the number of threads, except
 * for the last digits of metrics, whose points are divided into as many blocks as the context has
 * threads.
 *
 * Names. rm2_X_create makes an X from arguments, rm2_X_read from a file, rm2_X_from_Y from
 * something else; rm2_X_info_of, rm2_X_result_of and rm2_X_settings_of return the contents of an X
 * in a struct that lives as long as the X; rm2_X_count and rm2_X_at go through a list; rm2_X_text
 * and rm2_X_name are texts. Only streams are opened (`open`).
 *
 * Structs. Structs that may grow begin with `size`, the size that the struct had when the caller
 * was compiled. Settings get it from the function that fills them with defaults
 * (rm2_..._settings_default, rm2_fit_settings_recipe); all others get it from an initialiser, as in
 * rm2_fidelity f = {.size = sizeof f}. The library reads and writes no more than that: later
 * versions add members at the end, and programs need not be compiled again. If a call fills an
 * array of structs, the `size` of the first one counts for all. A size that no version has, such as
 * 0, is RM2_ERR_ARGUMENT. Structs that the library allocates grow at their end; other structs, and
 * those in arrays of the library, do not change. If settings are NULL, the defaults are used.
 *
 * Memory. rm2_X_free(x) frees an object that the library made, rm2_X_clear(&x) empties a struct of
 * the caller that the library filled, and rm2_free frees an array that the library returned; NULL
 * and empty structs are allowed.
 *
 * Arguments. If a required pointer is NULL, also the context, a function returns RM2_ERR_ARGUMENT;
 * functions without a status return 0, NaN, NULL or "". Functions with more than four parameters
 * document each one: shapes are given as in "n x Q" (C order), and a pointer may be NULL only if
 * its description says so. */
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

/* The version of the project: packages and pages take it from here. */
#define RM2_VERSION_MAJOR 0
#define RM2_VERSION_MINOR 1
#define RM2_VERSION_PATCH 0

/* Version of the library that is linked, such as "0.1.0". */
RM2_API const char *rm2_version(void);

/* All status codes: name, value, default text. */
#define RM2_STATUS_LIST(X)                                                                         \
    X(RM2_OK, 0, "success")                                                                        \
    X(RM2_ERR_ARGUMENT, 1, "invalid argument")                                                     \
    X(RM2_ERR_MEMORY, 2, "out of memory")                                                          \
    X(RM2_ERR_IO, 3, "cannot read or write a file")                                                \
    X(RM2_ERR_FORMAT, 4, "file is not in the expected format")                                     \
    X(RM2_ERR_DATA, 5, "data do not fit the manifold or the settings")                             \
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

/* Create a context: one per thread of the caller. On failure *ctx is NULL. */
RM2_API rm2_status rm2_context_create(rm2_context **ctx);
RM2_API void rm2_context_free(rm2_context *ctx);

/* Free an array that a call of the library returned; NULL is allowed. */
RM2_API void rm2_free(void *block);

/* Text of the last failure, one line without newline; "" before the first failure. */
RM2_API const char *rm2_context_error(const rm2_context *ctx);

/* Store a message, one line without newline (cut after 1023 bytes), and return `status`. Functions
 * that the library calls, and libraries on top of it, report errors in this way. A NULL context
 * stores nothing. */
RM2_API rm2_status rm2_context_fail(rm2_context *ctx, rm2_status status, const char *format, ...)
    RM2_PRINTF(3, 4);

/* Set the number of threads of a call, the calling one included; 0 means all processors (the
 * default). At most 256 are used. */
RM2_API void rm2_context_set_threads(rm2_context *ctx, int threads);
RM2_API int rm2_context_threads(const rm2_context *ctx);

typedef enum rm2_log_level { RM2_LOG_DEBUG, RM2_LOG_INFO, RM2_LOG_WARNING } rm2_log_level;
typedef void (*rm2_log_fn)(void *user, rm2_log_level level, const char *line);

/* Set the receiver of messages; without a sink they are dropped. */
RM2_API void rm2_context_set_log(rm2_context *ctx, rm2_log_fn sink, void *user);

/* ---- progress and interrupts ---------------------------------------------------------------- */

/* Set a flag that ends the running call soon, and later ones when they begin, until it is cleared;
 * safe in a signal handler and from any thread. An interrupted call returns RM2_INTERRUPTED and no
 * result: objects are NULL, and the contents of result arrays and structs are unspecified. rm2_fit
 * is the one exception: if interrupted while it trains, it returns RM2_OK and the model trained so
 * far, whose stop reason is RM2_STOP_INTERRUPTED. */
RM2_API void rm2_context_interrupt(rm2_context *ctx);
RM2_API void rm2_context_clear_interrupt(rm2_context *ctx);

/* Progress of a long call. */
typedef struct rm2_progress {
    /* The activity, and the unit of `done`: "fit" (iterations), "encode" (points), "distances" and
     * "geodesics" (pairs), "geodesic" (stages, of each leg), "mean" (geodesics or searches),
     * "roadmap" (nodes), "permutations". */
    const char *activity;
    size_t done, total; /* total 0: unknown */
    double seconds;     /* since the call began */
    /* Details of the latest part, as the header that declares the call describes them ("fit":
     * rm2_fit_progress); or NULL. */
    const void *row;
} rm2_progress;

/* Callback for progress. Return false to stop the call, as rm2_context_interrupt does; a call whose
 * work is already complete still succeeds. The callback must not call the library with this
 * context. */
typedef bool (*rm2_progress_fn)(void *user, const rm2_progress *progress);

/* Set the receiver of progress reports of long calls (NULL: none). It is called when a call begins,
 * when a part is done, and about ten times per second in between, always on the thread that made
 * the call and never twice at a time. A call inside another one counts as a part of that one. */
RM2_API void rm2_context_set_progress(rm2_context *ctx, rm2_progress_fn progress, void *user);

/* ---- texts and random numbers ---------------------------------------------------------------- */

/* Number of bytes of the well-formed UTF-8 character at the start of a text of `size` bytes, if the
 * character can be shown. The result is 0 if the text does not start with such a character, and for
 * control characters (U+0000 to U+001F, U+007F to U+009F), line and paragraph separators, and marks
 * that change the direction of the text around them (U+061C, U+200E, U+200F, U+202A to U+202E,
 * U+2066 to U+2069). */
RM2_API size_t rm2_utf8_printable(const char *text, size_t size);

/* State of the generator xoshiro256++ (Blackman and Vigna, 2019): 256 bits of plain data, which you
 * may copy. If the generator is NULL, the numbers are NaN. */
typedef struct rm2_rng {
    uint64_t state[4];
    double spare; /* second normal of a pair, if has_spare */
    bool has_spare;
} rm2_rng;

RM2_API double rm2_rng_uniform(rm2_rng *rng); /* in (0, 1) */
RM2_API double rm2_rng_normal(rm2_rng *rng);  /* N(0, 1) */

/* Seed the random numbers of a context; the seed is 0 at the start. */
RM2_API void rm2_context_set_seed(rm2_context *ctx, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
