/* Files and folders given to the runner. */
#include "paths.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool append(path_list *list, char *path) {
    char **larger = path ? realloc(list->paths, (list->count + 1) * sizeof *larger) : NULL;
    if (!larger) {
        fprintf(stderr, "conformance: out of memory\n");
        free(path);
        return false;
    }
    list->paths = larger;
    list->paths[list->count++] = path;
    return true;
}

static bool append_joined(path_list *list, const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return append(list, path);
}

static int is_json(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".json") == 0;
}

static bool add_folder(path_list *list, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_json, alphasort);
    if (count < 0) {
        perror(folder);
        return false;
    }
    bool added = count > 0;
    if (!added)
        fprintf(stderr, "%s: no *.json in this folder\n", folder);
    for (int i = 0; i < count; i++) {
        added = added && append_joined(list, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return added;
}

bool paths_add(path_list *list, const char *argument) {
    struct stat info;
    if (stat(argument, &info) == 0 && S_ISDIR(info.st_mode))
        return add_folder(list, argument);
    size_t size = strlen(argument) + 1;
    char *path = malloc(size);
    if (path)
        memcpy(path, argument, size);
    return append(list, path);
}

void paths_free(path_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (path_list){0};
}
