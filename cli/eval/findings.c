/* The list of findings and its three forms. */
#include "eval/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sheet.h"

/* ---- the list ------------------------------------------------------------------------------- */

static char *copy(findings *f, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *result = malloc(bytes);
    if (result)
        memcpy(result, text, bytes);
    else
        f->failed = true;
    return result;
}

void findings_item(findings *f, const char *part, const char *item) {
    char **items = realloc(f->items, (f->item_count + 1) * sizeof *items);
    f->part = part;
    f->failed = f->failed || !items;
    if (!items)
        return;
    f->items = items;
    items[f->item_count] = copy(f, item);
    f->item_count += items[f->item_count] != NULL;
}

static void add(findings *f, const char *measure, double value, bool detail) {
    if (f->failed)
        return;
    finding *list = realloc(f->list, (f->count + 1) * sizeof *list);
    f->failed = !list;
    if (!list)
        return;
    f->list = list;
    list[f->count] = (finding){f->part, f->item_count - 1, copy(f, measure), value, detail};
    f->count += !f->failed;
}

void findings_add(findings *f, const char *measure, double value) {
    add(f, measure, value, false);
}

void findings_detail(findings *f, const char *measure, double value) {
    add(f, measure, value, true);
}

void findings_free(findings *f) {
    for (size_t i = 0; i < f->item_count; i++)
        free(f->items[i]);
    for (size_t i = 0; i < f->count; i++)
        free(f->list[i].measure);
    free(f->items);
    free(f->list);
    *f = (findings){.list = NULL};
}

/* End of the run of findings from `from` that share the part, or (same_item) the item. */
static size_t run_end(const findings *f, size_t from, bool same_item) {
    size_t i = from;
    while (i < f->count && f->list[i].part == f->list[from].part &&
           (!same_item || f->list[i].item == f->list[from].item))
        i++;
    return i;
}

/* ---- tables --------------------------------------------------------------------------------- */

static int column_width(const char *measure) {
    int length = (int)strlen(measure);
    return 2 + (length > 8 ? length : 8);
}

static void print_value(FILE *out, int width, double value) {
    if (!isfinite(value))
        (void)fprintf(out, "%*s", width, "-");
    else if (fabs(value) < 1e9 && rint(value) >= value && rint(value) <= value)
        (void)fprintf(out, "%*.0f", width, value);
    else
        (void)fprintf(out, "%*.4g", width, value);
}

/* One part: a line of measures, then a line for each item. */
static void print_part(FILE *out, const findings *f, size_t from, size_t to) {
    size_t first_end = run_end(f, from, true);
    int left = (int)strlen(f->list[from].part);
    for (size_t i = from; i < to; i++) {
        int length = (int)strlen(f->items[f->list[i].item]);
        left = length > left ? length : left;
    }
    (void)fprintf(out, "%-*s", left, f->list[from].part);
    for (size_t i = from; i < first_end; i++)
        if (!f->list[i].detail)
            (void)fprintf(out, "%*s", column_width(f->list[i].measure), PLAIN(f->list[i].measure));
    for (size_t i = from; i < to; i++) {
        const finding *one = &f->list[i];
        if (i == from || one->item != f->list[i - 1].item)
            (void)fprintf(out, "\n%-*s", left, PLAIN(f->items[one->item]));
        if (!one->detail)
            print_value(out, column_width(one->measure), one->value);
    }
    (void)fputc('\n', out);
}

void findings_print(FILE *out, const findings *f) {
    for (size_t from = 0, to; from < f->count; from = to) {
        to = run_end(f, from, false);
        (void)fprintf(out, "%s", from ? "\n" : "");
        print_part(out, f, from, to);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_item(rm2_json *json, const findings *f, size_t from, size_t to) {
    rm2_json_object(json, f->items[f->list[from].item]);
    for (size_t i = from; i < to; i++)
        rm2_json_put(json, RM2_NUMBER(f->list[i].measure, f->list[i].value));
    rm2_json_end(json);
}

void findings_print_json(rm2_json *json, const findings *f) {
    for (size_t from = 0, to; from < f->count; from = to) {
        to = run_end(f, from, false);
        rm2_json_object(json, f->list[from].part);
        for (size_t i = from, next; i < to; i = next) {
            next = run_end(f, i, true);
            json_item(json, f, i, next);
        }
        rm2_json_end(json);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Columns of texts: row i has text i. */
static bool fill_sheet(sheet *s, const findings *f, double *numbers, const char **texts) {
    static const char *const names[] = {"part", "item", "measure"};
    for (int column = 0; column < 3; column++) {
        for (size_t i = 0; i < f->count; i++) {
            const finding *one = &f->list[i];
            numbers[i] = (double)i;
            texts[i] = column == 0 ? one->part : column == 1 ? f->items[one->item] : one->measure;
        }
        if (!sheet_add_texts(s, names[column], numbers, texts, f->count))
            return false;
    }
    for (size_t i = 0; i < f->count; i++)
        numbers[i] = f->list[i].value;
    return sheet_add(s, "value", numbers, 1);
}

rm2_status findings_write(rm2_context *ctx, const findings *f, const char *path, bool overwrite) {
    sheet s;
    double *numbers = malloc((f->count + 1) * sizeof *numbers);
    const char **texts = malloc((f->count + 1) * sizeof *texts);
    bool built =
        sheet_create(&s, f->count, 4) && numbers && texts && fill_sheet(&s, f, numbers, texts);
    rm2_status status = built ? rm2_csv_write(ctx, path, &s.table, overwrite) : RM2_ERR_MEMORY;
    sheet_free(&s);
    free(numbers);
    free(texts);
    return status;
}
