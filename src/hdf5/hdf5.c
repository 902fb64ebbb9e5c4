/* Model files as a whole: from memory to disk and back. libhdf5 works on memory in both directions
 * (its core driver without a file behind), so that files are written by rm2_writer alone, which
 * leaves no half of one, and read by rm2i_source alone, with its messages. Times are not kept in
 * the file: the same contents give the same bytes.
 *
 * Files have the layout of HDF5 1.8 and not the oldest one: its groups are lists of links inside
 * checked headers, while libhdf5 can be sent in circles in the heaps of the oldest. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/file.h"

enum {
    INCREMENT = 1 << 16, /* bytes by which a file in memory grows */
    COMPACT = 60000,     /* links a group may have as a list */
    SUPERBLOCK_18 = 2    /* version of the superblock from HDF5 1.8 on */
};

static const char SIGNATURE[8] = "\x89HDF\r\n\x1a\n";

/* ---- common --------------------------------------------------------------------------------- */

rm2i_h5_quiet rm2i_h5_quiet_begin(void) {
    rm2i_h5_quiet quiet = {0};
    quiet.changed = H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data) >= 0 &&
                    H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
    return quiet;
}

void rm2i_h5_quiet_end(rm2i_h5_quiet quiet) {
    if (quiet.changed)
        (void)H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}

const char *rm2i_h5_key(const rm2i_h5 *h5, char key[RM2I_H5_KEY_SIZE]) {
    (void)snprintf(key, RM2I_H5_KEY_SIZE, "/dev/null/riemann2-%p", (const void *)h5);
    return key;
}

hid_t rm2i_h5_memory_access(void) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && (H5Pset_fapl_core(access, INCREMENT, false) < 0 ||
                        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
                        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)) {
        (void)H5Pclose(access);
        return -1;
    }
    return access;
}

bool rm2i_h5_group_properties(hid_t creation) {
    return creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
           H5Pset_link_phase_change(creation, COMPACT, 0) >= 0;
}

rm2_status rm2i_h5_new(rm2_context *ctx, const char *name, rm2i_h5 **h5) {
    rm2i_h5 *object;
    *h5 = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *object, &object));
    object->file = -1;
    rm2_status status = rm2i_strdup(ctx, name, &object->name);
    if (status == RM2_OK)
        *h5 = object;
    else
        free(object);
    return status;
}

void rm2i_h5_close(rm2i_h5 *h5) {
    if (!h5)
        return;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    if (h5->file >= 0)
        (void)H5Fclose(h5->file);
    rm2i_h5_quiet_end(quiet);
    free(h5->name);
    free(h5);
}

void rm2i_h5_discard(rm2i_h5 *h5) {
    rm2i_h5_close(h5);
}

/* ---- writing -------------------------------------------------------------------------------- */

rm2_status rm2i_h5_create(rm2_context *ctx, rm2i_h5 **h5) {
    char key[RM2I_H5_KEY_SIZE];
    RM2_TRY(rm2i_h5_new(ctx, "model", h5));
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    hid_t access = rm2i_h5_memory_access(), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access >= 0 && rm2i_h5_group_properties(creation) &&
        H5Pset_userblock(creation, RM2I_H5_BLOCK) >= 0)
        (*h5)->file = H5Fcreate(rm2i_h5_key(*h5, key), H5F_ACC_TRUNC, creation, access);
    (void)H5Pclose(access);
    (void)H5Pclose(creation);
    rm2i_h5_quiet_end(quiet);
    if ((*h5)->file >= 0)
        return RM2_OK;
    rm2i_h5_discard(*h5);
    *h5 = NULL;
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "cannot make a model file in memory");
}

static rm2_status no_image(rm2_context *ctx, const char *path) {
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "cannot write %s: no memory for the file", path);
}

/* The complete file. Versions of libhdf5 differ in whether an image begins with the user block or
 * with what follows it; the superblock is always at an address that is 0 or the block's size. */
static rm2_status take_image(rm2_context *ctx, const rm2i_h5 *h5, const char *path,
                             unsigned char **bytes, size_t *size) {
    *bytes = NULL;
    if (H5Fflush(h5->file, H5F_SCOPE_LOCAL) < 0)
        return no_image(ctx, path);
    ssize_t image = H5Fget_file_image(h5->file, NULL, 0);
    if (image <= 0)
        return no_image(ctx, path);
    RM2_TRY(rm2i_calloc(ctx, (size_t)image + RM2I_H5_BLOCK, 1, bytes));
    unsigned char *body = *bytes + RM2I_H5_BLOCK;
    if (H5Fget_file_image(h5->file, body, (size_t)image) != image)
        return no_image(ctx, path);
    *size = (size_t)image + RM2I_H5_BLOCK;
    if (memcmp(body, SIGNATURE, sizeof SIGNATURE) != 0) { /* the block is there already */
        *size = (size_t)image;
        memmove(*bytes, body, *size);
    }
    rm2i_h5_mend_superblock(body);
    return RM2_OK;
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

rm2_status rm2i_h5_bytes(rm2_context *ctx, rm2i_h5 *h5, const char *name, unsigned char **bytes,
                         size_t *size) {
    *bytes = NULL;
    *size = 0;
    if (!h5)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no model file given");
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status = take_image(ctx, h5, name, bytes, size);
    rm2i_h5_quiet_end(quiet);
    rm2i_h5_discard(h5);
    if (status == RM2_OK) {
        rm2i_h5_seal(*bytes, *size);
        return RM2_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return status;
}

rm2_status rm2i_h5_commit(rm2_context *ctx, rm2i_h5 *h5, const char *path, bool overwrite) {
    unsigned char *bytes;
    size_t size;
    if (h5 && (!path || !*path)) {
        rm2i_h5_discard(h5);
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no file name given");
    }
    RM2_TRY(rm2i_h5_bytes(ctx, h5, path, &bytes, &size));
    rm2_status status = write_bytes(ctx, path, overwrite, bytes, size);
    free(bytes);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Is there HDF5 after the block, of the layout this library writes? */
static bool has_superblock(const unsigned char *bytes, uint64_t size) {
    const unsigned char *body = bytes + RM2I_H5_BLOCK;
    return size > RM2I_H5_BLOCK + sizeof SIGNATURE &&
           memcmp(body, SIGNATURE, sizeof SIGNATURE) == 0 &&
           body[sizeof SIGNATURE] >= SUPERBLOCK_18;
}

static rm2_status open_image(rm2_context *ctx, rm2i_h5 *h5, unsigned char *bytes) {
    char key[RM2I_H5_KEY_SIZE];
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    hid_t access = rm2i_h5_memory_access();
    if (has_superblock(bytes, h5->size) && access >= 0 &&
        H5Pset_file_image(access, bytes, (size_t)h5->size) >= 0) /* copies */
        h5->file = H5Fopen(rm2i_h5_key(h5, key), H5F_ACC_RDONLY, access);
    (void)H5Pclose(access);
    rm2i_h5_quiet_end(quiet);
    if (h5->file >= 0)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: libhdf5 cannot read the file", h5->name);
}

/* The rest of a source whose block is read and good. */
static rm2_status read_image(rm2_context *ctx, rm2i_source *source, const unsigned char *block,
                             rm2i_h5 *h5) {
    unsigned char *bytes;
    RM2_TRY(rm2i_alloc(ctx, (size_t)source->size, 1, &bytes));
    memcpy(bytes, block, RM2I_H5_BLOCK);
    h5->size = source->size;
    rm2_status status = rm2i_source_exactly(source, bytes + RM2I_H5_BLOCK,
                                            (size_t)(h5->size - RM2I_H5_BLOCK), "the model");
    if (status == RM2_OK)
        status = rm2i_h5_check_seal(ctx, h5->name, bytes, h5->size);
    if (status == RM2_OK)
        status = open_image(ctx, h5, bytes);
    free(bytes);
    return status;
}

static rm2_status read_source(rm2_context *ctx, rm2i_source *source, rm2i_h5 **h5) {
    unsigned char block[RM2I_H5_BLOCK];
    size_t got;
    RM2_TRY(rm2i_source_spool(source));
    RM2_TRY(source->read(source, block, sizeof block, &got));
    RM2_TRY(rm2i_h5_check_block(ctx, source->name, block, got, source->size));
    RM2_TRY(rm2i_h5_new(ctx, source->name, h5));
    rm2_status status = read_image(ctx, source, block, *h5);
    if (status == RM2_OK)
        return RM2_OK;
    rm2i_h5_close(*h5);
    *h5 = NULL;
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

rm2_status rm2i_h5_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                         rm2i_h5 **h5) {
    rm2i_source source;
    *h5 = NULL;
    rm2i_source_memory(ctx, name, bytes, size, &source);
    rm2_status status = read_source(ctx, &source, h5);
    rm2i_source_close(&source);
    return status;
}
