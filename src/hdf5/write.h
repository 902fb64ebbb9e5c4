/* Writing with libhdf5: the file in memory that write.c and put.c share. */
#ifndef RM2I_HDF5_WRITE_H
#define RM2I_HDF5_WRITE_H

#include <hdf5.h>

#include "hdf5/hdf5.h"

struct rm2i_h5_writer {
    hid_t file;       /* in memory; negative: none */
    size_t announced; /* values of the array that follows; 0: none does */
};

/* The file so far, without a seal and with what the superblock's checksum needs. */
rm2_status rm2i_h5_image(rm2_context *ctx, const rm2i_h5_writer *h5, unsigned char **bytes,
                         size_t *size);
/* Make the superblock's checksum right again. */
void rm2i_h5_mend_superblock(unsigned char *superblock);

/* Between the two, libhdf5 prints nothing about failures of the calling thread. */
typedef struct rm2i_h5_quiet {
    bool changed;
    H5E_auto2_t print;
    void *data;
} rm2i_h5_quiet;

rm2i_h5_quiet rm2i_h5_quiet_begin(void);
void rm2i_h5_quiet_end(rm2i_h5_quiet quiet);

/* Set what every group is made with: no times, links in a list. False on failure. */
bool rm2i_h5_group_properties(hid_t creation);

#endif
