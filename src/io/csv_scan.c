/* Cuts CSV text into fields. The text passes through a window that is refilled in blocks; when the
 * window ends within a record, the record is scanned again after the refill, so that the scanner
 * keeps no state between characters. A record that does not fit makes the window grow. */
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"

#ifndef RM2I_CSV_BLOCK /* fuzzing takes a small one, so that records are cut everywhere */
#define RM2I_CSV_BLOCK (1 << 20)
#endif

enum {
    BLOCK = RM2I_CSV_BLOCK, /* bytes of the window at the start */
    WINDOW_MAX = 1 << 28    /* bytes of the longest record */
};

typedef struct signature {
    const char *bytes;
    size_t size;
    const char *meaning;
} signature;

/* What people take for a CSV file at times. */
static rm2_status refuse_other_formats(const rm2i_csv_scanner *scanner) {
    static const signature known[] = {
        {"\xff\xfe", 2, "it is UTF-16 text; save it as UTF-8"},
        {"\xfe\xff", 2, "it is UTF-16 text; save it as UTF-8"},
        {"\x93NUMPY", 6, "it is a NumPy array; its name should end in .npy"},
        {"PK\x03\x04", 4, "it is a zip archive (.npz, .xlsx, ...); save the table as CSV text"},
        {"\x1f\x8b", 2, "it is compressed with gzip; unpack it first"},
    };
    size_t size = (size_t)(scanner->end - scanner->window);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].size && memcmp(scanner->window, known[i].bytes, known[i].size) == 0)
            return rm2i_fail(scanner->ctx, RM2_ERR_FORMAT, "%s is not a CSV file: %s",
                             scanner->source->name, known[i].meaning);
    return RM2_OK;
}

size_t rm2i_csv_line_at(const rm2i_csv_scanner *scanner, const char *p) {
    size_t line = scanner->line;
    for (const char *q = scanner->record; q < p; q++)
        line += *q == '\n';
    return line;
}

static rm2_status refuse_nul(const rm2i_csv_scanner *scanner, const char *from) {
    const char *nul = memchr(from, '\0', (size_t)(scanner->end - from));
    if (!nul)
        return RM2_OK;
    return rm2i_fail(scanner->ctx, RM2_ERR_FORMAT,
                     "%s is not a CSV file: there is a NUL byte in line %zu (binary data, or text "
                     "in UTF-16; save it as UTF-8)",
                     scanner->source->name, rm2i_csv_line_at(scanner, nul));
}

static rm2_status grow_window(rm2i_csv_scanner *scanner) {
    size_t kept = (size_t)(scanner->end - scanner->record);
    if (scanner->capacity >= WINDOW_MAX)
        return rm2i_fail(scanner->ctx, RM2_ERR_FORMAT,
                         "%s: line %zu is longer than %d MiB; is a quote not closed?",
                         scanner->source->name, scanner->line, WINDOW_MAX >> 20);
    size_t capacity = 2 * scanner->capacity;
    RM2_TRY(rm2i_grow(scanner->ctx, capacity, 1, &scanner->window));
    scanner->capacity = capacity;
    scanner->record = scanner->window;
    scanner->end = scanner->window + kept;
    return RM2_OK;
}

rm2_status rm2i_csv_more(rm2i_csv_scanner *scanner) {
    size_t kept = (size_t)(scanner->end - scanner->record);
    memmove(scanner->window, scanner->record, kept);
    scanner->record = scanner->window;
    scanner->end = scanner->window + kept;
    if (kept + 1 >= scanner->capacity / 2)
        RM2_TRY(grow_window(scanner));
    char *fresh = scanner->window + kept;
    rm2i_source *source = scanner->source;
    size_t room = scanner->capacity - kept - 1, got;
    uint64_t left = scanner->limit - source->position;
    size_t want = left < room ? (size_t)left : room;
    RM2_TRY(source->read(source, fresh, want, &got));
    fresh[got] = '\0';
    scanner->end = fresh + got;
    scanner->at_end = got < room;
    if (got < want && scanner->limit != UINT64_MAX)
        return rm2i_fail(scanner->ctx, RM2_ERR_DATA,
                         "%s: expected %llu bytes as before, got %llu: the file has changed while "
                         "it was read",
                         source->name, (unsigned long long)scanner->limit,
                         (unsigned long long)source->position);
    return refuse_nul(scanner, fresh);
}

/* A line begins where the line before it ends. */
static rm2_status check_line_start(rm2i_csv_scanner *scanner, const rm2i_csv_part *part) {
    char before = '\0';
    if (part->line == 1 || part->from == 0)
        return RM2_OK;
    scanner->source->position = part->from - 1;
    RM2_TRY(rm2i_source_exactly(scanner->source, &before, 1, "a line"));
    if (before == '\n')
        return RM2_OK;
    return rm2i_fail(scanner->ctx, RM2_ERR_DATA,
                     "%s: line %zu does not begin at byte %llu as before: the file has changed "
                     "while it was read",
                     scanner->source->name, part->line, (unsigned long long)part->from);
}

rm2_status rm2i_csv_enter_part(rm2i_csv_scanner *scanner, const rm2i_csv_part *part) {
    scanner->record = scanner->end = scanner->window;
    scanner->window[0] = '\0';
    scanner->line = part->line;
    scanner->limit = part->to;
    scanner->has_quotes = false;
    scanner->at_end = part->from >= part->to;
    if (scanner->at_end)
        return RM2_OK;
    RM2_TRY(check_line_start(scanner, part));
    scanner->source->position = part->from;
    return rm2i_csv_more(scanner);
}

uint64_t rm2i_csv_offset(const rm2i_csv_scanner *scanner) {
    return scanner->source->position - (uint64_t)(scanner->end - scanner->record);
}

rm2_status rm2i_csv_scanner_open(rm2_context *ctx, rm2i_source *source, char delimiter,
                                 rm2i_csv_scanner *scanner) {
    *scanner = (rm2i_csv_scanner){
        .ctx = ctx, .source = source, .line = 1, .delimiter = delimiter, .limit = UINT64_MAX};
    RM2_TRY(rm2i_alloc(ctx, BLOCK, 1, &scanner->window));
    scanner->capacity = BLOCK;
    scanner->record = scanner->end = scanner->window;
    rm2_status filled = rm2i_csv_more(scanner);
    if (filled == RM2_OK || filled == RM2_ERR_FORMAT)
        RM2_TRY(refuse_other_formats(scanner));
    RM2_TRY(filled);
    if (scanner->end == scanner->window)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is empty", source->name);
    if (strncmp(scanner->record, "\xef\xbb\xbf", 3) == 0)
        scanner->record += 3;
    return RM2_OK;
}

void rm2i_csv_scanner_close(rm2i_csv_scanner *scanner) {
    free(scanner->window);
    scanner->window = NULL;
}

const char *rm2i_csv_skip_blanks(const rm2i_csv_scanner *scanner, const char *p) {
    while (rm2i_csv_is_blank(scanner, *p))
        p++;
    return p;
}

void rm2i_csv_end_record(rm2i_csv_scanner *scanner, const char *end) {
    scanner->line = scanner->has_quotes ? rm2i_csv_line_at(scanner, end) : scanner->line + 1;
    scanner->record = end;
    scanner->has_quotes = false;
}

/* End of a line that holds no record, or NULL if the record begins here. At the end of the window
 * the line may not be complete: then the result is the end itself. */
static const char *skip_line(const rm2i_csv_scanner *scanner) {
    const char *p = rm2i_csv_skip_blanks(scanner, scanner->record);
    if (*p == '#') {
        const char *newline = memchr(p, '\n', (size_t)(scanner->end - p));
        return newline ? newline + 1 : scanner->end;
    }
    if (*p == '\r' && (p[1] == '\n' || p + 1 == scanner->end))
        p++;
    if (*p == '\n')
        return p + 1;
    return p == scanner->end ? p : NULL;
}

rm2_status rm2i_csv_find_record(rm2i_csv_scanner *scanner, bool *found) {
    for (;;) {
        const char *after = skip_line(scanner);
        *found = after == NULL;
        if (*found)
            return RM2_OK;
        if (after > scanner->record && after[-1] == '\n')
            rm2i_csv_end_record(scanner, after);
        else if (scanner->at_end)
            return RM2_OK;
        else
            RM2_TRY(rm2i_csv_more(scanner));
    }
}

rm2i_csv_stop rm2i_csv_after_field(const rm2i_csv_scanner *scanner, const char *p,
                                   const char **cursor) {
    const char *blanks = p;
    p = rm2i_csv_skip_blanks(scanner, p);
    bool after_return = *p == '\r';
    if (after_return)
        p++;
    *cursor = p + 1;
    if (*p == '\n')
        return RM2I_CSV_LAST;
    if (p == scanner->end) {
        *cursor = p;
        return scanner->at_end ? RM2I_CSV_LAST : RM2I_CSV_CUT;
    }
    if (after_return)
        return RM2I_CSV_BAD;
    if (scanner->delimiter == ' ') {
        *cursor = p;
        return p > blanks ? RM2I_CSV_NEXT : RM2I_CSV_BAD;
    }
    return *p == scanner->delimiter ? RM2I_CSV_NEXT : RM2I_CSV_BAD;
}

const char *rm2i_csv_scan_quoted(const rm2i_csv_scanner *scanner, const char *p,
                                 rm2i_csv_field *field) {
    *field = (rm2i_csv_field){.text = p, .quoted = true};
    for (;;) {
        p = memchr(p, '"', (size_t)(scanner->end - p));
        if (!p)
            return NULL;
        if (p[1] != '"')
            break;
        field->escaped = true;
        p += 2;
    }
    field->size = (size_t)(p - field->text);
    return p;
}

static const char *scan_plain(const rm2i_csv_scanner *scanner, const char *p,
                              rm2i_csv_field *field) {
    *field = (rm2i_csv_field){.text = p};
    const char *solid = p; /* after the last character that is no blank */
    bool blanks_end = scanner->delimiter == ' ';
    for (; *p != '\0' && *p != '\n' && *p != '\r' && *p != scanner->delimiter; p++) {
        if (*p != ' ' && *p != '\t')
            solid = p + 1;
        else if (blanks_end)
            break;
    }
    field->size = (size_t)(solid - field->text);
    return p;
}

static rm2i_csv_stop bad_field(rm2i_csv_scanner *scanner, const char *p, const char *reason) {
    scanner->status = rm2i_fail(scanner->ctx, RM2_ERR_FORMAT, "%s: line %zu: %s",
                                scanner->source->name, rm2i_csv_line_at(scanner, p), reason);
    return RM2I_CSV_BAD;
}

rm2i_csv_stop rm2i_csv_scan_field(rm2i_csv_scanner *scanner, const char **cursor,
                                  rm2i_csv_field *field) {
    const char *start = rm2i_csv_skip_blanks(scanner, *cursor);
    const char *p;
    if (*start == '"') {
        scanner->has_quotes = true;
        p = rm2i_csv_scan_quoted(scanner, start + 1, field);
        if (!p && !scanner->at_end)
            return RM2I_CSV_CUT;
        if (!p)
            return bad_field(scanner, start, "the quote that begins here is not closed");
        p++;
    } else {
        p = scan_plain(scanner, start, field);
    }
    rm2i_csv_stop stop = rm2i_csv_after_field(scanner, p, cursor);
    if (stop != RM2I_CSV_BAD)
        return stop;
    if (*p == '\r')
        return bad_field(scanner, p,
                         "a carriage return without a line feed (line ends of old Macs?); convert "
                         "the line ends first");
    return bad_field(scanner, p, "there is text after the closing quote of a field");
}

static rm2i_csv_stop count_fields_in_window(rm2i_csv_scanner *scanner, size_t *count,
                                            rm2i_csv_field *last) {
    const char *cursor = scanner->record;
    rm2i_csv_stop stop;
    *count = 0;
    do {
        stop = rm2i_csv_scan_field(scanner, &cursor, last);
        *count += 1;
    } while (stop == RM2I_CSV_NEXT);
    return stop;
}

rm2_status rm2i_csv_count_fields(rm2i_csv_scanner *scanner, size_t *count, bool *last_empty) {
    for (;;) {
        rm2i_csv_field last;
        rm2i_csv_stop stop = count_fields_in_window(scanner, count, &last);
        *last_empty = last.size == 0 && !last.quoted;
        if (stop == RM2I_CSV_BAD)
            return scanner->status;
        if (stop == RM2I_CSV_LAST)
            return RM2_OK;
        RM2_TRY(rm2i_csv_more(scanner));
    }
}

size_t rm2i_csv_unescape(const rm2i_csv_field *field, char *copy) {
    size_t used = 0;
    for (size_t i = 0; i < field->size; i++) {
        copy[used++] = field->text[i];
        if (field->escaped && field->text[i] == '"')
            i++;
    }
    return used;
}
