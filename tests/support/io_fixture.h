/* A context whose warnings are kept and the path of a file in an empty folder, for tests of readers. */
#ifndef IO_FIXTURE_H
#define IO_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "riemann2/base.h"

typedef struct fixture {
    rm2_context *ctx;
    char directory[64], path[96];
    char log[512]; /* last warning */
} fixture;

static void keep_log(void *user, rm2_log_level level, const char *line) {
    fixture *f = user;
    if (level == RM2_LOG_WARNING)
        (void)snprintf(f->log, sizeof f->log, "%s", line);
}

/* Non-zero on failure, as cmocka wants it. */
static int fixture_set_up(void **state, const char *file) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!f || rm2_context_create(&f->ctx) != RM2_OK)
        return 1;
    rm2_context_set_log(f->ctx, keep_log, f);
    (void)strcpy(f->directory, "/tmp/rm2-test-XXXXXX");
    if (!mkdtemp(f->directory))
        return 1;
    (void)snprintf(f->path, sizeof f->path, "%s/%s", f->directory, file);
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    (void)unlink(f->path);
    (void)rmdir(f->directory);
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

#endif
