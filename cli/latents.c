/* Files of latent points. */
#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "work.h"

/* ---- CSV ------------------------------------------------------------------------------------ */

/* z1, z2, ..., if the file has these names. */
typedef struct latent_columns {
    column_list named;
    bool found;
} latent_columns;

/* Of a file with these names no other column must be numbers. */
static rm2_status choose_columns(void *user, const rm2_table *header, rm2_csv_settings *s) {
    latent_columns *c = user;
    c->found = columns_any(&c->named, header);
    s->numeric = c->named.list;
    s->numeric_count = c->found ? c->named.count : 0;
    return RM2_OK;
}

static int take_columns(const work *w, const rm2_table *table, const latent_columns *c,
                        double **values) {
    *values = malloc((table->rows * c->named.count + 1) * sizeof **values);
    if (!*values)
        return work_no_memory(w);
    for (size_t q = 0; q < c->named.count; q++) {
        size_t column = c->found ? rm2_table_column(table, c->named.list[q]) : q;
        for (size_t i = 0; i < table->rows; i++)
            (*values)[i * c->named.count + q] = table->values[i * table->columns + column];
    }
    return EXIT_DONE;
}

static int wrong_columns(const work *w, const char *path, size_t found, size_t Q) {
    return work_complain(
        w, EXIT_BAD_DATA, "%s has %zu column%s, but the latent space has %zu dimension%s%s", path,
        found, plural(found), Q, plural(Q), found > Q ? "; name their columns z1, z2, ..." : "");
}

static int read_csv(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    latent_columns c = {.found = false};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table = {.rows = 0};
    s.choose = choose_columns;
    s.user = &c;
    int code = columns_of_latents(&c.named, Q)
                   ? work_check(w, rm2_csv_read(w->ctx, path, &s, &table))
                   : work_no_memory(w);
    *rows = table.rows;
    if (code == EXIT_DONE)
        code = c.found || table.columns == Q ? take_columns(w, &table, &c, values)
                                             : wrong_columns(w, path, table.columns, Q);
    rm2_table_free(&table);
    columns_free(&c.named);
    return code;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* The last dimension is the latent one: points, or trajectories of points. */
static int read_npy(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    rm2_array array;
    int code = work_check(w, rm2_npy_read(w->ctx, path, &array));
    if (code != EXIT_DONE)
        return code;
    size_t found = array.dims > 1 ? array.shape[array.dims - 1] : 1;
    if (found == Q) {
        *rows = rm2_array_count(&array) / Q;
        *values = array.values;
        array.values = NULL;
    } else {
        code = wrong_columns(w, path, found, Q);
    }
    rm2_array_free(&array);
    return code;
}

int work_read_latents(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    *values = NULL;
    int code = has_ending(path, ".npy") ? read_npy(w, path, Q, rows, values)
                                        : read_csv(w, path, Q, rows, values);
    for (size_t i = 0; code == EXIT_DONE && *values && i < *rows * Q; i++)
        if (!isfinite((*values)[i]))
            code =
                work_complain(w, EXIT_BAD_DATA, "%s: latent point %zu is not finite", path, i / Q);
    if (code == EXIT_DONE && *rows == 0)
        code = work_complain(w, EXIT_BAD_DATA, "%s has no points", path);
    return code;
}
