/* .npz files: stored zip entries, so that writing is as fast as the disk and any reader takes them.
 * Times are fixed at the start of 1980, the zero of zip: the same arrays give the same bytes.
 * 64-bit records are written only where 32 bits do not do. Checksums are computed before the
 * entry is written, so that pipes work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy.h"
#include "array/zip.h"

enum {
    VERSION = 20,           /* zip 2.0; */
    VERSION64 = 45,         /* 4.5 for 64-bit records */
    FLAG_UTF8 = 1 << 11,    /* the name is UTF-8 */
    DATE_1980 = 1 << 5 | 1, /* January 1st */
    EXTRA64_MAX = 28,       /* bytes of the extra field with three 64-bit numbers */
    CRC_PIECE = 1 << 30,    /* bytes for one call of crc32 */
    NAME_MAX_SIZE = 65000   /* bytes: with ".npy" still a 16-bit number */
};

typedef struct entry {
    char *name; /* with ".npy" */
    unsigned flags;
    uint32_t crc;
    uint64_t size, offset;
} entry;

typedef struct writer {
    rm2_context *ctx;
    FILE *stream;
    const char *path;
    const rm2_array *arrays;
    entry *entries;
    size_t count;
    uint64_t offset; /* bytes written */
} writer;

static size_t put(unsigned char *record, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        record[at + i] = (unsigned char)(value >> 8 * i);
    return at + bytes;
}

static uint64_t clip32(uint64_t value) {
    return value < RM2I_ZIP_MAX32 ? value : RM2I_ZIP_MAX32;
}

static void emit(writer *w, const void *bytes, size_t size) {
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
static size_t put_common(unsigned char *record, size_t at, const entry *e, size_t extra) {
    at = put(record, at, extra ? VERSION64 : VERSION, 2);
    at = put(record, at, e->flags, 2);
    at = put(record, at, RM2I_ZIP_STORED, 2);
    at = put(record, at, 0, 2); /* midnight */
    at = put(record, at, DATE_1980, 2);
    at = put(record, at, e->crc, 4);
    at = put(record, at, clip32(e->size), 4); /* packed and unpacked size are the same */
    at = put(record, at, clip32(e->size), 4);
    at = put(record, at, strlen(e->name), 2);
    return put(record, at, extra, 2);
}

static void emit_local(writer *w, const entry *e) {
    unsigned char record[RM2I_ZIP_LOCAL_SIZE], extra[EXTRA64_MAX];
    size_t extra_size = put_extra64(extra, (uint64_t[]){e->size, e->size}, 2);
    size_t at = put(record, 0, RM2I_ZIP_LOCAL, 4);
    at = put_common(record, at, e, extra_size);
    emit(w, record, at);
    emit(w, e->name, strlen(e->name));
    emit(w, extra, extra_size);
}

static void emit_directory_entry(writer *w, const entry *e) {
    unsigned char record[RM2I_ZIP_ENTRY_SIZE], extra[EXTRA64_MAX];
    size_t extra_size = put_extra64(extra, (uint64_t[]){e->size, e->size, e->offset}, 3);
    size_t at = put(record, 0, RM2I_ZIP_ENTRY, 4);
    at = put(record, at, extra_size ? VERSION64 : VERSION, 2); /* made by */
    at = put_common(record, at, e, extra_size);
    at = put(record, at, 0, 2 + 2); /* comment, disk */
    at = put(record, at, 0, 2 + 4); /* attributes */
    at = put(record, at, clip32(e->offset), 4);
    emit(w, record, at);
    emit(w, e->name, strlen(e->name));
    emit(w, extra, extra_size);
}

static void emit_end64(writer *w, uint64_t start, uint64_t end) {
    unsigned char record[RM2I_ZIP_END64_SIZE + RM2I_ZIP_LOCATOR64_SIZE];
    size_t at = put(record, 0, RM2I_ZIP_END64, 4);
    at = put(record, at, RM2I_ZIP_END64_SIZE - 12, 8);
    at = put(record, at, VERSION64, 2);
    at = put(record, at, VERSION64, 2);
    at = put(record, at, 0, 4 + 4); /* disks */
    at = put(record, at, w->count, 8);
    at = put(record, at, w->count, 8);
    at = put(record, at, end - start, 8);
    at = put(record, at, start, 8);
    at = put(record, at, RM2I_ZIP_LOCATOR64, 4);
    at = put(record, at, 0, 4);
    at = put(record, at, end, 8);
    at = put(record, at, 1, 4); /* one disk */
    emit(w, record, at);
}

static void emit_directory(writer *w) {
    uint64_t start = w->offset;
    for (size_t i = 0; i < w->count; i++)
        emit_directory_entry(w, &w->entries[i]);
    uint64_t end = w->offset;
    uint64_t count = w->count < RM2I_ZIP_MAX16 ? w->count : RM2I_ZIP_MAX16;
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

static uint32_t checksum(const char *header, size_t header_size, const void *data, size_t size) {
    uLong crc = crc32(crc32(0, NULL, 0), (const unsigned char *)header, (uInt)header_size);
    const unsigned char *p = data;
    while (size > 0) {
        size_t piece = size < CRC_PIECE ? size : CRC_PIECE;
        crc = crc32(crc, p, (uInt)piece);
        p += piece;
        size -= piece;
    }
    return (uint32_t)crc;
}

static rm2_status write_array(writer *w, size_t i) {
    entry *e = &w->entries[i];
    char header[RM2I_NPY_HEADER_MAX];
    size_t header_size = rm2i_npy_format_header(&w->arrays[i], header);
    size_t data_size = rm2_array_count(&w->arrays[i]) * sizeof(double);
    void *texts = NULL;
    if (w->arrays[i].texts)
        RM2_TRY(rm2i_npy_encode_texts(w->ctx, &w->arrays[i], &texts, &data_size));
    const void *data = texts ? texts : w->arrays[i].values;
    e->crc = checksum(header, header_size, data, data_size);
    e->size = header_size + data_size;
    e->offset = w->offset;
    emit_local(w, e);
    emit(w, header, header_size);
    if (data_size > 0)
        emit(w, data, data_size);
    free(texts);
    return rm2i_stream_check(w->ctx, w->stream, w->path);
}

/* Names as NumPy gives them: arr_0, arr_1, ... where there is none. */
static rm2_status name_entry(writer *w, size_t i) {
    char number[RM2I_NUMBER_SIZE];
    const char *name = w->arrays[i].name;
    if (!name) {
        (void)snprintf(number, sizeof number, "arr_%zu", i);
        name = number;
    }
    size_t size = strlen(name);
    if (size == 0 || size > NAME_MAX_SIZE)
        return rm2i_fail(w->ctx, RM2_ERR_ARGUMENT, "the name of array %zu is empty or too long", i);
    for (size_t k = 0; k < size; k++)
        if ((unsigned char)name[k] >= 0x80)
            w->entries[i].flags = FLAG_UTF8;
    RM2_TRY(rm2i_alloc(w->ctx, size + sizeof ".npy", 1, &w->entries[i].name));
    memcpy(w->entries[i].name, name, size);
    memcpy(w->entries[i].name + size, ".npy", sizeof ".npy");
    return RM2_OK;
}

static rm2_status name_entries(writer *w) {
    rm2i_text_set names = {0};
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < w->count && status == RM2_OK; i++) {
        size_t place = i;
        status = rm2i_npy_check_array(w->ctx, &w->arrays[i]);
        if (status == RM2_OK)
            status = name_entry(w, i);
        if (status == RM2_OK)
            status = rm2i_text_set_add(w->ctx, &names, w->entries[i].name,
                                       strlen(w->entries[i].name), &place);
        if (status == RM2_OK && place < i)
            status = rm2i_fail(w->ctx, RM2_ERR_ARGUMENT, "arrays %zu and %zu have the same name",
                               place, i);
    }
    rm2i_text_set_free(&names);
    return status;
}

static rm2_status write_archive(writer *w) {
    errno = 0;
    for (size_t i = 0; i < w->count; i++)
        RM2_TRY(write_array(w, i));
    emit_directory(w);
    return rm2i_stream_check(w->ctx, w->stream, w->path);
}

static rm2_status write_file(writer *w, bool overwrite) {
    rm2_writer *output;
    RM2_TRY(name_entries(w));
    RM2_TRY(rm2_writer_open(w->ctx, w->path, overwrite, &output));
    w->stream = rm2_writer_stream(output);
    rm2_status status = write_archive(w);
    if (status == RM2_OK)
        return rm2_writer_commit(w->ctx, output);
    rm2_writer_discard(output);
    return status;
}

rm2_status rm2_npz_write(rm2_context *ctx, const char *path, const rm2_array *arrays, size_t count,
                         bool overwrite) {
    RM2_REQUIRE(ctx, path, arrays);
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "an .npz needs at least one array");
    writer w = {.ctx = ctx, .path = path, .arrays = arrays, .count = count};
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *w.entries, &w.entries));
    rm2_status status = write_file(&w, overwrite);
    for (size_t i = 0; i < count; i++)
        free(w.entries[i].name);
    free(w.entries);
    return status;
}
