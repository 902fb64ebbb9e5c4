/* Structs that begin with their size, between a caller and the library. */
#include <string.h>

#include "base/base.h"

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* Every version has a member after the size and is padded to the alignment of a size_t. */
rm2_status rm2i_check_size(rm2_context *ctx, const void *given, size_t known) {
    size_t size = given ? size_of(given) : known;
    if (size > sizeof(size_t) && size <= known && size % sizeof(size_t) == 0)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "the size of a struct is %zu, expected %zu or the size of an earlier version: "
                     "start from the function "
                     "that fills it with defaults, or from {.size = sizeof(TYPE)}",
                     size, known);
}

rm2_status rm2i_settings_overlay(rm2_context *ctx, const void *given, void *own) {
    size_t known = size_of(own);
    if (!given)
        return RM2_OK;
    RM2_TRY(rm2i_check_size(ctx, given, known));
    memcpy(own, given, size_of(given));
    memcpy(own, &known, sizeof known);
    return RM2_OK;
}

rm2_status rm2i_settings_give(rm2_context *ctx, const void *own, void *given) {
    RM2_TRY(rm2i_check_size(ctx, given, size_of(own)));
    rm2i_results_give(1, own, size_of(own), given);
    return RM2_OK;
}

void rm2i_results_give(size_t n, const void *own, size_t known, void *given) {
    size_t size = given && n > 0 ? size_of(given) : 0;
    for (size_t i = 0; size > 0 && i < n; i++) {
        char *to = (char *)given + i * size;
        memcpy(to, (const char *)own + i * known, size);
        memcpy(to, &size, sizeof size);
    }
}
