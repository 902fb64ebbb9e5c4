/* Pieces of JSON: always UTF-8 (RFC 8259), whatever bytes labels and file names have. Numbers with 17
 * digits read back as the same double. */
#include <math.h>

#include "core/cli.h"

/* Well-formed sequences by their first byte (Unicode 15, table 3-7): lead from..to, range of the second byte,
 * length. The bytes after the second are 80..BF. */
static const struct {
    unsigned char from, to, low, high, length;
} sequences[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

size_t utf8_length(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    size_t k = 0, count = sizeof sequences / sizeof *sequences;
    while (k < count && !(p[0] >= sequences[k].from && p[0] <= sequences[k].to))
        k++;
    if (k == count)
        return 0;
    size_t length = sequences[k].length;
    if (length > 1 && !(p[1] >= sequences[k].low && p[1] <= sequences[k].high))
        return 0;
    for (size_t i = 2; i < length; i++) /* a text that ends has a 0 here */
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void json_text(FILE *out, const char *text) {
    (void)fputc('"', out);
    while (*text) {
        size_t length = utf8_length(text);
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
