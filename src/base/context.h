/* What is in a context; known to context.c, pool.c and progress.c. */
#ifndef RM2I_CONTEXT_H
#define RM2I_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/base.h"
#include "base/pool.h"
#include "riemann2/communicator.h"

enum { RM2I_MESSAGE_SIZE = 1024, RM2I_HELPERS = 255 };

/* The call that is under way. */
typedef struct rm2i_activity {
    size_t depth; /* calls inside each other; 0: none */
    const char *name;
    size_t total;
    atomic_size_t done;
    size_t reported;      /* `done` at the last report */
    double started, last; /* seconds: of the call, of the last report */
    pthread_t thread;     /* that made the call */
} rm2i_activity;

/* Threads that help the one that made the call (pool.c). */
typedef struct rm2i_pool {
    atomic_bool taken; /* a call is under way: calls inside it run on one thread */
    double credit; /* seconds that helpers saved, less those that were lost by waiting for them */
    double resume; /* when a pause ends; 0: there was none */
    pid_t process; /* whose threads they are */
    /* The call; written before helpers can join it. */
    rm2i_part_fn fn;
    void *job;
    size_t parts;
    atomic_size_t next;   /* part that nobody has taken */
    atomic_size_t calls;  /* so far */
    atomic_size_t active; /* helpers at work */
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    bool open, end;        /* helpers may join; they are to return */
    size_t wanted, joined; /* helpers of this call: at most, so far */
    size_t asleep, helpers;
    pthread_t thread[RM2I_HELPERS];
} rm2i_pool;

void rm2i_pool_begin(rm2i_pool *pool);
void rm2i_pool_end(rm2i_pool *pool);

struct rm2_context {
    char error[RM2I_MESSAGE_SIZE];
    int threads;
    rm2_rng rng;
    rm2_log_fn sink;
    void *sink_user;
    rm2_progress_fn progress;
    void *progress_user;
    rm2i_activity activity;
    atomic_bool interrupted;                /* lock-free, so that a signal handler may set it */
    const struct rm2_geometry **geometries; /* registered ones */
    size_t geometry_count;
    const struct rm2_archive_format **formats; /* registered ones */
    size_t format_count;
    rm2i_pool pool;
    const rm2_communicator *communicator; /* borrowed; NULL: none */
    rm2_context *parent;                  /* whose flag and progress count instead; NULL: its own */
};

#endif
