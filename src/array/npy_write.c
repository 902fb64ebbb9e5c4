/* .npy files from arrays: version 1.0, C order, the byte order of this machine named in
 * the header, data at a multiple of 64 bytes as NumPy does it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy.h"
#include "front/arrays.h"

enum { ALIGNMENT = 64, PREFIX = 10 }; /* magic, version and length take 10 bytes */

rm2_status rm2i_npy_check_array(rm2_context *ctx, const rm2_array *array) {
    if (array->dims > RM2_ARRAY_MAX_DIMS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "an array has %zu dimensions; at most %d are supported", array->dims,
                         RM2_ARRAY_MAX_DIMS);
    size_t bytes = sizeof(double);
    for (size_t i = 0; i < array->dims; i++)
        if (__builtin_mul_overflow(bytes, array->shape[i], &bytes))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the shape of an array is too large");
    if (bytes > 0)
        RM2_REQUIRE(ctx, array->values);
    return RM2_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const uint32_t REPLACEMENT = 0xfffd; /* for a byte that is not UTF-8 */

/* The next character of a text; moves past it. */
static uint32_t next_character(const char **text) {
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *p = (const unsigned char *)*text;
    size_t length = rm2_utf8_length(*text, strlen(*text));
    *text += length ? length : 1;
    if (length == 0)
        return REPLACEMENT;
    uint32_t code = p[0] & lead[length];
    for (size_t k = 1; k < length; k++)
        code = code << 6 | (p[k] & 0x3f);
    return code;
}

static size_t count_characters(const char *text) {
    size_t count = 0;
    for (; *text; count++)
        (void)next_character(&text);
    return count;
}

size_t rm2i_npy_element_size(const rm2_array *array) {
    size_t longest = 1;
    if (!array->texts)
        return sizeof(double);
    for (size_t k = 0; k < array->text_count; k++) {
        size_t length = count_characters(array->texts[k]);
        longest = length > longest ? length : longest;
    }
    return longest * sizeof(uint32_t);
}

static rm2_status encode_texts(rm2_context *ctx, const rm2_array *array, void **bytes,
                               size_t *size) {
    size_t count = rm2_array_count(array), width = rm2i_npy_element_size(array) / sizeof(uint32_t);
    uint32_t *characters;
    for (size_t i = 0; i < count; i++)
        if (!(array->values[i] >= 0 && array->values[i] < (double)array->text_count))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "entry %zu of an array of texts is %g; expected an index below %zu", i,
                             array->values[i], array->text_count);
    RM2_TRY(rm2i_calloc(ctx, count, width * sizeof *characters, &characters));
    for (size_t i = 0; i < count; i++) {
        const char *text = array->texts[(size_t)array->values[i]];
        for (size_t k = 0; *text; k++)
            characters[i * width + k] = next_character(&text);
    }
    *bytes = characters;
    *size = count * width * sizeof *characters;
    return RM2_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static rm2_status encode_integers(rm2_context *ctx, const rm2_array *array, void **bytes) {
    size_t count = rm2_array_count(array);
    int64_t *integers;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *integers, &integers));
    for (size_t i = 0; i < count; i++) {
        double value = array->values[i];
        if (!(fabs(value) <= 0x1p53 && value == floor(value))) {
            free(integers);
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "entry %zu of an array of integers is %g; expected a whole number up "
                             "to 2^53",
                             i, value);
        }
        integers[i] = (int64_t)value;
    }
    *bytes = integers;
    return RM2_OK;
}

rm2_status rm2i_npy_encode(rm2_context *ctx, const rm2_array *array, void **bytes, size_t *size) {
    *bytes = NULL;
    *size = rm2_array_count(array) * sizeof(double);
    if (array->texts)
        return encode_texts(ctx, array, bytes, size);
    return array->integers ? encode_integers(ctx, array, bytes) : RM2_OK;
}

size_t rm2i_npy_format_header(const rm2_array *array, char header[RM2I_NPY_HEADER_MAX]) {
    char *text = header + PREFIX;
    size_t room = RM2I_NPY_HEADER_MAX - PREFIX;
    size_t element = rm2i_npy_element_size(array);
    int used = snprintf(text, room, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
                        rm2i_npy_native_order(),
                        array->texts      ? 'U'
                        : array->integers ? 'i'
                                          : 'f',
                        array->texts ? element / sizeof(uint32_t) : element);
    for (size_t i = 0; i < array->dims; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%zu", i ? ", " : "", array->shape[i]);
    used += snprintf(text + used, room - (size_t)used, "%s), }", array->dims == 1 ? "," : "");
    size_t total = (PREFIX + (size_t)used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(text + used, ' ', total - PREFIX - (size_t)used);
    header[total - 1] = '\n';
    memcpy(header, RM2I_NPY_MAGIC "\x01\x00", 8);
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    return total;
}

void rm2i_npy_print(FILE *stream, const rm2_array *array, const void *elements) {
    char header[RM2I_NPY_HEADER_MAX];
    size_t size = rm2i_npy_format_header(array, header), count = rm2_array_count(array);
    (void)fwrite(header, 1, size, stream);
    if (count > 0)
        (void)fwrite(elements, sizeof(double), count, stream);
}

static rm2_status print(rm2_context *ctx, FILE *stream, const char *path, const rm2_array *array,
                        const void *encoded) {
    errno = 0;
    rm2i_npy_print(stream, array, encoded ? encoded : array->values);
    return rm2i_stream_check(ctx, stream, path);
}

rm2_status rm2_npy_write(rm2_context *ctx, const char *path, const rm2_array *array,
                         bool overwrite) {
    RM2_REQUIRE(ctx, path, array);
    RM2_TRY(rm2i_npy_check_array(ctx, array));
    if (array->texts)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: texts are written to .npz files only", path);
    void *encoded;
    size_t size;
    rm2_writer *output;
    RM2_TRY(rm2i_npy_encode(ctx, array, &encoded, &size));
    rm2_status status = rm2_writer_open(ctx, path, overwrite, &output);
    if (status == RM2_OK)
        status = print(ctx, rm2_writer_stream(output), path, array, encoded);
    free(encoded);
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}
