/* A value is written as the text from which rm2_settings_set makes the same value, bit for bit. The recipe is never automatic
 * by then. */
#include "model_file/settings_file.h"
#include "front/texts.h"

#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

enum { LINE_SIZE = 192 }; /* chars of "NAME=VALUE"; a hyperparameter has three numbers */

static void format_line(const rm2_setting *row, const rm2_fit_settings *s, char line[LINE_SIZE]) {
    rm2i_value value;
    int used = snprintf(line, LINE_SIZE, "%s=", row->name);
    rm2i_setting_load(row, s, &value);
    (void)rm2i_setting_format(row, &value, line + used, LINE_SIZE - (size_t)used);
}

rm2_status rm2i_settings_put(rm2i_file_writer w, const rm2_fit_settings *s) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    const char **texts;
    char(*lines)[LINE_SIZE];
    RM2_TRY(rm2i_alloc(w.ctx, table->count, sizeof *texts + sizeof *lines, &texts));
    lines = (char(*)[LINE_SIZE])(void *)(texts + table->count);
    for (size_t k = 0; k < table->count; k++) {
        format_line(&table->rows[k], s, lines[k]);
        texts[k] = lines[k];
    }
    rm2_status status = rm2i_file_put_texts(w, "settings", table->count, texts);
    free(texts);
    return status;
}

void rm2i_settings_mix(const rm2_fit_settings *s, uint64_t *hash) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    char line[LINE_SIZE];
    for (size_t k = 0; k < table->count; k++)
        if (!table->rows[k].limit) {
            format_line(&table->rows[k], s, line);
            rm2i_hash(hash, line, strlen(line) + 1);
        }
}

/* ---- reading --------------------------------------------------------------------------------- */

static rm2_status refuse(rm2i_reader r, const char *line, const char *must) {
    char shown[RM2I_SHOWN_SIZE];
    return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: settings: '%s', expected %s", r.path,
                     rm2i_shown(line, strlen(line), shown), must);
}

static rm2_status get_line(rm2i_reader r, char *line, rm2_fit_settings *s) {
    char expected[240];
    rm2i_value value;
    char *equals = strchr(line, '=');
    if (!equals)
        return refuse(r, line, "NAME=VALUE");
    *equals = '\0';
    const rm2_setting *row = rm2_settings_find(rm2_settings_table_of(RM2_SETTINGS_FIT), line);
    *equals = '=';
    if (!row)
        return refuse(r, line, "a setting that this version knows");
    memset(&value, 0, sizeof value);
    bool good = rm2i_setting_parse(row, equals + 1, &value) &&
                !(row->type == RM2_SETTING_RECIPE && value.choice == RM2_RECIPE_AUTO);
    if (good)
        rm2i_setting_store(row, &value, s);
    rm2_setting_expected(row, expected, sizeof expected);
    return good ? RM2_OK : refuse(r, line, expected);
}

rm2_status rm2i_settings_get(rm2i_reader r, rm2_fit_settings *s) {
    size_t count = SIZE_MAX;
    char **lines;
    RM2_TRY(rm2i_file_texts(r, "settings", &count, &lines));
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < count; k++)
        status = get_line(r, lines[k], s);
    rm2i_texts_free(lines, count);
    return status;
}
