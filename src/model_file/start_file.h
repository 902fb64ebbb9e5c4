/* The report of a start in a model file: group "start", where demonstrations were aligned. */
#ifndef RM2I_START_FILE_H
#define RM2I_START_FILE_H

#include "model_file/model_file.h"

/* Writes nothing for NULL. */
rm2_status rm2i_start_put(rm2i_file_writer writer, const rm2_start_report *report);
/* *report is NULL if the file has none; values that cannot be are RM2_ERR_FORMAT. */
rm2_status rm2i_start_get(rm2i_reader reader, const rm2_data *data, rm2_start_report **report);

#endif
