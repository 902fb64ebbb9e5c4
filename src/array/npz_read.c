/* .npz files: zip archives of .npy files. The directory is read first; an entry is unpacked straight
 * into the .npy reader when its array is asked for, so that arrays of no interest may be of any
 * type. */
#include <stdlib.h>
#include <string.h>

#include "array/archive.h"
#include "array/npz.h"
#include "array/zip.h"

enum {
    PLACE_SIZE = 512, /* chars of "file.npz: array 'name'" */
    PIECE = 1 << 13   /* bytes at a time of an array that nobody keeps */
};

struct rm2i_npz {
    rm2i_source archive;
    char *path;              /* the archive's name in messages */
    rm2i_zip_entry *entries; /* of the arrays, their names without ".npy" */
    size_t count;
};

void rm2i_arrays_free(rm2_array *arrays, size_t count) {
    for (size_t i = 0; arrays && i < count; i++)
        rm2_array_clear(&arrays[i]);
    free(arrays);
}

/* ---- the directory -------------------------------------------------------------------------- */

/* Only entries that are arrays stay. */
static void keep_arrays(rm2_context *ctx, rm2i_npz *npz) {
    size_t all = npz->count;
    npz->count = 0;
    for (size_t i = 0; i < all; i++) {
        rm2i_zip_entry *entry = &npz->entries[i];
        char shown[RM2I_SHOWN_SIZE];
        if (rm2i_ends_with(entry->name, ".npy")) {
            entry->name[strlen(entry->name) - strlen(".npy")] = '\0';
            npz->entries[npz->count++] = *entry;
        } else {
            rm2i_log(ctx, RM2_LOG_DEBUG, "%s: the entry '%s' is not a .npy file and is ignored",
                     npz->archive.name, rm2i_shown(entry->name, strlen(entry->name), shown));
            free(entry->name);
        }
    }
}

rm2_status rm2i_npz_twin(rm2_context *ctx, const rm2i_npz *npz, const char **name) {
    rm2i_text_set names = {.count = 0};
    rm2_status status = RM2_OK;
    *name = NULL;
    for (size_t i = 0, number; i < npz->count && status == RM2_OK && !*name; i++) {
        size_t before = names.count;
        const char *next = npz->entries[i].name;
        status = rm2i_text_set_add(ctx, &names, next, strlen(next), &number);
        if (status == RM2_OK && names.count == before)
            *name = next;
    }
    rm2i_text_set_free(&names);
    return status;
}

/* NumPy reads the last of two arrays with one name, we the first: neither is right, so say it. */
static rm2_status warn_of_twins(rm2_context *ctx, const rm2i_npz *npz) {
    const char *name;
    char shown[RM2I_SHOWN_SIZE];
    RM2_TRY(rm2i_npz_twin(ctx, npz, &name));
    if (name)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "%s: the name '%s' appears more than once; its first array is read",
                 npz->archive.name, rm2i_shown(name, strlen(name), shown));
    return RM2_OK;
}

static rm2_status read_directory(rm2_context *ctx, rm2i_npz *npz) {
    RM2_TRY(rm2i_source_spool(&npz->archive, "PK"));
    RM2_TRY(rm2i_zip_read_directory(&npz->archive, &npz->entries, &npz->count));
    keep_arrays(ctx, npz);
    if (npz->count == 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s holds no arrays", npz->archive.name);
    return RM2_OK;
}

rm2_status rm2i_npz_open_source(rm2_context *ctx, rm2i_source source, rm2i_npz **npz) {
    rm2i_npz *opened = NULL;
    *npz = NULL;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *opened, &opened);
    if (status != RM2_OK) {
        rm2i_source_close(&source);
        return status;
    }
    opened->archive = source;
    status = rm2i_strdup(ctx, source.name, &opened->path);
    if (status == RM2_OK) {
        opened->archive.name = opened->path;
        status = read_directory(ctx, opened);
    }
    if (status == RM2_OK)
        *npz = opened;
    else
        rm2i_npz_close(opened);
    return status;
}

/* The same with a warning. */
static rm2_status open_source(rm2_context *ctx, rm2i_source source, rm2i_npz **npz) {
    RM2_TRY(rm2i_npz_open_source(ctx, source, npz));
    rm2_status status = warn_of_twins(ctx, *npz);
    if (status != RM2_OK) {
        rm2i_npz_close(*npz);
        *npz = NULL;
    }
    return status;
}

rm2_status rm2i_npz_open(rm2_context *ctx, const char *path, rm2i_npz **npz) {
    RM2_REQUIRE(ctx, npz);
    *npz = NULL;
    RM2_REQUIRE(ctx, path);
    rm2i_source source;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    return open_source(ctx, source, npz);
}

rm2_status rm2i_npz_open_bytes(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                               rm2i_npz **npz) {
    RM2_REQUIRE(ctx, npz);
    *npz = NULL;
    RM2_REQUIRE(ctx, name);
    if (size > 0)
        RM2_REQUIRE(ctx, bytes);
    rm2i_source source;
    rm2i_source_memory(ctx, name, bytes, size, &source);
    return open_source(ctx, source, npz);
}

void rm2i_npz_close(rm2i_npz *npz) {
    if (!npz)
        return;
    rm2i_zip_free(npz->entries, npz->count);
    rm2i_source_close(&npz->archive);
    free(npz->path);
    free(npz);
}

size_t rm2i_npz_count(const rm2i_npz *npz) {
    return npz ? npz->count : 0;
}

const char *rm2i_npz_name(const rm2i_npz *npz, size_t index) {
    return index < rm2i_npz_count(npz) ? npz->entries[index].name : NULL;
}

size_t rm2i_npz_find(const rm2i_npz *npz, const char *name) {
    for (size_t i = 0; name && i < rm2i_npz_count(npz); i++)
        if (strcmp(npz->entries[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- one array ------------------------------------------------------------------------------ */

/* What is done with the unpacked bytes of an entry. */
typedef rm2_status (*unpack_fn)(rm2i_zip_stream *stream, void *result);

/* Elements of an array, and where they go. */
typedef struct request {
    const rm2i_npy_span *span; /* NULL: all */
    union {
        rm2_array *numbers;
        rm2_texts *texts;
    } to;
} request;

/* Who takes nothing has seen the header alone. */
static rm2_status check_end(rm2i_zip_stream *stream, const rm2i_npy_span *span) {
    return span && span->count == 0 ? RM2_OK : rm2i_zip_check_end(stream);
}

static rm2_status unpack_numbers(rm2i_zip_stream *stream, void *result) {
    const request *r = result;
    RM2_TRY(rm2i_npy_load(&stream->source, r->span, r->to.numbers));
    return check_end(stream, r->span);
}

static rm2_status unpack_texts(rm2i_zip_stream *stream, void *result) {
    const request *r = result;
    RM2_TRY(rm2i_npy_load_texts(&stream->source, r->span, r->to.texts));
    return check_end(stream, r->span);
}

static rm2_status unpack_kind(rm2i_zip_stream *stream, void *result) {
    rm2i_npy_header header;
    RM2_TRY(rm2i_npy_read_header(&stream->source, &header));
    *(bool *)result = rm2i_npy_is_text(header.type);
    return RM2_OK;
}

static rm2_status unpack_header(rm2i_zip_stream *stream, void *result) {
    return rm2i_npy_read_header(&stream->source, result);
}

static rm2_status unpack(rm2_context *ctx, rm2i_npz *npz, size_t index, unpack_fn fn,
                         void *result) {
    char place[PLACE_SIZE], shown[RM2I_SHOWN_SIZE];
    const rm2i_zip_entry *entry = &npz->entries[index];
    (void)snprintf(place, sizeof place, "%s: array '%s'", npz->archive.name,
                   rm2i_shown(entry->name, strlen(entry->name), shown));
    npz->archive.ctx = ctx;
    rm2i_zip_stream stream;
    rm2_status status = rm2i_zip_open(&npz->archive, entry, place, &stream);
    if (status == RM2_OK)
        status = fn(&stream, result);
    rm2i_zip_close(&stream);
    return status;
}

static rm2_status check_index(rm2_context *ctx, const rm2i_npz *npz, size_t index) {
    if (index >= npz->count)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s has no array number %zu; it has %zu arrays",
                         npz->archive.name, index, npz->count);
    return RM2_OK;
}

rm2_status rm2i_npz_holds_texts(rm2_context *ctx, rm2i_npz *npz, size_t index, bool *texts) {
    RM2_REQUIRE(ctx, npz, texts);
    RM2_TRY(check_index(ctx, npz, index));
    return unpack(ctx, npz, index, unpack_kind, texts);
}

rm2_status rm2i_npz_load(rm2_context *ctx, rm2i_npz *npz, size_t index, const rm2i_npy_span *span,
                         rm2_array *array) {
    request r = {.span = span, .to.numbers = array};
    RM2_TRY(check_index(ctx, npz, index));
    rm2_status status = unpack(ctx, npz, index, unpack_numbers, &r);
    if (status == RM2_OK)
        status = rm2i_strdup(ctx, npz->entries[index].name, &array->name);
    if (status != RM2_OK)
        rm2_array_clear(array);
    return status;
}

rm2_status rm2i_npz_header(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2i_npy_header *header) {
    RM2_TRY(check_index(ctx, npz, index));
    return unpack(ctx, npz, index, unpack_header, header);
}

static rm2_status unpack_nothing(rm2i_zip_stream *stream, void *buffer) {
    while (rm2i_source_left(&stream->source) > 0) {
        uint64_t left = rm2i_source_left(&stream->source);
        RM2_TRY(rm2i_source_exactly(&stream->source, buffer, left < PIECE ? (size_t)left : PIECE,
                                    "the array"));
    }
    return rm2i_zip_check_end(stream);
}

rm2_status rm2i_npz_verify(rm2_context *ctx, rm2i_npz *npz, size_t index) {
    unsigned char buffer[PIECE];
    RM2_TRY(check_index(ctx, npz, index));
    return unpack(ctx, npz, index, unpack_nothing, buffer);
}

const char *rm2i_npz_path(const rm2i_npz *npz) {
    return npz->path;
}

uint64_t rm2i_npz_size(const rm2i_npz *npz) {
    return npz->archive.size;
}

uint64_t rm2i_npz_unpacked(const rm2i_npz *npz, size_t index) {
    return npz->entries[index].size;
}

rm2_status rm2i_npz_array(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2_array *array) {
    RM2_REQUIRE(ctx, array);
    *array = (rm2_array){0};
    RM2_REQUIRE(ctx, npz);
    return rm2i_npz_load(ctx, npz, index, NULL, array);
}

static rm2_status load_texts(rm2_context *ctx, rm2i_npz *npz, size_t index,
                             const rm2i_npy_span *span, rm2_texts *texts) {
    request r = {.span = span, .to.texts = texts};
    RM2_TRY(check_index(ctx, npz, index));
    rm2_status status = unpack(ctx, npz, index, unpack_texts, &r);
    if (status != RM2_OK)
        rm2_texts_clear(texts);
    return status;
}

rm2_status rm2i_npz_get_texts(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2_texts *texts) {
    RM2_REQUIRE(ctx, texts);
    *texts = (rm2_texts){0};
    RM2_REQUIRE(ctx, npz);
    return load_texts(ctx, npz, index, NULL, texts);
}

/* ---- as a format of named arrays ------------------------------------------------------------ */

/* An archive with the description of its arrays. */
typedef struct described {
    rm2i_npz *npz;
    rm2_archive_entry *entries;
    char **refusals; /* one per array, or NULL */
    const char *
        damage; /* that of the first array whose bytes are wrong, until it is reported; NULL: none */
} described;

static void close_described(void *file) {
    described *d = file;
    rm2i_texts_free(d->refusals, rm2i_npz_count(d->npz));
    free(d->entries);
    rm2i_npz_close(d->npz);
    free(d);
}

/* An array that cannot be read does not make the archive fail. */
static rm2_status describe(rm2_context *ctx, described *d, size_t index) {
    rm2_archive_entry *e = &d->entries[index];
    rm2i_npy_header header;
    *e = (rm2_archive_entry){.name = rm2i_npz_name(d->npz, index)};
    rm2_status status = rm2i_npz_header(ctx, d->npz, index, &header);
    if (status == RM2_ERR_MEMORY)
        return status;
    if (status != RM2_OK) {
        RM2_TRY(rm2i_strdup(ctx, rm2_context_error(ctx), &d->refusals[index]));
        e->refused = d->refusals[index];
        if (status == RM2_ERR_FORMAT && !d->damage)
            d->damage = e->refused;
        return RM2_OK;
    }
    e->dims = header.dims;
    memcpy(e->shape, header.shape, sizeof e->shape);
    e->texts = rm2i_npy_is_text(header.type);
    return RM2_OK;
}

static rm2_status open_described(rm2_context *ctx, const char *path, described *d) {
    RM2_TRY(rm2i_npz_open(ctx, path, &d->npz));
    RM2_TRY(rm2i_calloc(ctx, d->npz->count, sizeof *d->entries, &d->entries));
    RM2_TRY(rm2i_calloc(ctx, d->npz->count, sizeof *d->refusals, &d->refusals));
    for (size_t i = 0; i < d->npz->count; i++)
        RM2_TRY(describe(ctx, d, i));
    return RM2_OK;
}

static rm2_status open_npz(rm2_context *ctx, const char *path, void **file,
                           const rm2_archive_entry **entries, size_t *count) {
    described *d;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *d, &d));
    rm2_status status = open_described(ctx, path, d);
    if (status != RM2_OK) {
        close_described(d);
        return status;
    }
    *file = d;
    *entries = d->entries;
    *count = d->npz->count;
    return RM2_OK;
}

/* Who chose this array may have done so because another could not be read. */
static void tell_damage(rm2_context *ctx, described *d) {
    if (d->damage)
        rm2i_log(ctx, RM2_LOG_WARNING, "%s; other arrays are read", d->damage);
    d->damage = NULL;
}

rm2_status rm2i_npz_numbers(rm2_context *ctx, void *file, size_t index, const rm2i_npy_span *span,
                            rm2_array *array) {
    described *d = file;
    RM2_TRY(rm2i_npz_load(ctx, d->npz, index, span, array));
    tell_damage(ctx, d);
    return RM2_OK;
}

rm2_status rm2i_npz_texts(rm2_context *ctx, void *file, size_t index, const rm2i_npy_span *span,
                          rm2_texts *texts) {
    return load_texts(ctx, ((described *)file)->npz, index, span, texts);
}

static rm2_status read_array(rm2_context *ctx, void *file, size_t index, rm2_array *array) {
    return rm2i_npz_numbers(ctx, file, index, NULL, array);
}

static rm2_status read_texts(rm2_context *ctx, void *file, size_t index, rm2_texts *texts) {
    return rm2i_npz_texts(ctx, file, index, NULL, texts);
}

const rm2_archive_format rm2i_npz_format = {.size = sizeof(rm2_archive_format),
                                            .extension = ".npz",
                                            .open = open_npz,
                                            .array = read_array,
                                            .texts = read_texts,
                                            .close = close_described};

/* ---- all arrays ----------------------------------------------------------------------------- */

static rm2_status read_all(rm2_context *ctx, rm2i_npz *npz, rm2_array **arrays, size_t *count) {
    RM2_TRY(rm2i_calloc(ctx, npz->count, sizeof **arrays, arrays));
    rm2_status status = RM2_OK;
    for (; status == RM2_OK && *count < npz->count; ++*count)
        status = rm2i_npz_array(ctx, npz, *count, &(*arrays)[*count]);
    if (status != RM2_OK) {
        rm2i_arrays_free(*arrays, *count);
        *arrays = NULL;
        *count = 0;
    }
    return status;
}

rm2_status rm2i_npz_read(rm2_context *ctx, const char *path, rm2_array **arrays, size_t *count) {
    RM2_REQUIRE(ctx, arrays, count);
    *arrays = NULL;
    *count = 0;
    rm2i_npz *npz;
    RM2_TRY(rm2i_npz_open(ctx, path, &npz));
    rm2_status status = read_all(ctx, npz, arrays, count);
    rm2i_npz_close(npz);
    return status;
}

rm2_status rm2i_npz_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                          rm2_array **arrays, size_t *count) {
    RM2_REQUIRE(ctx, arrays, count);
    *arrays = NULL;
    *count = 0;
    rm2i_npz *npz;
    RM2_TRY(rm2i_npz_open_bytes(ctx, name, bytes, size, &npz));
    rm2_status status = read_all(ctx, npz, arrays, count);
    rm2i_npz_close(npz);
    return status;
}
