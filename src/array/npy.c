/* .npy files. Doubles in C order and native byte order go straight into the array; everything else
 * passes through a buffer of bounded size, is converted, and is put in its place in C order. So an
 * array of any type needs its own memory once and no more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy.h"
#include "front/arrays.h"

enum { CHUNK = 1 << 13 }; /* elements converted at a time: raw bytes and doubles stay in cache */

typedef struct chunk {
    unsigned char raw[CHUNK * sizeof(double)];
    double values[CHUNK];
} chunk;

/* Where the next element of the file belongs in C order. */
typedef struct place {
    size_t index[RM2_ARRAY_MAX_DIMS];
    size_t stride[RM2_ARRAY_MAX_DIMS];
    size_t offset;
} place;

size_t rm2_array_count(const rm2_array *array) {
    if (!array)
        return 0;
    size_t count = 1;
    for (size_t i = 0; i < array->dims; i++)
        count *= array->shape[i];
    return count;
}

void rm2_array_clear(rm2_array *array) {
    if (!array)
        return;
    free(array->name);
    free(array->values);
    *array = (rm2_array){0};
}

static place first_place(const rm2i_npy_header *header) {
    place at = {0};
    size_t stride = 1;
    for (size_t i = header->dims; i-- > 0;) {
        at.stride[i] = stride;
        stride *= header->shape[i];
    }
    return at;
}

static void next_place(const rm2i_npy_header *header, place *at) {
    for (size_t i = 0; i < header->dims; i++) {
        at->offset += at->stride[i];
        if (++at->index[i] < header->shape[i])
            return;
        at->offset -= at->index[i] * at->stride[i];
        at->index[i] = 0;
    }
}

static void scatter(const rm2i_npy_header *header, const double *values, size_t count, place *at,
                    double *target) {
    for (size_t i = 0; i < count; i++) {
        target[at->offset] = values[i];
        next_place(header, at);
    }
}

static rm2_status refuse_integer(const rm2i_source *source, size_t index, const char *digits) {
    return rm2i_fail(source->ctx, RM2_ERR_DATA,
                     "%s: element %zu (counted from 0 as stored) is %s, which a double cannot hold "
                     "exactly; integers above 2^53 are refused",
                     source->name, index, digits);
}

static bool in_c_order(const rm2i_npy_header *header) {
    return !header->fortran || header->dims < 2;
}

static rm2_status read_converted(rm2i_source *source, const rm2i_npy_header *header,
                                 const rm2i_npy_span *span, chunk *buffer, double *target) {
    place at = first_place(header);
    bool in_order = in_c_order(header);
    for (size_t done = 0; done < span->count;) {
        size_t count = span->count - done < CHUNK ? span->count - done : CHUNK;
        RM2_TRY(
            rm2i_source_exactly(source, buffer->raw, count * header->type.size, "the elements"));
        double *values = in_order ? target + done : buffer->values;
        char digits[RM2I_NUMBER_SIZE];
        size_t converted = rm2i_npy_convert(header->type, buffer->raw, count, values, digits);
        if (converted != count)
            return refuse_integer(source, span->from + done + converted, digits);
        if (!in_order)
            scatter(header, values, count, &at, target);
        done += count;
    }
    return RM2_OK;
}

static rm2_status read_elements(rm2i_source *source, const rm2i_npy_header *header,
                                const rm2i_npy_span *span, double *target) {
    bool as_stored = header->type.kind == RM2I_NPY_FLOAT && header->type.size == sizeof(double) &&
                     !header->type.swapped && in_c_order(header);
    if (as_stored)
        return rm2i_source_exactly(source, target, span->count * sizeof(double), "the elements");
    chunk *buffer;
    RM2_TRY(rm2i_alloc(source->ctx, 1, sizeof *buffer, &buffer));
    rm2_status status = read_converted(source, header, span, buffer, target);
    free(buffer);
    return status;
}

rm2_status rm2i_npy_enter_span(rm2i_source *source, const rm2i_npy_header *header,
                               const rm2i_npy_span *given, rm2i_npy_span *span) {
    *span = given ? *given : (rm2i_npy_span){0, header->count};
    if (given && !in_c_order(header))
        return rm2i_fail(source->ctx, RM2_ERR_UNSUPPORTED,
                         "%s: the array is in Fortran order, which is not read in parts; save "
                         "numpy.ascontiguousarray(x)",
                         source->name);
    if (span->from > header->count || span->count > header->count - span->from)
        return rm2i_fail(source->ctx, RM2_ERR_FORMAT,
                         "%s: expected %zu elements from number %zu on, got an array of %zu (has "
                         "the file changed?)",
                         source->name, span->count, span->from, header->count);
    return rm2i_source_skip(source, (uint64_t)span->from * header->type.size);
}

rm2_status rm2i_npy_leave_span(rm2i_source *source, const rm2i_npy_header *header,
                               const rm2i_npy_span *span) {
    size_t left = header->count - span->from - span->count;
    return span->count > 0 ? rm2i_source_skip(source, (uint64_t)left * header->type.size) : RM2_OK;
}

static rm2_status read_span(rm2i_source *source, const rm2i_npy_header *header,
                            const rm2i_npy_span *given, rm2_array *array) {
    rm2i_npy_span span;
    RM2_TRY(rm2i_npy_enter_span(source, header, given, &span));
    RM2_TRY(rm2i_alloc(source->ctx, span.count, sizeof *array->values, &array->values));
    array->dims = given ? 1 : header->dims;
    memcpy(array->shape, given ? &span.count : header->shape, array->dims * sizeof *array->shape);
    RM2_TRY(read_elements(source, header, &span, array->values));
    return rm2i_npy_leave_span(source, header, &span);
}

static rm2_status read_header_of_numbers(rm2i_source *source, rm2i_npy_header *header) {
    RM2_TRY(rm2i_npy_read_header(source, header));
    return rm2i_npy_is_text(header->type)
               ? rm2i_fail(source->ctx, RM2_ERR_UNSUPPORTED,
                           "%s: the array holds texts, expected numbers", source->name)
               : RM2_OK;
}

rm2_status rm2i_npy_load(rm2i_source *source, const rm2i_npy_span *span, rm2_array *array) {
    *array = (rm2_array){0};
    rm2i_npy_header header;
    RM2_TRY(read_header_of_numbers(source, &header));
    rm2_status status = read_span(source, &header, span, array);
    if (status != RM2_OK)
        rm2_array_clear(array);
    return status;
}

static rm2_status load_file(rm2i_source *source, const rm2i_npy_span *span, rm2_array *array) {
    RM2_TRY(rm2i_source_spool(source, RM2I_NPY_MAGIC));
    RM2_TRY(rm2i_npy_load(source, span, array));
    if (rm2i_source_left(source) > 0 && !(span && span->count == 0))
        rm2i_log(source->ctx, RM2_LOG_WARNING,
                 "%s: %llu bytes after the array are not read (only the first array of a file is)",
                 source->name, (unsigned long long)rm2i_source_left(source));
    return RM2_OK;
}

rm2_status rm2i_npy_describe(rm2_context *ctx, const char *path, rm2i_npy_header *header) {
    rm2i_source source;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = read_header_of_numbers(&source, header);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2i_npy_read_span(rm2_context *ctx, const char *path, const rm2i_npy_span *span,
                              rm2_array *array) {
    rm2i_source source;
    *array = (rm2_array){0};
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = load_file(&source, span, array);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2_npy_read(rm2_context *ctx, const char *path, rm2_array *array) {
    RM2_REQUIRE(ctx, array);
    *array = (rm2_array){0};
    RM2_REQUIRE(ctx, path);
    return rm2i_npy_read_span(ctx, path, NULL, array);
}

rm2_status rm2i_npy_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                          rm2_array *array) {
    RM2_REQUIRE(ctx, array);
    *array = (rm2_array){0};
    RM2_REQUIRE(ctx, name);
    if (size > 0)
        RM2_REQUIRE(ctx, bytes);
    rm2i_source source;
    rm2i_source_memory(ctx, name, bytes, size, &source);
    return load_file(&source, NULL, array);
}
