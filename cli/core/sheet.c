/* Columns of numbers and texts, and those of models: trajectories, labels, latents, points. */
#include "core/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "core/columns.h"

bool sheet_create(sheet *s, size_t rows, size_t columns) {
    *s = (sheet){.table = {.rows = rows, .columns = columns}};
    rm2_table *t = &s->table;
    t->values = calloc(rows * columns + 1, sizeof *t->values);
    t->names = calloc(columns + 1, sizeof *t->names);
    t->texts = calloc(columns + 1, sizeof *t->texts);
    t->text_counts = calloc(columns + 1, sizeof *t->text_counts);
    return t->values && t->names && t->texts && t->text_counts;
}

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

/* The next column: row i has values[i * stride]. */
bool sheet_add(sheet *s, const char *name, const double *values, size_t stride) {
    rm2_table *t = &s->table;
    t->names[s->next] = copy_text(name);
    if (!t->names[s->next])
        return false;
    for (size_t i = 0; i < t->rows; i++)
        t->values[i * t->columns + s->next] = values[i * stride];
    s->next++;
    return true;
}

/* The next column, of texts: row i has texts[codes[i]]. */
bool sheet_add_texts(sheet *s, const char *name, const double *codes, const char *const *texts,
                     size_t count) {
    rm2_table *t = &s->table;
    size_t column = s->next;
    if (!sheet_add(s, name, codes, 1))
        return false;
    t->texts[column] = calloc(count, sizeof *t->texts[column]);
    if (!t->texts[column])
        return false;
    t->text_counts[column] = count;
    for (size_t k = 0; k < count; k++)
        if (!(t->texts[column][k] = copy_text(texts[k])))
            return false;
    return true;
}

/* Column "demo", as generate writes it; nothing without trajectories. */
bool sheet_add_trajectories(sheet *s, size_t count, const size_t *starts, const char *const *ids) {
    if (count == 0)
        return true;
    double *codes = malloc(s->table.rows * sizeof *codes);
    for (size_t t = 0; codes && t < count; t++)
        for (size_t i = starts[t]; i < starts[t + 1]; i++)
            codes[i] = (double)t;
    bool added = codes && sheet_add_texts(s, "demo", codes, ids, count);
    free(codes);
    return added;
}

/* Column "label"; nothing without labels. */
bool sheet_add_labels(sheet *s, const size_t *labels, size_t count, const char *const *names) {
    if (!labels)
        return true;
    double *codes = malloc((s->table.rows + 1) * sizeof *codes);
    for (size_t n = 0; codes && n < s->table.rows; n++)
        codes[n] = (double)labels[n];
    bool added = codes && sheet_add_texts(s, "label", codes, names, count);
    free(codes);
    return added;
}

static void add_block(sheet *s, const char *name, size_t columns, size_t side) {
    if (s->block_count < sizeof s->blocks / sizeof *s->blocks)
        s->blocks[s->block_count++] = (sheet_block){name, s->next, columns, side};
}

bool sheet_add_latents(sheet *s, size_t Q, const double *latents) {
    add_block(s, "latents", Q, 0);
    for (size_t q = 0; q < Q; q++) {
        char name[COLUMN_NAME];
        latent_name(q, name);
        if (!sheet_add(s, name, latents + q, Q))
            return false;
    }
    return true;
}

bool sheet_add_points(sheet *s, const rm2_manifold *m, const double *points) {
    return sheet_add_named_points(s, m, NULL, points);
}

bool sheet_add_named_points(sheet *s, const rm2_manifold *m, const region_names *names,
                            const double *points) {
    size_t ambient = rm2_manifold_ambient(m);
    const rm2_factor *f = rm2_manifold_factor(m, 0);
    bool matrices = rm2_manifold_factor_count(m) == 1 && rm2_is_spd(f->geometry);
    add_block(s, "points", ambient, matrices ? f->n : 0);
    for (size_t k = 0; k < ambient; k++) {
        char name[ENTRY_NAME];
        if (matrices && names && names->count)
            names_entry(names, k, name);
        else
            rm2_data_column_name(m, k, name, sizeof name);
        if (!sheet_add(s, name, points + k, ambient))
            return false;
    }
    return true;
}

void sheet_free(sheet *s) {
    rm2_table_clear(&s->table);
}
