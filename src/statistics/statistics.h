/* Inside the statistics layer: checks of labelled points, subjects as numbers from 0, lists of points. */
#ifndef RM2I_STATISTICS_H
#define RM2I_STATISTICS_H

#include "riemann2/statistics.h"

/* Are there points, and is each label one of label_count? */
rm2_status rm2i_labelled_check(rm2_context *ctx, const rm2_labelled *data);

/* Subjects of n points numbered 0, 1, ... in the order of their first points: number (n); *count of them. `given` NULL:
 * each point is one. */
rm2_status rm2i_number_subjects(rm2_context *ctx, size_t n, const size_t *given, size_t *number,
                                size_t *count);

/* Copy `count` points, those of `index`, one after the other. */
void rm2i_gather(size_t width, size_t count, const size_t *index, const double *points,
                 double *out);

/* A generator for one of many independent draws of a seed. */
rm2_rng rm2i_stream(uint64_t seed, size_t number);
/* One of 0, ..., count - 1. */
size_t rm2i_draw(rm2_rng *rng, size_t count);

#endif
