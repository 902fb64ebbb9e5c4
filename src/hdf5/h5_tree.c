/* Superblock, groups and datasets. Objects are read in the order in which links to them are found, from
 * the root on, so that the members of a group follow each other. */
#include "hdf5/h5_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5/form.h"

/* ---- what the three files share ------------------------------------------------------------- */

rm2_status rm2i_h5_refuse(const rm2i_h5_parser *p, uint64_t at, const char *format, ...) {
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return rm2i_fail(p->ctx, RM2_ERR_FORMAT, "%s: not written by riemann2: %s (byte %llu)", p->name,
                     what, (unsigned long long)at);
}

/* Position of an address before `end`. */
static rm2_status position(const rm2i_h5_parser *p, uint64_t from, uint64_t address, uint64_t end,
                           uint64_t *at) {
    if (address >= end - RM2I_H5_BLOCK)
        return rm2i_h5_refuse(p, from, "address %llu is beyond the end of the file",
                              (unsigned long long)address);
    *at = RM2I_H5_BLOCK + address;
    return RM2_OK;
}

rm2_status rm2i_h5_position(const rm2i_h5_parser *p, uint64_t from, uint64_t address,
                            uint64_t *at) {
    return position(p, from, address, p->size, at);
}

rm2_status rm2i_h5_reserve(rm2_context *ctx, size_t count, size_t size, size_t *capacity,
                           void *array) {
    if (count < *capacity)
        return RM2_OK;
    size_t more = *capacity + *capacity / 2 + 16;
    RM2_TRY(rm2i_grow(ctx, more, size, array));
    *capacity = more;
    return RM2_OK;
}

rm2_status rm2i_h5_claim(rm2i_h5_parser *p, rm2i_h5_span span) {
    if (span.at > p->whole || span.size > p->whole - span.at)
        return rm2i_h5_refuse(p, span.at, "a structure reaches beyond the end of the file");
    if (span.size > p->whole - p->claimed)
        return rm2i_h5_refuse(p, span.at, "structures overlap");
    p->claimed += span.size;
    RM2_TRY(rm2i_h5_reserve(p->ctx, p->span_count, sizeof span, &p->span_capacity, &p->spans));
    p->spans[p->span_count++] = span;
    return RM2_OK;
}

static int by_position(const void *a, const void *b) {
    const rm2i_h5_span *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static rm2_status check_overlap(rm2i_h5_parser *p) {
    qsort(p->spans, p->span_count, sizeof *p->spans, by_position);
    for (size_t k = 1; k < p->span_count; k++)
        if (p->spans[k - 1].at + p->spans[k - 1].size > p->spans[k].at)
            return rm2i_h5_refuse(p, p->spans[k].at, "structures overlap");
    return RM2_OK;
}

/* ---- one object ----------------------------------------------------------------------------- */

/* Bytes of the smallest object with the link to it: group, name of one letter. */
enum { SMALLEST_OBJECT = 49 };

/* An object while its header is read. */
typedef struct intake {
    rm2i_h5_parser *p;
    size_t index;           /* of the object */
    unsigned seen;          /* types of the messages so far, one bit per type */
    uint64_t address, size; /* of the values */
} intake;

enum {
    IS_GROUP = 1 << RM2I_H5_LINK_INFO,
    OF_GROUP = IS_GROUP | 1 << RM2I_H5_LINK | 1 << RM2I_H5_GROUP_INFO,
    IS_DATASET = 1 << RM2I_H5_DATASPACE | 1 << RM2I_H5_DATATYPE | 1 << RM2I_H5_LAYOUT,
    OF_DATASET = IS_DATASET | 1 << RM2I_H5_FILL
};

static rm2_status add_member(rm2i_h5_parser *p, const rm2i_h5_message *m) {
    rm2i_h5_object member;
    RM2_TRY(rm2i_h5_link(p, m, &member));
    if (p->count >= p->size / SMALLEST_OBJECT)
        return rm2i_h5_refuse(p, m->at, "more objects than the file has room for");
    RM2_TRY(rm2i_h5_reserve(p->ctx, p->count, sizeof member, &p->capacity, &p->objects));
    p->objects[p->count++] = member;
    return RM2_OK;
}

static rm2_status take_message(void *user, const rm2i_h5_message *m) {
    intake *in = user;
    rm2i_h5_object *object = &in->p->objects[in->index];
    if (m->type == RM2I_H5_NIL)
        return RM2_OK;
    unsigned bit = m->type < 31 ? 1u << m->type : 0;
    if (m->type != RM2I_H5_LINK && (in->seen & bit))
        return rm2i_h5_refuse(in->p, m->at, "two messages of type %u in a header", m->type);
    in->seen |= bit;
    switch (m->type) {
    case RM2I_H5_LINK:
        return add_member(in->p, m);
    case RM2I_H5_DATASPACE:
        return rm2i_h5_dataspace(in->p, m, object);
    case RM2I_H5_DATATYPE:
        return rm2i_h5_datatype(in->p, m, object);
    case RM2I_H5_LAYOUT:
        return rm2i_h5_layout(in->p, m, &in->address, &in->size);
    default:
        return rm2i_h5_form(in->p, m);
    }
}

static rm2_status finish_dataset(const intake *in, rm2i_h5_object *object) {
    rm2i_h5_parser *p = in->p;
    size_t bytes;
    if (__builtin_mul_overflow(object->count, object->width, &bytes) || bytes != in->size)
        return rm2i_h5_refuse(p, object->header, "a dataset's extents do not fit its values");
    if (bytes == 0)
        return RM2_OK;
    RM2_TRY(position(p, object->header, in->address, p->whole, &object->at));
    RM2_TRY(rm2i_h5_claim(p, (rm2i_h5_span){.at = object->at, .size = bytes}));
    if (object->at + bytes <= p->size)
        object->values = p->bytes + object->at;
    return RM2_OK;
}

static int by_name(const void *a, const void *b) {
    const rm2i_h5_object *x = a, *y = b;
    size_t common = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->name, y->name, common);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static rm2_status finish_group(const intake *in, rm2i_h5_object *object) {
    rm2i_h5_object *members = in->p->objects + object->first;
    object->kind = RM2I_H5_GROUP;
    object->count = in->p->count - object->first;
    qsort(members, object->count, sizeof *members, by_name);
    for (size_t k = 1; k < object->count; k++)
        if (by_name(&members[k - 1], &members[k]) == 0)
            return rm2i_h5_refuse(in->p, object->header, "a group has two members of one name");
    return RM2_OK;
}

static rm2_status read_object(rm2i_h5_parser *p, size_t index) {
    intake in = {.p = p, .index = index};
    p->objects[index].first = p->count;
    RM2_TRY(rm2i_h5_each_message(p, p->objects[index].header, take_message, &in));
    rm2i_h5_object *object = &p->objects[index];
    if ((in.seen & IS_GROUP) && (in.seen & ~(unsigned)OF_GROUP) == 0)
        return finish_group(&in, object);
    if ((in.seen & IS_DATASET) == IS_DATASET && (in.seen & ~(unsigned)OF_DATASET) == 0)
        return finish_dataset(&in, object);
    return rm2i_h5_refuse(p, object->header, "an object is neither a group nor a dataset");
}

/* ---- all ------------------------------------------------------------------------------------ */

static rm2_status read_superblock(rm2i_h5_parser *p, uint64_t *root) {
    enum { HEAD = RM2I_H5_SIGNATURE_SIZE };
    const unsigned char *b = p->bytes + RM2I_H5_BLOCK;
    if (p->size < RM2I_H5_BLOCK + RM2I_H5_SUPERBLOCK ||
        memcmp(b, RM2I_H5_SIGNATURE, RM2I_H5_SIGNATURE_SIZE) != 0)
        return rm2i_h5_refuse(p, RM2I_H5_BLOCK, "no HDF5 data follow the seal");
    if (memcmp(b + HEAD, RM2I_H5_SUPER_HEAD, sizeof RM2I_H5_SUPER_HEAD) != 0 ||
        rm2i_load(b + RM2I_H5_SUPER_BASE, 8) != RM2I_H5_BLOCK ||
        rm2i_load(b + RM2I_H5_SUPER_EXTENSION, 8) != UINT64_MAX ||
        rm2i_load(b + RM2I_H5_SUPER_END, 8) != p->whole)
        return rm2i_h5_refuse(p, RM2I_H5_BLOCK, "superblock of version %u in an unknown form",
                              b[HEAD]);
    if (rm2i_load(b + RM2I_H5_SUPER_SUM, RM2I_H5_CHECKSUM) !=
        rm2i_h5_checksum(b, RM2I_H5_SUPER_SUM))
        return rm2i_h5_refuse(p, RM2I_H5_BLOCK, "the superblock has the wrong checksum");
    RM2_TRY(rm2i_h5_claim(p, (rm2i_h5_span){.at = 0, .size = RM2I_H5_BLOCK + RM2I_H5_SUPERBLOCK}));
    return rm2i_h5_position(p, RM2I_H5_BLOCK, rm2i_load(b + RM2I_H5_SUPER_ROOT, 8), root);
}

static rm2_status read_objects(rm2i_h5_parser *p) {
    uint64_t root = 0;
    RM2_TRY(read_superblock(p, &root));
    RM2_TRY(rm2i_h5_reserve(p->ctx, 0, sizeof *p->objects, &p->capacity, &p->objects));
    p->objects[p->count++] = (rm2i_h5_object){.header = root};
    for (size_t k = 0; k < p->count; k++)
        RM2_TRY(read_object(p, k));
    if (p->objects[0].kind != RM2I_H5_GROUP)
        return rm2i_h5_refuse(p, root, "the root is not a group");
    return check_overlap(p);
}

rm2_status rm2i_h5_tree(rm2_context *ctx, const rm2i_h5_file *file, rm2i_h5_object **objects) {
    rm2i_h5_parser p = {.ctx = ctx,
                        .name = file->name,
                        .bytes = file->bytes,
                        .size = file->size,
                        .whole = file->whole};
    rm2_status status = read_objects(&p);
    free(p.spans);
    *objects = NULL;
    if (status == RM2_OK)
        *objects = p.objects;
    else
        free(p.objects);
    return status;
}
