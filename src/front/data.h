/* Data from a table that was read before, and names for texts, for our own front ends (tables.h). */
#ifndef RM2_FRONT_DATA_H
#define RM2_FRONT_DATA_H

#include "front/tables.h"
#include "riemann2/covariance.h"
#include "riemann2/data.h"

/* The same from a table of rm2_csv_read, for those who must see the names of its columns first; columns of
 * ids and labels were read as texts. `name` stands for the path. What the table had is moved or freed. */
rm2_status rm2_data_from_table(rm2_context *ctx, const char *name, rm2_table *table,
                               const rm2_data_settings *settings, rm2_data **data,
                               rm2_data **held_out, rm2_data_report *report);

/* Name of entry k of a point, as rm2_data_write has it: x, sy, qw, m12, ... */
void rm2_data_column_name(const rm2_manifold *manifold, size_t k, char *name, size_t size);

/* Names and one-line descriptions, for help texts; NULL past the end. */
const char *rm2_data_example_name(size_t index);
const char *rm2_data_example_description(size_t index);

/* The message of a fault, which rm2_covariances has without `info`; its status. */
rm2_status rm2_window_explain(rm2_context *ctx, const rm2_signals *signals,
                              const rm2_covariance_settings *settings, size_t window,
                              const rm2_window_info *info);

#endif
