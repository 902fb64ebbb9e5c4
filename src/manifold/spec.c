/* Spec strings such as "R3 x S3".
 *
 * spec   = term { "x" term }
 * term   = name number [":log"], with "^" or "(...)" allowed around the number: S2, S^2, SO(3); ":log" is the
 *          log-Euclidean metric of SPD, also written SPDlog15
 * name   = a geometry's letters in upper or lower case, or a short form: T (torus), SE (poses) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "manifold/manifold.h"
#include "manifold/registry.h"

enum { NAME_SIZE = RM2I_MAX_LETTERS + 2 }; /* one letter too many is not known */

typedef struct parser {
    rm2_context *ctx;
    const char *spec, *at;
    rm2_factor *factors;
    size_t count;
} parser;

static rm2_status complain(const parser *p, const char *what) {
    return rm2i_fail(
        p->ctx, RM2_ERR_ARGUMENT,
        "manifold \"%.60s\", position %zu: %s; examples: \"R3 x S3\", \"SPD15\", \"SE3\", "
        "\"R2 x SPD2 x H2\", \"T7\"",
        p->spec, (size_t)(p->at - p->spec) + 1, what);
}

static void skip_blanks(parser *p) {
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static rm2_status add(parser *p, const rm2_geometry *geometry, size_t n) {
    if (p->count == RM2I_MAX_FACTORS)
        return complain(p, "too many factors");
    p->factors[p->count++] = (rm2_factor){.geometry = geometry, .n = n};
    return RM2_OK;
}

static rm2_status read_name(parser *p, char name[NAME_SIZE]) {
    size_t length = 0;
    while (length < NAME_SIZE - 1 && isalpha((unsigned char)p->at[length])) {
        name[length] = p->at[length];
        length++;
    }
    name[length] = 0;
    if (length == 0)
        return complain(p, "expected a manifold: R, S, SO, SPD, H, T or SE with a number");
    return RM2_OK;
}

static rm2_status read_number(parser *p, size_t *n) {
    bool parenthesis = false;
    if (*p->at == '^' || *p->at == '(') {
        parenthesis = *p->at == '(';
        p->at++;
    }
    if (!isdigit((unsigned char)*p->at))
        return complain(p, "expected the number of dimensions");
    for (*n = 0; isdigit((unsigned char)*p->at); p->at++)
        if (*n < 100000000)
            *n = *n * 10 + (size_t)(*p->at - '0');
    if (parenthesis && *p->at != ')')
        return complain(p, "expected ')'");
    p->at += parenthesis;
    return RM2_OK;
}

static rm2_status unknown(const parser *p, const char *name) {
    char what[120];
    (void)snprintf(what, sizeof what,
                   "no such manifold; a geometry of your own named %s must be registered first "
                   "(rm2_manifold_register)",
                   name);
    return complain(p, what);
}

static rm2_status add_short_form(parser *p, const char *name, size_t n) {
    bool torus = strcasecmp(name, "T") == 0, pose = strcasecmp(name, "SE") == 0;
    if (!torus && !pose)
        return unknown(p, name);
    if (torus && n >= 1 && n <= RM2I_MAX_FACTORS) {
        for (size_t i = 0; i < n; i++)
            RM2_TRY(add(p, &rm2_sphere, 1));
        return RM2_OK;
    }
    if (pose && (n == 2 || n == 3)) {
        RM2_TRY(add(p, &rm2_euclidean, n));
        return n == 3 ? add(p, &rm2_rotation, 3) : add(p, &rm2_sphere, 1);
    }
    return complain(p, "no such manifold");
}

static rm2_status add_geometry(parser *p, const rm2_geometry *geometry, size_t n) {
    char what[80];
    if (n >= geometry->n_min && n <= geometry->n_max)
        return add(p, geometry, n);
    (void)snprintf(what, sizeof what, "%.20s exists for n = %zu to %zu", geometry->name,
                   geometry->n_min, geometry->n_max);
    return complain(p, what);
}

/* ":log" after SPD15. */
static rm2_status read_metric(parser *p, const rm2_geometry **geometry) {
    static const char word[] = ":log";
    const size_t length = sizeof word - 1;
    if (strncasecmp(p->at, word, length) != 0 || *geometry != &rm2_spd)
        return complain(p, "expected the metric of SPD, as in SPD15:log, or nothing");
    *geometry = &rm2_spd_log;
    p->at += length;
    return RM2_OK;
}

static rm2_status read_term(parser *p) {
    char name[NAME_SIZE];
    size_t n = 0;
    skip_blanks(p);
    const char *start = p->at;
    RM2_TRY(read_name(p, name));
    p->at += strlen(name);
    RM2_TRY(read_number(p, &n));
    const rm2_geometry *geometry = rm2i_geometry_find(p->ctx, name);
    if (*p->at == ':')
        RM2_TRY(read_metric(p, &geometry));
    const char *end = p->at;
    p->at = start; /* a message points at the name */
    RM2_TRY(geometry ? add_geometry(p, geometry, n) : add_short_form(p, name, n));
    p->at = end;
    return RM2_OK;
}

/* "x", "X" or the multiplication sign of Unicode (two bytes in UTF-8). */
static bool read_times(parser *p) {
    skip_blanks(p);
    size_t length = *p->at == 'x' || *p->at == 'X' ? 1 : strncmp(p->at, "\xc3\x97", 2) == 0 ? 2 : 0;
    p->at += length;
    return length > 0;
}

rm2_status rm2_manifold_create(rm2_context *ctx, const char *spec, rm2_manifold **manifold) {
    RM2_REQUIRE(ctx, manifold);
    *manifold = NULL;
    RM2_REQUIRE(ctx, spec);
    parser p = {.ctx = ctx, .spec = spec, .at = spec};
    RM2_TRY(rm2i_alloc(ctx, RM2I_MAX_FACTORS, sizeof *p.factors, &p.factors));
    rm2_status status;
    do
        status = read_term(&p);
    while (status == RM2_OK && read_times(&p));
    if (status == RM2_OK && *p.at)
        status = complain(&p, "expected 'x' and another manifold, or the end");
    if (status == RM2_OK)
        status = rm2_manifold_from_factors(ctx, p.factors, p.count, manifold);
    free(p.factors);
    return status;
}
