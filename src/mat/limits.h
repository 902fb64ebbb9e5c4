/* Limits of the process that reads a MATLAB file. */
#ifndef RM2I_MAT_LIMITS_H
#define RM2I_MAT_LIMITS_H

#include <stdint.h>

/* For the rest of this process: no core file, this much processor time, and memory for what a file of this size can
 * hold. Memory is limited where the system says how much the process has now (/proc on Linux). */
void rm2i_mat_limit(uint64_t file_size, uint64_t seconds);

#endif
