#include "thread_team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

/* What a rank shows the others during a call. */
typedef struct shown {
    const char *call;
    size_t bytes; /* or the root of a broadcast in the upper half */
    void *data;
    const double *out;
    const size_t *counts;
} shown;

typedef struct member {
    struct thread_team *of;
    rm2_communicator table;
    rm2_context *ctx;
    pthread_t thread;
} member;

struct thread_team {
    int size;
    pthread_barrier_t barrier;
    shown board[THREAD_TEAM_MOST];
    member members[THREAD_TEAM_MOST];
    member_fn fn;
    void *user;
};

static void require(bool good, const char *what) {
    if (good)
        return;
    (void)fprintf(stderr, "team of threads: %s\n", what);
    abort();
}

/* Show what this rank does, and see that all do the same. */
static thread_team *meet(member *m, shown own) {
    thread_team *t = m->of;
    t->board[m->table.rank] = own;
    (void)pthread_barrier_wait(&t->barrier);
    for (int k = 0; k < t->size; k++)
        require(strcmp(t->board[k].call, own.call) == 0 && t->board[k].bytes == own.bytes,
                "ranks make different calls");
    return t;
}

static void part(thread_team *t) {
    (void)pthread_barrier_wait(&t->barrier);
}

static void broadcast(void *user, int root, size_t bytes, void *data) {
    member *m = user;
    thread_team *t =
        meet(m, (shown){.call = "broadcast", .bytes = bytes + ((size_t)root << 48), .data = data});
    if (m->table.rank != root)
        memcpy(data, t->board[root].data, bytes);
    part(t);
}

static void allgather(void *user, const size_t *counts, const double *own, double *all) {
    member *m = user;
    thread_team *t = meet(m, (shown){.call = "allgather", .out = own, .counts = counts});
    for (int k = 0; k < t->size; all += counts[k], k++) {
        require(t->board[k].counts[k] == counts[k], "counts of allgather differ");
        if (counts[k] > 0)
            memcpy(all, t->board[k].out, counts[k] * sizeof *all);
    }
    part(t);
}

static void alltoall(void *user, const size_t *sent, const double *out, const size_t *received,
                     double *in) {
    member *m = user;
    thread_team *t = meet(m, (shown){.call = "alltoall", .out = out, .counts = sent});
    for (int k = 0; k < t->size; k++) {
        const size_t *theirs = t->board[k].counts;
        const double *from = t->board[k].out;
        require(theirs[m->table.rank] == received[k], "counts of alltoall differ");
        size_t before = 0;
        for (int i = 0; i < m->table.rank; i++)
            before += theirs[i];
        if (received[k] > 0) { /* else there may be no memory */
            memcpy(in, from + before, received[k] * sizeof *in);
            in += received[k];
        }
    }
    part(t);
}

static void *run_member(void *user) {
    member *m = user;
    omp_set_num_threads(1); /* BLAS */
    m->of->fn(m->ctx, &m->table, m->of->user);
    return NULL;
}

static thread_team *start(rm2_context *first, int size, member_fn fn, void *user) {
    thread_team *t = calloc(1, sizeof *t);
    require(t && size <= THREAD_TEAM_MOST, "no memory, or too many ranks");
    t->size = size;
    t->fn = fn;
    t->user = user;
    require(pthread_barrier_init(&t->barrier, NULL, (unsigned)size) == 0, "no barrier");
    for (int k = 0; k < size; k++) {
        member *m = &t->members[k];
        *m = (member){
            t, {sizeof(rm2_communicator), k, size, m, broadcast, allgather, alltoall}, first, 0};
        require(k == 0 || rm2_context_create(&m->ctx) == RM2_OK, "no context");
        rm2_context_set_threads(m->ctx, 1);
        require(rm2_context_set_communicator(m->ctx, &m->table) == RM2_OK, "the table is refused");
    }
    for (int k = 1; k < size; k++)
        require(pthread_create(&t->members[k].thread, NULL, run_member, &t->members[k]) == 0,
                "no thread");
    return t;
}

static void finish(thread_team *t) {
    (void)rm2_context_set_communicator(t->members[0].ctx, NULL);
    for (int k = 1; k < t->size; k++) {
        (void)pthread_join(t->members[k].thread, NULL);
        rm2_context_free(t->members[k].ctx);
    }
    (void)pthread_barrier_destroy(&t->barrier);
    free(t);
}

void run_thread_team(rm2_context *first, int size, member_fn fn, void *user) {
    thread_team *t = start(first, size, fn, user);
    (void)run_member(&t->members[0]);
    finish(t);
}

static void wait_for_trainings(rm2_context *own, const rm2_communicator *comm, void *user) {
    (void)comm, (void)user;
    require(rm2_communicator_serve(own) == RM2_OK, "a rank cannot work");
}

thread_team *start_thread_team(rm2_context *first, int size) {
    return start(first, size, wait_for_trainings, NULL);
}

void end_thread_team(thread_team *team) {
    require(rm2_communicator_end(team->members[0].ctx) == RM2_OK, "the team cannot end");
    finish(team);
}
