/* Which call fails: the environment is read when the library is loaded. */
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const kinds[FAULT_KINDS] = {"open",   "read",   "write", "sync",  "close",
                                               "rename", "remove", "look",  "mkdir", "memory"};

static const struct {
    const char *name;
    int error;
} errors[] = {{"ENOSPC", ENOSPC},     {"EIO", EIO},       {"EACCES", EACCES},
              {"EINTR", EINTR},       {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT},
              {"short", FAULT_SHORT}, {"once", ENOMEM},   {"always", ENOMEM}};

static fault_kind chosen = FAULT_KINDS;
static long failing; /* number of the call that fails */
static int failure;
static bool stays;
static atomic_long calls;
static char hit[4096], under[4096];

static _Noreturn void fault_invalid(void) {
    static const char message[] = "faults: invalid FAULT\n";
    (void)!write(2, message, sizeof message - 1);
    _exit(99);
}

__attribute__((constructor)) static void fault_read(void) {
    const char *text = getenv("FAULT"), *file = getenv("FAULT_HIT"),
               *folder = getenv("FAULT_UNDER");
    if (!text)
        return;
    const char *number = strchr(text, ':'), *error = number ? strchr(number + 1, ':') : NULL;
    if (!error || !file || strlen(file) >= sizeof hit || !folder || strlen(folder) >= sizeof under)
        fault_invalid();
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (strcmp(error + 1, errors[k].name) == 0)
            failure = errors[k].error;
    stays = strcmp(error + 1, "always") == 0;
    failing = strtol(number + 1, NULL, 10);
    (void)strcpy(hit, file);
    (void)strcpy(under, folder);
    for (int k = 0; k < FAULT_KINDS; k++)
        if (strncmp(text, kinds[k], strlen(kinds[k])) == 0 && text[strlen(kinds[k])] == ':')
            chosen = (fault_kind)k;
    if (chosen == FAULT_KINDS || !failure || failing < 1)
        fault_invalid();
}

int fault_now(fault_kind kind) {
    if (kind != chosen)
        return FAULT_NONE;
    long call = ++calls;
    if (call != failing && !(stays && call > failing))
        return FAULT_NONE;
    if (call == failing) { /* past the calls that are counted */
        int error = errno;
        long fd = syscall(SYS_openat, AT_FDCWD, hit, O_WRONLY | O_CREAT, 0666);
        (void)syscall(SYS_close, fd);
        errno = error;
    }
    return failure;
}

bool fault_counts(const char *path) {
    return path && *under && (path[0] != '/' || strncmp(path, under, strlen(under)) == 0);
}
