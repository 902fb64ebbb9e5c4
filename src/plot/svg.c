/* Names inside an SVG. Cairo numbers them from a counter of the process; they become i0, i1, ... in the order
 * of the file, so that the same figure is the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

/* A name in the file, and its number. */
typedef struct entry {
    const char *text;
    size_t length, number;
} entry;

/* Entries sorted by length, then text: found by bisection. */
typedef struct name_list {
    entry *entries;
    size_t count, capacity;
} name_list;

static int compare(const entry *e, const char *text, size_t length) {
    if (e->length != length)
        return e->length < length ? -1 : 1;
    return strncmp(e->text, text, length);
}

/* Index of the first entry that is not before the name. */
static size_t find(const name_list *names, const char *text, size_t length) {
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&names->entries[middle], text, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static rm2_status insert(rm2_context *ctx, name_list *names, size_t at, entry new) {
    if (names->count == names->capacity) {
        size_t capacity = 2 * names->capacity + 64;
        RM2_TRY(rm2i_plot_grow(ctx, capacity, sizeof *names->entries, &names->entries));
        names->capacity = capacity;
    }
    memmove(names->entries + at + 1, names->entries + at, (names->count - at) * sizeof(entry));
    names->entries[at] = new;
    names->count++;
    return RM2_OK;
}

static rm2_status number_of(rm2_context *ctx, name_list *names, const char *text, size_t length,
                            size_t *number) {
    size_t at = find(names, text, length);
    if (at == names->count || compare(&names->entries[at], text, length) != 0)
        RM2_TRY(insert(ctx, names, at, (entry){text, length, names->count}));
    *number = names->entries[at].number;
    return RM2_OK;
}

/* Bytes from here to the next name of a part, which stands behind id=" or # and before " or ). */
static size_t before_name(const char *svg) {
    const char *start = strstr(svg, "id=\""), *reference = strchr(svg, '#');
    size_t a = start ? (size_t)(start - svg) + 4 : SIZE_MAX;
    size_t b = reference ? (size_t)(reference - svg) + 1 : SIZE_MAX;
    return a < b ? a : b;
}

/* The end of the file, with the texts before its last tag. */
static void print_end(const char *svg, const char *texts, FILE *stream) {
    const char *end = strstr(svg, "</svg>");
    size_t before = end ? (size_t)(end - svg) : strlen(svg);
    (void)fwrite(svg, 1, before, stream);
    if (*texts)
        (void)fprintf(stream,
                      "<g font-family=\"'DejaVu Sans', Verdana, Geneva, 'Helvetica Neue', Arial, "
                      "sans-serif\" xml:space=\"preserve\">\n%s</g>\n",
                      texts);
    (void)fputs(svg + before, stream);
}

rm2_status rm2i_svg_print(rm2_context *ctx, const char *svg, const char *texts, FILE *stream) {
    name_list names = {.entries = NULL};
    rm2_status status = RM2_OK;
    for (size_t skip; status == RM2_OK && (skip = before_name(svg)) != SIZE_MAX;) {
        size_t number, length = strcspn(svg + skip, "\")");
        (void)fwrite(svg, 1, skip, stream);
        status = number_of(ctx, &names, svg + skip, length, &number);
        if (status == RM2_OK)
            (void)fprintf(stream, "i%zu", number);
        svg += skip + length;
    }
    print_end(svg, texts, stream);
    free(names.entries);
    return status;
}
