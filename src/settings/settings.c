/* Settings by name: rows of a table, and the struct that it describes. */
#include "settings/settings.h"
#include "front/texts.h"

#include <stdio.h>
#include <string.h>

/* ---- rows ----------------------------------------------------------------------------------- */

const rm2_setting *rm2_settings_at(const rm2_settings_table *table, size_t index) {
    return table && index < table->count ? &table->rows[index] : NULL;
}

const rm2_setting *rm2_settings_find(const rm2_settings_table *table, const char *name) {
    for (size_t k = 0; table && name && k < table->count; k++)
        if (strcmp(table->rows[k].name, name) == 0)
            return &table->rows[k];
    return NULL;
}

const char *rm2_setting_default(const rm2_setting *setting, size_t column) {
    if (!setting)
        return "";
    bool own = column < RM2_SETTING_COLUMNS && setting->defaults[column];
    return setting->defaults[own ? column : 0];
}

/* ---- what a value must be ------------------------------------------------------------------- */

/* "se, matern32" */
static void list_words(const char *const *words, char *text, size_t size) {
    size_t used = 0;
    for (int k = 0; words[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "", words[k]);
}

static void range_text(const rm2_setting *s, char *text, size_t size) {
    bool whole = s->type == RM2_SETTING_COUNT;
    const char *what = whole ? "a whole number" : "a number";
    const char *before = s->upper_open ? "and below" : "to";
    if (whole ? s->upper < RM2I_COUNT_MAX : isfinite(s->upper))
        (void)snprintf(text, size, "%s %s %g %s %g", what, s->lower_open ? "above" : "from",
                       s->lower, before, s->upper);
    else if (isinf(s->lower))
        (void)snprintf(text, size, "%s", what);
    else if (s->lower_open && s->lower == 0)
        (void)snprintf(text, size, "a positive number");
    else
        (void)snprintf(text, size, "%s %s %g", what, s->lower_open ? "above" : "from", s->lower);
}

static void type_text(const rm2_setting *s, char *text, size_t size) {
    char words[160] = "";
    switch (s->type) {
    case RM2_SETTING_FLAG:
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        if (s->words)
            list_words(s->words, words, sizeof words);
        (void)snprintf(text, size, "%s%s", s->words ? "one of " : "yes or no", words);
        return;
    case RM2_SETTING_COUNT:
    case RM2_SETTING_NUMBER:
        range_text(s, text, size);
        return;
    case RM2_SETTING_TEXT:
        (void)snprintf(text, size, "a text%s%s", s->form ? ": " : "", s->form ? s->form : "");
        return;
    case RM2_SETTING_CHARACTER:
        (void)snprintf(text, size, "one character, or tab");
        return;
    case RM2_SETTING_HYPERPARAMETER:
        (void)snprintf(text, size,
                       "a positive number, held or learned, none, gamma:SHAPE:RATE or "
                       "lognormal:MEAN:WIDTH, with blanks between several");
        return;
    case RM2_SETTING_SEED:
        break;
    }
    (void)snprintf(text, size, "a whole number from 0");
}

void rm2_setting_expected(const rm2_setting *setting, char *text, size_t size) {
    if (!text || size == 0)
        return;
    text[0] = 0;
    if (!setting)
        return;
    type_text(setting, text, size);
    size_t used = strlen(text);
    if (setting->zero && used < size)
        (void)snprintf(text + used, size - used, ", or %s", setting->zero);
}

/* ---- names ---------------------------------------------------------------------------------- */

enum { NAME_MAX_LENGTH = 32 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Letters to insert, remove or replace so that one name becomes the other (Levenshtein), by rows of
 * the table of distances between their beginnings. */
static size_t edits(const char *a, const char *b) {
    size_t row[NAME_MAX_LENGTH + 1], length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, least(row[j], row[j + 1]) + 1);
        }
    }
    return row[length];
}

static const char *nearest_name(const rm2_settings_table *table, const char *name) {
    const char *best = NULL;
    size_t fewest = SIZE_MAX;
    for (size_t k = 0; k < table->count; k++) {
        const char *other = table->rows[k].name;
        size_t count = strlen(other) <= NAME_MAX_LENGTH ? edits(name, other) : SIZE_MAX;
        if (count < fewest) {
            fewest = count;
            best = other;
        }
    }
    return best;
}

/* ---- settings by name ----------------------------------------------------------------------- */

static bool has_member(const rm2_setting *setting, const void *settings) {
    size_t size;
    memcpy(&size, settings, sizeof size);
    return setting->offset + rm2i_setting_width(setting) <= size;
}

/* The row of a name, if the struct has its member. */
static rm2_status find_row(rm2_context *ctx, const rm2_settings_table *table, const void *settings,
                           const char *name, const rm2_setting **row) {
    RM2_REQUIRE_EACH(ctx, table, settings, name);
    RM2_TRY(rm2i_check_size(ctx, settings, table->struct_size));
    *row = rm2_settings_find(table, name);
    if (!*row)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "unknown setting \"%.60s\" of %s; the nearest name is \"%s\"", name,
                         table->name, nearest_name(table, name));
    if (!has_member(*row, settings))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.%s is not part of these settings, whose size is that of an "
                         "earlier version",
                         (*row)->field);
    return RM2_OK;
}

static rm2_status refuse(rm2_context *ctx, const rm2_setting *row, const char *text) {
    char expected[240];
    rm2_setting_expected(row, expected, sizeof expected);
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s is %.60s, expected %s", row->field, text,
                     expected);
}

/* Why a text is not a value of the setting. */
static rm2_status refuse_text(rm2_context *ctx, const rm2_setting *row, const rm2i_value *present,
                              const char *text) {
    char shown[64];
    bool prior = strncmp(text, "gamma:", 6) == 0 || strncmp(text, "lognormal:", 10) == 0;
    if (row->type == RM2_SETTING_HYPERPARAMETER && !present->hyper.learned &&
        (prior || strcmp(text, "none") == 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.%s is held, where a prior has no effect; learn it", row->field);
    (void)snprintf(shown, sizeof shown, "\"%.60s\"", text);
    return refuse(ctx, row, shown);
}

static void put(const rm2_settings_table *table, const rm2_setting *row, const rm2i_value *value,
                void *settings) {
    if (row->type == RM2_SETTING_RECIPE)
        rm2_settings_fill(table, (size_t)value->choice, settings);
    else
        rm2i_setting_store(row, value, settings);
}

rm2_status rm2_settings_set(rm2_context *ctx, const rm2_settings_table *table, void *settings,
                            const char *name, const char *text) {
    const rm2_setting *row = NULL;
    rm2i_value value;
    RM2_TRY(find_row(ctx, table, settings, name, &row));
    RM2_REQUIRE_EACH(ctx, text);
    rm2i_setting_load(row, settings, &value);
    if (!rm2i_setting_parse(row, text, &value))
        return refuse_text(ctx, row, &value, text);
    put(table, row, &value, settings);
    return RM2_OK;
}

rm2_status rm2i_settings_set_number(rm2_context *ctx, const rm2_settings_table *table,
                                    void *settings, const char *name, double number) {
    const rm2_setting *row = NULL;
    rm2i_value value;
    char shown[64];
    RM2_TRY(find_row(ctx, table, settings, name, &row));
    rm2i_setting_load(row, settings, &value);
    (void)rm2i_print_number(shown, sizeof shown, "", number);
    if (!rm2i_setting_from_number(row, number, &value))
        return refuse(ctx, row, shown);
    put(table, row, &value, settings);
    return RM2_OK;
}

rm2_status rm2_settings_get(rm2_context *ctx, const rm2_settings_table *table, const void *settings,
                            const char *name, char *text, size_t size) {
    const rm2_setting *row = NULL;
    rm2i_value value;
    RM2_TRY(find_row(ctx, table, settings, name, &row));
    RM2_REQUIRE_EACH(ctx, text);
    rm2i_setting_load(row, settings, &value);
    int length = rm2i_setting_format(row, &value, text, size);
    if (length >= 0 && (size_t)length < size)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s needs %d bytes as text, got %zu",
                     row->field, length + 1, size);
}

rm2_status rm2_settings_get_number(rm2_context *ctx, const rm2_settings_table *table,
                                   const void *settings, const char *name, double *value) {
    const rm2_setting *row = NULL;
    rm2i_value stored;
    RM2_TRY(find_row(ctx, table, settings, name, &row));
    RM2_REQUIRE_EACH(ctx, value);
    if (row->type == RM2_SETTING_TEXT || row->type == RM2_SETTING_CHARACTER)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s is not a number", row->field);
    rm2i_setting_load(row, settings, &stored);
    *value = rm2i_setting_to_number(row, &stored);
    return RM2_OK;
}

/* ---- all settings --------------------------------------------------------------------------- */

static rm2_status check_row(rm2_context *ctx, const rm2_setting *row, const void *settings) {
    rm2i_value value;
    char shown[64];
    rm2i_setting_load(row, settings, &value);
    if (row->type == RM2_SETTING_HYPERPARAMETER)
        return rm2i_hyperparameter_check(ctx, row, &value.hyper);
    if (rm2i_setting_within(row, &value))
        return RM2_OK;
    if (row->type == RM2_SETTING_FLAG)
        (void)snprintf(shown, sizeof shown, "neither true nor false");
    else
        (void)rm2i_setting_format(row, &value, shown, sizeof shown);
    return refuse(ctx, row, shown);
}

rm2_status rm2_settings_check(rm2_context *ctx, const rm2_settings_table *table,
                              const void *settings) {
    RM2_REQUIRE_EACH(ctx, table, settings);
    RM2_TRY(rm2i_check_size(ctx, settings, table->struct_size));
    for (size_t k = 0; k < table->count; k++)
        if (has_member(&table->rows[k], settings))
            RM2_TRY(check_row(ctx, &table->rows[k], settings));
    return RM2_OK;
}

void rm2_settings_fill(const rm2_settings_table *table, size_t column, void *settings) {
    if (!table || !settings || rm2i_check_size(NULL, settings, table->struct_size) != RM2_OK)
        return;
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *row = &table->rows[k];
        rm2i_value value;
        if (!has_member(row, settings))
            continue;
        memset(&value, 0, sizeof value);
        (void)rm2i_setting_parse(row, rm2_setting_default(row, column), &value);
        if (row->type == RM2_SETTING_TEXT && value.text && !*value.text)
            value.text = NULL;
        rm2i_setting_store(row, &value, settings);
    }
}

/* ---- tables by number ----------------------------------------------------------------------- */

const rm2_settings_table *rm2_settings_table_of(rm2_settings_kind kind) {
#define TABLE(kind, name) rm2i_##name##_table,
    static const rm2_settings_table *(*const tables[])(void) = {RM2_SETTINGS_LIST(TABLE)};
#undef TABLE
    return (size_t)kind < sizeof tables / sizeof *tables ? tables[kind]() : NULL;
}
