/* MATLAB files (.mat, versions 5 to 7.3). The library libriemann2-mat is built if libmatio is
 * found, and loads libmatio when a file is read. */
#ifndef RIEMANN2_MAT_H
#define RIEMANN2_MAT_H

#include "riemann2/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Let this context read .mat files wherever .npz files are read (rm2_data_read). The call may be
 * repeated.
 *
 * Readable arrays are those of the workspace: dense real numbers of any class, and logical ones;
 * char arrays, one text per row; cell arrays of texts, and of numeric arrays of one shape, whose
 * first axis then counts the cells; fields of structures as "s.field". Sparse and complex arrays,
 * arrays of structures, tables, strings and other objects are listed as not readable, with the
 * reason.
 *
 * A separate process, made by fork, reads the file, with limits on time and memory: libmatio and
 * libhdf5 crash or loop on damaged files, and such an end is a failure with a message. The two
 * libraries are loaded in that process only. If libmatio cannot be loaded, reading returns
 * RM2_ERR_UNSUPPORTED. */
RM2_API rm2_status rm2_mat_register(rm2_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
