/* Arrays of texts: codes into the distinct ones. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "io/io.h"

void rm2_texts_clear(rm2_texts *texts) {
    if (!texts)
        return;
    free(texts->codes);
    rm2i_texts_free(texts->distinct, texts->distinct_count);
    *texts = (rm2_texts){0};
}

static rm2_status add_all(rm2_context *ctx, size_t count, const char *const *list,
                          rm2i_text_set *set, size_t *codes) {
    for (size_t i = 0; i < count; i++) {
        if (!list[i])
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "list[%zu] is NULL", i);
        RM2_TRY(rm2i_text_set_add(ctx, set, list[i], strlen(list[i]), &codes[i]));
    }
    return RM2_OK;
}

rm2_status rm2_texts_create(rm2_context *ctx, size_t count, const char *const *list,
                            rm2_texts *texts) {
    RM2_REQUIRE(ctx, texts);
    *texts = (rm2_texts){.count = count};
    if (count > 0)
        RM2_REQUIRE(ctx, list);
    rm2i_text_set set = {.count = 0};
    rm2_status status = rm2i_alloc(ctx, count, sizeof *texts->codes, &texts->codes);
    if (status == RM2_OK)
        status = add_all(ctx, count, list, &set, texts->codes);
    if (status == RM2_OK)
        status = rm2i_text_set_consume(ctx, &set, &texts->distinct, &texts->distinct_count);
    rm2i_text_set_free(&set);
    if (status != RM2_OK)
        rm2_texts_clear(texts);
    return status;
}
