/* Opening model files: the seal first, then the structures, each checked before it is used. */
#include "hdf5/read.h"

#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/seal.h"

/* Takes over `own`, in every case. */
static rm2_status open_sealed(rm2_context *ctx, const char *name, const unsigned char *bytes,
                              size_t size, unsigned char *own, rm2i_h5 **h5) {
    rm2i_h5 *object = NULL;
    rm2_status status = rm2i_h5_check_seal(ctx, name, bytes, size);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, 1, sizeof *object, &object);
    if (status != RM2_OK) {
        free(own);
        return status;
    }
    object->own = own;
    status = rm2i_strdup(ctx, name, &object->name);
    if (status == RM2_OK)
        status = rm2i_h5_tree(ctx, name, bytes, size, &object->objects);
    if (status == RM2_OK)
        *h5 = object;
    else
        rm2i_h5_close(object);
    return status;
}

/* The block is looked at before the rest is read: it may be any large file. */
static rm2_status read_source(rm2_context *ctx, rm2i_source *source, rm2i_h5 **h5) {
    unsigned char block[RM2I_H5_BLOCK], *bytes;
    size_t got;
    RM2_TRY(rm2i_source_spool(source, RM2I_H5_SEAL_MAGIC));
    RM2_TRY(source->read(source, block, sizeof block, &got));
    RM2_TRY(rm2i_h5_check_block(ctx, source->name, block, got, source->size));
    size_t size = (size_t)source->size;
    RM2_TRY(rm2i_alloc(ctx, size, 1, &bytes));
    memcpy(bytes, block, sizeof block);
    rm2_status status =
        rm2i_source_exactly(source, bytes + sizeof block, size - sizeof block, "the model");
    if (status == RM2_OK)
        return open_sealed(ctx, source->name, bytes, size, bytes, h5);
    free(bytes);
    return status;
}

rm2_status rm2i_h5_open(rm2_context *ctx, const char *path, rm2i_h5 **h5) {
    rm2i_source source;
    *h5 = NULL;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = read_source(ctx, &source, h5);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2i_h5_open_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                              rm2i_h5 **h5) {
    *h5 = NULL;
    RM2_TRY(rm2i_h5_check_block(ctx, name, bytes, size, size));
    return open_sealed(ctx, name, bytes, size, NULL, h5);
}

void rm2i_h5_close(rm2i_h5 *h5) {
    if (!h5)
        return;
    free(h5->objects);
    free(h5->own);
    free(h5->name);
    free(h5);
}

const char *rm2i_h5_name(const rm2i_h5 *h5) {
    return h5->name;
}
