/* Model files whose last array comes in pieces. libhdf5 makes all structures, with an array that has no place yet; here the
 * array gets its place behind them:
 *
 *     layout message of its header: address = end of the image, header's checksum again
 *     superblock: end of the file behind the array, checksum again
 *
 * so that the file is what libhdf5 would have written with the array allocated last. The seal's checksum is known at the
 * end and written then; until the file is complete it has another name. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/seal.h"
#include "hdf5/write.h"

enum {
    LAYOUT = 18,       /* bytes of the message: version 3, contiguous, address, size */
    AT_ADDRESS = 2,    /* in it */
    HEADER_PREFIX = 6, /* "OHDR", version, flags: how wide the size of the messages is */
    AT_END = 28,       /* of the superblock: where the file ends */
    ALIGNED = 8,
    CHUNK = 1024 /* values that become bytes at a time */
};

struct rm2i_h5_stream {
    rm2_writer *output;
    size_t left;                        /* values that are not there yet */
    uint32_t sum;                       /* of the bytes so far */
    unsigned char block[RM2I_H5_BLOCK]; /* the first bytes of the file */
    char path[];                        /* for messages */
};

/* ---- the place of the array ----------------------------------------------------------------- */

/* The layout message of an array of `size` bytes without a place; NULL: none. */
static unsigned char *find_layout(unsigned char *bytes, size_t size, uint64_t array) {
    unsigned char form[LAYOUT] = {3, 1};
    memset(form + AT_ADDRESS, 0xff, 8);
    rm2i_store(form + AT_ADDRESS + 8, array, 8);
    for (size_t at = 0; at + LAYOUT <= size; at++)
        if (memcmp(bytes + at, form, LAYOUT) == 0)
            return bytes + at;
    return NULL;
}

/* The object header around a message. */
static unsigned char *header_of(unsigned char *bytes, unsigned char *message) {
    while (message > bytes && memcmp(message, "OHDR", 4) != 0)
        message--;
    return message;
}

static void mend_header(unsigned char *header) {
    size_t width = (size_t)1 << (header[HEADER_PREFIX - 1] & 3);
    size_t covered = HEADER_PREFIX + width + (size_t)rm2i_load(header + HEADER_PREFIX, width);
    rm2i_store(header + covered, rm2i_h5_checksum(header, covered), RM2I_H5_CHECKSUM);
}

/* Put the array behind the image, which is `size` bytes, padding included; false: it has no such array. */
static bool place_array(unsigned char *bytes, size_t size, size_t padding, uint64_t array) {
    unsigned char *superblock = bytes + RM2I_H5_BLOCK;
    unsigned char *layout = find_layout(bytes, size, array);
    if (!layout)
        return false;
    rm2i_store(layout + AT_ADDRESS, size - RM2I_H5_BLOCK, 8); /* relative to the superblock */
    mend_header(header_of(bytes, layout));
    rm2i_store(superblock + AT_END, rm2i_load(superblock + AT_END, 8) + padding + array, 8);
    rm2i_h5_mend_superblock(superblock);
    return true;
}

/* ---- stream --------------------------------------------------------------------------------- */

static rm2_status put_bytes(rm2_context *ctx, rm2i_h5_stream *s, const void *bytes, size_t size) {
    (void)fwrite(bytes, 1, size, rm2_writer_stream(s->output));
    s->sum = rm2i_h5_seal_sum(s->sum, bytes, size);
    return rm2i_stream_check(ctx, rm2_writer_stream(s->output), s->path);
}

/* The structures, with room for padding behind them. */
static rm2_status begin(rm2_context *ctx, const rm2i_h5_writer *h5, rm2i_h5_stream *s) {
    unsigned char *bytes = NULL;
    size_t size = 0, array = h5->announced * sizeof(double);
    rm2_status status = rm2i_h5_image(ctx, h5, &bytes, &size);
    size_t padding = (ALIGNED - size % ALIGNED) % ALIGNED;
    if (status == RM2_OK)
        status = rm2i_grow(ctx, size + padding, 1, &bytes);
    if (status == RM2_OK) {
        memset(bytes + size, 0, padding);
        size += padding;
        if (!place_array(bytes, size, padding, array))
            status = rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                               "this version of libhdf5 describes an array in another way");
    }
    if (status == RM2_OK) {
        rm2i_h5_seal_begin(bytes, size + array, size);
        memcpy(s->block, bytes, sizeof s->block);
        status = put_bytes(ctx, s, bytes, size);
    }
    free(bytes);
    return status;
}

void rm2i_h5_stream_discard(rm2i_h5_stream *stream) {
    if (stream)
        rm2_writer_discard(stream->output);
    free(stream);
}

static rm2_status open_stream(rm2_context *ctx, const rm2i_h5_writer *h5, const char *path,
                              bool overwrite, rm2i_h5_stream *s) {
    memcpy(s->path, path, strlen(path) + 1);
    s->left = h5->announced;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &s->output));
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status = begin(ctx, h5, s);
    rm2i_h5_quiet_end(quiet);
    return status;
}

rm2_status rm2i_h5_stream_open(rm2_context *ctx, rm2i_h5_writer *h5, const char *path,
                               bool overwrite, rm2i_h5_stream **stream) {
    rm2i_h5_stream *s = NULL;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *s + strlen(path) + 1, &s);
    if (status == RM2_OK)
        status = open_stream(ctx, h5, path, overwrite, s);
    rm2i_h5_discard(h5);
    if (status != RM2_OK) {
        rm2i_h5_stream_discard(s);
        s = NULL;
    }
    *stream = s;
    return status;
}

rm2_status rm2i_h5_stream_put(rm2_context *ctx, rm2i_h5_stream *s, size_t count,
                              const double *values) {
    if (count > s->left)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu values more than announced", s->path,
                         count - s->left);
    s->left -= count;
    while (count > 0) {
        unsigned char bytes[CHUNK * sizeof *values] = {0};
        size_t some = count < CHUNK ? count : CHUNK;
        for (size_t i = 0; i < some; i++) {
            uint64_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            rm2i_store(bytes + i * sizeof bits, bits, sizeof bits);
        }
        RM2_TRY(put_bytes(ctx, s, bytes, some * sizeof *values));
        values += some;
        count -= some;
    }
    return RM2_OK;
}

rm2_status rm2i_h5_stream_commit(rm2_context *ctx, rm2i_h5_stream *s) {
    rm2_status status = RM2_OK;
    if (s->left > 0)
        status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu values fewer than announced", s->path,
                           s->left);
    rm2i_h5_seal_end(s->block, s->sum);
    if (status == RM2_OK)
        status = rm2i_writer_patch(ctx, s->output, 0, s->block, sizeof s->block);
    if (status == RM2_OK) {
        status = rm2_writer_commit(ctx, s->output);
        s->output = NULL;
    }
    rm2i_h5_stream_discard(s);
    return status;
}
