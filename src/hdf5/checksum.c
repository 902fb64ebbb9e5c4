/* Jenkins' lookup3 (2006, public domain), the checksum of HDF5's structures: blocks of 12 bytes in
 * three words, the last block filled with zeros. */
#include <string.h>

#include "hdf5/bytes.h"

static uint32_t turn(uint32_t x, int k) {
    return (x << k) | (x >> (32 - k));
}

static void add_block(uint32_t w[3], const unsigned char *block) {
    for (size_t i = 0; i < 3; i++)
        w[i] += (uint32_t)rm2i_load(block + 4 * i, 4);
}

uint32_t rm2i_h5_checksum(const unsigned char *bytes, size_t size) {
    static const int mix[6] = {4, 6, 8, 16, 19, 4}, last[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t w[3];
    w[0] = w[1] = w[2] = UINT32_C(0xdeadbeef) + (uint32_t)size;
    for (; size > 12; size -= 12, bytes += 12) {
        add_block(w, bytes);
        for (int i = 0; i < 6; i++) {
            uint32_t *a = &w[i % 3], *b = &w[(i + 1) % 3], *c = &w[(i + 2) % 3];
            *a = (*a - *c) ^ turn(*c, mix[i]);
            *c += *b;
        }
    }
    unsigned char rest[12] = {0};
    memcpy(rest, bytes, size);
    add_block(w, rest);
    for (int i = 0; i < 7; i++) { /* c by b, a by c, b by a, ... */
        uint32_t *to = &w[(i + 2) % 3], by = w[(i + 1) % 3];
        *to = (*to ^ by) - turn(by, last[i]);
    }
    return w[2];
}
