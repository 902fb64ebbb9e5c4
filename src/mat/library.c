/* RM2I_MATIO, the name of the library that matio.h belongs to (libmatio.so.11), comes from the build. */
#include "mat/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FUNCTION(name)                                                                             \
    { "Mat_" #name, offsetof(rm2i_matio, name) }

static const struct {
    const char *name;
    size_t at; /* of the pointer in rm2i_matio */
} functions[] = {FUNCTION(Open),
                 FUNCTION(Close),
                 FUNCTION(VarReadNextInfo),
                 FUNCTION(VarReadDataAll),
                 FUNCTION(VarFree),
                 FUNCTION(VarGetStructFieldnames),
                 FUNCTION(VarGetNumberOfFields),
                 FUNCTION(VarGetStructFieldByIndex)};

/* It stays loaded until the process ends. */
const char *rm2i_matio_load(rm2i_matio *matio) {
    void *library = dlopen(RM2I_MATIO, RTLD_NOW | RTLD_LOCAL), *found = library;
    for (size_t k = 0; found && k < sizeof functions / sizeof *functions; k++) {
        found = dlsym(library, functions[k].name);
        memcpy((char *)matio + functions[k].at, &found, sizeof found);
    }
    const char *why = found ? NULL : dlerror();
    return found || why ? why : "it is not there";
}
