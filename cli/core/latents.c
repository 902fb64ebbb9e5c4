/* Files of latent points. */
#include "core/latents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"

void latent_paths_free(latent_paths *p) {
    free(p->x);
    free(p->starts);
    free(p->time);
    free(p->labels);
    for (size_t k = 0; p->label_names && k < p->label_count; k++)
        free(p->label_names[k]);
    free((void *)p->label_names);
    for (size_t t = 0; p->ids && t < p->runs; t++)
        free(p->ids[t]);
    free((void *)p->ids);
    *p = (latent_paths){.count = 0};
}

static int wrong_columns(const work *w, const char *path, size_t found, size_t Q) {
    return work_complain(
        w, EXIT_BAD_DATA, "%s has %zu column%s, but the latent space has %zu dimension%s%s", path,
        found, plural(found), Q, plural(Q), found > Q ? "; name their columns z1, z2, ..." : "");
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* z1, z2, ..., if the file has these names; for paths also ids, labels and time, if it has them. */
typedef struct latent_columns {
    column_list named;
    bool found, paths, timed, labelled;
    const char *ids;      /* NULL: none */
    const char *texts[2]; /* those of them that are texts */
} latent_columns;

/* Of a file with these names no other column must be numbers. */
static rm2_status choose_columns(void *user, const rm2_table *header, rm2_csv_settings *s) {
    latent_columns *c = user;
    c->found = columns_any(&c->named, header);
    if (!c->found)
        return RM2_OK;
    c->ids = c->paths ? columns_ids(header) : NULL;
    c->timed = c->paths && rm2_table_column(header, "time") != SIZE_MAX;
    c->named.list[c->named.count] = "time";
    s->numeric = c->named.list;
    s->numeric_count = c->named.count + c->timed;
    c->labelled = c->paths && rm2_table_column(header, "label") != SIZE_MAX;
    s->text = c->texts;
    s->text_count = 0;
    if (c->ids)
        c->texts[s->text_count++] = c->ids;
    if (c->labelled)
        c->texts[s->text_count++] = "label";
    return RM2_OK;
}

static void copy_column(const rm2_table *table, size_t column, double *values, size_t stride) {
    for (size_t i = 0; i < table->rows; i++)
        values[i * stride] = table->values[i * table->columns + column];
}

/* Codes and names of the labels; the names move from the table. */
static bool consume_labels(rm2_table *table, latent_paths *p) {
    size_t column = rm2_table_column(table, "label");
    p->labels = malloc((table->rows + 1) * sizeof *p->labels);
    if (!p->labels || !table->texts || !table->text_counts)
        return false;
    for (size_t i = 0; i < table->rows; i++)
        p->labels[i] = (size_t)table->values[i * table->columns + column];
    p->label_names = table->texts[column];
    p->label_count = table->text_counts[column];
    table->texts[column] = NULL;
    table->text_counts[column] = 0;
    return true;
}

/* Each run of points with one id is a trajectory; codes[i * stride] is the number of point i's name. NULL: there is one
 * run, without an id. False: no memory. */
static bool find_runs(const double *codes, size_t stride, char *const *names, latent_paths *p) {
    p->starts = malloc((p->count + 2) * sizeof *p->starts);
    p->ids = codes ? calloc(p->count + 1, sizeof *p->ids) : NULL;
    if (!p->starts || (codes && !p->ids))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        if (i > 0 && (!codes || codes[i * stride] == codes[(i - 1) * stride]))
            continue;
        if (codes && !(p->ids[p->runs] = strdup(names[(size_t)codes[i * stride]])))
            return false;
        p->starts[p->runs++] = i;
    }
    p->starts[p->runs] = p->count;
    return true;
}

static int convert_table(const work *w, rm2_table *table, const latent_columns *c,
                         latent_paths *p) {
    size_t Q = c->named.count;
    p->count = table->rows;
    p->x = calloc(table->rows * Q + 1, sizeof *p->x);
    p->time = c->timed ? malloc((table->rows + 1) * sizeof *p->time) : NULL;
    bool named = c->ids && table->texts;
    size_t ids = named ? rm2_table_column(table, c->ids) : 0;
    if (!p->x || (c->timed && !p->time) ||
        !find_runs(named ? table->values + ids : NULL, table->columns,
                   named ? table->texts[ids] : NULL, p))
        return work_no_memory(w);
    for (size_t q = 0; q < Q; q++)
        copy_column(table, c->found ? rm2_table_column(table, c->named.list[q]) : q, p->x + q, Q);
    if (c->timed)
        copy_column(table, rm2_table_column(table, "time"), p->time, 1);
    if (c->labelled && !consume_labels(table, p))
        return work_no_memory(w);
    return EXIT_DONE;
}

static int read_csv(const work *w, const char *path, size_t Q, bool paths, latent_paths *p) {
    latent_columns c = {.paths = paths};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table = {.rows = 0};
    s.choose = choose_columns;
    s.user = &c;
    int code = columns_of_latents(&c.named, Q)
                   ? work_check(w, rm2_csv_read(w->ctx, path, &s, &table))
                   : work_no_memory(w);
    if (code == EXIT_DONE)
        code = c.found || table.columns == Q ? convert_table(w, &table, &c, p)
                                             : wrong_columns(w, path, table.columns, Q);
    rm2_table_clear(&table);
    columns_free(&c.named);
    return code;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* The last axis is the latent one, the one before counts the points of a trajectory. */
static int convert_array(const work *w, rm2_array *array, size_t Q, latent_paths *p) {
    size_t length = array->dims > 2 ? array->shape[array->dims - 2] : 0;
    p->count = rm2_array_count(array) / Q;
    p->runs = length ? p->count / length : 1;
    p->starts = malloc((p->runs + 1) * sizeof *p->starts);
    if (!p->starts)
        return work_no_memory(w);
    for (size_t t = 0; t <= p->runs; t++)
        p->starts[t] = t < p->runs ? t * length : p->count;
    p->x = array->values;
    array->values = NULL;
    return EXIT_DONE;
}

static int read_npy(const work *w, const char *path, size_t Q, latent_paths *p) {
    rm2_array array;
    int code = work_check(w, rm2_npy_read(w->ctx, path, &array));
    if (code != EXIT_DONE)
        return code;
    size_t found = array.dims > 1 ? array.shape[array.dims - 1] : 1;
    code = found == Q ? convert_array(w, &array, Q, p) : wrong_columns(w, path, found, Q);
    rm2_array_clear(&array);
    return code;
}

/* ---- files of named arrays ------------------------------------------------------------------- */

/* The array "latents", or the only one of numbers with Q columns. */
static int find_latents(const work *w, const char *path, const rm2_archive *archive, size_t Q,
                        size_t *index) {
    const rm2_archive_entry *e;
    size_t fitting = 0, found = SIZE_MAX;
    *index = rm2_archive_find(archive, "latents");
    for (size_t k = 0; (e = rm2_archive_entry_at(archive, k)); k++)
        if (!e->refused && !e->texts && e->dims >= 2 && e->shape[e->dims - 1] == Q) {
            fitting++;
            found = k;
        }
    if (*index == SIZE_MAX && fitting == 1)
        *index = found;
    if (*index != SIZE_MAX)
        return EXIT_DONE;
    char list[400];
    rm2_archive_list(archive, list, sizeof list);
    return work_complain(w, EXIT_BAD_DATA,
                         "%s: no array \"latents\", and %s one has %zu columns (the file has: %s)",
                         path, fitting ? "more than" : "not", Q, list);
}

/* Ids, labels and time with one entry per point, where the file has them. */
static int copy_role_texts(const work *w, const char *path, rm2_archive *archive, const char *name,
                           size_t count, rm2_texts *t) {
    *t = (rm2_texts){.count = 0};
    size_t index = rm2_archive_find(archive, name);
    if (index == SIZE_MAX)
        return EXIT_DONE;
    int code = work_archive_texts(w, archive, index, t);
    if (code == EXIT_DONE && t->count != count) {
        code = work_complain(w, EXIT_BAD_DATA, "%s: array \"%s\" has %zu entries for %zu points",
                             path, name, t->count, count);
        rm2_texts_clear(t);
    }
    return code;
}

static int copy_ids(const work *w, const char *path, rm2_archive *archive, latent_paths *p) {
    rm2_texts t;
    int code = copy_role_texts(w, path, archive, "demo", p->count, &t);
    double *codes = t.codes ? malloc((p->count + 1) * sizeof *codes) : NULL;
    for (size_t i = 0; codes && i < p->count; i++)
        codes[i] = (double)t.codes[i];
    free(p->starts);
    p->starts = NULL;
    p->runs = 0;
    if (code == EXIT_DONE && ((t.codes && !codes) || !find_runs(codes, 1, t.distinct, p)))
        code = work_no_memory(w);
    free(codes);
    rm2_texts_clear(&t);
    return code;
}

static int copy_roles(const work *w, const char *path, rm2_archive *archive, latent_paths *p) {
    rm2_texts t;
    bool axis = p->runs > 1; /* trajectories from the first axis */
    int code = axis ? EXIT_DONE : copy_ids(w, path, archive, p);
    if (code == EXIT_DONE)
        code = copy_role_texts(w, path, archive, "label", p->count, &t);
    if (code != EXIT_DONE)
        return code;
    p->labels = t.codes;
    p->label_names = t.distinct;
    p->label_count = t.distinct_count;
    size_t time = rm2_archive_find(archive, "time");
    if (time == SIZE_MAX)
        return EXIT_DONE;
    rm2_array array;
    code = work_check(w, rm2_archive_array(w->ctx, archive, time, &array));
    if (code == EXIT_DONE && rm2_array_count(&array) != p->count)
        code = work_complain(w, EXIT_BAD_DATA, "%s: array \"time\" has %zu entries for %zu points",
                             path, rm2_array_count(&array), p->count);
    if (code == EXIT_DONE) {
        p->time = array.values;
        array.values = NULL;
    }
    rm2_array_clear(&array);
    return code;
}

static int read_arrays(const work *w, const char *path, rm2_archive *archive, size_t Q, bool paths,
                       latent_paths *p) {
    size_t index;
    rm2_array array = {.dims = 0};
    int code = find_latents(w, path, archive, Q, &index);
    if (code == EXIT_DONE)
        code = work_check(w, rm2_archive_array(w->ctx, archive, index, &array));
    if (code == EXIT_DONE) {
        size_t found = array.dims > 1 ? array.shape[array.dims - 1] : 1;
        code = found == Q ? convert_array(w, &array, Q, p) : wrong_columns(w, path, found, Q);
    }
    rm2_array_clear(&array);
    return code == EXIT_DONE && paths ? copy_roles(w, path, archive, p) : code;
}

static int read_archive(const work *w, const char *path, size_t Q, bool paths, latent_paths *p) {
    rm2_archive *archive;
    int code = work_check(w, rm2_archive_open(w->ctx, path, &archive));
    if (code == EXIT_DONE) {
        code = read_arrays(w, path, archive, Q, paths, p);
        rm2_archive_close(archive);
    }
    return code;
}

static int read_file(const work *w, const char *path, size_t Q, bool paths, latent_paths *p) {
    *p = (latent_paths){.count = 0};
    int code = has_ending(path, ".npy")              ? read_npy(w, path, Q, p)
               : rm2_archive_format_of(w->ctx, path) ? read_archive(w, path, Q, paths, p)
                                                     : read_csv(w, path, Q, paths, p);
    for (size_t i = 0; code == EXIT_DONE && p->x && i < p->count * Q; i++)
        if (!isfinite(p->x[i]))
            code =
                work_complain(w, EXIT_BAD_DATA, "%s: latent point %zu is not finite", path, i / Q);
    if (code == EXIT_DONE && p->count == 0)
        code = work_complain(w, EXIT_BAD_DATA, "%s has no points", path);
    if (code != EXIT_DONE)
        latent_paths_free(p);
    return code;
}

int work_read_latents(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    latent_paths p;
    int code = read_file(w, path, Q, false, &p);
    *rows = p.count;
    *values = p.x;
    p.x = NULL;
    latent_paths_free(&p);
    return code;
}

int work_read_paths(const work *w, const char *path, size_t Q, latent_paths *p) {
    return read_file(w, path, Q, true, p);
}
