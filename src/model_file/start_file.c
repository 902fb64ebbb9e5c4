/* One array per member: counts and flags as whole numbers, the rest as a table of doubles. */
#include "model_file/start_file.h"

#include <stdlib.h>

#include "base/arena.h"
#include "model_file/check_model.h"
#include "start/start_report.h"

enum { NUMBERS = 6 }; /* begin, end, misfit, unevenness, distance of the outlier, jitter */

/* The report as arrays. */
typedef struct arrays {
    size_t demos, families;
    size_t *family, *reversed, *outliers, *outlier, *resting; /* demos */
    double *numbers;                                          /* demos x NUMBERS */
    size_t *reference, *complete;                             /* families */
    double *memory;
} arrays;

static void lay_out(void *arg, rm2i_arena *a) {
    arrays *s = arg;
    s->family = rm2i_reserve(a, size_t, s->demos);
    s->reversed = rm2i_reserve(a, size_t, s->demos);
    s->outliers = rm2i_reserve(a, size_t, s->demos);
    s->outlier = rm2i_reserve(a, size_t, s->demos);
    s->resting = rm2i_reserve(a, size_t, s->demos);
    s->numbers = rm2i_reserve(a, double, s->demos, NUMBERS);
    s->reference = rm2i_reserve(a, size_t, s->families);
    s->complete = rm2i_reserve(a, size_t, s->families);
}

static void copy_apart(const rm2_start_report *r, const arrays *s) {
    for (size_t d = 0; d < r->demos; d++) {
        const rm2_start_demo *demo = &r->demo[d];
        double *x = s->numbers + d * NUMBERS;
        s->family[d] = demo->family;
        s->reversed[d] = demo->reversed;
        s->outliers[d] = demo->outliers;
        s->outlier[d] = demo->outlier;
        s->resting[d] = demo->resting;
        x[0] = demo->begin;
        x[1] = demo->end;
        x[2] = demo->misfit;
        x[3] = demo->unevenness;
        x[4] = demo->outlier_distance;
        x[5] = demo->jitter;
    }
    for (size_t f = 0; f < r->families; f++) {
        s->reference[f] = r->family[f].reference;
        s->complete[f] = r->family[f].complete;
    }
}

static rm2_status put_arrays(rm2i_file_writer w, const arrays *s) {
    size_t shape[] = {s->demos, NUMBERS};
    RM2_TRY(rm2i_file_put_sizes(w, "start/family", 1, &s->demos, s->family));
    RM2_TRY(rm2i_file_put_sizes(w, "start/reversed", 1, &s->demos, s->reversed));
    RM2_TRY(rm2i_file_put_sizes(w, "start/outliers", 1, &s->demos, s->outliers));
    RM2_TRY(rm2i_file_put_sizes(w, "start/outlier", 1, &s->demos, s->outlier));
    RM2_TRY(rm2i_file_put_sizes(w, "start/resting", 1, &s->demos, s->resting));
    RM2_TRY(rm2i_file_put_doubles(w, "start/phase", 2, shape, s->numbers));
    RM2_TRY(rm2i_file_put_sizes(w, "start/reference", 1, &s->families, s->reference));
    return rm2i_file_put_sizes(w, "start/complete", 1, &s->families, s->complete);
}

rm2_status rm2i_start_put(rm2i_file_writer w, const rm2_start_report *r) {
    if (!r)
        return RM2_OK;
    arrays s = {.demos = r->demos, .families = r->families};
    RM2_TRY(rm2i_arena_alloc(w.ctx, lay_out, &s, &s.memory));
    copy_apart(r, &s);
    rm2_status status = put_arrays(w, &s);
    free(s.memory);
    return status == RM2_OK ? rm2i_file_put_count(w, "start/labelled", r->labelled) : status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Whole numbers below a bound. */
static rm2_status get_sizes(rm2i_reader r, const char *name, size_t count, size_t below,
                            size_t *values) {
    size_t *found;
    RM2_TRY(rm2i_file_sizes(r, name, 1, &count, &found));
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < count; k++) {
        if (found[k] >= below && status == RM2_OK)
            status =
                rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: %s: entry %zu is %zu, expected less than %zu",
                          r.path, name, k, found[k], below);
        values[k] = found[k];
    }
    free(found);
    return status;
}

static rm2_status get_arrays(rm2i_reader r, size_t points, const arrays *s) {
    RM2_TRY(get_sizes(r, "start/family", s->demos, s->families, s->family));
    RM2_TRY(get_sizes(r, "start/reversed", s->demos, 2, s->reversed));
    RM2_TRY(get_sizes(r, "start/outliers", s->demos, points + 1, s->outliers));
    RM2_TRY(get_sizes(r, "start/outlier", s->demos, points + 1, s->outlier));
    RM2_TRY(get_sizes(r, "start/resting", s->demos, points + 1, s->resting));
    size_t shape[] = {s->demos, NUMBERS};
    RM2_TRY(rm2i_file_copy(r, "start/phase", 2, shape, s->numbers));
    RM2_TRY(rm2i_check_range(r.ctx, r.path, "start/phase", s->demos * NUMBERS, s->numbers,
                             &rm2i_finite));
    RM2_TRY(get_sizes(r, "start/reference", s->families, s->demos, s->reference));
    return get_sizes(r, "start/complete", s->families, 2, s->complete);
}

static void put_together(const arrays *s, rm2_start_report *r) {
    for (size_t f = 0; f < s->families; f++)
        r->family[f] = (rm2_start_family){0, s->reference[f], s->complete[f] != 0};
    for (size_t d = 0; d < s->demos; d++) {
        const double *x = s->numbers + d * NUMBERS;
        r->demo[d] = (rm2_start_demo){.family = s->family[d],
                                      .reversed = s->reversed[d] != 0,
                                      .begin = x[0],
                                      .end = x[1],
                                      .misfit = x[2],
                                      .unevenness = x[3],
                                      .outliers = s->outliers[d],
                                      .outlier = s->outlier[d],
                                      .outlier_distance = x[4],
                                      .jitter = x[5],
                                      .resting = s->resting[d]};
        r->family[s->family[d]].demos++;
    }
}

/* How many families there are: at most one per trajectory. */
static rm2_status get_families(rm2i_reader r, size_t trajectories, size_t *families) {
    size_t count = SIZE_MAX;
    RM2_TRY(rm2i_file_shape(r, "start/reference", 1, &count));
    if (count == 0 || count > trajectories)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT,
                         "%s: start/reference has %zu families for %zu trajectories", r.path, count,
                         trajectories);
    *families = count;
    return RM2_OK;
}

rm2_status rm2i_start_get(rm2i_reader r, const rm2_data *data, rm2_start_report **report) {
    arrays s = {.demos = data->trajectories};
    size_t labelled;
    *report = NULL;
    if (!rm2i_file_has(r, "start/reference"))
        return RM2_OK;
    RM2_TRY(get_families(r, s.demos, &s.families));
    RM2_TRY(rm2i_file_count(r, "start/labelled", &labelled));
    if (labelled > 1)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: start/labelled is %zu, expected 0 or 1",
                         r.path, labelled);
    RM2_TRY(rm2i_arena_alloc(r.ctx, lay_out, &s, &s.memory));
    rm2_status status = get_arrays(r, data->count, &s);
    if (status == RM2_OK)
        status = rm2i_start_report_create(r.ctx, s.demos, s.families, report);
    if (status == RM2_OK) {
        put_together(&s, *report);
        (*report)->labelled = labelled != 0;
    }
    free(s.memory);
    return status;
}
