/* The ranks of an MPI communicator as an rm2_communicator; of the library riemann2-mpi.
 *
 *   MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *   rm2_mpi_create(ctx, MPI_COMM_WORLD, &mpi);
 *   rm2_context_set_communicator(ctx, rm2_mpi_communicator(mpi));
 *   if (rank == 0) { rm2_fit(ctx, ...); rm2_communicator_end(ctx); } else rm2_communicator_serve(ctx);
 *
 * The library calls MPI from the thread that calls the library. Ranks that wait sleep after some milliseconds, so that
 * they leave their processor to others. Errors of MPI end the program, as is MPI's default. */
#ifndef RIEMANN2_MPI_H
#define RIEMANN2_MPI_H

#include <mpi.h>

#include "riemann2/communicator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_mpi rm2_mpi;

/* Collective. The communicator is duplicated: messages of the caller and of the library do not meet. */
RM2_API rm2_status rm2_mpi_create(rm2_context *ctx, MPI_Comm comm, rm2_mpi **mpi);
/* Collective; before MPI_Finalize, and after the contexts that use it. NULL is allowed. */
RM2_API void rm2_mpi_free(rm2_mpi *mpi);
/* NULL for NULL. */
RM2_API const rm2_communicator *rm2_mpi_communicator(const rm2_mpi *mpi);

/* What this rank has communicated so far. */
typedef struct rm2_mpi_traffic {
    size_t size;    /* sizeof(rm2_mpi_traffic), set by the caller */
    size_t calls;   /* collective operations */
    double bytes;   /* sent by this rank, once per receiver; a broadcast counts once, on its root */
    double seconds; /* in these calls, waiting for other ranks included */
} rm2_mpi_traffic;
RM2_API rm2_status rm2_mpi_traffic_of(rm2_context *ctx, const rm2_mpi *mpi,
                                      rm2_mpi_traffic *traffic);

#ifdef __cplusplus
}
#endif
#endif
