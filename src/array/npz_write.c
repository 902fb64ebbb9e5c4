/* .npz files: stored zip entries, so that writing is as fast as the disk and any reader takes them.
 * Times are fixed at the start of 1980, the zero of zip: the same arrays give the same bytes.
 * 64-bit records are written only where 32 bits do not do. Checksums are computed before the
 * entry is written, so that pipes work; that of an array which comes in pieces follows it (a data descriptor). */
#include "array/npz.h"
#include "front/arrays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array/zip.h"

enum {
    VERSION = 20,           /* zip 2.0; */
    VERSION64 = 45,         /* 4.5 for 64-bit records */
    FLAG_LATE = 1 << 3,     /* checksum and sizes follow the data */
    FLAG_UTF8 = 1 << 11,    /* the name is UTF-8 */
    DATE_1980 = 1 << 5 | 1, /* January 1st */
    EXTRA64_MAX = 28,       /* bytes of the extra field with three 64-bit numbers */
    LATE_MAX = 24,          /* bytes of a data descriptor */
    CRC_PIECE = 1 << 30,    /* bytes for one call of crc32 */
    NAME_MAX_SIZE = 65000   /* bytes: with ".npy" still a 16-bit number */
};

typedef struct entry {
    unsigned flags;
    uint32_t crc;
    uint64_t size, offset;
} entry;

struct rm2i_npz_writer {
    FILE *stream;
    const char *path;
    rm2i_text_set names; /* with ".npy", one per entry */
    entry *entries;
    size_t capacity;
    size_t left;     /* values of the announced array that are still to come */
    uint64_t offset; /* bytes written */
};

static size_t put(unsigned char *record, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        record[at + i] = (unsigned char)(value >> 8 * i);
    return at + bytes;
}

static uint64_t clip32(uint64_t value) {
    return value < RM2I_ZIP_MAX32 ? value : RM2I_ZIP_MAX32;
}

static void emit(rm2i_npz_writer *w, const void *bytes, size_t size) {
    (void)fwrite(bytes, 1, size, w->stream);
    w->offset += size;
}

/* The extra field with those of the numbers that 32 bits cannot hold; returns its size. */
static size_t put_extra64(unsigned char extra[EXTRA64_MAX], const uint64_t *numbers, size_t count) {
    size_t used = 4;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] >= RM2I_ZIP_MAX32)
            used = put(extra, used, numbers[i], 8);
    if (used == 4)
        return 0;
    (void)put(extra, 0, RM2I_ZIP_EXTRA64, 2);
    (void)put(extra, 2, used - 4, 2);
    return used;
}

/* What local header and directory entry have in common, from "version needed" to the lengths. */
static size_t put_common(unsigned char *record, size_t at, const entry *e, const char *name,
                         size_t extra, bool late) {
    at = put(record, at, extra ? VERSION64 : VERSION, 2);
    at = put(record, at, e->flags, 2);
    at = put(record, at, RM2I_ZIP_STORED, 2);
    at = put(record, at, 0, 2); /* midnight */
    at = put(record, at, DATE_1980, 2);
    at = put(record, at, late ? 0 : e->crc, 4);
    at = put(record, at, late ? 0 : clip32(e->size), 4); /* packed and unpacked size are the same */
    at = put(record, at, late ? 0 : clip32(e->size), 4);
    at = put(record, at, strlen(name), 2);
    return put(record, at, extra, 2);
}

static void emit_local(rm2i_npz_writer *w, const entry *e, const char *name) {
    unsigned char record[RM2I_ZIP_LOCAL_SIZE], extra[EXTRA64_MAX];
    bool late = (e->flags & FLAG_LATE) != 0;
    size_t extra_size = late ? 0 : put_extra64(extra, (uint64_t[]){e->size, e->size}, 2);
    size_t at = put(record, 0, RM2I_ZIP_LOCAL, 4);
    at = put_common(record, at, e, name, extra_size, late);
    emit(w, record, at);
    emit(w, name, strlen(name));
    emit(w, extra, extra_size);
}

/* Checksum and sizes behind the data; 64 bits where the sizes need them. */
static void emit_late(rm2i_npz_writer *w, const entry *e) {
    unsigned char record[LATE_MAX];
    size_t width = e->size >= RM2I_ZIP_MAX32 ? 8 : 4;
    size_t at = put(record, 0, RM2I_ZIP_LATE, 4);
    at = put(record, at, e->crc, 4);
    at = put(record, at, e->size, width);
    at = put(record, at, e->size, width);
    emit(w, record, at);
}

static void emit_directory_entry(rm2i_npz_writer *w, const entry *e, const char *name) {
    unsigned char record[RM2I_ZIP_ENTRY_SIZE], extra[EXTRA64_MAX];
    size_t extra_size = put_extra64(extra, (uint64_t[]){e->size, e->size, e->offset}, 3);
    size_t at = put(record, 0, RM2I_ZIP_ENTRY, 4);
    at = put(record, at, extra_size ? VERSION64 : VERSION, 2); /* made by */
    at = put_common(record, at, e, name, extra_size, false);
    at = put(record, at, 0, 2 + 2); /* comment, disk */
    at = put(record, at, 0, 2 + 4); /* attributes */
    at = put(record, at, clip32(e->offset), 4);
    emit(w, record, at);
    emit(w, name, strlen(name));
    emit(w, extra, extra_size);
}

static void emit_end64(rm2i_npz_writer *w, uint64_t start, uint64_t end) {
    unsigned char record[RM2I_ZIP_END64_SIZE + RM2I_ZIP_LOCATOR64_SIZE];
    size_t at = put(record, 0, RM2I_ZIP_END64, 4);
    at = put(record, at, RM2I_ZIP_END64_SIZE - 12, 8);
    at = put(record, at, VERSION64, 2);
    at = put(record, at, VERSION64, 2);
    at = put(record, at, 0, 4 + 4); /* disks */
    at = put(record, at, w->names.count, 8);
    at = put(record, at, w->names.count, 8);
    at = put(record, at, end - start, 8);
    at = put(record, at, start, 8);
    at = put(record, at, RM2I_ZIP_LOCATOR64, 4);
    at = put(record, at, 0, 4);
    at = put(record, at, end, 8);
    at = put(record, at, 1, 4); /* one disk */
    emit(w, record, at);
}

static void emit_directory(rm2i_npz_writer *w) {
    uint64_t start = w->offset;
    for (size_t i = 0; i < w->names.count; i++)
        emit_directory_entry(w, &w->entries[i], w->names.texts[i]);
    uint64_t end = w->offset;
    uint64_t count = w->names.count < RM2I_ZIP_MAX16 ? w->names.count : RM2I_ZIP_MAX16;
    if (count == RM2I_ZIP_MAX16 || end >= RM2I_ZIP_MAX32)
        emit_end64(w, start, end);
    unsigned char record[RM2I_ZIP_END_SIZE];
    size_t at = put(record, 0, RM2I_ZIP_END, 4);
    at = put(record, at, 0, 2 + 2); /* disks */
    at = put(record, at, count, 2);
    at = put(record, at, count, 2);
    at = put(record, at, clip32(end - start), 4);
    at = put(record, at, clip32(start), 4);
    at = put(record, at, 0, 2); /* no comment */
    emit(w, record, at);
}

static uint32_t add_checksum(uint32_t sum, const void *data, size_t size) {
    const unsigned char *p = data;
    while (size > 0) {
        size_t piece = size < CRC_PIECE ? size : CRC_PIECE;
        sum = (uint32_t)crc32(sum, p, (uInt)piece);
        p += piece;
        size -= piece;
    }
    return sum;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The next entry under its name; failure if that is taken. */
static rm2_status add_entry(rm2_context *ctx, rm2i_npz_writer *w, const char *name, entry **e) {
    size_t size = strlen(name), before = w->names.count, number;
    char *full;
    if (size == 0 || size > NAME_MAX_SIZE)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the name of array %zu is empty or too long",
                         before);
    if (w->left > 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu values fewer than announced", w->path,
                         w->left);
    if (before == w->capacity) {
        RM2_TRY(rm2i_grow(ctx, 2 * w->capacity + 16, sizeof *w->entries, &w->entries));
        w->capacity = 2 * w->capacity + 16;
    }
    RM2_TRY(rm2i_alloc(ctx, size + sizeof ".npy", 1, &full));
    memcpy(full, name, size);
    memcpy(full + size, ".npy", sizeof ".npy");
    rm2_status status = rm2i_text_set_add(ctx, &w->names, full, size + strlen(".npy"), &number);
    free(full);
    if (status == RM2_OK && w->names.count == before)
        status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arrays %zu and %zu have the same name", number,
                           before);
    RM2_TRY(status);
    *e = &w->entries[before];
    **e = (entry){.offset = w->offset};
    for (size_t k = 0; k < size; k++)
        if ((unsigned char)name[k] >= 0x80)
            (*e)->flags = FLAG_UTF8;
    return RM2_OK;
}

static rm2_status put_array(rm2_context *ctx, rm2i_npz_writer *w, const char *name,
                            const rm2_array *array, const void *data, size_t size) {
    char header[RM2I_NPY_HEADER_MAX];
    size_t header_size = rm2i_npy_format_header(array, header);
    entry *e;
    RM2_TRY(add_entry(ctx, w, name, &e));
    e->crc = add_checksum(add_checksum(0, header, header_size), data, size);
    e->size = header_size + size;
    emit_local(w, e, w->names.texts[w->names.count - 1]);
    emit(w, header, header_size);
    if (size > 0)
        emit(w, data, size);
    return rm2i_stream_check(ctx, w->stream, w->path);
}

rm2_status rm2i_npz_put(rm2_context *ctx, rm2i_npz_writer *w, const rm2_array *array) {
    char number[RM2I_NUMBER_SIZE]; /* NumPy's name where there is none */
    void *encoded;
    size_t size;
    RM2_TRY(rm2i_npy_check_array(ctx, array));
    RM2_TRY(rm2i_npy_encode(ctx, array, &encoded, &size));
    (void)snprintf(number, sizeof number, "arr_%zu", w->names.count);
    errno = 0;
    rm2_status status = put_array(ctx, w, array->name ? array->name : number, array,
                                  encoded ? encoded : array->values, size);
    free(encoded);
    return status;
}

rm2_status rm2i_npz_announce(rm2_context *ctx, rm2i_npz_writer *w, const char *name, size_t count) {
    char header[RM2I_NPY_HEADER_MAX];
    size_t size = rm2i_npy_format_header(&(rm2_array){.dims = 1, .shape = {count}}, header);
    entry *e;
    RM2_TRY(add_entry(ctx, w, name, &e));
    e->flags |= FLAG_LATE;
    e->crc = add_checksum(0, header, size);
    e->size = size + count * sizeof(double);
    errno = 0;
    emit_local(w, e, w->names.texts[w->names.count - 1]);
    emit(w, header, size);
    w->left = count;
    if (count == 0)
        emit_late(w, e);
    return rm2i_stream_check(ctx, w->stream, w->path);
}

rm2_status rm2i_npz_put_piece(rm2_context *ctx, rm2i_npz_writer *w, size_t count,
                              const double *values) {
    if (count > w->left)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu values more than announced", w->path,
                         count - w->left);
    if (count == 0)
        return RM2_OK;
    entry *e = &w->entries[w->names.count - 1];
    e->crc = add_checksum(e->crc, values, count * sizeof *values);
    errno = 0;
    emit(w, values, count * sizeof *values);
    w->left -= count;
    if (w->left == 0)
        emit_late(w, e);
    return rm2i_stream_check(ctx, w->stream, w->path);
}

/* ---- archives -------------------------------------------------------------------------------- */

rm2_status rm2i_npz_begin(rm2_context *ctx, FILE *stream, const char *path,
                          rm2i_npz_writer **writer) {
    *writer = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **writer, writer));
    (*writer)->stream = stream;
    (*writer)->path = path;
    return RM2_OK;
}

rm2_status rm2i_npz_end(rm2_context *ctx, rm2i_npz_writer *w) {
    if (w->left > 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu values fewer than announced", w->path,
                         w->left);
    errno = 0;
    emit_directory(w);
    return rm2i_stream_check(ctx, w->stream, w->path);
}

void rm2i_npz_writer_free(rm2i_npz_writer *w) {
    if (!w)
        return;
    rm2i_text_set_free(&w->names);
    free(w->entries);
    free(w);
}

static rm2_status write_all(rm2_context *ctx, rm2i_npz_writer *w, const rm2_array *arrays,
                            size_t count) {
    for (size_t i = 0; i < count; i++)
        RM2_TRY(rm2i_npz_put(ctx, w, &arrays[i]));
    return rm2i_npz_end(ctx, w);
}

rm2_status rm2_npz_write(rm2_context *ctx, const char *path, const rm2_array *arrays, size_t count,
                         bool overwrite) {
    rm2_writer *output;
    rm2i_npz_writer *w = NULL;
    RM2_REQUIRE(ctx, path, arrays);
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "an .npz needs at least one array");
    for (size_t i = 0; i < count; i++) /* before a file is made */
        RM2_TRY(rm2i_npy_check_array(ctx, &arrays[i]));
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    rm2_status status = rm2i_npz_begin(ctx, rm2_writer_stream(output), path, &w);
    if (status == RM2_OK)
        status = write_all(ctx, w, arrays, count);
    rm2i_npz_writer_free(w);
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}
