/* Model files as a whole, built with libhdf5 in memory (its core driver without a file behind) and
 * written by rm2_writer, which leaves no half of one. Times are not kept in the file: the same
 * contents give the same bytes.
 *
 * libhdf5 only writes. Reading is done by the code in tree.c, which knows the layout that the
 * properties chosen here lead to and no other: HDF5 1.8, links in lists inside object headers, values
 * in one piece. A property that is changed here changes what is written, and tests then tell whether
 * it can still be read. */
#include "hdf5/write.h"

#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/seal.h"

enum {
    INCREMENT = 1 << 16, /* bytes by which a file in memory grows */
    COMPACT = 60000,     /* links a group may have as a list */
    KEY_SIZE = 48,
    AT_FLAGS = 11 /* of the superblock: whether the file is open */
};

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

bool rm2i_h5_group_properties(hid_t creation) {
    return creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
           H5Pset_link_phase_change(creation, COMPACT, 0) >= 0;
}

void rm2i_h5_discard(rm2i_h5_writer *h5) {
    if (!h5)
        return;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    if (h5->file >= 0)
        (void)H5Fclose(h5->file);
    rm2i_h5_quiet_end(quiet);
    free(h5);
}

/* ---- beginning ------------------------------------------------------------------------------ */

/* Access properties of a file that lives in memory only; negative on failure. */
static hid_t memory_access(void) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && (H5Pset_fapl_core(access, INCREMENT, false) < 0 ||
                        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
                        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)) {
        (void)H5Pclose(access);
        return -1;
    }
    return access;
}

/* A name no other open file of this process has: libhdf5 takes files in memory that have the same
 * name for the same file. Nor has a file on disk, where libhdf5 looks too: nothing can be below
 * /dev/null. Returns `key`. */
static const char *key_of(const rm2i_h5_writer *h5, char key[KEY_SIZE]) {
    (void)snprintf(key, KEY_SIZE, "/dev/null/riemann2-%p", (const void *)h5);
    return key;
}

rm2_status rm2i_h5_create(rm2_context *ctx, rm2i_h5_writer **h5) {
    char key[KEY_SIZE];
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **h5, h5));
    (*h5)->file = -1;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    hid_t access = memory_access(), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access >= 0 && rm2i_h5_group_properties(creation) &&
        H5Pset_userblock(creation, RM2I_H5_BLOCK) >= 0)
        (*h5)->file = H5Fcreate(key_of(*h5, key), H5F_ACC_TRUNC, creation, access);
    (void)H5Pclose(access);
    (void)H5Pclose(creation);
    rm2i_h5_quiet_end(quiet);
    if ((*h5)->file >= 0)
        return RM2_OK;
    rm2i_h5_discard(*h5);
    *h5 = NULL;
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "cannot create a model file in memory");
}

/* ---- ending --------------------------------------------------------------------------------- */

static rm2_status no_image(rm2_context *ctx) {
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory for a model file");
}

/* Some versions of libhdf5 leave the wrong checksum in the superblock of a file they give out while
 * it is open: they clear the flag that says so and forget the checksum. */
void rm2i_h5_mend_superblock(unsigned char *superblock) {
    size_t covered = RM2I_H5_SUPERBLOCK - RM2I_H5_CHECKSUM;
    superblock[AT_FLAGS] = 0;
    rm2i_store(superblock + covered, rm2i_h5_checksum(superblock, covered), RM2I_H5_CHECKSUM);
}

/* The complete file. Versions of libhdf5 differ in whether an image begins with the user block or
 * with what follows it; the superblock is always at an address that is 0 or the block's size. */
rm2_status rm2i_h5_image(rm2_context *ctx, const rm2i_h5_writer *h5, unsigned char **bytes,
                         size_t *size) {
    if (H5Fflush(h5->file, H5F_SCOPE_LOCAL) < 0)
        return no_image(ctx);
    ssize_t image = H5Fget_file_image(h5->file, NULL, 0);
    if (image <= 0)
        return no_image(ctx);
    RM2_TRY(rm2i_calloc(ctx, (size_t)image + RM2I_H5_BLOCK, 1, bytes));
    unsigned char *body = *bytes + RM2I_H5_BLOCK;
    if (H5Fget_file_image(h5->file, body, (size_t)image) != image)
        return no_image(ctx);
    *size = (size_t)image + RM2I_H5_BLOCK;
    if (memcmp(body, RM2I_H5_SIGNATURE, RM2I_H5_SIGNATURE_SIZE) !=
        0) { /* the block is there already */
        *size = (size_t)image;
        memmove(*bytes, body, *size);
    }
    rm2i_h5_mend_superblock(body);
    return RM2_OK;
}

rm2_status rm2i_h5_to_bytes(rm2_context *ctx, rm2i_h5_writer *h5, unsigned char **bytes,
                            size_t *size) {
    *bytes = NULL;
    *size = 0;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status = rm2i_h5_image(ctx, h5, bytes, size);
    rm2i_h5_quiet_end(quiet);
    rm2i_h5_discard(h5);
    if (status == RM2_OK) {
        rm2i_h5_seal(*bytes, *size);
        return RM2_OK;
    }
    free(*bytes);
    *bytes = NULL;
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
