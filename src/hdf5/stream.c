/* Model files whose last array comes in pieces: behind all other values, where its header says. The seal's checksum is
 * known at the end and written then; until the file is complete it has another name. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/h5_write.h"
#include "hdf5/seal.h"

enum { CHUNK = 1024 }; /* values that become bytes at a time */

struct rm2i_h5_stream {
    rm2_writer *output;
    size_t left;                        /* values that are not there yet */
    uint32_t sum;                       /* of the bytes so far */
    unsigned char block[RM2I_H5_BLOCK]; /* the first bytes of the file */
    char path[];                        /* for messages */
};

static rm2_status put_bytes(rm2_context *ctx, rm2i_h5_stream *s, const void *bytes, size_t size) {
    (void)fwrite(bytes, 1, size, rm2_writer_stream(s->output));
    s->sum = rm2i_h5_seal_sum(s->sum, bytes, size);
    return rm2i_stream_check(ctx, rm2_writer_stream(s->output), s->path);
}

/* All but the array. */
static rm2_status begin(rm2_context *ctx, rm2i_h5_writer *h5, rm2i_h5_stream *s) {
    unsigned char *bytes;
    size_t size;
    RM2_TRY(rm2i_h5_image(ctx, h5, &bytes, &size));
    rm2i_h5_seal_begin(bytes, size + h5->announced * sizeof(double), size);
    memcpy(s->block, bytes, sizeof s->block);
    rm2_status status = put_bytes(ctx, s, bytes, size);
    free(bytes);
    return status;
}

void rm2i_h5_stream_discard(rm2i_h5_stream *stream) {
    if (stream)
        rm2_writer_discard(stream->output);
    free(stream);
}

static rm2_status open_stream(rm2_context *ctx, rm2i_h5_writer *h5, const char *path,
                              bool overwrite, rm2i_h5_stream *s) {
    memcpy(s->path, path, strlen(path) + 1);
    s->left = h5->announced;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &s->output));
    return begin(ctx, h5, s);
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
        unsigned char bytes[CHUNK * sizeof *values];
        size_t some = count < CHUNK ? count : CHUNK;
        rm2i_store_numbers(bytes, values, some);
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
