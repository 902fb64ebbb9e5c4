/* A file to a data set: the chain of steps, and the message when the numbers of columns do not fit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

/* ---- number of columns ---------------------------------------------------------------------- */

static rm2_status total_width(rm2_context *ctx, const rm2_manifold *m, const rm2_data_settings *s,
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
        if (total_width(NULL, m, &trial, &width) == RM2_OK && width == found)
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

static rm2_status wrong_width(rm2_context *ctx, const char *path, const rm2_manifold *m,
                              const rm2_data_settings *s, const rm2i_raw *raw, size_t expected) {
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

/* ---- trajectories --------------------------------------------------------------------------- */

/* Runs of equal ids become trajectories; an id that comes back after another is an error. */
static rm2_status find_runs(rm2_context *ctx, const char *path, const rm2i_raw *raw,
                            rm2_data *data) {
    if (data->trajectories == 0)
        return RM2_OK;
    size_t runs = 0;
    for (size_t i = 0; i < raw->rows; i++) {
        size_t code = raw->group.code[i];
        if (i > 0 && code == raw->group.code[i - 1])
            continue;
        if (code != runs) /* codes count first appearances: a new run has the next one */
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "%s, %s %zu: trajectory \"%.60s\" comes back after others; sort the rows "
                "so that each trajectory is one run, in order of time",
                path, raw->lines ? "line" : "row", raw->numbers[i], raw->group.names[code]);
        data->starts[runs] = i;
        free(data->ids[runs]);
        data->ids[runs] = NULL;
        RM2_TRY(rm2i_strdup(ctx, raw->group.names[code], &data->ids[runs]));
        runs++;
    }
    data->starts[runs] = raw->rows;
    return RM2_OK;
}

static rm2_status copy_roles(rm2_context *ctx, const char *path, rm2i_raw *raw, rm2_data *data) {
    free(data->rows);
    data->rows = raw->numbers;
    raw->numbers = NULL;
    data->rows_are_lines = raw->lines;
    data->time = raw->time;
    raw->time = NULL;
    if (raw->label.code) {
        RM2_TRY(rm2i_data_set_labels(ctx, data, raw->label.count,
                                     (const char *const *)raw->label.names));
        memcpy(data->labels, raw->label.code, raw->rows * sizeof *data->labels);
    }
    for (size_t i = 0; data->time && i < data->count; i++)
        if (!(data->time[i] - data->time[i] == 0)) /* NaN or infinite */
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s, %s %zu: time is %g", path,
                             data->rows_are_lines ? "line" : "row", data->rows[i], data->time[i]);
    return RM2_OK;
}

/* ---- the chain ------------------------------------------------------------------------------ */

static rm2_status raw_to_data(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              rm2i_raw *raw, rm2_data **data, rm2_data_report *report) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    RM2_TRY(rm2i_data_create(ctx, s->manifold, name, raw->rows, raw->group.count, data));
    report->factors = rm2_manifold_factor_count((*data)->manifold);
    RM2_TRY(rm2i_calloc(ctx, report->factors, sizeof *report->factor, &report->factor));
    RM2_TRY(find_runs(ctx, path, raw, *data));
    RM2_TRY(copy_roles(ctx, path, raw, *data));
    RM2_TRY(rm2i_validate(ctx, s, raw, *data, report));
    if (s->align_signs && !s->allow_missing)
        rm2i_align_signs(*data, report);
    return RM2_OK;
}

/* From the table, or without one from the file. */
static rm2_status load_raw(rm2_context *ctx, const char *path, rm2_table *table,
                           const rm2_data_settings *s, size_t width, rm2i_raw *raw) {
    if (table)
        return rm2i_raw_take_table(ctx, path, s, table, raw);
    if (rm2i_has_extension(path, ".npy") || rm2i_has_extension(path, ".npz"))
        return rm2i_raw_from_array(ctx, path, s, width, raw);
    return rm2i_raw_from_table(ctx, path, s, raw);
}

static rm2_status load(rm2_context *ctx, const char *path, rm2_table *table,
                       const rm2_data_settings *s, const rm2_manifold *m, rm2_data **data,
                       rm2_data_report *report) {
    size_t width;
    RM2_TRY(total_width(ctx, m, s, &width));
    rm2i_raw raw = {.rows = 0};
    rm2_status status = load_raw(ctx, path, table, s, width, &raw);
    if (status == RM2_OK && raw.width != width)
        status = wrong_width(ctx, path, m, s, &raw, width);
    if (status == RM2_OK)
        status = raw_to_data(ctx, path, s, &raw, data, report);
    rm2i_raw_free(&raw);
    return status;
}

/* The held-out part lives in the units of the training part. */
static rm2_status scale_both(rm2_context *ctx, rm2_data *data, rm2_data *held_out) {
    RM2_TRY(rm2_data_scale(ctx, data));
    if (!held_out)
        return RM2_OK;
    size_t factors = rm2_manifold_factor_count(data->manifold);
    for (size_t k = 0; k < factors; k++)
        held_out->scale[k] = 1 / data->scale[k];
    rm2_data_unscale(held_out, held_out->count, held_out->points);
    memcpy(held_out->scale, data->scale, factors * sizeof *data->scale);
    return RM2_OK;
}

static rm2_status read_all(rm2_context *ctx, const char *path, rm2_table *table,
                           const rm2_data_settings *s, rm2_data **data, rm2_data **held_out,
                           rm2_data_report *report) {
    rm2_manifold *m;
    RM2_TRY(rm2_manifold_create(ctx, s->manifold, &m));
    rm2_status status = rm2i_check_settings(ctx, path, m, s);
    if (status == RM2_OK)
        status = load(ctx, path, table, s, m, data, report);
    rm2_manifold_free(m);
    RM2_TRY(status);
    if (s->select)
        RM2_TRY(rm2i_select(ctx, data, s->select));
    if (s->thin)
        RM2_TRY(rm2i_thin(ctx, data, s->thin));
    if (s->holdout)
        RM2_TRY(rm2i_hold_out(ctx, data, s->holdout, held_out));
    if (s->scale)
        RM2_TRY(scale_both(ctx, *data, *held_out));
    return s->allow_missing ? RM2_OK : rm2i_describe(ctx, *data, report);
}

/* Everything or nothing: on failure all results are empty. */
static rm2_status read_or_nothing(rm2_context *ctx, const char *path, rm2_table *table,
                                  const rm2_data_settings *settings, rm2_data **data,
                                  rm2_data **held_out, rm2_data_report *report) {
    rm2_data *held = NULL;
    rm2_data_report found = {.factors = 0};
    *data = NULL;
    if (held_out)
        *held_out = NULL;
    rm2_status status = read_all(ctx, path, table, settings, data, &held, &found);
    if (status != RM2_OK) {
        rm2_data_free(*data);
        *data = NULL;
        rm2_data_free(held);
        held = NULL;
        rm2_data_report_free(&found);
    }
    if (held_out)
        *held_out = held;
    else
        rm2_data_free(held);
    if (report)
        *report = found;
    else
        rm2_data_report_free(&found);
    return status;
}

rm2_status rm2_data_read(rm2_context *ctx, const char *path, const rm2_data_settings *settings,
                         rm2_data **data, rm2_data **held_out, rm2_data_report *report) {
    return read_or_nothing(ctx, path, NULL, settings, data, held_out, report);
}

rm2_status rm2_data_from_table(rm2_context *ctx, const char *name, rm2_table *table,
                               const rm2_data_settings *settings, rm2_data **data,
                               rm2_data **held_out, rm2_data_report *report) {
    rm2_table none = {.rows = 0};
    rm2_status status =
        read_or_nothing(ctx, name, table ? table : &none, settings, data, held_out, report);
    rm2_table_free(table);
    return status;
}
