/* Parts of a file: where they begin, and their rows. */
#include "data/raw_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/base.h"

static bool is_array(const char *path) {
    return rm2i_has_extension(path, ".npy") || rm2i_has_extension(path, ".npz");
}

static bool is_text(const char *path) {
    return rm2i_has_extension(path, ".csv") || rm2i_has_extension(path, ".tsv") ||
           rm2i_has_extension(path, ".txt");
}

bool rm2i_raw_divisible(rm2_context *ctx, const char *path, const rm2_data_settings *s) {
    uint64_t bytes;
    (void)ctx;
    return (is_array(path) || is_text(path)) && !s->label && !s->allow_missing &&
           rm2i_regular_file(path, &bytes);
}

/* ---- plans ---------------------------------------------------------------------------------- */

void rm2i_raw_plan_free(rm2i_raw_plan *plan) {
    free(plan->memory);
    *plan = (rm2i_raw_plan){.parts = 0};
}

/* The headers of the arrays alone: a part without rows. */
static rm2_status count_rows(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                             const rm2i_wanted *wanted, size_t *count) {
    rm2i_raw_rows rows = {.from = 0, .to = 0};
    rm2i_raw none = {.rows = 0};
    rm2_status status = rm2i_raw_some_of_array(ctx, path, s, wanted, &rows, &none);
    rm2i_raw_free(&none);
    *count = rows.all;
    return status;
}

static rm2_status divide_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               const rm2i_wanted *wanted, rm2i_raw_plan *plan) {
    RM2_TRY(count_rows(ctx, path, s, wanted, &plan->rows));
    size_t each = plan->rows / plan->parts, rest = plan->rows % plan->parts;
    for (size_t k = 0; k <= plan->parts; k++)
        plan->at[k] = plan->numbers[k] = k * each + (k < rest ? k : rest);
    return RM2_OK;
}

static rm2_status divide(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                         const rm2i_wanted *wanted, rm2i_raw_plan *plan) {
    if (!rm2i_regular_file(path, &plan->bytes))
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "%s is not a file that is read in parts", path);
    RM2_TRY(rm2i_calloc(ctx, plan->parts + 1, 2 * sizeof *plan->memory, &plan->memory));
    plan->at = plan->memory;
    plan->numbers = plan->memory + plan->parts + 1;
    return is_array(path)
               ? divide_array(ctx, path, s, wanted, plan)
               : rm2i_raw_divide_table(ctx, path, s, plan->parts, plan->at, plan->numbers);
}

rm2_status rm2i_raw_plan_make(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, size_t parts, rm2i_raw_plan *plan) {
    rm2_context *silent = NULL;
    *plan = (rm2i_raw_plan){.parts = parts};
    if (parts == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: the number of parts is 0", path);
    if (rm2i_context_child(ctx, 1, &silent) != RM2_OK)
        return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory for a context");
    rm2_status status = divide(silent, path, s, wanted, plan);
    if (status != RM2_OK) {
        (void)rm2i_fail(ctx, status, "%s", rm2_context_error(silent));
        rm2i_raw_plan_free(plan);
    }
    rm2_context_free(silent);
    return status;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static rm2_status check_plan(rm2_context *ctx, const char *path, const rm2i_raw_plan *plan,
                             size_t part) {
    uint64_t bytes;
    if (part >= plan->parts)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: unknown part %zu of %zu", path, part,
                         plan->parts);
    errno = 0;
    if (!rm2i_regular_file(path, &bytes))
        return rm2i_fail(ctx, RM2_ERR_IO, "cannot read %s in parts: %s", path,
                         errno ? strerror(errno) : "it is not a regular file");
    if (bytes != plan->bytes)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: expected %llu bytes as before, got %llu: the file has changed while "
                         "it was read, or is another one",
                         path, (unsigned long long)plan->bytes, (unsigned long long)bytes);
    return RM2_OK;
}

rm2_status rm2i_raw_read_part(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, const rm2i_raw_plan *plan, size_t part,
                              rm2i_raw *raw) {
    RM2_TRY(check_plan(ctx, path, plan, part));
    size_t from = plan->at[part], to = plan->at[part + 1];
    if (is_array(path)) {
        rm2i_raw_rows rows = {.from = from, .to = to, .all = plan->rows};
        return rm2i_raw_some_of_array(ctx, path, s, wanted, &rows, raw);
    }
    const rm2i_csv_part bytes = {.from = from, .to = to, .line = plan->numbers[part]};
    return rm2i_raw_part_of_table(ctx, path, s, &bytes, raw);
}

/* ---- checksums ------------------------------------------------------------------------------ */

enum { EDGE = 1 << 16, BLOCK = 1 << 20 }; /* bytes of a head or end; read at once */

typedef struct range {
    uint64_t from, to;
} range;

/* at/rows of the file, rounded down. */
static uint64_t share_of(const rm2i_raw_plan *plan, size_t at) {
    return plan->bytes / plan->rows * at + plan->bytes % plan->rows * at / plan->rows;
}

static range bytes_of(const char *path, const rm2i_raw_plan *plan, size_t part) {
    range all = {0, plan->bytes}, r = {plan->at[part], plan->at[part + 1]};
    if (rm2i_has_extension(path, ".npz") || (is_array(path) && plan->rows == 0))
        return (range){all.to < EDGE ? 0 : all.to - EDGE, all.to};
    if (is_array(path)) /* the header is shorter than a head */
        r = (range){share_of(plan, plan->at[part]), share_of(plan, plan->at[part + 1]) + EDGE};
    return (range){r.from, r.to < all.to ? r.to : all.to};
}

/* The next bytes of the source, up to r.to; *at is where it is. */
static rm2_status sum_range(rm2_context *ctx, rm2i_source *source, range r, unsigned char *block,
                            uint64_t *at, uint64_t *sum) {
    if (r.from > *at) {
        RM2_TRY(rm2i_source_skip(source, r.from - *at));
        *at = r.from;
    }
    while (*at < r.to) {
        size_t size = r.to - *at < BLOCK ? (size_t)(r.to - *at) : BLOCK;
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
        RM2_TRY(rm2i_source_exactly(source, block, size, "the part"));
        *sum = crc32_z((uLong)*sum, block, size);
        *at += size;
    }
    return RM2_OK;
}

rm2_status rm2i_raw_part_sum(rm2_context *ctx, const char *path, const rm2i_raw_plan *plan,
                             size_t part, uint64_t *sum) {
    rm2i_source source;
    unsigned char *block;
    uint64_t at = 0;
    *sum = 0;
    RM2_TRY(check_plan(ctx, path, plan, part));
    RM2_TRY(rm2i_alloc(ctx, BLOCK, 1, &block));
    rm2_status status = rm2i_source_open(ctx, path, &source);
    if (status == RM2_OK) {
        range head = {0, plan->bytes < EDGE ? plan->bytes : EDGE};
        status = sum_range(ctx, &source, head, block, &at, sum);
        if (status == RM2_OK)
            status = sum_range(ctx, &source, bytes_of(path, plan, part), block, &at, sum);
        rm2i_source_close(&source);
    }
    free(block);
    return status;
}
