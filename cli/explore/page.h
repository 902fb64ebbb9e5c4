/* The page of the explorer, inside the program. */
#ifndef RM2_CLI_EXPLORE_PAGE_H
#define RM2_CLI_EXPLORE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct page_file {
    const char *name; /* in the address: "" is the page itself */
    const char *type;
    const char *bytes;
    size_t size;
} page_file;

/* Was the program built with the page? */
bool page_is_built(void);
/* False: no such file. */
bool page_find(const char *name, page_file *file);

#endif
