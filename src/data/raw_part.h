/* Rows of a file that several processes read, each its part: no process holds all rows, and only the plan of a text looks at
 * all bytes.
 *
 * One process makes the plan, which says where the parts begin; the others get a copy of it. The parts one
 * after the other are the rows of the whole file as rm2i_raw_from_table and rm2i_raw_from_array read them, in all bits,
 * with the same numbers and messages.
 *
 * A part of an array is read by its offset. A deflated array must be unpacked from its beginning, but only the rows of
 * the part are kept. Checksums are compared where all bytes of an array were seen: not for a part of a stored one. */
#ifndef RM2I_RAW_PART_H
#define RM2I_RAW_PART_H

#include "data/data.h"

/* Where the parts begin. Another process needs the three numbers and `memory`; `at` is its first half. */
typedef struct rm2i_raw_plan {
    size_t parts;
    size_t rows;    /* of the file; 0 for text, whose rows are not counted */
    uint64_t bytes; /* of the file: if it has another size later, it has changed */
    size_t *at; /* parts + 1: first row (arrays) or first byte (text) of each part, and the end */
    size_t *numbers; /* parts + 1: index (arrays) or line (text) there; 0 at the end of a text */
    size_t *memory;  /* what at and numbers are in: 2 (parts + 1) */
} rm2i_raw_plan;

/* Can this file be read in parts: a regular file, text (.csv, .tsv, .txt), .npy or .npz, without labels and missing
 * values? */
bool rm2i_raw_divisible(rm2_context *ctx, const char *path, const rm2_data_settings *s);

/* RM2_ERR_UNSUPPORTED for arrays whose rows are not consecutive in the file: in Fortran order, or with matrices along
 * their first two axes. Warnings about the file come with the parts. Empty on failure. */
rm2_status rm2i_raw_plan_make(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, size_t parts, rm2i_raw_plan *plan);
void rm2i_raw_plan_free(rm2i_raw_plan *plan);

/* Rows of one part, which may be none. Codes of group ids are those of the part. `raw` is empty before; to be freed
 * after a failure too. */
rm2_status rm2i_raw_read_part(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, const rm2i_raw_plan *plan, size_t part,
                              rm2i_raw *raw);

/* A checksum of the bytes of the file that a part depends on. Where processes see different files of one name and size, it
 * differs between the process that reads the part and the one that made the plan. Head of the file; then
 *   text    the lines of the part
 *   .npy    the rows of the part, and a little more
 *   .npz    the end of the file, which has the checksums of all arrays */
rm2_status rm2i_raw_part_sum(rm2_context *ctx, const char *path, const rm2i_raw_plan *plan,
                             size_t part, uint64_t *sum);

#endif
