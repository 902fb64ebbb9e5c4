/* Discouraged places, a cost on the data's space: in the option itself, or in a CSV file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/regions.h"
#include "geometry/geometry.h"

/* Rows of centre, radius and height, as they were given. */
typedef struct rows {
    size_t count, width;
    double *values;
    size_t *lines; /* of the file; NULL: from the option */
} rows;

static int parse_rows(const model_work *m, const char *text, rows *r) {
    char **parts = split_text(text, ';', &r->count);
    r->values = malloc((r->count * r->width + 1) * sizeof *r->values);
    int code = parts && r->values ? EXIT_DONE : work_no_memory(&m->work);
    for (size_t k = 0; parts && k < r->count && code == EXIT_DONE; k++)
        if (!parse_numbers(parts[k], r->width, r->values + k * r->width))
            code = work_complain(&m->work, EXIT_USAGE,
                                 "--discourage %s: expected a file, or %zu numbers for each place: "
                                 "centre (%zu), radius, height",
                                 text, r->width, r->width - 2);
    free((void *)parts);
    return code;
}

static int read_rows(const model_work *m, const char *path, rows *r) {
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    s.most_bytes = RM2_SMALL_FILE;
    int code = work_check(&m->work, rm2_csv_read(m->work.ctx, path, &s, &table));
    if (code != EXIT_DONE)
        return code;
    if (table.columns == r->width) {
        r->count = table.rows;
        r->values = table.values;
        r->lines = table.lines;
        table.values = NULL;
        table.lines = NULL;
    } else {
        code =
            work_complain(&m->work, EXIT_BAD_DATA,
                          "%s has %zu columns; discouraged places have %zu: centre, radius, height",
                          path, table.columns, r->width);
    }
    rm2_table_clear(&table);
    return code;
}

static int bad_row(const model_work *m, const rows *r, size_t k, double radius, double height) {
    const char *text = m->options->discourage;
    if (r->lines)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "%s, line %zu: the radius %g must be positive, the height %g not "
                             "negative",
                             text, r->lines[k], radius, height);
    return work_complain(&m->work, EXIT_USAGE,
                         "--discourage %s: of place %zu the radius %g must be positive, the height "
                         "%g not negative",
                         text, k + 1, radius, height);
}

/* From rows to the arrays of the library. */
static int arrange(const model_work *m, const rm2_factor *factor, const rows *r,
                   rm2_discouraged *places, double **memory) {
    size_t dim = factor->dim;
    *memory = malloc((r->count * r->width + 1) * sizeof **memory);
    if (!*memory)
        return work_no_memory(&m->work);
    double *centres = *memory, *radius = centres + r->count * dim;
    double *height = radius + r->count;
    for (size_t k = 0; k < r->count; k++) {
        const double *row = r->values + k * r->width;
        memcpy(centres + k * dim, row, dim * sizeof *centres);
        radius[k] = row[dim];
        height[k] = row[dim + 1];
        if (!(radius[k] > 0 && height[k] >= 0 && isfinite(radius[k]) && isfinite(height[k])))
            return bad_row(m, r, k, radius[k], height[k]);
    }
    *places = (rm2_discouraged){r->count, factor->ambient_offset, dim, centres, radius, height};
    return EXIT_DONE;
}

int geometry_parse_discouraged(const model_work *m, const char *text, rm2_discouraged *places,
                               double **memory) {
    const rm2_factor *factor = positions_factor(m->info->manifold);
    if (!factor)
        return work_complain(&m->work, EXIT_USAGE,
                             "--discourage needs a Euclidean factor; %s has none",
                             rm2_manifold_spec(m->info->manifold));
    rows r = {.width = factor->dim + 2};
    int code = access(text, F_OK) == 0 ? read_rows(m, text, &r) : parse_rows(m, text, &r);
    if (code == EXIT_DONE)
        code = arrange(m, factor, &r, places, memory);
    free(r.values);
    free(r.lines);
    return code;
}
