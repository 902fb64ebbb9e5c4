/* Datasets into a model file in memory: contiguous, little-endian, without times. Texts have the
 * length of the longest and end in NUL, so that no heap of variable pieces is in the file. */
#include "hdf5/write.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256 }; /* bytes of a dataset's name with its NUL: lengths of links fit a byte */

static rm2_status refused(rm2_context *ctx, const char *name, const char *why) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "cannot store dataset %s in a model file: %s", name,
                     why);
}

/* Make the groups a name goes through; those that libhdf5 would make by itself have times. */
static bool make_groups(hid_t file, const char *name) {
    char part[NAME_SIZE];
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    bool good = rm2i_h5_group_properties(creation);
    for (const char *slash = strchr(name, '/'); good && slash; slash = strchr(slash + 1, '/')) {
        memcpy(part, name, (size_t)(slash - name));
        part[slash - name] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) > 0)
            continue;
        hid_t group = H5Gcreate2(file, part, H5P_DEFAULT, creation, H5P_DEFAULT);
        good = group >= 0 && H5Gclose(group) >= 0;
    }
    (void)H5Pclose(creation);
    return good;
}

static hid_t make_creation(void) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (creation >= 0 && (H5Pset_obj_track_times(creation, false) < 0 ||
                          H5Pset_dset_no_attrs_hint(creation, true) < 0)) { /* shorter headers */
        (void)H5Pclose(creation);
        return -1;
    }
    return creation;
}

static hid_t make_space(size_t dims, const size_t *shape) {
    hsize_t extent[RM2_ARRAY_MAX_DIMS];
    for (size_t k = 0; k < dims; k++)
        extent[k] = shape[k];
    return dims == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple((int)dims, extent, NULL);
}

typedef struct dataset {
    const char *name;
    hid_t stored, own; /* the type in the file, that of the values */
    size_t dims;
    const size_t *shape;
    const void *values; /* NULL: no room is taken for them */
} dataset;

static bool write_set(hid_t file, const dataset *d, hid_t space) {
    hid_t creation = make_creation(), set = -1;
    bool good = false;
    if (creation >= 0 && make_groups(file, d->name))
        set = H5Dcreate2(file, d->name, d->stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (set >= 0) {
        good = !d->values || H5Sget_simple_extent_npoints(space) == 0 ||
               H5Dwrite(set, d->own, H5S_ALL, H5S_ALL, H5P_DEFAULT, d->values) >= 0;
        good &= H5Dclose(set) >= 0;
    }
    (void)H5Pclose(creation);
    return good;
}

static rm2_status put(rm2_context *ctx, rm2i_h5_writer *h5, const dataset *d) {
    size_t count = 1;
    if (!*d->name || strlen(d->name) >= NAME_SIZE)
        return refused(ctx, d->name, "its name is empty or too long");
    if (d->dims > RM2_ARRAY_MAX_DIMS)
        return refused(ctx, d->name, "it has too many dimensions");
    for (size_t k = 0; k < d->dims; k++)
        if (d->shape[k] > 0 && __builtin_mul_overflow(count, d->shape[k], &count))
            return refused(ctx, d->name, "it is too large");
    hid_t space = make_space(d->dims, d->shape);
    bool good = space >= 0 && write_set(h5->file, d, space);
    (void)H5Sclose(space);
    return good ? RM2_OK : refused(ctx, d->name, "the name is taken, or memory is short");
}

rm2_status rm2i_h5_put_doubles(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                               const size_t *shape, const double *values) {
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    const dataset d = {name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, dims, shape, values};
    rm2_status status = put(ctx, h5, &d);
    rm2i_h5_quiet_end(quiet);
    return status;
}

rm2_status rm2i_h5_announce(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count) {
    if (count == 0 || h5->announced)
        return refused(ctx, name, "an announced array is empty, or not the only one");
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, name, 1, &count, NULL));
    h5->announced = count;
    return RM2_OK;
}

rm2_status rm2i_h5_put_sizes(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                             const size_t *shape, const size_t *values) {
    _Static_assert(sizeof(size_t) == sizeof(unsigned long), "the type below");
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    const dataset d = {name, H5T_STD_U64LE, H5T_NATIVE_ULONG, dims, shape, values};
    rm2_status status = put(ctx, h5, &d);
    rm2i_h5_quiet_end(quiet);
    return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static rm2_status put_strings(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                              size_t count, size_t width, const char *texts) {
    rm2i_h5_quiet quiet = rm2i_h5_quiet_begin();
    hid_t type = H5Tcopy(H5T_C_S1);
    rm2_status status;
    if (type >= 0 && H5Tset_size(type, width) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        status = put(ctx, h5, &(dataset){name, type, type, dims, &count, texts});
    else
        status = refused(ctx, name, "no type for its texts");
    (void)H5Tclose(type);
    rm2i_h5_quiet_end(quiet);
    return status;
}

rm2_status rm2i_h5_put_text(rm2_context *ctx, rm2i_h5_writer *h5, const char *name,
                            const char *text) {
    return put_strings(ctx, h5, name, 0, 1, strlen(text) + 1, text);
}

rm2_status rm2i_h5_put_texts(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count,
                             const char *const *texts) {
    size_t width = 1, size;
    for (size_t i = 0; i < count; i++)
        if (strlen(texts[i]) + 1 > width)
            width = strlen(texts[i]) + 1;
    if (__builtin_mul_overflow(count, width, &size))
        return refused(ctx, name, "it is too large");
    char *block;
    RM2_TRY(rm2i_calloc(ctx, size, 1, &block));
    for (size_t i = 0; i < count; i++)
        memcpy(block + i * width, texts[i], strlen(texts[i]));
    rm2_status status = put_strings(ctx, h5, name, 1, count, width, block);
    free(block);
    return status;
}
