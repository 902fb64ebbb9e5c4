/* Calls on files. Streams of stdio would pass by, since the C library calls itself; so those of counted files are streams
 * whose functions come back here (fopencookie), and they behave as the C library's own: a short write goes on, an error is
 * an error. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* checked calls are inline functions of the same names */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 256 };
static bool counted[MOST_FILES];  /* descriptors of paths that count */
static FILE *streams[MOST_FILES]; /* on them */

static bool is_counted(int fd) {
    return fd >= 0 && fd < MOST_FILES && counted[fd];
}

/* Whether the call fails, errno set. A short one is no failure here. */
static bool fails(fault_kind kind) {
    int fault = fault_now(kind);
    if (fault > 0)
        errno = fault;
    return fault > 0;
}

static bool path_fails(fault_kind kind, const char *path) {
    return fault_counts(path) && fails(kind);
}

/* Bytes of a call that may be cut short; -1: it fails. */
static ssize_t size_now(fault_kind kind, int fd, size_t size) {
    int fault = is_counted(fd) ? fault_now(kind) : FAULT_NONE;
    if (fault > 0)
        errno = fault;
    return fault > 0 ? -1 : fault == FAULT_SHORT ? (ssize_t)((size + 1) / 2) : (ssize_t)size;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

EXPORT int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (path_fails(FAULT_OPEN, path))
        return -1;
    int fd = NEXT(open)(path, flags, mode);
    if (fd >= 0 && fd < MOST_FILES)
        counted[fd] = fault_counts(path);
    return fd;
}

EXPORT ssize_t read(int fd, void *bytes, size_t size) {
    ssize_t now = size_now(FAULT_READ, fd, size);
    return now < 0 ? -1 : NEXT(read)(fd, bytes, (size_t)now);
}

EXPORT ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
    ssize_t now = size_now(FAULT_READ, fd, size);
    return now < 0 ? -1 : NEXT(pread)(fd, bytes, (size_t)now, at);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t size) {
    ssize_t now = size_now(FAULT_WRITE, fd, size);
    return now < 0 ? -1 : NEXT(write)(fd, bytes, (size_t)now);
}

EXPORT int fsync(int fd) {
    return is_counted(fd) && fails(FAULT_SYNC) ? -1 : NEXT(fsync)(fd);
}

/* A failed close has closed the file all the same. */
EXPORT int close(int fd) {
    bool failed = is_counted(fd) && fails(FAULT_CLOSE);
    int error = errno;
    if (fd >= 0 && fd < MOST_FILES)
        counted[fd] = false;
    int result = NEXT(close)(fd);
    errno = failed ? error : errno;
    return failed ? -1 : result;
}

EXPORT int fstat(int fd, struct stat *info) {
    return is_counted(fd) && fails(FAULT_LOOK) ? -1 : NEXT(fstat)(fd, info);
}

/* ---- streams --------------------------------------------------------------------------------- */

static ssize_t stream_read(void *cookie, char *bytes, size_t size) {
    return read((int)(long)cookie, bytes, size);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = write((int)(long)cookie, bytes + done, size - done);
        if (count < 0)
            break;
        done += (size_t)count;
    }
    return (ssize_t)done; /* fewer: the C library marks the stream as failed */
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    off_t at = lseek((int)(long)cookie, *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int stream_close(void *cookie) {
    streams[(long)cookie] = NULL;
    return close((int)(long)cookie);
}

EXPORT FILE *fdopen(int fd, const char *mode) {
    if (!is_counted(fd))
        return NEXT(fdopen)(fd, mode);
    const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
    streams[fd] =
        fopencookie((void *)(long)fd, mode, functions); // NOLINT(performance-no-int-to-ptr)
    return streams[fd];
}

EXPORT FILE *fopen(const char *path, const char *mode) {
    if (!fault_counts(path))
        return NEXT(fopen)(path, mode);
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    int fd = open(path, flags, 0666);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

EXPORT int fileno(FILE *stream) {
    for (int fd = 0; fd < MOST_FILES; fd++)
        if (streams[fd] == stream)
            return fd;
    return NEXT(fileno)(stream);
}

/* ---- paths ----------------------------------------------------------------------------------- */

EXPORT int rename(const char *old, const char *new) {
    return path_fails(FAULT_RENAME, new) ? -1 : NEXT(rename)(old, new);
}

EXPORT int link(const char *old, const char *new) {
    return path_fails(FAULT_RENAME, new) ? -1 : NEXT(link)(old, new);
}

EXPORT int unlink(const char *path) {
    return path_fails(FAULT_REMOVE, path) ? -1 : NEXT(unlink)(path);
}

EXPORT int mkdir(const char *path, mode_t mode) {
    return path_fails(FAULT_MKDIR, path) ? -1 : NEXT(mkdir)(path, mode);
}

EXPORT int stat(const char *path, struct stat *info) {
    return path_fails(FAULT_LOOK, path) ? -1 : NEXT(stat)(path, info);
}

EXPORT int lstat(const char *path, struct stat *info) {
    return path_fails(FAULT_LOOK, path) ? -1 : NEXT(lstat)(path, info);
}

EXPORT int access(const char *path, int mode) {
    return path_fails(FAULT_LOOK, path) ? -1 : NEXT(access)(path, mode);
}

EXPORT char *realpath(const char *path, char *resolved) {
    return path_fails(FAULT_LOOK, path) ? NULL : NEXT(realpath)(path, resolved);
}
