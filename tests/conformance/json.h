/* A small strict JSON reader (RFC 8259): text in, a tree in one arena out.
 *
 * Stricter than the RFC in three ways: names inside an object are unique, a number must be finite
 * as a double, and \u0000 is refused since strings end in NUL. Bytes from 0x80 up inside strings
 * are copied as they are. Numbers go through strtod, so the process stays in the C locale. */
#ifndef CONFORMANCE_JSON_H
#define CONFORMANCE_JSON_H

#include "arena.h"

#include <stddef.h>

enum { JSON_MAX_DEPTH = 64 }; /* arrays and objects inside one another */

typedef enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_type;

typedef struct json_value json_value;
struct json_value {
    json_type type;
    const char *name;   /* of a member of an object, else NULL */
    const char *string; /* JSON_STRING, else NULL */
    double number;      /* JSON_NUMBER, else 0 */
    size_t count;       /* elements or members */
    json_value *first;  /* first element or member */
    json_value *next;   /* next one of the same parent */
};

typedef struct json_error {
    size_t line; /* from 1; 0 when the text could not be read at all */
    char message[96];
} json_error;

/* Parse `size` bytes, text[size] being NUL. On failure NULL, and `error` says where and why. */
json_value *json_parse(arena *memory, const char *text, size_t size, json_error *error);

/* Read and parse a file. */
json_value *json_load(arena *memory, const char *path, json_error *error);

/* Member of an object; NULL if there is none or `object` is NULL or no object. */
const json_value *json_member(const json_value *object, const char *name);

/* String of a member, or `fallback`. */
const char *json_member_string(const json_value *object, const char *name, const char *fallback);

/* Number of a member, or `fallback`. */
double json_member_number(const json_value *object, const char *name, double fallback);

/* A number, or nested arrays of numbers in row-major order, as one array to be freed with free();
 * NULL if something else is in it or memory is out. */
double *json_numbers(const json_value *value, size_t *count);

#endif
