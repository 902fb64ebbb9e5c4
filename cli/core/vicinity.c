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

/* ---- smoothness ------------------------------------------------------------------------------ */

static const char *const parts[RM2_CURVE_PARTS] = {"positions", "rest"};

void smoothness_print(FILE *out, const rm2_path_report *r) {
    bool any = false;
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++) {
        double turning = r->smoothness.turning[p], usual = r->demonstrated.turning[p];
        if (!isfinite(turning) || !isfinite(usual))
            continue;
        (void)fprintf(out, "%s%s %.3g rad (demonstrations %.3g), jerk %.3g (%.3g)",
                      any ? "; " : "turning of ",
                      p == RM2_CURVE_POSITIONS ? "the positions" : "the rest", turning, usual,
                      r->smoothness.jerk[p], r->demonstrated.jerk[p]);
        any = true;
    }
    if (any)
        (void)fprintf(out, "\n");
}

void smoothness_json(rm2_json *json, const rm2_path_report *r) {
    rm2_json_object(json, "smoothness");
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++)
        if (isfinite(r->smoothness.turning[p]))
            rm2_json_record(json, parts[p], RM2_NUMBER("turning", r->smoothness.turning[p]),
                            RM2_NUMBER("jerk", r->smoothness.jerk[p]),
                            RM2_NUMBER("demonstrated_turning", r->demonstrated.turning[p]),
                            RM2_NUMBER("demonstrated_jerk", r->demonstrated.jerk[p]));
        else
            rm2_json_put(json, RM2_TEXT(parts[p], NULL));
    rm2_json_end(json);
}
