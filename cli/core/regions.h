/* Keep-out regions of --avoid. */
#ifndef RM2_CLI_REGIONS_H
#define RM2_CLI_REGIONS_H

#include "core/work.h"

/* The first Euclidean factor, which regions are in, or NULL. */
const rm2_factor *positions_factor(const rm2_manifold *manifold);
/* In the first Euclidean factor of a manifold, from texts and files; the caller's to free. */
int parse_regions(const work *w, const rm2_manifold *manifold, const text_list *texts,
                  size_t *count, rm2_region **regions);

#endif
