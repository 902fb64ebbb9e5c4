/* Base layer: statuses, contexts, messages, random numbers, batches, allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "base/base.h"
#include "context_fixture.h"
#include "front/base.h"
#include "front/texts.h"

/* ---- statuses and contexts ------------------------------------------------------------------ */

static void version_is_that_of_the_header(void **state) {
    (void)state;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d.%d.%d", RM2_VERSION_MAJOR, RM2_VERSION_MINOR,
                   RM2_VERSION_PATCH);
    assert_string_equal(rm2_version(), expected);
}

static void every_status_has_its_own_text(void **state) {
    (void)state;
    const rm2_status all[] = {
#define STATUS_NAME(name, value, text) name,
        RM2_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i], i);
        assert_true(strlen(rm2_status_text(all[i])) > 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rm2_status_text(all[i]), rm2_status_text(all[j]));
    }
    assert_string_equal(rm2_status_text((rm2_status)99), "unknown status");
    assert_string_equal(rm2_status_text((rm2_status)-1), "unknown status");
}

static void others_leave_messages_too(void **state) {
    rm2_context *ctx = *state;
    char longest[2000];
    assert_int_equal(rm2_context_fail(ctx, RM2_ERR_DATA, "row %d is %s", 7, "odd"), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx), "row 7 is odd");
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(rm2_context_fail(ctx, RM2_ERR_IO, "%s", longest), RM2_ERR_IO);
    assert_int_equal(strlen(rm2_context_error(ctx)), 1023);
    assert_int_equal(rm2_context_fail(NULL, RM2_ERR_IO, "x"), RM2_ERR_IO);
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* A code point as UTF-8 (RFC 3629, section 3); its length. */
static size_t encode(uint32_t c, char text[4]) {
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; c >>= 6)
        text[i] = (char)(0x80 | (c & 0x3f));
    text[0] = (char)(lead[length] | c);
    return length;
}

static void every_character_has_its_length(void **state) {
    (void)state;
    char text[4];
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        size_t length = encode(c, text);
        bool surrogate = c >= 0xd800 && c < 0xe000;
        assert_int_equal(rm2_utf8_length(text, length), surrogate ? 0 : length);
        assert_int_equal(rm2_utf8_length(text, length - 1), 0);
    }
    assert_int_equal(rm2_utf8_length(NULL, 3), 0);
}

/* By the categories of Unicode: Cc, Zl and Zp, and the characters with Bidi_Control. */
static void characters_that_give_orders(void **state) {
    (void)state;
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    char text[4];
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        size_t length = encode(c, text);
        bool shown = rm2_utf8_length(text, length) > 0;
        for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++)
            shown = shown && !(c >= ranges[k][0] && c <= ranges[k][1]);
        assert_int_equal(rm2_utf8_printable(text, length), shown ? length : 0);
    }
}

/* Of all three bytes, and of all two before two that end or do not end a character, there are as many of each
 * length as there are code points. */
static void nothing_else_is_a_character(void **state) {
    (void)state;
    static const unsigned char last[] = {0x7f, 0x80, 0xbf, 0xc0};
    size_t counts[5] = {0};
    for (uint32_t i = 0; i < 1u << 24; i++) {
        const unsigned char bytes[] = {(unsigned char)(i >> 16), (unsigned char)(i >> 8),
                                       (unsigned char)i};
        counts[rm2_utf8_length((const char *)bytes, 3)]++;
    }
    assert_int_equal(counts[1], 128 * 65536);
    assert_int_equal(counts[2], (0x800 - 0x80) * 256);
    assert_int_equal(counts[3], 0x10000 - 0x800 - 0x800);
    for (uint32_t i = 0; i < 1u << 20; i++) {
        const unsigned char bytes[] = {(unsigned char)(i >> 12), (unsigned char)(i >> 4),
                                       last[i >> 2 & 3], last[i & 3]};
        counts[4] += rm2_utf8_length((const char *)bytes, 4) == 4;
    }
    assert_int_equal(counts[4], (0x110000 - 0x10000) / 4096 * 4); /* last two: 80 or bf */
}

static void calls_without_a_context_do_nothing(void **state) {
    (void)state;
    assert_int_equal(rm2_context_create(NULL), RM2_ERR_ARGUMENT);
    rm2_context_free(NULL);
    assert_string_equal(rm2_context_error(NULL), "");
    rm2_context_set_threads(NULL, 3);
    assert_int_equal(rm2_context_threads(NULL), 1);
    rm2_context_set_log(NULL, NULL, NULL);
    rm2_context_interrupt(NULL);
    rm2_context_clear_interrupt(NULL);
    assert_false(rm2i_interrupted(NULL));
    rm2_context_set_seed(NULL, 1);
    assert_null(rm2_context_rng(NULL));
    assert_int_equal(rm2i_fail(NULL, RM2_ERR_IO, "x"), RM2_ERR_IO);
    assert_int_equal(rm2i_fail_prefix(NULL, RM2_ERR_IO, "x"), RM2_ERR_IO);
    rm2i_log(NULL, RM2_LOG_INFO, "x");
}

static void new_context_is_empty(void **state) {
    rm2_context *ctx = *state;
    assert_string_equal(rm2_context_error(ctx), "");
    assert_int_equal(rm2_context_threads(ctx), omp_get_num_procs());
    assert_false(rm2i_interrupted(ctx));
    rm2_rng expected;
    rm2_rng_seed(&expected, 0);
    assert_true(rm2_rng_next(&expected) == rm2_rng_next(rm2_context_rng(ctx)));
}

static void threads_are_kept(void **state) {
    rm2_context *ctx = *state;
    rm2_context_set_threads(ctx, 5);
    assert_int_equal(rm2_context_threads(ctx), 5);
    rm2_context_set_threads(ctx, 0);
    assert_int_equal(rm2_context_threads(ctx), omp_get_num_procs());
    rm2_context_set_threads(ctx, -4);
    assert_int_equal(rm2_context_threads(ctx), omp_get_num_procs());
}

static void interrupt_is_set_and_cleared(void **state) {
    rm2_context *ctx = *state;
    rm2_context_interrupt(ctx);
    assert_true(rm2i_interrupted(ctx));
    rm2_context_clear_interrupt(ctx);
    assert_false(rm2i_interrupted(ctx));
}

/* ---- messages ------------------------------------------------------------------------------- */

static void failure_is_stored_and_prefixed(void **state) {
    rm2_context *ctx = *state;
    assert_int_equal(rm2i_fail(ctx, RM2_ERR_DATA, "row %d is %s", 7, "empty"), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx), "row 7 is empty");
    assert_int_equal(rm2i_fail_prefix(ctx, RM2_ERR_DATA, "file %s", "a.csv"), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx), "file a.csv: row 7 is empty");
}

/* Whatever a message quotes: it stays one line, and a terminal takes nothing of it for a command. */
static void messages_are_one_line(void **state) {
    rm2_context *ctx = *state;
    (void)rm2i_fail(ctx, RM2_ERR_DATA, "id \"%s\"", "a\nb\x1b[2J\x7f é");
    assert_string_equal(rm2_context_error(ctx), "id \"a?b?[2J? é\"");
    (void)rm2i_fail_prefix(ctx, RM2_ERR_DATA, "%s", "c\td");
    assert_string_equal(rm2_context_error(ctx), "c?d: id \"a?b?[2J? é\"");
}

static void long_messages_are_cut(void **state) {
    rm2_context *ctx = *state;
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    (void)rm2i_fail(ctx, RM2_ERR_DATA, "%s", text);
    size_t kept = strlen(rm2_context_error(ctx));
    assert_true(kept > 500 && kept < sizeof text - 1);
    assert_memory_equal(rm2_context_error(ctx), text, kept);
    (void)rm2i_fail_prefix(ctx, RM2_ERR_DATA, "here");
    assert_int_equal(strlen(rm2_context_error(ctx)), kept);
    assert_memory_equal(rm2_context_error(ctx), "here: aaa", 9);
    (void)rm2i_fail_prefix(ctx, RM2_ERR_DATA, "%s", text); /* nothing else fits */
    assert_int_equal(strlen(rm2_context_error(ctx)), kept);
    assert_memory_equal(rm2_context_error(ctx), text, kept);
}

typedef struct sink {
    int lines;
    rm2_log_level level;
    char last[2048];
} sink;

static void keep_line(void *user, rm2_log_level level, const char *line) {
    sink *s = user;
    s->lines++;
    s->level = level;
    (void)snprintf(s->last, sizeof s->last, "%s", line);
}

static void log_goes_to_the_sink(void **state) {
    rm2_context *ctx = *state;
    sink s = {.lines = 0};
    rm2i_log(ctx, RM2_LOG_INFO, "dropped");
    rm2_context_set_log(ctx, keep_line, &s);
    rm2i_log(ctx, RM2_LOG_WARNING, "%d of %d", 1, 2);
    assert_int_equal(s.lines, 1);
    assert_int_equal(s.level, RM2_LOG_WARNING);
    assert_string_equal(s.last, "1 of 2");
    rm2_context_set_log(ctx, NULL, NULL);
    rm2i_log(ctx, RM2_LOG_INFO, "dropped");
    assert_int_equal(s.lines, 1);
}

/* ---- random numbers ------------------------------------------------------------------------- */

/* First outputs of splitmix64 from 0, and of xoshiro256++ from the state 1, 2, 3, 4: values of the
 * public reference implementations. */
static void generator_matches_the_reference(void **state) {
    (void)state;
    static const uint64_t seeded[4] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                       UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
    static const uint64_t outputs[10] = {UINT64_C(41943041),
                                         UINT64_C(58720359),
                                         UINT64_C(3588806011781223),
                                         UINT64_C(3591011842654386),
                                         UINT64_C(9228616714210784205),
                                         UINT64_C(9973669472204895162),
                                         UINT64_C(14011001112246962877),
                                         UINT64_C(12406186145184390807),
                                         UINT64_C(15849039046786891736),
                                         UINT64_C(10450023813501588000)};
    rm2_rng rng;
    rm2_rng_seed(&rng, 0);
    assert_memory_equal(rng.state, seeded, sizeof seeded);
    rng = (rm2_rng){.state = {1, 2, 3, 4}};
    for (size_t i = 0; i < 10; i++)
        assert_true(rm2_rng_next(&rng) == outputs[i]);
}

static void same_seed_gives_the_same_numbers(void **state) {
    rm2_context *ctx = *state;
    double first[9];
    for (int round = 0; round < 2; round++) {
        rm2_context_set_seed(ctx, 42); /* also forgets the spare normal of an odd count */
        for (size_t i = 0; i < 9; i++) {
            double x = rm2_rng_normal(rm2_context_rng(ctx));
            if (round == 0)
                first[i] = x;
            else
                assert_true(x == first[i]);
        }
    }
    rm2_context_set_seed(ctx, 43);
    assert_true(rm2_rng_normal(rm2_context_rng(ctx)) != first[0]);
}

static void uniform_numbers_leave_out_the_ends(void **state) {
    (void)state;
    rm2_rng least = {.state = {0, 1, 1, 0}};            /* next output: 0 */
    rm2_rng largest = {.state = {UINT64_MAX, 1, 1, 1}}; /* next output: 2^64 - 1 */
    rm2_rng copy = largest;
    assert_true(rm2_rng_next(&copy) == UINT64_MAX);
    assert_true(rm2_rng_uniform(&least) > 0);
    assert_true(rm2_rng_uniform(&largest) < 1);
}

/* Sample moments of n numbers lie within 5 standard errors of the true ones. */
static void moments(double (*draw)(rm2_rng *), const double expected[4], const double spread[4]) {
    enum { N = 200000 };
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    double sum[4] = {0};
    for (int i = 0; i < N; i++) {
        double x = draw(&rng), power = 1;
        for (int k = 0; k < 4; k++)
            sum[k] += power *= x;
    }
    for (int k = 0; k < 4; k++)
        assert_true(fabs(sum[k] / N - expected[k]) < 5 * spread[k] / sqrt(N));
}

static void uniform_moments(void **state) {
    (void)state; /* E x^k = 1/(k+1), Var x^k = 1/(2k+1) - 1/(k+1)^2 */
    const double expected[4] = {1 / 2.0, 1 / 3.0, 1 / 4.0, 1 / 5.0};
    const double spread[4] = {sqrt(1 / 12.0), sqrt(4 / 45.0), sqrt(9 / 112.0), sqrt(16 / 225.0)};
    moments(rm2_rng_uniform, expected, spread);
}

static void normal_moments(void **state) {
    (void)state; /* E x^2k = 1, 3, 15, 105 for k = 1..4 */
    const double expected[4] = {0, 1, 0, 3};
    const double spread[4] = {1, sqrt(2), sqrt(15), sqrt(96)};
    moments(rm2_rng_normal, expected, spread);
}

/* ---- batches -------------------------------------------------------------------------------- */

typedef struct batch {
    int *visits;
    size_t bad[3];
    rm2_context *ctx; /* interrupted at the first point, if given */
} batch;

static rm2_status visit(const void *job, size_t i, double *work) {
    const batch *b = job;
    for (int k = 0; k < 3; k++)
        work[k] = (double)i;
    b->visits[i]++;
    if (b->ctx)
        rm2_context_interrupt(b->ctx);
    for (int k = 0; k < 3; k++) {
        if (work[k] != (double)i) /* another thread wrote here */
            return RM2_ERR_NUMERIC;
        if (i == b->bad[k])
            return k == 0 ? RM2_ERR_CUT_LOCUS : RM2_ERR_DOMAIN;
    }
    return RM2_OK;
}

enum { POINTS = 5000, WAYS = 2 };

typedef rm2_status (*batch_fn)(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                               const void *job, size_t *failed);
static const batch_fn ways[WAYS] = {rm2i_batch, rm2i_jobs}; /* light and heavy work a point */

static void batch_visits_every_point_once(void **state) {
    rm2_context *ctx = *state;
    static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 257, POINTS};
    for (int run = 0; run < 4 * WAYS; run++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            int visits[POINTS] = {0};
            batch b = {.visits = visits, .bad = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
            rm2_context_set_threads(ctx, 1 + run / WAYS);
            assert_int_equal(ways[run % WAYS](ctx, sizes[k], 3, visit, &b, NULL), RM2_OK);
            for (size_t i = 0; i < POINTS; i++)
                assert_int_equal(visits[i], i < sizes[k]);
        }
}

static void batch_reports_the_smallest_failure(void **state) {
    rm2_context *ctx = *state;
    for (int run = 0; run < 8 * WAYS; run++) {
        int visits[POINTS] = {0};
        batch b = {.visits = visits, .bad = {1234, 1235, 4999}};
        size_t failed = 0;
        batch_fn way = ways[run % WAYS];
        rm2_context_set_threads(ctx, 1 + run / WAYS);
        assert_int_equal(way(ctx, POINTS, 3, visit, &b, &failed), RM2_ERR_CUT_LOCUS);
        assert_int_equal(failed, 1234);
        assert_int_equal(way(ctx, POINTS, 3, visit, &b, NULL), RM2_ERR_CUT_LOCUS);
    }
}

static void batch_stops_when_interrupted(void **state) {
    rm2_context *ctx = *state;
    for (int run = 0; run < 4 * WAYS; run++) {
        int visits[POINTS] = {0}, total = 0;
        batch b = {.visits = visits, .bad = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, .ctx = ctx};
        rm2_context_set_threads(ctx, 1 + run / WAYS);
        assert_int_equal(ways[run % WAYS](ctx, POINTS, 3, visit, &b, NULL), RM2_INTERRUPTED);
        assert_string_equal(rm2_context_error(ctx), "interrupted");
        for (size_t i = 0; i < POINTS; i++)
            total += visits[i];
        assert_true(total < POINTS);
        rm2_context_clear_interrupt(ctx);
    }
}

/* ---- allocation ----------------------------------------------------------------------------- */

static void impossible_sizes_are_refused(void **state) {
    rm2_context *ctx = *state;
    double *block = (double *)state; /* anything that is not NULL */
    assert_int_equal(rm2i_alloc(ctx, SIZE_MAX, sizeof *block, &block), RM2_ERR_MEMORY);
    assert_null(block);
    assert_non_null(strstr(rm2_context_error(ctx), "out of memory"));
    assert_int_equal(rm2i_calloc(ctx, SIZE_MAX / 4, sizeof *block, &block), RM2_ERR_MEMORY);
    assert_null(block);
}

static void empty_blocks_are_blocks(void **state) {
    rm2_context *ctx = *state;
    double *block;
    assert_int_equal(rm2i_alloc(ctx, 0, sizeof *block, &block), RM2_OK);
    assert_non_null(block);
    free(block);
}

static void growing_keeps_the_contents(void **state) {
    rm2_context *ctx = *state;
    int *block;
    assert_int_equal(rm2i_calloc(ctx, 3, sizeof *block, &block), RM2_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(block[i], 0);
        block[i] = i;
    }
    assert_int_equal(rm2i_grow(ctx, 1000, sizeof *block, &block), RM2_OK);
    int *before = block;
    assert_int_equal(rm2i_grow(ctx, SIZE_MAX, sizeof *block, &block), RM2_ERR_MEMORY);
    assert_ptr_equal(block, before);
    for (int i = 0; i < 3; i++)
        assert_int_equal(block[i], i);
    free(block);
}

static void strings_are_copied(void **state) {
    rm2_context *ctx = *state;
    char *copy;
    assert_int_equal(rm2i_strdup(ctx, "R3 x S3", &copy), RM2_OK);
    assert_string_equal(copy, "R3 x S3");
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(calls_without_a_context_do_nothing),
        WITH_CONTEXT(new_context_is_empty),
        WITH_CONTEXT(threads_are_kept),
        WITH_CONTEXT(interrupt_is_set_and_cleared),
        WITH_CONTEXT(failure_is_stored_and_prefixed),
        WITH_CONTEXT(messages_are_one_line),
        WITH_CONTEXT(long_messages_are_cut),
        WITH_CONTEXT(others_leave_messages_too),
        cmocka_unit_test(characters_that_give_orders),
        cmocka_unit_test(every_character_has_its_length),
        cmocka_unit_test(nothing_else_is_a_character),
        WITH_CONTEXT(log_goes_to_the_sink),
        cmocka_unit_test(generator_matches_the_reference),
        WITH_CONTEXT(same_seed_gives_the_same_numbers),
        cmocka_unit_test(uniform_numbers_leave_out_the_ends),
        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(normal_moments),
        WITH_CONTEXT(batch_visits_every_point_once),
        WITH_CONTEXT(batch_reports_the_smallest_failure),
        WITH_CONTEXT(batch_stops_when_interrupted),
        WITH_CONTEXT(impossible_sizes_are_refused),
        WITH_CONTEXT(empty_blocks_are_blocks),
        WITH_CONTEXT(growing_keeps_the_contents),
        WITH_CONTEXT(strings_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
