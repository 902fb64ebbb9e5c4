/* Settings by name without an argument that they need. */
#include "api.h"
#include "front/texts.h"

static void by_name(void **state) {
    rm2_context *ctx = *state;
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    char text[64];
    double value;
    MISSING("table", rm2_settings_set(ctx, NULL, &s, "latent_dim", "2"));
    MISSING("settings", rm2_settings_set(ctx, table, NULL, "latent_dim", "2"));
    MISSING("name", rm2_settings_set(ctx, table, &s, NULL, "2"));
    MISSING("text", rm2_settings_set(ctx, table, &s, "latent_dim", NULL));
    REFUSED("\"latent_din\" of", rm2_settings_set(ctx, table, &s, "latent_din", "2"));
    MISSING("table", rm2_settings_get(ctx, NULL, &s, "latent_dim", text, sizeof text));
    MISSING("settings", rm2_settings_get(ctx, table, NULL, "latent_dim", text, sizeof text));
    MISSING("name", rm2_settings_get(ctx, table, &s, NULL, text, sizeof text));
    MISSING("text", rm2_settings_get(ctx, table, &s, "latent_dim", NULL, 9));
    MISSING("table", rm2_settings_get_number(ctx, NULL, &s, "latent_dim", &value));
    MISSING("settings", rm2_settings_get_number(ctx, table, NULL, "latent_dim", &value));
    MISSING("name", rm2_settings_get_number(ctx, table, &s, NULL, &value));
    MISSING("value", rm2_settings_get_number(ctx, table, &s, "latent_dim", NULL));
}

static void whole(void **state) {
    rm2_context *ctx = *state;
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST), other = s;
    char text[8] = "old";
    MISSING("table", rm2_settings_check(ctx, NULL, &s));
    MISSING("settings", rm2_settings_check(ctx, table, NULL));
    MISSING("own", rm2_settings_overlay(ctx, &s, NULL));
    MISSING("own", rm2_settings_give(ctx, NULL, &other));
    MISSING("given", rm2_settings_give(ctx, &s, NULL));
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_TRACK)->name, "track");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_PLACEMENT)->name, "placement");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_PLANNER)->name, "planner");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_DTW)->name, "dtw");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_MEAN)->name, "mean");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_GENERATE)->name, "generate");
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_FIGURE)->name, "figure");
    rm2_settings_fill(NULL, 0, &s);
    rm2_settings_fill(table, 0, NULL);
    assert_null(rm2_settings_at(NULL, 0));
    assert_null(rm2_settings_at(table, 9999));
    assert_null(rm2_settings_find(NULL, "x"));
    assert_null(rm2_settings_find(table, NULL));
    assert_string_equal(rm2_setting_default(NULL, 0), "");
    rm2_setting_expected(NULL, text, sizeof text);
    assert_string_equal(text, "");
    rm2_setting_expected(rm2_settings_at(table, 0), NULL, 8);
}

static void hyperparameters(void **state) {
    rm2_context *ctx = *state;
    rm2_hyperparameter h = {.start = 1};
    MISSING("text", rm2_hyperparameter_set_start(ctx, NULL, &h));
    MISSING("hyperparameter", rm2_hyperparameter_set_start(ctx, "1", NULL));
    MISSING("text", rm2_hyperparameter_set_prior(ctx, NULL, &h));
    MISSING("hyperparameter", rm2_hyperparameter_set_prior(ctx, "none", NULL));
    rm2_hyperparameter_learn(NULL);
    rm2_hyperparameter_hold(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(by_name),
        WITH_CONTEXT(whole),
        WITH_CONTEXT(hyperparameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
