/* The seal of a model file, in HDF5's user block, which readers of HDF5 skip:
 *
 *     0  "RIEMANN2"
 *     8  version of this layout, 32 bits, little-endian as all numbers here
 *    12  CRC-32 (ISO 3309, as in zlib) of the whole file with these four bytes 0
 *    16  size of the file, 64 bits
 *    24  zeros
 *
 * libhdf5 follows addresses inside a file and is not made for damaged ones; a file that lost or
 * changed a byte on its way is refused before it is parsed, with a message that says what is
 * wrong. This guards against damage, not against intent: a checksum can be forged.
 *
 * Before version 2, libhdf5 leaves a wrong checksum in the superblock of a file it gives out while
 * the file is open (it clears the "open" flag and forgets the checksum); it is set right here. */
#include <string.h>

#include <zlib.h>

#include "hdf5/file.h"

enum { VERSION = 1, AT_VERSION = 8, AT_CRC = 12, AT_SIZE = 16 };
enum { SUPERBLOCK = 44 }; /* bytes of HDF5's superblock, version 2, that its checksum covers */

static const char MAGIC[8] = {'R', 'I', 'E', 'M', 'A', 'N', 'N', '2'};
static const char HDF5_SIGNATURE[8] = "\x89HDF\r\n\x1a\n";

static void store(unsigned char *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i) & 0xff);
}

static uint64_t load(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
    static const unsigned char zeros[AT_SIZE - AT_CRC] = {0};
    uLong crc = crc32_z(0, bytes, AT_CRC);
    crc = crc32_z(crc, zeros, sizeof zeros);
    crc = crc32_z(crc, bytes + AT_SIZE, (size_t)size - AT_SIZE);
    return (uint32_t)crc;
}

/* ---- HDF5's own checksum -------------------------------------------------------------------- */

static uint32_t turn(uint32_t x, int k) {
    return (x << k) | (x >> (32 - k));
}

/* Jenkins' lookup3 (2006, public domain), the checksum of HDF5's metadata: blocks of 12 bytes in
 * three words, the last block filled with zeros. */
static uint32_t lookup3(const unsigned char *bytes, uint32_t size) {
    static const int mix[6] = {4, 6, 8, 16, 19, 4}, last[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t w[3];
    w[0] = w[1] = w[2] = UINT32_C(0xdeadbeef) + size;
    for (; size > 12; size -= 12, bytes += 12) {
        for (int i = 0; i < 3; i++)
            w[i] += (uint32_t)load(bytes + 4 * i, 4);
        for (int i = 0; i < 6; i++) {
            uint32_t *a = &w[i % 3], *b = &w[(i + 1) % 3], *c = &w[(i + 2) % 3];
            *a = (*a - *c) ^ turn(*c, mix[i]);
            *c += *b;
        }
    }
    unsigned char rest[12] = {0};
    memcpy(rest, bytes, size);
    for (int i = 0; i < 3; i++)
        w[i] += (uint32_t)load(rest + 4 * i, 4);
    for (int i = 0; i < 7; i++) { /* c by b, a by c, b by a, ... */
        uint32_t *to = &w[(i + 2) % 3], by = w[(i + 1) % 3];
        *to = (*to ^ by) - turn(by, last[i]);
    }
    return w[2];
}

void rm2i_h5_mend_superblock(unsigned char *superblock) {
    store(superblock + SUPERBLOCK, lookup3(superblock, SUPERBLOCK), 4);
}

/* ---- ours ----------------------------------------------------------------------------------- */

void rm2i_h5_seal(unsigned char *bytes, uint64_t size) {
    memset(bytes, 0, RM2I_H5_BLOCK);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    store(bytes + AT_VERSION, VERSION, 4);
    store(bytes + AT_SIZE, size, 8);
    store(bytes + AT_CRC, checksum(bytes, size), 4);
}

rm2_status rm2i_h5_check_block(rm2_context *ctx, const char *name, const unsigned char *block,
                               size_t got, uint64_t size) {
    if (got >= sizeof HDF5_SIGNATURE && memcmp(block, HDF5_SIGNATURE, sizeof HDF5_SIGNATURE) == 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT,
                         "%s is an HDF5 file, but not a model of riemann2 (it has no seal)", name);
    if (got < sizeof MAGIC || memcmp(block, MAGIC, sizeof MAGIC) != 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is not a model of riemann2%s", name,
                         got == 0 ? " (it is empty)" : "");
    if (got < RM2I_H5_BLOCK)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is cut off: only %zu bytes are there", name, got);
    uint64_t version = load(block + AT_VERSION, 4), sealed = load(block + AT_SIZE, 8);
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

rm2_status rm2i_h5_check_seal(rm2_context *ctx, const char *name, const unsigned char *bytes,
                              uint64_t size) {
    if (load(bytes + AT_CRC, 4) == checksum(bytes, size))
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is damaged: its checksum does not match", name);
}
