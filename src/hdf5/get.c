/* Values out of a model file. Its structures are checked (tree.c): a dataset's values are inside the
 * file, so that no copy takes more memory than the file has bytes. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/h5_read.h"

static rm2_status wrong(rm2_context *ctx, const rm2i_h5 *h5, const char *name, const char *what) {
    return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: dataset %s %s", h5->name, name, what);
}

/* ---- finding -------------------------------------------------------------------------------- */

/* The member of a group by its name of `length` bytes; NULL: none. */
static const rm2i_h5_object *member(const rm2i_h5 *h5, const rm2i_h5_object *group,
                                    const char *name, size_t length) {
    size_t low = group->first, high = group->first + group->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const rm2i_h5_object *o = &h5->objects[middle];
        int order = memcmp(name, o->name, length < o->length ? length : o->length);
        if (order == 0 && length == o->length)
            return o;
        if (order < 0 || (order == 0 && length < o->length))
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const rm2i_h5_object *find(const rm2i_h5 *h5, const char *name) {
    const rm2i_h5_object *o = h5->objects;
    for (bool more = true; more && o;) {
        size_t length = strcspn(name, "/");
        o = o->kind == RM2I_H5_GROUP ? member(h5, o, name, length) : NULL;
        more = name[length] == '/';
        name += length + more;
    }
    return o;
}

bool rm2i_h5_has(const rm2i_h5 *h5, const char *name) {
    return find(h5, name) != NULL;
}

static rm2_status find_dataset(rm2_context *ctx, const rm2i_h5 *h5, const char *name,
                               const rm2i_h5_object **dataset) {
    *dataset = find(h5, name);
    if (*dataset && (*dataset)->kind != RM2I_H5_GROUP)
        return RM2_OK;
    if (*dataset)
        (void)rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: %s is a group, not a dataset", h5->name, name);
    else
        (void)rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: dataset %s is missing", h5->name, name);
    return RM2_ERR_FORMAT;
}

rm2_status rm2i_h5_shape(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *dims,
                         size_t shape[RM2_ARRAY_MAX_DIMS]) {
    const rm2i_h5_object *d;
    RM2_TRY(find_dataset(ctx, h5, name, &d));
    *dims = d->dims;
    memcpy(shape, d->shape, d->dims * sizeof *shape);
    return RM2_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

enum { SHAPE_SIZE = 25 * RM2_ARRAY_MAX_DIMS };

/* "3 x any", "a single value" */
static const char *show_shape(size_t dims, const size_t *shape, char text[SHAPE_SIZE]) {
    int at = 0;
    if (dims == 0)
        return "a single value";
    for (size_t k = 0; k < dims; k++) {
        const char *between = k == 0 ? "" : " x ";
        if (shape[k] == SIZE_MAX)
            at += snprintf(text + at, SHAPE_SIZE - (size_t)at, "%sany", between);
        else
            at += snprintf(text + at, SHAPE_SIZE - (size_t)at, "%s%zu", between, shape[k]);
    }
    return text;
}

static rm2_status match_shape(rm2_context *ctx, const rm2i_h5 *h5, const char *name,
                              const rm2i_h5_object *d, size_t dims, size_t *shape) {
    bool same = d->dims == dims;
    for (size_t k = 0; same && k < dims; k++)
        same = shape[k] == SIZE_MAX || shape[k] == d->shape[k];
    if (!same) {
        char found[SHAPE_SIZE], wanted[SHAPE_SIZE];
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: dataset %s is %s, expected %s", h5->name, name,
                         show_shape(d->dims, d->shape, found), show_shape(dims, shape, wanted));
    }
    if (dims > 0)
        memcpy(shape, d->shape, dims * sizeof *shape);
    return RM2_OK;
}

/* The dataset of that name, kind and shape. `other` says what is wrong with other kinds. */
typedef struct request {
    const char *name;
    rm2i_h5_kind kind;
    const char *other;
    size_t dims, *shape;
} request;

static rm2_status find_values(rm2_context *ctx, const rm2i_h5 *h5, const request *r,
                              const rm2i_h5_object **d) {
    RM2_TRY(find_dataset(ctx, h5, r->name, d));
    if ((*d)->kind != r->kind)
        return wrong(ctx, h5, r->name, r->other);
    if ((*d)->count > 0 && !(*d)->values)
        return wrong(ctx, h5, r->name, "is not where this program writes it");
    return match_shape(ctx, h5, r->name, *d, r->dims, r->shape);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const char NO_DOUBLES[] = "does not hold floating-point numbers of 64 bits";

static void load_doubles(size_t count, const unsigned char *bytes, double *values) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = rm2i_load(bytes + 8 * i, 8);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

rm2_status rm2i_h5_get_doubles(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                               size_t *shape, double **values) {
    const rm2i_h5_object *d;
    const request r = {name, RM2I_H5_DOUBLES, NO_DOUBLES, dims, shape};
    *values = NULL;
    RM2_TRY(find_values(ctx, h5, &r, &d));
    RM2_TRY(rm2i_alloc(ctx, d->count, sizeof **values, values));
    load_doubles(d->count, d->values, *values);
    return RM2_OK;
}

rm2_status rm2i_h5_get_some(rm2_context *ctx, rm2i_h5 *h5, const rm2i_h5_some *some,
                            double *values) {
    enum { CHUNK = 1024 }; /* values whose bytes are read at a time */
    unsigned char bytes[CHUNK * sizeof *values];
    const rm2i_h5_object *d;
    RM2_TRY(find_dataset(ctx, h5, some->name, &d));
    if (d->kind != RM2I_H5_DOUBLES)
        return wrong(ctx, h5, some->name, NO_DOUBLES);
    if (some->first > d->count || some->count > d->count - some->first)
        return wrong(ctx, h5, some->name, "has fewer values than expected");
    if (d->values || some->count == 0) {
        load_doubles(some->count, d->values ? d->values + 8 * some->first : NULL, values);
        return RM2_OK;
    }
    h5->source.position = d->at + 8 * (uint64_t)some->first;
    for (size_t done = 0; done < some->count;) {
        size_t count = some->count - done < CHUNK ? some->count - done : CHUNK;
        RM2_TRY(rm2i_source_exactly(&h5->source, bytes, 8 * count, some->name));
        load_doubles(count, bytes, values + done);
        done += count;
    }
    return RM2_OK;
}

rm2_status rm2i_h5_get_sizes(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                             size_t *shape, size_t **values) {
    const rm2i_h5_object *d;
    const request r = {name, RM2I_H5_SIZES, "does not hold unsigned whole numbers of 64 bits", dims,
                       shape};
    *values = NULL;
    RM2_TRY(find_values(ctx, h5, &r, &d));
    RM2_TRY(rm2i_alloc(ctx, d->count, sizeof **values, values));
    for (size_t i = 0; i < d->count; i++)
        (*values)[i] = (size_t)rm2i_load(d->values + 8 * i, 8);
    return RM2_OK;
}

rm2_status rm2i_h5_get_double(rm2_context *ctx, const rm2i_h5 *h5, const char *name,
                              double *value) {
    double *values;
    RM2_TRY(rm2i_h5_get_doubles(ctx, h5, name, 0, NULL, &values));
    *value = *values;
    free(values);
    return RM2_OK;
}

rm2_status rm2i_h5_get_size(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *value) {
    size_t *values;
    RM2_TRY(rm2i_h5_get_sizes(ctx, h5, name, 0, NULL, &values));
    *value = *values;
    free(values);
    return RM2_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static rm2_status copy_text(rm2_context *ctx, const unsigned char *from, size_t width,
                            char **text) {
    const unsigned char *end = memchr(from, '\0', width);
    size_t length = end ? (size_t)(end - from) : width;
    RM2_TRY(rm2i_alloc(ctx, length + 1, 1, text));
    memcpy(*text, from, length);
    (*text)[length] = '\0';
    return RM2_OK;
}

static rm2_status get_strings(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                              size_t *count, char ***texts) {
    const rm2i_h5_object *d;
    const request r = {name, RM2I_H5_TEXTS, "does not hold texts", dims, count};
    char **list;
    *texts = NULL;
    RM2_TRY(find_values(ctx, h5, &r, &d));
    RM2_TRY(rm2i_calloc(ctx, d->count, sizeof *list, &list));
    rm2_status status = RM2_OK;
    for (size_t i = 0; status == RM2_OK && i < d->count; i++)
        status = copy_text(ctx, d->values + i * d->width, d->width, &list[i]);
    if (status == RM2_OK)
        *texts = list;
    else
        rm2i_texts_free(list, d->count);
    return status;
}

rm2_status rm2i_h5_get_text(rm2_context *ctx, const rm2i_h5 *h5, const char *name, char **text) {
    char **texts;
    *text = NULL;
    RM2_TRY(get_strings(ctx, h5, name, 0, NULL, &texts));
    *text = texts[0];
    free(texts);
    return RM2_OK;
}

rm2_status rm2i_h5_get_texts(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *count,
                             char ***texts) {
    return get_strings(ctx, h5, name, 1, count, texts);
}
