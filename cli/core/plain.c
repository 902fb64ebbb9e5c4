/* Texts from files and from the command line, as a terminal may see them. */
#include <string.h>

#include "core/cli.h"

/* U+0080 to U+009F, in UTF-8 C2 80 to C2 9F, are control characters too; as single bytes they are in no
 * valid text, but terminals that know no UTF-8 obey them. */
static bool is_control(const char *text, size_t at) {
    unsigned char c = (unsigned char)text[at], before = at ? (unsigned char)text[at - 1] : 0;
    bool inside = before >= 0x80; /* of a longer character */
    return c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0 && (!inside || before == 0xc2));
}

const char *plain_text(const char *text, char *copy, size_t size) {
    static const char more[] = "...";
    size_t length = strnlen(text, size);
    bool cut = length == size;
    if (cut)
        length = size - sizeof more;
    memcpy(copy, text, length);
    memcpy(copy + length, more, cut ? sizeof more : 0);
    if (!cut)
        copy[length] = '\0';
    for (size_t k = 0; k < length; k++)
        if (is_control(text, k))
            copy[k] = '?';
    return copy;
}
