/* A team of threads of one process: collective calls are tested without MPI. Rank 0 is the thread of the test; others
 * must not assert, since cmocka's assertions jump. Ranks that do not make the same calls end the program. */
#ifndef THREAD_TEAM_H
#define THREAD_TEAM_H

#include "riemann2/communicator.h"

enum { THREAD_TEAM_MOST = 8 };

/* What a rank does, with a context of its own that has the team and one thread. */
typedef void (*member_fn)(rm2_context *own, const rm2_communicator *comm, void *user);

/* fn on all ranks; returns when all have. The context of rank 0 is `first`, without its team afterwards. */
void run_thread_team(rm2_context *first, int size, member_fn fn, void *user);

/* Rank 0 is the caller, the others wait for its trainings, until the end. */
typedef struct thread_team thread_team;
thread_team *start_thread_team(rm2_context *first, int size);
void end_thread_team(thread_team *team);

#endif
