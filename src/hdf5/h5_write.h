/* A model file while it is put together: put.c collects groups, datasets and values, image.c makes them bytes. */
#ifndef RM2I_HDF5_WRITE_H
#define RM2I_HDF5_WRITE_H

#include "hdf5/h5_tree.h"
#include "hdf5/hdf5.h"

enum { RM2I_H5_NAME_SIZE = 256 }; /* of a name with its NUL: lengths of links fit a byte */

/* A group or dataset. */
typedef struct rm2i_h5_node {
    char name[RM2I_H5_NAME_SIZE]; /* within its group */
    size_t parent;                /* number of that group */
    rm2i_h5_kind kind;
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    size_t width;      /* bytes of an element */
    size_t at, size;   /* its values: where among all values, bytes */
    uint64_t position; /* of its header in the file, once image.c has counted */
} rm2i_h5_node;

struct rm2i_h5_writer {
    rm2i_h5_node *nodes; /* the first is the root, and the only one that is its own parent */
    size_t count, capacity;
    unsigned char *values; /* of all datasets, each from a multiple of 8 bytes on */
    size_t size, room;     /* bytes, and those that there is memory for */
    size_t announced;      /* values of the array that follows; 0: none does */
    size_t last;           /* number of that array's node */
};

/* Where values may begin. */
static inline size_t rm2i_h5_aligned(size_t at) {
    return (at + 7) / 8 * 8;
}

/* The file without its seal and without an array that is announced, which follows it. *bytes is the caller's to free;
 * NULL on failure. */
rm2_status rm2i_h5_image(rm2_context *ctx, rm2i_h5_writer *h5, unsigned char **bytes, size_t *size);

#endif
