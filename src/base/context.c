/* Context: message of the last failure, log sink, threads, generator, registered geometries and formats. */
#include "base/context.h"
#include "front/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#define RM2_STRING_(x) #x
#define RM2_STRING(x)  RM2_STRING_(x)

const char *rm2_version(void) {
    return RM2_STRING(RM2_VERSION_MAJOR) "." RM2_STRING(RM2_VERSION_MINOR) "." RM2_STRING(
        RM2_VERSION_PATCH);
}

const char *rm2_status_text(rm2_status status) {
    switch (status) {
#define RM2_STATUS_CASE(name, value, text)                                                         \
    case name:                                                                                     \
        return text;
        RM2_STATUS_LIST(RM2_STATUS_CASE)
#undef RM2_STATUS_CASE
    }
    return "unknown status";
}

rm2_status rm2_context_create(rm2_context **ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    *ctx = calloc(1, sizeof **ctx);
    if (!*ctx)
        return RM2_ERR_MEMORY;
    rm2i_pool_begin(&(*ctx)->pool);
    rm2_context_set_threads(*ctx, 0);
    rm2_context_set_seed(*ctx, 0);
    return RM2_OK;
}

rm2_status rm2i_context_child(rm2_context *parent, int threads, rm2_context **child) {
    RM2_TRY(rm2_context_create(child));
    rm2_context_set_threads(*child, threads);
    (*child)->parent = parent && parent->parent ? parent->parent : parent;
    return RM2_OK;
}

void rm2_context_free(rm2_context *ctx) {
    if (!ctx)
        return;
    rm2i_pool_end(&ctx->pool);
    free(ctx->geometries);
    free(ctx->formats);
    free(ctx);
}

const char *rm2_context_error(const rm2_context *ctx) {
    return ctx ? ctx->error : "";
}

void rm2_context_set_threads(rm2_context *ctx, int threads) {
    if (ctx)
        ctx->threads = threads > 0 ? threads : omp_get_num_procs();
}

int rm2_context_threads(const rm2_context *ctx) {
    return ctx ? ctx->threads : 1;
}

void rm2_context_set_log(rm2_context *ctx, rm2_log_fn sink, void *user) {
    if (!ctx)
        return;
    ctx->sink = sink;
    ctx->sink_user = user;
}

void rm2_context_set_seed(rm2_context *ctx, uint64_t seed) {
    if (ctx)
        rm2_rng_seed(&ctx->rng, seed);
}

rm2_rng *rm2_context_rng(rm2_context *ctx) {
    return ctx ? &ctx->rng : NULL;
}

rm2_status rm2i_context_add_geometry(rm2_context *ctx, const struct rm2_geometry *geometry) {
    RM2_TRY(rm2i_grow(ctx, ctx->geometry_count + 1, sizeof(const struct rm2_geometry *),
                      &ctx->geometries));
    ctx->geometries[ctx->geometry_count++] = geometry;
    return RM2_OK;
}

const struct rm2_geometry *rm2i_context_geometry(const rm2_context *ctx, size_t index) {
    return ctx && index < ctx->geometry_count ? ctx->geometries[index] : NULL;
}

rm2_status rm2i_context_add_format(rm2_context *ctx, const struct rm2_archive_format *format) {
    RM2_TRY(rm2i_grow(ctx, ctx->format_count + 1, sizeof(const struct rm2_archive_format *),
                      &ctx->formats));
    ctx->formats[ctx->format_count++] = format;
    return RM2_OK;
}

const struct rm2_archive_format *rm2i_context_format(const rm2_context *ctx, size_t index) {
    return ctx && index < ctx->format_count ? ctx->formats[index] : NULL;
}

/* Messages quote files and names, which may hold anything: no control character gets out of here. */
/* Control characters become '?', and the text shorter where they have several bytes. Bytes that are not UTF-8 stay: they
 * may be the beginning of a character that did not fit. */
static void make_one_line(char *text) {
    const char *from = text;
    while (*from) {
        size_t length = rm2_utf8_length(from, strnlen(from, 4));
        size_t shown = length ? rm2_utf8_printable(from, length) : 1;
        if (shown > 0)
            memmove(text, from, shown);
        else
            *text = '?';
        text += shown ? shown : 1;
        from += length ? length : 1;
    }
    *text = '\0';
}

static void store_message(rm2_context *ctx, const char *format, va_list args) {
    if (!ctx)
        return;
    (void)vsnprintf(ctx->error, sizeof ctx->error, format, args);
    make_one_line(ctx->error);
}

void rm2i_message(rm2_context *ctx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store_message(ctx, format, args);
    va_end(args);
}

rm2_status rm2_context_fail(rm2_context *ctx, rm2_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store_message(ctx, format ? format : "", args);
    va_end(args);
    return status;
}

rm2_status rm2i_fail_prefix(rm2_context *ctx, rm2_status status, const char *format, ...) {
    if (ctx) {
        char old[RM2I_MESSAGE_SIZE];
        memcpy(old, ctx->error, sizeof old);
        va_list args;
        va_start(args, format);
        int used = vsnprintf(ctx->error, sizeof ctx->error, format, args);
        va_end(args);
        if (used >= 0 && (size_t)used < sizeof ctx->error)
            (void)snprintf(ctx->error + used, sizeof ctx->error - (size_t)used, ": %.*s",
                           RM2I_MESSAGE_SIZE - 1 - used, old);
        make_one_line(ctx->error);
    }
    return status;
}

void rm2i_log(rm2_context *ctx, rm2_log_level level, const char *format, ...) {
    if (!ctx || !ctx->sink)
        return;
    char line[RM2I_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    make_one_line(line);
    ctx->sink(ctx->sink_user, level, line);
}
