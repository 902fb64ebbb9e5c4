/* Arrays of model files and checkpoints by name: what an .npz gives, with the shape and the kind of numbers that are
 * expected. Shapes are compared before memory is asked for, and all arrays together must not unpack to much more than the
 * file: a small file cannot ask for much memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_file/model_file.h"

static const double MOST_WHOLE = 0x1p53; /* whole numbers up to this are exact in a double */
enum {
    UNPACKED_RATIO = 100,    /* bytes of all arrays per byte of the file */
    UNPACKED_FREE = 1 << 20, /* bytes that any file may unpack to */
    MAGIC_SIZE = 8,          /* first bytes that are looked at */
    SHAPE_SIZE = 64,         /* chars of a shape in a message */
    FORMAT_SIZE = 64         /* chars of "riemann2 KIND" */
};

struct rm2i_file {
    rm2i_npz *npz;
    uint64_t unpacked; /* bytes of the arrays that were read */
};

/* ---- writing --------------------------------------------------------------------------------- */

static rm2_status put(rm2i_file_writer w, rm2_array array, const char *name, size_t dims,
                      const size_t *shape) {
    array.name = (char *)name; /* only read, as the values are */
    array.dims = dims;
    if (dims > 0)
        memcpy(array.shape, shape, dims * sizeof *shape);
    return rm2i_npz_put(w.ctx, w.npz, &array);
}

rm2_status rm2i_file_put_doubles(rm2i_file_writer w, const char *name, size_t dims,
                                 const size_t *shape, const double *values) {
    return put(w, (rm2_array){.values = (double *)values}, name, dims, shape);
}

rm2_status rm2i_file_put_sizes(rm2i_file_writer w, const char *name, size_t dims,
                               const size_t *shape, const size_t *values) {
    size_t count = 1;
    double *numbers;
    for (size_t k = 0; k < dims; k++)
        count *= shape[k];
    RM2_TRY(rm2i_alloc(w.ctx, count, sizeof *numbers, &numbers));
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)values[i];
    rm2_status status = put(w, (rm2_array){.values = numbers, .integers = true}, name, dims, shape);
    free(numbers);
    return status;
}

rm2_status rm2i_file_put_number(rm2i_file_writer w, const char *name, double value) {
    return rm2i_file_put_doubles(w, name, 0, NULL, &value);
}

rm2_status rm2i_file_put_count(rm2i_file_writer w, const char *name, size_t value) {
    return rm2i_file_put_sizes(w, name, 0, NULL, &value);
}

static rm2_status put_texts(rm2i_file_writer w, const char *name, size_t dims, size_t count,
                            const char *const *texts) {
    double *codes;
    RM2_TRY(rm2i_alloc(w.ctx, count, sizeof *codes, &codes));
    for (size_t i = 0; i < count; i++)
        codes[i] = (double)i;
    rm2_status status = put(w, (rm2_array){.values = codes, .texts = texts, .text_count = count},
                            name, dims, &count);
    free(codes);
    return status;
}

rm2_status rm2i_file_put_text(rm2i_file_writer w, const char *name, const char *text) {
    return put_texts(w, name, 0, 1, &text);
}

rm2_status rm2i_file_put_texts(rm2i_file_writer w, const char *name, size_t count,
                               const char *const *texts) {
    static const char *const none[] = {NULL};
    return put_texts(w, name, 1, count, count > 0 ? texts : none);
}

rm2_status rm2i_file_put_kind(rm2i_file_writer w, const char *kind, size_t version) {
    char format[FORMAT_SIZE];
    (void)snprintf(format, sizeof format, "riemann2 %s", kind);
    RM2_TRY(rm2i_file_put_text(w, "format", format));
    return rm2i_file_put_count(w, "version", version);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* What the reader of .npz files does not support is an error of the file here. */
static rm2_status as_format(rm2_status status) {
    return status == RM2_ERR_UNSUPPORTED || status == RM2_ERR_DATA ? RM2_ERR_FORMAT : status;
}

static rm2_status refuse_start(const rm2i_source *source, const char *what) {
    return rm2i_fail(source->ctx, RM2_ERR_FORMAT, "%s %s", source->name, what);
}

/* The first bytes tell other files apart. */
static rm2_status check_start(rm2i_source *source) {
    char start[MAGIC_SIZE];
    size_t got;
    RM2_TRY(rm2i_source_spool(source, "PK"));
    source->position = 0;
    RM2_TRY(source->read(source, start, sizeof start, &got));
    source->position = 0;
    if (got == 0)
        return refuse_start(source, "is not a model of riemann2 (it is empty)");
    if (got == sizeof start && memcmp(start, "RIEMANN2", sizeof start) == 0)
        return refuse_start(source,
                            "is an HDF5 model of an earlier version of riemann2: fit again");
    if (got == sizeof start && memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0)
        return refuse_start(source, "is an HDF5 file, not a model of riemann2 (.npz)");
    if (got < 2 || memcmp(start, "PK", 2) != 0)
        return refuse_start(source, "is not a model of riemann2 (.npz)");
    return RM2_OK;
}

static rm2_status open_npz(rm2_context *ctx, rm2i_source *source, rm2i_file *file) {
    const char *twin;
    char shown[RM2I_SHOWN_SIZE];
    RM2_TRY(check_start(source));
    rm2i_source taken = *source;
    *source = (rm2i_source){.fd = -1};
    RM2_TRY(as_format(rm2i_npz_open_source(ctx, taken, &file->npz)));
    RM2_TRY(rm2i_npz_twin(ctx, file->npz, &twin));
    if (twin)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: two arrays are called '%s'",
                         rm2i_npz_path(file->npz), rm2i_shown(twin, strlen(twin), shown));
    return RM2_OK;
}

/* Takes over the source. */
static rm2_status open_source(rm2_context *ctx, rm2i_source *source, rm2i_file **file) {
    rm2i_file *f;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *f, &f);
    if (status == RM2_OK) {
        status = open_npz(ctx, source, f);
        if (status == RM2_OK)
            *file = f;
        else
            rm2i_file_close(f);
    }
    rm2i_source_close(source);
    return status;
}

rm2_status rm2i_file_open(rm2_context *ctx, const char *path, rm2i_file **file) {
    rm2i_source source;
    *file = NULL;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    return open_source(ctx, &source, file);
}

rm2_status rm2i_file_open_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                                rm2i_file **file) {
    rm2i_source source;
    *file = NULL;
    rm2i_source_memory(ctx, name, bytes, size, &source);
    return open_source(ctx, &source, file);
}

void rm2i_file_close(rm2i_file *file) {
    if (!file)
        return;
    rm2i_npz_close(file->npz);
    free(file);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

bool rm2i_file_has(rm2i_reader r, const char *name) {
    return rm2i_npz_find(r.file->npz, name) != SIZE_MAX;
}

static rm2_status find(rm2i_reader r, const char *name, size_t *index) {
    *index = rm2i_npz_find(r.file->npz, name);
    return *index == SIZE_MAX ? rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s is missing", r.path, name)
                              : RM2_OK;
}

/* The array's bytes are about to be unpacked. */
static rm2_status count_unpacked(rm2i_reader r, size_t index) {
    uint64_t size = rm2i_npz_size(r.file->npz), bytes = rm2i_npz_unpacked(r.file->npz, index);
    uint64_t most =
        size < UINT64_MAX / UNPACKED_RATIO / 2 ? size * UNPACKED_RATIO + UNPACKED_FREE : UINT64_MAX;
    if (bytes > most - r.file->unpacked)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s unpacks to more than %d times its size, as no model does", r.path,
                         UNPACKED_RATIO);
    r.file->unpacked += bytes;
    return RM2_OK;
}

rm2_status rm2i_file_extents(rm2i_reader r, const char *name, size_t *dims,
                             size_t shape[RM2_ARRAY_MAX_DIMS]) {
    size_t index;
    rm2i_npy_header header;
    RM2_TRY(find(r, name, &index));
    RM2_TRY(as_format(rm2i_npz_header(r.ctx, r.file->npz, index, &header)));
    *dims = header.dims;
    memcpy(shape, header.shape, header.dims * sizeof *shape);
    return RM2_OK;
}

/* "3 x any", "a single value" */
static const char *show_shape(size_t dims, const size_t *shape, char text[SHAPE_SIZE]) {
    size_t used = 0;
    (void)snprintf(text, SHAPE_SIZE, "a single value");
    for (size_t k = 0; k < dims && used < SHAPE_SIZE; k++)
        used += (size_t)(shape[k] == SIZE_MAX
                             ? snprintf(text + used, SHAPE_SIZE - used, "%sany", k ? " x " : "")
                             : snprintf(text + used, SHAPE_SIZE - used, "%s%zu", k ? " x " : "",
                                        shape[k]));
    return text;
}

rm2_status rm2i_file_shape(rm2i_reader r, const char *name, size_t dims, size_t *shape) {
    size_t found_dims, found[RM2_ARRAY_MAX_DIMS];
    char is[SHAPE_SIZE], must_be[SHAPE_SIZE];
    RM2_TRY(rm2i_file_extents(r, name, &found_dims, found));
    bool same = dims == found_dims;
    for (size_t k = 0; same && k < dims; k++)
        same = shape[k] == SIZE_MAX || shape[k] == found[k];
    if (!same)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s is %s, but must be %s", r.path, name,
                         show_shape(found_dims, found, is), show_shape(dims, shape, must_be));
    if (dims > 0)
        memcpy(shape, found, dims * sizeof *shape);
    return RM2_OK;
}

rm2_status rm2i_file_doubles(rm2i_reader r, const char *name, size_t dims, size_t *shape,
                             double **values) {
    size_t index;
    rm2_array array;
    *values = NULL;
    RM2_TRY(rm2i_file_shape(r, name, dims, shape));
    RM2_TRY(find(r, name, &index));
    RM2_TRY(count_unpacked(r, index));
    RM2_TRY(as_format(rm2i_npz_load(r.ctx, r.file->npz, index, NULL, &array)));
    *values = array.values;
    array.values = NULL;
    rm2_array_clear(&array);
    return RM2_OK;
}

rm2_status rm2i_file_copy(rm2i_reader r, const char *name, size_t dims, const size_t *shape,
                          double *values) {
    size_t copy[RM2_ARRAY_MAX_DIMS] = {0}, count = 1;
    double *found;
    for (size_t k = 0; k < dims; k++)
        count *= copy[k] = shape[k];
    RM2_TRY(rm2i_file_doubles(r, name, dims, copy, &found));
    memcpy(values, found, count * sizeof *values);
    free(found);
    return RM2_OK;
}

rm2_status rm2i_file_number(rm2i_reader r, const char *name, double *value) {
    return rm2i_file_copy(r, name, 0, NULL, value);
}

rm2_status rm2i_file_sizes(rm2i_reader r, const char *name, size_t dims, size_t *shape,
                           size_t **values) {
    double *numbers;
    size_t count = 1, bad = SIZE_MAX;
    *values = NULL;
    RM2_TRY(rm2i_file_doubles(r, name, dims, shape, &numbers));
    for (size_t k = 0; k < dims; k++)
        count *= shape[k];
    rm2_status status = rm2i_alloc(r.ctx, count, sizeof **values, values);
    for (size_t i = 0; status == RM2_OK && bad == SIZE_MAX && i < count; i++) {
        bool good = numbers[i] >= 0 && numbers[i] <= MOST_WHOLE && numbers[i] == floor(numbers[i]);
        bad = good ? SIZE_MAX : i;
        (*values)[i] = good ? (size_t)numbers[i] : 0;
    }
    if (bad < SIZE_MAX) {
        status = rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                           "%s: %s, entry %zu is %g, but must be a whole number from 0", r.path,
                           name, bad, numbers[bad]);
        free(*values);
        *values = NULL;
    }
    free(numbers);
    return status;
}

rm2_status rm2i_file_count(rm2i_reader r, const char *name, size_t *value) {
    size_t *values;
    RM2_TRY(rm2i_file_sizes(r, name, 0, NULL, &values));
    *value = *values;
    free(values);
    return RM2_OK;
}

rm2_status rm2i_file_some(rm2i_reader r, const char *name, size_t first, size_t count,
                          double *values) {
    size_t index;
    rm2_array array;
    if (count == 0)
        return RM2_OK;
    RM2_TRY(find(r, name, &index));
    RM2_TRY(as_format(
        rm2i_npz_load(r.ctx, r.file->npz, index, &(rm2i_npy_span){first, count}, &array)));
    memcpy(values, array.values, count * sizeof *values);
    rm2_array_clear(&array);
    return RM2_OK;
}

rm2_status rm2i_file_verify(rm2i_reader r, const char *name) {
    size_t index;
    RM2_TRY(find(r, name, &index));
    return rm2i_npz_verify(r.ctx, r.file->npz, index);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* One text per entry, from codes. */
static rm2_status copy_texts(rm2_context *ctx, const rm2_texts *from, char ***texts) {
    RM2_TRY(rm2i_calloc(ctx, from->count, sizeof **texts, texts));
    for (size_t i = 0; i < from->count; i++) {
        rm2_status status = rm2i_strdup(ctx, from->distinct[from->codes[i]], &(*texts)[i]);
        if (status != RM2_OK) {
            rm2i_texts_free(*texts, from->count);
            *texts = NULL;
            return status;
        }
    }
    return RM2_OK;
}

static rm2_status get_texts(rm2i_reader r, const char *name, size_t dims, size_t *shape,
                            char ***texts) {
    size_t index;
    rm2_texts found;
    *texts = NULL;
    RM2_TRY(rm2i_file_shape(r, name, dims, shape));
    RM2_TRY(find(r, name, &index));
    RM2_TRY(count_unpacked(r, index));
    RM2_TRY(as_format(rm2i_npz_get_texts(r.ctx, r.file->npz, index, &found)));
    rm2_status status = copy_texts(r.ctx, &found, texts);
    rm2_texts_clear(&found);
    return status;
}

rm2_status rm2i_file_texts(rm2i_reader r, const char *name, size_t *count, char ***texts) {
    return get_texts(r, name, 1, count, texts);
}

rm2_status rm2i_file_text(rm2i_reader r, const char *name, char **text) {
    char **texts;
    *text = NULL;
    RM2_TRY(get_texts(r, name, 0, NULL, &texts));
    *text = texts[0];
    free(texts);
    return RM2_OK;
}

rm2_status rm2i_file_expect(rm2i_reader r, const char *kind, size_t version, const char *remedy) {
    char format[FORMAT_SIZE], shown[RM2I_SHOWN_SIZE], *text;
    size_t found;
    (void)snprintf(format, sizeof format, "riemann2 %s", kind);
    if (!rm2i_file_has(r, "format"))
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s is not a %s of riemann2: it has no array 'format'", r.path, kind);
    RM2_TRY(rm2i_file_text(r, "format", &text));
    (void)rm2i_shown(text, strlen(text), shown);
    bool same = strcmp(text, format) == 0;
    free(text);
    if (!same)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s is not a %s of riemann2: its format is '%s'",
                         r.path, kind, shown);
    RM2_TRY(rm2i_file_count(r, "version", &found));
    if (found != version)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s has format version %zu; this program reads version %zu%s", r.path,
                         found, version, remedy);
    return RM2_OK;
}
