/* UTF-8: which bytes are one character. */
#include "base/base.h"

/* Well-formed sequences by their first byte (Unicode 15, table 3-7): lead from..to, range of the second byte,
 * length. The bytes after the second are 80..BF. */
static const struct {
    unsigned char from, to, low, high, length;
} sequences[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

size_t rm2_utf8_length(const char *text, size_t size) {
    const unsigned char *p = (const unsigned char *)text;
    size_t k = 0, count = sizeof sequences / sizeof *sequences;
    if (!text || size == 0)
        return 0;
    while (k < count && !(p[0] >= sequences[k].from && p[0] <= sequences[k].to))
        k++;
    if (k == count || sequences[k].length > size)
        return 0;
    size_t length = sequences[k].length;
    if (length > 1 && !(p[1] >= sequences[k].low && p[1] <= sequences[k].high))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t rm2_utf8_printable(const char *text, size_t size) {
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t length = rm2_utf8_length(text, size);
    if (length == 0)
        return 0;
    uint32_t c = (unsigned char)text[0] & lead[length < sizeof lead ? length : 0];
    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return is_control(c) ? 0 : length;
}
