/* The operations of a communicator as calls of MPI: collective ones that do not block, and a wait that sleeps. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "riemann2/mpi.h"
#include "riemann2/settings.h"

enum {
    EAGER = 20000,    /* times that a wait looks before it sleeps: some milliseconds */
    SLEEP = 50000,    /* nanoseconds of the first sleep */
    LONGEST = 1000000 /* of the longest */
};

struct rm2_mpi {
    rm2_communicator table;
    MPI_Comm comm;
    int *counts, *offsets, *other_counts, *other_offsets; /* one per rank */
    rm2_mpi_traffic traffic;
};

/* ---- waiting -------------------------------------------------------------------------------- */

static void wait_for(MPI_Request *request) {
    struct timespec pause = {0, SLEEP};
    int done = 0;
    for (int k = 0; k < EAGER && !done; k++)
        (void)MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        (void)nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < LONGEST ? 2 * pause.tv_nsec : LONGEST;
        (void)MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

/* Between the two an operation runs. */
static double begin(rm2_mpi *mpi, double bytes) {
    mpi->traffic.calls++;
    mpi->traffic.bytes += bytes;
    return MPI_Wtime();
}

static void end(rm2_mpi *mpi, MPI_Request *request, double since) {
    wait_for(request);
    mpi->traffic.seconds += MPI_Wtime() - since;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* MPI counts in ints; what these cannot hold ends the program. */
static int as_int(const rm2_mpi *mpi, size_t count) {
    if (count > INT_MAX) {
        (void)fprintf(stderr,
                      "riemann2: rank %d: a message of %zu numbers is too long for MPI; use more "
                      "ranks\n",
                      mpi->table.rank, count);
        (void)MPI_Abort(mpi->comm, 1);
    }
    return (int)count;
}

/* Counts as MPI has them; returns their sum. */
static double count(const rm2_mpi *mpi, const size_t *of, int *counts, int *offsets) {
    size_t at = 0;
    for (int k = 0; k < mpi->table.ranks; k++) {
        counts[k] = as_int(mpi, of[k]);
        offsets[k] = as_int(mpi, at);
        at += of[k];
    }
    return (double)at;
}

static void broadcast(void *user, int root, size_t bytes, void *data) {
    rm2_mpi *mpi = user;
    MPI_Request request;
    double since = begin(mpi, root == mpi->table.rank ? (double)bytes : 0);
    (void)MPI_Ibcast(data, as_int(mpi, bytes), MPI_BYTE, root, mpi->comm, &request);
    end(mpi, &request, since);
    (void)MPI_Wait(&request, MPI_STATUS_IGNORE); /* returns at once; static analysis asks for it */
}

static void allgather(void *user, const size_t *counts, const double *own, double *all) {
    rm2_mpi *mpi = user;
    MPI_Request request;
    (void)count(mpi, counts, mpi->counts, mpi->offsets);
    double others = (double)(mpi->table.ranks - 1), sent = (double)counts[mpi->table.rank];
    double since = begin(mpi, others * sent * sizeof *own);
    (void)MPI_Iallgatherv(own, mpi->counts[mpi->table.rank], MPI_DOUBLE, all, mpi->counts,
                          mpi->offsets, MPI_DOUBLE, mpi->comm, &request);
    end(mpi, &request, since);
}

static void alltoall(void *user, const size_t *sent, const double *out, const size_t *received,
                     double *in) {
    rm2_mpi *mpi = user;
    MPI_Request request;
    double all = count(mpi, sent, mpi->counts, mpi->offsets);
    (void)count(mpi, received, mpi->other_counts, mpi->other_offsets);
    double since = begin(mpi, (all - (double)sent[mpi->table.rank]) * sizeof *out);
    (void)MPI_Ialltoallv(out, mpi->counts, mpi->offsets, MPI_DOUBLE, in, mpi->other_counts,
                         mpi->other_offsets, MPI_DOUBLE, mpi->comm, &request);
    end(mpi, &request, since);
}

/* ---- object --------------------------------------------------------------------------------- */

rm2_status rm2_mpi_create(rm2_context *ctx, MPI_Comm comm, rm2_mpi **mpi) {
    int initialized = 0;
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    if (!mpi)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "argument 'mpi' is NULL");
    *mpi = NULL;
    (void)MPI_Initialized(&initialized);
    if (!initialized || comm == MPI_COMM_NULL)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "MPI is not initialized, or the communicator is MPI_COMM_NULL");
    rm2_mpi *m = calloc(1, sizeof *m);
    if (!m)
        return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
    m->traffic.size = sizeof m->traffic;
    m->table = (rm2_communicator){.size = sizeof m->table,
                                  .user = m,
                                  .broadcast = broadcast,
                                  .allgather = allgather,
                                  .alltoall = alltoall};
    (void)MPI_Comm_rank(comm, &m->table.rank);
    (void)MPI_Comm_size(comm, &m->table.ranks);
    size_t ranks = (size_t)m->table.ranks;
    m->counts = calloc(4 * ranks, sizeof *m->counts);
    if (!m->counts) {
        free(m);
        return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
    }
    m->offsets = m->counts + ranks;
    m->other_counts = m->offsets + ranks;
    m->other_offsets = m->other_counts + ranks;
    (void)MPI_Comm_dup(comm, &m->comm);
    *mpi = m;
    return RM2_OK;
}

void rm2_mpi_free(rm2_mpi *mpi) {
    if (!mpi)
        return;
    (void)MPI_Comm_free(&mpi->comm);
    free(mpi->counts);
    free(mpi);
}

const rm2_communicator *rm2_mpi_communicator(const rm2_mpi *mpi) {
    return mpi ? &mpi->table : NULL;
}

rm2_status rm2_mpi_traffic_of(rm2_context *ctx, const rm2_mpi *mpi, rm2_mpi_traffic *traffic) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    if (!mpi || !traffic)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "argument '%s' is NULL",
                                mpi ? "traffic" : "mpi");
    return rm2_settings_give(ctx, &mpi->traffic, traffic);
}
