/* Rows of several processes: sums have the same bits for any number of them, rows go to the root and back, failures of one
 * are those of all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "front/base.h"
#include "rows/rows.h"
#include "shared_context.h"
#include "thread_team.h"

/* ---- sums ----------------------------------------------------------------------------------- */

enum { MOST_TERMS = 60, LONG = 150000 };

/* A sum of `terms` terms of `size` numbers, cut at random places. */
typedef struct sum {
    int ranks;
    size_t terms, size;
    size_t first[THREAD_TEAM_MOST + 1];
    double total[LONG]; /* on rank 0 */
    bool same;          /* on all ranks */
} sum;

/* Numbers of all magnitudes, so that the order of additions shows. */
static double number(size_t term, size_t k) {
    rm2_rng rng;
    rm2_rng_seed(&rng, term * 1000003 + k);
    return rm2_rng_normal(&rng) * pow(10, 6 * rm2_rng_uniform(&rng));
}

static double cheap_number(size_t term, size_t k) {
    return sin((double)(term * 7919 + k)) * (k % 3 ? 1 : 1e5);
}

static void fill(const sum *s, size_t begin, size_t end, rm2i_tree *tree) {
    for (size_t i = begin; i < end; i++) {
        double *leaf = rm2i_tree_leaf(tree, i);
        for (size_t k = 0; k < s->size; k++)
            leaf[k] = s->size > 1000 ? cheap_number(i, k) : number(i, k);
    }
}

static void add_up(rm2_context *own, const rm2_communicator *comm, void *user) {
    sum *s = user;
    size_t begin = s->first[comm->rank], end = s->first[comm->rank + 1];
    double *values = malloc(rm2i_tree_most(s->terms) * s->size * sizeof *values);
    rm2i_tree tree = {.size = s->size, .values = values};
    rm2i_rows here = rm2i_rows_none(own), joined, rows;
    here.n = end - begin; /* each a unit */
    if (!values || rm2i_rows_join(own, &here, &joined) != RM2_OK ||
        rm2i_rows_cut(own, &joined, 1, &rows) != RM2_OK)
        abort();
    fill(s, begin, end, &tree);
    const double *total = rm2i_rows_sum(&rows, &tree);
    bool same = rm2i_rows_same(&rows, total[0]) && rm2i_rows_same(&rows, total[s->size - 1]);
    if (comm->rank == 0) {
        memcpy(s->total, total, s->size * sizeof *total);
        s->same = same;
    }
    rm2i_rows_free(&rows);
    rm2i_rows_free(&joined);
    free(values);
}

static void cut(sum *s, rm2_rng *rng) {
    s->first[0] = 0;
    for (int k = 1; k < s->ranks; k++) { /* one term at least for each */
        size_t left = s->terms - s->first[k - 1] - (size_t)(s->ranks - k);
        s->first[k] = s->first[k - 1] + 1 + (size_t)(rm2_rng_uniform(rng) * (double)(left - 1));
    }
    s->first[s->ranks] = s->terms;
}

static void sums_have_the_same_bits(void **state) {
    (void)state;
    static sum alone, s;
    static const size_t sizes[] = {1, 3, 16, 17, 100, LONG};
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int round = 0; round < (sizes[k] < LONG ? 12 : 2); round++) {
            alone = (sum){.ranks = 1, .size = sizes[k]};
            alone.terms = sizes[k] < LONG ? 8 + (size_t)(rm2_rng_uniform(&rng) * 50) : 9;
            cut(&alone, &rng);
            run_thread_team(ctx, 1, add_up, &alone);
            s = (sum){.ranks = 2 + round % 7, .size = alone.size, .terms = alone.terms};
            cut(&s, &rng);
            run_thread_team(ctx, s.ranks, add_up, &s);
            assert_true(s.same);
            assert_memory_equal(s.total, alone.total, s.size * sizeof *s.total);
        }
}

/* ---- rows and values ------------------------------------------------------------------------ */

enum { FEW = 3 };

typedef struct moved {
    double whole[12 * 2], even[12 * 2], all[3][12 * 2], few[FEW * 2], few_of_all[3][FEW * 2];
    int owner[3]; /* the process that broadcast row 7 */
    double max[3];
    bool agree[3], decision[3];
} moved;

static const size_t of_rank[] = {0, 5, 5, 12}; /* rank 1 has none */
static const size_t rising[FEW] = {4, 5, 11}, any[FEW] = {11, 0, 5};

static void move_rows(rm2_context *own, const rm2_communicator *comm, void *user) {
    moved *r = user;
    rm2i_rows none = rm2i_rows_none(own), rows, even;
    double here[12 * 2], others[12 * 2], work[2 * FEW * 2];
    int rank = comm->rank;
    bool root = rm2i_rows_root(&none);
    none.n = of_rank[rank + 1] - of_rank[rank];
    if (rm2i_rows_join(own, &none, &rows) != RM2_OK ||
        rm2i_rows_spread(own, &rows, 12, &even) != RM2_OK)
        abort();
    rm2i_rows_scatter(&rows, 2, root ? r->whole : NULL, here);
    for (size_t i = 0; i < rows.n * 2; i++)
        here[i] += 100 * rank;
    rm2i_rows_gather(&rows, 2, here, root ? r->whole : NULL);
    rm2i_rows_gather_all(&rows, 2, here, r->all[rank]);
    rm2i_rows_move(&rows, &even, 2, here, others);
    rm2i_rows_gather(&even, 2, others, root ? r->even : NULL);
    if (rm2i_rows_pick(own, &rows, &(rm2i_few){FEW, rising}, 2, here, root ? r->few : NULL) !=
        RM2_OK)
        abort();
    rm2i_rows_pick_all(&rows, &(rm2i_few){FEW, any}, 2, here, work, r->few_of_all[rank]);
    r->owner[rank] = rank;
    rm2i_rows_broadcast_row(&rows, 7, &r->owner[rank], sizeof *r->owner);
    r->max[rank] = rm2i_rows_max(&rows, rank == 1 ? INFINITY : -1);
    r->agree[rank] = rm2i_rows_same(&rows, rank == 2 ? 1 + 0x1p-52 : 1);
    r->decision[rank] = rm2i_rows_decide(&rows, root);
    rm2i_rows_free(&even);
    rm2i_rows_free(&rows);
}

static void rows_go_and_come_back(void **state) {
    (void)state;
    static moved r;
    for (size_t i = 0; i < 24; i++)
        r.whole[i] = (double)i;
    run_thread_team(ctx, 3, move_rows, &r);
    for (size_t i = 0; i < 24; i++)
        assert_true(r.whole[i] == (double)i + (i >= 10 ? 200 : 0));
    assert_memory_equal(r.even, r.whole, sizeof r.whole);
    for (size_t j = 0; j < FEW; j++)
        assert_memory_equal(r.few + 2 * j, r.whole + 2 * rising[j], 2 * sizeof *r.few);
    for (size_t k = 0; k < 3; k++) {
        assert_memory_equal(r.all[k], r.whole, sizeof r.whole);
        for (size_t j = 0; j < FEW; j++)
            assert_memory_equal(r.few_of_all[k] + 2 * j, r.whole + 2 * any[j], 2 * sizeof *r.few);
        assert_int_equal(r.owner[k], 2);
        assert_true(isinf(r.max[k]));
        assert_false(r.agree[k]);
        assert_true(r.decision[k]);
    }
}

/* ---- division ------------------------------------------------------------------------------- */

enum { TRAJECTORIES = 40, LONGEST = 90 };

typedef struct division {
    size_t starts[TRAJECTORIES + 1];
    rm2i_rows of[4];
    rm2_status status[4];
    bool right[4];
} division;

static void divide(rm2_context *own, const rm2_communicator *comm, void *user) {
    division *d = user;
    rm2i_rows whole = rm2i_rows_none(own), rows, cut;
    if (comm->rank == 0) {
        whole.n = d->starts[TRAJECTORIES];
        whole.trajectories = TRAJECTORIES;
        whole.starts = d->starts;
    }
    d->status[comm->rank] = rm2i_rows_divide(own, &whole, &rows);
    if (d->status[comm->rank] != RM2_OK)
        return;
    const rm2i_rows each = rm2i_rows_of_trajectories(&rows);
    bool right = rows.all_trajectories == TRAJECTORIES && rows.starts[0] == 0 &&
                 memcmp(rows.all_starts, d->starts, sizeof d->starts) == 0;
    for (size_t t = 0; t <= rows.trajectories; t++)
        right = right && rows.before + rows.starts[t] == d->starts[each.before + t];
    if (rm2i_rows_cut(own, &rows, rm2i_unit_rows(rows.all), &cut) != RM2_OK)
        abort();
    d->right[comm->rank] = right && cut.unit[cut.units] == rows.n;
    d->of[comm->rank] = cut;
    rm2i_rows_free(&cut);
    rm2i_rows_free(&rows);
}

/* Whole trajectories to each, consecutive ones, whose units are those of all rows. */
static void rows_are_divided_between_units(void **state) {
    (void)state;
    static division d;
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    for (size_t t = 0; t < TRAJECTORIES; t++)
        d.starts[t + 1] = d.starts[t] + 1 + (size_t)(rm2_rng_uniform(&rng) * LONGEST);
    size_t N = d.starts[TRAJECTORIES];
    run_thread_team(ctx, 4, divide, &d);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(d.status[k], RM2_OK);
        assert_true(d.right[k]);
        assert_int_equal(d.of[k].all, N);
        assert_int_equal(d.of[k].before, k ? d.of[k - 1].before + d.of[k - 1].n : 0);
        assert_int_equal(d.of[k].units_before,
                         k ? d.of[k - 1].units_before + d.of[k - 1].units : 0);
        assert_in_range(d.of[k].n, N / 8, N / 2);
    }
    assert_int_equal(d.of[3].before + d.of[3].n, N);
    for (size_t t = 0; t <= TRAJECTORIES; t++)
        d.starts[t] = t; /* too few points for two units */
    run_thread_team(ctx, 2, divide, &d);
    assert_int_equal(d.status[0], RM2_ERR_DATA);
    assert_int_equal(d.status[1], RM2_ERR_DATA);
}

/* ---- failures ------------------------------------------------------------------------------- */

typedef struct failure {
    int rank; /* that fails, and those behind it; -1: none */
    rm2_status status[3];
    char message[3][64];
} failure;

static void fail_on_some(rm2_context *own, const rm2_communicator *comm, void *user) {
    failure *f = user;
    rm2_status status = RM2_OK;
    if (f->rank >= 0 && comm->rank >= f->rank)
        status = rm2i_fail(own, RM2_ERR_MEMORY, "no room on %d", comm->rank);
    const rm2i_rows none = rm2i_rows_none(own);
    f->status[comm->rank] = rm2i_rows_agree(own, &none, status);
    strncpy(f->message[comm->rank], rm2_context_error(own), sizeof f->message[0] - 1);
}

static void a_failure_of_one_is_that_of_all(void **state) {
    (void)state;
    static const char *const messages[] = {"no room on 0", "rank 1: no room on 1",
                                           "rank 2: no room on 2"};
    for (int rank = -1; rank < 3; rank++) {
        failure f = {.rank = rank};
        run_thread_team(ctx, 3, fail_on_some, &f);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(f.status[k], rank < 0 ? RM2_OK : RM2_ERR_MEMORY);
            if (rank >= 0)
                assert_string_equal(f.message[k], messages[rank]);
        }
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

static void nothing(void *user, int root, size_t bytes, void *data) {
    (void)user, (void)root, (void)bytes, (void)data;
}

static void gather_nothing(void *user, const size_t *counts, const double *own, double *all) {
    (void)user, (void)counts, (void)own, (void)all;
}

static void exchange_nothing(void *user, const size_t *sent, const double *out,
                             const size_t *received, double *in) {
    (void)user, (void)sent, (void)out, (void)received, (void)in;
}

static void tables_are_checked(void **state) {
    (void)state;
    const rm2_communicator good = {sizeof good,     0, 2, NULL, nothing, gather_nothing,
                                   exchange_nothing};
    rm2_communicator bad[] = {good, good, good, good, good, good};
    bad[0].rank = -1;
    bad[1].rank = 2;
    bad[2].ranks = 0;
    bad[3].broadcast = NULL;
    bad[4].alltoall = NULL;
    bad[5].size = 8;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(rm2_context_set_communicator(ctx, &bad[k]), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_context_set_communicator(ctx, &good), RM2_OK);
    assert_ptr_equal(rm2i_rows_none(ctx).comm, &good);
    const rm2_communicator one = {sizeof one,      0, 1, NULL, nothing, gather_nothing,
                                  exchange_nothing};
    assert_int_equal(rm2_context_set_communicator(ctx, &one), RM2_OK);
    assert_null(rm2i_rows_none(ctx).comm); /* the same as none */
    assert_int_equal(rm2_context_set_communicator(ctx, NULL), RM2_OK);
    assert_null(rm2i_rows_none(ctx).comm);
    assert_null(rm2i_rows_none(NULL).comm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(rows_go_and_come_back),
        cmocka_unit_test(rows_are_divided_between_units),
        cmocka_unit_test(a_failure_of_one_is_that_of_all),
        cmocka_unit_test(tables_are_checked),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
