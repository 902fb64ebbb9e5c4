/* A model file that is open for reading. */
#ifndef RM2I_HDF5_READ_H
#define RM2I_HDF5_READ_H

#include "hdf5/h5_tree.h"
#include "hdf5/hdf5.h"

struct rm2i_h5 {
    char *name;              /* for messages */
    unsigned char *own;      /* the file or its front, unless it is the caller's memory */
    rm2i_source source;      /* of what is behind the front; closed where nothing is */
    rm2i_h5_object *objects; /* point into the file; the first is the root group */
};

#endif
