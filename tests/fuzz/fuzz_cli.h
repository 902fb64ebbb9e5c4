/* For harnesses of parts of the program: what it prints on standard error goes to memory, and a step that fails must have
 * printed one line without control characters. */
#ifndef RM2_TEST_FUZZ_CLI_H
#define RM2_TEST_FUZZ_CLI_H

#include <string.h>

#include "core/work.h"
#include "fuzz.h"

typedef struct listener {
    FILE *terminal; /* standard error as it was */
    char *text;
    size_t size;
} listener;

static inline void listener_start(listener *l) {
    *l = (listener){.terminal = stderr};
    FILE *memory = open_memstream(&l->text, &l->size);
    CHECK(memory);
    stderr = memory;
}

static inline void listener_stop(listener *l, int code) {
    (void)fclose(stderr);
    stderr = l->terminal;
    if (code != EXIT_DONE)
        CHECK(l->size > 1 && strchr(l->text, '\n') == l->text + l->size - 1);
    for (size_t k = 0; k < l->size; k++)
        CHECK((unsigned char)l->text[k] >= ' ' || l->text[k] == '\n');
    free(l->text);
}

/* A run of a command that is never started. */
static inline work fuzz_work(rm2_context *ctx) {
    static const command self = {.name = "fuzz", .title = "fuzz", .examples = ""};
    static const common_options common = {.quiet = false};
    return (work){&self, ctx, &common};
}

/* The bytes as a text with no byte more than it needs. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
