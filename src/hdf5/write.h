/* Writing with libhdf5: the file in memory that write.c and put.c share. */
#ifndef RM2I_HDF5_WRITE_H
#define RM2I_HDF5_WRITE_H

#include <hdf5.h>

#include "hdf5/hdf5.h"

struct rm2i_h5_writer {
    hid_t file; /* in memory; negative: none */
};

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
