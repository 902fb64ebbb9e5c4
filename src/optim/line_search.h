/* Search for a step along a line that satisfies the strong Wolfe conditions. */
#ifndef RM2I_LINE_SEARCH_H
#define RM2I_LINE_SEARCH_H

#include "riemann2/base.h"

/* phi(step) and its derivative. */
typedef struct rm2i_line_trial {
    double step, f, slope;
} rm2i_line_trial;

/* Fills in f and slope at trial->step. RM2_ERR_NUMERIC: outside the domain, the step is too long.
 */
typedef rm2_status (*rm2i_line_fn)(void *user, rm2i_line_trial *trial);

/* From phi(0) = f0 with slope0 < 0, first at `step`. *found: `trial` lowers f enough, and was the
 * last to be evaluated. Statuses other than RM2_ERR_NUMERIC end the search. */
rm2_status rm2i_line_search(rm2i_line_fn fn, void *user, double f0, double slope0, double step,
                            rm2i_line_trial *trial, bool *found);

#endif
