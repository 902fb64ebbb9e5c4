#include "parts_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MESSAGE_SIZE = 1024 };

void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool is_text_file(const char *path) {
    return !rm2i_has_extension(path, ".npy") && !rm2i_has_extension(path, ".npz");
}

rm2_status read_whole(rm2_context *ctx, const reading *r, rm2i_raw *raw) {
    *raw = (rm2i_raw){.rows = 0};
    return is_text_file(r->path) ? rm2i_raw_from_table(ctx, r->path, &r->settings, raw)
                                 : rm2i_raw_from_array(ctx, r->path, &r->settings, &r->wanted, raw);
}

rm2_status make_plan(rm2_context *ctx, const reading *r, size_t parts, rm2i_raw_plan *plan) {
    return rm2i_raw_plan_make(ctx, r->path, &r->settings, &r->wanted, parts, plan);
}

rm2_status read_part(rm2_context *ctx, const reading *r, const rm2i_raw_plan *plan, size_t part,
                     rm2i_raw *raw) {
    *raw = (rm2i_raw){.rows = 0};
    return rm2i_raw_read_part(ctx, r->path, &r->settings, &r->wanted, plan, part, raw);
}

static const char *id_of(const rm2i_codes *codes, size_t row) {
    assert_true(codes->code[row] < codes->count);
    return codes->names[codes->code[row]];
}

/* The part is rows `from`, from + 1, ... of the whole, in all bits. */
static void expect_rows(const rm2i_raw *whole, size_t from, const rm2i_raw *part) {
    size_t width = whole->width;
    assert_int_equal(part->width, width);
    assert_true(part->rows <= whole->rows - from);
    assert_string_equal(part->row_word, whole->row_word);
    assert_true(!part->names == !whole->names && !part->columns == !whole->columns);
    assert_true(!part->time == !whole->time && !part->group.code == !whole->group.code);
    for (size_t c = 0; c < width; c++) {
        assert_true(!whole->columns || part->columns[c] == whole->columns[c]);
        if (whole->names)
            assert_string_equal(part->names[c], whole->names[c]);
    }
    for (size_t i = 0; i < part->rows; i++) {
        assert_memory_equal(part->values + i * width, whole->values + (from + i) * width,
                            width * sizeof *part->values);
        assert_int_equal(part->numbers[i], whole->numbers[from + i]);
        if (whole->time)
            assert_memory_equal(&part->time[i], &whole->time[from + i], sizeof *part->time);
        if (whole->group.code)
            assert_string_equal(id_of(&part->group, i), id_of(&whole->group, from + i));
    }
}

void expect_parts(rm2_context *ctx, const reading *r, const rm2i_raw *whole, size_t parts) {
    rm2i_raw_plan plan;
    size_t rows = 0;
    if (make_plan(ctx, r, parts, &plan) != RM2_OK)
        fail_msg("plan for %zu parts: %s", parts, rm2_context_error(ctx));
    assert_int_equal(plan.rows, is_text_file(r->path) ? 0 : whole->rows);
    for (size_t k = 0; k < parts; k++) {
        rm2i_raw part;
        if (read_part(ctx, r, &plan, k, &part) != RM2_OK)
            fail_msg("part %zu of %zu: %s", k, parts, rm2_context_error(ctx));
        expect_rows(whole, rows, &part);
        if (part.rows > 0)
            assert_int_equal(plan.numbers[k], part.numbers[0]);
        rows += part.rows;
        rm2i_raw_free(&part);
    }
    assert_int_equal(rows, whole->rows);
    rm2i_raw_plan_free(&plan);
}

/* The whole fails with this message. Then so does the plan, or the first part that fails. */
static void expect_failure(rm2_context *ctx, const reading *r, size_t parts, rm2_status expected,
                           const char *message) {
    rm2i_raw_plan plan;
    rm2_status status = make_plan(ctx, r, parts, &plan);
    for (size_t k = 0; status == RM2_OK && k < parts; k++) {
        rm2i_raw part;
        status = read_part(ctx, r, &plan, k, &part);
        rm2i_raw_free(&part);
    }
    assert_string_equal(status == RM2_OK ? "nothing failed" : rm2_context_error(ctx), message);
    assert_int_equal(status, expected);
    rm2i_raw_plan_free(&plan);
}

rm2_status expect_same(rm2_context *ctx, const reading *r) {
    static const size_t numbers[] = {1, 2, 3, 7, 40};
    rm2i_raw whole;
    char message[MESSAGE_SIZE];
    rm2_status status = read_whole(ctx, r, &whole);
    (void)snprintf(message, sizeof message, "%s", rm2_context_error(ctx));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (status == RM2_OK)
            expect_parts(ctx, r, &whole, numbers[k]);
        else
            expect_failure(ctx, r, numbers[k], status, message);
    }
    rm2i_raw_free(&whole);
    return status;
}
