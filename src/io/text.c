/* Texts of files: fit for a message, and as a set of distinct values. The set is an open hash
 * table with linear probing over FNV-1a, at most half full: one lookup a cell, whatever the number
 * of distinct values. */
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

enum {
    SHOWN_BYTES = 40, /* of a value in a message */
    SLOTS_START = 16
};

const char *rm2i_shown(const char *text, size_t size, char shown[RM2I_SHOWN_SIZE]) {
    size_t used = 0, i = 0;
    while (i < size) {
        size_t length = rm2_utf8_printable(text + i, size - i);
        if (used + (length ? length : 1) > SHOWN_BYTES) {
            memcpy(shown + used, "...", 3);
            used += 3;
            break;
        }
        if (length > 0)
            memcpy(shown + used, text + i, length);
        else
            shown[used] = '?';
        used += length ? length : 1;
        i += length ? length : 1;
    }
    shown[used] = '\0';
    return shown;
}

bool rm2i_ends_with(const char *text, const char *ending) {
    size_t size = strlen(text), tail = strlen(ending);
    return size >= tail && strcmp(text + size - tail, ending) == 0;
}

bool rm2i_has_extension(const char *path, const char *extension) {
    size_t length = strlen(path), tail = strlen(extension);
    if (length <= tail)
        return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != extension[i])
            return false;
    }
    return true;
}

static size_t hash(const char *text, size_t size) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ (h >> 32));
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t *find_slot(const rm2i_text_set *set, const char *text, size_t size) {
    size_t mask = set->slot_count - 1;
    for (size_t i = hash(text, size) & mask;; i = (i + 1) & mask) {
        if (set->slots[i] == 0)
            return &set->slots[i];
        const char *other = set->texts[set->slots[i] - 1];
        if (strncmp(other, text, size) == 0 && other[size] == '\0')
            return &set->slots[i];
    }
}

static rm2_status enlarge_table(rm2_context *ctx, rm2i_text_set *set) {
    size_t count = set->slot_count ? 2 * set->slot_count : SLOTS_START;
    size_t *slots;
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *slots, &slots));
    free(set->slots);
    set->slots = slots;
    set->slot_count = count;
    for (size_t i = 0; i < set->count; i++)
        *find_slot(set, set->texts[i], strlen(set->texts[i])) = i + 1;
    return RM2_OK;
}

static rm2_status append_text(rm2_context *ctx, rm2i_text_set *set, const char *text, size_t size) {
    if (set->count == set->capacity) {
        size_t capacity = set->capacity + set->capacity / 2 + 4;
        RM2_TRY(rm2i_grow(ctx, capacity, sizeof *set->texts, &set->texts));
        set->capacity = capacity;
    }
    char *copy;
    RM2_TRY(rm2i_alloc(ctx, size + 1, 1, &copy));
    memcpy(copy, text, size);
    copy[size] = '\0';
    set->texts[set->count++] = copy;
    return RM2_OK;
}

rm2_status rm2i_text_set_add(rm2_context *ctx, rm2i_text_set *set, const char *text, size_t size,
                             size_t *number) {
    if (2 * (set->count + 1) > set->slot_count)
        RM2_TRY(enlarge_table(ctx, set));
    size_t *slot = find_slot(set, text, size);
    if (*slot == 0) {
        RM2_TRY(append_text(ctx, set, text, size));
        *slot = set->count;
    }
    *number = *slot - 1;
    return RM2_OK;
}

void rm2i_texts_free(char **texts, size_t count) {
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

void rm2i_text_set_free(rm2i_text_set *set) {
    rm2i_texts_free(set->texts, set->count);
    free(set->slots);
    *set = (rm2i_text_set){0};
}

rm2_status rm2i_text_set_consume(rm2_context *ctx, rm2i_text_set *set, char ***texts,
                                 size_t *count) {
    RM2_TRY(rm2i_grow(ctx, set->count, sizeof *set->texts, &set->texts));
    *texts = set->texts;
    *count = set->count;
    free(set->slots);
    *set = (rm2i_text_set){0};
    return RM2_OK;
}
