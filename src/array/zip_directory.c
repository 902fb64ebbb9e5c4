/* Directory of a zip archive, with the 64-bit records that NumPy writes (APPNOTE.TXT 6.3, PKWARE).
 * The directory at the end of the file counts, and local headers must have the same names; sizes are compared with the file
 * before anything is allocated for them. No two entries share a byte, so that overlapping entries cannot multiply the
 * data. */
#include <stdlib.h>
#include <string.h>

#include "array/zip.h"

enum {
    DEFLATE_RATIO = 1032, /* no deflate data unpacks to more than that */
    NAME_PIECE = 256,     /* bytes of a name that are compared at a time */
    FLAG_ENCRYPTED = 1
};

typedef struct directory {
    uint64_t offset, size, count;
} directory;

static rm2_status damaged(const rm2i_source *archive, const char *what) {
    return rm2i_fail(archive->ctx, RM2_ERR_FORMAT, "%s is not a sound .npz (zip) archive: %s",
                     archive->name, what);
}

static uint64_t number(const unsigned char *p, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static rm2_status read_at(rm2i_source *archive, uint64_t offset, void *bytes, size_t size) {
    archive->position = offset;
    return rm2i_source_exactly(archive, bytes, size, "the zip directory");
}

/* Offset of the end record: a comment of up to 65535 bytes may follow it. */
static rm2_status find_end(rm2i_source *archive, uint64_t *offset) {
    size_t size = RM2I_ZIP_END_SIZE + UINT16_MAX;
    if (archive->size < size)
        size = (size_t)archive->size;
    unsigned char *tail;
    RM2_TRY(rm2i_alloc(archive->ctx, size, 1, &tail));
    rm2_status status = read_at(archive, archive->size - size, tail, size);
    bool found = false;
    for (size_t i = size; status == RM2_OK && !found && i >= RM2I_ZIP_END_SIZE; i--) {
        size_t at = i - RM2I_ZIP_END_SIZE;
        found = number(tail + at, 4) == RM2I_ZIP_END && number(tail + at + 20, 2) == size - i;
        *offset = archive->size - size + at;
    }
    free(tail);
    if (status == RM2_OK && !found)
        return damaged(archive, "it has no zip directory at its end (is it cut off?)");
    return status;
}

static rm2_status read_end64(rm2i_source *archive, uint64_t end_offset, directory *found) {
    unsigned char locator[RM2I_ZIP_LOCATOR64_SIZE], end[RM2I_ZIP_END64_SIZE];
    if (end_offset < sizeof locator)
        return damaged(archive, "its 64-bit directory record is missing");
    RM2_TRY(read_at(archive, end_offset - sizeof locator, locator, sizeof locator));
    uint64_t offset = number(locator + 8, 8);
    if (number(locator, 4) != RM2I_ZIP_LOCATOR64 || archive->size < sizeof end ||
        offset > archive->size - sizeof end)
        return damaged(archive, "its 64-bit directory record is missing");
    RM2_TRY(read_at(archive, offset, end, sizeof end));
    if (number(end, 4) != RM2I_ZIP_END64)
        return damaged(archive, "its 64-bit directory record is missing");
    *found = (directory){
        .count = number(end + 32, 8), .size = number(end + 40, 8), .offset = number(end + 48, 8)};
    return RM2_OK;
}

static rm2_status find_directory(rm2i_source *archive, directory *found) {
    unsigned char end[RM2I_ZIP_END_SIZE];
    uint64_t end_offset = 0;
    RM2_TRY(find_end(archive, &end_offset));
    RM2_TRY(read_at(archive, end_offset, end, sizeof end));
    *found = (directory){
        .count = number(end + 10, 2), .size = number(end + 12, 4), .offset = number(end + 16, 4)};
    if (found->count == RM2I_ZIP_MAX16 || found->size == RM2I_ZIP_MAX32 ||
        found->offset == RM2I_ZIP_MAX32)
        RM2_TRY(read_end64(archive, end_offset, found));
    if (found->offset > end_offset || found->size > end_offset - found->offset ||
        found->count > found->size / RM2I_ZIP_ENTRY_SIZE)
        return damaged(archive, "its directory does not fit into the file");
    return RM2_OK;
}

/* Replace sizes that stand in the 64-bit extra field, in the order of the format. */
static bool read_extra64(const unsigned char *extra, size_t size, rm2i_zip_entry *entry) {
    uint64_t *fields[] = {&entry->size, &entry->packed, &entry->offset};
    while (size >= 4) {
        size_t id = (size_t)number(extra, 2), length = (size_t)number(extra + 2, 2);
        if (length > size - 4)
            return false;
        const unsigned char *p = extra + 4, *end = p + length;
        for (size_t i = 0; id == RM2I_ZIP_EXTRA64 && i < 3; i++) {
            if (*fields[i] != RM2I_ZIP_MAX32)
                continue;
            if (end - p < 8)
                return false;
            *fields[i] = number(p, 8);
            p += 8;
        }
        extra = end;
        size -= 4 + length;
    }
    return true;
}

static rm2_status parse_entry(rm2i_source *archive, const unsigned char *p, size_t left,
                              rm2i_zip_entry *entry, size_t *used) {
    if (left < RM2I_ZIP_ENTRY_SIZE || number(p, 4) != RM2I_ZIP_ENTRY)
        return damaged(archive, "its directory is malformed");
    size_t name = (size_t)number(p + 28, 2), extra = (size_t)number(p + 30, 2);
    *used = RM2I_ZIP_ENTRY_SIZE + name + extra + (size_t)number(p + 32, 2);
    const unsigned char *text = p + RM2I_ZIP_ENTRY_SIZE;
    if (*used > left || memchr(text, '\0', name))
        return damaged(archive, "its directory is malformed");
    entry->flags = (unsigned)number(p + 8, 2);
    entry->method = (unsigned)number(p + 10, 2);
    entry->crc = (uint32_t)number(p + 16, 4);
    entry->packed = number(p + 20, 4);
    entry->size = number(p + 24, 4);
    entry->offset = number(p + 42, 4);
    if (!read_extra64(text + name, extra, entry))
        return damaged(archive, "an extra field of its directory is malformed");
    RM2_TRY(rm2i_alloc(archive->ctx, name + 1, 1, &entry->name));
    memcpy(entry->name, text, name);
    entry->name[name] = '\0';
    return RM2_OK;
}

static rm2_status check_entry(const rm2i_source *archive, const rm2i_zip_entry *entry,
                              uint64_t *packed_total) {
    char shown[RM2I_SHOWN_SIZE];
    const char *problem = NULL;
    if (entry->flags & FLAG_ENCRYPTED)
        problem = "is encrypted";
    else if (entry->method != RM2I_ZIP_STORED && entry->method != RM2I_ZIP_DEFLATED)
        problem = "is packed by a method that is not known (stored and deflated are)";
    if (problem)
        return rm2i_fail(archive->ctx, RM2_ERR_UNSUPPORTED, "%s: the entry '%s' %s", archive->name,
                         rm2i_shown(entry->name, strlen(entry->name), shown), problem);
    if (entry->packed > archive->size - *packed_total)
        return damaged(archive, "its entries claim more bytes than the file has");
    *packed_total += entry->packed;
    uint64_t most = entry->method == RM2I_ZIP_STORED             ? entry->packed
                    : entry->packed > UINT64_MAX / DEFLATE_RATIO ? UINT64_MAX
                                                                 : entry->packed * DEFLATE_RATIO;
    if (entry->size > most || (entry->method == RM2I_ZIP_STORED && entry->size != entry->packed))
        return damaged(archive, "the sizes of an entry contradict each other");
    return RM2_OK;
}

static rm2_status parse_directory(rm2i_source *archive, const unsigned char *bytes, size_t size,
                                  rm2i_zip_entry *entries, size_t count) {
    uint64_t packed_total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t used = 0;
        RM2_TRY(parse_entry(archive, bytes, size, &entries[i], &used));
        RM2_TRY(check_entry(archive, &entries[i], &packed_total));
        bytes += used;
        size -= used;
    }
    return RM2_OK;
}

/* ---- local headers --------------------------------------------------------------------------- */

/* An entry, in the order in which the file has them. */
typedef struct in_file {
    rm2i_zip_entry *entry;
} in_file;

static int by_offset(const void *a, const void *b) {
    uint64_t x = ((const in_file *)a)->entry->offset, y = ((const in_file *)b)->entry->offset;
    return (x > y) - (x < y);
}

/* Where the data begins: behind the local header, whose name is that of the directory and whose extras are its own. */
static rm2_status find_data(rm2i_source *archive, rm2i_zip_entry *entry) {
    unsigned char local[RM2I_ZIP_LOCAL_SIZE];
    char name[NAME_PIECE];
    size_t length = strlen(entry->name);
    archive->position = entry->offset;
    RM2_TRY(rm2i_source_exactly(archive, local, sizeof local, "a local zip header"));
    if (number(local, 4) != RM2I_ZIP_LOCAL)
        return damaged(archive, "its directory points to something that is not an entry");
    if (number(local + 26, 2) != length)
        return damaged(archive, "an entry has another name than in the directory");
    for (size_t done = 0; done < length;) {
        size_t piece = length - done < sizeof name ? length - done : sizeof name;
        RM2_TRY(rm2i_source_exactly(archive, name, piece, "a local zip header"));
        if (memcmp(name, entry->name + done, piece) != 0)
            return damaged(archive, "an entry has another name than in the directory");
        done += piece;
    }
    entry->data = archive->position + number(local + 28, 2);
    return RM2_OK;
}

/* Each entry, with its data, ends before the next one, and the last before the directory. */
static rm2_status check_places(rm2i_source *archive, in_file *sorted, size_t count, uint64_t end) {
    for (size_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? sorted[i + 1].entry->offset : end;
        if (next > end)
            next = end;
        RM2_TRY(find_data(archive, sorted[i].entry));
        if (sorted[i].entry->data > next || sorted[i].entry->packed > next - sorted[i].entry->data)
            return damaged(archive, "an entry goes beyond the next one or the directory");
    }
    return RM2_OK;
}

static rm2_status check_locals(rm2i_source *archive, rm2i_zip_entry *entries, size_t count,
                               uint64_t end) {
    in_file *sorted;
    RM2_TRY(rm2i_alloc(archive->ctx, count, sizeof *sorted, &sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i].entry = &entries[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_offset);
    rm2_status status = check_places(archive, sorted, count, end);
    free(sorted);
    return status;
}

rm2_status rm2i_zip_read_directory(rm2i_source *archive, rm2i_zip_entry **entries, size_t *count) {
    directory found = {0};
    unsigned char *bytes;
    *entries = NULL;
    *count = 0;
    RM2_TRY(find_directory(archive, &found));
    RM2_TRY(rm2i_calloc(archive->ctx, (size_t)found.count, sizeof **entries, entries));
    *count = (size_t)found.count;
    RM2_TRY(rm2i_alloc(archive->ctx, (size_t)found.size, 1, &bytes));
    rm2_status status = read_at(archive, found.offset, bytes, (size_t)found.size);
    if (status == RM2_OK)
        status = parse_directory(archive, bytes, (size_t)found.size, *entries, *count);
    free(bytes);
    return status == RM2_OK ? check_locals(archive, *entries, *count, found.offset) : status;
}

void rm2i_zip_free(rm2i_zip_entry *entries, size_t count) {
    for (size_t i = 0; entries && i < count; i++)
        free(entries[i].name);
    free(entries);
}
