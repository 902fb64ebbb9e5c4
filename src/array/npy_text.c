/* Texts of NumPy arrays: fixed numbers of code points (U, UTF-32) or bytes (S, here UTF-8), padded
 * with zeros at the end. They pass through a buffer of a few elements and end as codes into the
 * set of distinct texts, so that memory is that of the codes and of what differs. */
#include <stdlib.h>
#include <string.h>

#include "array/npy.h"

enum {
    BUFFER_BYTES = 1 << 14, /* raw bytes read at a time, unless an element has more */
    UTF8_MAX = 4            /* bytes of a character: as many as in UTF-32 */
};

/* Raw elements, and one of them in UTF-8, which is never longer. */
typedef struct buffer {
    size_t elements;
    unsigned char *raw;
    char *text;
} buffer;

/* ---- one text ------------------------------------------------------------------------------- */

static uint32_t code_point(rm2i_npy_type type, const unsigned char *raw, size_t k) {
    uint32_t code;
    memcpy(&code, raw + k * sizeof code, sizeof code);
    return type.swapped ? __builtin_bswap32(code) : code;
}

/* The character in UTF-8: 0xxxxxxx, 110xxxxx 10xxxxxx, ... Returns its bytes, 0 if the number is
 * no character: beyond U+10FFFF or half of a surrogate pair. */
static size_t put_character(uint32_t code, char *text) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : UTF8_MAX;
    static const unsigned char lead[UTF8_MAX + 1] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(lead[length] | code);
    return length;
}

static rm2_status refuse(const rm2i_source *source, size_t entry, const char *what) {
    return rm2i_fail(source->ctx, RM2_ERR_DATA, "%s: entry %zu (counted from 0): %s", source->name,
                     entry, what);
}

static rm2_status refuse_zero(const rm2i_source *source, size_t entry) {
    return refuse(source, entry, "a text has the character 0 before its end; remove it");
}

static rm2_status from_utf32(const rm2i_source *source, rm2i_npy_type type, size_t entry,
                             const unsigned char *raw, char *text, size_t *size) {
    size_t count = type.size / sizeof(uint32_t);
    while (count > 0 && code_point(type, raw, count - 1) == 0)
        count--;
    *size = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t code = code_point(type, raw, k);
        size_t length = put_character(code, text + *size);
        if (code == 0)
            return refuse_zero(source, entry);
        if (length == 0) {
            char what[80];
            (void)snprintf(what, sizeof what,
                           "0x%lx is not a Unicode character (is the file damaged?)",
                           (unsigned long)code);
            return refuse(source, entry, what);
        }
        *size += length;
    }
    return RM2_OK;
}

static rm2_status from_bytes(const rm2i_source *source, rm2i_npy_type type, size_t entry,
                             const unsigned char *raw, char *text, size_t *size) {
    *size = type.size;
    while (*size > 0 && raw[*size - 1] == 0)
        --*size;
    for (size_t k = 0; k < *size;) {
        size_t length = rm2_utf8_length((const char *)raw + k, *size - k);
        if (raw[k] == 0)
            return refuse_zero(source, entry);
        if (length == 0) {
            char what[128];
            (void)snprintf(what, sizeof what,
                           "byte 0x%02x is not UTF-8; convert the texts, for example with "
                           "np.char.decode(x, 'latin-1')",
                           raw[k]);
            return refuse(source, entry, what);
        }
        k += length;
    }
    memcpy(text, raw, *size);
    return RM2_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static rm2_status read_codes(rm2i_source *source, rm2i_npy_type type, const rm2i_npy_span *span,
                             const buffer *b, rm2i_text_set *set, size_t *codes) {
    for (size_t i = 0; i < span->count; i++) {
        size_t at = i % b->elements, left = span->count - i, entry = span->from + i, size = 0;
        if (at == 0)
            RM2_TRY(rm2i_source_exactly(source, b->raw,
                                        (left < b->elements ? left : b->elements) * type.size,
                                        "the texts"));
        const unsigned char *raw = b->raw + at * type.size;
        RM2_TRY(type.kind == RM2I_NPY_UTF32 ? from_utf32(source, type, entry, raw, b->text, &size)
                                            : from_bytes(source, type, entry, raw, b->text, &size));
        RM2_TRY(rm2i_text_set_add(source->ctx, set, b->text, size, &codes[i]));
    }
    return RM2_OK;
}

/* The header's size is that of bytes which are there, if there is an element at all. */
static rm2_status read_texts(rm2i_source *source, rm2i_npy_type type, const rm2i_npy_span *span,
                             rm2i_text_set *set, size_t *codes) {
    if (span->count == 0)
        return RM2_OK;
    size_t size = type.size;
    buffer b = {.elements = size < BUFFER_BYTES ? BUFFER_BYTES / size : 1};
    rm2_status status = rm2i_alloc(source->ctx, b.elements, size, &b.raw);
    if (status == RM2_OK)
        status = rm2i_alloc(source->ctx, size, 1, &b.text);
    if (status == RM2_OK)
        status = read_codes(source, type, span, &b, set, codes);
    free(b.raw);
    free(b.text);
    return status;
}

static rm2_status check_header(const rm2i_source *source, const rm2i_npy_header *header) {
    if (!rm2i_npy_is_text(header->type))
        return rm2i_fail(source->ctx, RM2_ERR_UNSUPPORTED,
                         "%s: the array holds numbers, expected texts", source->name);
    if (header->dims > 1)
        return rm2i_fail(source->ctx, RM2_ERR_UNSUPPORTED,
                         "%s: texts are read from arrays of one dimension, not %zu; save x.ravel()",
                         source->name, header->dims);
    return RM2_OK;
}

rm2_status rm2i_npy_load_texts(rm2i_source *source, const rm2i_npy_span *given, rm2_texts *texts) {
    *texts = (rm2_texts){0};
    rm2i_npy_header header;
    rm2i_npy_span span;
    rm2i_text_set set = {0};
    RM2_TRY(rm2i_npy_read_header(source, &header));
    RM2_TRY(check_header(source, &header));
    RM2_TRY(rm2i_npy_enter_span(source, &header, given, &span));
    texts->count = span.count;
    rm2_status status = rm2i_alloc(source->ctx, span.count, sizeof *texts->codes, &texts->codes);
    if (status == RM2_OK)
        status = read_texts(source, header.type, &span, &set, texts->codes);
    if (status == RM2_OK)
        status = rm2i_npy_leave_span(source, &header, &span);
    if (status == RM2_OK)
        status = rm2i_text_set_consume(source->ctx, &set, &texts->distinct, &texts->distinct_count);
    rm2i_text_set_free(&set);
    if (status != RM2_OK)
        rm2_texts_clear(texts);
    return status;
}
