/* What is in a context; known to context.c and progress.c. */
#ifndef RM2I_CONTEXT_H
#define RM2I_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "riemann2/team.h"

enum { RM2I_MESSAGE_SIZE = 1024 };

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
    const rm2_team *team; /* borrowed; NULL: none */
    rm2_context *parent;  /* whose flag and progress count instead; NULL: its own */
};

#endif
