/* The reader of MATLAB files on any bytes: every array that it lists is read, or refused with a message of one line.
 * What was read cannot hold more than deflate can pack into the bytes. libmatio may crash or loop, in a process of
 * its own: nothing of it is felt here. */
#include <string.h>
#include <unistd.h>

#include "front/arrays.h"
#include "fuzz.h"
#include "riemann2/mat.h"

enum { DEFLATE_RATIO = 1032, ARRAYS_TRIED = 4 };

static void check_failure(rm2_context *ctx) {
    CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
}

static void check_one(rm2_context *ctx, rm2_archive *archive, size_t index, size_t most) {
    rm2_array array;
    rm2_texts texts;
    rm2_status numbers = rm2_archive_array(ctx, archive, index, &array);
    if (numbers == RM2_OK)
        CHECK(array.values && array.dims <= RM2_ARRAY_MAX_DIMS && rm2_array_count(&array) <= most);
    else
        CHECK(!array.values);
    rm2_array_clear(&array);
    if (!rm2_archive_entry_at(archive, index)->texts)
        return;
    CHECK(numbers != RM2_OK);
    if (rm2_archive_texts(ctx, archive, index, &texts) != RM2_OK) {
        CHECK(!texts.codes && !texts.distinct);
        check_failure(ctx);
        return;
    }
    for (size_t i = 0; i < texts.count; i++)
        CHECK(texts.codes[i] < texts.distinct_count);
    rm2_texts_clear(&texts);
}

static void check_file(rm2_context *ctx, const char *path, size_t size) {
    rm2_archive *archive;
    char list[200];
    if (rm2_archive_open(ctx, path, &archive) != RM2_OK) {
        CHECK(!archive);
        check_failure(ctx);
        return;
    }
    rm2_archive_list(archive, list, sizeof list);
    CHECK(rm2_archive_count(archive) > 0 && strlen(list) < sizeof list);
    for (size_t i = 0; i < rm2_archive_count(archive) && i < ARRAYS_TRIED; i++)
        check_one(ctx, archive, i, size * DEFLATE_RATIO);
    rm2_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/rm2-fuzz-XXXXXX.mat";
    rm2_context *ctx;
    int file = mkstemps(path, 4);
    CHECK(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
    CHECK(rm2_context_create(&ctx) == RM2_OK && rm2_mat_register(ctx) == RM2_OK);
    check_file(ctx, path, size);
    rm2_context_free(ctx);
    CHECK(unlink(path) == 0);
    return 0;
}
