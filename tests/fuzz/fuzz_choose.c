/* Lists of columns. The input is three texts with a vertical bar between them: a header with commas, the columns to take
 * and those to leave out. A choice is a list of different columns of the table, or an error with a message of one line. */
#include <string.h>

#include "front/tables.h"
#include "fuzz.h"
#include "riemann2/io.h"

enum { MOST_COLUMNS = 64 };

/* The text up to a separator, which becomes a NUL; *rest is what follows, NULL at the end. */
static char *part(char *text, char separator, char **rest) {
    char *end = text ? strchr(text, separator) : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return text;
}

static void check_choice(const rm2_table *table, const size_t *chosen, size_t count) {
    bool seen[MOST_COLUMNS] = {false};
    CHECK(count <= table->columns);
    for (size_t k = 0; k < count; k++) {
        CHECK(chosen[k] < table->columns && !seen[chosen[k]]);
        seen[chosen[k]] = true;
    }
}

static void choose(rm2_context *ctx, char *text) {
    char *names[MOST_COLUMNS], *rest;
    size_t chosen[MOST_COLUMNS], count = 0;
    rm2_table table = {.names = names};
    char *header = part(text, '|', &rest);
    rm2_column_choice choice = {.columns = part(rest, '|', &rest)};
    choice.ignore = rest;
    while (header && table.columns < MOST_COLUMNS)
        names[table.columns++] = part(header, ',', &header);
    if (rm2_table_choose(ctx, "a.csv", &table, &choice, chosen, &count) == RM2_OK)
        check_choice(&table, chosen, count);
    else
        CHECK(rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    table.names = NULL; /* a table without a header */
    if (rm2_table_choose(ctx, "a.csv", &table, &choice, chosen, &count) == RM2_OK)
        check_choice(&table, chosen, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    char *text = malloc(size + 1);
    CHECK(text && rm2_context_create(&ctx) == RM2_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    choose(ctx, text);
    rm2_context_free(ctx);
    free(text);
    return 0;
}
