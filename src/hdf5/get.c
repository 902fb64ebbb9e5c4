/* Datasets out of a model file. Only what this library writes is read: datasets reached by plain
 * links, in one piece, without filters or other files behind them, of the exact types; libhdf5's
 * conversions, plugins and external storage stay untouched whatever a file asks for. A dataset
 * takes no more memory than the file has bytes. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/file.h"

typedef struct dataset {
    hid_t set, space, type;
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    size_t count, width; /* elements, bytes of one */
} dataset;

static rm2_status wrong(rm2_context *ctx, const rm2i_h5 *h5, const char *name, const char *what) {
    (void)rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: dataset %s %s", h5->name, name, what);
    return RM2_ERR_FORMAT;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* Every part of the name must be a plain link: a soft or external one may lead anywhere. */
static bool reachable(hid_t file, const char *name) {
    char part[RM2I_H5_NAME_SIZE];
    if (strlen(name) >= sizeof part)
        return false;
    for (const char *end = name; *end; end++) {
        if (end[1] != '/' && end[1] != '\0')
            continue;
        H5L_info_t info;
        memcpy(part, name, (size_t)(end + 1 - name));
        part[end + 1 - name] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
            return false;
    }
    return *name != '\0';
}

bool rm2i_h5_has(const rm2i_h5 *h5, const char *name) {
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    bool has = reachable(h5->file, name);
    rm2i_h5_quiet_end(quiet);
    return has;
}

static bool is_plain(hid_t set) {
    hid_t creation = H5Dget_create_plist(set);
    if (creation < 0)
        return false;
    H5D_layout_t layout = H5Pget_layout(creation);
    bool plain = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                 H5Pget_external_count(creation) == 0 && H5Pget_nfilters(creation) == 0;
    (void)H5Pclose(creation);
    return plain;
}

static void close_set(dataset *d) {
    if (d->type >= 0)
        (void)H5Tclose(d->type);
    if (d->space >= 0)
        (void)H5Sclose(d->space);
    if (d->set >= 0)
        (void)H5Dclose(d->set);
    *d = (dataset){.set = -1, .space = -1, .type = -1};
}

static rm2_status read_shape(rm2_context *ctx, const rm2i_h5 *h5, const char *name, dataset *d) {
    hsize_t extent[RM2_ARRAY_MAX_DIMS];
    H5S_class_t kind = H5Sget_simple_extent_type(d->space);
    int dims = H5Sget_simple_extent_ndims(d->space);
    if ((kind != H5S_SCALAR && kind != H5S_SIMPLE) || dims < 0 || dims > RM2_ARRAY_MAX_DIMS)
        return wrong(ctx, h5, name, "is no array, or has too many dimensions");
    if (dims > 0 && H5Sget_simple_extent_dims(d->space, extent, NULL) != dims)
        return wrong(ctx, h5, name, "has no extents");
    d->dims = (size_t)dims;
    d->count = 1;
    for (size_t k = 0; k < d->dims; k++) {
        d->shape[k] = (size_t)extent[k];
        if (__builtin_mul_overflow(d->count, d->shape[k], &d->count))
            return wrong(ctx, h5, name, "is larger than its file");
    }
    return RM2_OK;
}

static rm2_status examine(rm2_context *ctx, const rm2i_h5 *h5, const char *name, dataset *d) {
    size_t bytes;
    if (!reachable(h5->file, name))
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: there is no dataset %s", h5->name, name);
    d->set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    if (d->set < 0)
        return wrong(ctx, h5, name, "cannot be opened");
    d->space = H5Dget_space(d->set);
    d->type = H5Dget_type(d->set);
    if (d->space < 0 || d->type < 0 || !is_plain(d->set))
        return wrong(ctx, h5, name, "is not stored the way of this library");
    RM2_TRY(read_shape(ctx, h5, name, d));
    d->width = H5Tget_size(d->type);
    if (d->width == 0 || __builtin_mul_overflow(d->count, d->width, &bytes) || bytes > h5->size ||
        d->width > h5->size)
        return wrong(ctx, h5, name, "is larger than its file");
    if (bytes > 0 && H5Dget_storage_size(d->set) != bytes)
        return wrong(ctx, h5, name, "has no values");
    return RM2_OK;
}

static rm2_status open_set(rm2_context *ctx, const rm2i_h5 *h5, const char *name, dataset *d) {
    *d = (dataset){.set = -1, .space = -1, .type = -1};
    rm2_status status = examine(ctx, h5, name, d);
    if (status != RM2_OK)
        close_set(d);
    return status;
}

rm2_status rm2i_h5_shape(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *dims,
                         size_t shape[RM2_ARRAY_MAX_DIMS]) {
    dataset d;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status = open_set(ctx, h5, name, &d);
    if (status == RM2_OK) {
        *dims = d.dims;
        memcpy(shape, d.shape, d.dims * sizeof *shape);
        close_set(&d);
    }
    rm2i_h5_quiet_end(quiet);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

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
                              const dataset *d, size_t dims, size_t *shape) {
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

/* Read all elements as `own` into new memory, d->count elements of `width` bytes. */
static rm2_status read_values(rm2_context *ctx, const rm2i_h5 *h5, const char *name,
                              const dataset *d, hid_t own, size_t width, void **values) {
    void *block;
    *values = NULL;
    RM2_TRY(rm2i_alloc(ctx, d->count, width, &block));
    if (d->count > 0 && H5Dread(d->set, own, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) {
        free(block);
        return wrong(ctx, h5, name, "cannot be read");
    }
    *values = block;
    return RM2_OK;
}

/* Numbers that are `stored` in the file, to be `own` here; both 8 bytes. */
static rm2_status get_numbers(rm2_context *ctx, const rm2i_h5 *h5, const char *name, hid_t stored,
                              hid_t own, const char *other, size_t dims, size_t *shape,
                              void **values) {
    dataset d;
    RM2_TRY(open_set(ctx, h5, name, &d));
    rm2_status status = RM2_OK;
    if (H5Tequal(d.type, stored) <= 0)
        status = wrong(ctx, h5, name, other);
    if (status == RM2_OK)
        status = match_shape(ctx, h5, name, &d, dims, shape);
    if (status == RM2_OK)
        status = read_values(ctx, h5, name, &d, own, d.width, values);
    close_set(&d);
    return status;
}

rm2_status rm2i_h5_get_doubles(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                               size_t *shape, double **values) {
    void *block = NULL;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status =
        get_numbers(ctx, h5, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                    "does not hold floating-point numbers of 64 bits", dims, shape, &block);
    rm2i_h5_quiet_end(quiet);
    *values = block;
    return status;
}

rm2_status rm2i_h5_get_sizes(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                             size_t *shape, size_t **values) {
    void *block = NULL;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status =
        get_numbers(ctx, h5, name, H5T_STD_U64LE, H5T_NATIVE_ULONG,
                    "does not hold unsigned whole numbers of 64 bits", dims, shape, &block);
    rm2i_h5_quiet_end(quiet);
    *values = block;
    return status;
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

/* All texts side by side, each d->width bytes, perhaps without NUL. */
static rm2_status read_strings(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                               size_t *count, dataset *d, void **block) {
    RM2_TRY(open_set(ctx, h5, name, d));
    rm2_status status = RM2_OK;
    if (H5Tget_class(d->type) != H5T_STRING || H5Tis_variable_str(d->type) != 0)
        status = wrong(ctx, h5, name, "does not hold texts of fixed length");
    if (status == RM2_OK)
        status = match_shape(ctx, h5, name, d, dims, count);
    if (status == RM2_OK)
        status = read_values(ctx, h5, name, d, d->type, d->width, block);
    size_t elements = d->count, width = d->width;
    close_set(d);
    d->count = elements;
    d->width = width;
    return status;
}

static rm2_status copy_text(rm2_context *ctx, const char *from, size_t width, char **text) {
    size_t length = strnlen(from, width);
    RM2_TRY(rm2i_alloc(ctx, length + 1, 1, text));
    memcpy(*text, from, length);
    (*text)[length] = '\0';
    return RM2_OK;
}

static rm2_status get_strings(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                              size_t *count, char ***texts) {
    dataset d;
    char **list = NULL;
    void *block = NULL;
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    rm2_status status = read_strings(ctx, h5, name, dims, count, &d, &block);
    rm2i_h5_quiet_end(quiet);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, d.count, sizeof *list, &list);
    for (size_t i = 0; status == RM2_OK && i < d.count; i++)
        status = copy_text(ctx, (char *)block + i * d.width, d.width, &list[i]);
    free(block);
    if (status == RM2_OK)
        *texts = list;
    else if (list)
        rm2i_texts_free(list, d.count);
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
    *texts = NULL;
    return get_strings(ctx, h5, name, 1, count, texts);
}
