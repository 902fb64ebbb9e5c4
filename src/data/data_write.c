/* Data sets to files. Text: trajectory id, time, label, then the point's entries under names that
 * say what they are. .npz: arrays points, demo, time, label. .npy: (trajectories, T, D) if all have
 * the same length, else (N, D). Matrices of SPD(n) alone have two axes in place of D. Scaling is undone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "front/arrays.h"
#include "front/data.h"
#include "riemann2/io.h"

/* The points in their original units. */
static rm2_status original_points(rm2_context *ctx, const rm2_data *data, double **points) {
    size_t entries = data->count * rm2_manifold_ambient(data->manifold);
    RM2_TRY(rm2i_alloc(ctx, entries, sizeof **points, points));
    rm2_data_original(data, *points);
    return RM2_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Name of entry k of a factor: x y z, sx sy sz, qw qx qy qz, m11 m12 ...; with the factor's number
 * in front if the same kind came before. */
static void entry_name(const rm2_factor *f, size_t k, size_t kind_number, char *name, size_t size) {
    char prefix[24] = "";
    if (kind_number > 1)
        (void)snprintf(prefix, sizeof prefix, "%s%zu_", f->geometry->name, kind_number);
    const char *letters = NULL, *before = "";
    if (rm2i_is_orientation(f)) {
        letters = "wxyz";
        before = "q";
    } else if (f->geometry == &rm2_euclidean && f->n <= 3) {
        letters = "xyz";
    } else if (f->geometry == &rm2_sphere && f->n == 2) {
        letters = "xyz";
        before = "s";
    }
    if (letters)
        (void)snprintf(name, size, "%s%s%c", prefix, before, letters[k]);
    else if (rm2_is_spd(f->geometry) && f->n <= 9)
        (void)snprintf(name, size, "%sm%zu%zu", prefix, k / f->n + 1, k % f->n + 1);
    else if (rm2_is_spd(f->geometry))
        (void)snprintf(name, size, "%sm%zu_%zu", prefix, k / f->n + 1, k % f->n + 1);
    else
        (void)snprintf(name, size, "%s%s%zu_%zu", prefix, f->geometry->name, f->n, k);
}

void rm2_data_column_name(const rm2_manifold *m, size_t k, char *name, size_t size) {
    size_t i = 0, kind_number = 1;
    if (!name || size == 0)
        return;
    name[0] = 0;
    if (k >= rm2_manifold_ambient(m))
        return;
    while (k >= rm2_manifold_factor(m, i)->ambient_offset + rm2_manifold_factor(m, i)->ambient)
        i++;
    const rm2_factor *f = rm2_manifold_factor(m, i);
    for (size_t before = 0; before < i; before++)
        kind_number += rm2_manifold_factor(m, before)->geometry == f->geometry;
    entry_name(f, k - f->ambient_offset, kind_number, name, size);
}

static rm2_status name_entries(rm2_context *ctx, const rm2_manifold *m, char **names) {
    for (size_t k = 0; k < rm2_manifold_ambient(m); k++) {
        char name[96];
        rm2_data_column_name(m, k, name, sizeof name);
        RM2_TRY(rm2i_strdup(ctx, name, &names[k]));
    }
    return RM2_OK;
}

/* A table that borrows its texts from the data set. */
typedef struct sheet {
    rm2_table table;
    size_t id, time, label, points; /* first column of each; SIZE_MAX if absent */
} sheet;

static void sheet_free(sheet *d) {
    rm2i_texts_free(d->table.names, d->table.columns);
    free(d->table.values);
    free(d->table.texts);
    free(d->table.text_counts);
}

static rm2_status sheet_create(rm2_context *ctx, const rm2_data *data, sheet *d) {
    size_t next = 0;
    *d = (sheet){.id = data->trajectories ? next++ : SIZE_MAX};
    d->time = data->time ? next++ : SIZE_MAX;
    d->label = data->labels ? next++ : SIZE_MAX;
    d->points = next;
    rm2_table *t = &d->table;
    t->rows = data->count;
    t->columns = next + rm2_manifold_ambient(data->manifold);
    RM2_TRY(rm2i_calloc(ctx, t->columns, sizeof *t->names, &t->names));
    RM2_TRY(rm2i_calloc(ctx, t->columns, sizeof *t->texts, &t->texts));
    RM2_TRY(rm2i_calloc(ctx, t->columns, sizeof *t->text_counts, &t->text_counts));
    RM2_TRY(rm2i_alloc(ctx, t->rows, t->columns * sizeof *t->values, &t->values));
    if (d->id != SIZE_MAX) {
        RM2_TRY(rm2i_strdup(ctx, "demo", &t->names[d->id]));
        t->texts[d->id] = (char **)data->ids; /* only read, as all texts of the table */
        t->text_counts[d->id] = data->trajectories;
    }
    if (d->time != SIZE_MAX)
        RM2_TRY(rm2i_strdup(ctx, "time", &t->names[d->time]));
    if (d->label != SIZE_MAX) {
        RM2_TRY(rm2i_strdup(ctx, "label", &t->names[d->label]));
        t->texts[d->label] = (char **)data->label_names;
        t->text_counts[d->label] = data->label_count;
    }
    return name_entries(ctx, data->manifold, t->names + d->points);
}

static void fill_sheet(const rm2_data *data, const double *points, sheet *d) {
    size_t ambient = rm2_manifold_ambient(data->manifold), trajectory = 0;
    for (size_t i = 0; i < data->count; i++) {
        double *row = d->table.values + i * d->table.columns;
        while (data->starts && data->starts[trajectory + 1] <= i)
            trajectory++;
        if (d->id != SIZE_MAX)
            row[d->id] = (double)trajectory;
        if (d->time != SIZE_MAX)
            row[d->time] = data->time[i];
        if (d->label != SIZE_MAX)
            row[d->label] = (double)data->labels[i];
        memcpy(row + d->points, points + i * ambient, ambient * sizeof *row);
    }
}

static rm2_status write_text(rm2_context *ctx, const rm2_data *data, const double *points,
                             const char *path, bool overwrite) {
    sheet d;
    rm2_status status = sheet_create(ctx, data, &d);
    if (status == RM2_OK) {
        fill_sheet(data, points, &d);
        status = rm2_csv_write(ctx, path, &d.table, overwrite);
    }
    sheet_free(&d);
    return status;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static bool equal_lengths(const rm2_data *data) {
    for (size_t t = 0; t < data->trajectories; t++)
        if (data->starts[t + 1] - data->starts[t] != data->starts[1])
            return false;
    return data->trajectories > 0;
}

/* SPD(n) alone: points are n x n matrices. */
static bool is_matrix(const rm2_manifold *m) {
    return rm2_manifold_factor_count(m) == 1 && rm2_is_spd(rm2_manifold_factor(m, 0)->geometry);
}

static rm2_array points_array(const rm2_data *data, double *points, bool by_trajectory) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    rm2_array a = {.values = points};
    if (by_trajectory) {
        a.shape[a.dims++] = data->trajectories;
        a.shape[a.dims++] = data->starts[1];
    } else {
        a.shape[a.dims++] = data->count;
    }
    if (is_matrix(data->manifold)) {
        a.shape[a.dims++] = rm2_manifold_factor(data->manifold, 0)->n;
        a.shape[a.dims++] = rm2_manifold_factor(data->manifold, 0)->n;
    } else {
        a.shape[a.dims++] = ambient;
    }
    return a;
}

/* Ids or labels: numbers if all their names are whole numbers, else texts. */
static rm2_array names_array(char *name, size_t count, double *codes, const char *const *names,
                             size_t name_count) {
    rm2_array a = {.name = name, .dims = 1, .shape = {count}, .values = codes};
    for (size_t k = 0; k < name_count; k++) {
        size_t length = strlen(names[k]);
        bool whole = length > 0 && length < 16 && strspn(names[k], "0123456789") == length &&
                     (names[k][0] != '0' || length == 1);
        if (!whole) {
            a.texts = names;
            a.text_count = name_count;
            return a;
        }
    }
    for (size_t i = 0; i < count; i++)
        codes[i] = strtod(names[(size_t)codes[i]], NULL);
    return a;
}

static rm2_status write_npz(rm2_context *ctx, const rm2_data *data, double *points,
                            const char *path, bool overwrite) {
    static char points_name[] = "points", demo[] = "demo", time[] = "time", label[] = "label";
    rm2_array arrays[4] = {points_array(data, points, false)};
    size_t count = 1;
    arrays[0].name = points_name;
    double *codes;
    RM2_TRY(rm2i_alloc(ctx, data->count, 2 * sizeof *codes, &codes));
    double *label_codes = codes + data->count;
    for (size_t t = 0; t < data->trajectories; t++)
        for (size_t i = data->starts[t]; i < data->starts[t + 1]; i++)
            codes[i] = (double)t;
    for (size_t i = 0; data->labels && i < data->count; i++)
        label_codes[i] = (double)data->labels[i];
    if (data->trajectories)
        arrays[count++] = names_array(demo, data->count, codes, data->ids, data->trajectories);
    if (data->time)
        arrays[count++] = (rm2_array){.name = time,
                                      .dims = 1,
                                      .shape = {data->count},
                                      .values = (double *)data->time}; /* read */
    if (data->labels)
        arrays[count++] =
            names_array(label, data->count, label_codes, data->label_names, data->label_count);
    rm2_status status = rm2_npz_write(ctx, path, arrays, count, overwrite);
    free(codes);
    return status;
}

rm2_status rm2_data_write(rm2_context *ctx, const rm2_data *data, const char *path,
                          bool overwrite) {
    double *points;
    RM2_REQUIRE(ctx, data, path);
    RM2_TRY(original_points(ctx, data, &points));
    rm2_status status;
    if (rm2i_has_extension(path, ".npz")) {
        status = write_npz(ctx, data, points, path, overwrite);
    } else if (rm2i_has_extension(path, ".npy")) {
        rm2_array array = points_array(data, points, equal_lengths(data));
        status = rm2_npy_write(ctx, path, &array, overwrite);
    } else {
        status = write_text(ctx, data, points, path, overwrite);
    }
    free(points);
    return status;
}
