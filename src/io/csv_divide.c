/* Where parts of a CSV file begin. A row without quotes ends with its line, so that all such lines up to a place are
 * passed over at once: the last line end before it is looked for, and line ends are counted. In a row with quotes the
 * fields that begin with one are passed over, as the scanner does it; no other field is looked at. */
#define _GNU_SOURCE /* memrchr */ // NOLINT(bugprone-reserved-identifier)
#include <string.h>

#include "io/csv.h"

enum { RUN = UINT8_MAX }; /* bytes whose line ends are counted in one byte */

static size_t count_lines(const char *p, const char *end) {
    size_t lines = 0;
    while (p < end) {
        const char *stop = end - p > RUN ? p + RUN : end;
        uint8_t some = 0;
        for (; p < stop; p++)
            some = (uint8_t)(some + (*p == '\n'));
        lines += some;
    }
    return lines;
}

static void pass_over(rm2i_csv_scanner *s, const char *end) {
    s->line += count_lines(s->record, end);
    s->record = end;
}

/* Pass over whole lines without quotes in the window that begin before byte `target` of the source; false: there is
 * none. */
static bool skip_plain_lines(rm2i_csv_scanner *s, uint64_t target) {
    uint64_t left = target - rm2i_csv_offset(s);
    size_t size = (size_t)(s->end - s->record);
    size = left < size ? (size_t)left : size;
    const char *quote = memchr(s->record, '"', size);
    size = quote ? (size_t)(quote - s->record) : size;
    const char *last = memrchr(s->record, '\n', size);
    if (!last)
        return false;
    pass_over(s, last + 1);
    return true;
}

/* A quote begins a field if only blanks stand between it and a delimiter or the start of the row. */
static bool opens_field(const rm2i_csv_scanner *s, const char *quote) {
    const char *p = quote;
    while (p > s->record && rm2i_csv_is_blank(s, p[-1]))
        p--;
    return p == s->record || (s->delimiter == ' ' ? p < quote : p[-1] == s->delimiter);
}

static rm2i_csv_stop find_row_end(const rm2i_csv_scanner *s, const char **end) {
    const char *p = s->record;
    for (;;) {
        rm2i_csv_field ignored;
        const char *line_end = memchr(p, '\n', (size_t)(s->end - p));
        const char *stop = line_end ? line_end : s->end;
        const char *quote = memchr(p, '"', (size_t)(stop - p));
        *end = line_end ? line_end + 1 : s->end;
        if (!quote)
            return line_end || s->at_end ? RM2I_CSV_LAST : RM2I_CSV_CUT;
        p = quote + 1;
        if (!opens_field(s, quote))
            continue;
        const char *closing = rm2i_csv_scan_quoted(s, p, &ignored);
        if (!closing)
            return s->at_end ? RM2I_CSV_BAD : RM2I_CSV_CUT;
        rm2i_csv_stop after = rm2i_csv_after_field(s, closing + 1, &p);
        *end = p;
        if (after != RM2I_CSV_NEXT)
            return after;
    }
}

/* Pass over one row; *found is false if it is not legal. */
static rm2_status skip_row(rm2i_csv_scanner *s, bool *found) {
    const char *end;
    rm2i_csv_stop stop;
    while ((stop = find_row_end(s, &end)) == RM2I_CSV_CUT)
        RM2_TRY(rm2i_csv_more(s));
    *found = stop == RM2I_CSV_LAST;
    if (*found)
        pass_over(s, end);
    return RM2_OK;
}

/* Go to the first row that begins at byte `target` of the source or later. */
static rm2_status advance(rm2i_csv_scanner *s, uint64_t target, bool *found) {
    while (*found && rm2i_csv_offset(s) < target) {
        if (!skip_plain_lines(s, target))
            RM2_TRY(skip_row(s, found));
        if (*found)
            RM2_TRY(rm2i_csv_find_record(s, found));
    }
    return RM2_OK;
}

rm2_status rm2i_csv_find_parts(rm2i_csv_scanner *s, size_t count, size_t *at, size_t *lines) {
    uint64_t first = rm2i_csv_offset(s), size = s->source->size - first;
    uint64_t each = size / count, rest = size % count;
    bool found = true;
    for (size_t k = 0; k < count; k++) {
        rm2_status status = advance(s, first + k * each + k * rest / count, &found);
        if (status == RM2_ERR_FORMAT) /* whose part it is reports it */
            found = false;
        else if (status != RM2_OK)
            return status;
        at[k] = (size_t)(found ? rm2i_csv_offset(s) : s->source->size);
        lines[k] = s->line;
    }
    at[count] = (size_t)s->source->size;
    lines[count] = 0;
    return RM2_OK;
}
