/* What the ways to raw rows share: release, texts as codes, names of files, lists. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

static void codes_free(rm2i_codes *codes) {
    free(codes->code);
    rm2i_texts_free(codes->names, codes->count);
}

void rm2i_raw_free(rm2i_raw *raw) {
    free(raw->values);
    rm2i_texts_free(raw->names, raw->width);
    free(raw->columns);
    free(raw->numbers);
    free(raw->time);
    codes_free(&raw->group);
    codes_free(&raw->label);
    *raw = (rm2i_raw){.rows = 0};
}

static rm2_status add_texts(rm2_context *ctx, size_t rows, rm2i_text_of_fn text_of,
                            const void *list, rm2i_text_set *set, size_t *code) {
    for (size_t i = 0; i < rows; i++) {
        char room[RM2I_TEXT_ROOM];
        const char *text = text_of(list, i, room);
        RM2_TRY(rm2i_text_set_add(ctx, set, text, strlen(text), &code[i]));
    }
    return RM2_OK;
}

rm2_status rm2i_code_texts(rm2_context *ctx, size_t rows, rm2i_text_of_fn text_of, const void *list,
                           rm2i_codes *codes) {
    rm2i_text_set set = {.count = 0};
    RM2_TRY(rm2i_alloc(ctx, rows, sizeof *codes->code, &codes->code));
    rm2_status status = add_texts(ctx, rows, text_of, list, &set, codes->code);
    if (status == RM2_OK)
        status = rm2i_text_set_consume(ctx, &set, &codes->names, &codes->count);
    rm2i_text_set_free(&set);
    return status;
}

const char *rm2i_next_item(const char **list, size_t *length) {
    const char *start = *list;
    if (!start || !*start)
        return NULL;
    *length = strcspn(start, ",");
    *list = start + *length + (start[*length] == ',');
    return start;
}
