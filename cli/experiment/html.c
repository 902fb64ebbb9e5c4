/* The report of an experiment: one HTML file with everything inside. */
#include <string.h>

#include "experiment/experiment.h"

/* Text with the characters that mean something in HTML written out. */
static void html_text(FILE *out, const char *text, size_t length) {
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
        case '&':
            (void)fputs("&amp;", out);
            break;
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        default:
            (void)fputc(text[k], out);
        }
}

/* A file as base64 (RFC 4648). */
static void base64(FILE *out, FILE *in) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    size_t got;
    while ((got = fread(b, 1, 3, in)) > 0) {
        if (got < 3)
            memset(b + got, 0, 3 - got);
        (void)fputc(digits[b[0] >> 2], out);
        (void)fputc(digits[(b[0] & 3) << 4 | b[1] >> 4], out);
        (void)fputc(got > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', out);
        (void)fputc(got > 2 ? digits[b[2] & 63] : '=', out);
    }
}

static void html_cells(FILE *out, const table_line *l, const char *tag) {
    (void)fprintf(out, "<tr>");
    for (size_t k = 0; k < l->count; k++) {
        (void)fprintf(out, "<%s>", tag);
        html_text(out, l->cells[k], strlen(l->cells[k]));
        (void)fprintf(out, "</%s>", tag);
    }
    (void)fprintf(out, "</tr>\n");
}

static void html_figure(const experiment_run *r, const figure_file *f, FILE *out) {
    char path[PATH_SIZE];
    experiment_path(r, f->name, "svg", path);
    FILE *in = fopen(path, "rb");
    (void)fprintf(out, "<figure>");
    if (in) {
        (void)fprintf(out, "<img alt=\"%s\" src=\"data:image/svg+xml;base64,", f->name);
        base64(out, in);
        (void)fprintf(out, "\">");
        (void)fclose(in);
    } else {
        (void)fprintf(out, "The figure %s could not be read.", f->name);
    }
    (void)fprintf(out, "<figcaption>");
    html_text(out, f->caption, strlen(f->caption));
    (void)fprintf(out, "</figcaption></figure>\n");
}

/* Every line a paragraph. */
static void html_lines(FILE *out, const char *text) {
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        (void)fprintf(out, "<p>");
        html_text(out, text, length);
        (void)fprintf(out, "</p>\n");
    }
}

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222}table{border-collapse:collapse}th,td{padding:.3rem .8rem;text-align:left;"
    "border-bottom:1px solid #ccc}th{border-bottom:2px solid #222}figure{margin:2rem 0}"
    "img{max-width:100%}figcaption,p{color:#444}p{margin:.3rem 0}";

static const char explanation[] =
    "On manifold: share of decoded points of the path that satisfy the manifold's equations. DTW: "
    "distance from the demonstrations under dynamic time warping, mean and standard deviation, in "
    "the model's units; the floor is the mean distance between the demonstrations themselves.";

void experiment_print_html(const experiment_run *r, FILE *out) {
    table_line top = experiment_head(r);
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>riemann2: %s"
                  "</title>\n<style>%s</style></head>\n<body>\n<h1>%s</h1>\n<table>\n",
                  r->experiment->title, style, r->experiment->title);
    html_cells(out, &top, "th");
    for (size_t k = 0; k < r->outcome_count; k++) {
        table_line l = experiment_row(r, &r->outcomes[k]);
        html_cells(out, &l, "td");
    }
    (void)fprintf(out, "</table>\n");
    html_lines(out, r->notes);
    html_lines(out, explanation);
    for (size_t k = 0; k < r->figure_count; k++)
        html_figure(r, &r->figures[k], out);
    (void)fprintf(out, "</body></html>\n");
}
