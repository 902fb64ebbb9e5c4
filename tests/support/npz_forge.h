/* Forged .npz files: an archive of stored entries as this library writes it, whose arrays are changed in place, with right
 * checksums, so that changes get past them; and archives made anew from changed arrays. Walks through the records by itself,
 * apart from the reader that is tested. */
#ifndef NPZ_FORGE_H
#define NPZ_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPZ_FORGE_ENTRIES = 128, NPZ_FORGE_NAME = 64 };

typedef struct npz_entry {
    char name[NPZ_FORGE_NAME]; /* without ".npy" */
    size_t local, directory;   /* where its two headers are */
    size_t data, size;         /* the .npy file */
    size_t values;             /* where the elements begin */
    char kind;                 /* 'f', 'i' or 'U' */
    size_t width;              /* bytes of an element */
    size_t count;              /* elements */
} npz_entry;

typedef struct npz_forge {
    unsigned char *bytes;
    size_t size, directory,
        end; /* of the archive, and where its directory and its end record begin */
    npz_entry entries[NPZ_FORGE_ENTRIES];
    size_t count;
} npz_forge;

/* The entries of an archive, whose bytes stay the caller's; aborts where it is not one of this library. */
npz_forge npz_forge_open(unsigned char *bytes, size_t size);
/* NULL: none has the name. */
const npz_entry *npz_forge_find(const npz_forge *f, const char *name);

/* The number as an element, as far as its type can hold it; then mend. */
void npz_forge_number(npz_forge *f, const npz_entry *e, size_t index, double value);
/* A text that is not longer than the longest of the array. */
void npz_forge_text(npz_forge *f, const npz_entry *e, size_t index, const char *text);
/* Set the checksum of an entry right. */
void npz_forge_mend(npz_forge *f, const npz_entry *e);

/* A new archive, for the caller to free, of the entries but `without`, and after them of `more` (the bytes of a .npy file)
 * under a name. Both may be NULL. */
typedef struct npz_addition {
    const char *without, *name;
    const void *npy;
    size_t size;
} npz_addition;
unsigned char *npz_forge_rebuild(const npz_forge *f, const npz_addition *a, size_t *size);

/* The bytes of a .npy file with this header ("{'descr': '<f8', ...}") and elements; returns their number. */
size_t npz_forge_npy(unsigned char *npy, const char *header, const void *elements, size_t size);

#endif
