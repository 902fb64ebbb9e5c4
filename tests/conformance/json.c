/* JSON parser: recursive descent over a text that ends in NUL. */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    arena *memory;
    const char *at, *end;
    size_t line;
    int depth;
    json_error *error;
} parser;

static bool parse_value(parser *p, json_value *value);

/* Note the first failure; always false, to be returned. */
static bool fail(parser *p, const char *message) {
    if (p->error->line == 0) {
        p->error->line = p->line;
        snprintf(p->error->message, sizeof p->error->message, "%s", message);
    }
    return false;
}

static void skip_space(parser *p) {
    for (; p->at < p->end; p->at++) {
        if (*p->at == '\n')
            p->line++;
        else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
            return;
    }
}

static bool accept(parser *p, char c) {
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- numbers and words ---------------------------------------------------------------------- */

static bool skip_digits(parser *p) {
    const char *start = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
    return p->at > start;
}

/* Move over -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?; false where the text is no such thing.
 */
static bool skip_number(parser *p) {
    accept(p, '-');
    if (!accept(p, '0') && !skip_digits(p))
        return false;
    if (accept(p, '.') && !skip_digits(p))
        return false;
    if (accept(p, 'e') || accept(p, 'E')) {
        if (!accept(p, '+'))
            accept(p, '-');
        return skip_digits(p);
    }
    return true;
}

static bool parse_number(parser *p, json_value *value) {
    const char *start = p->at;
    char *stop;
    if (!skip_number(p))
        return fail(p, "malformed number");
    value->type = JSON_NUMBER;
    value->number = strtod(start, &stop);
    if (stop != p->at)
        return fail(p, "malformed number");
    return isfinite(value->number) ? true : fail(p, "number out of range");
}

static bool parse_word(parser *p, const char *word, json_type type, json_value *value) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || strncmp(p->at, word, length) != 0)
        return fail(p, "expected a value");
    p->at += length;
    value->type = type;
    return true;
}

/* ---- strings -------------------------------------------------------------------------------- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool parse_hex4(parser *p, unsigned *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        int digit = p->at < p->end ? hex_digit(*p->at) : -1;
        if (digit < 0)
            return fail(p, "\\u needs four hexadecimal digits");
        *code = *code * 16 + (unsigned)digit;
    }
    return true;
}

/* The code point after \u, a surrogate pair included. */
static bool parse_code_point(parser *p, unsigned *code) {
    unsigned low;
    if (!parse_hex4(p, code))
        return false;
    if (*code == 0)
        return fail(p, "\\u0000 inside a string");
    if (*code < 0xD800 || *code > 0xDFFF)
        return true;
    if (*code > 0xDBFF || !accept(p, '\\') || !accept(p, 'u'))
        return fail(p, "unpaired surrogate");
    if (!parse_hex4(p, &low))
        return false;
    if (low < 0xDC00 || low > 0xDFFF)
        return fail(p, "unpaired surrogate");
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static char *put_utf8(char *out, unsigned code) {
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xE0 | (code >> 12));
        } else {
            *out++ = (char)(0xF0 | (code >> 18));
            *out++ = (char)(0x80 | ((code >> 12) & 0x3F));
        }
        *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
    }
    *out++ = (char)(0x80 | (code & 0x3F));
    return out;
}

/* What follows a backslash, written at *out. */
static bool parse_escape(parser *p, char **out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (accept(p, 'u')) {
        unsigned code;
        if (!parse_code_point(p, &code))
            return false;
        *out = put_utf8(*out, code);
        return true;
    }
    const char *letter = p->at < p->end && *p->at ? strchr(letters, *p->at) : NULL;
    if (!letter)
        return fail(p, "unknown escape in a string");
    *(*out)++ = meanings[letter - letters];
    p->at++;
    return true;
}

/* Bytes up to the closing quote: no escape is longer decoded than written. */
static size_t raw_length(const parser *p) {
    const char *c = p->at;
    while (c < p->end && *c != '"')
        c += *c == '\\' && c + 1 < p->end ? 2 : 1;
    return (size_t)(c - p->at);
}

static bool parse_string(parser *p, const char **string) {
    if (!accept(p, '"'))
        return fail(p, "expected a string");
    char *out = arena_alloc(p->memory, raw_length(p) + 1);
    if (!out)
        return fail(p, "out of memory");
    *string = out;
    while (!accept(p, '"')) {
        if (p->at == p->end)
            return fail(p, "string without end");
        if ((unsigned char)*p->at < 0x20)
            return fail(p, "control character in a string");
        if (!accept(p, '\\'))
            *out++ = *p->at++;
        else if (!parse_escape(p, &out))
            return false;
    }
    *out = '\0';
    return true;
}

/* ---- arrays and objects --------------------------------------------------------------------- */

/* Name and colon of the next member of `object`. */
static bool parse_name(parser *p, const json_value *object, json_value *member) {
    skip_space(p);
    if (!parse_string(p, &member->name))
        return false;
    if (json_member(object, member->name))
        return fail(p, "name twice in one object");
    skip_space(p);
    return accept(p, ':') ? true : fail(p, "expected ':'");
}

/* One element, linked behind `link` once it is whole. */
static bool parse_child(parser *p, json_value *parent, json_value **link) {
    json_value *child = arena_alloc(p->memory, sizeof *child);
    if (!child)
        return fail(p, "out of memory");
    *child = (json_value){0};
    if (parent->type == JSON_OBJECT && !parse_name(p, parent, child))
        return false;
    if (!parse_value(p, child))
        return false;
    *link = child;
    parent->count++;
    return true;
}

static bool parse_children(parser *p, json_value *parent, char close) {
    json_value **link = &parent->first;
    p->at++;
    skip_space(p);
    if (accept(p, close))
        return true;
    do {
        if (!parse_child(p, parent, link))
            return false;
        link = &(*link)->next;
        skip_space(p);
    } while (accept(p, ','));
    if (accept(p, close))
        return true;
    return fail(p, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
}

static bool parse_nested(parser *p, json_value *value, json_type type, char close) {
    if (p->depth == JSON_MAX_DEPTH)
        return fail(p, "nested too deep");
    value->type = type;
    p->depth++;
    bool done = parse_children(p, value, close);
    p->depth--;
    return done;
}

static bool parse_value(parser *p, json_value *value) {
    skip_space(p);
    switch (p->at < p->end ? *p->at : '\0') {
    case '{':
        return parse_nested(p, value, JSON_OBJECT, '}');
    case '[':
        return parse_nested(p, value, JSON_ARRAY, ']');
    case '"':
        value->type = JSON_STRING;
        return parse_string(p, &value->string);
    case 't':
        return parse_word(p, "true", JSON_TRUE, value);
    case 'f':
        return parse_word(p, "false", JSON_FALSE, value);
    case 'n':
        return parse_word(p, "null", JSON_NULL, value);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return parse_number(p, value);
    default:
        return fail(p, "expected a value");
    }
}

json_value *json_parse(arena *memory, const char *text, size_t size, json_error *error) {
    parser p = {.memory = memory, .at = text, .end = text + size, .line = 1, .error = error};
    *error = (json_error){0};
    json_value *root = arena_alloc(memory, sizeof *root);
    if (!root) {
        fail(&p, "out of memory");
        return NULL;
    }
    *root = (json_value){0};
    if (!parse_value(&p, root))
        return NULL;
    skip_space(&p);
    if (p.at < p.end) {
        fail(&p, "text after the value");
        return NULL;
    }
    return root;
}
