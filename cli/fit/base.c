/* --base-point: where the tangent space touches the manifold, as numbers with commas between them
 * or in a file, in the layout in which decode writes points (quaternions w x y z, matrices in
 * full). It is moved onto the manifold under the same tolerances as data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/fit.h"

enum { NAMES_SHOWN = 12, NAME_ROOM = 32 };

/* The option's value, what comes of it, and the exit code of a mistake: a word on the command line,
 * or a file. */
typedef struct source {
    const work *work;
    const char *text;
    const rm2_manifold *manifold;
    int code;
} source;

static int complain_count(const source *s, size_t count) {
    size_t ambient = rm2_manifold_ambient(s->manifold), used = 0;
    char names[NAMES_SHOWN * NAME_ROOM] = "";
    for (size_t k = 0; ambient <= NAMES_SHOWN && k < ambient; k++) {
        char name[NAME_ROOM];
        rm2_data_column_name(s->manifold, k, name, sizeof name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? "," : ": ", name);
    }
    return work_complain(s->work, s->code,
                         "--base-point %s: %zu number%s, but a point of %s has %zu%s", s->text,
                         count, plural(count), rm2_manifold_spec(s->manifold), ambient, names);
}

/* ---- numbers on the command line ------------------------------------------------------------- */

static int parse_point(const source *s, size_t count, double *point) {
    char *end;
    const char *text = s->text;
    if (count != rm2_manifold_ambient(s->manifold))
        return complain_count(s, count);
    for (size_t k = 0; k < count; k++, text = end + 1)
        point[k] = strtod(text, &end);
    return EXIT_DONE;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* The column of entry k: by the name that decode gives it if all of these are there, else the k-th.
 */
static bool find_columns(const rm2_manifold *m, const rm2_table *table, size_t *columns) {
    bool named = table->names != NULL;
    for (size_t k = 0; named && k < rm2_manifold_ambient(m); k++) {
        char name[NAME_ROOM];
        rm2_data_column_name(m, k, name, sizeof name);
        columns[k] = rm2_table_column(table, name);
        named = columns[k] != SIZE_MAX;
    }
    for (size_t k = 0; !named && k < rm2_manifold_ambient(m); k++)
        columns[k] = k;
    return named;
}

static int copy_row(const source *s, const rm2_table *table, double *point) {
    size_t ambient = rm2_manifold_ambient(s->manifold);
    if (table->rows != 1)
        return work_complain(s->work, s->code, "--base-point %s: expected one point, got %zu",
                             s->text, table->rows);
    size_t *columns = calloc(ambient, sizeof *columns);
    if (!columns)
        return work_no_memory(s->work);
    bool fits = find_columns(s->manifold, table, columns) || table->columns == ambient;
    for (size_t k = 0; fits && k < ambient; k++)
        point[k] = table->values[columns[k]];
    free(columns);
    return fits ? EXIT_DONE : complain_count(s, table->columns);
}

static int read_table(const source *s, double *point) {
    rm2_csv_settings settings = rm2_csv_settings_default();
    rm2_table table;
    settings.most_bytes = RM2_SMALL_FILE;
    int code = work_check(s->work, rm2_csv_read(s->work->ctx, s->text, &settings, &table));
    if (code != EXIT_DONE)
        return code;
    code = copy_row(s, &table, point);
    rm2_table_clear(&table);
    return code;
}

static int read_array(const source *s, double *point) {
    rm2_array array;
    int code = work_check(s->work, rm2_npy_read(s->work->ctx, s->text, &array));
    if (code != EXIT_DONE)
        return code;
    size_t count = rm2_array_count(&array);
    if (count == rm2_manifold_ambient(s->manifold))
        memcpy(point, array.values, count * sizeof *point);
    else
        code = complain_count(s, count);
    rm2_array_clear(&array);
    return code;
}

static int read_file(const source *s, double *point) {
    if (access(s->text, F_OK) != 0)
        return work_complain(s->work, EXIT_USAGE,
                             "--base-point %s: neither numbers separated by commas nor a file",
                             s->text);
    return has_ending(s->text, ".npy") ? read_array(s, point) : read_table(s, point);
}

/* ---- on the manifold ------------------------------------------------------------------------- */

static int check_finite(const source *s, const double *point) {
    for (size_t k = 0; k < rm2_manifold_ambient(s->manifold); k++) {
        char name[NAME_ROOM];
        rm2_data_column_name(s->manifold, k, name, sizeof name);
        if (!isfinite(point[k]))
            return work_complain(s->work, s->code, "--base-point %s: entry %zu (%s) is %g", s->text,
                                 k + 1, name, point[k]);
    }
    return EXIT_DONE;
}

int fit_read_base(training *t) {
    const char *text = t->options->base_point;
    if (!text)
        return EXIT_DONE;
    size_t count = count_numbers(text);
    source s = {&t->work, text, t->data->manifold, count ? EXIT_USAGE : EXIT_BAD_DATA};
    t->base = calloc(rm2_manifold_ambient(s.manifold), sizeof *t->base);
    if (!t->base)
        return work_no_memory(&t->work);
    int code = count ? parse_point(&s, count, t->base) : read_file(&s, t->base);
    if (code == EXIT_DONE)
        code = check_finite(&s, t->base);
    if (code == EXIT_DONE)
        code = work_move_onto(&t->work, s.code, "--base-point", s.manifold,
                              &t->data_options->settings, t->base);
    if (code == EXIT_DONE && t->data_options->settings.align_signs) /* the side of the data */
        rm2_data_align_points(t->data, 1, t->base);
    t->settings.base_point = t->base;
    return code;
}
