/* One case of a vectors file while its check runs: inputs, outputs and what went wrong.
 *
 * A check asks for an output by name; it gets memory for it only when the case has a target of that
 * name. Inputs and statuses that follow belong to that output: a missing input or a failing call
 * fails it, and the other outputs of the case go on. All memory is given back with the case. */
#ifndef CONFORMANCE_CASE_H
#define CONFORMANCE_CASE_H

#include "arena.h"
#include "json.h"

#include "riemann2/base.h"
#include "riemann2/manifold.h"

enum { NOTE_SIZE = 160 };

typedef struct case_value {
    const char *name;
    double *data; /* count numbers, NaN until they are computed */
    size_t count;
    char note[NOTE_SIZE]; /* not empty: the output is failed */
    struct case_value *next;
} case_value;

typedef struct conf_case {
    rm2_context *ctx;
    const json_value *json; /* check, in, out, tol, tag */
    const json_value *in;   /* where inputs are looked up; a check may point it further in */
    rm2_manifold *manifold; /* freed with the case */
    case_value *values;     /* outputs so far, the current one first */
    char note[NOTE_SIZE];   /* not empty: the case is failed as a whole */
    arena memory;
} conf_case;

void case_begin(conf_case *c, rm2_context *ctx, const json_value *json);
void case_end(conf_case *c);

/* Fail the current output, or the whole case when there is none yet. */
void case_fail(conf_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fail likewise unless the status is RM2_OK; true when it is. */
bool case_ok(conf_case *c, rm2_status status);

/* The manifold of `spec`, or of the input "manifold" when spec is NULL; once a case. */
const rm2_manifold *case_manifold(conf_case *c, const char *spec);

/* Numbers of an input in row-major order, `count` of them; NULL (and a failure) otherwise. */
const double *case_input(conf_case *c, const char *name, size_t count);

/* The same whatever their count. */
const double *case_input_any(conf_case *c, const char *name, size_t *count);

/* Memory for an output, NaN at first; it becomes the current one. NULL when no target has that
 * name. */
double *case_output(conf_case *c, const char *name, size_t count);

/* Scratch of `count` doubles, zero at first; NULL (and a failure) when memory is out. */
double *case_scratch(conf_case *c, size_t count);

/* Scratch with the identity matrix of size n. */
double *case_identity(conf_case *c, size_t n);

/* The output of that name, or NULL. */
const case_value *case_find(const conf_case *c, const char *name);

#endif
