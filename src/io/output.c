/* Files that appear whole or not at all: a temporary file in the directory of the target, synced,
 * then renamed over it (or linked, where nothing may be replaced). The temporary file is made with
 * open(O_EXCL) and mode 0666 rather than mkstemp, so that the kernel applies umask and default
 * ACLs; asking for the umask is not possible without changing it for all threads.
 *
 * Bytes go through a stream of our own making (fopencookie): unlike the C library's, it continues after a signal and
 * keeps the reason of a failure until someone asks. */
#define _GNU_SOURCE /* realpath, fopencookie */ // NOLINT(bugprone-reserved-identifier)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "front/base.h"
#include "io/io.h"

enum {
    ATTEMPTS = 100,      /* names tried for the temporary file */
    NAME_PART_MAX = 200, /* bytes of the target's name kept in the temporary name */
    STALE = 60,          /* seconds */
    SUFFIX_SIZE = 32,    /* "/." before and ".tmp", 6 characters and NUL after the name */
    FIRST_SIZE = 1 << 12 /* bytes of a text in memory */
};

struct rm2_writer {
    char *path;      /* for messages */
    char *target;    /* the file itself, symbolic links resolved; NULL: written directly */
    char *temporary; /* NULL: written directly */
    FILE *stream;
    rm2_context *ctx; /* asked for interrupts */
    int fd;           /* of the stream; -1: none, or standard output */
    int error;        /* errno of the first write that failed */
    bool overwrite;
    char *text; /* in memory: a NUL follows its `size` bytes; NULL: a file */
    size_t size, capacity;
};

static const char *reason(int error) {
    return error == ENOSPC ? "disk full" : error ? strerror(error) : "a write failed";
}

static rm2_status write_failed(rm2_context *ctx, const char *name) {
    return rm2i_fail(ctx, RM2_ERR_IO, "cannot write %s: %s", name, reason(errno));
}

static rm2_status exists_already(rm2_context *ctx, const char *path) {
    return rm2i_fail(ctx, RM2_ERR_IO, "%s exists already; pass overwrite = true to replace it",
                     path);
}

rm2_status rm2i_stream_check(rm2_context *ctx, FILE *stream, const char *name) {
    return ferror(stream) ? write_failed(ctx, name) : RM2_OK;
}

/* Is a call that failed to be made again, since a signal came and nobody asked to stop? */
static bool again(rm2_context *ctx) {
    int error = errno;
    bool stop = error != EINTR || rm2i_interrupted(ctx);
    errno = error; /* a callback may have changed it */
    return !stop;
}

static int open_again(rm2_context *ctx, const char *path, int flags) {
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && again(ctx));
    return fd;
}

static int sync_again(rm2_context *ctx, int fd) {
    int failed;
    do
        failed = fsync(fd);
    while (failed && again(ctx));
    return failed;
}

/* The descriptor is gone whatever close says, so that a signal is not a failure. */
static int close_once(int fd) {
    return close(fd) == 0 || errno == EINTR ? 0 : -1;
}

static void free_output(rm2_writer *output) {
    free(output->text);
    free(output->path);
    free(output->target);
    free(output->temporary);
    free(output);
}

static uint64_t name_seed(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 30) ^ ((uint64_t)getpid() << 45);
}

static void random_letters(rm2_rng *rng, char letters[7]) {
    for (int i = 0; i < 6; i++)
        letters[i] = "abcdefghijklmnopqrstuvwxyz012345"[rm2_rng_next(rng) >> 59];
    letters[6] = '\0';
}

/* Is this the temporary file of a process that is gone? Those that are written are locked; STALE seconds are more than a file
 * can be there before it is. */
static bool is_stale(const char *path) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool stale = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                 time(NULL) - info.st_mtime > STALE && flock(fd, LOCK_EX | LOCK_NB) == 0;
    (void)close(fd);
    return stale;
}

/* Remove what a killed process left of this target: ".NAME.tmpXXXXXX". */
static void remove_stale(const char *target, char *temporary, size_t size) {
    const char *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    char begin[NAME_PART_MAX + SUFFIX_SIZE];
    int length = snprintf(begin, sizeof begin, ".%.*s.tmp", NAME_PART_MAX, target + directory);
    (void)snprintf(temporary, size, "%.*s.", directory, target);
    DIR *folder = opendir(temporary);
    for (const struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        if (strncmp(e->d_name, begin, (size_t)length) != 0 || strlen(e->d_name + length) != 6)
            continue;
        (void)snprintf(temporary, size, "%.*s%s", directory, target, e->d_name);
        if (is_stale(temporary))
            (void)unlink(temporary);
    }
    if (folder)
        (void)closedir(folder);
}

/* Create ".NAME.tmpXXXXXX" next to the target. */
static int create_temporary(rm2_context *ctx, const char *target, char *temporary, size_t size) {
    const char *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    rm2_rng rng;
    rm2_rng_seed(&rng, name_seed());
    for (int i = 0; i < ATTEMPTS; i++) {
        char letters[7];
        random_letters(&rng, letters);
        (void)snprintf(temporary, size, "%.*s.%.*s.tmp%s", directory, target, NAME_PART_MAX,
                       target + directory, letters);
        int fd = open_again(ctx, temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* The stream's bytes; fewer than `size` mark it as failed. */
static ssize_t write_bytes(void *writer, const char *bytes, size_t size) {
    rm2_writer *output = writer;
    size_t done = 0;
    while (done < size) {
        ssize_t count = write(output->fd, bytes + done, size - done);
        if (count < 0 && again(output->ctx))
            continue;
        if (count < 0) {
            output->error = output->error ? output->error : errno;
            break;
        }
        done += (size_t)count;
    }
    return (ssize_t)done;
}

static rm2_status attach_stream(rm2_context *ctx, rm2_writer *output, int fd) {
    if (fd < 0)
        return write_failed(ctx, output->path);
    output->fd = fd;
    output->stream = fopencookie(output, "wb", (cookie_io_functions_t){.write = write_bytes});
    return output->stream ? RM2_OK : write_failed(ctx, output->path);
}

static rm2_status open_temporary(rm2_context *ctx, rm2_writer *output, const struct stat *old) {
    size_t size = strlen(output->target) + SUFFIX_SIZE;
    char *temporary;
    RM2_TRY(rm2i_alloc(ctx, size, 1, &temporary));
    remove_stale(output->target, temporary, size);
    int fd = create_temporary(ctx, output->target, temporary, size);
    if (fd < 0) {
        rm2_status status = write_failed(ctx, output->path);
        free(temporary);
        return status;
    }
    output->temporary = temporary;
    (void)flock(fd, LOCK_EX | LOCK_NB); /* until it is closed */
    if (old)
        (void)fchmod(fd, old->st_mode & 0777); /* a new file with the old one's permissions */
    return attach_stream(ctx, output, fd);
}

/* The file behind symbolic links, in memory of this library. */
static rm2_status resolve(rm2_context *ctx, rm2_writer *output) {
    char *real = realpath(output->path, NULL);
    if (!real)
        return write_failed(ctx, output->path);
    rm2_status status = rm2i_strdup(ctx, real, &output->target);
    free(real);
    return status;
}

static rm2_status open_existing(rm2_context *ctx, rm2_writer *output, const struct stat *info) {
    if (S_ISDIR(info->st_mode))
        return rm2i_fail(ctx, RM2_ERR_IO, "cannot write %s: it is a directory", output->path);
    if (!S_ISREG(info->st_mode))
        return attach_stream(ctx, output, open_again(ctx, output->path, O_WRONLY));
    if (!output->overwrite)
        return exists_already(ctx, output->path);
    if (access(output->path, W_OK) != 0)
        return write_failed(ctx, output->path);
    RM2_TRY(resolve(ctx, output));
    return open_temporary(ctx, output, info);
}

static rm2_status open_target(rm2_context *ctx, rm2_writer *output) {
    struct stat info;
    if (strcmp(output->path, "-") == 0) {
        output->stream = stdout;
        return RM2_OK;
    }
    if (stat(output->path, &info) == 0)
        return open_existing(ctx, output, &info);
    if (errno != ENOENT)
        return write_failed(ctx, output->path);
    if (lstat(output->path, &info) == 0)
        return rm2i_fail(ctx, RM2_ERR_IO,
                         "cannot write %s: it is a symbolic link to a missing file", output->path);
    RM2_TRY(rm2i_strdup(ctx, output->path, &output->target));
    return open_temporary(ctx, output, NULL);
}

rm2_status rm2_writer_open(rm2_context *ctx, const char *path, bool overwrite,
                           rm2_writer **output) {
    RM2_REQUIRE(ctx, output);
    *output = NULL;
    RM2_REQUIRE(ctx, path);
    if (!*path)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the file name is empty");
    rm2_writer *new_output;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *new_output, &new_output));
    new_output->ctx = ctx;
    new_output->fd = -1;
    new_output->overwrite = overwrite;
    rm2_status status = rm2i_strdup(ctx, path, &new_output->path);
    if (status == RM2_OK)
        status = open_target(ctx, new_output);
    if (status == RM2_OK)
        *output = new_output;
    else
        rm2_writer_discard(new_output);
    return status;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* open_memstream of the C library loses text without a sign when memory runs out: neither ferror nor fclose of glibc
 * reports it. Here fewer bytes than asked for mark the stream as failed. */
static ssize_t add_bytes(void *writer, const char *bytes, size_t size) {
    rm2_writer *o = writer;
    if (size >= SIZE_MAX / 2 - o->size)
        return 0;
    size_t capacity = o->capacity;
    while (capacity <= o->size + size)
        capacity *= 2;
    if (capacity > o->capacity && rm2i_grow(NULL, capacity, 1, &o->text) != RM2_OK)
        return 0;
    o->capacity = capacity;
    memcpy(o->text + o->size, bytes, size);
    o->size += size;
    return (ssize_t)size;
}

static rm2_status out_of_memory(rm2_context *ctx) {
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory for a text");
}

rm2_status rm2_writer_open_memory(rm2_context *ctx, rm2_writer **output) {
    RM2_REQUIRE(ctx, output);
    *output = NULL;
    rm2_writer *o;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *o, &o));
    o->fd = -1;
    o->capacity = FIRST_SIZE;
    rm2_status status = rm2i_alloc(ctx, FIRST_SIZE, 1, &o->text);
    if (status == RM2_OK)
        o->stream = fopencookie(o, "wb", (cookie_io_functions_t){.write = add_bytes});
    if (status == RM2_OK && !o->stream)
        status = out_of_memory(ctx);
    if (status == RM2_OK)
        *output = o;
    else
        rm2_writer_discard(o);
    return status;
}

rm2_status rm2_writer_consume(rm2_context *ctx, rm2_writer *output, char **text, size_t *size) {
    RM2_REQUIRE(ctx, text);
    *text = NULL;
    RM2_REQUIRE(ctx, output, size);
    bool whole = output->text && !ferror(output->stream) && fflush(output->stream) == 0;
    *size = whole ? output->size : 0;
    if (whole) {
        *text = output->text;
        (*text)[*size] = '\0';
        output->text = NULL;
    }
    rm2_writer_discard(output);
    return whole ? RM2_OK : out_of_memory(ctx);
}

/* ---- the end -------------------------------------------------------------------------------- */

FILE *rm2_writer_stream(rm2_writer *output) {
    return output ? output->stream : NULL;
}

void rm2_writer_discard(rm2_writer *output) {
    if (!output)
        return;
    if (output->stream && output->stream != stdout)
        (void)fclose(output->stream);
    if (output->fd >= 0)
        (void)close(output->fd);
    if (output->temporary)
        (void)unlink(output->temporary);
    free_output(output);
}

/* Bring all bytes to the disk and close. */
static rm2_status finish_stream(rm2_context *ctx, rm2_writer *output) {
    errno = 0;
    if (ferror(output->stream) || fflush(output->stream) != 0) {
        errno = output->error ? output->error : errno;
        return write_failed(ctx, output->path);
    }
    if (output->fd < 0)
        return RM2_OK;
    if (output->temporary && sync_again(ctx, output->fd) != 0)
        return write_failed(ctx, output->path);
    int fd = output->fd;
    output->fd = -1;
    return close_once(fd) == 0 ? RM2_OK : write_failed(ctx, output->path);
}

/* Give the temporary file its name without ever replacing another file; on file systems without
 * hard links a file that comes up between the test and the renaming is lost. */
static int link_into_place(const rm2_writer *output) {
    if (link(output->temporary, output->target) == 0) {
        (void)unlink(output->temporary); /* discard tries again */
        return 0;
    }
    if (errno == EEXIST)
        return -1;
    if (access(output->target, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(output->temporary, output->target);
}

/* The new name is on disk when its directory is; file systems that cannot sync one say so by other errors. */
static int sync_directory(rm2_context *ctx, char *target) {
    char *slash = strrchr(target, '/');
    if (slash)
        slash[slash == target] = '\0';
    int fd = open_again(ctx, slash ? target : ".", O_RDONLY);
    if (fd < 0)
        return 0;
    int failed = sync_again(ctx, fd) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
    int error = errno;
    (void)close(fd);
    errno = error;
    return failed ? -1 : 0;
}

static rm2_status move_into_place(rm2_context *ctx, rm2_writer *output) {
    if (!output->temporary)
        return RM2_OK;
    int failed =
        output->overwrite ? rename(output->temporary, output->target) : link_into_place(output);
    if (failed && errno == EEXIST)
        return exists_already(ctx, output->path);
    if (failed || sync_directory(ctx, output->target) != 0)
        return write_failed(ctx, output->path);
    return RM2_OK;
}

rm2_status rm2_writer_commit(rm2_context *ctx, rm2_writer *output) {
    RM2_REQUIRE(ctx, output);
    rm2_status status = finish_stream(ctx, output);
    if (status == RM2_OK)
        status = move_into_place(ctx, output);
    rm2_writer_discard(output);
    return status;
}
