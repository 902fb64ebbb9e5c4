/* Numbers of requests and answers. */
#include <math.h>
#include <stdlib.h>

#include "explore/explorer.h"

const double *reader_entries(reader *r, size_t count) {
    if (r->bad || (size_t)(r->end - r->at) < count) {
        r->bad = true;
        return NULL;
    }
    const double *values = r->at;
    r->at += count;
    return values;
}

const double *reader_numbers(reader *r, size_t count) {
    const double *values = reader_entries(r, count);
    for (size_t k = 0; values && k < count; k++)
        if (!isfinite(values[k]))
            r->bad = true;
    return r->bad ? NULL : values;
}

double reader_number(reader *r) {
    const double *value = reader_numbers(r, 1);
    return value ? *value : 0;
}

size_t reader_count(reader *r, size_t limit) {
    double value = reader_number(r);
    if (!(value >= 0 && value <= (double)limit && value == floor(value)))
        r->bad = true;
    return r->bad ? 0 : (size_t)value;
}

size_t reader_rows(reader *r, size_t width, size_t limit, const double **rows) {
    size_t left = (size_t)(r->end - r->at), count = left / width;
    if (left % width != 0 || count > limit)
        r->bad = true;
    *rows = reader_numbers(r, count * width);
    return *rows ? count : 0;
}

rm2_status numbers_make(size_t count, numbers *out) {
    out->values = calloc(count ? count : 1, sizeof *out->values);
    out->count = out->values ? count : 0;
    return out->values ? RM2_OK : RM2_ERR_MEMORY;
}
