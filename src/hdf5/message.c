/* Messages of object headers: dataspaces of fixed extents, three datatypes, values in one piece, plain links. */
#include <string.h>

#include "hdf5/form.h"
#include "hdf5/h5_tree.h"

/* ---- dataspace ---------------------------------------------------------------------------------- */

enum { HAS_LARGEST = 1 }; /* the flag that largest extents follow the extents */

static bool space_form_is_known(const rm2i_h5_message *m) {
    const unsigned char *b = m->bytes;
    if (m->size < RM2I_H5_SPACE_HEAD || b[0] != RM2I_H5_SPACE_VERSION ||
        b[1] > RM2_ARRAY_MAX_DIMS || b[2] > HAS_LARGEST ||
        b[3] != (b[1] ? RM2I_H5_SIMPLE : RM2I_H5_SCALAR))
        return false;
    size_t extents = (size_t)b[1] * 8, copies = b[2] ? 2 : 1;
    return m->size == RM2I_H5_SPACE_HEAD + copies * extents &&
           (copies == 1 || /* the largest extents are the extents */
            memcmp(b + RM2I_H5_SPACE_HEAD, b + RM2I_H5_SPACE_HEAD + extents, extents) == 0);
}

rm2_status rm2i_h5_dataspace(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                             rm2i_h5_object *object) {
    if (!space_form_is_known(m))
        return rm2i_h5_refuse(p, m->at, "unknown kind of dataspace");
    object->dims = m->bytes[1];
    object->count = 1;
    for (size_t k = 0; k < object->dims; k++) {
        uint64_t extent = rm2i_load(m->bytes + RM2I_H5_SPACE_HEAD + 8 * k, 8);
        object->shape[k] = (size_t)extent;
        if (extent > p->whole || /* also of arrays without elements: users multiply extents */
            __builtin_mul_overflow(object->count, object->shape[k], &object->count))
            return rm2i_h5_refuse(p, m->at, "a dataset is larger than the file");
    }
    return RM2_OK;
}

/* ---- datatype ----------------------------------------------------------------------------------- */

enum { NEWEST_TYPE = 3 }; /* versions have the same form */

static bool type_is(const rm2i_h5_message *m, unsigned class, const unsigned char *rest,
                    size_t size) {
    unsigned version = m->bytes[0] >> 4;
    return version >= RM2I_H5_TYPE_VERSION && version <= NEWEST_TYPE &&
           (m->bytes[0] & 15) == class && memcmp(m->bytes + 1, rest, size) == 0;
}

rm2_status rm2i_h5_datatype(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                            rm2i_h5_object *object) {
    if (m->size < RM2I_H5_TYPE_HEAD)
        return rm2i_h5_refuse(p, m->at, "datatype of %zu bytes", m->size);
    object->width = (size_t)rm2i_load(m->bytes + 4, 4);
    if (m->size == sizeof RM2I_H5_TYPE_DOUBLE + 1 &&
        type_is(m, RM2I_H5_FLOATING, RM2I_H5_TYPE_DOUBLE, sizeof RM2I_H5_TYPE_DOUBLE))
        object->kind = RM2I_H5_DOUBLES;
    else if (m->size == sizeof RM2I_H5_TYPE_SIZE + 1 &&
             type_is(m, RM2I_H5_WHOLE, RM2I_H5_TYPE_SIZE, sizeof RM2I_H5_TYPE_SIZE))
        object->kind = RM2I_H5_SIZES;
    else if (m->size == RM2I_H5_TYPE_HEAD && object->width > 0 &&
             type_is(m, RM2I_H5_STRING, RM2I_H5_TYPE_TEXT, sizeof RM2I_H5_TYPE_TEXT))
        object->kind = RM2I_H5_TEXTS;
    else
        return rm2i_h5_refuse(p, m->at, "datatype other than 64-bit numbers and texts");
    return RM2_OK;
}

/* ---- layout ------------------------------------------------------------------------------------- */

rm2_status rm2i_h5_layout(const rm2i_h5_parser *p, const rm2i_h5_message *m, uint64_t *address,
                          uint64_t *size) {
    if (m->size != RM2I_H5_LAYOUT_SIZE || m->bytes[0] != RM2I_H5_LAYOUT_VERSION ||
        m->bytes[1] != RM2I_H5_CONTIGUOUS)
        return rm2i_h5_refuse(p, m->at, "values that are not in one piece");
    *address = rm2i_load(m->bytes + 2, 8);
    *size = rm2i_load(m->bytes + 10, 8);
    return RM2_OK;
}

/* ---- link --------------------------------------------------------------------------------------- */

rm2_status rm2i_h5_link(const rm2i_h5_parser *p, const rm2i_h5_message *m, rm2i_h5_object *object) {
    const unsigned char *b = m->bytes;
    size_t length = m->size < RM2I_H5_LINK_HEAD ? 0 : b[2];
    if (length == 0 || m->size != RM2I_H5_LINK_HEAD + length + 8 || b[0] != RM2I_H5_LINK_VERSION ||
        b[1] != 0 || memchr(b + RM2I_H5_LINK_HEAD, '/', length) ||
        memchr(b + RM2I_H5_LINK_HEAD, '\0', length))
        return rm2i_h5_refuse(p, m->at, "unknown kind of link");
    *object = (rm2i_h5_object){.name = b + RM2I_H5_LINK_HEAD, .length = length};
    return rm2i_h5_position(p, m->at, rm2i_load(b + RM2I_H5_LINK_HEAD + length, 8),
                            &object->header);
}

/* ---- messages that say nothing of use --------------------------------------------------------------- */

/* Of a fill value and of group info only the version is checked. */
rm2_status rm2i_h5_form(const rm2i_h5_parser *p, const rm2i_h5_message *m) {
    bool known = m->size > 0;
    switch (m->type) {
    case RM2I_H5_FILL:
        known = known && m->bytes[0] == RM2I_H5_FILL_VERSION;
        break;
    case RM2I_H5_GROUP_INFO:
        known = known && m->bytes[0] == RM2I_H5_GROUP_INFO_VERSION;
        break;
    case RM2I_H5_LINK_INFO:
        known = m->size == sizeof RM2I_H5_NO_INDEX &&
                memcmp(m->bytes, RM2I_H5_NO_INDEX, sizeof RM2I_H5_NO_INDEX) == 0;
        break;
    default:
        known = false;
    }
    return known ? RM2_OK
                 : rm2i_h5_refuse(p, m->at, "message of type %u is unknown or in an unknown form",
                                  m->type);
}
