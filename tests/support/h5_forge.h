/* Forged model files: where the fields of a file's structures are, and right checksums after some were
 * changed, so that changes get past them. Walks through the structures by itself, apart from the reader
 * that is tested, and survives any bytes. */
#ifndef H5_FORGE_H
#define H5_FORGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct h5_field {
    size_t at, width; /* bytes of a little-endian number; of values all of a dataset's bytes */
    const char *what; /* "superblock", "link", "layout", ... */
    bool values;      /* a dataset's values */
} h5_field;

/* Fills in at most `most` fields, and returns how many there are. */
size_t h5_fields(const unsigned char *bytes, size_t size, h5_field *fields, size_t most);

/* Set the checksums of all structures that can be reached, then the seal. */
void h5_mend(unsigned char *bytes, size_t size);

#endif
