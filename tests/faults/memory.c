/* Allocations called by the program (libriemann2 is linked into it); those of other libraries pass. The real functions of
 * the first are the C library's own names for them, since dlsym would allocate. */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

typedef struct code {
    uintptr_t from, to;
} code;

static code own;

/* The executable segments of an object, as one range. */
static code code_of(const struct dl_phdr_info *object) {
    code range = {UINTPTR_MAX, 0};
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[k];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t from = object->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        range.from = from < range.from ? from : range.from;
        range.to = to > range.to ? to : range.to;
    }
    return range;
}

/* The first object is the program. */
static int take_first(struct dl_phdr_info *object, size_t size, void *user) {
    (void)size;
    (void)user;
    own = code_of(object);
    return 1;
}

/* What the compiler adds to the program, such as the counts of gcov, is written after this and may allocate. */
static bool ended;

static void end(void) {
    ended = true;
}

__attribute__((constructor)) static void find_program(void) {
    (void)dl_iterate_phdr(take_first, NULL);
}

static bool fails(const void *caller) {
    static bool begun;
    uintptr_t at = (uintptr_t)caller;
    if (ended || at < own.from || at >= own.to)
        return false;
    if (!begun) { /* in main, so that `end` is called before what was registered earlier */
        begun = true;
        (void)atexit(end);
    }
    if (fault_now(FAULT_MEMORY) == FAULT_NONE)
        return false;
    errno = ENOMEM;
    return true;
}

#define FAILS fails(__builtin_return_address(0))

EXPORT void *malloc(size_t size) {
    return FAILS ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size) {
    return FAILS ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size) {
    return FAILS ? NULL : __libc_realloc(block, size);
}

/* ---- calls that allocate ------------------------------------------------------------------------- */

EXPORT char *strdup(const char *text) {
    return FAILS ? NULL : NEXT(strdup)(text);
}

EXPORT char *strndup(const char *text, size_t size) {
    return FAILS ? NULL : NEXT(strndup)(text, size);
}

EXPORT FILE *open_memstream(char **text, size_t *size) {
    return FAILS ? NULL : NEXT(open_memstream)(text, size);
}

EXPORT locale_t newlocale(int mask, const char *name, locale_t base) {
    return FAILS ? (locale_t)0 : NEXT(newlocale)(mask, name, base);
}
