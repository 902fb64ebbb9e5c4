/* Tables of groups: text, LaTeX, CSV, JSON. */
#include "experiment/groups.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char *label_name(const experiment_run *r, size_t label) {
    return r->reference->label_names[label];
}

/* A label without control characters, cut between characters. */
typedef struct shown_label {
    char text[CELL / 2];
} shown_label;

static shown_label shown(const experiment_run *r, size_t label) {
    shown_label s = {.text = ""};
    size_t used = 0;
    for (const char *text = label_name(r, label); *text;) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        bool bad = rm2_utf8_printable(text, length) == 0;
        length = length ? length : 1;
        if (used + length >= sizeof s.text)
            break;
        memcpy(s.text + used, bad ? "??" : text, bad ? 1 : length);
        used += bad ? 1 : length;
        text += length;
    }
    return s;
}

/* With quotation marks; those inside are doubled. */
static void csv_text(FILE *out, const char *text) {
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static table_line *new_line(group_table *t) {
    table_line *l = &t->lines[t->count++];
    *l = (table_line){.count = 0};
    return l;
}

static void cell(table_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void cell(table_line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(l->cells[l->count++], CELL, format, arguments);
    va_end(arguments);
}

static void head(group_table *t, const char *const *words) {
    table_line *l = new_line(t);
    for (; *words; words++)
        cell(l, "%s", *words);
}

static double explained(double residual, double mean) {
    return 1 - pow(residual / mean, 2);
}

/* A row of the first table; a number that a method does not have is NaN. */
static void held_out_row(group_table *t, const char *name, const rm2_held_out *h, double residual,
                         double density) {
    table_line *l = new_line(t);
    cell(l, "%s", name);
    if (isnan(residual)) {
        cell(l, "-");
        cell(l, "-");
    } else {
        cell(l, "%.4g", residual);
        cell(l, "%.1f", 100 * explained(residual, h->mean));
    }
    if (isnan(density))
        cell(l, "-");
    else
        cell(l, "%.2f", density);
}

static void held_out_table(const experiment_run *r, group_table *t) {
    const rm2_held_out *h = &r->groups.held_out;
    *t = (group_table){.name = "held out", .title = "Points held out"};
    head(t, (const char *const[]){"method", "residual", "explained %", "log density", NULL});
    held_out_row(t, "mean", h, h->mean, NAN);
    held_out_row(t, "principal components, PPCA", h, h->components, h->ppca);
    held_out_row(t, "normal density, Ledoit-Wolf", h, NAN, h->ledoit_wolf);
    held_out_row(t, "Riemann²", h, h->residual, h->log_density);
    (void)snprintf(
        t->note, sizeof t->note,
        "%zu points in %zu folds, %zu latent dimensions; an arbitrary plane explains %.1f "
        "%%; densities above PPCA's by %.2f ± %.2f, above Ledoit-Wolf's by %.2f ± %.2f "
        "nats per point%s",
        h->points, h->folds, experiment_wrapped(r)->info->latent_dim, 100 * h->plane,
        h->log_density - h->ppca, h->ppca_error, h->log_density - h->ledoit_wolf,
        h->ledoit_wolf_error, h->structure ? "" : "; NO STRUCTURE: the latent map shows noise");
}

static void group_rows(const experiment_run *r, group_table *t) {
    *t = (group_table){.name = "groups", .title = "Groups"};
    head(t, (const char *const[]){"label", "points", "spread", NULL});
    for (size_t k = 0; k < r->groups.count; k++) {
        table_line *l = new_line(t);
        cell(l, "%s", shown(r, k).text);
        cell(l, "%zu", r->groups.groups[k].points);
        cell(l, "%.4g", sqrt(r->groups.groups[k].variance));
    }
    (void)snprintf(t->note, sizeof t->note,
                   "spread: root mean squared distance from the mean of the group");
}

static void test_rows(const experiment_run *r, group_table *t) {
    const group_results *g = &r->groups;
    *t = (group_table){.name = "tests", .title = "Do the groups differ?"};
    head(t, (const char *const[]){"means", "distance", "p", "Holm p", NULL});
    for (size_t k = 0; k < g->test_count; k++) {
        const group_test *test = &g->tests[k];
        table_line *l = new_line(t);
        cell(l, "%s - %s", shown(r, test->first).text, shown(r, test->second).text);
        cell(l, "%.4g", test->distance);
        cell(l, "%.3g", test->result.p_value);
        cell(l, "%.3g", test->adjusted);
    }
    (void)snprintf(t->note, sizeof t->note,
                   "p: %s%zu permutations of the labels, distance between means of logarithms; "
                   "p <= 0.05 comes by chance in 1 of 20 data sets without a difference",
                   g->tests[0].result.exact ? "all " : "", g->tests[0].result.permutations);
}

static void accuracy_rows(const experiment_run *r, group_table *t) {
    const group_results *g = &r->groups;
    *t = (group_table){.name = "classification", .title = "How well labels are predicted"};
    head(t, (const char *const[]){"method", "accuracy", "balanced", NULL});
    table_line *l = new_line(t);
    cell(l, "chance");
    cell(l, "%.3f", g->accuracy[0].chance);
    cell(l, "%.3f", g->accuracy[0].chance_balanced);
    for (size_t k = 0; k < g->method_count; k++) {
        const rm2_accuracy *a = &g->accuracy[k];
        l = new_line(t);
        cell(l, "%s", rm2_classifier_text(g->methods[k]));
        cell(l, "%.3f ± %.3f", a->accuracy, a->error);
        cell(l, "%.3f ± %.3f", a->balanced, a->balanced_error);
    }
    (void)snprintf(
        t->note, sizeof t->note,
        "%zu folds; everything is fitted to the other folds alone; ± standard error over "
        "points; latent methods see %zu coordinates of models trained without labels",
        g->classify.folds, g->classify.latent_dim);
}

size_t group_tables(const experiment_run *r, group_table tables[GROUP_TABLES]) {
    size_t count = 0;
    if (r->groups.held_out.points > 0)
        held_out_table(r, &tables[count++]);
    if (r->groups.count > 0) {
        group_rows(r, &tables[count++]);
        test_rows(r, &tables[count++]);
        accuracy_rows(r, &tables[count++]);
    }
    return count;
}

void groups_print_text(const experiment_run *r, FILE *out) {
    group_table tables[GROUP_TABLES];
    size_t count = group_tables(r, tables);
    for (size_t k = 0; k < count; k++) {
        (void)fprintf(out, "%s\n\n", tables[k].title);
        experiment_print_lines(out, tables[k].lines, tables[k].count);
        (void)fprintf(out, "\n%s\n\n", tables[k].note);
    }
    if (r->groups.unconverged)
        (void)fprintf(out, "NOT CONVERGED: %zu means, fits or encoded points of the groups\n\n",
                      r->groups.unconverged);
}

void groups_print_latex(const experiment_run *r, FILE *out) {
    group_table tables[GROUP_TABLES];
    size_t count = group_tables(r, tables);
    for (size_t k = 0; k < count; k++)
        experiment_print_tabular(out, tables[k].title, tables[k].lines, tables[k].count);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* One line of the CSV; an error that is NaN is left empty. */
static void finding(FILE *out, const char *part, const char *item, const char *measure,
                    double value, double error) {
    (void)fprintf(out, "%s,", part);
    csv_text(out, item);
    (void)fprintf(out, ",%s,%.10g,", measure, value);
    if (isfinite(error))
        (void)fprintf(out, "%.10g", error);
    (void)fputc('\n', out);
}

static void csv_held_out(const rm2_held_out *h, FILE *out) {
    static const char part[] = "held out";
    finding(out, part, "mean", "residual", h->mean, NAN);
    finding(out, part, "principal components", "residual", h->components, NAN);
    finding(out, part, "Riemann²", "residual", h->residual, NAN);
    finding(out, part, "Riemann²", "explained", h->explained, h->explained_error);
    finding(out, part, "arbitrary plane", "explained", h->plane, NAN);
    finding(out, part, "Riemann²", "log_density", h->log_density, NAN);
    finding(out, part, "PPCA", "log_density", h->ppca, h->ppca_error);
    finding(out, part, "Ledoit-Wolf", "log_density", h->ledoit_wolf, h->ledoit_wolf_error);
}

static void csv_groups(const experiment_run *r, FILE *out) {
    const group_results *g = &r->groups;
    char item[2 * CELL];
    for (size_t k = 0; k < g->count; k++) {
        finding(out, "group", label_name(r, k), "points", (double)g->groups[k].points, NAN);
        finding(out, "group", label_name(r, k), "spread", sqrt(g->groups[k].variance), NAN);
    }
    for (size_t k = 0; k < g->test_count; k++) {
        const group_test *t = &g->tests[k];
        (void)snprintf(item, sizeof item, "%s - %s", shown(r, t->first).text,
                       shown(r, t->second).text);
        finding(out, "test", item, "distance", t->distance, NAN);
        finding(out, "test", item, "p", t->result.p_value, NAN);
        finding(out, "test", item, "p_adjusted", t->adjusted, NAN);
    }
    for (size_t k = 0; k < g->method_count; k++) {
        const rm2_accuracy *a = &g->accuracy[k];
        const char *method = rm2_classifier_text(g->methods[k]);
        finding(out, "classification", method, "accuracy", a->accuracy, a->error);
        finding(out, "classification", method, "balanced", a->balanced, a->balanced_error);
    }
}

void groups_print_csv(const experiment_run *r, FILE *out) {
    (void)fprintf(out, "part,item,measure,value,error\n");
    if (r->groups.held_out.points > 0)
        csv_held_out(&r->groups.held_out, out);
    csv_groups(r, out);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_groups(const experiment_run *r, rm2_json *json) {
    rm2_json_array(json, "groups");
    for (size_t k = 0; k < r->groups.count; k++)
        rm2_json_record(json, NULL, RM2_TEXT("label", label_name(r, k)),
                        RM2_COUNT("points", r->groups.groups[k].points),
                        RM2_NUMBER("spread", sqrt(r->groups.groups[k].variance)));
    rm2_json_end(json);
}

static void json_tests(const experiment_run *r, rm2_json *json) {
    rm2_json_array(json, "tests");
    for (size_t k = 0; k < r->groups.test_count; k++) {
        const group_test *t = &r->groups.tests[k];
        rm2_json_record(json, NULL, RM2_TEXT("first", label_name(r, t->first)),
                        RM2_TEXT("second", label_name(r, t->second)),
                        RM2_NUMBER("distance", t->distance), RM2_NUMBER("p", t->result.p_value),
                        RM2_NUMBER("p_adjusted", t->adjusted),
                        RM2_COUNT("permutations", t->result.permutations));
    }
    rm2_json_end(json);
}

static void json_classification(const group_results *g, rm2_json *json) {
    rm2_json_object(json, "classification");
    rm2_json_put(json, RM2_NUMBER("chance", g->accuracy[0].chance));
    for (size_t k = 0; k < g->method_count; k++) {
        const rm2_accuracy *a = &g->accuracy[k];
        rm2_json_record(json, rm2_classifier_text(g->methods[k]),
                        RM2_NUMBER("accuracy", a->accuracy), RM2_NUMBER("error", a->error),
                        RM2_NUMBER("balanced", a->balanced),
                        RM2_NUMBER("balanced_error", a->balanced_error));
    }
    rm2_json_end(json);
}

void groups_print_json(const experiment_run *r, rm2_json *json) {
    if (r->groups.held_out.points > 0)
        json_held_out(json, "held_out", &r->groups.held_out);
    if (r->groups.count == 0)
        return;
    json_groups(r, json);
    json_tests(r, json);
    json_classification(&r->groups, json);
}
