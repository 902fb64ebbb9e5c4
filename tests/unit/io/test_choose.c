/* Columns by lists: names, numbers, ranges, quotes, what is left out, what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "context_fixture.h"
#include "front/tables.h"
#include "riemann2/io.h"

static char id[] = "id", comma[] = "x, y", range[] = "1-2", quoted[] = "a\"b", m11[] = "m11",
            m12[] = "m12";
static char *names[] = {id, comma, range, quoted, m11, m12};

typedef struct choice_case {
    const char *columns, *ignore, *role;
    size_t count, chosen[6];
    const char *message; /* NULL: it succeeds */
} choice_case;

static const choice_case cases[] = {
    {NULL, NULL, NULL, 6, {0, 1, 2, 3, 4, 5}, NULL},
    {NULL, NULL, "id", 5, {1, 2, 3, 4, 5}, NULL},
    {"4-5", NULL, "id", 2, {4, 5}, NULL},
    {"m12,m11", NULL, NULL, 2, {5, 4}, NULL},
    {"1-2", NULL, NULL, 1, {2}, NULL}, /* the name comes before the range */
    {"3-3,0", NULL, NULL, 2, {3, 0}, NULL},
    {"\"x, y\",m11", NULL, NULL, 2, {1, 4}, NULL},
    {"\"a\"\"b\"", NULL, NULL, 1, {3}, NULL},
    {NULL, "id,\"x, y\"", NULL, 4, {2, 3, 4, 5}, NULL},
    {NULL, "0-3", NULL, 2, {4, 5}, NULL},
    {"m11,m11", NULL, NULL, 0, {0}, "column \"m11\" is used twice"},
    {"id", NULL, "id", 0, {0}, "column \"id\" is used twice"},
    {"m11", "m11", NULL, 0, {0}, "column \"m11\" is used twice"},
    {"4-6", NULL, NULL, 0, {0}, "has no column '4-6'; its columns are: id, x, y, 1-2"},
    {"5-4", NULL, NULL, 0, {0}, "has no column '5-4'"},
    {"\"0\"", NULL, NULL, 0, {0}, "has no column '0'"},
    {"z", NULL, NULL, 0, {0}, "has no column 'z'"},
    {"4-99999999999999999999999", NULL, NULL, 0, {0}, "has no column"},
};

static void lists(void **state) {
    rm2_context *ctx = *state;
    const rm2_table table = {.columns = 6, .names = names};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const choice_case *c = &cases[i];
        const rm2_column_choice choice = {c->columns, c->ignore, &c->role, 1};
        size_t chosen[6], count;
        rm2_status status = rm2_table_choose(ctx, "f.csv", &table, &choice, chosen, &count);
        if (c->message) {
            assert_int_equal(status, RM2_ERR_DATA);
            assert_contains(rm2_context_error(ctx), c->message);
            continue;
        }
        assert_int_equal(status, RM2_OK);
        assert_int_equal(count, c->count);
        assert_memory_equal(chosen, c->chosen, count * sizeof *chosen);
    }
}

/* Columns that are not chosen may hold anything; ranges make no header, names do. */
static void reading(void **state) {
    rm2_context *ctx = *state;
    static const char plain[] = "x,1,2\ny,3,4\n", headed[] = "who,a,b\nx,1,2\n";
    rm2_column_choice choice = {.columns = "1-2"};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    s.choice = &choice;
    assert_int_equal(rm2_csv_parse(ctx, "f", plain, sizeof plain - 1, &s, &table), RM2_OK);
    assert_int_equal(table.rows, 2);
    assert_true(table.values[1] == 1 && table.values[5] == 4);
    rm2_table_clear(&table);
    choice.columns = NULL;
    choice.ignore = "who";
    assert_int_equal(rm2_csv_parse(ctx, "f", headed, sizeof headed - 1, &s, &table), RM2_OK);
    assert_true(table.rows == 1 && table.values[2] == 2);
    rm2_table_clear(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(lists), WITH_CONTEXT(reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
