/* Opening model files: the seal first, then the structures, each checked before it is used. */
#include "hdf5/h5_read.h"

#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/seal.h"

enum { SOME = 1 << 14 }; /* bytes at a time of what is behind the front */

/* Takes over `own` and the source, in every case. */
static rm2_status open_sealed(rm2_context *ctx, const rm2i_h5_file *file, unsigned char *own,
                              const rm2i_source *source, rm2i_h5 **h5) {
    rm2i_h5 *object = NULL;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *object, &object);
    if (status != RM2_OK) {
        rm2i_source left = *source;
        rm2i_source_close(&left);
        free(own);
        return status;
    }
    object->own = own;
    object->source = *source;
    status = rm2i_strdup(ctx, file->name, &object->name);
    object->source.name = object->name; /* the caller's may not live as long */
    if (status == RM2_OK)
        status = rm2i_h5_tree(ctx, file, &object->objects);
    if (status == RM2_OK)
        *h5 = object;
    else
        rm2i_h5_close(object);
    return status;
}

/* The sum of the seal over what is behind the front. */
static rm2_status sum_rest(rm2i_source *source, uint32_t *sum) {
    unsigned char some[SOME];
    while (rm2i_source_left(source) > 0) {
        uint64_t left = rm2i_source_left(source);
        size_t size = left < SOME ? (size_t)left : SOME;
        RM2_TRY(rm2i_source_exactly(source, some, size, "the model"));
        *sum = rm2i_h5_seal_sum(*sum, some, size);
    }
    return RM2_OK;
}

/* The bytes up to file->size behind the block, and the seal of all. */
static rm2_status read_front(rm2i_source *source, const unsigned char block[RM2I_H5_BLOCK],
                             const rm2i_h5_file *file, unsigned char *bytes) {
    memcpy(bytes, block, RM2I_H5_BLOCK);
    RM2_TRY(rm2i_source_exactly(source, bytes + RM2I_H5_BLOCK, (size_t)file->size - RM2I_H5_BLOCK,
                                "the model"));
    uint32_t sum = rm2i_h5_seal_sum_front(bytes, (size_t)file->size);
    RM2_TRY(sum_rest(source, &sum));
    return rm2i_h5_check_seal(source->ctx, file->name, block, sum);
}

/* The block is looked at before the rest is read: it may be any large file. Takes over the source. */
static rm2_status read_source(rm2_context *ctx, rm2i_source *source, bool pieces, rm2i_h5 **h5) {
    unsigned char block[RM2I_H5_BLOCK], *bytes;
    size_t got;
    RM2_TRY(rm2i_source_spool(source, RM2I_H5_SEAL_MAGIC));
    RM2_TRY(source->read(source, block, sizeof block, &got));
    RM2_TRY(rm2i_h5_check_block(ctx, source->name, block, got, source->size));
    uint64_t size = pieces ? rm2i_h5_seal_front(block, source->size) : source->size;
    RM2_TRY(rm2i_alloc(ctx, (size_t)size, 1, &bytes));
    const rm2i_h5_file file = {source->name, bytes, size, source->size};
    rm2_status status = read_front(source, block, &file, bytes);
    if (status != RM2_OK) {
        free(bytes);
        return status;
    }
    status = open_sealed(ctx, &file, bytes, source, h5);
    *source = (rm2i_source){.fd = -1};
    return status;
}

static rm2_status open_path(rm2_context *ctx, const char *path, bool pieces, rm2i_h5 **h5) {
    rm2i_source source;
    *h5 = NULL;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = read_source(ctx, &source, pieces, h5);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2i_h5_open(rm2_context *ctx, const char *path, rm2i_h5 **h5) {
    RM2_TRY(open_path(ctx, path, false, h5));
    rm2i_source_close(&(*h5)->source);
    return RM2_OK;
}

rm2_status rm2i_h5_open_pieces(rm2_context *ctx, const char *path, rm2i_h5 **h5) {
    return open_path(ctx, path, true, h5);
}

rm2_status rm2i_h5_open_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                              rm2i_h5 **h5) {
    *h5 = NULL;
    RM2_TRY(rm2i_h5_check_block(ctx, name, bytes, size, size));
    RM2_TRY(rm2i_h5_check_seal(ctx, name, bytes, rm2i_h5_seal_sum_front(bytes, size)));
    return open_sealed(ctx, &(rm2i_h5_file){name, bytes, size, size}, NULL,
                       &(rm2i_source){.fd = -1}, h5);
}

void rm2i_h5_close(rm2i_h5 *h5) {
    if (!h5)
        return;
    rm2i_source_close(&h5->source);
    free(h5->objects);
    free(h5->own);
    free(h5->name);
    free(h5);
}

const char *rm2i_h5_name(const rm2i_h5 *h5) {
    return h5->name;
}
