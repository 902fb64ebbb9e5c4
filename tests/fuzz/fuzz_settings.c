/* Values of settings as texts, which is what options, model files and keywords of Python are. The first bytes choose
 * a table and a row, the rest is the value. A value that is taken comes out as a text that gives the same value. */
#include <string.h>

#include "fuzz.h"
#include "riemann2/data.h"
#include "riemann2/meet.h"
#include "riemann2/model.h"
#include "riemann2/settings.h"
#include "riemann2/space.h"

enum { TABLES = 5, TEXT_SIZE = 4096 };

typedef union any_settings {
    rm2_fit_settings fit;
    rm2_data_settings data;
    rm2_encode_settings encode;
    rm2_space_settings space;
    rm2_meet_settings meet;
} any_settings;

static const rm2_settings_table *choose(unsigned which, any_settings *s) {
    switch (which % TABLES) {
    case 0:
        s->fit = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
        return rm2_settings_table_of(RM2_SETTINGS_FIT);
    case 1:
        s->data = rm2_data_settings_default();
        return rm2_settings_table_of(RM2_SETTINGS_DATA);
    case 2:
        s->encode = rm2_encode_settings_default();
        return rm2_settings_table_of(RM2_SETTINGS_ENCODE);
    case 3:
        s->meet = rm2_meet_settings_default();
        return rm2_settings_table_of(RM2_SETTINGS_MEET);
    default:
        s->space = rm2_space_settings_default();
        return rm2_settings_table_of(RM2_SETTINGS_SPACE);
    }
}

static void check_again(rm2_context *ctx, unsigned which, const any_settings *s, const char *name) {
    char text[TEXT_SIZE], same[TEXT_SIZE];
    any_settings again;
    const rm2_settings_table *table = choose(which, &again);
    if (rm2_settings_get(ctx, table, s, name, text, sizeof text) != RM2_OK)
        return; /* it is longer */
    CHECK(rm2_settings_set(ctx, table, &again, name, text) == RM2_OK);
    CHECK(rm2_settings_get(ctx, table, &again, name, same, sizeof same) == RM2_OK);
    CHECK(strcmp(text, same) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    any_settings s;
    if (size < 2)
        return 0;
    const rm2_settings_table *table = choose(data[0], &s);
    const char *name = rm2_settings_at(table, data[1] % table->count)->name;
    char *text = malloc(size - 1);
    CHECK(text && rm2_context_create(&ctx) == RM2_OK);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    if (rm2_settings_set(ctx, table, &s, name, text) == RM2_OK)
        check_again(ctx, data[0], &s, name);
    else
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
    rm2_context_free(ctx);
    free(text);
    return 0;
}
