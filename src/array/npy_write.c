/* .npy files from arrays of doubles: version 1.0, C order, the byte order of this machine named in
 * the header, data at a multiple of 64 bytes as NumPy does it. */
#include <errno.h>
#include <string.h>

#include "array/npy.h"

enum { ALIGNMENT = 64, PREFIX = 10 }; /* magic, version and length take 10 bytes */

rm2_status rm2i_npy_check_array(rm2_context *ctx, const rm2_array *array) {
    if (array->dims > RM2_ARRAY_MAX_DIMS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "an array has %zu dimensions, %d are possible",
                         array->dims, RM2_ARRAY_MAX_DIMS);
    size_t bytes = sizeof(double);
    for (size_t i = 0; i < array->dims; i++)
        if (__builtin_mul_overflow(bytes, array->shape[i], &bytes))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the shape of an array is too large");
    if (bytes > 0)
        RM2_REQUIRE(ctx, array->values);
    return RM2_OK;
}

size_t rm2i_npy_format_header(const rm2_array *array, char header[RM2I_NPY_HEADER_MAX]) {
    char *text = header + PREFIX;
    size_t room = RM2I_NPY_HEADER_MAX - PREFIX;
    int used = snprintf(text, room, "{'descr': '%cf8', 'fortran_order': False, 'shape': (",
                        rm2i_npy_native_order());
    for (size_t i = 0; i < array->dims; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%zu", i ? ", " : "", array->shape[i]);
    used += snprintf(text + used, room - (size_t)used, "%s), }", array->dims == 1 ? "," : "");
    size_t total = (PREFIX + (size_t)used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(text + used, ' ', total - PREFIX - (size_t)used);
    header[total - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    return total;
}

void rm2i_npy_print(FILE *stream, const rm2_array *array) {
    char header[RM2I_NPY_HEADER_MAX];
    size_t size = rm2i_npy_format_header(array, header), count = rm2_array_count(array);
    (void)fwrite(header, 1, size, stream);
    if (count > 0)
        (void)fwrite(array->values, sizeof(double), count, stream);
}

rm2_status rm2_npy_write(rm2_context *ctx, const char *path, const rm2_array *array,
                         bool overwrite) {
    RM2_REQUIRE(ctx, path, array);
    RM2_TRY(rm2i_npy_check_array(ctx, array));
    rm2_writer *output;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    FILE *stream = rm2_writer_stream(output);
    errno = 0;
    rm2i_npy_print(stream, array);
    rm2_status status = rm2i_stream_check(ctx, stream, path);
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}
