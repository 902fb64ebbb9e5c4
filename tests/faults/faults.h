/* Faults on purpose, in a program that is not changed for it: a library to preload. Variables of the environment choose the
 * call that fails:
 *   FAULT=KIND:K:ERROR   the K-th call of KIND (from 1) fails once with ERROR
 *   FAULT_HIT=FILE       created when that call came, so that whoever counts K up knows when to stop
 *   FAULT_UNDER=FOLDER   calls on files count for relative paths and those that begin with FOLDER
 * Kinds of calls on files: open, read, write, sync, close, rename (and link), remove, look (stat, access, realpath), mkdir.
 * ERROR is ENOSPC, EIO, EACCES, EINTR, EMFILE, EDQUOT, or "short": half of the bytes are read or written, and no error.
 * Kind memory: allocations by the program itself, and calls of the C library that allocate for it (strdup, streams).
 * ERROR is "once" or "always": all later ones fail too. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>

/* A function in place of the C library's, and that one. */
#define EXPORT     __attribute__((visibility("default")))
#define NEXT(name) (__extension__(__typeof__(&(name))) dlsym(RTLD_NEXT, #name))

typedef enum fault_kind {
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_CLOSE,
    FAULT_RENAME,
    FAULT_REMOVE,
    FAULT_LOOK,
    FAULT_MKDIR,
    FAULT_MEMORY,
    FAULT_KINDS
} fault_kind;

enum { FAULT_NONE = 0, FAULT_SHORT = -1 }; /* other values: errno */

/* Count a call: FAULT_NONE, or how it is to fail. Does not allocate. */
int fault_now(fault_kind kind);

/* Do calls on this path count? */
bool fault_counts(const char *path);

#endif
