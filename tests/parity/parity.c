/* Settings in C, for tests/parity/parity.py.
 *
 *     parity fit DATA MODEL [data.NAME=TEXT | fit.NAME=TEXT ...]    train on a file and write the model
 *     parity set TABLE NAME=TEXT                     is it a value of the setting?
 *
 * A failure is the library's sentence on standard error, and exit code 1. */
#include <stdio.h>
#include <string.h>

#include <riemann2.h>

typedef union any_settings {
    size_t size;
    char room[4096];
} any_settings;

static const rm2_settings_table *find_table(const char *name) {
    const rm2_settings_table *table;
    for (int k = 0; (table = rm2_settings_table_of((rm2_settings_kind)k)); k++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* "name=text" for the settings of a table. */
static rm2_status set(rm2_context *ctx, const rm2_settings_table *table, void *settings,
                      const char *text) {
    char name[64];
    const char *value = strchr(text, '=');
    if (!value || (size_t)(value - text) >= sizeof name)
        return RM2_ERR_ARGUMENT;
    (void)snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    return rm2_settings_set(ctx, table, settings, name, value + 1);
}

enum { MOST = 32 };

/* Settings of a fit go into texts, as in the other languages. */
static rm2_status fit(rm2_context *ctx, int count, char **words) {
    rm2_data_settings data = rm2_data_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    rm2_setting_text texts[MOST];
    rm2_data *points = NULL;
    rm2_model *model = NULL;
    rm2_status status = RM2_OK;
    s.texts = texts;
    for (int k = 2; status == RM2_OK && k < count && k < MOST; k++) {
        char *text = strchr(words[k], '=');
        if (strncmp(words[k], "fit.", 4) == 0 && text) {
            *text = 0;
            texts[s.text_count++] = (rm2_setting_text){words[k] + 4, text + 1};
        } else
            status = set(ctx, rm2_settings_table_of(RM2_SETTINGS_DATA), &data,
                         words[k] + strlen("data."));
    }
    if (status == RM2_OK)
        status = rm2_data_read(ctx, words[0], &data, &points, NULL, NULL);
    if (status == RM2_OK)
        status = rm2_fit(ctx, points, &s, NULL, &model);
    if (status == RM2_OK)
        status = rm2_model_write(ctx, model, words[1], true);
    rm2_model_free(model);
    rm2_data_free(points);
    return status;
}

static rm2_status set_one(rm2_context *ctx, char **words) {
    const rm2_settings_table *table = find_table(words[0]);
    any_settings s;
    if (!table)
        return RM2_ERR_ARGUMENT;
    memset(&s, 0, sizeof s);
    s.size = table->struct_size;
    rm2_settings_fill(table, 0, &s);
    return set(ctx, table, &s, words[1]);
}

int main(int argc, char **argv) {
    rm2_context *ctx;
    if (argc < 4 || rm2_context_create(&ctx) != RM2_OK)
        return 2;
    rm2_context_set_threads(ctx, 1);
    rm2_status status =
        strcmp(argv[1], "fit") == 0 ? fit(ctx, argc - 2, argv + 2) : set_one(ctx, argv + 2);
    if (status != RM2_OK)
        (void)fprintf(stderr, "%s\n", rm2_context_error(ctx));
    rm2_context_free(ctx);
    return status == RM2_OK ? 0 : 1;
}
