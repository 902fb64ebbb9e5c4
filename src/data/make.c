/* A file, a table or arrays to a data set: the chain of steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "front/arrays.h"
#include "front/data.h"

/* Where a data set comes from: arrays, a table that was read before, or else the file. */
typedef struct origin {
    const char *path; /* of the file, or the name that stands for it in messages */
    rm2_table *table;
    const rm2_data_arrays *arrays;
} origin;

/* What comes of it. */
typedef struct result {
    rm2i_draft data, held_out; /* held_out is empty if nothing was */
    rm2_data_report report;
} result;

/* ---- trajectories --------------------------------------------------------------------------- */

rm2_status rm2i_fail_again(rm2_context *ctx, const char *path, const rm2i_raw *raw, size_t number,
                           const char *id) {
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%s, %s %zu: trajectory \"%.60s\" appears again after others; sort the rows: those "
        "of a trajectory must be consecutive, in order of time",
        path, raw->row_word, number, id);
}

/* Runs of equal ids become trajectories; an id that appears again after another is an error. */
static rm2_status find_runs(rm2_context *ctx, const char *path, const rm2i_raw *raw,
                            rm2i_draft *d) {
    if (d->trajectories == 0)
        return RM2_OK;
    size_t runs = 0;
    for (size_t i = 0; i < raw->rows; i++) {
        size_t code = raw->group.code[i];
        if (i > 0 && code == raw->group.code[i - 1])
            continue;
        if (code != runs) /* codes count first appearances: a new run has the next one */
            return rm2i_fail_again(ctx, path, raw, raw->numbers[i], raw->group.names[code]);
        d->starts[runs] = i;
        free(d->ids[runs]);
        d->ids[runs] = NULL;
        RM2_TRY(rm2i_strdup(ctx, raw->group.names[code], &d->ids[runs]));
        runs++;
    }
    d->starts[runs] = raw->rows;
    return RM2_OK;
}

rm2_status rm2i_copy_roles(rm2_context *ctx, const char *path, rm2i_raw *raw, rm2i_draft *d) {
    free(d->rows);
    d->rows = raw->numbers;
    raw->numbers = NULL;
    d->row_word = raw->row_word;
    d->time = raw->time;
    raw->time = NULL;
    if (raw->label.code) {
        RM2_TRY(
            rm2i_draft_set_labels(ctx, d, raw->label.count, (const char *const *)raw->label.names));
        memcpy(d->labels, raw->label.code, raw->rows * sizeof *d->labels);
    }
    for (size_t i = 0; d->time && i < d->count; i++)
        if (!isfinite(d->time[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s, %s %zu: time is %g", path, d->row_word,
                             d->rows[i], d->time[i]);
    return RM2_OK;
}

/* ---- warnings ------------------------------------------------------------------------------- */

/* Every step of a trajectory should take time. */
static void warn_about_time(rm2_context *ctx, const rm2i_draft *d) {
    size_t bad = 0, first = 0;
    for (size_t t = 0; d->time && t < d->trajectories; t++)
        for (size_t i = d->starts[t] + 1; i < d->starts[t + 1]; i++)
            if (!(d->time[i] > d->time[i - 1]) && bad++ == 0)
                first = i;
    if (bad)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "%s: time does not grow at %zu point%s of a trajectory, first in %s %zu (%g after "
                 "%g): sort the rows, or give no time",
                 d->source, bad, bad == 1 ? "" : "s", d->row_word, d->rows[first], d->time[first],
                 d->time[first - 1]);
}

static void warn_about_ids(rm2_context *ctx, const rm2i_draft *d) {
    for (size_t t = 0; t < d->trajectories; t++)
        if (d->ids[t] && d->ids[t][0] == '\0')
            rm2i_log(ctx, RM2_LOG_WARNING,
                     "%s: %zu rows from %s %zu on have an empty trajectory id and are taken as one "
                     "trajectory: name it, or remove them",
                     d->source, d->starts[t + 1] - d->starts[t], d->row_word,
                     d->rows[d->starts[t]]);
}

/* ---- the chain ------------------------------------------------------------------------------ */

const char *rm2i_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static rm2_status raw_to_draft(rm2_context *ctx, const rm2_manifold *m, const origin *from,
                               const rm2_data_settings *s, rm2i_raw *raw, result *out) {
    rm2_data_report *report = &out->report;
    RM2_TRY(rm2i_draft_create(ctx, m, rm2i_file_name(from->path), raw->rows, raw->group.count,
                              &out->data));
    report->factors = rm2_manifold_factor_count(m);
    RM2_TRY(rm2i_calloc(ctx, report->factors, sizeof *report->factor, &report->factor));
    RM2_TRY(find_runs(ctx, from->path, raw, &out->data));
    RM2_TRY(rm2i_copy_roles(ctx, from->path, raw, &out->data));
    out->data.shrinkage =
        from->arrays && from->arrays->shrunk > 0 ? from->arrays->shrunk : s->shrinkage;
    RM2_TRY(rm2i_validate(ctx, s, raw, &out->data, report));
    rm2i_log_validated(ctx, s, &out->data, out->data.count, report);
    warn_about_time(ctx, &out->data);
    warn_about_ids(ctx, &out->data);
    return s->align_signs && !s->allow_missing ? rm2i_align_signs(ctx, NULL, &out->data, report)
                                               : RM2_OK;
}

static rm2_status load_raw(rm2_context *ctx, const origin *from, const rm2_data_settings *s,
                           const rm2i_wanted *wanted, rm2i_raw *raw) {
    if (from->arrays)
        return rm2i_raw_from_memory(ctx, from->path, from->arrays, wanted->width, raw);
    if (from->table)
        return rm2i_raw_consume_table(ctx, from->path, s, from->table, raw);
    if (rm2i_has_extension(from->path, ".npy") || rm2_archive_format_of(ctx, from->path))
        return rm2i_raw_from_array(ctx, from->path, s, wanted, raw);
    return rm2i_raw_from_table(ctx, from->path, s, raw);
}

static rm2_status load(rm2_context *ctx, const origin *from, const rm2_data_settings *s,
                       const rm2_manifold *m, result *out) {
    rm2i_wanted wanted = {.manifold = m};
    if (from->arrays && from->arrays->shrunk > 0 && s->shrinkage > 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: arrays.shrunk and settings.shrinkage are both given; points are "
                         "shrunk once",
                         from->path);
    if (!from->arrays && !from->table && !rm2_archive_format_of(ctx, from->path))
        RM2_TRY(rm2i_refuse_foreign(ctx, from->path));
    RM2_TRY(rm2i_check_settings(ctx, from->arrays ? NULL : from->path, m, s));
    RM2_TRY(rm2i_total_width(ctx, m, s, &wanted.width));
    rm2i_raw raw = {.rows = 0};
    rm2_status status = load_raw(ctx, from, s, &wanted, &raw);
    if (status == RM2_OK)
        status = rm2i_check_width(ctx, from->path, s, &wanted, &raw);
    if (status == RM2_OK)
        status = raw_to_draft(ctx, m, from, s, &raw, out);
    rm2i_raw_free(&raw);
    return status;
}

static rm2_status find_manifold(rm2_context *ctx, const origin *from, const rm2_data_settings *s,
                                rm2_manifold **m) {
    if (!from->arrays)
        return rm2_manifold_create(ctx, s->manifold, m);
    *m = rm2_manifold_retain(from->arrays->manifold);
    return *m ? RM2_OK
              : rm2i_fail(ctx, RM2_ERR_ARGUMENT, "rm2_data_create: arrays.manifold is NULL");
}

static rm2_status make(rm2_context *ctx, const origin *from, const rm2_data_settings *s,
                       result *out) {
    rm2_manifold *m = NULL;
    RM2_TRY(find_manifold(ctx, from, s, &m));
    rm2_status status = load(ctx, from, s, m, out);
    rm2_manifold_free(m);
    RM2_TRY(status);
    if (s->select)
        RM2_TRY(rm2i_select(ctx, &out->data, s->select));
    if (s->thin)
        RM2_TRY(rm2i_thin(ctx, &out->data, s->thin));
    if (s->holdout)
        RM2_TRY(rm2i_hold_out(ctx, &out->data, s->holdout, &out->held_out));
    if (rm2i_data_scales(s, out->data.manifold, out->data.count) ||
        (s->scale == RM2_SCALE_AUTO && !s->allow_missing && rm2i_scale_vanishes(&out->data, NULL)))
        RM2_TRY(rm2i_scale(ctx, NULL, &out->data, &out->held_out));
    rm2_data view = rm2i_draft_view(&out->data);
    return s->allow_missing ? RM2_OK : rm2i_describe(ctx, &view, &out->report);
}

/* Both drafts to data sets. */
static rm2_status finish(rm2_context *ctx, result *made, rm2_data **data, rm2_data **held_out) {
    RM2_TRY(rm2i_draft_finish(ctx, &made->data, data));
    rm2_status status = made->held_out.manifold && held_out
                            ? rm2i_draft_finish(ctx, &made->held_out, held_out)
                            : RM2_OK;
    if (status != RM2_OK) {
        rm2_data_free(*data);
        *data = NULL;
    }
    return status;
}

/* Everything or nothing: on failure all results are empty. */
static rm2_status make_or_nothing(rm2_context *ctx, const origin *from,
                                  const rm2_data_settings *settings, rm2_data **data,
                                  rm2_data **held_out, rm2_data_report *report) {
    rm2_data_settings own;
    result made = {.report = {.size = sizeof made.report}};
    if (held_out)
        *held_out = NULL;
    RM2_REQUIRE(ctx, data);
    *data = NULL;
    RM2_TRY(rm2i_check_size(ctx, report, sizeof *report));
    rm2i_results_give(1, &made.report, sizeof made.report, report);
    rm2_status status = rm2i_data_settings_overlay(ctx, settings, !from->arrays, &own);
    if (status == RM2_OK)
        status = make(ctx, from, &own, &made);
    if (status == RM2_OK)
        status = finish(ctx, &made, data, held_out);
    if (status == RM2_OK && report) {
        rm2i_results_give(1, &made.report, sizeof made.report, report);
        if (report->size < sizeof made.report)
            free(made.report.odd_column); /* a caller of an earlier version cannot free it */
        made.report = (rm2_data_report){.size = sizeof made.report};
    }
    rm2_data_report_clear(&made.report);
    rm2i_draft_clear(&made.data);
    rm2i_draft_clear(&made.held_out);
    return status;
}

rm2_status rm2_data_read(rm2_context *ctx, const char *path, const rm2_data_settings *settings,
                         rm2_data **data, rm2_data **held_out, rm2_data_report *report) {
    RM2_REQUIRE(ctx, path);
    origin from = {.path = path};
    return make_or_nothing(ctx, &from, settings, data, held_out, report);
}

rm2_status rm2_data_from_table(rm2_context *ctx, const char *name, rm2_table *table,
                               const rm2_data_settings *settings, rm2_data **data,
                               rm2_data **held_out, rm2_data_report *report) {
    rm2_table none = {.rows = 0};
    origin from = {.path = name ? name : "table", .table = table ? table : &none};
    rm2_status status = make_or_nothing(ctx, &from, settings, data, held_out, report);
    rm2_table_clear(table);
    return status;
}

rm2_status rm2_data_create(rm2_context *ctx, const rm2_data_arrays *arrays,
                           const rm2_data_settings *settings, rm2_data **data, rm2_data **held_out,
                           rm2_data_report *report) {
    rm2_data_arrays own = {.size = sizeof own};
    if (held_out)
        *held_out = NULL;
    if (data)
        *data = NULL;
    RM2_TRY(rm2i_settings_overlay(ctx, arrays, &own));
    origin from = {.path = own.source ? own.source : "memory", .arrays = &own};
    return make_or_nothing(ctx, &from, settings, data, held_out, report);
}
