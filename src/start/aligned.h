/* The start from aligned demonstrations. */
#ifndef RM2I_ALIGNED_H
#define RM2I_ALIGNED_H

#include "start/curves.h"
#include "start/start_report.h"

typedef struct rm2i_aligned_settings {
    size_t neighbours;  /* k of the graph, in other demonstrations: 8 */
    double time_weight; /* half the extent of the phase against the spread of the data: 4 */
    bool
        timed; /* the phase has the timing that most demonstrations agree on: for models with dynamics */
    size_t families;      /* how many, if they are given; 0: to be found */
    const size_t *family; /* of each demonstration; may be NULL for one family, or none given */
} rm2i_aligned_settings;

rm2i_aligned_settings rm2i_aligned_settings_default(void);

/* Latents X0 (N x Q) of demonstrations, whatever their timing; the standard deviation of all entries is about
 * 1, and exactly so along the curves.
 * *report is the caller's. With fewer than two demonstrations, or if most have no extent, the start is
 * that of rm2i_start_isomap with its own weight of time, and *report is NULL. Errors as there;
 * `settings` may be NULL; X0 may be NULL, for the report alone. */
rm2_status rm2i_start_aligned(rm2_context *ctx, const rm2i_aligned_settings *settings,
                              const rm2i_start_data *demos, size_t Q, double *X0,
                              rm2_start_report **report);

#endif
