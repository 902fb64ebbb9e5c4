/* Groups, datasets and values of a model file, collected in memory. Texts have the length of the longest and end in
 * NUL, so that no heap of variable pieces is in the file. */
#include <string.h>

#include "hdf5/bytes.h"
#include "hdf5/h5_write.h"

static const size_t MOST =
    SIZE_MAX / 16; /* bytes of a dataset: sums of a few sizes cannot overflow */

static rm2_status refused(rm2_context *ctx, const char *name, const char *why) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "cannot store dataset %s in a model file: %s", name,
                     why);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* The member of a group with the first `length` bytes of `name` for its name; 0: none. */
static size_t find(const rm2i_h5_writer *h5, size_t group, const char *name, size_t length) {
    for (size_t k = 1; k < h5->count; k++)
        if (h5->nodes[k].parent == group && strncmp(h5->nodes[k].name, name, length) == 0 &&
            h5->nodes[k].name[length] == '\0')
            return k;
    return 0;
}

/* A new last node of `kind`. */
static rm2_status add(rm2_context *ctx, rm2i_h5_writer *h5, size_t parent, const char *name,
                      size_t length, rm2i_h5_kind kind) {
    RM2_TRY(rm2i_h5_reserve(ctx, h5->count, sizeof *h5->nodes, &h5->capacity, &h5->nodes));
    rm2i_h5_node *node = &h5->nodes[h5->count++];
    *node = (rm2i_h5_node){.parent = parent, .kind = kind};
    memcpy(node->name, name, length);
    return RM2_OK;
}

/* May a part of a name be this? "." and ".." lead elsewhere. */
static bool is_name(const char *part, size_t length) {
    return length > 0 && !(length <= 2 && part[0] == '.' && part[length - 1] == '.');
}

/* Find or make the groups that a name goes through. *last is what follows them. */
static rm2_status enter_groups(rm2_context *ctx, rm2i_h5_writer *h5, const char *name,
                               size_t *group, const char **last) {
    *group = 0;
    *last = name;
    for (const char *slash; (slash = strchr(*last, '/')); *last = slash + 1) {
        size_t length = (size_t)(slash - *last), member = find(h5, *group, *last, length);
        if (!is_name(*last, length))
            return refused(ctx, name, "invalid name of a group");
        if (member && h5->nodes[member].kind != RM2I_H5_GROUP)
            return refused(ctx, name, "a dataset has the name of its group");
        if (!member) {
            RM2_TRY(add(ctx, h5, *group, *last, length, RM2I_H5_GROUP));
            member = h5->count - 1;
        }
        *group = member;
    }
    return RM2_OK;
}

/* ---- datasets ------------------------------------------------------------------------------- */

typedef struct dataset {
    const char *name;
    rm2i_h5_kind kind;
    size_t width; /* bytes of an element */
    size_t dims;
    const size_t *shape;
} dataset;

static rm2_status check(rm2_context *ctx, const dataset *d, size_t *bytes) {
    bool empty = false;
    *bytes = d->width;
    if (!*d->name || strlen(d->name) >= RM2I_H5_NAME_SIZE)
        return refused(ctx, d->name, "its name is empty or too long");
    if (d->dims > RM2_ARRAY_MAX_DIMS)
        return refused(ctx, d->name, "it has too many dimensions");
    if (d->width > UINT32_MAX)
        return refused(ctx, d->name, "its texts are too long");
    for (size_t k = 0; k < d->dims; k++) { /* in any order of the extents */
        empty = empty || d->shape[k] == 0;
        if (d->shape[k] > 0 &&
            (__builtin_mul_overflow(*bytes, d->shape[k], bytes) || *bytes > MOST))
            return refused(ctx, d->name, "it is too large");
    }
    *bytes = empty ? 0 : *bytes;
    return RM2_OK;
}

/* A dataset without a place for its values. */
static rm2_status describe(rm2_context *ctx, rm2i_h5_writer *h5, const dataset *d,
                           rm2i_h5_node **node) {
    size_t bytes, group;
    const char *last;
    RM2_TRY(check(ctx, d, &bytes));
    RM2_TRY(enter_groups(ctx, h5, d->name, &group, &last));
    if (!is_name(last, strlen(last)))
        return refused(ctx, d->name, "invalid name");
    if (find(h5, group, last, strlen(last)))
        return refused(ctx, d->name, "the name is taken");
    RM2_TRY(add(ctx, h5, group, last, strlen(last), d->kind));
    *node = &h5->nodes[h5->count - 1];
    (*node)->dims = d->dims;
    if (d->dims > 0)
        memcpy((*node)->shape, d->shape, d->dims * sizeof *d->shape);
    (*node)->width = d->width;
    (*node)->size = bytes;
    return RM2_OK;
}

/* Memory for the values up to `end`. */
static rm2_status extend(rm2_context *ctx, rm2i_h5_writer *h5, size_t end) {
    if (end > h5->room) {
        size_t room = end + end / 2;
        RM2_TRY(rm2i_grow(ctx, room, 1, &h5->values));
        h5->room = room;
    }
    memset(h5->values + h5->size, 0, end - h5->size);
    h5->size = end;
    return RM2_OK;
}

/* A dataset with room for its values, NULL where it has none. */
static rm2_status place(rm2_context *ctx, rm2i_h5_writer *h5, const dataset *d,
                        unsigned char **values) {
    rm2i_h5_node *node;
    RM2_TRY(describe(ctx, h5, d, &node));
    *values = NULL;
    if (node->size == 0)
        return RM2_OK;
    node->at = rm2i_h5_aligned(h5->size);
    RM2_TRY(extend(ctx, h5, node->at + node->size));
    *values = h5->values + node->at;
    return RM2_OK;
}

/* The same; what fails leaves nothing behind. */
static rm2_status put(rm2_context *ctx, rm2i_h5_writer *h5, const dataset *d,
                      unsigned char **values) {
    size_t before = h5->count;
    rm2_status status = place(ctx, h5, d, values);
    if (status != RM2_OK)
        h5->count = before;
    return status;
}

/* Numbers of 8 bytes, little-endian in the file. */
static rm2_status put_numbers(rm2_context *ctx, rm2i_h5_writer *h5, const dataset *d,
                              const void *numbers) {
    unsigned char *values;
    RM2_TRY(put(ctx, h5, d, &values));
    rm2i_store_numbers(values, numbers, h5->nodes[h5->count - 1].size / 8);
    return RM2_OK;
}

rm2_status rm2i_h5_put_doubles(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                               const size_t *shape, const double *values) {
    const dataset d = {name, RM2I_H5_DOUBLES, sizeof *values, dims, shape};
    return put_numbers(ctx, h5, &d, values);
}

rm2_status rm2i_h5_put_sizes(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                             const size_t *shape, const size_t *values) {
    _Static_assert(sizeof *values == 8, "sizes are numbers of 8 bytes in the file");
    const dataset d = {name, RM2I_H5_SIZES, sizeof *values, dims, shape};
    return put_numbers(ctx, h5, &d, values);
}

rm2_status rm2i_h5_announce(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count) {
    rm2i_h5_node *node;
    if (count == 0 || h5->announced)
        return refused(ctx, name, "an announced array must have values, and there can be only one");
    const dataset d = {name, RM2I_H5_DOUBLES, sizeof(double), 1, &count};
    size_t before = h5->count;
    rm2_status status = describe(ctx, h5, &d, &node);
    if (status != RM2_OK) {
        h5->count = before;
        return status;
    }
    h5->announced = count;
    h5->last = h5->count - 1;
    return RM2_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

rm2_status rm2i_h5_put_text(rm2_context *ctx, rm2i_h5_writer *h5, const char *name,
                            const char *text) {
    unsigned char *values;
    RM2_TRY(put(ctx, h5, &(dataset){name, RM2I_H5_TEXTS, strlen(text) + 1, 0, NULL}, &values));
    memcpy(values, text, strlen(text));
    return RM2_OK;
}

rm2_status rm2i_h5_put_texts(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count,
                             const char *const *texts) {
    unsigned char *values;
    size_t width = 1;
    for (size_t i = 0; i < count; i++)
        if (strlen(texts[i]) + 1 > width)
            width = strlen(texts[i]) + 1;
    RM2_TRY(put(ctx, h5, &(dataset){name, RM2I_H5_TEXTS, width, 1, &count}, &values));
    for (size_t i = 0; values && i < count; i++)
        memcpy(values + i * width, texts[i], strlen(texts[i]));
    return RM2_OK;
}
