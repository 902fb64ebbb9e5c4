/* Speed of reading: a CSV with 17 significant digits, a .npy of doubles, and plain fread of the
 * same .npy for comparison. One thread; the files lie in the page cache, so that the code is
 * measured and not the disk. Usage: bench_io [DIRECTORY], default /tmp. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "front/arrays.h"
#include "front/base.h"
#include "front/tables.h"
#include "riemann2/io.h"

enum { CSV_ROWS = 500000, NPY_ROWS = 5000000, COLUMNS = 10, BLOCK = 1 << 20, REPEATS = 3 };

typedef rm2_status (*read_fn)(rm2_context *ctx, const char *path);

static rm2_status read_csv(rm2_context *ctx, const char *path) {
    rm2_table table;
    rm2_status status = rm2_csv_read(ctx, path, NULL, &table);
    rm2_table_clear(&table);
    return status;
}

static rm2_status read_npy(rm2_context *ctx, const char *path) {
    rm2_array array;
    rm2_status status = rm2_npy_read(ctx, path, &array);
    rm2_array_clear(&array);
    return status;
}

/* The floor: the same bytes into fresh memory, with nothing done to them. */
static rm2_status read_raw(rm2_context *ctx, const char *path) {
    (void)ctx;
    size_t size = (size_t)NPY_ROWS * COLUMNS * sizeof(double);
    char *bytes = malloc(size);
    FILE *file = fopen(path, "rb");
    size_t got = bytes && file ? fread(bytes, 1, size, file) : 0;
    if (file)
        (void)fclose(file);
    free(bytes);
    return got == size ? RM2_OK : RM2_ERR_IO;
}

static rm2_status write_csv(const char *path, rm2_rng *rng) {
    FILE *file = fopen(path, "w");
    if (!file)
        return RM2_ERR_IO;
    for (size_t i = 0; i < CSV_ROWS; i++)
        for (int c = 0; c < COLUMNS; c++)
            (void)fprintf(file, "%.17g%c", rm2_rng_normal(rng), c + 1 < COLUMNS ? ',' : '\n');
    return fclose(file) == 0 ? RM2_OK : RM2_ERR_IO;
}

static rm2_status write_npy(rm2_context *ctx, const char *path, rm2_rng *rng) {
    rm2_array array = {.dims = 2, .shape = {NPY_ROWS, COLUMNS}};
    size_t count = rm2_array_count(&array);
    array.values = malloc(count * sizeof *array.values);
    if (!array.values)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        array.values[i] = rm2_rng_uniform(rng);
    rm2_status status = rm2_npy_write(ctx, path, &array, true);
    rm2_array_clear(&array);
    return status;
}

static double file_size(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    (void)fseek(file, 0, SEEK_END);
    double size = (double)ftell(file);
    (void)fclose(file);
    return size;
}

/* Best of some runs, in MB/s of file size. */
static rm2_status report(rm2_context *ctx, const char *what, read_fn read, const char *path) {
    double best = 0;
    for (int i = 0; i < REPEATS; i++) {
        double start = rm2_seconds();
        rm2_status status = read(ctx, path);
        double took = rm2_seconds() - start;
        if (status != RM2_OK)
            return status;
        best = best == 0 || took < best ? took : best;
    }
    double megabytes = file_size(path) / 1e6;
    (void)printf("%-10s %7.1f MB %8.3f s %8.0f MB/s\n", what, megabytes, best, megabytes / best);
    return RM2_OK;
}

static rm2_status run(rm2_context *ctx, const char *csv, const char *npy) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    rm2_status status = write_csv(csv, &rng);
    if (status == RM2_OK)
        status = write_npy(ctx, npy, &rng);
    if (status == RM2_OK)
        status = report(ctx, "csv", read_csv, csv);
    if (status == RM2_OK)
        status = report(ctx, "npy", read_npy, npy);
    if (status == RM2_OK)
        status = report(ctx, "raw fread", read_raw, npy);
    return status;
}

int main(int argc, char **argv) {
    const char *directory = argc > 1 ? argv[1] : "/tmp";
    char csv[4096], npy[4096];
    (void)snprintf(csv, sizeof csv, "%s/rm2-bench-%ld.csv", directory, (long)getpid());
    (void)snprintf(npy, sizeof npy, "%s/rm2-bench-%ld.npy", directory, (long)getpid());
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK)
        return EXIT_FAILURE;
    rm2_status status = run(ctx, csv, npy);
    if (status != RM2_OK)
        (void)fprintf(stderr, "bench_io: %s: %s\n", rm2_status_text(status),
                      rm2_context_error(ctx));
    (void)unlink(csv);
    (void)unlink(npy);
    rm2_context_free(ctx);
    return status == RM2_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
