/* MATLAB files as a format of named arrays. What the reading process sends is checked: a damaged file may have changed
 * its memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mat/mat.h"

typedef struct mat_file {
    char *path;
    uint64_t size;
    rm2_archive_entry *entries;
    size_t count, room;
} mat_file;

static rm2_status no_memory(rm2_context *ctx) {
    return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
}

static void close_file(void *file) {
    mat_file *f = file;
    for (size_t i = 0; i < f->count; i++) {
        free((void *)f->entries[i].name);
        free((void *)f->entries[i].refused);
    }
    free(f->entries);
    free(f->path);
    free(f);
}

/* ---- what comes through the pipe ------------------------------------------------------------ */

static rm2_status nonsense(const rm2i_mat_process *p) {
    return rm2_context_fail(p->ctx, RM2_ERR_FORMAT,
                            "%s: damaged: its contents are inconsistent; save it "
                            "again",
                            p->path);
}

/* A word that is at most `most`. */
static rm2_status receive_at_most(rm2i_mat_process *p, uint64_t most, uint64_t *word) {
    RM2_TRY(rm2i_mat_receive_word(p, word));
    return *word <= most ? RM2_OK : nonsense(p);
}

static rm2_status receive_text(rm2i_mat_process *p, char **text) {
    uint64_t size;
    RM2_TRY(receive_at_most(p, RM2I_MAT_TEXT_MAX, &size));
    *text = malloc((size_t)size + 1);
    if (!*text)
        return no_memory(p->ctx);
    (*text)[size] = '\0';
    return rm2i_mat_receive(p, *text, (size_t)size);
}

/* The answer's status; a failure is handed on. */
static rm2_status receive_status(rm2i_mat_process *p) {
    uint64_t status;
    char *text = NULL;
    RM2_TRY(receive_at_most(p, RM2_INTERRUPTED, &status));
    if (status == RM2_OK)
        return RM2_OK;
    rm2_status received = receive_text(p, &text);
    if (received == RM2_OK)
        received = rm2_context_fail(p->ctx, (rm2_status)status, "%s", text);
    free(text);
    return received;
}

static rm2_status receive_end(rm2i_mat_process *p) {
    uint64_t word;
    RM2_TRY(rm2i_mat_receive_word(p, &word));
    return word == RM2I_MAT_END ? RM2_OK : nonsense(p);
}

/* dims and shape, whose product is at most what the file can hold. */
static rm2_status receive_shape(rm2i_mat_process *p, uint64_t most, size_t *dims, size_t *shape) {
    uint64_t count, product = 1;
    RM2_TRY(receive_at_most(p, RM2_ARRAY_MAX_DIMS, &count));
    *dims = (size_t)count;
    for (size_t k = 0; k < *dims; k++) {
        uint64_t size;
        RM2_TRY(receive_at_most(p, most, &size));
        shape[k] = (size_t)size;
        if (size > 0 && product > most / size)
            return nonsense(p);
        product *= size > 0 ? size : 1;
    }
    return RM2_OK;
}

/* ---- the list ------------------------------------------------------------------------------- */

static bool grow(mat_file *f) {
    if (f->count < f->room)
        return true;
    size_t room = 2 * f->room + 16;
    rm2_archive_entry *more = realloc(f->entries, room * sizeof *more);
    if (!more)
        return false;
    f->entries = more;
    f->room = room;
    return true;
}

/* "FILE: array NAME cannot be read: it is sparse; save full(x)". */
static rm2_status explain_refusal(rm2i_mat_process *p, const char *why, rm2_archive_entry *e) {
    size_t size = strlen(p->path) + strlen(e->name) + strlen(why) + 64;
    char *text = malloc(size);
    if (!text)
        return no_memory(p->ctx);
    (void)snprintf(text, size, "%s: array \"%s\" cannot be read: %s", p->path, e->name, why);
    e->refused = text;
    return RM2_OK;
}

static rm2_status receive_entry(rm2i_mat_process *p, mat_file *f) {
    if (f->count >= RM2I_MAT_LIST_MAX)
        return nonsense(p);
    if (!grow(f))
        return no_memory(p->ctx);
    rm2_archive_entry *e = &f->entries[f->count];
    char *name = NULL, *why = NULL;
    uint64_t texts = 0;
    *e = (rm2_archive_entry){.name = NULL};
    f->count++;
    rm2_status status = receive_text(p, &name);
    e->name = name;
    if (status == RM2_OK)
        status = receive_text(p, &why);
    if (status == RM2_OK && why[0])
        status = explain_refusal(p, why, e);
    free(why);
    RM2_TRY(status);
    RM2_TRY(receive_at_most(p, 1, &texts));
    e->texts = texts == 1;
    return receive_shape(p, e->refused ? UINT64_MAX : rm2i_mat_most(f->size), &e->dims, e->shape);
}

static rm2_status receive_list(rm2i_mat_process *p, mat_file *f) {
    uint64_t more;
    RM2_TRY(receive_status(p));
    for (;;) {
        RM2_TRY(receive_at_most(p, 1, &more));
        if (!more)
            break;
        RM2_TRY(receive_entry(p, f));
    }
    RM2_TRY(receive_end(p));
    return f->count > 0 ? RM2_OK
                        : rm2_context_fail(p->ctx, RM2_ERR_FORMAT, "%s holds no arrays", f->path);
}

static rm2_status list_arrays(rm2_context *ctx, mat_file *f) {
    rm2i_mat_process p;
    rm2i_mat_request request = {.path = f->path, .file_size = f->size, .index = SIZE_MAX};
    RM2_TRY(rm2i_mat_start(ctx, &request, &p));
    rm2_status status = receive_list(&p, f);
    rm2i_mat_stop(&p);
    return status;
}

static rm2_status look_at(rm2_context *ctx, const char *path, mat_file *f) {
    struct stat info;
    f->path = strdup(path);
    if (!f->path)
        return no_memory(ctx);
    if (stat(path, &info) != 0)
        return rm2_context_fail(ctx, RM2_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return rm2_context_fail(ctx, RM2_ERR_IO, "cannot read %s: not a regular file", path);
    f->size = (uint64_t)info.st_size;
    return RM2_OK;
}

static rm2_status open_file(rm2_context *ctx, const char *path, void **file,
                            const rm2_archive_entry **entries, size_t *count) {
    mat_file *f = calloc(1, sizeof *f);
    if (!f)
        return no_memory(ctx);
    rm2_status status = look_at(ctx, path, f);
    if (status == RM2_OK)
        status = list_arrays(ctx, f);
    if (status != RM2_OK) {
        close_file(f);
        return status;
    }
    *file = f;
    *entries = f->entries;
    *count = f->count;
    return RM2_OK;
}

/* ---- one array ------------------------------------------------------------------------------ */

static rm2_status receive_numbers(rm2i_mat_process *p, const mat_file *f, rm2_array *array) {
    RM2_TRY(receive_status(p));
    RM2_TRY(receive_shape(p, rm2i_mat_most(f->size), &array->dims, array->shape));
    size_t count = rm2_array_count(array);
    if (count > SIZE_MAX / sizeof *array->values - 1)
        return nonsense(p);
    array->values = malloc((count + 1) * sizeof *array->values);
    if (!array->values)
        return no_memory(p->ctx);
    RM2_TRY(rm2i_mat_receive(p, array->values, count * sizeof *array->values));
    return receive_end(p);
}

static rm2_status read_array(rm2_context *ctx, void *file, size_t index, rm2_array *array) {
    const mat_file *f = file;
    rm2i_mat_process p;
    rm2i_mat_request request = {.path = f->path, .file_size = f->size, .index = index};
    if (f->entries[index].texts)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" holds texts, not numbers",
                                f->path, f->entries[index].name);
    RM2_TRY(rm2i_mat_start(ctx, &request, &p));
    rm2_status status = receive_numbers(&p, f, array);
    rm2i_mat_stop(&p);
    if (status == RM2_OK && !(array->name = strdup(f->entries[index].name)))
        status = no_memory(ctx);
    if (status != RM2_OK)
        rm2_array_clear(array);
    return status;
}

static rm2_status receive_texts(rm2i_mat_process *p, const mat_file *f, char ***texts,
                                size_t *count) {
    uint64_t wanted;
    RM2_TRY(receive_status(p));
    RM2_TRY(receive_at_most(p, rm2i_mat_most(f->size), &wanted));
    *texts = calloc((size_t)wanted + 1, sizeof **texts);
    if (!*texts)
        return no_memory(p->ctx);
    for (; *count < (size_t)wanted; ++*count)
        RM2_TRY(receive_text(p, &(*texts)[*count]));
    return receive_end(p);
}

static rm2_status read_texts(rm2_context *ctx, void *file, size_t index, rm2_texts *texts) {
    const mat_file *f = file;
    rm2i_mat_process p;
    rm2i_mat_request request = {.path = f->path, .file_size = f->size, .index = index};
    char **list = NULL;
    size_t count = 0;
    if (!f->entries[index].texts)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" holds numbers, not texts",
                                f->path, f->entries[index].name);
    RM2_TRY(rm2i_mat_start(ctx, &request, &p));
    rm2_status status = receive_texts(&p, f, &list, &count);
    rm2i_mat_stop(&p);
    if (status == RM2_OK)
        status = rm2_texts_create(ctx, count, (const char *const *)list, texts);
    for (size_t i = 0; list && i <= count; i++) /* one that was cut short is the last */
        free(list[i]);
    free(list);
    return status;
}

rm2_status rm2_mat_register(rm2_context *ctx) {
    static const rm2_archive_format format = {.size = sizeof format,
                                              .extension = ".mat",
                                              .last_axis_counts = true,
                                              .open = open_file,
                                              .array = read_array,
                                              .texts = read_texts,
                                              .close = close_file};
    return rm2_archive_register(ctx, &format);
}
