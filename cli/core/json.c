/* Pieces of JSON: always UTF-8 (RFC 8259), whatever bytes labels and file names have. Numbers with 17
 * digits read back as the same double. */
#include <math.h>
#include <string.h>

#include "core/cli.h"

/* Of a character of up to three bytes, as all control characters are. */
static unsigned code_point(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    return length == 1   ? p[0]
           : length == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
                         : (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

void json_text(FILE *out, const char *text) {
    (void)fputc('"', out);
    while (*text) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        unsigned char c = (unsigned char)*text;
        if (length == 0)
            (void)fputs("\\ufffd", out); /* a byte that is no character */
        else if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (rm2_utf8_printable(text, length) == 0)
            (void)fprintf(out, "\\u%04x", code_point(text, length));
        else
            (void)fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    (void)fputc('"', out);
}

void json_number(FILE *out, double value) {
    if (isfinite(value))
        (void)fprintf(out, "%.17g", value);
    else
        (void)fputs("null", out);
}

void json_field(FILE *out, const char *name, double value) {
    (void)fprintf(out, ", \"%s\": ", name);
    json_number(out, value);
}

void json_held_out(FILE *out, const char *name, const rm2_held_out *h) {
    if (h->points == 0) {
        (void)fprintf(out, ", \"%s\": null", name);
        return;
    }
    (void)fprintf(out, ", \"%s\": {\"points\": %zu, \"folds\": %zu", name, h->points, h->folds);
    json_field(out, "residual", h->residual);
    json_field(out, "residual_components", h->components);
    json_field(out, "residual_mean", h->mean);
    json_field(out, "explained", h->explained);
    json_field(out, "explained_arbitrary", h->plane);
    json_field(out, "explained_error", h->explained_error);
    json_field(out, "log_density", h->log_density);
    json_field(out, "log_density_ppca", h->ppca);
    json_field(out, "log_density_ledoit_wolf", h->ledoit_wolf);
    (void)fprintf(out, ", \"structure\": %s}", h->structure ? "true" : "false");
}
