/* Units and blocks: whole trajectories, every row once, the same blocks for any cut between units; and sums in twice the
 * precision that no order changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sum.h"
#include "gp/blocks.h"

enum { MOST = 200 };

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static rm2i_units *units_of(size_t trajectories, const size_t *starts) {
    rm2i_units *units;
    assert_int_equal(
        rm2i_units_create(ctx, starts[trajectories], trajectories, starts, &units), RM2_OK);
    return units;
}

/* Trajectories of 1 to 300 points. */
static size_t random_starts(uint64_t seed, size_t *starts) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    size_t count = 1 + (size_t)(rm2_rng_uniform(&rng) * (MOST - 1)),
           longest = 1 + (size_t)(rm2_rng_uniform(&rng) * 300);
    starts[0] = 0;
    for (size_t t = 0; t < count; t++)
        starts[t + 1] = starts[t] + 1 + (size_t)(rm2_rng_uniform(&rng) * (double)longest);
    return count;
}

/* In order, without gaps, each within the limit and inside one unit (`off`: what is left out before a unit). */
static void check_blocks(const rm2i_blocks *blocks, const rm2i_units *u, bool increments) {
    size_t b = 0;
    for (size_t k = 0; k < u->count; k++) {
        size_t begin = u->row[k] - (increments ? u->trajectory[k] : 0);
        size_t end = u->row[k + 1] - (increments ? u->trajectory[k + 1] : 0);
        while (begin < end) {
            assert_true(b < blocks->count);
            assert_int_equal(blocks->first[b], begin);
            begin = blocks->first[++b];
            assert_in_range(begin - blocks->first[b - 1], 1, RM2I_ROWS);
        }
        assert_int_equal(begin, end);
    }
    assert_int_equal(b, blocks->count);
}

static void units_are_whole_trajectories(void **state) {
    (void)state;
    size_t starts[MOST + 1];
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t count = random_starts(seed, starts);
        rm2i_units *u = units_of(count, starts);
        assert_int_equal(u->row[0], 0);
        assert_int_equal(u->row[u->count], starts[count]);
        assert_int_equal(u->trajectory[u->count], count);
        for (size_t k = 0; k < u->count; k++) {
            assert_int_equal(u->row[k], starts[u->trajectory[k]]);
            if (k + 1 < u->count) { /* long enough, and not without its last trajectory */
                assert_true(u->row[k + 1] - u->row[k] >= RM2I_ROWS);
                assert_true(starts[u->trajectory[k + 1] - 1] - u->row[k] < RM2I_ROWS);
            }
        }
        check_blocks(&u->points, u, false);
        check_blocks(&u->increments, u, true);
        rm2i_units_free(u);
    }
}

/* What a process has from some unit on is cut as the whole is. */
static void parts_have_the_blocks_of_the_whole(void **state) {
    (void)state;
    size_t starts[MOST + 1], part[MOST + 1];
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t count = random_starts(seed, starts);
        rm2i_units *u = units_of(count, starts);
        size_t cut = u->count / 2, first = u->trajectory[cut];
        for (size_t t = first; t <= count; t++)
            part[t - first] = starts[t] - starts[first];
        rm2i_units *rest = units_of(count - first, part);
        assert_int_equal(rest->count, u->count - cut);
        size_t skipped = u->points.count - rest->points.count;
        for (size_t b = 0; b <= rest->points.count; b++)
            assert_int_equal(rest->points.first[b] + starts[first], u->points.first[skipped + b]);
        rm2i_units_free(rest);
        rm2i_units_free(u);
    }
}

static void points_without_trajectories(void **state) {
    (void)state;
    rm2i_units *u;
    assert_int_equal(rm2i_units_create(ctx, 300, 0, NULL, &u), RM2_OK);
    assert_int_equal(u->count, 3);
    assert_int_equal(u->increments.count, 0);
    assert_int_equal(u->row[1], 128);
    assert_int_equal(u->row[3], 300);
    check_blocks(&u->points, u, false);
    rm2i_units_free(u);
}

/* Terms of both signs over many powers of ten, in random order and in parts: the same bits. */
static void sums_do_not_depend_on_the_division(void **state) {
    (void)state;
    enum { TERMS = 3000 };
    static double x[TERMS];
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    for (size_t i = 0; i < TERMS; i++)
        x[i] = rm2_rng_normal(&rng) * pow(10, 8 * rm2_rng_normal(&rng));
    double expected = 0;
    for (int trial = 0; trial < 200; trial++) {
        for (size_t i = TERMS; i-- > 1;) { /* shuffle */
            size_t j = (size_t)(rm2_rng_uniform(&rng) * (double)(i + 1));
            double keep = x[i];
            x[i] = x[j];
            x[j] = keep;
        }
        size_t parts = 1 + (size_t)trial % 7;
        double hi = 0, lo = 0;
        for (size_t p = 0; p < parts; p++) {
            double part_hi = 0, part_lo = 0;
            for (size_t i = p * TERMS / parts; i < (p + 1) * TERMS / parts; i++)
                rm2i_sum_add(x[i], &part_hi, &part_lo);
            rm2i_sums_merge(1, &part_hi, &part_lo, &hi, &lo);
        }
        rm2i_sums_round(1, &hi, &lo);
        if (trial == 0)
            expected = hi;
        else if (hi != expected)
            fail_msg("division %d: %.17g, expected %.17g", trial, hi, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_whole_trajectories),
        cmocka_unit_test(parts_have_the_blocks_of_the_whole),
        cmocka_unit_test(points_without_trajectories),
        cmocka_unit_test(sums_do_not_depend_on_the_division),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
