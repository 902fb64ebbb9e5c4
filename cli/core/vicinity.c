/* How near results are to the training data. */
#include "core/vicinity.h"

#include <math.h>

bool vicinity_beyond(const model_work *m, double over_spread) {
    return over_spread > m->options->report.spread_limit;
}

const char *vicinity_unknown(const rm2_vicinity *v) {
    const rm2_vicinity_info *info = rm2_vicinity_info_of(v);
    if (isfinite(info->spread))
        return NULL;
    if (info->demonstrations == 0)
        return "the model has no training data";
    if (info->demonstrations == 1)
        return info->trajectories ? "one demonstration has no spread" : "one point has no spread";
    return "all demonstrations are the same";
}

void vicinity_print(FILE *out, const model_work *m, const rm2_vicinity *v, double over_spread) {
    const char *unknown = vicinity_unknown(v);
    const char *what = rm2_vicinity_info_of(v)->trajectories ? "demonstrations" : "training points";
    if (unknown)
        (void)fprintf(out, "distance from the %s: unknown (%s)\n", what, unknown);
    else
        (void)fprintf(out, "distance from the %s: at most %.2f of their spread (limit %g)\n", what,
                      over_spread, m->options->report.spread_limit);
}
