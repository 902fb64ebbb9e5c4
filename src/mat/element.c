/* Is a variable of a version 5 file there, all of it? libmatio neither looks at the checksum of packed variables nor
 * minds a file that ends too early: the numbers that are missing are zeros then.
 *
 * A file is a header of 128 bytes, whose last two give the byte order, and elements: type and size, four bytes each,
 * then the bytes. Every element is a variable; one of type 15 is packed by zlib, whose stream ends in a checksum. */
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "mat/mat.h"

enum { HEADER = 128, PACKED = 15, BLOCK = 1 << 15 };

static uint32_t word_of(const unsigned char b[4], bool big) {
    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* Unpack everything and keep nothing: zlib compares the checksum. */
static bool unpacks(FILE *file, uint32_t size) {
    static unsigned char in[BLOCK], out[BLOCK];
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit(&z) != Z_OK)
        return false;
    int status = Z_OK;
    while (status == Z_OK && size > 0) {
        size_t want = size < BLOCK ? size : BLOCK;
        if (fread(in, 1, want, file) != want)
            break;
        size -= (uint32_t)want;
        z.next_in = in;
        z.avail_in = (uInt)want;
        do {
            z.next_out = out;
            z.avail_out = BLOCK;
            status = inflate(&z, Z_NO_FLUSH);
        } while (status == Z_OK && z.avail_out == 0);
        status = status == Z_BUF_ERROR && z.avail_in == 0 ? Z_OK : status;
    }
    (void)inflateEnd(&z);
    return status == Z_STREAM_END;
}

static bool element_is_whole(FILE *file, uint64_t file_size, bool big, size_t number) {
    uint64_t at = HEADER;
    for (size_t k = 0;; k++) {
        unsigned char tag[8];
        if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(tag, 1, 8, file) != 8)
            return false;
        uint32_t size = word_of(tag + 4, big);
        at += 8 + (uint64_t)size;
        if (at > file_size)
            return false;
        if (k == number)
            return word_of(tag, big) != PACKED || unpacks(file, size);
    }
}

bool rm2i_mat_is_whole(const rm2i_mat_request *request, size_t number) {
    unsigned char header[HEADER];
    FILE *file = fopen(request->path, "rb");
    if (!file)
        return false;
    bool version5 = false, good = fread(header, 1, HEADER, file) == HEADER, big = false;
    if (good) {
        big = header[126] == 'M' && header[127] == 'I';
        bool little = header[126] == 'I' && header[127] == 'M';
        unsigned major = header[big ? 124 : 125];
        version5 = (big || little) && major == 1;
    }
    if (version5)
        good = element_is_whole(file, request->file_size, big, number);
    (void)fclose(file);
    return good || !version5;
}
