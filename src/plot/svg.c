/* Names inside an SVG. Cairo numbers them from a counter of the process; they become i0, i1, ... in the order
 * of the file, so that the same figure is the same bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
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

/* ---- texts ----------------------------------------------------------------------------------
 *
 * Cairo would write the outlines of the letters, which no editor can change and no search can find; here each text becomes
 * an element <text>, after everything else. The fonts after the first one of the list are no wider, so that the layout
 * holds where DejaVu Sans is missing. */

static const cairo_user_data_key_t texts_key = {0};

bool rm2i_svg_collect_texts(cairo_surface_t *surface, FILE *texts) {
    return cairo_surface_set_user_data(surface, &texts_key, texts, NULL) == CAIRO_STATUS_SUCCESS;
}

FILE *rm2i_svg_texts(cairo_t *cr) {
    return cairo_surface_get_user_data(cairo_get_target(cr), &texts_key);
}

static void print_escaped(const char *text, FILE *out) {
    for (; *text; text++)
        if (*text == '&')
            (void)fputs("&amp;", out);
        else if (*text == '<')
            (void)fputs("&lt;", out);
        else if (*text == '>')
            (void)fputs("&gt;", out);
        else
            (void)fputc(*text, out);
}

/* Where: x and y on the page, turned about that point if the drawing is. */
static void print_place(cairo_t *cr, double x, double y, FILE *out) {
    cairo_matrix_t m;
    cairo_get_matrix(cr, &m);
    double angle = atan2(m.yx, m.xx) * 180 / RM2_PI;
    cairo_matrix_transform_point(&m, &x, &y);
    (void)fprintf(out, " x=\"%.2f\" y=\"%.2f\"", x, y);
    if (fabs(angle) > 1e-6)
        (void)fprintf(out, " transform=\"rotate(%.2f %.2f %.2f)\"", angle, x, y);
}

static void print_colour(cairo_t *cr, FILE *out) {
    double c[4] = {0, 0, 0, 1};
    (void)cairo_pattern_get_rgba(cairo_get_source(cr), &c[0], &c[1], &c[2], &c[3]);
    (void)fprintf(out, " fill=\"rgb(%ld,%ld,%ld)\"", lround(255 * c[0]), lround(255 * c[1]),
                  lround(255 * c[2]));
    if (c[3] < 1)
        (void)fprintf(out, " fill-opacity=\"%.2f\"", c[3]);
}

void rm2i_svg_text(cairo_t *cr, const rm2i_svg_label *label, FILE *texts) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    cairo_matrix_t font;
    cairo_get_font_matrix(cr, &font);
    int anchor = (int)lround(2 * label->across);
    bool exact =
        fabs(2 * label->across - anchor) < 1e-9; /* other fractions begin where they begin */
    double x = exact ? label->x : label->x - label->across * rm2i_text_width(cr, label->text);
    (void)fputs("<text", texts);
    print_place(cr, x, label->y, texts);
    (void)fprintf(texts, " font-size=\"%.2f\"%s", font.yy, anchors[exact ? anchor : 0]);
    if (cairo_toy_font_face_get_weight(cairo_get_font_face(cr)) == CAIRO_FONT_WEIGHT_BOLD)
        (void)fputs(" font-weight=\"bold\"", texts);
    print_colour(cr, texts);
    if (label->edge > 0)
        (void)fprintf(texts, " stroke=\"white\" stroke-width=\"%.2f\" paint-order=\"stroke\"",
                      label->edge);
    (void)fputc('>', texts);
    print_escaped(label->text, texts);
    (void)fputs("</text>\n", texts);
}
