/* What the files hdf5*.c share: the open file, and silence. */
#ifndef RM2I_HDF5_FILE_H
#define RM2I_HDF5_FILE_H

#include <hdf5.h>

#include "hdf5/hdf5.h"

enum { RM2I_H5_NAME_SIZE = 256 }; /* bytes of a dataset's name with its NUL */

struct rm2i_h5 {
    char *name;    /* for messages */
    hid_t file;    /* in memory; negative: none */
    uint64_t size; /* bytes read; no dataset can be larger */
};

/* Between the two, libhdf5 prints nothing about failures of the calling thread. */
typedef struct rm2i_h5_quiet {
    bool changed;
    H5E_auto2_t print;
    void *data;
} rm2i_h5_quiet;

rm2i_h5_quiet rm2i_h5_quiet_begin(void);
void rm2i_h5_quiet_end(rm2i_h5_quiet quiet);

/* An object without a file. */
rm2_status rm2i_h5_new(rm2_context *ctx, const char *name, rm2i_h5 **h5);

/* Access properties of a file that lives in memory only; negative on failure. */
hid_t rm2i_h5_memory_access(void);

/* Set what every group is made with: no times, links in a list. False on failure. */
bool rm2i_h5_group_properties(hid_t creation);

enum { RM2I_H5_KEY_SIZE = 48 };

/* A name no other open file of this process has: libhdf5 takes files in memory that have the same
 * name for the same file. Nor has a file on disk, where libhdf5 looks too: nothing can be below
 * /dev/null. Returns `key`. */
const char *rm2i_h5_key(const rm2i_h5 *h5, char key[RM2I_H5_KEY_SIZE]);

/* ---- the seal (hdf5_seal.c) ----------------------------------------------------------------- */

enum { RM2I_H5_BLOCK = 512 }; /* bytes in front of HDF5: the smallest user block there can be */

/* Set the checksum of a superblock of version 2 or 3. */
void rm2i_h5_mend_superblock(unsigned char *superblock);

/* Fill the block at the beginning of a complete file of `size` bytes. */
void rm2i_h5_seal(unsigned char *bytes, uint64_t size);

/* Does this block belong to a file of this kind? And are these the bytes that were sealed? */
rm2_status rm2i_h5_check_block(rm2_context *ctx, const char *name, const unsigned char *block,
                               size_t got, uint64_t size);
rm2_status rm2i_h5_check_seal(rm2_context *ctx, const char *name, const unsigned char *bytes,
                              uint64_t size);

#endif
