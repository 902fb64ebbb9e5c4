/* .npz files: zip archives of .npy files. Each entry is unpacked straight into the .npy reader. */
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"
#include "io/zip.h"

enum { PLACE_SIZE = 512 }; /* chars of "file.npz: array 'name'" */

void rm2_arrays_free(rm2_array *arrays, size_t count) {
    for (size_t i = 0; arrays && i < count; i++)
        rm2_array_free(&arrays[i]);
    free(arrays);
}

static rm2_status read_unpacked(rm2i_zip_stream *stream, rm2_array *array) {
    RM2_TRY(rm2i_npy_load(&stream->source, array));
    return rm2i_zip_check_end(stream);
}

/* The array of an entry; its name is that of the entry without ".npy". */
static rm2_status read_array(rm2i_source *archive, const rm2i_zip_entry *entry, rm2_array *array) {
    char place[PLACE_SIZE], shown[RM2I_SHOWN_SIZE];
    size_t name_size = strlen(entry->name) - strlen(".npy");
    (void)snprintf(place, sizeof place, "%s: array '%s'", archive->name,
                   rm2i_shown(entry->name, name_size, shown));
    rm2i_zip_stream stream;
    rm2_status status = rm2i_zip_open(archive, entry, place, &stream);
    if (status == RM2_OK)
        status = read_unpacked(&stream, array);
    rm2i_zip_close(&stream);
    RM2_TRY(status);
    RM2_TRY(rm2i_strdup(archive->ctx, entry->name, &array->name));
    array->name[name_size] = '\0';
    return RM2_OK;
}

static rm2_status read_entries(rm2i_source *archive, const rm2i_zip_entry *entries, size_t count,
                               rm2_array *arrays, size_t *used) {
    for (size_t i = 0; i < count; i++) {
        char shown[RM2I_SHOWN_SIZE];
        if (rm2i_ends_with(entries[i].name, ".npy"))
            RM2_TRY(read_array(archive, &entries[i], &arrays[(*used)++]));
        else
            rm2i_log(archive->ctx, RM2_LOG_DEBUG, "%s: the entry '%s' is no .npy and is left out",
                     archive->name, rm2i_shown(entries[i].name, strlen(entries[i].name), shown));
    }
    if (*used == 0)
        return rm2i_fail(archive->ctx, RM2_ERR_FORMAT, "%s holds no arrays", archive->name);
    return RM2_OK;
}

static rm2_status load_archive(rm2i_source *archive, rm2_array **arrays, size_t *count) {
    rm2i_zip_entry *entries = NULL;
    size_t entry_count = 0;
    rm2_status status = rm2i_source_spool(archive);
    if (status == RM2_OK)
        status = rm2i_zip_read_directory(archive, &entries, &entry_count);
    if (status == RM2_OK)
        status = rm2i_calloc(archive->ctx, entry_count, sizeof **arrays, arrays);
    if (status == RM2_OK)
        status = read_entries(archive, entries, entry_count, *arrays, count);
    rm2i_zip_free(entries, entry_count);
    if (status != RM2_OK) {
        rm2_arrays_free(*arrays, *count);
        *arrays = NULL;
        *count = 0;
    }
    return status;
}

rm2_status rm2_npz_read(rm2_context *ctx, const char *path, rm2_array **arrays, size_t *count) {
    if (!arrays || !count)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no place for the arrays given");
    *arrays = NULL;
    *count = 0;
    rm2i_source archive;
    RM2_TRY(rm2i_source_open(ctx, path, &archive));
    rm2_status status = load_archive(&archive, arrays, count);
    rm2i_source_close(&archive);
    return status;
}

rm2_status rm2_npz_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                         rm2_array **arrays, size_t *count) {
    if (!arrays || !count || (!bytes && size > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no place for the arrays, or no bytes given");
    *arrays = NULL;
    *count = 0;
    rm2i_source archive;
    rm2i_source_memory(ctx, name, bytes, size, &archive);
    return load_archive(&archive, arrays, count);
}
