/* --names FILE: names of the rows and columns of symmetric matrices, such as regions or channels. */
#ifndef RM2_CLI_NAMES_H
#define RM2_CLI_NAMES_H

#include "core/work.h"

enum { REGION_NAME = 100 }; /* bytes of a name, with its end */

typedef struct region_names {
    size_t count; /* 0: none */
    char **names;
} region_names;

#define NAMES_OPTION(place)                                                                        \
    {                                                                                              \
        "--names", "FILE", OPTION_TEXT, place, NULL,                                               \
            "names of the rows and columns of SPD matrices: one per line, or those in the header " \
            "of a\n                            table of signals or matrices (Fp1:Fp2)"             \
    }

/* Names for the matrices of a manifold; nothing without a path. Complains about a wrong number, empty lines, names that occur
 * twice, control characters; freed by names_free, also after a failure. */
int names_read(const work *w, const char *path, const rm2_manifold *m, region_names *names);
/* The names of a text, which it cuts into lines; `path` is the file in messages. */
int names_parse(const work *w, const char *path, char *text, region_names *names);
void names_free(region_names *names);
/* Copies of names that can stand in a header and be read again; others, and names that occur twice, are left out (count 0).
 * False: no memory. */
bool names_copy(size_t count, const char *const *from, region_names *names);
bool names_equal(const region_names *names, size_t count, const char *const *other);
/* "Fp1:Fp2", the column of entry k of the matrices; the manifold has no other factor. */
enum { ENTRY_NAME = 2 * REGION_NAME };
void names_entry(const region_names *names, size_t k, char text[ENTRY_NAME]);
/* For panels of factors of that size: the names, or NULL. */
const char *const *names_for(const region_names *names, const rm2_factor *factor);

#endif
