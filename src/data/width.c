/* Numbers per point of a file or an array, and the message when there are others. */
#include <stdio.h>

#include "base/base.h"
#include "data/data.h"

rm2_status rm2i_total_width(rm2_context *ctx, const rm2_manifold *m, const rm2_data_settings *s,
                            size_t *total) {
    *total = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        size_t width;
        RM2_TRY(rm2i_input_width(ctx, rm2_manifold_factor(m, k), s, &width));
        *total += width;
    }
    return RM2_OK;
}

/* A setting under which `found` columns would do, or NULL. */
static const char *setting_that_fits(const rm2_manifold *m, const rm2_data_settings *s,
                                     size_t found) {
    static const struct {
        const char *text;
        rm2_spd_layout layout;
        bool unit_diagonal;
        bool angles;
        rm2_orientation orientation;
    } options[] = {
        {"settings.spd_layout full", RM2_SPD_FULL, false, false, RM2_ORIENTATION_QUATERNION},
        {"settings.spd_layout upper (or lower)", RM2_SPD_UPPER, false, false,
         RM2_ORIENTATION_QUATERNION},
        {"settings.spd_layout upper and settings.unit_diagonal", RM2_SPD_UPPER, true, false,
         RM2_ORIENTATION_QUATERNION},
        {"settings.angles", RM2_SPD_FULL, false, true, RM2_ORIENTATION_QUATERNION},
        {"settings.orientation matrix", RM2_SPD_FULL, false, false, RM2_ORIENTATION_MATRIX},
        {"settings.orientation rotvec (or euler)", RM2_SPD_FULL, false, false,
         RM2_ORIENTATION_ROTVEC},
        {"settings.orientation quaternion", RM2_SPD_FULL, false, false, RM2_ORIENTATION_QUATERNION},
    };
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        rm2_data_settings trial = *s;
        trial.spd_layout = options[k].layout;
        trial.unit_diagonal = options[k].unit_diagonal;
        trial.angles = options[k].angles;
        trial.orientation = options[k].orientation;
        size_t width;
        if (rm2i_total_width(NULL, m, &trial, &width) == RM2_OK && width == found)
            return options[k].text;
    }
    return NULL;
}

/* "3 + 4 = 7" */
static void sum_text(const rm2_manifold *m, const rm2_data_settings *s, size_t total, char *text,
                     size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m) && used + 48 < size; k++) {
        size_t width = 0;
        (void)rm2i_input_width(NULL, rm2_manifold_factor(m, k), s, &width);
        used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? " + " : "", width);
    }
    if (rm2_manifold_factor_count(m) > 1)
        (void)snprintf(text + used, size - used, " = %zu", total);
}

rm2_status rm2i_check_width(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                            const rm2i_wanted *wanted, const rm2i_raw *raw) {
    const rm2_manifold *m = wanted->manifold;
    size_t expected = wanted->width;
    if (raw->width == expected)
        return RM2_OK;
    char sum[200], columns[220] = "", advice[160];
    sum_text(m, s, expected, sum, sizeof sum);
    size_t used = 0;
    for (size_t k = 0; raw->names && k < raw->width && used + 24 < 160; k++)
        used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%.16s", k ? ", " : " (",
                                 raw->names[k]);
    if (used)
        (void)snprintf(columns + used, sizeof columns - used, "%s",
                       used + 24 < 160 ? ")" : ", ...)");
    const char *setting = setting_that_fits(m, s, raw->width);
    if (setting)
        (void)snprintf(advice, sizeof advice, "this many fit with %s", setting);
    else if (raw->width == expected + 1 && !s->group && raw->names)
        (void)snprintf(advice, sizeof advice,
                       "if one is a trajectory id or a label, name it: settings.group %.40s",
                       raw->names[0]);
    else
        (void)snprintf(advice, sizeof advice, "choose the columns with settings.columns");
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: %zu columns%s for the points, but %s needs %s; %s",
                     path, raw->width, columns, rm2_manifold_spec(m), sum, advice);
}
