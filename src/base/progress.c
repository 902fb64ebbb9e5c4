/* Progress of long calls and their interruption.
 *
 * A callback that says stop sets the interrupt flag: loops look at one thing. They look on all
 * threads, and the callback runs where the one that made the call does so, as OpenMP's first thread is
 * the one that came to the parallel region. */
#include <time.h>

#include "base/context.h"

static const double QUIET = 0.1; /* seconds without a report, at most, where loops look often */

double rm2_seconds(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void rm2_context_set_progress(rm2_context *ctx, rm2_progress_fn progress, void *user) {
    if (!ctx)
        return;
    ctx->progress = progress;
    ctx->progress_user = user;
}

/* ---- interrupts ----------------------------------------------------------------------------- */

void rm2_context_interrupt(rm2_context *ctx) {
    if (ctx)
        atomic_store(&ctx->interrupted, true);
}

void rm2_context_clear_interrupt(rm2_context *ctx) {
    if (ctx)
        atomic_store(&ctx->interrupted, false);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void report(rm2_context *ctx, const void *row) {
    rm2i_activity *a = &ctx->activity;
    a->last = rm2_seconds();
    a->reported = atomic_load(&a->done);
    rm2_progress p = {.activity = a->name,
                      .done = a->reported,
                      .total = a->total,
                      .seconds = a->last - a->started,
                      .row = row};
    if (!ctx->progress(ctx->progress_user, &p))
        rm2_context_interrupt(ctx);
}

/* Is there someone to tell, and is this the thread to do it? */
static bool can_report(const rm2_context *ctx) {
    return ctx->progress && ctx->activity.depth > 0 &&
           pthread_equal(ctx->activity.thread, pthread_self());
}

bool rm2i_interrupted(rm2_context *ctx) {
    if (!ctx)
        return false;
    rm2_context *root = ctx->parent ? ctx->parent : ctx;
    if (!atomic_load(&root->interrupted) && can_report(root) &&
        rm2_seconds() - root->activity.last >= QUIET)
        report(root, NULL);
    return atomic_load(&root->interrupted);
}

/* ---- activities ----------------------------------------------------------------------------- */

void rm2i_activity_begin(rm2_context *ctx, const char *name, size_t total) {
    if (!ctx || ctx->parent || ctx->activity.depth++ > 0)
        return;
    rm2i_activity *a = &ctx->activity;
    a->name = name;
    a->total = total;
    atomic_store(&a->done, 0);
    a->started = rm2_seconds();
    a->thread = pthread_self();
    if (can_report(ctx))
        report(ctx, NULL);
}

void rm2i_activity_end(rm2_context *ctx) {
    if (!ctx || ctx->parent)
        return;
    rm2i_activity *a = &ctx->activity;
    bool told = atomic_load(&a->done) == a->reported || atomic_load(&ctx->interrupted);
    if (a->depth == 1 && !told && can_report(ctx))
        report(ctx, NULL);
    a->depth--;
}

void rm2i_activity_advance(rm2_context *ctx, size_t parts) {
    if (!ctx || ctx->parent || ctx->activity.depth != 1)
        return;
    (void)atomic_fetch_add(&ctx->activity.done, parts);
    if (can_report(ctx))
        report(ctx, NULL);
}

void rm2i_activity_row(rm2_context *ctx, size_t done, const void *row) {
    atomic_store(&ctx->activity.done, done);
    if (can_report(ctx))
        report(ctx, row);
}
