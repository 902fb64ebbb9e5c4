/* Files of named arrays: formats by extension, and the calls that any of them answers. */
#include "array/archive.h"
#include "array/npz.h"
#include "front/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "io/io.h"

struct rm2_archive {
    const rm2_archive_format *format;
    void *file;
    const rm2_archive_entry *entries;
    size_t count;
};

/* ---- formats -------------------------------------------------------------------------------- */

const rm2_archive_format *rm2_archive_format_of(const rm2_context *ctx, const char *path) {
    const rm2_archive_format *f;
    if (!path)
        return NULL;
    if (rm2i_has_extension(path, rm2i_npz_format.extension))
        return &rm2i_npz_format;
    for (size_t i = 0; (f = rm2i_context_format(ctx, i)); i++)
        if (rm2i_has_extension(path, f->extension))
            return f;
    return NULL;
}

/* A dot, then small letters and digits, not those of another format. */
static rm2_status check_extension(rm2_context *ctx, const rm2_archive_format *format) {
    static const char *const own[] = {".npy", ".csv", ".tsv", ".txt"};
    const char *text = format->extension;
    bool good = text && text[0] == '.' && text[1] &&
                strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(text + 1);
    if (!good)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "invalid extension \"%.20s\" of a format: must be a dot, then small "
                         "letters or digits, such as .mat",
                         text ? text : "");
    bool taken = strcmp(text, rm2i_npz_format.extension) == 0;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        taken = taken || strcmp(text, own[k]) == 0;
    const rm2_archive_format *f;
    for (size_t i = 0; (f = rm2i_context_format(ctx, i)); i++)
        taken = taken || strcmp(text, f->extension) == 0;
    return taken ? rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the extension %s belongs to another format",
                             text)
                 : RM2_OK;
}

rm2_status rm2_archive_register(rm2_context *ctx, const rm2_archive_format *format) {
    RM2_REQUIRE(ctx, format);
    RM2_TRY(rm2i_check_size(ctx, format, sizeof *format));
    RM2_REQUIRE(ctx, format->open, format->array, format->texts, format->close);
    const rm2_archive_format *f;
    for (size_t i = 0; (f = rm2i_context_format(ctx, i)); i++)
        if (f == format)
            return RM2_OK;
    RM2_TRY(check_extension(ctx, format));
    return rm2i_context_add_format(ctx, format);
}

/* ---- a file --------------------------------------------------------------------------------- */

rm2_status rm2_archive_open(rm2_context *ctx, const char *path, rm2_archive **archive) {
    RM2_REQUIRE(ctx, archive);
    *archive = NULL;
    RM2_REQUIRE(ctx, path);
    const rm2_archive_format *format = rm2_archive_format_of(ctx, path);
    if (!format)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "%s: unknown format of named arrays; .npz is built in, others are "
                         "registered in the context",
                         path);
    rm2_archive *opened;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *opened, &opened));
    opened->format = format;
    rm2_status status = format->open(ctx, path, &opened->file, &opened->entries, &opened->count);
    if (status == RM2_OK)
        *archive = opened;
    else
        free(opened);
    return status;
}

void rm2_archive_close(rm2_archive *archive) {
    if (!archive)
        return;
    archive->format->close(archive->file);
    free(archive);
}

const rm2_archive_format *rm2_archive_format_used(const rm2_archive *archive) {
    return archive ? archive->format : NULL;
}

size_t rm2_archive_count(const rm2_archive *archive) {
    return archive ? archive->count : 0;
}

const rm2_archive_entry *rm2_archive_entry_at(const rm2_archive *archive, size_t index) {
    return index < rm2_archive_count(archive) ? &archive->entries[index] : NULL;
}

size_t rm2_archive_find(const rm2_archive *archive, const char *name) {
    for (size_t i = 0; name && i < rm2_archive_count(archive); i++)
        if (strcmp(archive->entries[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- one array ------------------------------------------------------------------------------ */

rm2_status rm2i_archive_check(rm2_context *ctx, const rm2_archive *archive, size_t index) {
    const rm2_archive_entry *e = rm2_archive_entry_at(archive, index);
    if (!e)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no array number %zu; there are %zu", index,
                         archive->count);
    return e->refused ? rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "%s", e->refused) : RM2_OK;
}

static rm2_status refuse_span(rm2_context *ctx, const rm2_archive *archive) {
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "arrays of %s files are not read in parts",
                     archive->format->extension);
}

rm2_status rm2i_archive_numbers(rm2_context *ctx, rm2_archive *archive, size_t index,
                                const rm2i_npy_span *span, rm2_array *array) {
    *array = (rm2_array){0};
    RM2_TRY(rm2i_archive_check(ctx, archive, index));
    if (!span)
        return archive->format->array(ctx, archive->file, index, array);
    return archive->format == &rm2i_npz_format
               ? rm2i_npz_numbers(ctx, archive->file, index, span, array)
               : refuse_span(ctx, archive);
}

rm2_status rm2i_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                              const rm2i_npy_span *span, rm2_texts *texts) {
    *texts = (rm2_texts){0};
    RM2_TRY(rm2i_archive_check(ctx, archive, index));
    if (!span)
        return archive->format->texts(ctx, archive->file, index, texts);
    return archive->format == &rm2i_npz_format
               ? rm2i_npz_texts(ctx, archive->file, index, span, texts)
               : refuse_span(ctx, archive);
}

rm2_status rm2_archive_array(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_array *array) {
    RM2_REQUIRE(ctx, array);
    *array = (rm2_array){0};
    RM2_REQUIRE(ctx, archive);
    return rm2i_archive_numbers(ctx, archive, index, NULL, array);
}

rm2_status rm2_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_texts *texts) {
    RM2_REQUIRE(ctx, texts);
    *texts = (rm2_texts){0};
    RM2_REQUIRE(ctx, archive);
    return rm2i_archive_texts(ctx, archive, index, NULL, texts);
}

/* ---- messages ------------------------------------------------------------------------------- */

static size_t put_entry(const rm2_archive_entry *e, char *text, size_t size) {
    char shown[RM2I_SHOWN_SIZE];
    size_t used = (size_t)snprintf(text, size, "%s", rm2i_shown(e->name, strlen(e->name), shown));
    if (e->refused)
        return used + (size_t)snprintf(text + used, size - used, " (not readable)");
    used += (size_t)snprintf(text + used, size - used, " (");
    for (size_t k = 0; k < e->dims; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? ", " : "", e->shape[k]);
    return used + (size_t)snprintf(text + used, size - used, ")%s", e->texts ? " texts" : "");
}

void rm2_archive_list(const rm2_archive *archive, char *text, size_t size) {
    enum { LONGEST = RM2I_SHOWN_SIZE + 24 * RM2_ARRAY_MAX_DIMS + 32 };
    size_t used = 0;
    if (!text || size == 0)
        return;
    text[0] = '\0';
    for (size_t i = 0; i < rm2_archive_count(archive); i++) {
        char entry[LONGEST];
        size_t length = put_entry(&archive->entries[i], entry, sizeof entry);
        if (used + length + 2 * sizeof ", .." > size) { /* ", " before and ", ..." after it */
            (void)snprintf(text + used, size - used, "%s...", used ? ", " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", entry);
    }
}
