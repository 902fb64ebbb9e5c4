/* Object headers of version 2: messages in one or more blocks, each with its checksum. The first is
 *
 *     "OHDR"  version 2  flags  size of the messages (1, 2, 4 or 8 bytes, by the flags)  messages  checksum
 *
 * a message with the type "continuation" holds address and size of a further block
 *
 *     "OCHK"  messages  checksum
 *
 * and a message is  type (1 byte)  size (2)  flags (1)  contents. Continuations are written by libhdf5 alone, in files
 * of earlier versions. */
#include <string.h>

#include "hdf5/form.h"
#include "hdf5/h5_tree.h"

enum {
    CONSTANT = 1,      /* flag of messages; others, such as that of shared messages, are refused */
    CONTINUATION = 16, /* contents: address and size, 8 bytes each */
    NEXT_SMALLEST = RM2I_H5_MAGIC_SIZE + RM2I_H5_CHECKSUM
};

static rm2_status check_sum(const rm2i_h5_parser *p, rm2i_h5_span s) {
    size_t covered = (size_t)s.size - RM2I_H5_CHECKSUM;
    const unsigned char *block = p->bytes + s.at;
    if (rm2i_load(block + covered, RM2I_H5_CHECKSUM) == rm2i_h5_checksum(block, covered))
        return RM2_OK;
    return rm2i_h5_refuse(p, s.at, "an object header has the wrong checksum");
}

static rm2_status claim_first(rm2i_h5_parser *p, uint64_t at) {
    const unsigned char *block = p->bytes + at;
    uint64_t left = p->size - at;
    if (left < RM2I_H5_HEADER_PREFIX || memcmp(block, "OHDR", RM2I_H5_MAGIC_SIZE) != 0)
        return rm2i_h5_refuse(p, at, "an object header is missing");
    unsigned version = block[RM2I_H5_MAGIC_SIZE], flags = block[RM2I_H5_MAGIC_SIZE + 1];
    if (version != RM2I_H5_HEADER_VERSION || flags > RM2I_H5_WIDTH_FLAGS)
        return rm2i_h5_refuse(p, at, "object header of version %u with flags %u", version, flags);
    uint64_t width = UINT64_C(1) << flags, taken = RM2I_H5_HEADER_PREFIX + width + RM2I_H5_CHECKSUM;
    uint64_t messages =
        left < taken ? UINT64_MAX : rm2i_load(block + RM2I_H5_HEADER_PREFIX, (size_t)width);
    if (left < taken || messages > left - taken)
        return rm2i_h5_refuse(p, at, "an object header reaches beyond the end of the file");
    rm2i_h5_span span = {at, taken + messages, at + RM2I_H5_HEADER_PREFIX + width};
    RM2_TRY(rm2i_h5_claim(p, span));
    return check_sum(p, span);
}

static rm2_status claim_next(rm2i_h5_parser *p, const rm2i_h5_message *m) {
    uint64_t at = 0;
    if (m->size != CONTINUATION)
        return rm2i_h5_refuse(p, m->at, "continuation of %zu bytes", m->size);
    RM2_TRY(rm2i_h5_position(p, m->at, rm2i_load(m->bytes, 8), &at));
    uint64_t size = rm2i_load(m->bytes + 8, 8);
    if (size < NEXT_SMALLEST || size > p->size - at ||
        memcmp(p->bytes + at, "OCHK", RM2I_H5_MAGIC_SIZE) != 0)
        return rm2i_h5_refuse(p, m->at, "a continuation does not lead to an object header");
    rm2i_h5_span span = {at, size, at + RM2I_H5_MAGIC_SIZE};
    RM2_TRY(rm2i_h5_claim(p, span));
    return check_sum(p, span);
}

/* The messages of one block; what is too short for a message at its end is a gap. */
static rm2_status scan(rm2i_h5_parser *p, rm2i_h5_span s, rm2i_h5_message_fn take, void *user) {
    uint64_t at = s.messages, end = s.at + s.size - RM2I_H5_CHECKSUM;
    while (end - at >= RM2I_H5_MESSAGE_HEAD) {
        const unsigned char *head = p->bytes + at;
        rm2i_h5_message m = {head[0], head + RM2I_H5_MESSAGE_HEAD, (size_t)rm2i_load(head + 1, 2),
                             at + RM2I_H5_MESSAGE_HEAD};
        if (m.size > end - m.at)
            return rm2i_h5_refuse(p, at, "a message of %zu bytes exceeds its header", m.size);
        if (head[3] > CONSTANT)
            return rm2i_h5_refuse(p, at, "message with flags %u", head[3]);
        RM2_TRY(m.type == RM2I_H5_CONTINUATION ? claim_next(p, &m) : take(user, &m));
        at = m.at + m.size;
    }
    return RM2_OK;
}

/* The blocks of a header are the spans claimed since it began. */
rm2_status rm2i_h5_each_message(rm2i_h5_parser *p, uint64_t header, rm2i_h5_message_fn take,
                                void *user) {
    size_t first = p->span_count;
    RM2_TRY(claim_first(p, header));
    for (size_t k = first; k < p->span_count; k++)
        RM2_TRY(scan(p, p->spans[k], take, user));
    return RM2_OK;
}
