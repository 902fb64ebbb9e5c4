/* The files that the arguments of the runner stand for. */
#ifndef CONFORMANCE_PATHS_H
#define CONFORMANCE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct path_list {
    char **paths;
    size_t count;
} path_list;

/* Append a file, or every *.json of a folder sorted by name. False, with a line on stderr, when a
 * folder cannot be read or has none, or memory is out. */
bool paths_add(path_list *list, const char *argument);
void paths_free(path_list *list);

/* The part behind the last slash. */
const char *path_name(const char *path);

#endif
