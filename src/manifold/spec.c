/* Spec strings ("R3 x S3") and the manifold object made of them.
 *
 * spec   = term { "x" term }
 * term   = name number, with "^" or "(...)" allowed around the number: S2, S^2, SO(3)
 * name   = a geometry's letters, or a short form: T (torus), SE (poses) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/manifold.h"

static const rm2_geometry *const geometries[] = {&rm2_euclidean, &rm2_sphere, &rm2_rotation,
                                                 &rm2_spd, &rm2_hyperbolic};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0], MAX_FACTORS = 1000 };

/* ---- object --------------------------------------------------------------------------------- */

static rm2_status check_factors(rm2_context *ctx, const rm2_factor *factors, size_t count) {
    if (count == 0 || count > MAX_FACTORS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a manifold has 1 to %d factors, not %zu",
                         MAX_FACTORS, count);
    for (size_t i = 0; i < count; i++) {
        const rm2_geometry *g = factors[i].geometry;
        if (!g)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "factor %zu has no geometry", i + 1);
        if (factors[i].n < g->n_min || factors[i].n > g->n_max)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s%zu: %s exists for n = %zu to %zu", g->name,
                             factors[i].n, g->name, g->n_min, g->n_max);
    }
    return RM2_OK;
}

/* Fill sizes and offsets. */
static void lay_out(rm2_manifold *m) {
    for (size_t i = 0; i < m->count; i++) {
        rm2_factor *f = &m->factors[i];
        f->dim = f->geometry->dim(f->n);
        f->ambient = f->geometry->ambient(f->n);
        f->dim_offset = m->dim;
        f->ambient_offset = m->ambient;
        m->frame_offsets[i] = m->frame_size;
        m->dim += f->dim;
        m->ambient += f->ambient;
        m->frame_size += f->geometry->frame_size(f->n);
        size_t work = rm2i_factor_work(f);
        m->work_size = work > m->work_size ? work : m->work_size;
    }
}

static rm2_status write_spec(rm2_context *ctx, rm2_manifold *m) {
    enum { TERM = 64 };
    RM2_TRY(rm2i_alloc(ctx, m->count, TERM, &m->spec));
    size_t used = 0;
    for (size_t i = 0; i < m->count; i++)
        used += (size_t)snprintf(m->spec + used, TERM, "%s%.20s%zu", i ? " x " : "",
                                 m->factors[i].geometry->name, m->factors[i].n);
    return RM2_OK;
}

static rm2_status build(rm2_context *ctx, const rm2_factor *factors, size_t count,
                        rm2_manifold *m) {
    m->count = count;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *m->factors, &m->factors));
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *m->frame_offsets, &m->frame_offsets));
    memcpy(m->factors, factors, count * sizeof *factors);
    lay_out(m);
    return write_spec(ctx, m);
}

rm2_status rm2_manifold_from_factors(rm2_context *ctx, const rm2_factor *factors, size_t count,
                                     rm2_manifold **manifold) {
    *manifold = NULL;
    RM2_TRY(check_factors(ctx, factors, count));
    rm2_manifold *m;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    rm2_status status = build(ctx, factors, count, m);
    if (status != RM2_OK) {
        rm2_manifold_free(m);
        return status;
    }
    *manifold = m;
    return RM2_OK;
}

void rm2_manifold_free(rm2_manifold *manifold) {
    if (!manifold)
        return;
    free(manifold->factors);
    free(manifold->frame_offsets);
    free(manifold->spec);
    free(manifold);
}

const char *rm2_manifold_spec(const rm2_manifold *manifold) {
    return manifold->spec;
}

size_t rm2_manifold_dim(const rm2_manifold *manifold) {
    return manifold->dim;
}

size_t rm2_manifold_ambient(const rm2_manifold *manifold) {
    return manifold->ambient;
}

size_t rm2_manifold_factor_count(const rm2_manifold *manifold) {
    return manifold->count;
}

const rm2_factor *rm2_manifold_factor(const rm2_manifold *manifold, size_t index) {
    return index < manifold->count ? &manifold->factors[index] : NULL;
}

void rm2_manifold_default_point(const rm2_manifold *manifold, double *p) {
    for (size_t i = 0; i < manifold->count; i++) {
        const rm2_factor *f = &manifold->factors[i];
        f->geometry->default_point(f->n, p + f->ambient_offset);
    }
}

/* ---- parser --------------------------------------------------------------------------------- */

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
    if (p->count == MAX_FACTORS)
        return complain(p, "too many factors");
    p->factors[p->count++] = (rm2_factor){.geometry = geometry, .n = n};
    return RM2_OK;
}

static rm2_status read_name(parser *p, char name[8]) {
    size_t length = 0;
    while (length < 7 && isalpha((unsigned char)p->at[length])) {
        name[length] = (char)toupper((unsigned char)p->at[length]);
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

static rm2_status add_short_form(parser *p, const char *name, size_t n) {
    if (strcmp(name, "T") == 0 && n >= 1 && n <= MAX_FACTORS) {
        for (size_t i = 0; i < n; i++)
            RM2_TRY(add(p, &rm2_sphere, 1));
        return RM2_OK;
    }
    if (strcmp(name, "SE") == 0 && (n == 2 || n == 3)) {
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

static rm2_status read_term(parser *p) {
    char name[8];
    size_t n = 0;
    skip_blanks(p);
    const char *start = p->at;
    RM2_TRY(read_name(p, name));
    p->at += strlen(name);
    RM2_TRY(read_number(p, &n));
    const char *end = p->at;
    p->at = start; /* a message points at the name */
    size_t i = 0;
    while (i < GEOMETRIES && strcmp(name, geometries[i]->name) != 0)
        i++;
    RM2_TRY(i < GEOMETRIES ? add_geometry(p, geometries[i], n) : add_short_form(p, name, n));
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
    *manifold = NULL;
    if (!spec)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no manifold given");
    parser p = {.ctx = ctx, .spec = spec, .at = spec};
    RM2_TRY(rm2i_alloc(ctx, MAX_FACTORS, sizeof *p.factors, &p.factors));
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
