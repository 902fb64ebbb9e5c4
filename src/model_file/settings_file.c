/* A setting is kept as one double: choices, flags and counts are small whole numbers, exact there. A
 * hyperparameter is five of them, a seed two of 32 bits. The recipe is never automatic by then: 0 is the first of the others. */
#include "model_file/settings_file.h"

#include <stdio.h>

#include "base/base.h"
#include "settings/settings.h"

enum { PARTS = 5 };

/* What the names of the parts of a row end in; ends with NULL. */
static const char *const *endings_of(const rm2_setting *row) {
    static const char *const one[] = {"", NULL}, *const seed[] = {"", "_high", NULL},
                             *const hyper[] = {".start", ".learned", ".prior", ".a", ".b", NULL};
    return row->type == RM2_SETTING_HYPERPARAMETER ? hyper
           : row->type == RM2_SETTING_SEED         ? seed
                                                   : one;
}

static void take_apart(const rm2_setting *row, const rm2_fit_settings *s, double parts[PARTS]) {
    rm2i_value value;
    rm2i_setting_load(row, s, &value);
    parts[0] = rm2i_setting_to_number(row, &value);
    if (row->type == RM2_SETTING_RECIPE) {
        parts[0] -= RM2_RECIPE_ROBUST;
    } else if (row->type == RM2_SETTING_HYPERPARAMETER) {
        parts[1] = value.hyper.learned;
        parts[2] = value.hyper.prior;
        parts[3] = value.hyper.a;
        parts[4] = value.hyper.b;
    } else if (row->type == RM2_SETTING_SEED) {
        parts[0] = (double)(value.seed & UINT32_MAX);
        parts[1] = (double)(value.seed >> 32);
    }
}

static bool is_whole(double x, double most) {
    return x >= 0 && x <= most && x == floor(x);
}

static bool put_hyperparameter(const double parts[PARTS], rm2_hyperparameter *h) {
    if (!is_whole(parts[1], 1) || !is_whole(parts[2], RM2_PRIOR_LOGNORMAL))
        return false;
    *h = (rm2_hyperparameter){parts[0], parts[1] == 1, (rm2_prior_kind)(int)parts[2], parts[3],
                              parts[4]};
    return true;
}

/* False if the parts are no value of the setting. */
static bool put_together(const rm2_setting *row, const double parts[PARTS], rm2_fit_settings *s) {
    rm2i_value value;
    bool good = false;
    if (row->type == RM2_SETTING_HYPERPARAMETER) {
        good = put_hyperparameter(parts, &value.hyper) && rm2i_setting_within(row, &value);
    } else if (row->type == RM2_SETTING_SEED) {
        good = is_whole(parts[0], UINT32_MAX) && is_whole(parts[1], UINT32_MAX);
        value.seed = good ? (uint64_t)parts[1] << 32 | (uint64_t)parts[0] : 0;
    } else if (row->type == RM2_SETTING_RECIPE) {
        good = parts[0] >= 0 && rm2i_setting_from_number(row, parts[0] + RM2_RECIPE_ROBUST, &value);
    } else {
        good = rm2i_setting_from_number(row, parts[0], &value);
    }
    if (good)
        rm2i_setting_store(row, &value, s);
    return good;
}

enum { PATH_SIZE = 64 };

static void path_of(const rm2_setting *row, const char *ending, char path[PATH_SIZE]) {
    (void)snprintf(path, PATH_SIZE, "settings/%s%s", row->field, ending);
}

rm2_status rm2i_settings_put(rm2_context *ctx, rm2i_h5_writer *h5, const rm2_fit_settings *s) {
    const rm2_settings_table *table = rm2_fit_settings_table();
    for (size_t k = 0; k < table->count; k++) {
        const char *const *endings = endings_of(&table->rows[k]);
        double parts[PARTS] = {0};
        take_apart(&table->rows[k], s, parts);
        for (size_t p = 0; endings[p]; p++) {
            char path[PATH_SIZE];
            path_of(&table->rows[k], endings[p], path);
            RM2_TRY(rm2i_h5_put_doubles(ctx, h5, path, 0, NULL, &parts[p]));
        }
    }
    return RM2_OK;
}

static rm2_status get_row(rm2_context *ctx, const rm2i_h5 *h5, const rm2_setting *row,
                          rm2_fit_settings *s) {
    const char *const *endings = endings_of(row);
    double parts[PARTS] = {0};
    char path[PATH_SIZE];
    take_apart(row, s, parts);
    for (size_t p = 0; endings[p]; p++) {
        path_of(row, endings[p], path);
        if (rm2i_h5_has(h5, path))
            RM2_TRY(rm2i_h5_get_double(ctx, h5, path, &parts[p]));
    }
    if (put_together(row, parts, s))
        return RM2_OK;
    char expected[240];
    rm2_setting_expected(row, expected, sizeof expected);
    return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: settings/%s is %g, expected %s", rm2i_h5_name(h5),
                     row->field, parts[0], expected);
}

rm2_status rm2i_settings_get(rm2_context *ctx, const rm2i_h5 *h5, rm2_fit_settings *s) {
    const rm2_settings_table *table = rm2_fit_settings_table();
    for (size_t k = 0; k < table->count; k++)
        RM2_TRY(get_row(ctx, h5, &table->rows[k], s));
    return RM2_OK;
}

void rm2i_settings_each(const rm2_fit_settings *s, void (*take)(void *user, double value),
                        void *user) {
    const rm2_settings_table *table = rm2_fit_settings_table();
    for (size_t k = 0; k < table->count; k++) {
        const char *const *endings = endings_of(&table->rows[k]);
        double parts[PARTS] = {0};
        take_apart(&table->rows[k], s, parts);
        for (size_t p = 0; !table->rows[k].limit && endings[p]; p++)
            take(user, parts[p]);
    }
}
