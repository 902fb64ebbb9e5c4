/* A table as a file: text, or arrays of NumPy. */
#include <stdlib.h>

#include "core/sheet.h"
#include "core/work.h"

const char *const array_formats[] = {".csv", ".tsv", ".txt", ".npy", ".npz", NULL};

/* Columns first..first + count of the table, by rows, the caller's to free; NULL: no memory. */
static double *gather(const rm2_table *t, size_t first, size_t count) {
    double *values = malloc((t->rows * count + 1) * sizeof *values);
    for (size_t i = 0; values && i < t->rows; i++)
        for (size_t k = 0; k < count; k++)
            values[i * count + k] = t->values[i * t->columns + first + k];
    return values;
}

static bool block_array(const sheet *s, const sheet_block *b, rm2_array *a) {
    *a = (rm2_array){.name = (char *)b->name, .dims = 2, .shape = {s->table.rows, b->columns}};
    if (b->side) {
        a->dims = 3;
        a->shape[1] = b->side;
        a->shape[2] = b->side;
    }
    a->values = gather(&s->table, b->first, b->columns);
    return a->values != NULL;
}

static bool column_array(const sheet *s, size_t column, rm2_array *a) {
    const rm2_table *t = &s->table;
    *a = (rm2_array){.name = t->names[column], .dims = 1, .shape = {t->rows}};
    a->texts = (const char *const *)t->texts[column];
    a->text_count = t->text_counts[column];
    a->values = gather(t, column, 1);
    return a->values != NULL;
}

static const sheet_block *block_at(const sheet *s, size_t column) {
    for (size_t k = 0; k < s->block_count; k++)
        if (s->blocks[k].first == column)
            return &s->blocks[k];
    return NULL;
}

static rm2_status write_npz(rm2_context *ctx, const sheet *s, const char *path, bool overwrite) {
    rm2_array *arrays = calloc(s->next + 1, sizeof *arrays);
    size_t count = 0;
    bool room = arrays != NULL;
    for (size_t column = 0; room && column < s->next;) {
        const sheet_block *b = block_at(s, column);
        room = b ? block_array(s, b, &arrays[count]) : column_array(s, column, &arrays[count]);
        column += b ? b->columns : 1;
        count++;
    }
    rm2_status status = room ? rm2_npz_write(ctx, path, arrays, count, overwrite)
                             : rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
    for (size_t k = 0; arrays && k < count; k++)
        free(arrays[k].values);
    free(arrays);
    return status;
}

static rm2_status write_npy(rm2_context *ctx, const sheet *s, const char *path, bool overwrite) {
    rm2_array array;
    if (!block_array(s, &s->blocks[s->block_count - 1], &array))
        return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
    array.name = NULL;
    rm2_status status = rm2_npy_write(ctx, path, &array, overwrite);
    free(array.values);
    return status;
}

rm2_status sheet_write(rm2_context *ctx, const sheet *s, const char *path, bool overwrite) {
    if (has_ending(path, ".npz"))
        return write_npz(ctx, s, path, overwrite);
    if (has_ending(path, ".npy") && s->block_count > 0)
        return write_npy(ctx, s, path, overwrite);
    return rm2_csv_write(ctx, path, &s->table, overwrite);
}
