/* Pieces of JSON: always UTF-8 (RFC 8259), whatever bytes labels and file names have. Numbers with 17
 * digits read back as the same double. */
#include <math.h>
#include <string.h>

#include "core/cli.h"

void json_text(FILE *out, const char *text) {
    (void)fputc('"', out);
    while (*text) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        unsigned char c = (unsigned char)*text;
        if (length == 0)
            (void)fputs("\\ufffd", out); /* a byte that is no character */
        else if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (c < 0x20)
            (void)fprintf(out, "\\u%04x", c);
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
