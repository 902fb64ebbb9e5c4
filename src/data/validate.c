/* Raw rows to points on the manifold. Every row is converted; what is off the manifold by rounding
 * is projected and counted, a little more is also warned of, more than that is an error that names
 * the row, the numbers, and what may be wrong. Where a point needs no more room than its raw row,
 * the points take over the memory of the rows: a large file is never in memory twice. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "linalg/dense.h"
#include "linalg/shrink.h"
#include "manifold/manifold.h"

/* One factor on its way in. */
typedef struct intake {
    const rm2_data_settings *s;
    const rm2i_raw *raw;
    rm2i_draft *data;
    const rm2_factor *f;
    size_t index;         /* of the factor */
    size_t column, width; /* of its numbers in a raw row */
    rm2_quat_order order;
    rm2_factor_report *report;
    const double *row; /* the raw row at hand, all factors */
    double *work, *point;
} intake;

static rm2i_input_place place_of(const intake *in, size_t row) {
    rm2_data view = rm2i_draft_view(in->data);
    return rm2i_data_place(&view, row);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* "(0.5, 0.5, ...)", or "(qw=0.5, qx=0.5, ...)" where columns have names: at most six numbers. */
static void numbers_text(const intake *in, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (size_t k = in->column; k < in->column + in->width && k < in->column + 6; k++) {
        used += (size_t)snprintf(text + used, size - used, "%s", k > in->column ? ", " : "");
        if (in->raw->names)
            used += (size_t)snprintf(text + used, size - used, "%.16s=", in->raw->names[k]);
        used += (size_t)snprintf(text + used, size - used, "%.6g", in->row[k]);
    }
    (void)snprintf(text + used, size - used, "%s)", in->width > 6 ? ", ..." : "");
}

/* "line 3, column 2 ("y")" of a text file, whose columns count from 1 as its lines do, or
 * "row 2, column 1 (counted from 0)" of an array: where number k of the factor stands. */
typedef struct cell {
    char text[200];
} cell;

static cell cell_of(const intake *in, size_t row, size_t k) {
    cell found;
    size_t at = in->column + k, column = in->raw->columns ? in->raw->columns[at] : at;
    rm2i_input_place place = place_of(in, row);
    if (in->raw->names)
        (void)snprintf(found.text, sizeof found.text, "%s, column %zu (\"%.40s\")", place.text,
                       column + 1, in->raw->names[at]);
    else if (strcmp(in->raw->row_word, "line") == 0)
        (void)snprintf(found.text, sizeof found.text, "%s, column %zu", place.text, column + 1);
    else
        (void)snprintf(found.text, sizeof found.text, "%s, column %zu (counted from 0)", place.text,
                       column);
    return found;
}

static rm2_status not_finite(rm2_context *ctx, const intake *in, size_t row, size_t k) {
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s, %s: the value is %g; points need finite numbers: remove or fill the row",
                     in->data->source, cell_of(in, row, k).text, in->row[in->column + k]);
}

static rm2_status too_large(rm2_context *ctx, const intake *in, size_t row, size_t k) {
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s, %s: the value is %g; beyond %g squared distances overflow: divide the "
                     "entries of factor %zu (R%zu) by one large number, or choose larger units",
                     in->data->source, cell_of(in, row, k).text, in->row[in->column + k],
                     RM2I_ENTRY_MOST, in->index + 1, in->f->n);
}

/* Layouts of the same size under which every matrix would be positive definite. */
static void other_layouts(const intake *in, char *text, size_t size) {
    size_t n = in->f->n, rows = in->raw->rows < 1000 ? in->raw->rows : 1000;
    double *A = in->work, *L = in->work + n * n;
    text[0] = 0;
    if (!in->raw->values) /* full matrices, converted in place: no other layout has their size */
        return;
    for (int layout = 0; layout < RM2I_SPD_LAYOUTS; layout++) {
        rm2_spd_layout other = (rm2_spd_layout)layout;
        if (other == in->s->spd_layout || (other >= RM2_SPD_FSL && n != 3) ||
            rm2i_spd_entries(n, other, in->s->unit_diagonal) != in->width)
            continue;
        size_t good = 0;
        while (good < rows) {
            rm2i_spd_unpack(n, other, in->s->unit_diagonal,
                            in->raw->values + good * in->raw->width + in->column, A);
            if (rm2i_cholesky(n, A, L) != RM2_OK)
                break;
            good++;
        }
        size_t used = strlen(text);
        if (good == rows)
            (void)snprintf(text + used, size - used, "%ssettings.spd_layout %s", used ? " or " : "",
                           rm2i_spd_layout_name(other));
    }
}

static rm2_status off_spd(rm2_context *ctx, const intake *in, size_t row, double defect,
                          const char *numbers) {
    char layouts[160];
    other_layouts(in, layouts, sizeof layouts);
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%s, %s, factor %zu (SPD%zu): %s with layout %s is not symmetric positive "
        "definite (off by %.2g relative to its largest entry)%s%s%s",
        in->data->source, place_of(in, row).text, in->index + 1, in->f->n, numbers,
        rm2i_spd_layout_name(in->s->spd_layout), defect, layouts[0] ? "; with " : "", layouts,
        layouts[0] ? " all matrices would be"
                   : "; check the layout and the columns, or increase settings.warn_below");
}

static rm2_status off_manifold(rm2_context *ctx, const intake *in, size_t row, double defect) {
    char numbers[256];
    numbers_text(in, numbers, sizeof numbers);
    if (rm2_is_spd(in->f->geometry))
        return off_spd(ctx, in, row, defect, numbers);
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s, %s, factor %zu (%s%zu): %s is off the manifold by %.2g (allowed: %.2g); "
                     "check the columns, or increase settings.warn_below",
                     in->data->source, place_of(in, row).text, in->index + 1, in->f->geometry->name,
                     in->f->n, numbers, defect, in->s->warn_below);
}

/* ---- one factor ----------------------------------------------------------------------------- */

static double *point_of(const intake *in, size_t row) {
    return in->data->points + row * rm2_manifold_ambient(in->data->manifold) +
           in->f->ambient_offset;
}

/* Numbers that are not finite are errors, and Euclidean ones whose squares would not be; NaN may
 * stand for missing entries where that is allowed: of Euclidean factors, or all of another factor. */
static rm2_status look_for_missing(rm2_context *ctx, const intake *in, size_t row, bool *missing) {
    const double *numbers = in->row + in->column;
    bool flat = in->f->geometry == &rm2_euclidean;
    size_t gone = 0;
    for (size_t k = 0; k < in->width; k++) {
        if (isinf(numbers[k]) || (isnan(numbers[k]) && !in->s->allow_missing))
            return not_finite(ctx, in, row, k);
        if (flat && fabs(numbers[k]) > RM2I_ENTRY_MOST)
            return too_large(ctx, in, row, k);
        gone += isnan(numbers[k]) ? 1 : 0;
    }
    *missing = gone > 0;
    if (gone == 0 || gone == in->width || flat)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%s, %s, factor %zu (%s%zu): %zu of %zu entries are missing; only a whole factor "
        "or entries of a Euclidean one can be",
        in->data->source, place_of(in, row).text, in->index + 1, in->f->geometry->name, in->f->n,
        gone, in->width);
}

static void copy_missing(const intake *in, const double *numbers, double *point) {
    bool flat = in->f->geometry == &rm2_euclidean;
    for (size_t k = 0; k < in->f->ambient; k++)
        point[k] = flat ? numbers[k] : NAN;
}

/* Shrink a matrix as the settings say, and count it if it is singular: projection would hide that. */
static rm2_status project_matrix(rm2_context *ctx, const intake *in, size_t row) {
    rm2_factor_report *r = in->report;
    rm2i_draft *data = in->data;
    if (in->s->shrinkage > 0)
        rm2i_shrink(in->f->n, in->s->shrinkage, in->point);
    if (!rm2i_singular(in->f->n, in->point, in->work))
        return RM2_OK;
    if (r->singular++ == 0)
        r->singular_row = data->rows[row];
    if (data->singular++ == 0)
        data->singular_row = data->rows[row];
    if (!data->singular_at)
        RM2_TRY(rm2i_calloc(ctx, data->count, sizeof *data->singular_at, &data->singular_at));
    data->singular_at[row] = (unsigned char)(data->singular_at[row] + 1);
    return RM2_OK;
}

static rm2_status project_factor(rm2_context *ctx, const intake *in, size_t row) {
    const double *numbers = in->row + in->column;
    bool missing = false;
    RM2_TRY(look_for_missing(ctx, in, row, &missing));
    if (missing) {
        copy_missing(in, numbers, point_of(in, row));
        return RM2_OK;
    }
    double hidden = rm2i_convert(in->f, in->s, in->order, numbers, in->point), defect;
    if (rm2_is_spd(in->f->geometry))
        RM2_TRY(project_matrix(ctx, in, row));
    rm2_status status = rm2i_factor_project_within(in->f, in->s->warn_below, in->point,
                                                   point_of(in, row), in->work, &defect);
    defect = fmax(hidden, defect);
    rm2_factor_report *r = in->report;
    if (defect > r->worst_defect || row == 0) {
        r->worst_defect = defect;
        r->worst_row = in->data->rows[row];
    }
    if (status != RM2_OK || !(hidden <= in->s->warn_below))
        return off_manifold(ctx, in, row, defect);
    r->projected += defect > 1e-14; /* rounding of the last digits is no correction */
    r->warned += defect > in->s->project_below;
    return RM2_OK;
}

void rm2i_log_validated(rm2_context *ctx, const rm2_data_settings *s, const rm2i_draft *draft,
                        size_t count, const rm2_data_report *report) {
    for (size_t k = 0; k < report->factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(draft->manifold, k);
        const rm2_factor_report *r = &report->factor[k];
        if (rm2_is_spd(f->geometry) && s->shrinkage > 0)
            rm2i_log(
                ctx, RM2_LOG_INFO,
                "%s: %zu matrices of factor %zu (SPD%zu) were regularised with a shrinkage of %g",
                draft->source, count, k + 1, f->n, s->shrinkage);
        if (r->warned)
            rm2i_log(ctx, RM2_LOG_WARNING,
                     "%s: %zu points of factor %zu (%s%zu) were off the manifold by more than "
                     "%.0e (the worst by %.2g) and have been projected",
                     draft->source, r->warned, k + 1, f->geometry->name, f->n, s->project_below,
                     r->worst_defect);
    }
}

/* Order told by the last letters of the four column names: w first or last. */
static rm2_quat_order order_from_names(const intake *in) {
    if (!in->raw->names)
        return RM2_QUAT_AUTO;
    char last[5] = "";
    for (size_t k = 0; k < 4; k++) {
        const char *name = in->raw->names[in->column + k];
        size_t length = strlen(name);
        last[k] = (char)(length ? tolower((unsigned char)name[length - 1]) : '?');
    }
    if (strcmp(last, "wxyz") == 0)
        return RM2_QUAT_WXYZ;
    return strcmp(last, "xyzw") == 0 ? RM2_QUAT_XYZW : RM2_QUAT_AUTO;
}

static void decide_order(intake *in) {
    in->order = in->s->quat_order;
    if (!rm2i_is_orientation(in->f) || in->s->orientation != RM2_ORIENTATION_QUATERNION ||
        in->order != RM2_QUAT_AUTO)
        return;
    in->order = order_from_names(in);
    if (in->order == RM2_QUAT_AUTO) {
        in->order = RM2_QUAT_WXYZ;
        in->report->order_assumed = true;
    }
}

/* ---- all factors ---------------------------------------------------------------------------- */

/* Room for any factor's scratch, a point, and two matrices for the layouts. */
static size_t work_size(const rm2_manifold *m) {
    size_t most = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        size_t size = f->geometry->work_size(f->n) + 2 * f->ambient;
        most = size > most ? size : most;
    }
    return most;
}

static rm2_status prepare(rm2_context *ctx, const intake *common, intake *factors) {
    size_t column = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(common->data->manifold); k++) {
        intake *in = &factors[k];
        rm2_factor_report *report = common->report + k;
        *in = *common;
        in->f = rm2_manifold_factor(common->data->manifold, k);
        in->index = k;
        in->report = report;
        in->column = column;
        RM2_TRY(rm2i_input_width(ctx, in->f, in->s, &in->width));
        decide_order(in);
        column += in->width;
    }
    return RM2_OK;
}

static rm2_status project_rows(rm2_context *ctx, rm2i_raw *raw, rm2i_draft *data, double *row,
                               const intake *factors) {
    const double *from = raw->values;
    if (raw->width >= rm2_manifold_ambient(data->manifold)) {
        free(data->points);
        data->points = raw->values;
        raw->values = NULL;
    }
    for (size_t i = 0; i < raw->rows; i++) {
        memcpy(row, from + i * raw->width, raw->width * sizeof *row);
        for (size_t k = 0; k < rm2_manifold_factor_count(data->manifold); k++)
            RM2_TRY(project_factor(ctx, &factors[k], i));
    }
    return RM2_OK;
}

rm2_status rm2i_validate(rm2_context *ctx, const rm2_data_settings *s, rm2i_raw *raw,
                         rm2i_draft *data, rm2_data_report *report) {
    size_t scratch = work_size(data->manifold), ambient = rm2_manifold_ambient(data->manifold);
    double *memory = NULL;
    intake *factors = NULL;
    rm2_status status = rm2i_alloc(ctx, scratch + ambient + raw->width, sizeof *memory, &memory);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, report->factors, sizeof *factors, &factors);
    if (status == RM2_OK) {
        double *row = memory + scratch + ambient;
        intake common = {.s = s,
                         .raw = raw,
                         .data = data,
                         .report = report->factor,
                         .row = row,
                         .work = memory,
                         .point = memory + scratch};
        status = prepare(ctx, &common, factors);
        if (status == RM2_OK)
            status = project_rows(ctx, raw, data, row, factors);
    }
    free(factors);
    free(memory);
    return status;
}
