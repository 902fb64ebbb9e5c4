/* Streams into memory. open_memstream of the C library loses text without a sign when memory runs out: neither ferror
 * nor fclose of glibc reports it. This stream is whole or fails. */
#define _GNU_SOURCE /* fopencookie */ // NOLINT(bugprone-reserved-identifier)
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

enum { FIRST_SIZE = 1 << 12 };

struct rm2_text_stream {
    FILE *file;
    char *text; /* a NUL follows its `size` bytes */
    size_t size, capacity;
};

/* Fewer bytes than asked for mark the stream as failed. */
static ssize_t add_bytes(void *stream, const char *bytes, size_t size) {
    rm2_text_stream *s = stream;
    if (size >= SIZE_MAX / 2 - s->size)
        return 0;
    size_t capacity = s->capacity;
    while (capacity <= s->size + size)
        capacity *= 2;
    if (capacity > s->capacity && rm2i_grow(NULL, capacity, 1, &s->text) != RM2_OK)
        return 0;
    s->capacity = capacity;
    memcpy(s->text + s->size, bytes, size);
    s->size += size;
    return (ssize_t)size;
}

static rm2_status out_of_memory(rm2_context *ctx) {
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory for a text");
}

rm2_status rm2_text_stream_open(rm2_context *ctx, rm2_text_stream **stream) {
    RM2_REQUIRE(ctx, stream);
    *stream = NULL;
    rm2_text_stream *s;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *s, &s));
    s->capacity = FIRST_SIZE;
    rm2_status status = rm2i_alloc(ctx, FIRST_SIZE, 1, &s->text);
    if (status == RM2_OK)
        s->file = fopencookie(s, "wb", (cookie_io_functions_t){.write = add_bytes});
    if (status == RM2_OK && !s->file)
        status = out_of_memory(ctx);
    if (status == RM2_OK)
        *stream = s;
    else
        rm2_text_stream_discard(s);
    return status;
}

FILE *rm2_text_stream_file(rm2_text_stream *stream) {
    return stream ? stream->file : NULL;
}

void rm2_text_stream_discard(rm2_text_stream *stream) {
    if (!stream)
        return;
    if (stream->file)
        (void)fclose(stream->file);
    free(stream->text);
    free(stream);
}

rm2_status rm2_text_stream_take(rm2_context *ctx, rm2_text_stream *stream, char **text,
                                size_t *size) {
    RM2_REQUIRE(ctx, text);
    *text = NULL;
    RM2_REQUIRE(ctx, stream, size);
    bool whole = !ferror(stream->file) && fflush(stream->file) == 0;
    *size = whole ? stream->size : 0;
    if (whole) {
        *text = stream->text;
        (*text)[*size] = '\0';
        stream->text = NULL;
    }
    rm2_text_stream_discard(stream);
    return whole ? RM2_OK : out_of_memory(ctx);
}
