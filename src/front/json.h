/* JSON for our own front ends (tables.h). The output is always UTF-8 (RFC 8259), whatever bytes
 * labels and file names contain. Numbers have 17 digits, so that they read back as the same
 * doubles. */
#ifndef RM2_FRONT_JSON_H
#define RM2_FRONT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An object that is being written. Objects and arrays in it are opened and ended in turn; the
 * emitter writes commas and keeps the nesting. Every value has a name, which is NULL in an array.
 * Misuse (a name in an array, none in an object, an end without a beginning, a level too deep)
 * stops the output, which is then not valid JSON. */
typedef struct rm2_json {
    FILE *out;
    unsigned depth;  /* number of open objects and arrays */
    uint32_t arrays; /* bit d: the element at depth d is an array */
    bool comma;      /* a value precedes the next one */
    bool new_line;   /* begin a line before the next value */
    bool misused;
} rm2_json;

enum { RM2_JSON_DEPTH = 31 }; /* largest depth */

/* Begin the outermost object, whose end writes a line feed. */
rm2_json rm2_json_begin(FILE *out);
void rm2_json_object(rm2_json *json, const char *name);
void rm2_json_array(rm2_json *json, const char *name);
/* End the object or array that was opened last. */
void rm2_json_end(rm2_json *json);
/* Begin a line, indented by the depth, before the next value. */
void rm2_json_break(rm2_json *json);

/* Write arrays of n values, as RM2_NUMBER, RM2_COUNT and RM2_TEXT write them. */
void rm2_json_numbers(rm2_json *json, const char *name, size_t n, const double *values);
void rm2_json_counts(rm2_json *json, const char *name, size_t n, const size_t *values);
void rm2_json_texts(rm2_json *json, const char *name, size_t n, const char *const *texts);

/* ---- single values -------------------------------------------------------------------------- */

typedef enum rm2_json_kind {
    RM2_JSON_LAST, /* ends a list */
    RM2_JSON_NUMBER,
    RM2_JSON_COUNT,
    RM2_JSON_WHOLE,
    RM2_JSON_FLAG,
    RM2_JSON_TEXT
} rm2_json_kind;

typedef struct rm2_json_member {
    const char *name;
    rm2_json_kind kind;
    union {
        double number;
        size_t count;
        uint64_t whole;
        bool flag;
        const char *text;
    };
} rm2_json_member;

/* clang-format off */
/* Members. A number is null if it is not finite, a count if it is SIZE_MAX, and a text if it is
 * NULL; RM2_WHOLE writes any value, as a seed needs. */
#define RM2_NUMBER(key, x) {.name = (key), .kind = RM2_JSON_NUMBER, .number = (x)}
#define RM2_COUNT(key, x)  {.name = (key), .kind = RM2_JSON_COUNT, .count = (x)}
#define RM2_WHOLE(key, x)  {.name = (key), .kind = RM2_JSON_WHOLE, .whole = (x)}
#define RM2_FLAG(key, x)   {.name = (key), .kind = RM2_JSON_FLAG, .flag = (x)}
#define RM2_TEXT(key, x)   {.name = (key), .kind = RM2_JSON_TEXT, .text = (x)}

/* rm2_json_put(json, RM2_TEXT("file", path), RM2_COUNT("points", n)) writes these members,
 * rm2_json_record(json, name, ...) an object of them. All values are evaluated before the first is
 * written. Bytes of texts that are not UTF-8 become U+FFFD, control characters are escaped. */
#define rm2_json_put(json, ...)          rm2_json_put_list(json, RM2_JSON_LIST(__VA_ARGS__))
#define rm2_json_record(json, name, ...) rm2_json_record_list(json, name, RM2_JSON_LIST(__VA_ARGS__))
#define RM2_JSON_LIST(...)               (const rm2_json_member[]){__VA_ARGS__, {.kind = RM2_JSON_LAST}}
/* clang-format on */
void rm2_json_put_list(rm2_json *json, const rm2_json_member *list);
void rm2_json_record_list(rm2_json *json, const char *name, const rm2_json_member *list);

#endif
