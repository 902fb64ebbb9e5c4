/* Units: whole trajectories, every row once, the same units for any cut between them; and trees of sums, which no division
 * changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "rows/rows.h"

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

static rm2i_rows cut_into(size_t trajectories, const size_t *starts, size_t unit_rows) {
    const rm2i_rows all = rm2i_rows_alone(starts[trajectories], trajectories, starts);
    rm2i_rows cut;
    assert_int_equal(rm2i_rows_cut(ctx, &all, unit_rows, &cut), RM2_OK);
    return cut;
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

static void units_are_whole_trajectories(void **state) {
    (void)state;
    size_t starts[MOST + 1];
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t count = random_starts(seed, starts), rows = seed % 2 ? 128 : 300;
        rm2i_rows r = cut_into(count, starts, rows), each = rm2i_rows_of_trajectories(&r);
        rm2i_rows steps = rm2i_rows_of_steps(&r);
        size_t units = r.units;
        const size_t *row = r.unit, *trajectory = each.unit;
        assert_int_equal(each.units, units);
        assert_int_equal(each.n, count);
        assert_int_equal(steps.units, units);
        assert_int_equal(steps.all, starts[count] - count);
        assert_int_equal(row[0], 0);
        assert_int_equal(row[units], starts[count]);
        assert_int_equal(trajectory[units], count);
        for (size_t k = 0; k <= units; k++) {
            assert_int_equal(row[k], starts[trajectory[k]]);
            assert_int_equal(steps.unit[k], row[k] - trajectory[k]);
        }
        for (size_t k = 0; k + 1 < units; k++) { /* long enough, and not without its last one */
            assert_true(row[k + 1] - row[k] >= rows);
            assert_true(starts[trajectory[k + 1] - 1] - row[k] < rows);
        }
        rm2i_rows_free(&r);
        r = cut_into(count, starts, SIZE_MAX);
        assert_int_equal(r.units, 1);
        assert_int_equal(rm2i_rows_of_steps(&r).unit[1], starts[count] - count);
        rm2i_rows_free(&r);
    }
}

/* What a process has from some unit on is cut as the whole is. */
static void parts_have_the_units_of_the_whole(void **state) {
    (void)state;
    size_t starts[MOST + 1], part[MOST + 1];
    for (uint64_t seed = 0; seed < 50; seed++) {
        size_t count = random_starts(seed, starts);
        rm2i_rows r = cut_into(count, starts, 128);
        size_t cut = r.units / 2, first = rm2i_rows_of_trajectories(&r).unit[cut];
        for (size_t t = first; t <= count; t++)
            part[t - first] = starts[t] - starts[first];
        rm2i_rows rest = cut_into(count - first, part, 128);
        assert_int_equal(rest.units, r.units - cut);
        for (size_t k = 0; k <= rest.units; k++)
            assert_int_equal(rest.unit[k] + starts[first], r.unit[cut + k]);
        rm2i_rows_free(&rest);
        rm2i_rows_free(&r);
    }
}

static void points_without_trajectories(void **state) {
    (void)state;
    const rm2i_rows all = rm2i_rows_alone(300, 0, NULL);
    rm2i_rows r;
    assert_int_equal(rm2i_rows_cut(ctx, &all, 128, &r), RM2_OK);
    assert_int_equal(r.units, 3);
    assert_int_equal(rm2i_rows_of_steps(&r).units, 0);
    assert_int_equal(r.unit[1], 128);
    assert_int_equal(r.unit[3], 300);
    rm2i_rows_free(&r);
    assert_int_equal(rm2i_unit_rows(300), 128);
    assert_int_equal(rm2i_unit_rows(64000), 1000);
    assert_int_equal(rm2i_unit_rows(100000000), 16384);
}

static void blocks_are_full_and_even(void **state) {
    (void)state;
    assert_int_equal(rm2i_block_rows(100), 104);
    assert_int_equal(rm2i_block_rows(128), 128);
    assert_int_equal(rm2i_block_rows(129), 72);
    assert_int_equal(rm2i_block_rows(200), 104);
    for (size_t n = 1; n < 5000; n++)
        assert_in_range(rm2i_block_rows(n), 1, RM2I_ROWS);
}

/* ---- trees ---------------------------------------------------------------------------------- */

enum { TERMS = 300, SIZE = 3 };

static double terms[TERMS][SIZE];

static void fill(rm2i_tree *tree, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        memcpy(rm2i_tree_leaf(tree, i), terms[i], sizeof terms[i]);
}

/* By the definition: a node is the sum of its two children, from the leaves up. */
static void by_definition(size_t count, double *sum) {
    double level[TERMS][SIZE];
    memcpy(level, terms, sizeof level);
    size_t width = 1;
    for (; width * 2 <= count; width *= 2)
        for (size_t i = 0; i + 2 * width <= count; i += 2 * width)
            for (size_t k = 0; k < SIZE; k++)
                level[i][k] += level[i + width][k];
    /* whole nodes from the left: powers of two of `count`, added from the right */
    size_t at[32], nodes = 0;
    for (size_t done = 0; done < count; done += width) {
        while (width > count - done)
            width /= 2;
        at[nodes++] = done;
    }
    for (size_t k = 0; k < SIZE; k++) {
        sum[k] = level[at[nodes - 1]][k];
        for (size_t j = nodes - 1; j-- > 0;)
            sum[k] += level[at[j]][k];
    }
}

/* Terms of both signs over many powers of ten, in up to seven parts. */
static void sums_do_not_depend_on_the_division(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    for (size_t i = 0; i < TERMS; i++)
        for (size_t k = 0; k < SIZE; k++)
            terms[i][k] = rm2_rng_normal(&rng) * pow(10, 8 * rm2_rng_normal(&rng));
    for (size_t count = 1; count <= TERMS; count += 1 + count / 9) {
        double expected[SIZE];
        by_definition(count, expected);
        for (size_t parts = 1; parts <= 7; parts++) {
            size_t begin = 0, most = rm2i_tree_most(count);
            assert_in_range(most, 2, RM2I_TREE_NODES);
            double *values = calloc(2 * most, sizeof terms[0]);
            assert_non_null(values);
            rm2i_tree all = {.size = SIZE, .values = values};
            for (size_t p = 0; p < parts; p++) {
                size_t end = p + 1 < parts
                                 ? begin + (size_t)((double)(count - begin) * rm2_rng_uniform(&rng))
                                 : count;
                rm2i_tree part = {.size = SIZE, .values = values + most * SIZE};
                fill(&part, begin, end);
                assert_in_range(part.count, 0, most);
                rm2i_tree_append(&all, &part);
                assert_in_range(all.count, 0, most);
                begin = end;
            }
            assert_memory_equal(rm2i_tree_total(&all), expected, sizeof expected);
            free(values);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_whole_trajectories),
        cmocka_unit_test(parts_have_the_units_of_the_whole),
        cmocka_unit_test(points_without_trajectories),
        cmocka_unit_test(blocks_are_full_and_even),
        cmocka_unit_test(sums_do_not_depend_on_the_division),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
