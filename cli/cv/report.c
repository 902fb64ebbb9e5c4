/* riemann2 cv: the table, JSON and CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sheet.h"
#include "cv/cv.h"

static const struct {
    const char *title;
    int width, digits;
} measures[RM2_CROSS_MEASURES] = {[RM2_CROSS_DENSITY] = {"log density", 11, 3},
                                  [RM2_CROSS_RESIDUAL] = {"residual", 8, 4},
                                  [RM2_CROSS_COVERAGE] = {"within 95 %", 11, 3},
                                  [RM2_CROSS_MOTION] = {"motion/floor", 12, 3}};
enum { ERROR_WIDTH = 7 };

/* ---- text ------------------------------------------------------------------------------------ */

static int axis_width(const grid *g, size_t k) {
    size_t width = strlen(g->axes[k].name);
    for (size_t v = 0; v < g->axes[k].count; v++)
        if (strlen(g->axes[k].value[v]) > width)
            width = strlen(g->axes[k].value[v]);
    return (int)width;
}

static void print_value(FILE *out, int width, int digits, double value) {
    if (isnan(value))
        (void)fprintf(out, "  %*s", width, "-");
    else
        (void)fprintf(out, "  %*.*f", width, digits, value);
}

static void print_heading(const cv_run *r, FILE *out) {
    static const char *const units[] = {"", "trajectories", "points", "labels"};
    const rm2_data *d = r->data;
    (void)fprintf(out, "%s: %zu points on %s, %zu trajector%s; %zu folds of %s, seed %llu\n",
                  PLAIN(r->path), d->count, rm2_manifold_spec(d->manifold), d->trajectories,
                  d->trajectories == 1 ? "y" : "ies", r->cross->folds, units[r->cross->split],
                  (unsigned long long)r->work.common->seed);
    (void)fprintf(out,
                  "means over the folds of points held out, with standard errors; everything is "
                  "fitted to the other folds alone\n\n%9s",
                  "candidate");
    for (size_t k = 0; k < r->grid.shown; k++)
        (void)fprintf(out, "  %*s", axis_width(&r->grid, k), r->grid.axes[k].name);
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++)
        (void)fprintf(out, "  %*s  %*s", measures[m].width, measures[m].title, ERROR_WIDTH,
                      "error");
    (void)fputc('\n', out);
}

static void print_row(const cv_run *r, FILE *out, size_t candidate) {
    const rm2_cross *c = r->cross;
    const rm2_cross_row *row = &c->rows[candidate];
    (void)fprintf(out, "%9zu", candidate + 1);
    for (size_t k = 0; k < r->grid.shown; k++)
        (void)fprintf(out, "  %*s", axis_width(&r->grid, k),
                      PLAIN(grid_value(&r->grid, candidate, k)));
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++) {
        print_value(out, measures[m].width, measures[m].digits, row->mean[m]);
        print_value(out, ERROR_WIDTH, measures[m].digits, row->error[m]);
    }
    if (candidate == c->best)
        (void)fprintf(out, "  best");
    if (candidate == c->recommended)
        (void)fprintf(out, "%s recommended", candidate == c->best ? "," : " ");
    if (row->failed)
        (void)fprintf(out, "  FAILED in %zu of %zu folds", row->failed, c->folds);
    (void)fputc('\n', out);
}

/* Why jobs failed: each reason of a candidate once. */
static void print_failures(const cv_run *r, FILE *out) {
    const rm2_cross *c = r->cross;
    for (size_t k = 0; k < c->candidates; k++)
        for (size_t f = 0; f < c->folds; f++) {
            const rm2_cross_job *job = &c->jobs[k * c->folds + f];
            char text[MESSAGE_SIZE];
            if (!*job->message || (f > 0 && strcmp(job->message, job[-1].message) == 0))
                continue;
            (void)message_as_options(job->message, text, sizeof text);
            (void)fprintf(out, "candidate %zu, fold %zu: %s\n", k + 1, f + 1, PLAIN(text));
        }
}

static void print_settings(const cv_run *r, FILE *out, size_t candidate) {
    for (size_t k = 0; k < r->grid.shown; k++) {
        bool set = r->grid.axes[k].row == SETTING_ROWS;
        (void)fprintf(out, " %s%s%s%s", set ? "--set " : "--", r->grid.axes[k].name,
                      set ? "=" : " ", PLAIN(grid_value(&r->grid, candidate, k)));
    }
}

static void print_choice(const cv_run *r, FILE *out) {
    const rm2_cross *c = r->cross;
    if (c->recommended == RM2_CROSS_NONE) {
        (void)fprintf(out, "\nno recommendation: every candidate failed in some fold\n");
        return;
    }
    (void)fprintf(out, "\nhighest density: candidate %zu; recommended: candidate %zu", c->best + 1,
                  c->recommended + 1);
    print_settings(r, out, c->recommended);
    const rm2_cross_row *row = &c->rows[c->recommended];
    if (c->recommended != c->best)
        (void)fprintf(out, ", simpler and behind by %.3f, less than one standard error (%.3f)",
                      row->behind, row->behind_error);
    (void)fputc('\n', out);
}

static size_t unconverged(const rm2_cross *c) {
    size_t sum = 0;
    for (size_t k = 0; k < c->candidates; k++)
        sum += k == c->best || k == c->recommended ? c->rows[k].unconverged : 0;
    return sum;
}

static void print_text(const cv_run *r, FILE *out) {
    size_t open = unconverged(r->cross);
    print_heading(r, out);
    for (size_t k = 0; k < r->cross->candidates; k++)
        print_row(r, out, k);
    print_choice(r, out);
    print_failures(r, out);
    if (open)
        (void)fprintf(out,
                      "NOT CONVERGED: %zu encoded points or geodesics of the best and the "
                      "recommended candidate\n",
                      open);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_job(rm2_json *json, const rm2_cross *c, size_t candidate, size_t fold) {
    const rm2_cross_job *job = &c->jobs[candidate * c->folds + fold];
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_COUNT("fold", fold + 1), RM2_COUNT("training_points", job->train),
                 RM2_COUNT("points", job->held), RM2_COUNT("not_converged", job->unconverged));
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++)
        rm2_json_put(json, RM2_NUMBER(rm2_cross_measure_text((rm2_cross_measure)m), job->value[m]));
    rm2_json_put(json, RM2_NUMBER("seconds", job->seconds), RM2_FLAG("failed", job->status),
                 RM2_TEXT("message", job->message));
    rm2_json_end(json);
}

static void json_candidate(rm2_json *json, const cv_run *r, size_t candidate) {
    const rm2_cross_row *row = &r->cross->rows[candidate];
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_COUNT("candidate", candidate + 1));
    rm2_json_object(json, "settings");
    for (size_t k = 0; k < r->grid.shown; k++)
        rm2_json_put(json, RM2_TEXT(r->grid.axes[k].name, grid_value(&r->grid, candidate, k)));
    rm2_json_end(json);
    rm2_json_put(json, RM2_COUNT("failed_folds", row->failed),
                 RM2_COUNT("not_converged", row->unconverged));
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++) {
        char name[NAME_SIZE];
        rm2_json_put(json, RM2_NUMBER(rm2_cross_measure_text((rm2_cross_measure)m), row->mean[m]));
        (void)snprintf(name, sizeof name, "%s_error", rm2_cross_measure_text((rm2_cross_measure)m));
        rm2_json_put(json, RM2_NUMBER(name, row->error[m]));
    }
    rm2_json_put(json, RM2_NUMBER("behind", row->behind),
                 RM2_NUMBER("behind_error", row->behind_error));
    rm2_json_array(json, "folds");
    for (size_t f = 0; f < r->cross->folds; f++)
        json_job(json, r->cross, candidate, f);
    rm2_json_end(json);
    rm2_json_end(json);
}

static void print_json(const cv_run *r, FILE *out) {
    const rm2_cross *c = r->cross;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(
        &json, RM2_TEXT("file", r->path),
        RM2_TEXT("manifold", rm2_manifold_spec(r->data->manifold)),
        RM2_COUNT("points", r->data->count), RM2_COUNT("trajectories", r->data->trajectories),
        RM2_COUNT("folds", c->folds), RM2_WHOLE("seed", r->work.common->seed),
        RM2_COUNT("resumed", c->resumed),
        RM2_COUNT("best", c->best == RM2_CROSS_NONE ? SIZE_MAX : c->best + 1),
        RM2_COUNT("recommended", c->recommended == RM2_CROSS_NONE ? SIZE_MAX : c->recommended + 1));
    rm2_json_array(&json, "candidates");
    for (size_t k = 0; k < c->candidates; k++)
        json_candidate(&json, r, k);
    rm2_json_end(&json);
    rm2_json_end(&json);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Columns of the file: a row per candidate and fold, and one with the means, whose fold is "all". */
enum {
    CANDIDATE,
    FOLD,
    FAILED,
    OPEN,
    NOTE,
    MEANS,
    ERRORS = MEANS + RM2_CROSS_MEASURES,
    COLUMNS = ERRORS + RM2_CROSS_MEASURES
};

typedef struct csv {
    const cv_run *run;
    size_t rows;
    double *columns;    /* COLUMNS x rows, then the axes */
    const char **folds; /* names: "all", "1", ... */
    const char **notes; /* one per row */
    char (*digits)[NAME_SIZE];
} csv;

static void csv_row(const csv *t, size_t row, size_t candidate, size_t fold) {
    const rm2_cross *c = t->run->cross;
    const rm2_cross_row *all = &c->rows[candidate];
    const rm2_cross_job *job = fold ? &c->jobs[candidate * c->folds + fold - 1] : NULL;
    double *at = t->columns + row;
    at[CANDIDATE * t->rows] = (double)candidate + 1;
    at[FOLD * t->rows] = (double)fold;
    at[FAILED * t->rows] = job ? job->status != RM2_OK : (double)all->failed;
    at[OPEN * t->rows] = (double)(job ? job->unconverged : all->unconverged);
    at[NOTE * t->rows] = (double)row;
    t->notes[row] = job                           ? job->message
                    : candidate == c->recommended ? "recommended"
                    : candidate == c->best        ? "best"
                                                  : "";
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++) {
        at[(MEANS + m) * t->rows] = job ? job->value[m] : all->mean[m];
        at[(ERRORS + m) * t->rows] = job ? (double)NAN : all->error[m];
    }
    for (size_t k = 0; k < t->run->grid.shown; k++)
        at[(COLUMNS + k) * t->rows] = (double)row;
}

static bool csv_axes(const csv *t, sheet *s) {
    const grid *g = &t->run->grid;
    const char **values = calloc(t->rows, sizeof *values);
    bool good = values != NULL;
    for (size_t k = 0; good && k < g->shown; k++) {
        for (size_t row = 0; row < t->rows; row++)
            values[row] = grid_value(g, row / (t->run->cross->folds + 1), k);
        good = sheet_add_texts(s, g->axes[k].name, t->columns + (COLUMNS + k) * t->rows, values,
                               t->rows);
    }
    free(values);
    return good;
}

static bool csv_measures(const csv *t, sheet *s) {
    bool good = true;
    for (size_t m = 0; good && m < RM2_CROSS_MEASURES; m++) {
        char name[NAME_SIZE];
        const char *text = rm2_cross_measure_text((rm2_cross_measure)m);
        (void)snprintf(name, sizeof name, "%s_error", text);
        good = sheet_add(s, text, t->columns + (MEANS + m) * t->rows, 1) &&
               sheet_add(s, name, t->columns + (ERRORS + m) * t->rows, 1);
    }
    return good;
}

static bool csv_fill(const csv *t, sheet *s) {
    size_t folds = t->run->cross->folds, n = t->rows;
    for (size_t f = 0; f <= folds; f++) {
        (void)snprintf(t->digits[f], NAME_SIZE, "%zu", f);
        t->folds[f] = f ? t->digits[f] : "all";
    }
    for (size_t row = 0; row < n; row++)
        csv_row(t, row, row / (folds + 1), row % (folds + 1));
    return sheet_create(s, n, COLUMNS + t->run->grid.shown) &&
           sheet_add(s, "candidate", t->columns + CANDIDATE * n, 1) && csv_axes(t, s) &&
           sheet_add_texts(s, "fold", t->columns + FOLD * n, t->folds, folds + 1) &&
           csv_measures(t, s) && sheet_add(s, "failed", t->columns + FAILED * n, 1) &&
           sheet_add(s, "not_converged", t->columns + OPEN * n, 1) &&
           sheet_add_texts(s, "note", t->columns + NOTE * n, t->notes, n);
}

static int write_csv(const cv_run *r) {
    const rm2_cross *c = r->cross;
    csv t = {.run = r, .rows = c->candidates * (c->folds + 1)};
    sheet s = {.next = 0};
    t.columns = calloc((COLUMNS + r->grid.shown) * t.rows, sizeof *t.columns);
    t.folds = calloc(c->folds + 1, sizeof *t.folds);
    t.notes = calloc(t.rows, sizeof *t.notes);
    t.digits = calloc(c->folds + 1, sizeof *t.digits);
    bool built = t.columns && t.folds && t.notes && t.digits && csv_fill(&t, &s);
    int code = built ? work_check(&r->work, rm2_csv_write(r->work.ctx, r->options->output, &s.table,
                                                          r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    free(t.columns);
    free(t.folds);
    free(t.notes);
    free(t.digits);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

int cv_report(const cv_run *r) {
    const char *output = r->options->output;
    int code = output ? write_csv(r) : EXIT_DONE;
    FILE *out = output && strcmp(output, "-") == 0 ? stderr : stdout;
    if (code != EXIT_DONE)
        return code;
    if (r->work.common->json)
        print_json(r, out);
    else if (!r->work.common->quiet || !output)
        print_text(r, out);
    bool relied = r->cross->recommended != RM2_CROSS_NONE && unconverged(r->cross) == 0;
    return relied ? EXIT_DONE : EXIT_NOT_CONVERGED;
}
