/* Context: message of the last failure, log sink, threads, generator, interrupt flag. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "base/base.h"

enum { MESSAGE_SIZE = 1024 };

struct rm2_context {
    char error[MESSAGE_SIZE];
    int threads;
    rm2_rng rng;
    rm2_log_fn sink;
    void *sink_user;
    atomic_bool interrupted; /* lock-free, so that a signal handler may set it */
};

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
    rm2_context_set_threads(*ctx, 0);
    rm2_context_set_seed(*ctx, 0);
    return RM2_OK;
}

void rm2_context_free(rm2_context *ctx) {
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

void rm2_context_interrupt(rm2_context *ctx) {
    if (ctx)
        atomic_store(&ctx->interrupted, true);
}

void rm2_context_clear_interrupt(rm2_context *ctx) {
    if (ctx)
        atomic_store(&ctx->interrupted, false);
}

bool rm2i_interrupted(const rm2_context *ctx) {
    return ctx && atomic_load(&ctx->interrupted);
}

void rm2_context_set_seed(rm2_context *ctx, uint64_t seed) {
    if (ctx)
        rm2_rng_seed(&ctx->rng, seed);
}

rm2_rng *rm2_context_rng(rm2_context *ctx) {
    return ctx ? &ctx->rng : NULL;
}

static void store_message(rm2_context *ctx, const char *format, va_list args) {
    if (ctx)
        (void)vsnprintf(ctx->error, sizeof ctx->error, format, args);
}

rm2_status rm2i_fail(rm2_context *ctx, rm2_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store_message(ctx, format, args);
    va_end(args);
    return status;
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
        char old[MESSAGE_SIZE];
        memcpy(old, ctx->error, sizeof old);
        va_list args;
        va_start(args, format);
        int used = vsnprintf(ctx->error, sizeof ctx->error, format, args);
        va_end(args);
        if (used >= 0 && (size_t)used < sizeof ctx->error)
            (void)snprintf(ctx->error + used, sizeof ctx->error - (size_t)used, ": %.*s",
                           MESSAGE_SIZE - 1 - used, old);
    }
    return status;
}

void rm2i_log(rm2_context *ctx, rm2_log_level level, const char *format, ...) {
    if (!ctx || !ctx->sink)
        return;
    char line[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->sink(ctx->sink_user, level, line);
}
