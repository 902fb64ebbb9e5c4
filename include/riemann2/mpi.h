/* The ranks of an MPI communicator as an rm2_communicator, in the library riemann2-mpi.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     rm2_mpi_create(ctx, MPI_COMM_WORLD, &mpi);
 *     rm2_context_set_communicator(ctx, rm2_mpi_communicator(mpi));
 *     if (rank == 0) { rm2_fit(ctx, ...); rm2_communicator_end(ctx); }
 *     else rm2_communicator_serve(ctx);
 *
 * The library calls MPI from the thread that calls the library. Waiting ranks sleep after some
 * milliseconds, so that other programs can use their processors. Errors of MPI end the program, as
 * is MPI's default. */
#ifndef RIEMANN2_MPI_H
#define RIEMANN2_MPI_H

#include <mpi.h>

#include "riemann2/communicator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_mpi rm2_mpi;

/* Create the communicator; collective. `comm` is duplicated, so that messages of the caller and of
 * the library do not mix. */
RM2_API rm2_status rm2_mpi_create(rm2_context *ctx, MPI_Comm comm, rm2_mpi **mpi);
/* Free the communicator; collective. Call it before MPI_Finalize, and after the contexts that use
 * it. NULL is allowed. */
RM2_API void rm2_mpi_free(rm2_mpi *mpi);
/* The table of operations, which lives as long as the object; NULL for NULL. */
RM2_API const rm2_communicator *rm2_mpi_communicator(const rm2_mpi *mpi);

/* Amount of communication of this rank so far. */
typedef struct rm2_mpi_traffic {
    size_t size;    /* sizeof(rm2_mpi_traffic), set by the caller */
    size_t calls;   /* collective operations */
    double bytes;   /* sent by this rank, once per receiver; a broadcast counts once, on its root */
    double seconds; /* in these calls, including the time waiting for other ranks */
} rm2_mpi_traffic;
RM2_API rm2_status rm2_mpi_traffic_of(rm2_context *ctx, const rm2_mpi *mpi,
                                      rm2_mpi_traffic *traffic);

#ifdef __cplusplus
}
#endif
#endif
