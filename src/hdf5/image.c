/* The bytes of a model file:
 *
 *     block for the seal   superblock   object headers, the root's first   values   (announced array)
 *
 * Every header is one block. There are two passes: the first counts bytes to find the position of each header, the
 * second stores them. */
#include <string.h>

#include "hdf5/form.h"
#include "hdf5/h5_write.h"

enum {
    WIDTH = 2,         /* flag of headers: the size of the messages has 4 bytes */
    PHASES = 1,        /* flag of group info: limits follow */
    MOST_LINKS = 60000 /* that a group keeps in its header, if another program adds some */
};
/* Fill value: space is allocated late; a value is written only if one is set, and none is. */
static const unsigned char FILL[] = {RM2I_H5_FILL_VERSION, 0x0a};

typedef struct sink {
    unsigned char *bytes; /* NULL: only count */
    size_t used;
} sink;

static void put_bytes(sink *s, const void *bytes, size_t size) {
    if (s->bytes)
        memcpy(s->bytes + s->used, bytes, size);
    s->used += size;
}

static void put_number(sink *s, uint64_t value, size_t bytes) {
    if (s->bytes)
        rm2i_store(s->bytes + s->used, value, bytes);
    s->used += bytes;
}

static void put_message(sink *s, unsigned type, size_t size) {
    put_number(s, type, 1);
    put_number(s, size, 2);
    put_number(s, 0, 1); /* no flags */
}

/* ---- groups --------------------------------------------------------------------------------- */

static void put_link(sink *s, const rm2i_h5_node *member) {
    size_t length = strlen(member->name);
    put_message(s, RM2I_H5_LINK, RM2I_H5_LINK_HEAD + length + 8);
    put_number(s, RM2I_H5_LINK_VERSION, 1);
    put_number(s, 0, 1); /* no flags */
    put_number(s, length, 1);
    put_bytes(s, member->name, length);
    put_number(s, member->position - RM2I_H5_BLOCK, 8);
}

static void put_group(sink *s, const rm2i_h5_writer *h5, size_t group) {
    put_message(s, RM2I_H5_LINK_INFO, sizeof RM2I_H5_NO_INDEX);
    put_bytes(s, RM2I_H5_NO_INDEX, sizeof RM2I_H5_NO_INDEX);
    put_message(s, RM2I_H5_GROUP_INFO, 6);
    put_number(s, RM2I_H5_GROUP_INFO_VERSION, 1);
    put_number(s, PHASES, 1);
    put_number(s, MOST_LINKS, 2);
    put_number(s, 0, 2); /* links below which an index becomes a list */
    for (size_t k = 1; k < h5->count; k++)
        if (h5->nodes[k].parent == group)
            put_link(s, &h5->nodes[k]);
}

/* ---- datasets ------------------------------------------------------------------------------- */

static void put_space(sink *s, const rm2i_h5_node *set) {
    put_message(s, RM2I_H5_DATASPACE, RM2I_H5_SPACE_HEAD + 8 * set->dims);
    put_number(s, RM2I_H5_SPACE_VERSION, 1);
    put_number(s, set->dims, 1);
    put_number(s, 0, 1); /* no flags: the extents are the largest */
    put_number(s, set->dims ? RM2I_H5_SIMPLE : RM2I_H5_SCALAR, 1);
    for (size_t k = 0; k < set->dims; k++)
        put_number(s, set->shape[k], 8);
}

/* The message of a type; `rest` follows its first byte. */
static void put_form(sink *s, unsigned class, const unsigned char *rest, size_t size) {
    put_number(s, RM2I_H5_TYPE_VERSION << 4 | class, 1);
    put_bytes(s, rest, size);
}

static void put_type(sink *s, const rm2i_h5_node *set) {
    if (set->kind == RM2I_H5_DOUBLES) {
        put_message(s, RM2I_H5_DATATYPE, 1 + sizeof RM2I_H5_TYPE_DOUBLE);
        put_form(s, RM2I_H5_FLOATING, RM2I_H5_TYPE_DOUBLE, sizeof RM2I_H5_TYPE_DOUBLE);
    } else if (set->kind == RM2I_H5_SIZES) {
        put_message(s, RM2I_H5_DATATYPE, 1 + sizeof RM2I_H5_TYPE_SIZE);
        put_form(s, RM2I_H5_WHOLE, RM2I_H5_TYPE_SIZE, sizeof RM2I_H5_TYPE_SIZE);
    } else {
        put_message(s, RM2I_H5_DATATYPE, RM2I_H5_TYPE_HEAD);
        put_form(s, RM2I_H5_STRING, RM2I_H5_TYPE_TEXT, sizeof RM2I_H5_TYPE_TEXT);
        put_number(s, set->width, 4);
    }
}

/* `values` is the position of all values. */
static void put_dataset(sink *s, const rm2i_h5_node *set, uint64_t values) {
    put_space(s, set);
    put_type(s, set);
    put_message(s, RM2I_H5_FILL, sizeof FILL);
    put_bytes(s, FILL, sizeof FILL);
    put_message(s, RM2I_H5_LAYOUT, RM2I_H5_LAYOUT_SIZE);
    put_number(s, RM2I_H5_LAYOUT_VERSION, 1);
    put_number(s, RM2I_H5_CONTIGUOUS, 1);
    put_number(s, set->size ? values + set->at - RM2I_H5_BLOCK : UINT64_MAX, 8);
    put_number(s, set->size, 8);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void put_header(sink *s, rm2i_h5_writer *h5, size_t node, uint64_t values) {
    size_t start = s->used, head = RM2I_H5_HEADER_PREFIX + (1u << WIDTH);
    h5->nodes[node].position = start;
    put_bytes(s, "OHDR", RM2I_H5_MAGIC_SIZE);
    put_number(s, RM2I_H5_HEADER_VERSION, 1);
    put_number(s, WIDTH, 1);
    put_number(s, 0, 1u << WIDTH); /* until the messages are there */
    if (h5->nodes[node].kind == RM2I_H5_GROUP)
        put_group(s, h5, node);
    else
        put_dataset(s, &h5->nodes[node], values);
    size_t size = s->used - start;
    if (s->bytes)
        rm2i_store(s->bytes + start + RM2I_H5_HEADER_PREFIX, size - head, 1u << WIDTH);
    put_number(s, s->bytes ? rm2i_h5_checksum(s->bytes + start, size) : 0, RM2I_H5_CHECKSUM);
}

static void put_headers(sink *s, rm2i_h5_writer *h5, uint64_t values) {
    for (size_t k = 0; k < h5->count; k++)
        put_header(s, h5, k, values);
}

static void put_superblock(sink *s, uint64_t whole, uint64_t root) {
    size_t start = s->used;
    put_bytes(s, RM2I_H5_SIGNATURE, RM2I_H5_SIGNATURE_SIZE);
    put_bytes(s, RM2I_H5_SUPER_HEAD, sizeof RM2I_H5_SUPER_HEAD);
    put_number(s, RM2I_H5_BLOCK, 8);
    put_number(s, UINT64_MAX, 8); /* no extension */
    put_number(s, whole, 8);
    put_number(s, root - RM2I_H5_BLOCK, 8);
    put_number(s, rm2i_h5_checksum(s->bytes + start, RM2I_H5_SUPER_SUM), RM2I_H5_CHECKSUM);
}

rm2_status rm2i_h5_image(rm2_context *ctx, rm2i_h5_writer *h5, unsigned char **bytes,
                         size_t *size) {
    const size_t first = RM2I_H5_BLOCK + RM2I_H5_SUPERBLOCK;
    sink count = {NULL, first};
    *bytes = NULL;
    size_t all = h5->announced ? rm2i_h5_aligned(h5->size) : h5->size;
    if (h5->announced)
        h5->nodes[h5->last].at = all;
    put_headers(&count, h5, 0);
    size_t values = rm2i_h5_aligned(count.used);
    *size = values + all;
    RM2_TRY(rm2i_calloc(ctx, *size, 1, bytes));
    sink store = {*bytes, RM2I_H5_BLOCK};
    put_superblock(&store, *size + h5->announced * sizeof(double), first);
    put_headers(&store, h5, values);
    store.used = values;
    if (h5->size > 0)
        put_bytes(&store, h5->values, h5->size);
    return RM2_OK;
}
