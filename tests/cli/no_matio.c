/* Preloaded by tests/cli/mat_missing: libmatio cannot be loaded, as where it is not installed, or, as the variable MATIO
 * says, loading it ends the process that reads the file (crash, exit, terminate) or never ends (loop). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail_as(const char *how) {
    volatile unsigned turns = 0;
    if (strcmp(how, "crash") == 0)
        (void)raise(SIGSEGV);
    if (strcmp(how, "terminate") == 0)
        (void)raise(SIGTERM);
    if (strcmp(how, "exit") == 0)
        _exit(0);
    while (strcmp(how, "loop") == 0)
        turns++;
}

__attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
    void *(*next)(const char *, int);
    void *found = dlsym(RTLD_NEXT, "dlopen");
    const char *how = getenv("MATIO");
    bool matio = file && strstr(file, "matio");
    if (matio && how)
        fail_as(how);
    if (!found || matio)
        return NULL;
    memcpy(&next, &found, sizeof next);
    return next(file, mode);
}
