/* The seal of a model file, in HDF5's user block, which readers of HDF5 skip:
 *
 *     0  "RIEMANN2"
 *     8  version of this layout, 32 bits, little-endian as all numbers here
 *    12  CRC-32 (ISO 3309, as in zlib) of the whole file with these four bytes 0
 *    16  size of the file, 64 bits
 *    24  of a file that ends in an array written in pieces: bytes in front of that array, 64 bits; else 0
 *    32  zeros
 *
 * A file that lost or changed a byte on its way is refused before it is parsed, with a message that
 * says what is wrong. The seal guards against damage, not against intent: a checksum can be forged,
 * so that the reader (tree.c) relies on nothing in a file. */
#include <string.h>

#include <zlib.h>

#include "hdf5/seal.h"

enum { VERSION = 1, AT_VERSION = 8, AT_CRC = 12, AT_SIZE = 16, AT_FRONT = 24 };

static const char MAGIC[8] = RM2I_H5_SEAL_MAGIC;

uint32_t rm2i_h5_seal_sum(uint32_t sum, const void *bytes, size_t size) {
    return (uint32_t)crc32_z(sum, bytes, size);
}

uint32_t rm2i_h5_seal_sum_front(const unsigned char *bytes, size_t size) {
    static const unsigned char zeros[AT_SIZE - AT_CRC] = {0};
    uint32_t sum = rm2i_h5_seal_sum(0, bytes, AT_CRC);
    sum = rm2i_h5_seal_sum(sum, zeros, sizeof zeros);
    return rm2i_h5_seal_sum(sum, bytes + AT_SIZE, size - AT_SIZE);
}

void rm2i_h5_seal_begin(unsigned char block[RM2I_H5_BLOCK], uint64_t size, uint64_t front) {
    memset(block, 0, RM2I_H5_BLOCK);
    memcpy(block, MAGIC, sizeof MAGIC);
    rm2i_store(block + AT_VERSION, VERSION, 4);
    rm2i_store(block + AT_SIZE, size, 8);
    rm2i_store(block + AT_FRONT, front, 8);
}

void rm2i_h5_seal_end(unsigned char block[RM2I_H5_BLOCK], uint32_t sum) {
    rm2i_store(block + AT_CRC, sum, 4);
}

void rm2i_h5_seal(unsigned char *bytes, uint64_t size) {
    rm2i_h5_seal_begin(bytes, size, 0);
    rm2i_h5_seal_end(bytes, rm2i_h5_seal_sum_front(bytes, (size_t)size));
}

uint64_t rm2i_h5_seal_front(const unsigned char block[RM2I_H5_BLOCK], uint64_t size) {
    uint64_t front = rm2i_load(block + AT_FRONT, 8);
    return front >= RM2I_H5_BLOCK + RM2I_H5_SUPERBLOCK && front <= size ? front : size;
}

rm2_status rm2i_h5_check_block(rm2_context *ctx, const char *name, const unsigned char *block,
                               size_t got, uint64_t size) {
    if (got >= RM2I_H5_SIGNATURE_SIZE &&
        memcmp(block, RM2I_H5_SIGNATURE, RM2I_H5_SIGNATURE_SIZE) == 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT,
                         "%s is an HDF5 file, but not a model of riemann2 (it has no seal)", name);
    if (got < sizeof MAGIC || memcmp(block, MAGIC, sizeof MAGIC) != 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is not a model of riemann2%s", name,
                         got == 0 ? " (it is empty)" : "");
    if (got < RM2I_H5_BLOCK)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is cut off: it has only %zu bytes", name, got);
    uint64_t version = rm2i_load(block + AT_VERSION, 4), sealed = rm2i_load(block + AT_SIZE, 8);
    if (version != VERSION)
        return rm2i_fail(ctx, RM2_ERR_FORMAT,
                         "%s has the file format %llu; this version of riemann2 reads %d", name,
                         (unsigned long long)version, VERSION);
    if (size != sealed)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is %s: it has %llu bytes of %llu", name,
                         size < sealed ? "cut off" : "damaged", (unsigned long long)size,
                         (unsigned long long)sealed);
    return RM2_OK;
}

rm2_status rm2i_h5_check_seal(rm2_context *ctx, const char *name,
                              const unsigned char block[RM2I_H5_BLOCK], uint32_t sum) {
    if (rm2i_load(block + AT_CRC, 4) == sum)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is damaged: its checksum does not match", name);
}
