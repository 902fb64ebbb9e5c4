/* Check "dtw": distances between two sequences, in three conventions. */
#include "check.h"
#include "trajectory/dtw.h"

#include "riemann2/trajectory.h"

/* The input of that name as a sequence: a list of rows. */
static bool take_sequence(conf_case *c, const char *name, rm2_sequence *s) {
    const json_value *rows = json_member(json_member(c->json, "in"), name);
    size_t size;
    s->points = case_input_any(c, name, &size);
    s->count = rows ? rows->count : 0;
    s->width = s->count ? size / s->count : 0;
    return s->points && s->count && s->width;
}

static void output_distance(conf_case *c, const char *name, rm2_dtw_kind kind) {
    double *distance = case_output(c, name, 1);
    rm2_dtw_settings settings = {.size = sizeof settings, .kind = kind};
    rm2_sequence a, b;
    if (distance && take_sequence(c, "a", &a) && take_sequence(c, "b", &b))
        case_ok(c, rm2i_dtw(c->ctx, &settings, &a, &b, distance));
}

void check_dtw(conf_case *c) {
    output_distance(c, "dtw", RM2_DTW_WARPED);
    output_distance(c, "dtw_padded", RM2_DTW_PADDED);
    output_distance(c, "sum_of_minima", RM2_DTW_NEAREST);
}
