/* Regions as text. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "io/io.h"
#include "riemann2/region.h"

/* ---- one region ----------------------------------------------------------------------------- */

static const struct form {
    const char *word;
    rm2_region_kind kind;
    size_t points; /* before the radius, if there is one */
    bool round;
    const char *numbers;
} forms[] = {
    {"sphere", RM2_REGION_SPHERE, 1, true, "centre, radius"},
    {"box", RM2_REGION_BOX, 2, false, "corner, opposite corner"},
    {"capsule", RM2_REGION_CAPSULE, 2, true, "end, end, radius"},
    {"halfspace", RM2_REGION_HALF_SPACE, 2, false, "point, normal to the free side"},
};
enum { FORMS = sizeof forms / sizeof *forms, MOST_NUMBERS = 2 * RM2_REGION_DIM + 1 };

/* Where the parser is. */
typedef struct cursor {
    rm2_context *ctx;
    const char *at;
    size_t line; /* from 1 */
} cursor;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static bool is_end(char c) {
    return c == '\0' || c == ';' || c == '\n' || c == '#';
}

static void skip_blanks(cursor *c) {
    while (is_blank(*c->at))
        c->at++;
}

static const struct form *find_form(cursor *c, char shown[RM2I_SHOWN_SIZE]) {
    const char *word = c->at;
    while (!is_blank(*c->at) && !is_end(*c->at))
        c->at++;
    size_t length = (size_t)(c->at - word);
    (void)rm2i_shown(word, length, shown);
    for (size_t k = 0; k < FORMS; k++)
        if (strlen(forms[k].word) == length && strncmp(forms[k].word, word, length) == 0)
            return &forms[k];
    return NULL;
}

/* The numbers up to the end of the region; SIZE_MAX where something else stands among them, shown then. */
static size_t parse_numbers(cursor *c, double *values, char shown[RM2I_SHOWN_SIZE]) {
    size_t count = 0;
    for (skip_blanks(c); !is_end(*c->at); skip_blanks(c)) {
        double value;
        const char *word = c->at, *after = rm2i_parse_double(word, &value);
        while (!is_blank(*c->at) && !is_end(*c->at))
            c->at++;
        if (after != c->at) {
            (void)rm2i_shown(word, (size_t)(c->at - word), shown);
            return SIZE_MAX;
        }
        if (count < MOST_NUMBERS)
            values[count] = value;
        count++;
    }
    return count;
}

static rm2_status parse_one(cursor *c, size_t dim, rm2_region *r) {
    char shown[RM2I_SHOWN_SIZE];
    double values[MOST_NUMBERS];
    const struct form *form = find_form(c, shown);
    if (!form)
        return rm2i_fail(c->ctx, RM2_ERR_DATA,
                         "unknown shape '%s'; expected sphere, box, capsule or halfspace", shown);
    size_t needed = form->points * dim + form->round, got = parse_numbers(c, values, shown);
    if (got == SIZE_MAX)
        return rm2i_fail(c->ctx, RM2_ERR_DATA, "%s: '%s' is not a number", form->word, shown);
    if (got != needed)
        return rm2i_fail(c->ctx, RM2_ERR_DATA,
                         "%s: expected %zu numbers in %zu dimensions (%s), got %zu", form->word,
                         needed, dim, form->numbers, got);
    *r = (rm2_region){.kind = form->kind, .dim = dim};
    memcpy(r->a, values, dim * sizeof *values);
    if (form->points > 1)
        memcpy(r->b, values + dim, dim * sizeof *values);
    if (form->round)
        r->radius = values[form->points * dim];
    rm2_status status = rm2_region_check(c->ctx, r);
    return status == RM2_ERR_ARGUMENT ? RM2_ERR_DATA : status; /* the message says which number */
}

/* ---- many ----------------------------------------------------------------------------------- */

/* To the next region, over ends and comments; false at the end of the text. */
static bool find_region(cursor *c) {
    for (;; c->at++) {
        skip_blanks(c);
        while (*c->at == '#' && c->at[strcspn(c->at, "\n")] == '\n')
            c->at += strcspn(c->at, "\n");
        if (*c->at == '\0' || *c->at == '#')
            return false;
        if (!is_end(*c->at))
            return true;
        c->line += *c->at == '\n';
    }
}

static rm2_status parse_all(cursor *c, size_t dim, size_t *count, rm2_region **regions) {
    while (find_region(c)) {
        size_t line = c->line;
        RM2_TRY(rm2i_grow(c->ctx, *count + 1, sizeof **regions, regions));
        rm2_status status = parse_one(c, dim, *regions + *count);
        if (status != RM2_OK)
            return line > 1
                       ? rm2i_fail_prefix(c->ctx, status, "line %zu, region %zu", line, *count + 1)
                       : rm2i_fail_prefix(c->ctx, status, "region %zu", *count + 1);
        ++*count;
    }
    return RM2_OK;
}

static rm2_status parse_text(rm2_context *ctx, const char *text, size_t dim, size_t *count,
                             rm2_region **regions) {
    cursor c = {ctx, text, 1};
    rm2i_c_locale locale;
    if (dim < 1 || dim > RM2_REGION_DIM)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "regions of %zu dimensions; expected 1 to %d", dim,
                         RM2_REGION_DIM);
    RM2_TRY(rm2i_c_locale_enter(ctx, &locale));
    rm2_status status = parse_all(&c, dim, count, regions);
    rm2i_c_locale_leave(&locale);
    if (status != RM2_OK) {
        free(*regions);
        *regions = NULL;
        *count = 0;
    }
    return status;
}

rm2_status rm2_regions_parse(rm2_context *ctx, const char *text, size_t dim, size_t *count,
                             rm2_region **regions) {
    RM2_REQUIRE(ctx, count, regions);
    *count = 0;
    *regions = NULL;
    RM2_REQUIRE(ctx, text);
    return parse_text(ctx, text, dim, count, regions);
}

rm2_status rm2_regions_read(rm2_context *ctx, const char *path, size_t dim, size_t *count,
                            rm2_region **regions) {
    RM2_REQUIRE(ctx, count, regions);
    *count = 0;
    *regions = NULL;
    RM2_REQUIRE(ctx, path);
    char *text;
    size_t size;
    RM2_TRY(rm2_file_read(ctx, path, RM2_SMALL_FILE, &text, &size, NULL));
    rm2_status status = strlen(text) == size ? parse_text(ctx, text, dim, count, regions)
                                             : rm2i_fail(ctx, RM2_ERR_FORMAT, "not a text file");
    if (status != RM2_OK)
        (void)rm2i_fail_prefix(ctx, status, "%s", path);
    free(text);
    return status;
}
