/* Internal side of the base layer: failing with a message, logging, progress, checked allocation. */
#ifndef RM2I_BASE_H
#define RM2I_BASE_H

#include <stdarg.h>

#include "front/base.h"
#include "riemann2/base.h"

/* Store the message of a failure in the context (NULL is allowed). */
void rm2i_message(rm2_context *ctx, const char *format, ...) RM2_PRINTF(2, 3);

/* Store the message, with the value of the status: rm2i_fail(ctx, status, format, ...). A macro, so
 * that static analysis knows that a failure is not RM2_OK. */
#define rm2i_fail(ctx, status, ...) (rm2i_message((ctx), __VA_ARGS__), (rm2_status)(status))

/* Put "text: " in front of the stored message, to say where a failure came up; returns status. */
rm2_status rm2i_fail_prefix(rm2_context *ctx, rm2_status status, const char *format, ...)
    RM2_PRINTF(3, 4);

void rm2i_log(rm2_context *ctx, rm2_log_level level, const char *format, ...) RM2_PRINTF(3, 4);

/* A context for one of several threads that work for `parent`: a message and a number of threads of
 * its own, the interrupt flag and the progress of the parent, which must live longer. */
rm2_status rm2i_context_child(rm2_context *parent, int threads, rm2_context **child);

/* ---- progress ------------------------------------------------------------------------------- */

/* Should the call end? Long loops ask now and then, on any thread; on the thread that made the call
 * this reports the progress where the last report is old. */
bool rm2i_interrupted(rm2_context *ctx);

/* Between the two, a call reports as `name` (a literal) with `total` parts, 0: unknown. A call inside
 * another one reports nothing, nor does one with a child context. End it also after a failure. */
void rm2i_activity_begin(rm2_context *ctx, const char *name, size_t total);
void rm2i_activity_end(rm2_context *ctx);
/* `count` more parts are done; on any thread. */
void rm2i_activity_advance(rm2_context *ctx, size_t parts);
/* A row of the iteration table, with its number of iterations. */
void rm2i_activity_row(rm2_context *ctx, size_t done, const void *row);

/* ---- memory --------------------------------------------------------------------------------- */

/* Geometries registered in a context: kept here, understood by the manifold layer. NULL past the
 * last one. */
struct rm2_geometry;
rm2_status rm2i_context_add_geometry(rm2_context *ctx, const struct rm2_geometry *geometry);
const struct rm2_geometry *rm2i_context_geometry(const rm2_context *ctx, size_t index);
/* The same for formats of named arrays, understood by the array layer. */
struct rm2_archive_format;
rm2_status rm2i_context_add_format(rm2_context *ctx, const struct rm2_archive_format *format);
const struct rm2_archive_format *rm2i_context_format(const rm2_context *ctx, size_t index);

/* count * size bytes, overflow checked; *out is NULL on failure, and never NULL on success.
 * rm2i_calloc clears the memory; rm2i_grow keeps the old contents (and the old block if it fails).
 */
rm2_status rm2i_alloc(rm2_context *ctx, size_t count, size_t size, void *out);
rm2_status rm2i_calloc(rm2_context *ctx, size_t count, size_t size, void *out);
rm2_status rm2i_grow(rm2_context *ctx, size_t count, size_t size, void *inout);

/* A copy of a string. */
rm2_status rm2i_strdup(rm2_context *ctx, const char *text, char **out);

/* A hash that bytes are mixed into (FNV-1a), for fingerprints. */
#define RM2I_HASH_START UINT64_C(14695981039346656037)
void rm2i_hash(uint64_t *hash, const void *bytes, size_t size);

/* Settings of a caller, whose struct begins with its size and may be an earlier, shorter version: copy
 * them over the defaults in `own`, which begins with the size that this library knows. NULL: the defaults
 * stay. RM2_ERR_ARGUMENT for a size that no version has. */
rm2_status rm2i_settings_overlay(rm2_context *ctx, const void *given, void *own);
/* Has a struct of the caller the size `known`, or that of an earlier version? NULL has. */
rm2_status rm2i_check_size(rm2_context *ctx, const void *given, size_t known);
/* The way back: as much of `own` as the caller's struct has room for; checks its size as above. */
rm2_status rm2i_settings_give(rm2_context *ctx, const void *own, void *given);

/* Results for a caller, whose structs begin with their size, too, and may be shorter: copy as much of each of the n
 * structs in `own`, of the size `known`, as there is room for. The first of the caller's has the size of all. NULL: none
 * are wanted. Check the size before computing. */
void rm2i_results_give(size_t n, const void *own, size_t known, void *given);

/* Run the expression; on failure hand its status to the caller. For functions that own nothing. */
#define RM2_TRY(expression)                                                                        \
    do {                                                                                           \
        rm2_status rm2_try_status_ = (expression);                                                 \
        if (rm2_try_status_ != RM2_OK)                                                             \
            return rm2_try_status_;                                                                \
    } while (0)

/* At the start of a public function: RM2_ERR_ARGUMENT unless there are a context and the arguments named, six at
 * most, looked at one after the other: RM2_REQUIRE(ctx, heat, heat->values). Arrays of n numbers are required
 * if n > 0. */
#define RM2_REQUIRE(ctx, ...)                                                                      \
    do {                                                                                           \
        if (!(ctx))                                                                                \
            return RM2_ERR_ARGUMENT;                                                               \
        RM2_REQUIRE_EACH(ctx, __VA_ARGS__);                                                        \
    } while (0)
/* The same where the context is for messages only and may be NULL. */
#define RM2_REQUIRE_EACH(ctx, ...)                                                                 \
    do {                                                                                           \
        RM2I_REQUIRE_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)(ctx, __VA_ARGS__)                        \
    } while (0)
#define RM2I_REQUIRE_OF(a, b, c, d, e, f, count, ...) RM2I_REQUIRE_NAMED(count)
#define RM2I_REQUIRE_NAMED(count)                     RM2I_REQUIRE_##count
#define RM2I_REQUIRE_1(ctx, a)                                                                     \
    if (!(a))                                                                                      \
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "argument '%s' is NULL", #a);
#define RM2I_REQUIRE_2(ctx, a, ...) RM2I_REQUIRE_1(ctx, a) RM2I_REQUIRE_1(ctx, __VA_ARGS__)
#define RM2I_REQUIRE_3(ctx, a, ...) RM2I_REQUIRE_1(ctx, a) RM2I_REQUIRE_2(ctx, __VA_ARGS__)
#define RM2I_REQUIRE_4(ctx, a, ...) RM2I_REQUIRE_1(ctx, a) RM2I_REQUIRE_3(ctx, __VA_ARGS__)
#define RM2I_REQUIRE_5(ctx, a, ...) RM2I_REQUIRE_1(ctx, a) RM2I_REQUIRE_4(ctx, __VA_ARGS__)
#define RM2I_REQUIRE_6(ctx, a, ...) RM2I_REQUIRE_1(ctx, a) RM2I_REQUIRE_5(ctx, __VA_ARGS__)

/* One point of a batch: `work` is the calling thread's own scratch. */
typedef rm2_status (*rm2i_point_fn)(const void *job, size_t i, double *work);

/* Run fn for i = 0..n-1 on the context's threads, each with `work_size` doubles of scratch
 * (allocated once). Stops early on a failure or an interrupt and returns the status; *failed
 * is then the smallest index that failed. fn may return RM2_INTERRUPTED itself. */
rm2_status rm2i_batch(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed);
/* The same where each i is work enough for a thread of its own (pairs of trajectories): on all
 * threads however few there are, the interrupt looked at before each. */
rm2_status rm2i_jobs(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                     const void *job, size_t *failed);

#endif
