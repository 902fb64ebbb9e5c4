/* Structs of settings that begin with their size, between a caller and the library. */
#include <string.h>

#include "base/base.h"

static size_t size_of(const void *settings) {
    size_t size;
    memcpy(&size, settings, sizeof size);
    return size;
}

/* Every version has a member after the size and is padded to the alignment of a size_t. */
rm2_status rm2i_settings_check_size(rm2_context *ctx, const void *given, size_t known) {
    size_t size = size_of(given);
    if (size > sizeof(size_t) && size <= known && size % sizeof(size_t) == 0)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_ARGUMENT,
        "settings.size is %zu, expected %zu or the size of an earlier version; start from "
        "the function that fills the settings with their defaults",
        size, known);
}

rm2_status rm2i_settings_take(rm2_context *ctx, const void *given, void *own) {
    size_t known = size_of(own);
    if (!given)
        return RM2_OK;
    RM2_TRY(rm2i_settings_check_size(ctx, given, known));
    memcpy(own, given, size_of(given));
    memcpy(own, &known, sizeof known);
    return RM2_OK;
}

rm2_status rm2i_settings_give(rm2_context *ctx, const void *own, void *given) {
    size_t size = size_of(given);
    RM2_TRY(rm2i_settings_check_size(ctx, given, size_of(own)));
    memcpy(given, own, size);
    memcpy(given, &size, sizeof size);
    return RM2_OK;
}
