/* Pieces of JSON. Numbers with 17 digits read back as the same double. */
#include <math.h>

#include "cli.h"

void json_text(FILE *out, const char *text) {
    (void)fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (c < 0x20)
            (void)fprintf(out, "\\u%04x", c);
        else
            (void)fputc(c, out);
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
