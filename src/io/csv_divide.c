/* Where parts of a CSV file begin. A row that has no quotes ends with its line, so that all such lines up to a place are
 * passed over at once: the last line end before it is looked for and the line ends are counted. Rows with quotes, and those
 * at the borders of the window, are cut into fields. */
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
    s->line += count_lines(s->record, last + 1);
    s->record = last + 1;
    return true;
}

/* Go to the first row that begins at byte `target` of the source or later. */
static rm2_status advance(rm2i_csv_scanner *s, uint64_t target, bool *found) {
    while (*found && rm2i_csv_offset(s) < target) {
        if (!skip_plain_lines(s, target))
            RM2_TRY(rm2i_csv_skip_record(s));
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
