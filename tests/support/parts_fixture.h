/* A file read in parts, next to the same file read as a whole. */
#ifndef PARTS_FIXTURE_H
#define PARTS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "data/raw_part.h"

/* How a file is read. */
typedef struct reading {
    const char *path;
    rm2_data_settings settings;
    rm2i_wanted wanted;
} reading;

void write_bytes(const char *path, const void *bytes, size_t size);

rm2_status read_whole(rm2_context *ctx, const reading *r, rm2i_raw *raw);
rm2_status make_plan(rm2_context *ctx, const reading *r, size_t parts, rm2i_raw_plan *plan);
rm2_status read_part(rm2_context *ctx, const reading *r, const rm2i_raw_plan *plan, size_t part,
                     rm2i_raw *raw);

/* All parts, one after the other, are the whole in all bits. */
void expect_parts(rm2_context *ctx, const reading *r, const rm2i_raw *whole, size_t parts);

/* Whatever reading the whole gives, 1, 2, 3, 7 and 40 parts give it too. Returns the status of the whole. */
rm2_status expect_same(rm2_context *ctx, const reading *r);

#endif
