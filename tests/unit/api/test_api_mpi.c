/* mpi.h: nothing crashes without its arguments. */
#include "api.h"
#include "riemann2/mpi.h"

static void without_mpi(void **state) {
    rm2_context *ctx = *state;
    rm2_mpi *mpi;
    rm2_mpi_traffic traffic = {.size = sizeof traffic};
    rm2_mpi_free(NULL);
    assert_null(rm2_mpi_communicator(NULL));
    assert_int_equal(rm2_mpi_create(NULL, MPI_COMM_WORLD, &mpi), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_mpi_create(ctx, MPI_COMM_WORLD, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_mpi_create(ctx, MPI_COMM_WORLD, &mpi), RM2_ERR_ARGUMENT); /* no MPI_Init */
    assert_null(mpi);
    assert_int_equal(rm2_mpi_traffic_of(NULL, NULL, &traffic), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_mpi_traffic_of(ctx, NULL, &traffic), RM2_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(without_mpi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
