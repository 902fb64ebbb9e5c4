/* --inducing-points: which training points, counted from 0, as numbers with commas between them or in a
 * file: a CSV file with a column `point`, or with one column only, or an .npy file. */
#include <stdlib.h>
#include <unistd.h>

#include "fit/fit.h"

/* The numbers as they were written, and the exit code of a mistake: a word on the command line, or a
 * file. */
typedef struct numbers {
    const char *text;
    double *values;
    size_t count;
    int code;
} numbers;

static int parse_list(const work *w, numbers *n) {
    char *end;
    const char *text = n->text;
    n->values = calloc(n->count, sizeof *n->values);
    if (!n->values)
        return work_no_memory(w);
    for (size_t k = 0; k < n->count; k++, text = end + 1)
        n->values[k] = strtod(text, &end);
    return EXIT_DONE;
}

static int copy_column(const work *w, const rm2_table *table, numbers *n) {
    size_t column = table->names ? rm2_table_column(table, "point") : SIZE_MAX;
    if (column == SIZE_MAX && table->columns != 1)
        return work_complain(w, n->code,
                             "--inducing-points %s: %zu columns, and none with the name point",
                             n->text, table->columns);
    n->count = table->rows;
    n->values = calloc(n->count ? n->count : 1, sizeof *n->values);
    if (!n->values)
        return work_no_memory(w);
    for (size_t k = 0; k < n->count; k++)
        n->values[k] = table->values[k * table->columns + (column == SIZE_MAX ? 0 : column)];
    return EXIT_DONE;
}

/* Where there is a column `point`, the others may hold anything. */
static rm2_status choose_column(void *user, const rm2_table *header, rm2_csv_settings *settings) {
    static const char *const point[] = {"point"};
    (void)user;
    if (header->names && rm2_table_column(header, "point") != SIZE_MAX) {
        settings->numeric = point;
        settings->numeric_count = 1;
    }
    return RM2_OK;
}

static int read_table(const work *w, numbers *n) {
    rm2_csv_settings settings = rm2_csv_settings_default();
    rm2_table table;
    settings.choose = choose_column;
    settings.most_bytes = RM2_SMALL_FILE;
    int code = work_check(w, rm2_csv_read(w->ctx, n->text, &settings, &table));
    if (code != EXIT_DONE)
        return code;
    code = copy_column(w, &table, n);
    rm2_table_clear(&table);
    return code;
}

static int read_array(const work *w, numbers *n) {
    rm2_array array;
    int code = work_check(w, rm2_npy_read(w->ctx, n->text, &array));
    if (code != EXIT_DONE)
        return code;
    n->count = rm2_array_count(&array);
    n->values = array.values;
    array.values = NULL;
    rm2_array_clear(&array);
    return EXIT_DONE;
}

static int read_file(const work *w, numbers *n) {
    if (access(n->text, F_OK) != 0)
        return work_complain(w, EXIT_USAGE,
                             "--inducing-points %s: neither numbers separated by commas nor a file",
                             n->text);
    return has_ending(n->text, ".npy") ? read_array(w, n) : read_table(w, n);
}

/* Whole numbers of training points, each once. */
static int check_points(const training *t, const numbers *n, bool *seen) {
    size_t N = t->data->count;
    for (size_t k = 0; k < n->count; k++) {
        double value = n->values[k];
        if (!(value >= 0 && value < (double)N && value <= (double)(size_t)value))
            return work_complain(&t->work, n->code,
                                 "--inducing-points %s, number %zu: %g is not the index of a "
                                 "training point (0 to %zu)",
                                 n->text, k + 1, value, N - 1);
        if (seen[(size_t)value])
            return work_complain(&t->work, n->code,
                                 "--inducing-points %s, number %zu: point %g is listed twice",
                                 n->text, k + 1, value);
        seen[(size_t)value] = true;
    }
    return EXIT_DONE;
}

static int copy_points(training *t, const numbers *n) {
    t->inducing = calloc(n->count ? n->count : 1, sizeof *t->inducing);
    if (!t->inducing)
        return work_no_memory(&t->work);
    bool *seen = calloc(t->data->count, sizeof *seen);
    int code = seen ? check_points(t, n, seen) : work_no_memory(&t->work);
    free(seen);
    if (code != EXIT_DONE)
        return code;
    for (size_t k = 0; k < n->count; k++)
        t->inducing[k] = (size_t)n->values[k];
    t->settings.inducing_points = t->inducing;
    t->settings.inducing = n->count;
    return EXIT_DONE;
}

int fit_read_inducing(training *t) {
    const char *text = t->options->inducing_points;
    if (!text)
        return EXIT_DONE;
    size_t count = count_numbers(text);
    numbers n = {.text = text, .count = count, .code = count ? EXIT_USAGE : EXIT_BAD_DATA};
    int code = count ? parse_list(&t->work, &n) : read_file(&t->work, &n);
    if (code == EXIT_DONE)
        code = copy_points(t, &n);
    free(n.values);
    return code;
}
