/* The forms of HDF5's structures that this library writes (image.c). The reader (tree.c, header.c, message.c) accepts
 * these, and the forms that libhdf5 wrote for earlier versions. Numbers are little-endian; addresses count from the
 * superblock; UINT64_MAX means: no address. */
#ifndef RM2I_HDF5_FORM_H
#define RM2I_HDF5_FORM_H

#include "hdf5/bytes.h"

/* ---- superblock: signature, head, where things are, checksum -------------------------------------- */

static const unsigned char RM2I_H5_SUPER_HEAD[] = {
    2, 8, 8, 0}; /* version, bytes of offsets and of lengths, no flags */
enum {
    RM2I_H5_SUPER_BASE = 12,      /* position of the superblock itself */
    RM2I_H5_SUPER_EXTENSION = 20, /* none */
    RM2I_H5_SUPER_END = 28,       /* size of the file */
    RM2I_H5_SUPER_ROOT = 36,      /* address of the root group */
    RM2I_H5_SUPER_SUM = 44
};

/* ---- object header: "OHDR", version, flags, size of the messages, messages, checksum --------------- */

enum {
    RM2I_H5_MAGIC_SIZE = 4, /* bytes of "OHDR" and "OCHK" */
    RM2I_H5_HEADER_VERSION = 2,
    RM2I_H5_WIDTH_FLAGS = 3,   /* flags that say how wide the size is: 1 << flags bytes */
    RM2I_H5_HEADER_PREFIX = 6, /* bytes in front of the size */
    RM2I_H5_MESSAGE_HEAD = 4   /* type (1 byte), size (2), flags (1) */
};

/* ---- dataspace: version, dimensions, flags, kind, extents ------------------------------------------- */

enum { RM2I_H5_SPACE_HEAD = 4, RM2I_H5_SPACE_VERSION = 2, RM2I_H5_SCALAR = 0, RM2I_H5_SIMPLE = 1 };

/* ---- datatype: version and class in one byte, 3 bytes of flags, size, properties -------------------- */

enum {
    RM2I_H5_TYPE_HEAD = 8,
    RM2I_H5_TYPE_VERSION = 1,
    RM2I_H5_WHOLE = 0,
    RM2I_H5_FLOATING = 1,
    RM2I_H5_STRING = 3
};

/* What follows the first byte. Doubles: little-endian, sign in bit 63; 8 bytes; bits from 0, 64 of them;
 * exponent from bit 52, 11 bits; mantissa from bit 0, 52 bits; bias 1023. */
static const unsigned char RM2I_H5_TYPE_DOUBLE[] = {0x20, 63, 0,  8, 0,  0,    0, 0, 0, 64,
                                                    0,    52, 11, 0, 52, 0xff, 3, 0, 0};
/* Sizes: little-endian, unsigned; 8 bytes; bits from 0, 64 of them. */
static const unsigned char RM2I_H5_TYPE_SIZE[] = {0, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0};
/* Texts: end in NUL, UTF-8; then their size. */
static const unsigned char RM2I_H5_TYPE_TEXT[] = {0x10, 0, 0};

/* ---- layout: version, contiguous, address, size; fill value: version ------------------------------- */

enum { RM2I_H5_LAYOUT_SIZE = 18, RM2I_H5_LAYOUT_VERSION = 3, RM2I_H5_CONTIGUOUS = 1 };
enum { RM2I_H5_FILL_VERSION = 3 };

/* ---- group: link info; group info; links, each version, flags, length of the name, name, address ---- */

/* Version 0, no flags; no heap and no index of links: they are in the header. */
static const unsigned char RM2I_H5_NO_INDEX[18] = {0,    0,    0xff, 0xff, 0xff, 0xff,
                                                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
enum { RM2I_H5_GROUP_INFO_VERSION = 0, RM2I_H5_LINK_HEAD = 3, RM2I_H5_LINK_VERSION = 1 };

#endif
