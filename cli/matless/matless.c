/* The program without MATLAB files (no libmatio), in place of cli/mat: they are known, and refused with the way out. */
#include "core/cli.h"

static rm2_status refuse(rm2_context *ctx, const char *path, void **file,
                         const rm2_archive_entry **entries, size_t *count) {
    (void)file;
    (void)entries;
    (void)count;
    return rm2_context_fail(
        ctx, RM2_ERR_UNSUPPORTED,
        "%s: built without MATLAB files: build riemann2 with libmatio (Debian: "
        "libmatio-dev; CMake: RM2_MAT=ON), or save the arrays as CSV with writematrix",
        path);
}

static rm2_status no_array(rm2_context *ctx, void *file, size_t index, rm2_array *array) {
    (void)file;
    (void)index;
    (void)array;
    return rm2_context_fail(ctx, RM2_ERR_UNSUPPORTED, "built without MATLAB files");
}

static rm2_status no_texts(rm2_context *ctx, void *file, size_t index, rm2_texts *texts) {
    (void)texts;
    return no_array(ctx, file, index, NULL);
}

static void close_none(void *file) {
    (void)file;
}

rm2_status mat_register(rm2_context *ctx) {
    static const rm2_archive_format refused = {.size = sizeof refused,
                                               .extension = ".mat",
                                               .open = refuse,
                                               .array = no_array,
                                               .texts = no_texts,
                                               .close = close_none};
    return rm2_archive_register(ctx, &refused);
}
