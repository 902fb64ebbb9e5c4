/* The .npy readers of numbers and of texts on any bytes. An array that was read cannot have more
 * elements than there were bytes, and numbers must come out the same after writing and reading again, and some of them those of all. */
#include <string.h>

#include "array/npy.h"
#include "fuzz.h"

static void check_round_trip(rm2_context *ctx, const rm2_array *array) {
    char *bytes = NULL;
    size_t size = 0, count = rm2_array_count(array);
    FILE *stream = open_memstream(&bytes, &size);
    CHECK(stream);
    rm2i_npy_print(stream, array, array->values);
    CHECK(fclose(stream) == 0);
    rm2_array again;
    CHECK(rm2i_npy_parse(ctx, "memory", bytes, size, &again) == RM2_OK);
    CHECK(again.dims == array->dims);
    CHECK(memcmp(again.shape, array->shape, array->dims * sizeof *array->shape) == 0);
    CHECK(memcmp(again.values, array->values, count * sizeof *array->values) == 0);
    rm2_array_clear(&again);
    free(bytes);
}

/* The elements of a span, if the array is in C order. */
static void check_span(rm2_context *ctx, const uint8_t *data, size_t size, const rm2_array *whole) {
    size_t count = rm2_array_count(whole);
    const rm2i_npy_span span = {count / 3, count - count / 3 - count / 4};
    rm2i_source source;
    rm2_array some;
    rm2i_source_memory(ctx, "fuzz", data, size, &source);
    if (rm2i_npy_load(&source, &span, &some) != RM2_OK) {
        CHECK(!some.values && strstr(rm2_context_error(ctx), "Fortran order"));
        return;
    }
    CHECK(some.dims == 1 && some.shape[0] == span.count);
    CHECK(memcmp(some.values, whole->values + span.from, span.count * sizeof *some.values) == 0);
    rm2_array_clear(&some);
}

static void check_texts(rm2_context *ctx, const uint8_t *data, size_t size) {
    rm2i_source source;
    rm2_texts texts;
    rm2i_source_memory(ctx, "fuzz", data, size, &source);
    if (rm2i_npy_load_texts(&source, NULL, &texts) == RM2_OK) {
        CHECK(texts.count <= size && texts.distinct_count <= texts.count);
        for (size_t i = 0; i < texts.count; i++)
            CHECK(texts.codes[i] < texts.distinct_count);
    } else {
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
        CHECK(!texts.codes && !texts.distinct);
    }
    rm2_texts_clear(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK)
        return 0;
    rm2_array array;
    if (rm2i_npy_parse(ctx, "fuzz", data, size, &array) == RM2_OK) {
        CHECK(array.dims <= RM2_ARRAY_MAX_DIMS && array.values);
        CHECK(rm2_array_count(&array) <= size);
        check_round_trip(ctx, &array);
        check_span(ctx, data, size, &array);
    } else {
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
        CHECK(!array.values);
    }
    rm2_array_clear(&array);
    check_texts(ctx, data, size);
    rm2_context_free(ctx);
    return 0;
}
