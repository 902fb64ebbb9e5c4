/* The CSV reader on any bytes. The first byte chooses settings. What was read must keep the
 * promises of the header file, and must come out the same after writing and reading again, and in
 * parts. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "io/io.h"

enum { COLUMNS_MAX = 64, PARTS = 3, MESSAGE_SIZE = 1024 }; /* widest table written again */

static rm2_csv_settings choose_settings(unsigned choice) {
    static const char *const text[] = {"0", "id"}, *const numeric[] = {"1", "x"};
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.delimiter = "\0,\t "[choice & 3];
    settings.header = (rm2_header)((choice >> 2) % 3);
    settings.allow_missing = choice & 16;
    settings.text = text + (choice >> 5 & 1);
    settings.text_count = (choice & 64) != 0;
    settings.numeric = numeric + (choice >> 5 & 1);
    settings.numeric_count = (choice & 128) != 0;
    return settings;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_table(const rm2_table *table, const rm2_csv_settings *settings) {
    CHECK(table->rows > 0 && table->columns > 0);
    for (size_t i = 0; i < table->rows; i++)
        CHECK(table->lines[i] > (i ? table->lines[i - 1] : 0));
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        size_t c = i % table->columns;
        double value = table->values[i];
        if (table->texts[c])
            CHECK(value >= 0 && value < (double)table->text_counts[c] && value == floor(value));
        else if (!settings->allow_missing && settings->numeric_count == 0)
            CHECK(isfinite(value));
        else
            CHECK(!isinf(value));
    }
}

static void check_same(const rm2_table *a, const rm2_table *b) {
    CHECK(a->rows == b->rows && a->columns == b->columns && !a->names == !b->names);
    for (size_t i = 0; i < a->rows * a->columns; i++)
        CHECK(same_bits(a->values[i], b->values[i]));
    for (size_t c = 0; c < a->columns; c++) {
        CHECK(!a->names || strcmp(a->names[c], b->names[c]) == 0);
        CHECK(a->text_counts[c] == b->text_counts[c]);
        for (size_t i = 0; i < a->text_counts[c]; i++)
            CHECK(strcmp(a->texts[c][i], b->texts[c][i]) == 0);
    }
}

/* Names that are numbers would be taken for numbers of columns. */
static bool can_be_written_again(const rm2_table *table) {
    for (size_t c = 0; table->names && c < table->columns; c++)
        if (rm2i_written_number(table->names[c]) != SIZE_MAX)
            return false;
    return table->columns <= COLUMNS_MAX;
}

static void check_round_trip(rm2_context *ctx, const rm2_table *table) {
    char numbers[COLUMNS_MAX][4];
    const char *text[COLUMNS_MAX];
    rm2_csv_settings settings = {
        .size = sizeof settings, .delimiter = ',', .text = text, .allow_missing = true};
    settings.header = table->names ? RM2_HEADER_YES : RM2_HEADER_NO;
    for (size_t c = 0; c < table->columns; c++) {
        if (!table->texts[c])
            continue;
        (void)snprintf(numbers[c], sizeof numbers[c], "%u", (unsigned)c & 255u);
        text[settings.text_count++] = numbers[c];
    }
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    CHECK(stream);
    CHECK(rm2i_csv_print(ctx, stream, "memory", table, ',') == RM2_OK);
    CHECK(fclose(stream) == 0);
    rm2_table again;
    CHECK(rm2_csv_parse(ctx, "memory", bytes, size, &settings, &again) == RM2_OK);
    check_same(table, &again);
    rm2_table_clear(&again);
    free(bytes);
}

/* Rows `from`, from + 1, ... of the whole table. */
static void check_rows(const rm2_table *whole, size_t from, const rm2_table *part) {
    size_t columns = whole->columns;
    CHECK(part->columns == columns && !part->names == !whole->names);
    CHECK(from + part->rows <= whole->rows);
    for (size_t i = 0; i < part->rows * columns; i++) {
        size_t row = i / columns, c = i % columns;
        double value = part->values[i], expected = whole->values[from * columns + i];
        CHECK(part->lines[row] == whole->lines[from + row]);
        CHECK(!part->texts[c] == !whole->texts[c]);
        if (whole->texts[c])
            CHECK(strcmp(part->texts[c][(size_t)value], whole->texts[c][(size_t)expected]) == 0);
        else
            CHECK(same_bits(value, expected));
    }
}

/* Parts are the whole; if it failed, the first of them that fails does so with the same words. A NUL is noticed when a
 * block of bytes is read, before or after other faults near it. */
static void check_parts(rm2_context *ctx, const uint8_t *bytes, size_t size,
                        const rm2_csv_settings *settings, rm2_status expected,
                        const rm2_table *whole) {
    char message[MESSAGE_SIZE];
    size_t at[PARTS + 1], lines[PARTS + 1], rows = 0;
    rm2i_source source;
    (void)snprintf(message, sizeof message, "%s", rm2_context_error(ctx));
    rm2i_source_memory(ctx, "fuzz", bytes, size, &source);
    rm2_status status = rm2i_csv_divide(ctx, &source, settings, PARTS, at, lines);
    for (size_t k = 0; status == RM2_OK && k < PARTS; k++) {
        const rm2i_csv_part range = {at[k], at[k + 1], lines[k]};
        rm2_table part;
        rm2i_source_memory(ctx, "fuzz", bytes, size, &source);
        status = rm2i_csv_load(ctx, &source, settings, &range, &part);
        if (status == RM2_OK && expected == RM2_OK)
            check_rows(whole, rows, &part);
        rows += part.rows;
        rm2_table_clear(&part);
    }
    CHECK((status == RM2_OK) == (expected == RM2_OK));
    CHECK(expected != RM2_OK || rows == whole->rows);
    bool has_nul = size > 0 && memchr(bytes, 0, size);
    CHECK(expected == RM2_OK || has_nul ||
          (status == expected && strcmp(message, rm2_context_error(ctx)) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    if (size == 0 || rm2_context_create(&ctx) != RM2_OK)
        return 0;
    rm2_csv_settings settings = choose_settings(data[0]);
    rm2_table table;
    rm2_status status = rm2_csv_parse(ctx, "fuzz", data + 1, size - 1, &settings, &table);
    if (status == RM2_OK) {
        check_table(&table, &settings);
        if (can_be_written_again(&table))
            check_round_trip(ctx, &table);
    } else {
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
        CHECK(!table.values && !table.names && !table.texts);
    }
    check_parts(ctx, data + 1, size - 1, &settings, status, &table);
    rm2_table_clear(&table);
    rm2_context_free(ctx);
    return 0;
}
