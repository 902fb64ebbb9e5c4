/* riemann2-mpi COMMAND ...: rank 0 runs the command as riemann2 does, the others take part in its trainings.
 *
 * With RIEMANN2_TRAFFIC set, every rank reports what it has communicated. */
#include <signal.h>
#include <stdlib.h>

#include "core/cli.h"
#include "main/commands.h"
#include "riemann2/mpi.h"

/* A rank that ends by itself would take the others with it before rank 0 has ended training and written its model. */
static void leave_signals_to_rank_0(void) {
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGUSR1, SIG_IGN);
}

/* mpirun hands SIGUSR1 on to all ranks; it ends a training as Ctrl-C does, for which mpirun itself has another use. */
static void interrupt(int number) {
    (void)number;
    (void)raise(SIGINT);
}

static int run_rank_0(rm2_context *ctx, const rm2_communicator *comm, int argc, char **argv) {
    (void)signal(SIGUSR1, interrupt);
    command_set_communicator(comm);
    int code = process_end(run_command(argc, argv));
    command_set_communicator(NULL);
    (void)rm2_communicator_end(ctx);
    return code;
}

static int work(rm2_context *ctx) {
    leave_signals_to_rank_0();
    return rm2_communicator_serve(ctx) == RM2_OK ? EXIT_DONE : EXIT_FAILED;
}

static void report_traffic(rm2_context *ctx, const rm2_mpi *mpi) {
    rm2_mpi_traffic t = {.size = sizeof t};
    if (getenv("RIEMANN2_TRAFFIC") && rm2_mpi_traffic_of(ctx, mpi, &t) == RM2_OK)
        (void)fprintf(stderr, "rank %d: %zu collective calls, %.6g MB sent, %.3f s in them\n",
                      rm2_mpi_communicator(mpi)->rank, t.calls, 1e-6 * t.bytes, t.seconds);
}

/* A rank that cannot begin ends all of them: the others would wait for it. */
static _Noreturn void give_up(const char *reason) {
    (void)fprintf(stderr, "riemann2-mpi: %s\n", reason);
    (void)MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    exit(EXIT_FAILED);
}

static int run(rm2_context *ctx, int argc, char **argv) {
    rm2_mpi *mpi;
    if (rm2_mpi_create(ctx, MPI_COMM_WORLD, &mpi) != RM2_OK ||
        rm2_context_set_communicator(ctx, rm2_mpi_communicator(mpi)) != RM2_OK)
        give_up(rm2_context_error(ctx));
    const rm2_communicator *comm = rm2_mpi_communicator(mpi);
    int code = comm->rank == 0 ? run_rank_0(ctx, comm, argc, argv) : work(ctx);
    report_traffic(ctx, mpi);
    (void)rm2_context_set_communicator(ctx, NULL);
    rm2_mpi_free(mpi);
    return code;
}

int main(int argc, char **argv) {
    process_start(argv); /* which may start the program anew: before MPI */
    int provided;
    rm2_context *ctx;
    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (rm2_context_create(&ctx) != RM2_OK)
        give_up("out of memory");
    int code = run(ctx, argc, argv);
    rm2_context_free(ctx);
    (void)MPI_Finalize();
    return code;
}
