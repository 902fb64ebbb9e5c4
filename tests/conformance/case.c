/* Inputs and outputs of one case. */
#include "case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void case_begin(conf_case *c, rm2_context *ctx, const json_value *json) {
    *c = (conf_case){.ctx = ctx, .json = json, .in = json_member(json, "in")};
}

void case_end(conf_case *c) {
    rm2_manifold_free(c->manifold);
    arena_free(&c->memory);
    *c = (conf_case){0};
}

void case_fail(conf_case *c, const char *format, ...) {
    char *note = c->values ? c->values->note : c->note;
    va_list arguments;
    if (note[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(note, NOTE_SIZE, format, arguments);
    va_end(arguments);
}

bool case_ok(conf_case *c, rm2_status status) {
    if (status == RM2_OK)
        return true;
    const char *text = rm2_context_error(c->ctx);
    case_fail(c, "%s", *text ? text : rm2_status_text(status));
    return false;
}

const rm2_manifold *case_manifold(conf_case *c, const char *spec) {
    if (c->manifold)
        return c->manifold;
    if (!spec)
        spec = json_member_string(c->in, "manifold", NULL);
    if (!spec)
        case_fail(c, "input manifold is missing");
    else
        case_ok(c, rm2_manifold_create(c->ctx, spec, &c->manifold));
    return c->manifold;
}

double *case_scratch(conf_case *c, size_t count) {
    double *data = arena_array(&c->memory, count, sizeof *data);
    if (!data)
        case_fail(c, "out of memory");
    for (size_t i = 0; data && i < count; i++)
        data[i] = 0.0;
    return data;
}

double *case_identity(conf_case *c, size_t n) {
    double *data = n == 0 || n <= SIZE_MAX / n ? case_scratch(c, n * n) : NULL;
    for (size_t i = 0; data && i < n; i++)
        data[i * n + i] = 1.0;
    return data;
}

const double *case_input_any(conf_case *c, const char *name, size_t *count) {
    const json_value *value = json_member(c->in, name);
    double *numbers = json_numbers(value, count);
    if (!numbers) {
        case_fail(c, "input %s is %s", name, value ? "not numbers" : "missing");
        return NULL;
    }
    double *data = case_scratch(c, *count);
    if (data)
        memcpy(data, numbers, *count * sizeof *data);
    free(numbers);
    return data;
}

const double *case_input(conf_case *c, const char *name, size_t count) {
    size_t given;
    const double *data = case_input_any(c, name, &given);
    if (data && given != count) {
        case_fail(c, "input %s has %zu numbers, not %zu", name, given, count);
        return NULL;
    }
    return data;
}

double *case_output(conf_case *c, const char *name, size_t count) {
    if (!json_member(json_member(c->json, "out"), name))
        return NULL;
    case_value *value = arena_alloc(&c->memory, sizeof *value);
    double *data = value ? case_scratch(c, count) : NULL;
    if (!data) /* without the value the target fails as not produced */
        return NULL;
    for (size_t i = 0; i < count; i++)
        data[i] = NAN;
    *value = (case_value){.name = name, .data = data, .count = count, .next = c->values};
    c->values = value;
    return data;
}

const case_value *case_find(const conf_case *c, const char *name) {
    const case_value *value = c->values;
    while (value && strcmp(value->name, name) != 0)
        value = value->next;
    return value;
}
