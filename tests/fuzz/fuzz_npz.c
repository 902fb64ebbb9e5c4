/* The .npz reader on any bytes. The arrays that were read cannot hold more than deflate can pack
 * into the bytes. */
#include <string.h>

#include "fuzz.h"
#include "riemann2/io.h"

enum { DEFLATE_RATIO = 1032 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 0;
    rm2_array *arrays;
    size_t count, elements = 0;
    if (rm2_npz_parse(ctx, "fuzz", data, size, &arrays, &count) == RM2_OK) {
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
    rm2_arrays_free(arrays, count);
    rm2_context_free(ctx);
    return 0;
}
