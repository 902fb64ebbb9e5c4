/* Zip archives as far as .npz files use them: directory entries, the bytes of an entry as a
 * source, and the records that a writer needs. */
#ifndef RM2I_ZIP_H
#define RM2I_ZIP_H

#include <zlib.h>

#include "io/io.h"

enum {
    RM2I_ZIP_LOCAL = 0x04034b50, /* signatures of the records */
    RM2I_ZIP_ENTRY = 0x02014b50,
    RM2I_ZIP_LATE = 0x08074b50,
    RM2I_ZIP_END = 0x06054b50,
    RM2I_ZIP_END64 = 0x06064b50,
    RM2I_ZIP_LOCATOR64 = 0x07064b50,
    RM2I_ZIP_LOCAL_SIZE = 30, /* bytes of the records without names and extras */
    RM2I_ZIP_ENTRY_SIZE = 46,
    RM2I_ZIP_END_SIZE = 22,
    RM2I_ZIP_END64_SIZE = 56,
    RM2I_ZIP_LOCATOR64_SIZE = 20,
    RM2I_ZIP_EXTRA64 = 1, /* id of the extra field with 64-bit sizes */
    RM2I_ZIP_STORED = 0,
    RM2I_ZIP_DEFLATED = 8
};

#define RM2I_ZIP_MAX16 UINT16_MAX /* stands for "see the 64-bit record" */
#define RM2I_ZIP_MAX32 UINT32_MAX

typedef struct rm2i_zip_entry {
    char *name;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size; /* bytes in the archive, bytes unpacked */
    uint64_t offset;       /* of the local header */
    uint64_t data;         /* of the packed bytes */
} rm2i_zip_entry;

/* All entries of the archive's directory, which their local headers confirm and which share no bytes; free with
 * rm2i_zip_free, after a failure too. */
rm2_status rm2i_zip_read_directory(rm2i_source *archive, rm2i_zip_entry **entries, size_t *count);
void rm2i_zip_free(rm2i_zip_entry *entries, size_t count);

/* The unpacked bytes of an entry. Nothing else may read the archive in the meantime. */
typedef struct rm2i_zip_stream {
    rm2i_source source; /* first member: its read function gets back to the stream */
    rm2i_source *archive;
    const rm2i_zip_entry *entry;
    uint64_t packed_left;
    uLong crc;
    z_stream inflater;
    bool inflating;
    bool ended; /* the deflate data has come to its end */
    bool gap;   /* some bytes were skipped: the checksum cannot be compared */
    unsigned char *packed;
} rm2i_zip_stream;

/* `name` stands for the entry in messages. Close after a failure too. */
rm2_status rm2i_zip_open(rm2i_source *archive, const rm2i_zip_entry *entry, const char *name,
                         rm2i_zip_stream *stream);

/* Failure unless the entry was read to its end and, if all of it was seen, its checksum is right. */
rm2_status rm2i_zip_check_end(rm2i_zip_stream *stream);
void rm2i_zip_close(rm2i_zip_stream *stream);

#endif
