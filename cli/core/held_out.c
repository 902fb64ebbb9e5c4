/* Points held out in turn as JSON. */
#include "core/cli.h"

void json_held_out(rm2_json *json, const char *name, const rm2_held_out *h) {
    if (h->points == 0) {
        rm2_json_put(json, RM2_TEXT(name, NULL));
        return;
    }
    rm2_json_record(
        json, name, RM2_COUNT("points", h->points), RM2_COUNT("folds", h->folds),
        RM2_NUMBER("residual", h->residual), RM2_NUMBER("residual_components", h->components),
        RM2_NUMBER("residual_mean", h->mean), RM2_NUMBER("explained", h->explained),
        RM2_NUMBER("explained_arbitrary", h->plane),
        RM2_NUMBER("explained_error", h->explained_error),
        RM2_NUMBER("log_density", h->log_density), RM2_NUMBER("log_density_ppca", h->ppca),
        RM2_NUMBER("log_density_ledoit_wolf", h->ledoit_wolf), RM2_FLAG("structure", h->structure));
}
