/* JSON, written value by value. */
#include "front/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/base.h"

/* Code point of a character of up to three bytes, as all control characters have. */
static unsigned code_point(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    return length == 1   ? p[0]
           : length == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
                         : (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

static void put_quoted(FILE *out, const char *text) {
    (void)fputc('"', out);
    while (*text) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        unsigned char c = (unsigned char)*text;
        if (length == 0)
            (void)fputs("\\ufffd", out); /* a byte that is not a character */
        else if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (rm2_utf8_printable(text, length) == 0)
            (void)fprintf(out, "\\u%04x", code_point(text, length));
        else
            (void)fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    (void)fputc('"', out);
}

/* ---- nesting -------------------------------------------------------------------------------- */

static bool in_array(const rm2_json *j) {
    return j->arrays >> j->depth & 1u;
}

/* Comma, new line and name before a value; false after a misuse. */
static bool begin_value(rm2_json *j, const char *name) {
    j->misused = j->misused || j->depth == 0 || in_array(j) == (name != NULL);
    if (j->misused)
        return false;
    if (j->comma)
        (void)fputs(j->new_line ? "," : ", ", j->out);
    if (j->new_line)
        (void)fprintf(j->out, "\n%*s", (int)j->depth, "");
    if (name) {
        put_quoted(j->out, name);
        (void)fputs(": ", j->out);
    }
    j->comma = true;
    j->new_line = false;
    return true;
}

static void open_level(rm2_json *j, const char *name, bool array) {
    j->misused = j->misused || j->depth == RM2_JSON_DEPTH;
    if (!begin_value(j, name))
        return;
    (void)fputc(array ? '[' : '{', j->out);
    j->depth++;
    j->arrays = (j->arrays & ~(1u << j->depth)) | (uint32_t)array << j->depth;
    j->comma = false;
}

rm2_json rm2_json_begin(FILE *out) {
    (void)fputc('{', out);
    return (rm2_json){.out = out, .depth = 1};
}

void rm2_json_object(rm2_json *json, const char *name) {
    open_level(json, name, false);
}

void rm2_json_array(rm2_json *json, const char *name) {
    open_level(json, name, true);
}

void rm2_json_end(rm2_json *json) {
    json->misused = json->misused || json->depth == 0;
    if (json->misused)
        return;
    (void)fputc(in_array(json) ? ']' : '}', json->out);
    json->comma = true;
    json->new_line = false;
    if (--json->depth == 0)
        (void)fputc('\n', json->out);
}

void rm2_json_break(rm2_json *json) {
    json->new_line = true;
}

/* ---- values --------------------------------------------------------------------------------- */

static void put(rm2_json *j, const rm2_json_member *m) {
    if (!begin_value(j, m->name))
        return;
    if (m->kind == RM2_JSON_NUMBER && isfinite(m->number))
        (void)fprintf(j->out, "%.17g", m->number);
    else if (m->kind == RM2_JSON_COUNT && m->count != SIZE_MAX)
        (void)fprintf(j->out, "%zu", m->count);
    else if (m->kind == RM2_JSON_WHOLE)
        (void)fprintf(j->out, "%" PRIu64, m->whole);
    else if (m->kind == RM2_JSON_FLAG)
        (void)fputs(m->flag ? "true" : "false", j->out);
    else if (m->kind == RM2_JSON_TEXT && m->text)
        put_quoted(j->out, m->text);
    else
        (void)fputs("null", j->out);
}

void rm2_json_put_list(rm2_json *json, const rm2_json_member *list) {
    for (; list->kind != RM2_JSON_LAST; list++)
        put(json, list);
}

void rm2_json_record_list(rm2_json *json, const char *name, const rm2_json_member *list) {
    rm2_json_object(json, name);
    rm2_json_put_list(json, list);
    rm2_json_end(json);
}

void rm2_json_numbers(rm2_json *json, const char *name, size_t n, const double *values) {
    rm2_json_array(json, name);
    for (size_t k = 0; k < n; k++)
        rm2_json_put(json, RM2_NUMBER(NULL, values[k]));
    rm2_json_end(json);
}

void rm2_json_counts(rm2_json *json, const char *name, size_t n, const size_t *values) {
    rm2_json_array(json, name);
    for (size_t k = 0; k < n; k++)
        rm2_json_put(json, RM2_COUNT(NULL, values[k]));
    rm2_json_end(json);
}

void rm2_json_texts(rm2_json *json, const char *name, size_t n, const char *const *texts) {
    rm2_json_array(json, name);
    for (size_t k = 0; k < n; k++)
        rm2_json_put(json, RM2_TEXT(NULL, texts[k]));
    rm2_json_end(json);
}
