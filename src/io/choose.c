/* Columns of a table by a list such as  a,b,3-380,"name, with comma" : names, numbers from 0, ranges of numbers. A name
 * of the table comes before the number or range that it might be; a name in quotes is never one of these. */
#include <stdio.h>
#include <string.h>

#include "front/tables.h"
#include "io/io.h"

enum {
    ITEM_SIZE = 256,
    LIST_SIZE = 400
}; /* chars of an item, and of a list of columns in a message */

typedef struct item {
    char text[ITEM_SIZE];
    bool quoted;
} item;

/* The next item; false at the end of the list. Characters that have no room are left out. */
static bool next_item(const char **list, item *next) {
    const char *p = *list;
    size_t used = 0;
    if (!p || !*p)
        return false;
    next->quoted = *p == '"';
    p += next->quoted;
    for (; *p && (next->quoted ? *p != '"' || p[1] == '"' : *p != ','); p++) {
        p += next->quoted && *p == '"'; /* two quotes are one */
        if (used + 1 < ITEM_SIZE)
            next->text[used++] = *p;
    }
    next->text[used] = 0;
    p += strcspn(p, ","); /* past the closing quote */
    *list = p + (*p == ',');
    return true;
}

/* "3-380"; false: something else. */
static bool read_range(const char *text, size_t *from, size_t *to) {
    char first[ITEM_SIZE];
    const char *dash = strchr(text, '-');
    if (!dash)
        return false;
    (void)snprintf(first, sizeof first, "%.*s", (int)(dash - text), text);
    *from = rm2i_written_number(first);
    *to = rm2i_written_number(dash + 1);
    return *from != SIZE_MAX && *to != SIZE_MAX;
}

bool rm2i_choice_has_names(const rm2_column_choice *choice) {
    const char *const lists[] = {choice->columns, choice->ignore};
    for (size_t k = 0; k < 2; k++) {
        item next;
        size_t from, to;
        for (const char *list = lists[k]; next_item(&list, &next);)
            if (next.quoted ||
                (rm2i_written_number(next.text) == SIZE_MAX && !read_range(next.text, &from, &to)))
                return true;
    }
    return false;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void list_columns(const rm2_table *table, char list[LIST_SIZE]) {
    size_t used = 0;
    list[0] = '\0';
    for (size_t c = 0; c < table->columns; c++) {
        char shown[RM2I_SHOWN_SIZE];
        rm2i_shown(table->names[c], strlen(table->names[c]), shown);
        if (used + strlen(shown) + sizeof ", ..." > LIST_SIZE) {
            (void)snprintf(list + used, LIST_SIZE - used, ", ...");
            return;
        }
        used += (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s", c ? ", " : "", shown);
    }
}

rm2_status rm2i_no_column(rm2_context *ctx, const char *source, const rm2_table *table,
                          const char *name) {
    char list[LIST_SIZE], shown[RM2I_SHOWN_SIZE];
    rm2i_shown(name, strlen(name), shown);
    if (!table->names)
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s has no column '%s': without a header its columns go by their numbers, 0 to %zu",
            source, shown, table->columns - 1);
    list_columns(table, list);
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s has no column '%s'; its columns are: %s", source, shown,
                     list);
}

static rm2_status used_twice(rm2_context *ctx, const char *source, const rm2_table *table,
                             size_t column) {
    char number[24], shown[RM2I_SHOWN_SIZE];
    (void)snprintf(number, sizeof number, "%zu", column);
    const char *name = table->names ? table->names[column] : number;
    rm2i_shown(name, strlen(name), shown);
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: column \"%s\" is used twice", source, shown);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static size_t named(const rm2_table *table, const char *name) {
    for (size_t c = 0; table->names && c < table->columns; c++)
        if (strcmp(table->names[c], name) == 0)
            return c;
    return SIZE_MAX;
}

/* First and last column of an item. */
static rm2_status resolve(rm2_context *ctx, const char *source, const rm2_table *table,
                          const item *wanted, size_t *from, size_t *to) {
    *from = *to = named(table, wanted->text);
    if (*from != SIZE_MAX)
        return RM2_OK;
    if (!wanted->quoted) {
        *from = *to = rm2i_written_number(wanted->text);
        if (*from == SIZE_MAX && !read_range(wanted->text, from, to))
            *from = *to = SIZE_MAX;
    }
    if (*from < table->columns && *to < table->columns && *from <= *to)
        return RM2_OK;
    return rm2i_no_column(ctx, source, table, wanted->text);
}

/* Columns of the list, in its order; `taken` says which have been used, and grows. */
static rm2_status choose_list(rm2_context *ctx, const char *source, const rm2_table *table,
                              const char *list, bool *taken, size_t *chosen, size_t *count) {
    item next;
    size_t from, to;
    while (next_item(&list, &next)) {
        RM2_TRY(resolve(ctx, source, table, &next, &from, &to));
        for (size_t c = from; c <= to; c++) {
            if (taken[c])
                return used_twice(ctx, source, table, c);
            taken[c] = true;
            chosen[(*count)++] = c;
        }
    }
    return RM2_OK;
}

static rm2_status choose_roles(rm2_context *ctx, const char *source, const rm2_table *table,
                               const rm2_column_choice *choice, bool *taken) {
    for (size_t k = 0; k < choice->role_count; k++) {
        if (!choice->roles[k])
            continue;
        size_t c = rm2_table_column(table, choice->roles[k]);
        if (c == SIZE_MAX)
            return rm2i_no_column(ctx, source, table, choice->roles[k]);
        if (taken[c])
            return used_twice(ctx, source, table, c);
        taken[c] = true;
    }
    return RM2_OK;
}

static rm2_status choose(rm2_context *ctx, const char *source, const rm2_table *table,
                         const rm2_column_choice *choice, bool *taken, size_t *chosen,
                         size_t *count) {
    RM2_TRY(choose_roles(ctx, source, table, choice, taken));
    RM2_TRY(choose_list(ctx, source, table, choice->ignore, taken, chosen, count));
    *count = 0; /* what is ignored is taken, and not chosen */
    if (choice->columns)
        return choose_list(ctx, source, table, choice->columns, taken, chosen, count);
    for (size_t c = 0; c < table->columns; c++)
        if (!taken[c])
            chosen[(*count)++] = c;
    return RM2_OK;
}

rm2_status rm2i_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                             const rm2_column_choice *choice, size_t *chosen, size_t *count) {
    bool *taken;
    *count = 0;
    RM2_TRY(rm2i_calloc(ctx, table->columns, sizeof *taken, &taken));
    rm2_status status = choose(ctx, source, table, choice, taken, chosen, count);
    rm2_free(taken);
    return status;
}

rm2_status rm2_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                            const rm2_column_choice *choice, size_t *chosen, size_t *count) {
    RM2_REQUIRE(ctx, source, table, choice, chosen, count);
    if (choice->role_count > 0)
        RM2_REQUIRE(ctx, choice->roles);
    return rm2i_table_choose(ctx, source, table, choice, chosen, count);
}
