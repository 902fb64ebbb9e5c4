/* Data from a table that is already in memory, and names as texts, for our own front ends
 * (tables.h). */
#ifndef RM2_FRONT_DATA_H
#define RM2_FRONT_DATA_H

#include "front/tables.h"
#include "riemann2/covariance.h"
#include "riemann2/data.h"

/* Make a data set from a table of rm2_csv_read, for callers that must see the names of its columns
 * first. Columns of ids and labels must have been read as texts.
 *
 * @param ctx  context
 * @param name  stands for the path of the file, in messages
 * @param table  the table; its contents are moved or freed
 * @param settings  settings of reading; settings.manifold is required
 * @param data  result, freed with rm2_data_free
 * @param held_out  result: the trajectories named in settings.holdout; NULL: they are dropped
 * @param report  result, emptied with rm2_data_report_clear, or NULL
 */
rm2_status rm2_data_from_table(rm2_context *ctx, const char *name, rm2_table *table,
                               const rm2_data_settings *settings, rm2_data **data,
                               rm2_data **held_out, rm2_data_report *report);

/* Name of entry k of a point, as rm2_data_write writes it: x, sy, qw, m12, ... */
void rm2_data_column_name(const rm2_manifold *manifold, size_t k, char *name, size_t size);

/* Names and one-line descriptions of the examples, for help texts; NULL past the end. */
const char *rm2_data_example_name(size_t index);
const char *rm2_data_example_description(size_t index);

/* Report the fault of a window in the message that rm2_covariances gives without `info`.
 *
 * @param ctx  context
 * @param signals  signals and windows
 * @param settings  NULL: the defaults
 * @param window  index of the window
 * @param info  its result
 * @return the status of the fault
 */
rm2_status rm2_window_explain(rm2_context *ctx, const rm2_signals *signals,
                              const rm2_covariance_settings *settings, size_t window,
                              const rm2_window_info *info);

#endif
