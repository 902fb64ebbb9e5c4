/* Parts of the NumPy reader and writer: npy_header.c understands the header, npy_convert.c the
 * types of numbers, npy_text.c the texts, npy.c reads and writes arrays; the archive code uses all
 * of them. */
#ifndef RM2I_NPY_H
#define RM2I_NPY_H

#include "io/io.h"

#define RM2I_NPY_MAGIC "\x93NUMPY" /* first bytes of a .npy file */

typedef enum rm2i_npy_kind {
    RM2I_NPY_FLOAT,
    RM2I_NPY_SIGNED,
    RM2I_NPY_UNSIGNED,
    RM2I_NPY_BOOL,
    RM2I_NPY_UTF32, /* texts: code points of 4 bytes, padded with zeros */
    RM2I_NPY_BYTES  /* texts: bytes, padded with zeros */
} rm2i_npy_kind;

typedef struct rm2i_npy_type {
    rm2i_npy_kind kind;
    size_t size;  /* bytes of an element: 1, 2, 4 or 8 of a number; any number of a text */
    bool swapped; /* the byte order is not that of this machine */
} rm2i_npy_type;

typedef struct rm2i_npy_header {
    rm2i_npy_type type;
    bool fortran; /* first index runs fastest */
    size_t dims;
    size_t shape[RM2_ARRAY_MAX_DIMS];
    size_t count; /* elements */
} rm2i_npy_header;

/* Read magic, version and header; the source then stands at the first element, and has at least
 * as many bytes left as the elements need. */
rm2_status rm2i_npy_read_header(rm2i_source *source, rm2i_npy_header *header);

/* '<' on a little-endian machine, '>' on a big-endian one. */
char rm2i_npy_native_order(void);

/* Convert elements to doubles. Returns `count`, or the index of the first integer that a double
 * cannot hold; its digits are then in `digits`. */
size_t rm2i_npy_convert(rm2i_npy_type type, const unsigned char *raw, size_t count, double *values,
                        char digits[RM2I_NUMBER_SIZE]);

/* Consecutive elements of an array in C order. */
typedef struct rm2i_npy_span {
    size_t from, count;
} rm2i_npy_span;

/* Read an array of numbers from a source of known size that stands at the magic. On failure the
 * array is empty. `span` NULL: all elements; else those elements alone, in an array of one
 * dimension, which is refused in Fortran order. The source then stands after the array, except if the span is empty. */
rm2_status rm2i_npy_load(rm2i_source *source, const rm2i_npy_span *span, rm2_array *array);

/* The same for an array of texts, of one dimension or none. */
rm2_status rm2i_npy_load_texts(rm2i_source *source, const rm2i_npy_span *span, rm2_texts *texts);
bool rm2i_npy_is_text(rm2i_npy_type type);

/* The elements that are meant: of `header`, in front of which the source is moved. Then, after they were read, past the
 * others. */
rm2_status rm2i_npy_enter_span(rm2i_source *source, const rm2i_npy_header *header,
                               const rm2i_npy_span *given, rm2i_npy_span *span);
rm2_status rm2i_npy_leave_span(rm2i_source *source, const rm2i_npy_header *header,
                               const rm2i_npy_span *span);

/* Header of a file of numbers. */
rm2_status rm2i_npy_describe(rm2_context *ctx, const char *path, rm2i_npy_header *header);
/* As rm2_npy_read, for a span of the elements or NULL. */
rm2_status rm2i_npy_read_span(rm2_context *ctx, const char *path, const rm2i_npy_span *span,
                              rm2_array *array);

enum { RM2I_NPY_HEADER_MAX = 256 }; /* bytes of any header written here */

/* Magic, version and header of an array; returns its size, a multiple of 64. */
size_t rm2i_npy_format_header(const rm2_array *array, char header[RM2I_NPY_HEADER_MAX]);

/* The elements of an array as they are in a file: texts as code points of 4 bytes, as many per text as the longest has;
 * integers of 64 bits. Failure if a value is not the code of a text, or not an integer. Doubles are there already: *bytes
 * is NULL then. The caller frees them. */
rm2_status rm2i_npy_encode(rm2_context *ctx, const rm2_array *array, void **bytes, size_t *size);
/* Bytes of an element: of a number, or of the longest text. */
size_t rm2i_npy_element_size(const rm2_array *array);

/* The whole file of an array of numbers on a stream, with its elements as they are in a file; errors stay in the stream. */
void rm2i_npy_print(FILE *stream, const rm2_array *array, const void *elements);

/* Failure if the array cannot be written: no values, too many dimensions, sizes that overflow. */
rm2_status rm2i_npy_check_array(rm2_context *ctx, const rm2_array *array);

/* As rm2_npy_read, of bytes; `name` stands for the path in messages. */
rm2_status rm2i_npy_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                          rm2_array *array);

#endif
