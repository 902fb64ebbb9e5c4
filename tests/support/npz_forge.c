#include "npz_forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, ENTRY = 46, END = 22, CRC_IN_LOCAL = 14, CRC_IN_ENTRY = 16, PREFIX = 10 };

static void require(bool good, const char *what) {
    if (!good) {
        (void)fprintf(stderr, "npz_forge: %s\n", what);
        abort();
    }
}

static uint64_t load(const unsigned char *p, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static void store(unsigned char *p, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        p[i] = (unsigned char)(value >> 8 * i);
}

/* The product of the numbers in "(3, 4), }". */
static size_t count_of(const char *shape) {
    size_t count = 1;
    for (const char *p = shape; *p && *p != ')';) {
        char *end;
        size_t extent = strtoul(p, &end, 10);
        if (end > p)
            count *= extent;
        p = end > p ? end : p + 1;
    }
    return count;
}

static void describe(const npz_forge *f, npz_entry *e) {
    char header[256] = "";
    size_t length = (size_t)load(f->bytes + e->data + 8, 2);
    require(length < sizeof header, "a header is too long");
    memcpy(header, f->bytes + e->data + PREFIX, length);
    const char *type = strstr(header, "'descr': '<"), *shape = strstr(header, "'shape': (");
    require(type && shape, "a header is not ours");
    e->kind = type[11];
    e->width = strtoul(type + 12, NULL, 10) * (e->kind == 'U' ? 4 : 1);
    e->count = count_of(shape + 10);
    e->values = e->data + PREFIX + length;
    require(e->values + e->width * e->count == e->data + e->size, "sizes do not agree");
}

npz_forge npz_forge_open(unsigned char *bytes, size_t size) {
    npz_forge f = {.bytes = bytes, .size = size, .end = size - END};
    require(size > END && load(bytes + f.end, 4) == 0x06054b50, "no end record");
    f.count = (size_t)load(bytes + f.end + 10, 2);
    f.directory = (size_t)load(bytes + f.end + 16, 4);
    require(f.count <= NPZ_FORGE_ENTRIES, "too many entries");
    size_t at = f.directory;
    for (size_t k = 0; k < f.count; k++) {
        npz_entry *e = &f.entries[k];
        size_t name = (size_t)load(bytes + at + 28, 2);
        require(name > 4 && name - 4 < sizeof e->name, "a name is too long");
        memcpy(e->name, bytes + at + ENTRY, name - 4);
        e->directory = at;
        e->local = (size_t)load(bytes + at + 42, 4);
        e->size = (size_t)load(bytes + at + 24, 4);
        e->data = e->local + LOCAL + name;
        describe(&f, e);
        at += ENTRY + name;
    }
    return f;
}

const npz_entry *npz_forge_find(const npz_forge *f, const char *name) {
    for (size_t k = 0; k < f->count; k++)
        if (strcmp(f->entries[k].name, name) == 0)
            return &f->entries[k];
    return NULL;
}

void npz_forge_mend(npz_forge *f, const npz_entry *e) {
    uint64_t sum = crc32_z(0, f->bytes + e->data, e->size);
    if (!(f->bytes[e->local + 6] & 8)) /* else the sum follows the data */
        store(f->bytes + e->local + CRC_IN_LOCAL, sum, 4);
    store(f->bytes + e->directory + CRC_IN_ENTRY, sum, 4);
}

void npz_forge_number(npz_forge *f, const npz_entry *e, size_t index, double value) {
    unsigned char *at = f->bytes + e->values + index * e->width;
    require(index < e->count && e->kind != 'U', "no such number");
    uint64_t bits = 0;
    if (e->kind == 'i')
        bits = value >= -9e18 && value <= 9e18 ? (uint64_t)(int64_t)value : UINT64_C(1) << 63;
    else
        memcpy(&bits, &value, sizeof bits);
    store(at, bits, 8);
    npz_forge_mend(f, e);
}

void npz_forge_text(npz_forge *f, const npz_entry *e, size_t index, const char *text) {
    unsigned char *at = f->bytes + e->values + index * e->width;
    require(index < e->count && e->kind == 'U' && strlen(text) <= e->width / 4, "no such text");
    memset(at, 0, e->width);
    for (size_t k = 0; text[k]; k++)
        at[4 * k] = (unsigned char)text[k];
    npz_forge_mend(f, e);
}

size_t npz_forge_npy(unsigned char *npy, const char *header, const void *elements, size_t size) {
    size_t length = strlen(header);
    memcpy(npy, "\x93NUMPY\x01\x00", 8);
    store(npy + 8, length, 2);
    memcpy(npy + PREFIX, header, length);
    if (size > 0)
        memcpy(npy + PREFIX + length, elements, size);
    return PREFIX + length + size;
}

/* ---- archives made anew ---------------------------------------------------------------------- */

typedef struct output {
    unsigned char *bytes;
    size_t at, count;
    unsigned char directory[NPZ_FORGE_ENTRIES * (ENTRY + NPZ_FORGE_NAME + 4)];
    size_t directory_at;
} output;

static void put(output *o, const char *name, const unsigned char *npy, size_t size) {
    size_t length = strlen(name) + 4;
    unsigned char common[26] = {20}, *p = o->bytes + o->at, *d = o->directory + o->directory_at;
    require(o->count < NPZ_FORGE_ENTRIES && length < NPZ_FORGE_NAME + 4, "too many entries");
    store(common + 10, crc32_z(0, npy, size), 4);
    store(common + 14, size, 4);
    store(common + 18, size, 4);
    store(common + 22, length, 2);
    store(p, 0x04034b50, 4);
    memcpy(p + 4, common, sizeof common);
    (void)sprintf((char *)p + LOCAL, "%s.npy", name);
    store(d, 0x02014b50, 4);
    store(d + 4, 20, 2);
    memcpy(d + 6, common, sizeof common);
    memset(d + 32, 0, 10);
    store(d + 42, o->at, 4);
    (void)sprintf((char *)d + ENTRY, "%s.npy", name);
    memcpy(p + LOCAL + length, npy, size);
    o->at += LOCAL + length + size;
    o->directory_at += ENTRY + length;
    o->count++;
}

unsigned char *npz_forge_rebuild(const npz_forge *f, const npz_addition *a, size_t *size) {
    static output o;
    o.at = o.count = o.directory_at = 0;
    o.bytes = malloc(f->size + a->size + 4096);
    require(o.bytes != NULL, "no memory");
    for (size_t k = 0; k < f->count; k++)
        if (!a->without || strcmp(a->without, f->entries[k].name) != 0)
            put(&o, f->entries[k].name, f->bytes + f->entries[k].data, f->entries[k].size);
    if (a->name)
        put(&o, a->name, a->npy, a->size);
    memcpy(o.bytes + o.at, o.directory, o.directory_at);
    unsigned char *end = o.bytes + o.at + o.directory_at;
    memset(end, 0, END);
    store(end, 0x06054b50, 4);
    store(end + 8, o.count, 2);
    store(end + 10, o.count, 2);
    store(end + 12, o.directory_at, 4);
    store(end + 16, o.at, 4);
    *size = o.at + o.directory_at + END;
    return o.bytes;
}
