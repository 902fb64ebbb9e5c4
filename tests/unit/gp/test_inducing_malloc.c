/* Every allocation of the bounds fails once, where the inducing points are chosen in rounds: the call answers
 * RM2_ERR_MEMORY and leaks nothing. In a team it fails on one rank, and all ranks answer that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "front/base.h"
#include "gp/inducing.h"
#include "shared_context.h"
#include "thread_team.h"

enum { N = 300, Q = 2, CONSIDERED = 60, RANKS = 3 };
/* Among considered points: inputs, memory, rows. Of a round: memory, set (2), candidates, memory, rows. Bounds:
 * numbers, set (2), memory. */
enum { LEAST = 3 + 6 + 4 };

typedef struct fixture {
    rm2_context *ctx;
    rm2i_inducing_data data;
} fixture;

static rm2_status bounds(void *state) {
    fixture *f = state;
    rm2i_bounds found;
    return rm2i_inducing_bounds(f->ctx, &f->data, 1e-4, &found);
}

static double X[N * Q], F[N];
static const double lengthscale[Q] = {0.4, 0.5};
static const rm2i_latent_kernel kernel = {RM2_LATENT_SE, Q, lengthscale, 1, 0};

static int setup(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * Q; i++)
        X[i] = rm2_rng_normal(&rng);
    return create_shared_context(state);
}

static rm2i_inducing_data data_of(size_t first, size_t n) {
    return (rm2i_inducing_data){.kernel = &kernel,
                                .N = n,
                                .M = 1,
                                .X = X + first * Q,
                                .F = F + first,
                                .noise = 0.1,
                                .considered = CONSIDERED};
}

static void rounds(void **state) {
    (void)state;
    fixture f = {ctx, data_of(0, N)};
    rm2_context_set_threads(ctx, 1);
    assert_true(fail_each_allocation(ctx, bounds, &f) >= LEAST);
}

/* ---- one rank of a team --------------------------------------------------------------------- */

typedef struct failure {
    int rank;
    long after;
    bool failed; /* there was an allocation to fail */
    rm2_status of_rank[RANKS];
    char message[RANKS][64];
} failure;

static void member(rm2_context *own, const rm2_communicator *comm, void *user) {
    failure *f = user;
    size_t first = N * (size_t)comm->rank / RANKS, end = N * (size_t)(comm->rank + 1) / RANKS;
    fixture of_rank = {own, data_of(first, end - first)};
    rm2i_rows here = {.n = end - first, .comm = comm}, joined, rows;
    if (rm2i_rows_join(own, &here, &joined) != RM2_OK ||
        rm2i_rows_cut(own, &joined, 50, &rows) != RM2_OK)
        abort();
    of_rank.data.rows = &rows;
    if (comm->rank == f->rank)
        fail_allocation_after(f->after, false);
    f->of_rank[comm->rank] = bounds(&of_rank);
    if (comm->rank == f->rank)
        f->failed = fail_no_allocation();
    (void)snprintf(f->message[comm->rank], sizeof *f->message, "%s", rm2_context_error(own));
    rm2i_rows_free(&rows);
    rm2i_rows_free(&joined);
}

/* How many allocations a rank has, each of which failed once. */
static long fail_on_rank(int rank) {
    failure f = {.rank = rank, .failed = true};
    for (; f.failed; f.after++) {
        long before = live_blocks();
        run_thread_team(ctx, RANKS, member, &f);
        if (live_blocks() != before)
            fail_msg("allocation %ld of rank %d leaves %ld blocks", f.after, rank,
                     live_blocks() - before);
        for (int k = 0; k < RANKS; k++) {
            bool right = f.of_rank[k] == (f.failed ? RM2_ERR_MEMORY : RM2_OK) &&
                         (!f.failed || strstr(f.message[k], "out of memory"));
            if (!right)
                fail_msg("allocation %ld of rank %d, rank %d says: %d, %s", f.after, rank, k,
                         (int)f.of_rank[k], f.message[k]);
        }
    }
    return f.after - 1;
}

static void one_rank(void **state) {
    (void)state;
    for (int rank = 0; rank < RANKS; rank += RANKS - 1)
        assert_true(fail_on_rank(rank) >= LEAST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds), cmocka_unit_test(one_rank)};
    return cmocka_run_group_tests(tests, setup, free_shared_context);
}
