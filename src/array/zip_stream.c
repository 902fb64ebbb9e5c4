/* The unpacked bytes of a zip entry as a source, so that the .npy reader takes them piece by piece:
 * packed data goes through a small buffer, and memory for the array is asked for only after its
 * header was read. */
#include <stdlib.h>
#include <string.h>

#include "array/zip.h"

enum {
    PACKED_SIZE = 1 << 16,   /* bytes of the buffer for packed data */
    PIECE_MAX = 1 << 24,     /* bytes unpacked at a time */
    SKIPPED_SIZE = 1 << 13,  /* bytes unpacked at a time that nobody needs */
    RAW_DEFLATE = -MAX_WBITS /* what zlib calls deflate data without header */
};

static rm2_status damaged(const rm2i_source *source, const char *what) {
    return rm2i_fail(source->ctx, RM2_ERR_FORMAT, "%s: %s", source->name, what);
}

static rm2_status read_packed(rm2i_zip_stream *stream, void *bytes, size_t size) {
    RM2_TRY(rm2i_source_exactly(stream->archive, bytes, size, "an entry of the archive"));
    stream->packed_left -= size;
    return RM2_OK;
}

static rm2_status refill(rm2i_zip_stream *stream) {
    size_t size = stream->packed_left < PACKED_SIZE ? (size_t)stream->packed_left : PACKED_SIZE;
    RM2_TRY(read_packed(stream, stream->packed, size));
    stream->inflater.next_in = stream->packed;
    stream->inflater.avail_in = (uInt)size;
    return RM2_OK;
}

/* Unpack until `size` bytes are there or the data ends. Bytes may still come when all packed ones are used up. */
static rm2_status unpack(rm2i_zip_stream *stream, unsigned char *bytes, size_t size, size_t *got) {
    z_stream *z = &stream->inflater;
    z->next_out = bytes;
    z->avail_out = (uInt)size;
    while (z->avail_out > 0 && !stream->ended) {
        if (z->avail_in == 0 && stream->packed_left > 0)
            RM2_TRY(refill(stream));
        int result = inflate(z, Z_NO_FLUSH);
        stream->ended = result == Z_STREAM_END;
        if (result == Z_BUF_ERROR && stream->packed_left == 0)
            return damaged(&stream->source, "the packed data ends too early");
        if (result == Z_MEM_ERROR)
            return rm2i_fail(stream->source.ctx, RM2_ERR_MEMORY, "out of memory while unpacking");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return damaged(&stream->source, "the packed data is damaged");
    }
    *got = size - z->avail_out;
    return RM2_OK;
}

static rm2_status read_piece(rm2i_zip_stream *stream, unsigned char *bytes, size_t size,
                             size_t *got) {
    if (rm2i_interrupted(stream->source.ctx))
        return rm2i_fail(stream->source.ctx, RM2_INTERRUPTED, "interrupted while unpacking %s",
                         stream->source.name);
    *got = size;
    RM2_TRY(stream->inflating ? unpack(stream, bytes, size, got)
                              : read_packed(stream, bytes, size));
    stream->crc = crc32(stream->crc, bytes, (uInt)*got);
    stream->source.position += *got;
    return RM2_OK;
}

static rm2_status read_entry(rm2i_source *source, void *bytes, size_t size, size_t *got) {
    rm2i_zip_stream *stream = (rm2i_zip_stream *)source;
    uint64_t left = rm2i_source_left(source);
    size_t want = left < size ? (size_t)left : size;
    *got = 0;
    while (*got < want) {
        size_t piece = want - *got < PIECE_MAX ? want - *got : PIECE_MAX, count = 0;
        RM2_TRY(read_piece(stream, (unsigned char *)bytes + *got, piece, &count));
        *got += count;
        if (count != piece)
            break;
    }
    return RM2_OK;
}

/* Deflated bytes must be unpacked to know where the next ones are. */
static rm2_status skip_entry(rm2i_source *source, uint64_t size) {
    rm2i_zip_stream *stream = (rm2i_zip_stream *)source;
    unsigned char unpacked[SKIPPED_SIZE];
    if (!stream->inflating) {
        stream->gap |= size > 0;
        stream->archive->position += size;
        stream->packed_left -= size;
        source->position += size;
        return RM2_OK;
    }
    for (uint64_t left = size; left > 0;) {
        size_t piece = left < sizeof unpacked ? (size_t)left : sizeof unpacked;
        RM2_TRY(rm2i_source_exactly(source, unpacked, piece, "the elements"));
        left -= piece;
    }
    return RM2_OK;
}

rm2_status rm2i_zip_open(rm2i_source *archive, const rm2i_zip_entry *entry, const char *name,
                         rm2i_zip_stream *stream) {
    *stream = (rm2i_zip_stream){.source = {.ctx = archive->ctx,
                                           .name = name,
                                           .read = read_entry,
                                           .skip = skip_entry,
                                           .size = entry->size,
                                           .fd = -1},
                                .archive = archive,
                                .entry = entry,
                                .packed_left = entry->packed,
                                .crc = crc32(0, NULL, 0)};
    archive->position = entry->data;
    if (entry->method == RM2I_ZIP_STORED)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(archive->ctx, PACKED_SIZE, 1, &stream->packed));
    if (inflateInit2(&stream->inflater, RAW_DEFLATE) != Z_OK)
        return rm2i_fail(archive->ctx, RM2_ERR_MEMORY, "out of memory while unpacking");
    stream->inflating = true;
    return RM2_OK;
}

rm2_status rm2i_zip_check_end(rm2i_zip_stream *stream) {
    if (rm2i_source_left(&stream->source) > 0)
        return damaged(&stream->source, "there are bytes after the array");
    unsigned char none;
    size_t got = 0;
    if (stream->inflating && !stream->ended)
        RM2_TRY(unpack(stream, &none, 1, &got));
    if (got > 0)
        return damaged(&stream->source, "it unpacks to more than the size in the zip directory");
    if (!stream->gap && stream->crc != stream->entry->crc)
        return damaged(&stream->source, "the checksum (CRC-32) is wrong: the file is damaged");
    return RM2_OK;
}

void rm2i_zip_close(rm2i_zip_stream *stream) {
    if (stream->inflating)
        (void)inflateEnd(&stream->inflater);
    stream->inflating = false;
    free(stream->packed);
    stream->packed = NULL;
}
