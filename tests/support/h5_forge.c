#include "h5_forge.h"

#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/seal.h"

enum { BASE = RM2I_H5_BLOCK, ROOT = BASE + 36, SUM = BASE + 44, BLOCKS = 512 };

/* A block of an object header that is to be visited: the first of one, or another. */
typedef struct block {
    size_t at, size; /* size 0: a first block, which says it itself, until it was visited */
} block;

typedef struct walk {
    const unsigned char *bytes;
    size_t size;
    unsigned char *mend; /* the same bytes, where checksums are to be set; or NULL */
    h5_field *fields;
    size_t most, count;
    block blocks[BLOCKS];
    size_t block_count;
} walk;

static void add_field(walk *w, size_t at, size_t width, const char *what, bool values) {
    if (w->count < w->most)
        w->fields[w->count] = (h5_field){at, width, what, values};
    w->count++;
}

/* Fields of these widths one after the other, as far as they are inside. */
static void add_fields(walk *w, size_t at, size_t end, const char *what, const char *widths) {
    for (; *widths && at + (size_t)(*widths - '0') <= end; at += (size_t)(*widths++ - '0'))
        add_field(w, at, (size_t)(*widths - '0'), what, false);
}

static void add_block(walk *w, size_t at, size_t size) {
    if (w->block_count < BLOCKS && at < w->size && size <= w->size - at)
        w->blocks[w->block_count++] = (block){at, size};
}

/* Position of the address at a position; beyond the end if it is none. */
static size_t target(const walk *w, size_t at) {
    uint64_t address = rm2i_load(w->bytes + at, 8);
    return address < w->size ? BASE + (size_t)address : w->size;
}

static void mend_block(const walk *w, size_t at, size_t size) {
    if (w->mend && size >= RM2I_H5_CHECKSUM)
        rm2i_store(w->mend + at + size - RM2I_H5_CHECKSUM,
                   rm2i_h5_checksum(w->mend + at, size - RM2I_H5_CHECKSUM), RM2I_H5_CHECKSUM);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void visit_link(walk *w, size_t at, size_t end) {
    size_t length = end - at > 3 ? w->bytes[at + 2] : 0;
    add_fields(w, at, end, "link", "111");
    if (at + 3 + length + 8 > end)
        return;
    add_fields(w, at + 3, end, "name", "1");
    add_fields(w, at + 3 + length, end, "link", "8");
    add_block(w, target(w, at + 3 + length), 0);
}

static void visit_layout(walk *w, size_t at, size_t end) {
    add_fields(w, at, end, "layout", "1188");
    if (at + 18 > end)
        return;
    size_t from = target(w, at + 2);
    uint64_t size = rm2i_load(w->bytes + at + 10, 8);
    if (from < w->size && size > 0 && size <= w->size - from)
        add_field(w, from, (size_t)size, "values", true);
}

static void visit_continuation(walk *w, size_t at, size_t end) {
    add_fields(w, at, end, "continuation", "88");
    if (at + 16 > end)
        return;
    uint64_t size = rm2i_load(w->bytes + at + 8, 8);
    if (size > 0 && size <= w->size)
        add_block(w, target(w, at), (size_t)size);
}

static void visit_message(walk *w, unsigned type, size_t at, size_t end) {
    switch (type) {
    case 1:
        add_fields(w, at, end, "dataspace", "11118888888888888888");
        break;
    case 2:
        add_fields(w, at, end, "link info", "1188");
        break;
    case 3:
        add_fields(w, at, end, "datatype", "11114221111112");
        break;
    case 5:
        add_fields(w, at, end, "fill value", "11");
        break;
    case 6:
        visit_link(w, at, end);
        break;
    case 8:
        visit_layout(w, at, end);
        break;
    case 10:
        add_fields(w, at, end, "group info", "1122");
        break;
    case 16:
        visit_continuation(w, at, end);
        break;
    default:
        break;
    }
}

static void visit_messages(walk *w, size_t at, size_t end) {
    while (at + 4 <= end) {
        size_t size = (size_t)rm2i_load(w->bytes + at + 1, 2);
        add_fields(w, at, end, "message", "121");
        if (size > end - at - 4)
            return;
        visit_message(w, w->bytes[at], at + 4, at + 4 + size);
        at += 4 + size;
    }
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void visit_first(walk *w, block *b) {
    size_t at = b->at;
    if (w->size - at < 14)
        return;
    size_t width = (size_t)1 << (w->bytes[at + 5] & 3);
    uint64_t size = rm2i_load(w->bytes + at + 6, width);
    add_fields(w, at, w->size, "object header", "411");
    add_field(w, at + 6, width, "object header", false);
    if (size > w->size || at + 6 + width + (size_t)size + RM2I_H5_CHECKSUM > w->size)
        return;
    size_t end = at + 6 + width + (size_t)size;
    visit_messages(w, at + 6 + width, end);
    b->size = end + RM2I_H5_CHECKSUM - at;
}

static void visit_next(walk *w, block b) {
    if (b.size < 8)
        return;
    add_fields(w, b.at, b.at + b.size, "object header block", "4");
    visit_messages(w, b.at + 4, b.at + b.size - RM2I_H5_CHECKSUM);
}

static void visit_all(walk *w) {
    if (w->size < SUM + RM2I_H5_CHECKSUM)
        return;
    add_fields(w, BASE + 8, w->size, "superblock", "11118888");
    add_block(w, target(w, ROOT), 0);
    for (size_t k = 0; k < w->block_count; k++) {
        if (w->blocks[k].size == 0)
            visit_first(w, &w->blocks[k]);
        else
            visit_next(w, w->blocks[k]);
    }
    /* where blocks overlap, those that are read first are right */
    for (size_t k = w->block_count; k-- > 0;)
        mend_block(w, w->blocks[k].at, w->blocks[k].size);
    mend_block(w, BASE, SUM + RM2I_H5_CHECKSUM - BASE);
}

size_t h5_fields(const unsigned char *bytes, size_t size, h5_field *fields, size_t most) {
    walk w = {.bytes = bytes, .size = size, .fields = fields, .most = most};
    visit_all(&w);
    return w.count;
}

void h5_mend(unsigned char *bytes, size_t size) {
    walk w = {.bytes = bytes, .size = size, .mend = bytes};
    visit_all(&w);
    if (size >= RM2I_H5_BLOCK)
        rm2i_h5_seal(bytes, size);
}
