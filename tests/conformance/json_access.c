/* JSON files and the values inside a parsed tree. */
#include "json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* The whole stream with NUL behind it, to be freed; NULL when it cannot be read. */
static char *read_stream(FILE *file, size_t *size) {
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, capacity - 1 - *size, file);
        if (*size < capacity - 1)
            break;
        char *larger = realloc(text, capacity *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (text)
        text[*size] = '\0';
    return text;
}

json_value *json_load(arena *memory, const char *path, json_error *error) {
    size_t size;
    *error = (json_error){0};
    errno = 0;
    FILE *file = fopen(path, "rb");
    char *text = file ? read_stream(file, &size) : NULL;
    if (!text)
        snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(errno));
    if (file)
        fclose(file);
    json_value *root = text ? json_parse(memory, text, size, error) : NULL;
    free(text);
    return root;
}

/* ---- members -------------------------------------------------------------------------------- */

const json_value *json_member(const json_value *object, const char *name) {
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    for (const json_value *member = object->first; member; member = member->next)
        if (strcmp(member->name, name) == 0)
            return member;
    return NULL;
}

const char *json_member_string(const json_value *object, const char *name, const char *fallback) {
    const json_value *member = json_member(object, name);
    return member && member->type == JSON_STRING ? member->string : fallback;
}

double json_member_number(const json_value *object, const char *name, double fallback) {
    const json_value *member = json_member(object, name);
    return member && member->type == JSON_NUMBER ? member->number : fallback;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool count_numbers(const json_value *value, size_t *count) {
    if (value->type == JSON_NUMBER) {
        ++*count;
        return true;
    }
    if (value->type != JSON_ARRAY)
        return false;
    for (const json_value *element = value->first; element; element = element->next)
        if (!count_numbers(element, count))
            return false;
    return true;
}

static double *copy_numbers(const json_value *value, double *out) {
    if (value->type == JSON_NUMBER)
        *out++ = value->number;
    for (const json_value *element = value->first; element; element = element->next)
        out = copy_numbers(element, out);
    return out;
}

double *json_numbers(const json_value *value, size_t *count) {
    *count = 0;
    if (!value || !count_numbers(value, count))
        return NULL;
    double *numbers = malloc((*count + 1) * sizeof *numbers);
    if (numbers)
        copy_numbers(value, numbers);
    return numbers;
}
