/* For harnesses of readers that take paths: the input as a file without a name. */
#ifndef RM2_TEST_FUZZ_FILE_H
#define RM2_TEST_FUZZ_FILE_H

#include <unistd.h>

#include "fuzz.h"

/* The same file is written again each time. */
static const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    static char path[32];
    if (file < 0) {
        char name[] = "/tmp/rm2-fuzz-XXXXXX";
        file = mkstemp(name);
        CHECK(file >= 0 && unlink(name) == 0);
        (void)snprintf(path, sizeof path, "/dev/fd/%d", file);
    }
    CHECK(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

#endif
