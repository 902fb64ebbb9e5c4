/* Sources of bytes. The parsers see one read function and do not know whether the bytes come from
 * a file, a pipe or memory; an archive entry is a source too (npz_read.c). Regular files are read
 * with pread, so that the position is ours alone and any part can be read again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

enum {
    READ_MAX = 1 << 24,   /* bytes between two looks at the interrupt flag */
    SPOOL_START = 1 << 16 /* bytes of the first block of a spooled stream */
};

static rm2_status read_failed(const rm2i_source *source) {
    return rm2i_fail(source->ctx, RM2_ERR_IO, "cannot read %s: %s", source->name, strerror(errno));
}

static rm2_status check_limit(const rm2i_source *source, uint64_t most, uint64_t size) {
    if (size <= most)
        return RM2_OK;
    return rm2i_fail(source->ctx, RM2_ERR_FORMAT,
                     "%s has more than %llu bytes, the limit for a file of this kind", source->name,
                     (unsigned long long)most);
}

static ssize_t read_some(const rm2i_source *source, void *bytes, size_t size) {
    if (source->size == RM2I_STREAM)
        return read(source->fd, bytes, size);
    return pread(source->fd, bytes, size, (off_t)source->position);
}

static rm2_status read_file(rm2i_source *source, void *bytes, size_t size, size_t *got) {
    *got = 0;
    while (*got < size) {
        if (rm2i_interrupted(source->ctx))
            return rm2i_fail(source->ctx, RM2_INTERRUPTED, "interrupted while reading %s",
                             source->name);
        size_t want = size - *got < READ_MAX ? size - *got : READ_MAX;
        ssize_t count = read_some(source, (char *)bytes + *got, want);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return read_failed(source);
        if (count == 0)
            break;
        *got += (size_t)count;
        source->position += (uint64_t)count;
        RM2_TRY(check_limit(source, source->most, source->position));
    }
    return RM2_OK;
}

static rm2_status read_memory(rm2i_source *source, void *bytes, size_t size, size_t *got) {
    uint64_t left = rm2i_source_left(source);
    *got = left < size ? (size_t)left : size;
    if (*got > 0)
        memcpy(bytes, source->bytes + source->position, *got);
    source->position += *got;
    return RM2_OK;
}

static rm2_status examine(rm2i_source *source) {
    struct stat info;
    if (fstat(source->fd, &info) != 0)
        return read_failed(source);
    if (S_ISDIR(info.st_mode))
        return rm2i_fail(source->ctx, RM2_ERR_IO, "cannot read %s: it is a directory",
                         source->name);
    if (S_ISREG(info.st_mode))
        source->size = (uint64_t)info.st_size;
    return RM2_OK;
}

rm2_status rm2i_source_open(rm2_context *ctx, const char *path, rm2i_source *source) {
    *source = (rm2i_source){.ctx = ctx,
                            .name = path,
                            .read = read_file,
                            .size = RM2I_STREAM,
                            .most = UINT64_MAX,
                            .fd = -1};
    if (!path || !*path)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the file name is %s", path ? "empty" : "NULL");
    if (strcmp(path, "-") == 0) {
        source->name = "standard input";
        source->fd = STDIN_FILENO;
    } else {
        do /* a pipe may be waited for */
            source->fd = open(path, O_RDONLY | O_CLOEXEC);
        while (source->fd < 0 && errno == EINTR && !rm2i_interrupted(ctx));
    }
    if (source->fd < 0)
        return read_failed(source);
    rm2_status status = examine(source);
    if (status != RM2_OK)
        rm2i_source_close(source);
    return status;
}

void rm2i_source_memory(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                        rm2i_source *source) {
    *source = (rm2i_source){.ctx = ctx,
                            .name = name ? name : "memory",
                            .read = read_memory,
                            .size = size,
                            .fd = -1,
                            .bytes = bytes};
}

void rm2i_source_close(rm2i_source *source) {
    if (source->fd > STDIN_FILENO)
        (void)close(source->fd);
    source->fd = -1;
    free(source->spool);
    source->spool = NULL;
}

rm2_status rm2i_source_limit(rm2i_source *source, uint64_t most) {
    source->most = most;
    return source->size == RM2I_STREAM ? RM2_OK : check_limit(source, most, source->size);
}

static bool begins_with(const void *bytes, size_t size, const char *start) {
    size_t length = strlen(start);
    return size >= length && memcmp(bytes, start, length) == 0;
}

rm2_status rm2i_source_spool(rm2i_source *source, const char *start) {
    if (source->size != RM2I_STREAM)
        return RM2_OK;
    size_t capacity = SPOOL_START, used = 0, got;
    for (;;) {
        RM2_TRY(rm2i_grow(source->ctx, capacity, 1, &source->spool));
        RM2_TRY(source->read(source, (char *)source->spool + used, capacity - used, &got));
        used += got;
        if (used < capacity || !begins_with(source->spool, used, start))
            break;
        capacity += capacity / 2;
    }
    source->bytes = source->spool;
    source->read = read_memory;
    source->position = 0;
    source->size = used;
    return RM2_OK;
}

uint64_t rm2i_source_left(const rm2i_source *source) {
    return source->position < source->size ? source->size - source->position : 0;
}

rm2_status rm2i_source_skip(rm2i_source *source, uint64_t size) {
    if (source->skip)
        return source->skip(source, size);
    source->position += size;
    return RM2_OK;
}

bool rm2i_regular_file(const char *path, uint64_t *size) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    *size = (uint64_t)info.st_size;
    return true;
}

rm2_status rm2i_source_exactly(rm2i_source *source, void *bytes, size_t size, const char *what) {
    size_t got;
    RM2_TRY(source->read(source, bytes, size, &got));
    if (got == size)
        return RM2_OK;
    return rm2i_fail(source->ctx, RM2_ERR_FORMAT, "%s: the file ends within %s (%zu of %zu bytes)",
                     source->name, what, got, size);
}

/* One byte more than `most` shows that the file goes on. */
static rm2_status read_start(rm2i_source *source, size_t most, char **text, size_t *size,
                             bool *whole) {
    size_t got;
    most -= most == SIZE_MAX;
    RM2_TRY(rm2i_calloc(source->ctx, most + 1, 1, text));
    RM2_TRY(source->read(source, *text, most + 1, &got));
    if (!whole)
        RM2_TRY(check_limit(source, most, got));
    else
        *whole = got <= most;
    *size = got < most ? got : most;
    (*text)[*size] = '\0';
    return rm2i_grow(source->ctx, *size + 1, 1, text);
}

rm2_status rm2_file_read(rm2_context *ctx, const char *path, size_t most, char **text, size_t *size,
                         bool *whole) {
    RM2_REQUIRE(ctx, text, size);
    *text = NULL;
    *size = 0;
    RM2_REQUIRE(ctx, path);
    rm2i_source source;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = read_start(&source, most, text, size, whole);
    rm2i_source_close(&source);
    if (status != RM2_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return status;
}
