/* Messages of object headers. Each is accepted in the one form that this library writes: dataspaces of
 * fixed extents, three datatypes, values in one piece, plain links. */
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/tree.h"

/* ---- dataspace: version 2, dimensions, flags, kind (2 bytes unused), extents, largest extents ------- */

enum { SPACE_HEAD = 4, SPACE_VERSION = 2, SCALAR = 0, SIMPLE = 1, HAS_LARGEST = 1 };

static bool space_form_is_known(const rm2i_h5_message *m) {
    const unsigned char *b = m->bytes;
    if (m->size < SPACE_HEAD || b[0] != SPACE_VERSION || b[1] > RM2_ARRAY_MAX_DIMS ||
        b[2] > HAS_LARGEST || b[3] != (b[1] ? SIMPLE : SCALAR))
        return false;
    size_t extents = (size_t)b[1] * 8, copies = b[2] ? 2 : 1;
    return m->size == SPACE_HEAD + copies * extents &&
           (copies == 1 || /* the largest extents are the extents */
            memcmp(b + SPACE_HEAD, b + SPACE_HEAD + extents, extents) == 0);
}

rm2_status rm2i_h5_dataspace(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                             rm2i_h5_object *object) {
    if (!space_form_is_known(m))
        return rm2i_h5_refuse(p, m->at, "unknown kind of dataspace");
    object->dims = m->bytes[1];
    object->count = 1;
    for (size_t k = 0; k < object->dims; k++) {
        uint64_t extent = rm2i_load(m->bytes + SPACE_HEAD + 8 * k, 8);
        object->shape[k] = (size_t)extent;
        if (extent > p->whole ||
            __builtin_mul_overflow(object->count, object->shape[k], &object->count))
            return rm2i_h5_refuse(p, m->at, "a dataset is larger than the file");
    }
    return RM2_OK;
}

/* ---- datatype: version and class in one byte, 3 bytes of flags, size, properties -------------------- */

enum { TYPE_HEAD = 8, WHOLE = 0, FLOATING = 1, STRING = 3, OLDEST_TYPE = 1, NEWEST_TYPE = 3 };

/* What follows the first byte. Doubles: little-endian, sign in bit 63; 8 bytes; bits from 0, 64 of them;
 * exponent from bit 52, 11 bits; mantissa from bit 0, 52 bits; bias 1023. */
static const unsigned char DOUBLE[] = {0x20, 63, 0,  8, 0,  0,    0, 0, 0, 64,
                                       0,    52, 11, 0, 52, 0xff, 3, 0, 0};
/* Sizes: little-endian, unsigned; 8 bytes; bits from 0, 64 of them. */
static const unsigned char SIZE[] = {0, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0};
/* Texts: end in NUL, UTF-8; then their size. */
static const unsigned char TEXT[] = {0x10, 0, 0};

static bool type_is(const rm2i_h5_message *m, unsigned class, const unsigned char *rest,
                    size_t size) {
    unsigned version = m->bytes[0] >> 4;
    return version >= OLDEST_TYPE && version <= NEWEST_TYPE && (m->bytes[0] & 15) == class &&
           memcmp(m->bytes + 1, rest, size) == 0;
}

rm2_status rm2i_h5_datatype(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                            rm2i_h5_object *object) {
    if (m->size < TYPE_HEAD)
        return rm2i_h5_refuse(p, m->at, "datatype of %zu bytes", m->size);
    object->width = (size_t)rm2i_load(m->bytes + 4, 4);
    if (m->size == sizeof DOUBLE + 1 && type_is(m, FLOATING, DOUBLE, sizeof DOUBLE))
        object->kind = RM2I_H5_DOUBLES;
    else if (m->size == sizeof SIZE + 1 && type_is(m, WHOLE, SIZE, sizeof SIZE))
        object->kind = RM2I_H5_SIZES;
    else if (m->size == TYPE_HEAD && object->width > 0 && type_is(m, STRING, TEXT, sizeof TEXT))
        object->kind = RM2I_H5_TEXTS;
    else
        return rm2i_h5_refuse(p, m->at, "datatype other than 64-bit numbers and texts");
    return RM2_OK;
}

/* ---- layout: version 3, contiguous, address, size --------------------------------------------------- */

enum { LAYOUT = 18, LAYOUT_VERSION = 3, CONTIGUOUS = 1 };

rm2_status rm2i_h5_layout(const rm2i_h5_parser *p, const rm2i_h5_message *m, uint64_t *address,
                          uint64_t *size) {
    if (m->size != LAYOUT || m->bytes[0] != LAYOUT_VERSION || m->bytes[1] != CONTIGUOUS)
        return rm2i_h5_refuse(p, m->at, "values that are not in one piece");
    *address = rm2i_load(m->bytes + 2, 8);
    *size = rm2i_load(m->bytes + 10, 8);
    return RM2_OK;
}

/* ---- link: version 1, no flags, length of the name, name, address ----------------------------------- */

enum { LINK_HEAD = 3, LINK_VERSION = 1 };

rm2_status rm2i_h5_link(const rm2i_h5_parser *p, const rm2i_h5_message *m, rm2i_h5_object *object) {
    const unsigned char *b = m->bytes;
    size_t length = m->size < LINK_HEAD ? 0 : b[2];
    if (length == 0 || m->size != LINK_HEAD + length + 8 || b[0] != LINK_VERSION || b[1] != 0 ||
        memchr(b + LINK_HEAD, '/', length) || memchr(b + LINK_HEAD, '\0', length))
        return rm2i_h5_refuse(p, m->at, "unknown kind of link");
    *object = (rm2i_h5_object){.name = b + LINK_HEAD, .length = length};
    return rm2i_h5_position(p, m->at, rm2i_load(b + LINK_HEAD + length, 8), &object->header);
}

/* ---- messages that say nothing of use --------------------------------------------------------------- */

/* Fill value: version 3, any. Link info: version 0, no flags, neither heap nor index of links. Group
 * info: version 0, any. */
rm2_status rm2i_h5_form(const rm2i_h5_parser *p, const rm2i_h5_message *m) {
    static const unsigned char LINK_INFO[18] = {0,    0,    0xff, 0xff, 0xff, 0xff,
                                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    bool known = m->size > 0;
    switch (m->type) {
    case RM2I_H5_FILL:
        known = known && m->bytes[0] == 3;
        break;
    case RM2I_H5_GROUP_INFO:
        known = known && m->bytes[0] == 0;
        break;
    case RM2I_H5_LINK_INFO:
        known = m->size == sizeof LINK_INFO && memcmp(m->bytes, LINK_INFO, sizeof LINK_INFO) == 0;
        break;
    default:
        known = false;
    }
    return known ? RM2_OK
                 : rm2i_h5_refuse(p, m->at, "message of type %u is unknown or in an unknown form",
                                  m->type);
}
