/* The .npz reader on any bytes: all arrays at once, then each by itself as texts. What was read cannot
 * hold more than deflate can pack into the bytes. */
#include <string.h>

#include "array/npz.h"
#include "fuzz.h"
#include "riemann2/io.h"

enum { DEFLATE_RATIO = 1032 };

static void check_texts(rm2_context *ctx, rm2i_npz *npz, size_t index, size_t most) {
    bool are_texts = false;
    rm2_texts texts;
    rm2_status kind = rm2i_npz_holds_texts(ctx, npz, index, &are_texts);
    rm2_status status = rm2i_npz_get_texts(ctx, npz, index, &texts);
    if (status != RM2_OK) {
        CHECK(!texts.codes && !texts.distinct && !strchr(rm2_context_error(ctx), '\n'));
        return;
    }
    CHECK(kind == RM2_OK && are_texts && texts.count <= most);
    for (size_t i = 0; i < texts.count; i++)
        CHECK(texts.codes[i] < texts.distinct_count);
    rm2_texts_clear(&texts);
}

static void check_each(rm2_context *ctx, const uint8_t *data, size_t size) {
    rm2i_npz *npz;
    if (rm2i_npz_open_bytes(ctx, "fuzz", data, size, &npz) != RM2_OK) {
        CHECK(!npz);
        return;
    }
    CHECK(rm2i_npz_count(npz) > 0);
    for (size_t i = 0; i < rm2i_npz_count(npz); i++)
        check_texts(ctx, npz, i, size * DEFLATE_RATIO);
    rm2i_npz_close(npz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 0;
    rm2_array *arrays;
    size_t count, elements = 0;
    if (rm2i_npz_parse(ctx, "fuzz", data, size, &arrays, &count) == RM2_OK) {
        CHECK(arrays && count > 0);
        for (size_t i = 0; i < count; i++) {
            CHECK(arrays[i].name && arrays[i].values);
            elements += rm2_array_count(&arrays[i]);
        }
        CHECK(elements <= size * DEFLATE_RATIO);
    } else {
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
        CHECK(!arrays && count == 0);
    }
    rm2i_arrays_free(arrays, count);
    check_each(ctx, data, size);
    rm2_context_free(ctx);
    return 0;
}
