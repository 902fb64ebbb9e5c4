/* What a field of a CSV file stands for: a number, a missing value, or something to refuse with
 * the right words. */
#include <math.h>
#include <string.h>

#include "io/csv.h"

enum { COMMA_NUMBER_MAX = 40 }; /* longest text examined for a decimal comma */

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool equals_word(const char *text, size_t size, const char *word) {
    if (size != strlen(word))
        return false;
    for (size_t i = 0; i < size; i++)
        if (lower(text[i]) != word[i])
            return false;
    return true;
}

static rm2i_csv_kind classify_word(const char *text, size_t size) {
    if (size == 0 || equals_word(text, size, "na"))
        return RM2I_CSV_MISSING;
    if (*text == '+' || *text == '-') {
        text++;
        size--;
    }
    if (equals_word(text, size, "nan"))
        return RM2I_CSV_MISSING;
    if (equals_word(text, size, "inf") || equals_word(text, size, "infinity"))
        return RM2I_CSV_INFINITE;
    return RM2I_CSV_TEXT;
}

static bool has_decimal_comma(const char *text, size_t size) {
    char copy[COMMA_NUMBER_MAX + 1];
    const char *comma = memchr(text, ',', size);
    if (!comma || size > COMMA_NUMBER_MAX)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    copy[comma - text] = '.';
    double ignored;
    return rm2i_parse_double(copy, &ignored) == copy + size;
}

rm2i_csv_kind rm2i_csv_classify(const char *text, size_t size, double *value) {
    while (size > 0 && (*text == ' ' || *text == '\t')) { /* blanks within quotes */
        text++;
        size--;
    }
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    if (size > 0 && rm2i_parse_double(text, value) == text + size)
        return isfinite(*value) ? RM2I_CSV_NUMBER : RM2I_CSV_TOO_LARGE;
    *value = (double)NAN;
    return has_decimal_comma(text, size) ? RM2I_CSV_DECIMAL_COMMA : classify_word(text, size);
}
