/* Tables of settings: every row goes to text and back, refuses what lies outside its range at both
 * ends, and is named in the message; hyperparameters by parts; names that are unknown. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "front/texts.h"
#include "geodesic/geodesic.h"
#include "riemann2.h"
#include "roadmap/roadmap.h"
#include "settings/settings.h"
#include "shared_context.h"

/* ---- all tables ----------------------------------------------------------------------------- */

/* Room for the struct of any table. */
typedef union any_settings {
    size_t size;
    rm2_fit_settings fit;
    rm2_data_settings data;
    rm2_encode_settings encode;
    rm2_covariance_settings covariance;
    rm2_space_settings space;
    rm2_report_settings report;
    rm2_generate_settings generate;
    rm2_dtw_settings dtw;
    rm2_track_settings track;
    rm2_placement placement;
    rm2_planner_settings planner;
    rm2_mean_settings mean;
    rm2i_geodesic_settings geodesic;
    rm2i_grid_settings grid;
    rm2_figure_settings figure;
    rm2_meet_settings meet;
} any_settings;

static const rm2_settings_table *table_of(size_t index) {
    const rm2_settings_table *tables[] = {rm2_settings_table_of(RM2_SETTINGS_FIT),
                                          rm2_settings_table_of(RM2_SETTINGS_DATA),
                                          rm2_settings_table_of(RM2_SETTINGS_ENCODE),
                                          rm2_settings_table_of(RM2_SETTINGS_COVARIANCE),
                                          rm2_settings_table_of(RM2_SETTINGS_SPACE),
                                          rm2_settings_table_of(RM2_SETTINGS_REPORT),
                                          rm2_settings_table_of(RM2_SETTINGS_GENERATE),
                                          rm2_settings_table_of(RM2_SETTINGS_DTW),
                                          rm2_settings_table_of(RM2_SETTINGS_TRACK),
                                          rm2_settings_table_of(RM2_SETTINGS_PLACEMENT),
                                          rm2_settings_table_of(RM2_SETTINGS_PLANNER),
                                          rm2_settings_table_of(RM2_SETTINGS_MEAN),
                                          rm2i_geodesic_settings_table(),
                                          rm2i_grid_settings_table(),
                                          rm2_settings_table_of(RM2_SETTINGS_FIGURE),
                                          rm2_settings_table_of(RM2_SETTINGS_MEET),
                                          NULL};
    return tables[index];
}

static any_settings defaults_of(const rm2_settings_table *table, size_t column) {
    any_settings s;
    memset(&s, 0, sizeof s);
    s.size = table->struct_size;
    rm2_settings_fill(table, column, &s);
    return s;
}

typedef void (*row_test)(const rm2_settings_table *table, const rm2_setting *row);

static void each_row(row_test test) {
    for (size_t t = 0; table_of(t); t++)
        for (size_t k = 0; k < table_of(t)->count; k++)
            test(table_of(t), rm2_settings_at(table_of(t), k));
}

static void refused(rm2_status status, const rm2_setting *row, const char *what) {
    char field[64];
    (void)snprintf(field, sizeof field, "settings.%s", row->field);
    if (status != RM2_ERR_ARGUMENT)
        fail_msg("%s: %s has status %d", row->name, what, (int)status);
    if (!strstr(rm2_context_error(ctx), field) || !strstr(rm2_context_error(ctx), "expected"))
        fail_msg("%s: %s: %s", row->name, what, rm2_context_error(ctx));
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void complete_row(const rm2_settings_table *table, const rm2_setting *row) {
    assert_true(row->name && row->field && row->group && row->help);
    assert_ptr_equal(rm2_settings_find(table, row->name), row);
    assert_true(row->offset >= sizeof(size_t) && row->offset < table->struct_size);
    assert_true(strlen(row->name) <= 32 && strlen(row->help) <= 100);
    assert_null(strchr(row->help, '\n'));
    bool choice = row->type == RM2_SETTING_CHOICE || row->type == RM2_SETTING_RECIPE;
    assert_true(choice ? row->words != NULL : !row->words || row->type == RM2_SETTING_FLAG);
    for (size_t c = 0; c < table->columns; c++)
        assert_non_null(rm2_setting_default(row, c));
}

static void test_rows_are_complete(void **state) {
    (void)state;
    each_row(complete_row);
    for (size_t t = 0; table_of(t); t++) {
        const rm2_settings_table *table = table_of(t);
        assert_null(rm2_settings_at(table, table->count));
        assert_true(table->columns >= 1 && table->columns <= RM2_SETTING_COLUMNS);
        for (size_t c = 0; c < table->columns; c++)
            assert_true(table->columns == 1 || table->column_names[c] != NULL);
    }
    assert_null(rm2_settings_at(NULL, 0));
    assert_null(rm2_settings_find(NULL, "seed"));
    assert_null(rm2_settings_find(table_of(0), NULL));
}

/* Members that are no rows: pointers to arrays, and the size. */
static void test_every_member_is_a_row(void **state) {
    (void)state;
    bool known[sizeof(rm2_fit_settings)] = {false};
    const size_t others[] = {offsetof(rm2_fit_settings, size),
                             offsetof(rm2_fit_settings, back_kernels),
                             offsetof(rm2_fit_settings, inducing_points),
                             offsetof(rm2_fit_settings, init_latent),
                             offsetof(rm2_fit_settings, base_point),
                             offsetof(rm2_fit_settings, texts),
                             offsetof(rm2_fit_settings, text_count),
                             offsetof(rm2_fit_settings, compact)};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        memset(known + others[k], true, sizeof(void *));
    for (size_t k = 0; k < rm2_settings_table_of(RM2_SETTINGS_FIT)->count; k++) {
        const rm2_setting *row = rm2_settings_at(rm2_settings_table_of(RM2_SETTINGS_FIT), k);
        memset(known + row->offset, true,
               row->type == RM2_SETTING_HYPERPARAMETER ? sizeof(rm2_hyperparameter) : 1);
    }
    size_t gap = 0; /* without a row: no member of 8 bytes fits there */
    for (size_t k = 0; k < sizeof known; k++) {
        gap = known[k] ? 0 : gap + 1;
        if (gap >= 2 * sizeof(double) - 1)
            fail_msg("no row for the member before byte %zu of rm2_fit_settings", k);
    }
}

/* ---- text and back -------------------------------------------------------------------------- */

static void get(const rm2_settings_table *table, const any_settings *s, const rm2_setting *row,
                char text[160]) {
    ok(rm2_settings_get(ctx, table, s, row->name, text, 160));
}

/* The text is set in `s`, comes out as itself, and sets the same bytes elsewhere. */
static void text_round_trip(const rm2_settings_table *table, const rm2_setting *row,
                            const char *given, const char *expected) {
    any_settings s = defaults_of(table, 0), again = defaults_of(table, table->columns - 1);
    char text[160], second[160];
    ok(rm2_settings_set(ctx, table, &s, row->name, given));
    get(table, &s, row, text);
    assert_string_equal(text, expected);
    ok(rm2_settings_set(ctx, table, &again, row->name, text));
    get(table, &again, row, second);
    assert_string_equal(text, second);
    ok(rm2_settings_check(ctx, table, &s));
}

static void defaults_round_trip(const rm2_settings_table *table, const rm2_setting *row) {
    for (size_t c = 0; c < table->columns; c++) {
        any_settings s = defaults_of(table, c);
        char text[160];
        get(table, &s, row, text);
        text_round_trip(table, row, text, text);
        ok(rm2_settings_check(ctx, table, &s));
    }
}

static void words_round_trip(const rm2_settings_table *table, const rm2_setting *row) {
    static const char *const parts[] = {"held 0.25",
                                        "learned 0.25 none",
                                        "learned 2 gamma:2:10",
                                        "learned 1e-20 lognormal:-5:0.5",
                                        "learned 0.25 lognormal:start:0.75",
                                        NULL};
    for (int k = 0; row->words && row->words[k]; k++)
        text_round_trip(table, row, row->words[k], row->words[k]);
    for (int k = 0; row->type == RM2_SETTING_HYPERPARAMETER && parts[k]; k++)
        text_round_trip(table, row, parts[k], parts[k]);
    if (row->zero && row->type != RM2_SETTING_HYPERPARAMETER)
        text_round_trip(table, row, row->zero, row->zero);
    if (row->type == RM2_SETTING_FLAG && !row->words) {
        text_round_trip(table, row, "yes", "yes");
        text_round_trip(table, row, "true", "yes");
        text_round_trip(table, row, "false", "no");
    }
    if (row->type == RM2_SETTING_TEXT) {
        text_round_trip(table, row, "a b,c", "a b,c");
        text_round_trip(table, row, "", "");
    }
    if (row->type == RM2_SETTING_CHARACTER) {
        text_round_trip(table, row, ";", ";");
        text_round_trip(table, row, "tab", "tab");
    }
    if (row->type == RM2_SETTING_SEED)
        text_round_trip(table, row, "18446744073709551615", "18446744073709551615");
}

static void test_texts_come_back(void **state) {
    (void)state;
    each_row(defaults_round_trip);
    each_row(words_round_trip);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static bool is_number(const rm2_setting *row) {
    return row->type == RM2_SETTING_NUMBER || row->type == RM2_SETTING_COUNT ||
           row->type == RM2_SETTING_HYPERPARAMETER;
}

/* Put a number into the member without asking, as a caller in C does. */
static void poke(const rm2_setting *row, any_settings *s, double x) {
    char *at = (char *)s + row->offset;
    size_t count = x >= 0 && x < 0x1p63 ? (size_t)x : SIZE_MAX;
    int choice = x > INT_MIN && x < INT_MAX ? (int)x : INT_MIN;
    switch (row->type) {
    case RM2_SETTING_COUNT:
        memcpy(at, &count, sizeof count);
        return;
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        memcpy(at, &choice, sizeof choice);
        return;
    default: /* the start is the first member of a hyperparameter */
        memcpy(at, &x, sizeof x);
    }
}

static void number_refused(const rm2_settings_table *table, const rm2_setting *row, double x) {
    any_settings s = defaults_of(table, 0), before = s;
    char text[64];
    (void)snprintf(text, sizeof text, "%.17g", x);
    refused(rm2i_settings_set_number(ctx, table, &s, row->name, x), row, text);
    if (!(x == 0 && row->zero)) /* as text, 0 is its word */
        refused(rm2_settings_set(ctx, table, &s, row->name, text), row, text);
    assert_memory_equal(&s, &before, sizeof s);
    if (row->type == RM2_SETTING_COUNT && !(x >= 0 && x == floor(x)))
        return; /* cannot be in the struct */
    poke(row, &s, x);
    refused(rm2_settings_check(ctx, table, &s), row, text);
}

static void number_accepted(const rm2_settings_table *table, const rm2_setting *row, double x) {
    any_settings s = defaults_of(table, 0);
    double back;
    ok(rm2i_settings_set_number(ctx, table, &s, row->name, x));
    ok(rm2_settings_get_number(ctx, table, &s, row->name, &back));
    assert_true(x == back);
    ok(rm2_settings_check(ctx, table, &s));
    poke(row, &s, x);
    ok(rm2_settings_check(ctx, table, &s));
}

static void range_row(const rm2_settings_table *table, const rm2_setting *row) {
    if (!is_number(row))
        return;
    bool whole = row->type == RM2_SETTING_COUNT;
    double low = row->lower, high = row->upper;
    double below = whole ? low - 1 : nextafter(low, -INFINITY);
    double above = whole ? low + 1 : nextafter(low, INFINITY);
    number_refused(table, row, NAN);
    number_refused(table, row, INFINITY);
    number_refused(table, row, -INFINITY);
    if (isinf(low)) { /* any finite number */
        number_accepted(table, row, -1e300);
        number_accepted(table, row, 1e300);
        return;
    }
    number_refused(table, row, -1);
    if (!(below == 0 && row->zero))
        number_refused(table, row, below);
    number_accepted(table, row, above);
    if (row->zero)
        number_accepted(table, row, 0);
    else if (row->lower_open)
        number_refused(table, row, low);
    else
        number_accepted(table, row, low);
    if (isinf(high)) {
        number_accepted(table, row, 1e300);
        return;
    }
    number_refused(table, row, whole ? 2 * high : nextafter(high, INFINITY));
    number_accepted(table, row, whole ? high - 1 : nextafter(high, -INFINITY));
    if (row->upper_open)
        number_refused(table, row, high);
    else
        number_accepted(table, row, high);
    if (whole)
        refused(rm2i_settings_set_number(ctx, table, &(any_settings){.size = table->struct_size},
                                         row->name, 1.5),
                row, "1.5");
}

static void choice_row(const rm2_settings_table *table, const rm2_setting *row) {
    if (row->type != RM2_SETTING_CHOICE && row->type != RM2_SETTING_RECIPE)
        return;
    int count = 0;
    while (row->words[count])
        count++;
    for (int k = 0; k < count; k++)
        number_accepted(table, row, k);
    const double bad[] = {-1, count, 77};
    for (size_t k = 0; k < 3; k++) {
        number_refused(table, row, bad[k]);
        char text[32];
        (void)snprintf(text, sizeof text, " is %g,", bad[k]);
        assert_non_null(strstr(rm2_context_error(ctx), text));
        assert_non_null(strstr(rm2_context_error(ctx), row->words[count - 1]));
    }
    any_settings s = defaults_of(table, 0);
    refused(rm2_settings_set(ctx, table, &s, row->name, "sideways"), row, "sideways");
}

static void flag_row(const rm2_settings_table *table, const rm2_setting *row) {
    if (row->type != RM2_SETTING_FLAG)
        return;
    any_settings s = defaults_of(table, 0);
    number_accepted(table, row, 0);
    refused(rm2i_settings_set_number(ctx, table, &s, row->name, 2), row, "2");
    refused(rm2_settings_set(ctx, table, &s, row->name, "perhaps"), row, "perhaps");
    ((unsigned char *)&s)[row->offset] = 7;
    refused(rm2_settings_check(ctx, table, &s), row, "a byte of 7");
}

static void test_ranges(void **state) {
    (void)state;
    each_row(range_row);
    each_row(choice_row);
}

static void test_flags(void **state) {
    (void)state;
    each_row(flag_row);
}

/* What is no number, no word and no hyperparameter. */
static void nonsense_row(const rm2_settings_table *table, const rm2_setting *row) {
    static const char *const texts[] = {"", " ", "1x", "nan", "inf", "0x1", "1,5", "--"};
    any_settings s = defaults_of(table, 0), before = s;
    if (row->type == RM2_SETTING_TEXT)
        return;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (row->type != RM2_SETTING_CHARACTER || strlen(texts[k]) != 1)
            refused(rm2_settings_set(ctx, table, &s, row->name, texts[k]), row, texts[k]);
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(rm2_settings_set(ctx, table, &s, row->name, NULL), RM2_ERR_ARGUMENT);
}

static void test_nonsense(void **state) {
    (void)state;
    each_row(nonsense_row);
}

/* ---- hyperparameters ------------------------------------------------------------------------ */

/* Parts that are not named stay as they are. */
static void test_parts_of_hyperparameters(void **state) {
    (void)state;
    const struct {
        const char *before, *change, *after; /* NULL: refused */
    } cases[] = {
        {"held 0.2", "0.3", "held 0.3"},
        {"held 0.2", "learned", "learned 0.2 lognormal:start:0.5"},
        {"learned 0.2 gamma:2:3", "learned", "learned 0.2 gamma:2:3"},
        {"learned 0.2 gamma:2:3", "0.4", "learned 0.4 gamma:2:3"},
        {"learned 0.2 gamma:2:3", "held", "held 0.2"},
        {"learned 0.2 gamma:2:3", "none", "learned 0.2 none"},
        {"held 0.2", "  learned   gamma:2:3  ", "learned 0.2 gamma:2:3"},
        {"held 0.2", "gamma:2:3", NULL},
        {"held 0.2", "learned gamma:2", NULL},
        {"held 0.2", "learned gamma:start:2", NULL},
        {"held 0.2", "learned gamma:0:2", NULL},
        {"held 0.2", "learned lognormal:1:0", NULL},
        {"held 0.2", "learned lognormal:1:2:3", NULL},
        {"held 0.2", "learned normal:1:2", NULL},
        {"held 0.2", "data", "held data"},
        {"held 0.2", "0", NULL},
    };
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
        char text[160];
        ok(rm2_settings_set(ctx, table, &s, "lengthscale", cases[k].before));
        rm2_status status = rm2_settings_set(ctx, table, &s, "lengthscale", cases[k].change);
        assert_int_equal(status, cases[k].after ? RM2_OK : RM2_ERR_ARGUMENT);
        ok(rm2_settings_get(ctx, table, &s, "lengthscale", text, sizeof text));
        assert_string_equal(text, cases[k].after ? cases[k].after : cases[k].before);
    }
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    ok(rm2_settings_set(ctx, table, &s, "gpdm_noise", "data"));
    assert_true(s.gpdm_noise.start == 0 && s.gpdm_noise.learned);
}

static void test_single_parts(void **state) {
    (void)state;
    rm2_hyperparameter h = {.start = 0.2};
    assert_int_equal(rm2_hyperparameter_set_prior(ctx, "none", &h), RM2_ERR_ARGUMENT); /* held */
    rm2_hyperparameter_learn(&h);
    assert_true(h.learned && h.prior == RM2_PRIOR_LOGNORMAL && isnan(h.a) && h.b == 0.5);
    ok(rm2_hyperparameter_set_prior(ctx, "gamma:2:10", &h));
    assert_true(h.start == 0.2 && h.prior == RM2_PRIOR_GAMMA && h.a == 2 && h.b == 10);
    ok(rm2_hyperparameter_set_start(ctx, "1e-3", &h));
    assert_true(h.start == 1e-3 && h.prior == RM2_PRIOR_GAMMA);
    rm2_hyperparameter_hold(&h);
    assert_true(!h.learned && h.prior == RM2_PRIOR_NONE && h.a == 0 && h.b == 0);
    assert_int_equal(rm2_hyperparameter_set_start(ctx, "held", &h), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "expected a positive number, got \"held\""));
    assert_int_equal(rm2_hyperparameter_set_start(ctx, NULL, &h), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_hyperparameter_set_prior(ctx, "none", NULL), RM2_ERR_ARGUMENT);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_unknown_names(void **state) {
    (void)state;
    const struct {
        const char *name, *nearest;
    } cases[] = {{"latent_dims", "latent_dim"},
                 {"kernal", "kernel"},
                 {"noise-variance", "noise_variance"},
                 {"max_iteration", "max_iterations"},
                 {"leanring_rate", "learning_rate"},
                 {"sed", "seed"},
                 {"", "ard"}};
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    char text[160], expected[80];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        (void)snprintf(expected, sizeof expected, "nearest name is \"%s\"", cases[k].nearest);
        assert_int_equal(rm2_settings_set(ctx, table, &s, cases[k].name, "1"), RM2_ERR_ARGUMENT);
        if (!strstr(rm2_context_error(ctx), expected))
            fail_msg("%s: %s", cases[k].name, rm2_context_error(ctx));
    }
    double x;
    assert_int_equal(rm2_settings_get(ctx, table, &s, "x", text, 160), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_get_number(ctx, table, &s, "x", &x), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_settings_set_number(ctx, table, &s, "x", 1), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_set(ctx, NULL, &s, "seed", "1"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_set(ctx, table, NULL, "seed", "1"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_set(ctx, table, &s, NULL, "1"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_get(ctx, table, &s, "seed", NULL, 160), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_get(ctx, table, &s, "kernel", text, 2), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "needs 3 bytes"));
    assert_int_equal(rm2_settings_get_number(ctx, table, &s, "seed", NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_check(ctx, table, NULL), RM2_ERR_ARGUMENT);
    rm2_data_settings d = rm2_data_settings_default();
    assert_int_equal(
        rm2_settings_get_number(ctx, rm2_settings_table_of(RM2_SETTINGS_DATA), &d, "group", &x),
        RM2_ERR_ARGUMENT);
}

/* A recipe by name fills all settings; pointers stay. */
static void test_recipe_by_name(void **state) {
    (void)state;
    double base = 1;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.latent_dim = 7;
    s.base_point = &base;
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    ok(rm2_settings_set(ctx, table, &s, "recipe", "paper"));
    rm2_fit_settings paper = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    assert_ptr_equal(s.base_point, &base);
    assert_int_equal(s.latent_dim, paper.latent_dim);
    for (size_t k = 0; k < table->count; k++) { /* not their bytes: there is padding */
        char text[160], expected[160];
        const char *name = rm2_settings_at(table, k)->name;
        ok(rm2_settings_get(ctx, table, &s, name, text, sizeof text));
        ok(rm2_settings_get(ctx, table, &paper, name, expected, sizeof expected));
        assert_string_equal(text, expected);
    }
    rm2_fit_settings unknown = rm2_fit_settings_recipe((rm2_recipe)77);
    assert_int_equal(unknown.recipe, RM2_RECIPE_AUTO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_complete),
        cmocka_unit_test(test_every_member_is_a_row),
        cmocka_unit_test(test_texts_come_back),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_parts_of_hyperparameters),
        cmocka_unit_test(test_single_parts),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_recipe_by_name),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
