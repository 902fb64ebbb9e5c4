/* Families of demonstrations: which of them are the same motion. */
#ifndef RM2I_FAMILIES_H
#define RM2I_FAMILIES_H

#include "base/base.h"

/* family[i] of n demonstrations from their distances (n x n, symmetric) in units of the spread of the
 * data; families are numbered in the order of their first demonstration, *count of them. */
rm2_status rm2i_families(rm2_context *ctx, size_t n, const double *distance, size_t *family,
                         size_t *count);

/* Labels of points in trajectories. */
typedef struct rm2i_labels {
    size_t trajectories;
    const size_t *starts; /* trajectories + 1 */
    const size_t *label;  /* of each point, below `count` */
    size_t count;
} rm2i_labels;

/* family[d] by the label of trajectory d's first point, numbered in the order of the trajectories, *count
 * of them. *varying: the first trajectory with more than one label; SIZE_MAX: none. */
rm2_status rm2i_families_of_labels(rm2_context *ctx, const rm2i_labels *labels, size_t *family,
                                   size_t *count, size_t *varying);

#endif
