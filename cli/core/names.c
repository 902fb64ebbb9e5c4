/* Files of names: one per line, or one line with separators, the header of a table. */
#include "core/names.h"

#include <stdlib.h>
#include <string.h>

void names_free(region_names *n) {
    for (size_t k = 0; n->names && k < n->count; k++)
        free(n->names[k]);
    free((void *)n->names);
    *n = (region_names){0};
}

void names_entry(const region_names *n, size_t k, char text[ENTRY_NAME]) {
    (void)snprintf(text, ENTRY_NAME, "%s:%s", n->names[k / n->count], n->names[k % n->count]);
}

const char *const *names_for(const region_names *n, const rm2_factor *factor) {
    bool own = n && n->count > 0 && rm2_is_spd(factor->geometry) && factor->n == n->count;
    return own ? (const char *const *)n->names : NULL;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static bool add(region_names *n, const char *text, size_t length) {
    char **more = realloc((void *)n->names, (n->count + 1) * sizeof *more);
    if (!more)
        return false;
    n->names = more;
    n->names[n->count] = strndup(text, length);
    return n->names[n->count] && ++n->count;
}

static size_t without_blanks(const char **text, size_t length) {
    while (length > 0 && (**text == ' ' || **text == '"')) {
        ++*text;
        length--;
    }
    while (length > 0 && strchr(" \r\"", (*text)[length - 1]))
        length--;
    return length;
}

/* Is the name one that figures and tables can show? */
static int check_name(const work *w, const char *path, size_t place, const char *text,
                      size_t length) {
    if (length == 0)
        return work_complain(w, EXIT_BAD_DATA, "%s: name %zu is empty; expected one name per line",
                             path, place);
    if (length >= REGION_NAME)
        return work_complain(w, EXIT_BAD_DATA, "%s: name %zu has %zu bytes, more than %d", path,
                             place, length, REGION_NAME - 1);
    for (size_t used = 0; used < length;) {
        size_t next = rm2_utf8_printable(text + used, length - used);
        if (next == 0)
            return work_complain(w, EXIT_BAD_DATA,
                                 "%s: name %zu has a control character or is not UTF-8 (byte %zu)",
                                 path, place, used + 1);
        used += next;
    }
    return EXIT_DONE;
}

static int parse_name(const work *w, const char *path, const char *text, size_t length,
                      region_names *n) {
    size_t size = without_blanks(&text, length);
    int code = check_name(w, path, n->count + 1, text, size);
    if (code == EXIT_DONE && !add(n, text, size))
        code = work_no_memory(w);
    return code;
}

static char separator_of(const char *line) {
    return strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : '\0';
}

/* All columns of a header. */
static int split_header(const work *w, const char *path, const char *line, region_names *n) {
    char separator = separator_of(line);
    int code = EXIT_DONE;
    for (const char *from = line; code == EXIT_DONE;) {
        const char *end = strchr(from, separator);
        code = parse_name(w, path, from, end ? (size_t)(end - from) : strlen(from), n);
        if (!end)
            break;
        from = end + 1;
    }
    return code;
}

static bool fits_header(const char *name) {
    size_t size = strlen(name);
    return size > 0 && size < REGION_NAME && !name[strcspn(name, ":,;\t\" ")];
}

static bool occurs_twice(size_t count, const char *const *names) {
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < k; j++)
            if (strcmp(names[j], names[k]) == 0)
                return true;
    return false;
}

bool names_copy(size_t count, const char *const *from, region_names *n) {
    *n = (region_names){0};
    for (size_t k = 0; k < count; k++)
        if (!fits_header(from[k]))
            return true;
    bool room = true;
    for (size_t k = 0; k < count && room && !occurs_twice(count, from); k++)
        room = add(n, from[k], strlen(from[k]));
    return room;
}

bool names_equal(const region_names *n, size_t count, const char *const *other) {
    bool equal = other && n->count == count;
    for (size_t k = 0; equal && k < count; k++)
        equal = strcmp(n->names[k], other[k]) == 0;
    return equal;
}

/* ---- headers ----------------------------------------------------------------------------------- */

/* "Fp1:Fp1", an entry on the diagonal: the length of its name, else 0. */
static size_t diagonal_name(const char *text) {
    size_t length = strlen(text), half = length / 2;
    bool same = length % 2 == 1 && text[half] == ':' && strncmp(text, text + half + 1, half) == 0;
    return same ? half : 0;
}

/* Of a table of matrices the names are in the columns of the diagonals. */
static void keep_diagonal(region_names *n) {
    size_t kept = 0;
    for (size_t k = 0; k < n->count; k++) {
        size_t length = diagonal_name(n->names[k]);
        if (length > 0) {
            n->names[k][length] = '\0';
            char *other = n->names[kept];
            n->names[kept++] = n->names[k];
            n->names[k] = other;
        }
    }
    for (size_t k = kept; kept > 0 && k < n->count; k++)
        free(n->names[k]);
    n->count = kept > 0 ? kept : n->count;
}

/* ---- files ------------------------------------------------------------------------------------- */

/* One line; blank ones are counted, for only at the end they are no names. */
static int parse_line(const work *w, const char *path, const char *line, size_t *blank,
                      region_names *n) {
    if (line[strspn(line, " \r")] != '\0')
        return *blank > 0 ? parse_name(w, path, "", 0, n)
                          : parse_name(w, path, line, strlen(line), n);
    ++*blank;
    return EXIT_DONE;
}

int names_parse(const work *w, const char *path, char *text, region_names *n) {
    size_t blank = 0;
    int code = EXIT_DONE;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* byte order mark */
        text += 3;
    for (char *line = text; code == EXIT_DONE && *line;) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (n->count == 0 && separator_of(line)) {
            code = split_header(w, path, line, n);
            keep_diagonal(n);
            break;
        }
        code = parse_line(w, path, line, &blank, n);
        line = next;
    }
    return code;
}

/* The matrices that the names are of. */
static size_t size_of_matrices(const rm2_manifold *m) {
    size_t n = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        if (rm2_is_spd(f->geometry) && n == 0)
            n = f->n;
    }
    return n;
}

static int check_names(const work *w, const char *path, const rm2_manifold *m,
                       const region_names *n) {
    size_t size = size_of_matrices(m);
    if (n->count != size)
        return work_complain(w, EXIT_BAD_DATA,
                             "%s has %zu name%s, matrices of %s have %zu rows; expected one name "
                             "per line, or a header with these columns",
                             path, n->count, plural(n->count), rm2_manifold_spec(m), size);
    for (size_t k = 0; k < size; k++)
        for (size_t j = 0; j < k; j++)
            if (strcmp(n->names[j], n->names[k]) == 0)
                return work_complain(w, EXIT_BAD_DATA,
                                     "%s: \"%s\" is listed twice, as name %zu and %zu", path,
                                     n->names[k], j + 1, k + 1);
    return EXIT_DONE;
}

/* Does the text begin with a line that has separators? */
static bool begins_with_header(const char *text) {
    size_t length = strcspn(text, "\t,;\n");
    return text[length] && text[length] != '\n' && strchr(text + length, '\n');
}

static int parse_text(const work *w, const char *path, char *text, size_t size, bool whole,
                      region_names *n) {
    if (strlen(text) < size)
        return work_complain(w, EXIT_BAD_DATA, "%s is not a text of names: it has a zero byte",
                             path);
    if (!whole && !begins_with_header(text))
        return work_complain(w, EXIT_BAD_DATA,
                             "%s has more than %d bytes, the limit for a list of names", path,
                             RM2_SMALL_FILE);
    return names_parse(w, path, text, n);
}

int names_read(const work *w, const char *path, const rm2_manifold *m, region_names *n) {
    *n = (region_names){0};
    if (!path)
        return EXIT_DONE;
    if (size_of_matrices(m) == 0)
        return work_complain(w, EXIT_USAGE, "--names are of rows of matrices: %s has none",
                             rm2_manifold_spec(m));
    char *text;
    size_t size;
    bool whole; /* a header may be that of a large table */
    int code = work_check(w, rm2_file_read(w->ctx, path, RM2_SMALL_FILE, &text, &size, &whole));
    if (code != EXIT_DONE)
        return code;
    code = parse_text(w, path, text, size, whole, n);
    rm2_free(text);
    return code == EXIT_DONE ? check_names(w, path, m, n) : code;
}
