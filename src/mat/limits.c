#include "mat/limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mat/mat.h"

static void limit(int resource, uint64_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_max == RLIM_INFINITY || most < now.rlim_max)
        now.rlim_cur = (rlim_t)most;
    (void)setrlimit(resource, &now);
}

/* Bytes of data that the process has as a copy of its parent, the sixth number of /proc/self/statm, in pages; 0: not
 * known. */
static uint64_t data_now(void) {
    char line[256] = "", *at = line;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    bool good = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file);
    for (int k = 0; good && k < 6; k++)
        pages = strtoul(at, &at, 10);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Twice what the file can hold, and what the libraries need. The sanitizers' own memory is beyond any limit. */
static void limit_memory(uint64_t file_size) {
#ifndef __SANITIZE_ADDRESS__
    uint64_t now = data_now(), most = rm2i_mat_most(file_size);
    if (now > 0 && most < UINT64_MAX / 64)
        limit(RLIMIT_DATA, now + 16 * most + (UINT64_C(256) << 20));
#else
    (void)file_size;
    (void)data_now;
#endif
}

void rm2i_mat_limit(uint64_t file_size, uint64_t seconds) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit_memory(file_size);
}
