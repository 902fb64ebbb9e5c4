/* Families of demonstrations: which of them are the same motion. */
#ifndef RM2I_FAMILIES_H
#define RM2I_FAMILIES_H

#include "base/base.h"

/* family[i] of n demonstrations from their distances (n x n, symmetric) in units of the spread of the
 * data; families are numbered in the order of their first demonstration, *count of them. */
rm2_status rm2i_families(rm2_context *ctx, size_t n, const double *distance, size_t *family,
                         size_t *count);

#endif
