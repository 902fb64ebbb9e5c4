/* Zip archives made field by field, for tests of readers. */
#ifndef ZIP_FORGE_H
#define ZIP_FORGE_H

#include <stddef.h>
#include <stdint.h>

enum { ZIP_FORGE_MAX = 1 << 16 }; /* bytes of an archive */

typedef struct zip_forge {
    unsigned char bytes[ZIP_FORGE_MAX];
    size_t size, directory_at;
} zip_forge;

typedef struct zip_member {
    const char *name;
    const void *data;
    size_t size;
    size_t offset, packed; /* where it is in the archive, and its bytes there */
} zip_member;

/* The number in little-endian bytes. */
void zip_put(zip_forge *zip, uint64_t value, size_t bytes);
void zip_put_bytes(zip_forge *zip, const void *bytes, size_t size);
/* Method 0: stored; 8: deflated. */
void zip_put_member(zip_forge *zip, unsigned method, zip_member *m);
/* After the members; its place is directory_at. */
void zip_put_directory(zip_forge *zip, unsigned method, const zip_member *members, size_t count);

#endif
