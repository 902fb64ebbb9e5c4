/* Header of a .npy file (NumPy Enhancement Proposal 1): magic, version, length, and a Python
 * dictionary with exactly the keys descr, fortran_order and shape. Keys may come in any order with
 * any blanks; all else is refused, and all sizes are checked against the bytes that are there
 * before anything is allocated for them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy.h"

enum {
    MAGIC_SIZE = 6,
    HEADER_MAX = 1 << 20, /* bytes of a header that can be meant seriously */
    TEXT_MAX = 32         /* bytes of a key or type name */
};

typedef struct parser {
    const rm2i_source *source;
    const char *p, *end;
    rm2i_npy_header *header;
    bool has_type, has_order, has_shape;
} parser;

static rm2_status malformed(const parser *in, const char *what) {
    return rm2i_fail(in->source->ctx, RM2_ERR_FORMAT, "%s: malformed NumPy header: %s",
                     in->source->name, what);
}

static void skip_space(parser *in) {
    while (in->p < in->end && (*in->p == ' ' || *in->p == '\t' || *in->p == '\n'))
        in->p++;
}

static bool accept(parser *in, char c) {
    skip_space(in);
    if (in->p == in->end || *in->p != c)
        return false;
    in->p++;
    return true;
}

static bool accept_word(parser *in, const char *word) {
    skip_space(in);
    size_t size = strlen(word);
    if ((size_t)(in->end - in->p) < size || memcmp(in->p, word, size) != 0)
        return false;
    in->p += size;
    return true;
}

/* A quoted string without escapes. */
static rm2_status parse_string(parser *in, char text[TEXT_MAX]) {
    skip_space(in);
    char quote = (char)(in->p < in->end ? *in->p : '\0');
    if (quote != '\'' && quote != '"')
        return malformed(in, "a quoted text is missing");
    const char *start = in->p + 1;
    const char *close = memchr(start, quote, (size_t)(in->end - start));
    if (!close)
        return malformed(in, "a quote is not closed");
    size_t size = (size_t)(close - start);
    if (size >= TEXT_MAX || memchr(start, '\\', size) || memchr(start, '\0', size))
        return malformed(in, "a text is too long or has a backslash");
    memcpy(text, start, size);
    text[size] = '\0';
    in->p = close + 1;
    return RM2_OK;
}

static rm2_status refuse_type(const parser *in, const char *type, const char *why) {
    char shown[RM2I_SHOWN_SIZE];
    return rm2i_fail(in->source->ctx, RM2_ERR_UNSUPPORTED, "%s: arrays of type '%s' %s",
                     in->source->name, rm2i_shown(type, strlen(type), shown), why);
}

static rm2_status refuse_kind(const parser *in, const char *descr, char kind) {
    if (kind == 'O')
        return refuse_type(
            in, descr,
            "hold pickled Python objects, which are refused because reading them "
            "can run code; save numbers: np.save(path, np.asarray(x, dtype=float)), or "
            "texts: dtype=str");
    if (kind == 'c')
        return refuse_type(in, descr,
                           "are complex; save real and imaginary part as two real arrays");
    if (kind == 'M' || kind == 'm')
        return refuse_type(in, descr, "hold dates or times; convert them to numbers first");
    return refuse_type(in, descr, "cannot be read; save numbers: np.asarray(x, dtype=float)");
}

static bool known_size(rm2i_npy_kind kind, size_t size) {
    switch (kind) {
    case RM2I_NPY_BOOL:
        return size == 1;
    case RM2I_NPY_FLOAT:
        return size == 2 || size == 4 || size == 8;
    case RM2I_NPY_UTF32:
    case RM2I_NPY_BYTES: /* of texts without bytes a file could promise any number */
        return size > 0 && size != SIZE_MAX;
    case RM2I_NPY_SIGNED:
    case RM2I_NPY_UNSIGNED:
        break;
    }
    return size == 1 || size == 2 || size == 4 || size == 8;
}

bool rm2i_npy_is_text(rm2i_npy_type type) {
    return type.kind == RM2I_NPY_UTF32 || type.kind == RM2I_NPY_BYTES;
}

char rm2i_npy_native_order(void) {
    const uint16_t probe = 1;
    return *(const unsigned char *)&probe == 1 ? '<' : '>';
}

/* Bytes of an element, from the number in its type name; SIZE_MAX if there is none. */
static size_t written_size(rm2i_npy_kind kind, const char *digits) {
    size_t size = rm2i_written_number(digits);
    if (kind == RM2I_NPY_UTF32 && __builtin_mul_overflow(size, sizeof(uint32_t), &size))
        return SIZE_MAX;
    return size;
}

/* A type name such as "<f8" or "<U5". */
static rm2_status parse_type(const parser *in, const char *descr) {
    static const char kinds[] = {
        [RM2I_NPY_FLOAT] = 'f', [RM2I_NPY_SIGNED] = 'i', [RM2I_NPY_UNSIGNED] = 'u',
        [RM2I_NPY_BOOL] = 'b',  [RM2I_NPY_UTF32] = 'U',  [RM2I_NPY_BYTES] = 'S'};
    rm2i_npy_type *type = &in->header->type;
    const char *p = descr;
    char order = (char)(*p && strchr("<>=|", *p) ? *p++ : '=');
    const char *kind = *p ? memchr(kinds, *p, sizeof kinds) : NULL;
    if (!kind)
        return refuse_kind(in, descr, *p);
    type->kind = (rm2i_npy_kind)(kind - kinds);
    type->size = written_size(type->kind, p + 1);
    type->swapped = (order == '<' || order == '>') && order != rm2i_npy_native_order();
    if (type->kind == RM2I_NPY_FLOAT && (type->size == 12 || type->size == 16))
        return refuse_type(in, descr, "are long doubles; convert them with x.astype('f8')");
    if (rm2i_npy_is_text(*type) && type->size == 0)
        return refuse_type(in, descr, "hold texts without any character");
    if (!known_size(type->kind, type->size))
        return refuse_kind(in, descr, '\0');
    return RM2_OK;
}

static rm2_status parse_descr(parser *in) {
    char descr[TEXT_MAX] = "";
    skip_space(in);
    if (in->p < in->end && (*in->p == '[' || *in->p == '('))
        return rm2i_fail(in->source->ctx, RM2_ERR_UNSUPPORTED,
                         "%s: structured arrays cannot be read; save the fields as single arrays",
                         in->source->name);
    RM2_TRY(parse_string(in, descr));
    in->has_type = true;
    return parse_type(in, descr);
}

static rm2_status parse_order(parser *in) {
    in->header->fortran = accept_word(in, "True");
    if (!in->header->fortran && !accept_word(in, "False"))
        return malformed(in, "fortran_order is neither True nor False");
    in->has_order = true;
    return RM2_OK;
}

static rm2_status parse_size(parser *in, size_t *size) {
    skip_space(in);
    if (in->p == in->end || !isdigit((unsigned char)*in->p))
        return malformed(in, "the shape must hold whole numbers from 0");
    *size = 0;
    for (; in->p < in->end && isdigit((unsigned char)*in->p); in->p++)
        if (__builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, (size_t)(*in->p - '0'), size))
            return malformed(in, "a size in the shape is too large");
    if (in->p < in->end && *in->p == 'L') /* long integers of Python 2 */
        in->p++;
    return RM2_OK;
}

static rm2_status parse_shape(parser *in) {
    rm2i_npy_header *header = in->header;
    if (!accept(in, '('))
        return malformed(in, "the shape is not a tuple");
    header->dims = 0;
    while (!accept(in, ')')) {
        if (header->dims == RM2_ARRAY_MAX_DIMS)
            return rm2i_fail(in->source->ctx, RM2_ERR_UNSUPPORTED,
                             "%s: arrays of more than %d dimensions cannot be read",
                             in->source->name, RM2_ARRAY_MAX_DIMS);
        RM2_TRY(parse_size(in, &header->shape[header->dims++]));
        if (accept(in, ','))
            continue;
        if (header->dims == 1 || !accept(in, ')')) /* "(3)" is a number in Python, "(3,)" a tuple */
            return malformed(in, "the shape is not a tuple");
        break;
    }
    in->has_shape = true;
    return RM2_OK;
}

static rm2_status parse_entry(parser *in) {
    char key[TEXT_MAX];
    RM2_TRY(parse_string(in, key));
    if (!accept(in, ':'))
        return malformed(in, "a colon is missing");
    if (strcmp(key, "descr") == 0 && !in->has_type)
        return parse_descr(in);
    if (strcmp(key, "fortran_order") == 0 && !in->has_order)
        return parse_order(in);
    if (strcmp(key, "shape") == 0 && !in->has_shape)
        return parse_shape(in);
    return malformed(in, "a key is unknown or comes twice");
}

/* Elements of the shape; a size of 0 makes it 0 whatever the others are. */
static rm2_status count_elements(const parser *in) {
    rm2i_npy_header *header = in->header;
    header->count = 1;
    for (size_t i = 0; i < header->dims; i++)
        if (header->shape[i] == 0)
            header->count = 0;
    size_t bytes;
    for (size_t i = 0; i < header->dims; i++)
        if (__builtin_mul_overflow(header->count, header->shape[i], &header->count) ||
            __builtin_mul_overflow(header->count, sizeof(double), &bytes))
            return malformed(in, "the shape has too many elements");
    return RM2_OK;
}

static rm2_status parse_dictionary(const rm2i_source *source, const char *text, size_t size,
                                   rm2i_npy_header *header) {
    *header = (rm2i_npy_header){0};
    parser in = {.source = source, .p = text, .end = text + size, .header = header};
    if (!accept(&in, '{'))
        return malformed(&in, "it is not a dictionary");
    while (!accept(&in, '}')) {
        RM2_TRY(parse_entry(&in));
        if (accept(&in, ','))
            continue;
        if (!accept(&in, '}'))
            return malformed(&in, "a comma or the closing brace is missing");
        break;
    }
    skip_space(&in);
    if (in.p != in.end)
        return malformed(&in, "unexpected text after the dictionary");
    if (!in.has_type || !in.has_order || !in.has_shape)
        return malformed(&in, "descr, fortran_order or shape is missing");
    return count_elements(&in);
}

/* Length of the header text: 2 bytes in version 1, 4 bytes later, little endian. */
static rm2_status read_length(rm2i_source *source, size_t *length) {
    unsigned char start[MAGIC_SIZE + 2], bytes[4] = {0};
    RM2_TRY(rm2i_source_exactly(source, start, sizeof start, "the NumPy magic"));
    if (memcmp(start, RM2I_NPY_MAGIC, MAGIC_SIZE) != 0)
        return rm2i_fail(source->ctx, RM2_ERR_FORMAT,
                         "%s is not a .npy file: it does not begin with the NumPy magic",
                         source->name);
    unsigned major = start[MAGIC_SIZE], minor = start[MAGIC_SIZE + 1];
    if (major < 1 || major > 3 || minor != 0)
        return rm2i_fail(source->ctx, RM2_ERR_UNSUPPORTED,
                         "%s: unknown version %u.%u of the .npy format; supported: 1.0, 2.0, 3.0",
                         source->name, major, minor);
    RM2_TRY(rm2i_source_exactly(source, bytes, major == 1 ? 2 : 4, "the header length"));
    *length = bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (*length > rm2i_source_left(source) || *length > HEADER_MAX)
        return rm2i_fail(source->ctx, RM2_ERR_FORMAT,
                         "%s: malformed NumPy header: its length of %zu bytes goes beyond the file "
                         "or any sensible header",
                         source->name, *length);
    return RM2_OK;
}

static rm2_status check_size(const rm2i_source *source, const rm2i_npy_header *header) {
    uint64_t left = rm2i_source_left(source);
    if (header->count <= left / header->type.size)
        return RM2_OK;
    return rm2i_fail(
        source->ctx, RM2_ERR_FORMAT,
        "%s: the header announces %zu elements of %zu bytes, but only %llu bytes follow "
        "(is the file cut off?)",
        source->name, header->count, header->type.size, (unsigned long long)left);
}

rm2_status rm2i_npy_read_header(rm2i_source *source, rm2i_npy_header *header) {
    size_t length = 0;
    char *text;
    RM2_TRY(read_length(source, &length));
    RM2_TRY(rm2i_alloc(source->ctx, length, 1, &text));
    rm2_status status = rm2i_source_exactly(source, text, length, "the NumPy header");
    if (status == RM2_OK)
        status = parse_dictionary(source, text, length, header);
    free(text);
    RM2_TRY(status);
    return check_size(source, header);
}
