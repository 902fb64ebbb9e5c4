/* The choice of inducing points divided among ranks: the same points and the same bits as those of one process, with
 * fewer blocks than ranks, with rows that are begun ahead, and with points that are given. The choice of one process is
 * compared with a pivoted Cholesky factor that is written down here, on a dense matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "gp/inducing.h"
#include "linalg/factor.h"
#include "shared_context.h"
#include "thread_team.h"

enum { Q = 2, LONG = 11000, MOST = 240, GIVEN = 40 };

static double X[LONG * Q];
static const double lengthscale[Q] = {0.5, 0.6};
static const rm2i_latent_kernel kernel = {RM2_LATENT_SE, Q, lengthscale, 1.3, 0};
static const rm2i_latent_kernel with_linear = {RM2_LATENT_MATERN52, Q, lengthscale, 0.7, 0.2};

static int setup(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    for (size_t i = 0; i < LONG; i++) {
        X[i * Q] = 6 * rm2_rng_uniform(&rng);
        X[i * Q + 1] = sin(X[i * Q]) + 0.4 * rm2_rng_normal(&rng);
    }
    return create_shared_context(state);
}

typedef struct result {
    size_t index[MOST], count;
    double left;
    rm2_status status;
} result;

typedef struct run {
    rm2i_inducing_request request; /* rows are each rank's own */
    const rm2i_inducing_given *given;
    result of_rank[THREAD_TEAM_MOST];
} run;

static run run_of(const rm2i_latent_kernel *k, size_t n, size_t most, double enough) {
    return (run){.request = {.kernel = k, .N = n, .X = X, .enough = enough, .most = most}};
}

/* All points are considered, and all ranks have them; the rows are there for their communicator. */
static void member(rm2_context *own, const rm2_communicator *comm, void *user) {
    run *r = user;
    result *to = &r->of_rank[comm->rank];
    rm2i_inducing_request request = r->request;
    rm2i_rows here = rm2i_rows_none(own), rows;
    here.n = 10;
    if (rm2i_rows_join(own, &here, &rows) != RM2_OK)
        abort();
    request.rows = &rows;
    to->status =
        rm2i_inducing_choose_more(own, &request, r->given, to->index, &to->count, &to->left);
    rm2i_rows_free(&rows);
}

static const result *check_ranks(run *r) {
    static result alone;
    run_thread_team(ctx, 1, member, r);
    alone = r->of_rank[0];
    assert_int_equal(alone.status, RM2_OK);
    for (int ranks = 2; ranks <= 5; ranks++) {
        run_thread_team(ctx, ranks, member, r);
        for (int k = 0; k < ranks; k++) {
            const result *found = &r->of_rank[k];
            size_t from = r->given ? r->given->count : 0;
            assert_int_equal(found->status, RM2_OK);
            assert_int_equal(found->count, alone.count);
            assert_memory_equal(found->index + from, alone.index + from,
                                (alone.count - from) * sizeof *alone.index);
            assert_memory_equal(&found->left, &alone.left, sizeof alone.left);
        }
    }
    return &alone;
}

/* One block for up to five ranks, some blocks, and enough of them for rows ahead (n r > 2^21). */
static void ranks_do_not_matter(void **state) {
    (void)state;
    run few = run_of(&kernel, 700, 60, 1e-9), some = run_of(&with_linear, 5000, 120, 1e-9);
    run many = run_of(&kernel, LONG, MOST, 1e-12);
    assert_int_equal(check_ranks(&few)->count, 60);
    assert_int_equal(check_ranks(&some)->count, 120);
    assert_true(check_ranks(&many)->count * LONG > (size_t)1 << 21);
    run enough = run_of(&kernel, 3000, MOST, 0.5);
    const result *stopped = check_ranks(&enough);
    assert_true(stopped->left <= 0.5 && stopped->count < MOST);
}

/* Equal points: the first of those that are equal is chosen, whoever has them; then nothing is left. */
static void the_first_of_equal_points(void **state) {
    (void)state;
    enum { SAME = 4500 };
    static double same[SAME * Q];
    run r = run_of(&kernel, SAME, 50, 0);
    for (size_t i = 0; i < SAME; i++)
        same[i * Q] = i >= 2000 && i % 3 == 0 ? 2 : 0;
    r.request.X = same;
    const result *found = check_ranks(&r);
    assert_int_equal(found->count, 2);
    assert_int_equal(found->index[0], 0);
    assert_int_equal(found->index[1], 2001);
}

/* ---- against a dense matrix ----------------------------------------------------------------- */

/* K - K_u K_uu^-1 K_u^T by elimination of one point after the other. */
static void the_dense_choice(void **state) {
    (void)state;
    enum { SMALL = 120, CHOSEN = 20 };
    static double K[SMALL * SMALL], row[SMALL];
    run r = run_of(&with_linear, SMALL, CHOSEN, 0);
    const result *found = check_ranks(&r);
    for (size_t i = 0; i < SMALL; i++)
        rm2i_latent_cross(&with_linear, SMALL, X, X + i * Q, K + i * SMALL);
    for (size_t j = 0; j < CHOSEN; j++) {
        size_t p = 0;
        for (size_t i = 1; i < SMALL; i++)
            p = K[i * (SMALL + 1)] > K[p * (SMALL + 1)] ? i : p;
        assert_int_equal(found->index[j], p);
        double d = K[p * (SMALL + 1)];
        memcpy(row, K + p * SMALL, sizeof row);
        for (size_t a = 0; a < SMALL; a++)
            for (size_t b = 0; b < SMALL; b++)
                K[a * SMALL + b] -= row[a] * row[b] / d;
    }
    double trace = 0;
    for (size_t i = 0; i < SMALL; i++)
        trace += K[i * (SMALL + 1)];
    assert_true(fabs(found->left - trace) < 1e-10); /* rounding of 120 numbers of size 1 */
}

/* ---- points that are given ------------------------------------------------------------------ */

/* The choice goes on where another one stopped: the same points as without the stop. */
static void points_that_are_given(void **state) {
    (void)state;
    static double Z[GIVEN * Q], K[GIVEN * GIVEN], L[GIVEN * GIVEN], d[5000], v[GIVEN];
    run whole = run_of(&kernel, 5000, 90, 1e-9);
    result expected = *check_ranks(&whole);
    rm2i_inducing_given given = {.count = GIVEN, .Z = Z, .L = L, .d = d};
    rm2i_inducing_gather(GIVEN, expected.index, Q, X, Z);
    rm2i_latent_gram(ctx, &kernel, GIVEN, Z, K);
    ok(rm2i_factor(ctx, GIVEN, K, 0, L, &given.jitter));
    for (size_t i = 0; i < 5000; i++) { /* d = k(x, x) - |L^-1 k(Z, x)|^2 */
        rm2i_latent_cross(&kernel, GIVEN, Z, X + i * Q, v);
        rm2i_factor_half_solve(ctx, GIVEN, L, 1, v);
        d[i] = rm2i_latent_variance_at(&kernel, X + i * Q);
        for (size_t k = 0; k < GIVEN; k++)
            d[i] -= v[k] * v[k];
        d[i] = fmax(d[i], 0);
    }
    run rest = run_of(&kernel, 5000, 90, 1e-9);
    rest.given = &given;
    const result *found = check_ranks(&rest);
    assert_int_equal(found->count, expected.count);
    assert_memory_equal(found->index + GIVEN, expected.index + GIVEN,
                        (expected.count - GIVEN) * sizeof *found->index);
    assert_true(fabs(found->left / expected.left - 1) < 1e-6); /* another factor: rounding */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_do_not_matter),
        cmocka_unit_test(the_first_of_equal_points),
        cmocka_unit_test(the_dense_choice),
        cmocka_unit_test(points_that_are_given),
    };
    return cmocka_run_group_tests(tests, setup, free_shared_context);
}
