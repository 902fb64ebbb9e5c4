/* Arenas: what is counted is what is handed out, arrays do not meet, sizes that cannot be are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "context_fixture.h"
#include "failing_malloc.h"

typedef struct mark {
    double value;
    size_t place;
    char name[3];
} mark;

typedef struct thing {
    size_t n, m;
    double *matrix, *vector, *nothing;
    size_t *index;
    int *number;
    mark *marks;
    char *text;
    double *last;
    double *memory;
} thing;

static void lay_out(void *arg, rm2i_arena *a) {
    thing *t = arg;
    t->matrix = rm2i_reserve(a, double, t->n, t->m);
    t->vector = rm2i_reserve(a, double, t->m);
    t->nothing = rm2i_reserve(a, double, t->n, 0);
    t->index = rm2i_reserve(a, size_t, t->n);
    t->number = rm2i_reserve(a, int, t->n, t->m, 3);
    t->marks = rm2i_reserve(a, mark, t->n);
    t->text = rm2i_reserve(a, char, t->m);
    t->last = rm2i_reserve(a, double, 1);
}

/* ---- counting and handing out --------------------------------------------------------------- */

static size_t doubles_of(size_t bytes) {
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

/* The definition: each array takes the doubles that hold it. */
static size_t expected(size_t n, size_t m) {
    return n * m + m + doubles_of(n * sizeof(size_t)) + doubles_of(n * m * 3 * sizeof(int)) +
           doubles_of(n * sizeof(mark)) + doubles_of(m) + 1;
}

static void counting_gives_the_size_and_no_pointers(void **state) {
    (void)state;
    for (size_t n = 0; n < 9; n++)
        for (size_t m = 0; m < 9; m++) {
            thing t = {.n = n, .m = m};
            rm2i_arena count = {NULL, 0};
            lay_out(&t, &count);
            assert_int_equal(count.used, expected(n, m));
            assert_null(t.matrix);
            assert_null(t.index);
            assert_null(t.last);
            double memory[1000];
            rm2i_arena cut = {memory, 0};
            lay_out(&t, &cut);
            assert_int_equal(cut.used, count.used);
            assert_ptr_equal(t.matrix, memory);
            assert_ptr_equal(t.last + 1, memory + count.used);
        }
}

static void doubles_follow_each_other_without_gaps(void **state) {
    (void)state;
    double memory[100];
    thing t = {.n = 3, .m = 5};
    lay_out(&t, &(rm2i_arena){memory, 0});
    assert_ptr_equal(t.vector, t.matrix + 15);
    assert_ptr_equal(t.nothing, t.vector + 5);
    assert_ptr_equal(t.index, t.nothing);
}

/* Written from end to end, no array changes another. Sanitizers see what lies outside of the memory. */
static void arrays_are_aligned_and_apart(void **state) {
    for (size_t n = 1; n < 9; n++)
        for (size_t m = 1; m < 9; m++) {
            thing t = {.n = n, .m = m};
            assert_int_equal(rm2i_arena_alloc(*state, lay_out, &t, &t.memory), RM2_OK);
            const struct {
                void *at;
                size_t bytes, align;
            } array[] = {{t.matrix, n * m * sizeof(double), _Alignof(double)},
                         {t.vector, m * sizeof(double), _Alignof(double)},
                         {t.index, n * sizeof(size_t), _Alignof(size_t)},
                         {t.number, n * m * 3 * sizeof(int), _Alignof(int)},
                         {t.marks, n * sizeof(mark), _Alignof(mark)},
                         {t.text, m, 1},
                         {t.last, sizeof(double), _Alignof(double)}};
            enum { ARRAYS = sizeof array / sizeof array[0] };
            for (int k = 0; k < ARRAYS; k++)
                memset(array[k].at, k + 1, array[k].bytes);
            for (int k = 0; k < ARRAYS; k++) {
                assert_int_equal((uintptr_t)array[k].at % array[k].align, 0);
                for (size_t i = 0; i < array[k].bytes; i++)
                    assert_int_equal(((unsigned char *)array[k].at)[i], k + 1);
            }
            free(t.memory);
        }
}

static void memory_is_cleared_where_that_is_asked_for(void **state) {
    thing t = {.n = 40, .m = 7};
    assert_int_equal(rm2i_arena_calloc(*state, lay_out, &t, &t.memory), RM2_OK);
    for (size_t i = 0; i < expected(40, 7); i++)
        assert_true(t.memory[i] == 0);
    free(t.memory);
}

static void turns_continue_behind_the_longer(void **state) {
    (void)state;
    double memory[20];
    rm2i_arena a = {memory, 0};
    (void)rm2i_reserve(&a, double, 2);
    rm2i_arena one = a, other = a;
    assert_ptr_equal(rm2i_reserve(&one, double, 3), memory + 2);
    assert_ptr_equal(rm2i_reserve(&other, double, 7), memory + 2);
    assert_int_equal(rm2i_arena_longer(one, other).used, 9);
    assert_int_equal(rm2i_arena_longer(other, one).used, 9);
    a = rm2i_arena_longer(one, other);
    assert_ptr_equal(rm2i_reserve(&a, double, 1), memory + 9);
}

/* ---- sizes that cannot be ------------------------------------------------------------------- */

static size_t counted(size_t first, size_t rows, size_t columns) {
    rm2i_arena a = {NULL, 0};
    (void)rm2i_reserve(&a, double, first);
    (void)rm2i_reserve(&a, double, rows, columns);
    (void)rm2i_reserve(&a, double, 3); /* a count that is too large stays so */
    (void)rm2i_reserve(&a, double, 0);
    return a.used;
}

static void too_large_a_count_is_kept(void **state) {
    (void)state;
    const size_t half = (size_t)1 << (4 * sizeof(size_t));
    assert_int_equal(counted(0, 1, 1), 4);
    assert_int_equal(counted(0, SIZE_MAX - 4, 1), SIZE_MAX - 1);
    assert_int_equal(counted(0, SIZE_MAX - 2, 1), SIZE_MAX); /* the sum */
    assert_int_equal(counted(0, half, half), SIZE_MAX);      /* the product, which would be 0 */
    assert_int_equal(counted(0, half, half + 1), SIZE_MAX);
    assert_int_equal(counted(SIZE_MAX, 1, 1), SIZE_MAX); /* of a part that is too large itself */
    rm2i_arena whole = {NULL, 0};
    (void)rm2i_reserve(&whole, mark, SIZE_MAX / sizeof(mark) + 1);
    assert_int_equal(whole.used, doubles_of(sizeof(mark)) * (SIZE_MAX / sizeof(mark) + 1));
    (void)rm2i_reserve(&whole, mark, SIZE_MAX / doubles_of(sizeof(mark)) + 1);
    assert_int_equal(whole.used, SIZE_MAX);
    rm2i_arena odd = {NULL, 0};
    (void)rm2i_reserve(&odd, int, SIZE_MAX / sizeof(int) + 1);
    assert_int_equal(odd.used, SIZE_MAX);
}

static void too_large_a_layout_is_lack_of_memory(void **state) {
    const size_t half = (size_t)1 << (4 * sizeof(size_t));
    const size_t sizes[][2] = {
        {half, half}, {half, half / 8}, {half, half / 16}, {SIZE_MAX, 1}, {1, SIZE_MAX}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        thing t = {.n = sizes[k][0], .m = sizes[k][1], .memory = (double[1]){0}};
        assert_int_equal(rm2i_arena_alloc(*state, lay_out, &t, &t.memory), RM2_ERR_MEMORY);
        assert_null(t.memory);
        assert_null(t.matrix);
        assert_non_null(strstr(rm2_context_error(*state), "out of memory"));
        assert_int_equal(rm2i_arena_calloc(*state, lay_out, &t, &t.memory), RM2_ERR_MEMORY);
    }
}

static rm2_status never(const void *job, size_t i, double *work) {
    (void)job, (void)i, (void)work;
    fail_msg("called without scratch");
    return RM2_OK;
}

static void scratch_of_a_batch_may_be_too_large(void **state) {
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 64};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        assert_int_equal(rm2i_batch(*state, 100, sizes[k], never, NULL, NULL), RM2_ERR_MEMORY);
        assert_int_equal(rm2i_jobs(*state, 100, sizes[k], never, NULL, NULL), RM2_ERR_MEMORY);
    }
}

/* ---- allocations that fail ------------------------------------------------------------------ */

static rm2_status both_ways(void *state) {
    thing t = {.n = 4, .m = 4};
    RM2_TRY(rm2i_arena_alloc(state, lay_out, &t, &t.memory));
    free(t.memory);
    rm2_status status = rm2i_arena_calloc(state, lay_out, &t, &t.memory);
    assert_true((status == RM2_OK) == (t.memory != NULL));
    assert_true((status == RM2_OK) == (t.last != NULL));
    free(t.memory);
    return status;
}

static void allocations_may_fail(void **state) {
    assert_int_equal(fail_each_allocation(*state, both_ways, *state), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(counting_gives_the_size_and_no_pointers),
        WITH_CONTEXT(doubles_follow_each_other_without_gaps),
        WITH_CONTEXT(arrays_are_aligned_and_apart),
        WITH_CONTEXT(memory_is_cleared_where_that_is_asked_for),
        WITH_CONTEXT(turns_continue_behind_the_longer),
        WITH_CONTEXT(too_large_a_count_is_kept),
        WITH_CONTEXT(too_large_a_layout_is_lack_of_memory),
        WITH_CONTEXT(scratch_of_a_batch_may_be_too_large),
        WITH_CONTEXT(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
