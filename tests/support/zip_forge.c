#include "zip_forge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

void zip_put(zip_forge *zip, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        zip->bytes[zip->size++] = (unsigned char)(i < 8 ? value >> 8 * i : 0);
}

void zip_put_bytes(zip_forge *zip, const void *bytes, size_t size) {
    memcpy(zip->bytes + zip->size, bytes, size);
    zip->size += size;
}

static size_t deflate_raw(const void *data, size_t size, unsigned char *packed, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = packed;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t used = room - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    return used;
}

static void put_common(zip_forge *zip, unsigned method, const void *data, size_t size,
                       size_t packed, size_t name) {
    zip_put(zip, 20, 2);
    zip_put(zip, 0, 2);
    zip_put(zip, method, 2);
    zip_put(zip, 0, 4);
    zip_put(zip, crc32(0, data, (uInt)size), 4);
    zip_put(zip, packed, 4);
    zip_put(zip, size, 4);
    zip_put(zip, name, 2);
    zip_put(zip, 0, 2);
}

void zip_put_member(zip_forge *zip, unsigned method, zip_member *m) {
    static unsigned char packed[ZIP_FORGE_MAX];
    m->packed = m->size;
    m->offset = zip->size;
    if (method == 8)
        m->packed = deflate_raw(m->data, m->size, packed, sizeof packed);
    else
        memcpy(packed, m->data, m->size);
    zip_put(zip, 0x04034b50, 4);
    put_common(zip, method, m->data, m->size, m->packed, strlen(m->name));
    zip_put_bytes(zip, m->name, strlen(m->name));
    zip_put_bytes(zip, packed, m->packed);
}

void zip_put_directory(zip_forge *zip, unsigned method, const zip_member *members, size_t count) {
    zip->directory_at = zip->size;
    for (size_t i = 0; i < count; i++) {
        const zip_member *m = &members[i];
        zip_put(zip, 0x02014b50, 4);
        zip_put(zip, 20, 2);
        put_common(zip, method, m->data, m->size, m->packed, strlen(m->name));
        zip_put(zip, 0, 10);
        zip_put(zip, m->offset, 4);
        zip_put_bytes(zip, m->name, strlen(m->name));
    }
    size_t end = zip->size;
    zip_put(zip, 0x06054b50, 4);
    zip_put(zip, 0, 4);
    zip_put(zip, count, 2);
    zip_put(zip, count, 2);
    zip_put(zip, end - zip->directory_at, 4);
    zip_put(zip, zip->directory_at, 4);
    zip_put(zip, 0, 2);
}
