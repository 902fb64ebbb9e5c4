/* The helpers of a context: started when first needed, asleep between calls. */
#include "base/pool.h"

#include <signal.h>
#include <unistd.h>

#include <omp.h>

#include "base/context.h"

enum {
    SPINS = 2000, /* looks for news before a thread sleeps, some tens of microseconds */
    PAUSE = 20
};

static const double MOST_CREDIT = 1e-3; /* seconds saved that later losses may use up */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Take parts until none is left; returns how many. */
static size_t claim_parts(rm2i_pool *p, size_t worker) {
    size_t taken = 0, part;
    while ((part = atomic_fetch_add(&p->next, 1)) < p->parts) {
        p->fn(p->job, part, worker);
        taken++;
    }
    return taken;
}

/* The calling thread has the first part for itself: from it, it knows its pace. */
static size_t claim_own_parts(rm2i_pool *p) {
    p->fn(p->job, 0, 0);
    return 1 + claim_parts(p, 0);
}

/* ---- helpers -------------------------------------------------------------------------------- */

static bool can_join(rm2i_pool *p) {
    return p->open && p->joined < p->wanted && atomic_load(&p->next) < p->parts;
}

/* With the lock: wait for a call to join, or for the end. */
static void await_call(rm2i_pool *p, bool busy) {
    size_t seen = atomic_load(&p->calls);
    if (busy && !p->end) { /* the next call often follows soon */
        pthread_mutex_unlock(&p->lock);
        for (int i = 0; i < SPINS && atomic_load_explicit(&p->calls, memory_order_relaxed) == seen;
             i++)
            relax();
        pthread_mutex_lock(&p->lock);
    }
    p->asleep++;
    while (!p->end && !can_join(p))
        pthread_cond_wait(&p->wake, &p->lock);
    p->asleep--;
}

static void *help(void *pool) {
    rm2i_pool *p = pool;
    bool busy = false;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        await_call(p, busy);
        if (p->end)
            break;
        size_t worker = ++p->joined;
        atomic_fetch_add(&p->active, 1);
        pthread_mutex_unlock(&p->lock);
        busy = claim_parts(p, worker) > 0;
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&p->active, 1) == 1)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals of the process are for the threads of its own. */
static void start_helpers(rm2i_pool *p, size_t count) {
    sigset_t all, before;
    p->process = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->helpers < count && pthread_create(&p->thread[p->helpers], NULL, help, p) == 0)
        p->helpers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rm2i_pool_begin(rm2i_pool *p) {
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
}

/* A copy of the process by fork has no helpers, and a lock that nobody may ever open: begin anew. */
static void notice_fork(rm2i_pool *p) {
    if (p->helpers == 0 || p->process == getpid())
        return;
    p->helpers = p->asleep = 0;
    p->open = false;
    atomic_store(&p->active, 0);
    rm2i_pool_begin(p);
}

void rm2i_pool_end(rm2i_pool *p) {
    notice_fork(p);
    pthread_mutex_lock(&p->lock);
    p->end = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (size_t t = 0; t < p->helpers; t++)
        pthread_join(p->thread[t], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void open_call(rm2i_pool *p, size_t wanted) {
    pthread_mutex_lock(&p->lock);
    if (p->helpers < wanted)
        start_helpers(p, wanted);
    p->wanted = wanted < p->helpers ? wanted : p->helpers;
    p->joined = 0;
    p->open = true;
    atomic_store(&p->next, 1);
    atomic_fetch_add(&p->calls, 1);
    if (p->asleep > 0)
        pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

/* Nobody joins any more; wait for the parts that were begun. */
static void close_call(rm2i_pool *p) {
    for (int i = 0; i < SPINS && atomic_load(&p->active) > 0; i++)
        relax();
    pthread_mutex_lock(&p->lock);
    p->open = false;
    while (atomic_load(&p->active) > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* Add what a call saved, or lost, to the credit; without credit, pause. */
static void account(rm2i_pool *p, double saved, double now) {
    p->credit += saved;
    if (p->credit > MOST_CREDIT)
        p->credit = MOST_CREDIT;
    if (p->credit >= 0)
        return;
    p->resume = now - PAUSE * p->credit;
    p->credit = 0;
}

static void run_shared(rm2i_pool *p, size_t wanted) {
    notice_fork(p);
    double start = rm2_seconds();
    open_call(p, wanted);
    double begun = rm2_seconds();
    size_t own = claim_own_parts(p);
    double alone = rm2_seconds();
    close_call(p);
    double end = rm2_seconds();
    /* Helpers' parts at our own pace, less what opening and waiting took. */
    double pace = (alone - begun) / (double)own;
    account(p, pace * (double)(p->parts - own) - (begun - start) - (end - alone), end);
}

static void run_alone(size_t parts, rm2i_part_fn fn, void *job) {
    for (size_t i = 0; i < parts; i++)
        fn(job, i, 0);
}

static bool can_share(const rm2i_pool *p) {
    return !omp_in_parallel() && (p->resume == 0 || rm2_seconds() >= p->resume);
}

size_t rm2i_workers(const rm2_context *ctx, size_t parts) {
    size_t threads = ctx && ctx->threads > 1 ? (size_t)ctx->threads : 1;
    if (threads > RM2I_HELPERS + 1)
        threads = RM2I_HELPERS + 1;
    return parts < threads ? (parts ? parts : 1) : threads;
}

void rm2i_parallel(rm2_context *ctx, size_t parts, rm2i_part_fn fn, void *job) {
    size_t workers = rm2i_workers(ctx, parts);
    if (workers < 2 || atomic_exchange(&ctx->pool.taken, true)) {
        run_alone(parts, fn, job);
        return;
    }
    rm2i_pool *p = &ctx->pool;
    if (can_share(p)) {
        p->fn = fn;
        p->job = job;
        p->parts = parts;
        run_shared(p, workers - 1);
    } else {
        run_alone(parts, fn, job);
    }
    atomic_store(&p->taken, false);
}
