/* The stopping rule of all methods.
 *
 * Relative decrease (f_k - f_k+1) / max(|f_k|, |f_k+1|, 1) and max |gradient|, as in L-BFGS-B (Zhu,
 * Byrd, Lu and Nocedal, ACM TOMS 23, 1997), so that tolerances mean the same as there; but two
 * iterations in a row must be that small. One alone is often a step that the line search cut short,
 * and the next gains as much as those before. Reasons that say something about the point come before
 * limits: who reaches both has converged. */
#include <math.h>

#include "optim/method.h"

const char *rm2_stop_text(rm2_stop stop) {
    switch (stop) {
#define RM2_STOP_CASE(name, value, text)                                                           \
    case name:                                                                                     \
        return text;
        RM2_STOP_LIST(RM2_STOP_CASE)
#undef RM2_STOP_CASE
    }
    return "unknown reason";
}

double rm2i_relative_decrease(double before, double after) {
    return (before - after) / fmax(fmax(fabs(before), fabs(after)), 1);
}

rm2_stop rm2i_stop_test(const rm2_optim_settings *settings, bool monotone,
                        const rm2i_progress *progress) {
    if (progress->gradient <= settings->gradient)
        return RM2_STOP_GRADIENT;
    if (progress->stuck)
        return RM2_STOP_LINE_SEARCH;
    if (monotone && progress->decrease <= settings->relative_decrease)
        return RM2_STOP_DECREASE;
    if (progress->interrupted)
        return RM2_STOP_INTERRUPTED;
    if (progress->iteration >= settings->max_iterations)
        return RM2_STOP_MAX_ITERATIONS;
    if (settings->max_seconds > 0 && progress->seconds >= settings->max_seconds)
        return RM2_STOP_MAX_SECONDS;
    return RM2_STOP_RUNNING;
}
