/* Texts of an SVG. Cairo would write the outlines of the letters, which no editor can change and no search can
 * find; here each text becomes an element <text>, after everything else. The fonts after the first one of the list
 * (svg.c) are no wider, so that the layout holds where DejaVu Sans is missing. */
#include <math.h>

#include "plot/draw.h"

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
    double angle = atan2(m.yx, m.xx) * 180 / 3.14159265358979323846;
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
