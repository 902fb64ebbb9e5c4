/* Model files, written by file_write.c and read by file_read.c (the data set: file_read_data.c). Layout: docs/model-file.md. Everything
 * needed to predict is there; the posterior is computed again on reading. */
#ifndef RM2I_MODEL_FILE_H
#define RM2I_MODEL_FILE_H

#include "hdf5/hdf5.h"
#include "model/model.h"

#define RM2I_MODEL_FORMAT "riemann2 model"
enum { RM2I_MODEL_VERSION = 1, RM2I_TERMS = sizeof(rm2_objective_terms) / sizeof(double) };

typedef struct rm2i_reader {
    rm2_context *ctx;
    const rm2i_h5 *h5;
    const char *path;
} rm2i_reader;

/* Numbers of a known shape into memory that is there already; failure if one is not finite. */
rm2_status rm2i_file_vector(rm2i_reader r, const char *name, size_t n, double *values);
rm2_status rm2i_file_matrix(rm2i_reader r, const char *name, size_t rows, size_t columns,
                            double *values);
/* Failure if a dataset does not have this shape. */
rm2_status rm2i_file_shape(rm2i_reader r, const char *name, size_t rows, size_t columns);

/* The data set of N points. */
rm2_status rm2i_file_data(rm2i_reader r, size_t N, rm2_data **data);

#endif
