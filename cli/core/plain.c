/* Texts from files and from the command line, as a terminal may see them. */
#include <string.h>

#include "core/cli.h"

const char *plain_text(const char *text, char *copy, size_t size) {
    static const char more[] = "...";
    size_t used = 0, fits = 0; /* fits: of it, if it must be cut */
    while (*text) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        size_t shown = rm2_utf8_printable(text, length);
        if (used + (shown ? shown : 1) >= size) {
            memcpy(copy + fits, more, sizeof more);
            return copy;
        }
        memcpy(copy + used, shown ? text : "?", shown ? shown : 1);
        used += shown ? shown : 1;
        fits = used + sizeof more <= size ? used : fits;
        text += length ? length : 1;
    }
    copy[used] = '\0';
    return copy;
}
