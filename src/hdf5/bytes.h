/* Little-endian whole numbers in bytes, and the checksum of HDF5's structures. */
#ifndef RM2I_HDF5_BYTES_H
#define RM2I_HDF5_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t rm2i_load(const unsigned char *at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static inline void rm2i_store(unsigned char *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i) & 0xff);
}

/* `count` doubles or whole numbers, 8 bytes each. */
static inline void rm2i_store_numbers(unsigned char *at, const void *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, (const unsigned char *)numbers + i * sizeof bits, sizeof bits);
        rm2i_store(at + i * sizeof bits, bits, sizeof bits);
    }
}

/* The sealed block at the beginning of a file, then the superblock: the root of all structures. */
enum {
    RM2I_H5_BLOCK = 512,     /* the smallest user block that HDF5 allows */
    RM2I_H5_SUPERBLOCK = 48, /* version 2, checksum included */
    RM2I_H5_CHECKSUM = 4     /* the last bytes of every structure */
};

#define RM2I_H5_SIGNATURE "\x89HDF\r\n\x1a\n"
enum { RM2I_H5_SIGNATURE_SIZE = 8 };

/* Jenkins' lookup3 with the initial value 0. */
uint32_t rm2i_h5_checksum(const unsigned char *bytes, size_t size);

#endif
