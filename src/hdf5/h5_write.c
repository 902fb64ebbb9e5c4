/* Model files as a whole: put together in memory and written by rm2_writer, which leaves no half of one. The same contents
 * give the same bytes. */
#include "hdf5/h5_write.h"

#include <stdlib.h>

#include "hdf5/seal.h"

rm2_status rm2i_h5_create(rm2_context *ctx, rm2i_h5_writer **h5) {
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **h5, h5));
    rm2i_h5_writer *w = *h5;
    rm2_status status = rm2i_h5_reserve(ctx, 0, sizeof *w->nodes, &w->capacity, &w->nodes);
    if (status == RM2_OK) {
        w->nodes[w->count++] = (rm2i_h5_node){.kind = RM2I_H5_GROUP}; /* the root */
        return RM2_OK;
    }
    rm2i_h5_discard(w);
    *h5 = NULL;
    return status;
}

void rm2i_h5_discard(rm2i_h5_writer *h5) {
    if (!h5)
        return;
    free(h5->nodes);
    free(h5->values);
    free(h5);
}

rm2_status rm2i_h5_to_bytes(rm2_context *ctx, rm2i_h5_writer *h5, unsigned char **bytes,
                            size_t *size) {
    rm2_status status;
    *bytes = NULL;
    if (h5->announced)
        status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the file has an array that comes in pieces");
    else
        status = rm2i_h5_image(ctx, h5, bytes, size);
    rm2i_h5_discard(h5);
    if (status == RM2_OK)
        rm2i_h5_seal(*bytes, *size);
    else
        *size = 0;
    return status;
}

static rm2_status write_bytes(rm2_context *ctx, const char *path, bool overwrite,
                              const unsigned char *bytes, size_t size) {
    rm2_writer *output;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    (void)fwrite(bytes, 1, size, rm2_writer_stream(output));
    rm2_status status = rm2i_stream_check(ctx, rm2_writer_stream(output), path);
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}

rm2_status rm2i_h5_commit(rm2_context *ctx, rm2i_h5_writer *h5, const char *path, bool overwrite) {
    unsigned char *bytes;
    size_t size;
    if (!path || !*path) {
        rm2i_h5_discard(h5);
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no file name given");
    }
    rm2_status status = rm2i_h5_to_bytes(ctx, h5, &bytes, &size);
    if (status != RM2_OK)
        return rm2i_fail_prefix(ctx, status, "cannot write %s", path);
    status = write_bytes(ctx, path, overwrite, bytes, size);
    free(bytes);
    return status;
}
