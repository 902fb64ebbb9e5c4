/* What the start of a training found in the demonstrations. */
#include "core/start.h"
#include "core/work.h"

enum { SHOWN = 12, COLUMN = 20 };
static const double ODD_MISFIT = 0.25, ODD_RATIO = 3; /* of the spread; against others */

/* ---- choices --------------------------------------------------------------------------------- */

/* Is the misfit large, and more than three times that of at least half of the family? */
bool start_is_odd(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    const rm2_start_demo *demo = &r->demo[d];
    size_t better = 0;
    for (size_t k = 0; demo->misfit > ODD_MISFIT && k < r->demos; k++)
        better += r->demo[k].family == demo->family && ODD_RATIO * r->demo[k].misfit < demo->misfit;
    return better > 0 && 2 * better >= r->family[demo->family].demos;
}

bool start_is_reversed(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    return r->demo[d].reversed;
}

bool start_is_noisy(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    return r->demo[d].jitter > START_NOISY;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void begin(FILE *out, const char *name) {
    (void)fprintf(out, "%-*s", COLUMN, name);
}

void start_list(FILE *out, const rm2_data *data, const rm2_start_report *r, start_choice choice) {
    size_t count = 0;
    for (size_t d = 0; d < r->demos; d++)
        if (choice(data, r, d) && count++ < SHOWN)
            (void)fprintf(out, " %s", PLAIN(data->ids[d]));
    if (count > SHOWN)
        (void)fprintf(out, " ... (%zu)", count);
}

static void print_members(FILE *out, const rm2_data *data, const rm2_start_report *r, size_t f) {
    const rm2_start_family *family = &r->family[f];
    (void)fprintf(out, "  family %-*zu%zu around %s%s:", COLUMN - 9, f + 1, family->demos,
                  PLAIN(data->ids[family->reference]),
                  family->complete ? "" : ", none of them complete");
    for (size_t d = 0, shown = 0; d < r->demos && shown <= SHOWN; d++)
        if (r->demo[d].family == f && shown++ < SHOWN)
            (void)fprintf(out, " %s", PLAIN(data->ids[d]));
    (void)fprintf(out, family->demos > SHOWN ? " ...\n" : "\n");
}

static void print_families(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    begin(out, "demonstrations");
    (void)fprintf(out, "%zu aligned, %zu famil%s%s\n", r->demos, r->families,
                  r->families == 1 ? "y" : "ies", r->labelled ? " by label" : "");
    for (size_t f = 0; f < r->families; f++)
        print_members(out, data, r, f);
}

static void print_cut(FILE *out, const char *id, const rm2_start_demo *d) {
    bool late = start_first(d) > START_CUT, early = start_last(d) < 1 - START_CUT;
    begin(out, "  cut");
    (void)fprintf(out, "%s", PLAIN(id));
    if (late)
        (void)fprintf(out, " begins at %.2f", start_first(d));
    if (early)
        (void)fprintf(out, "%s ends at %.2f", late ? "," : "", start_last(d));
    (void)fprintf(out, " of the motion\n");
}

static void print_cuts(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    size_t cut = 0;
    for (size_t d = 0; d < r->demos; d++)
        if (start_is_cut(&r->demo[d]) && cut++ < SHOWN)
            print_cut(out, data->ids[d], &r->demo[d]);
    if (cut > SHOWN) {
        begin(out, "  cut");
        (void)fprintf(out, "... (%zu trajectories)\n", cut);
    }
}

static void print_chosen(FILE *out, const char *name, const rm2_data *data,
                         const rm2_start_report *r, start_choice choice) {
    size_t count = 0;
    for (size_t d = 0; d < r->demos; d++)
        count += choice(data, r, d);
    if (count == 0)
        return;
    (void)fprintf(out, "%-*s", COLUMN - 1, name);
    start_list(out, data, r, choice);
    (void)fprintf(out, "\n");
}

static void print_timing(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    size_t worst = 0, resting = 0;
    for (size_t d = 0; d < r->demos; d++) {
        worst = r->demo[d].unevenness > r->demo[worst].unevenness ? d : worst;
        resting += r->demo[d].resting;
    }
    if (r->demo[worst].unevenness > START_UNEVEN) {
        begin(out, "  timing");
        (void)fprintf(out, "aligned: up to %.2f of the motion off an even pace (%s)\n",
                      r->demo[worst].unevenness, PLAIN(data->ids[worst]));
    }
    if (resting) {
        begin(out, "  pauses");
        (void)fprintf(out, "%zu of %zu points\n", resting, data->count);
    }
}

void start_outliers(FILE *out, const rm2_data *data, const rm2_start_report *r, size_t d) {
    const rm2_start_demo *demo = &r->demo[d];
    size_t last = data->starts[d + 1] - data->starts[d] - 1;
    const char *end = demo->outlier == 0      ? ", the first"
                      : demo->outlier == last ? ", the last"
                                              : "";
    (void)fprintf(out, "%s: %zu point%s, ", PLAIN(data->ids[d]), demo->outliers,
                  plural(demo->outliers));
    (void)fprintf(out, demo->outliers > 1 ? "worst point %zu%s, " : "point %zu%s, ",
                  demo->outlier + 1, end);
    (void)fprintf(out, "off by %.2f of the spread", demo->outlier_distance);
}

static void print_outliers(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    size_t count = 0;
    for (size_t d = 0; d < r->demos; d++)
        if (r->demo[d].outliers > 0 && count++ < SHOWN) {
            begin(out, "  outliers");
            start_outliers(out, data, r, d);
            (void)fprintf(out, "; left out of the alignment\n");
        }
    if (count > SHOWN) {
        begin(out, "  outliers");
        (void)fprintf(out, "... (%zu trajectories)\n", count);
    }
}

/* The demonstration that jitters most, next to what separates demonstrations. */
static void print_noise(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    size_t count = 0, worst = 0;
    for (size_t d = 0; d < r->demos; d++) {
        count += start_is_noisy(data, r, d);
        worst = r->demo[d].jitter > r->demo[worst].jitter ? d : worst;
    }
    if (count == 0)
        return;
    begin(out, "  noisy");
    (void)fprintf(out,
                  "%zu of %zu trajectories: points jitter by up to %.2f of the spread of the data "
                  "(%s); the model may follow the noise: smooth the recordings first\n",
                  count, r->demos, r->demo[worst].jitter, PLAIN(data->ids[worst]));
}

void start_print(FILE *out, const rm2_data *data, const rm2_start_report *r) {
    if (!r)
        return;
    print_families(out, data, r);
    print_cuts(out, data, r);
    print_chosen(out, "  reversed", data, r, start_is_reversed);
    print_chosen(out, "  odd", data, r, start_is_odd);
    print_timing(out, data, r);
    print_outliers(out, data, r);
    print_noise(out, data, r);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void family_json(rm2_json *json, const rm2_data *data, const rm2_start_family *f) {
    rm2_json_record(json, NULL, RM2_COUNT("trajectories", f->demos),
                    RM2_TEXT("reference", data->ids[f->reference]),
                    RM2_FLAG("complete", f->complete));
}

static void demo_json(rm2_json *json, const char *id, const rm2_start_demo *d) {
    rm2_json_record(
        json, NULL, RM2_TEXT("id", id), RM2_COUNT("family", d->family),
        RM2_FLAG("reversed", d->reversed), RM2_FLAG("cut", start_is_cut(d)),
        RM2_NUMBER("begin", d->begin), RM2_NUMBER("end", d->end), RM2_NUMBER("misfit", d->misfit),
        RM2_NUMBER("unevenness", d->unevenness), RM2_COUNT("outliers", d->outliers),
        RM2_COUNT("outlier", d->outliers ? d->outlier : SIZE_MAX),
        RM2_NUMBER("outlier_distance", d->outlier_distance), RM2_NUMBER("jitter", d->jitter),
        RM2_FLAG("noisy", d->jitter > START_NOISY), RM2_COUNT("resting", d->resting));
}

void start_json(rm2_json *json, const rm2_data *data, const rm2_start_report *r) {
    if (!r) {
        rm2_json_put(json, RM2_TEXT("start", NULL));
        return;
    }
    rm2_json_object(json, "start");
    rm2_json_put(json, RM2_FLAG("labelled", r->labelled));
    rm2_json_array(json, "families");
    for (size_t f = 0; f < r->families; f++)
        family_json(json, data, &r->family[f]);
    rm2_json_end(json);
    rm2_json_array(json, "trajectories");
    for (size_t d = 0; d < r->demos; d++)
        demo_json(json, data->ids[d], &r->demo[d]);
    rm2_json_end(json);
    rm2_json_end(json);
}

/* ---- uncertainty ---------------------------------------------------------------------------- */

void start_print_uncertainty(FILE *out, const rm2_model_info *i) {
    if (i->calibrated == 0 && i->data->trajectories == 1)
        (void)fprintf(out, "%-*snot calibrated: that needs two demonstrations\n", COLUMN,
                      "uncertainty");
    if (i->calibrated == 0)
        return;
    (void)fprintf(
        out, "%-*scalibrated on %zu demonstrations, each predicted from the others: scale%s",
        COLUMN, "uncertainty", i->calibrated, plural(rm2_manifold_factor_count(i->manifold)));
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        (void)fprintf(out, "%s %.3g (%s%zu)", k ? "," : "", i->calibration[k], f->geometry->name,
                      f->n);
    }
    (void)fprintf(out, "\n");
}

void start_json_uncertainty(rm2_json *json, const rm2_model_info *i) {
    if (i->calibrated == 0) {
        rm2_json_put(json, RM2_TEXT("calibration", NULL));
        return;
    }
    rm2_json_object(json, "calibration");
    rm2_json_put(json, RM2_COUNT("demonstrations", i->calibrated),
                 RM2_NUMBER("freedom", i->calibration_freedom));
    rm2_json_numbers(json, "scales", rm2_manifold_factor_count(i->manifold), i->calibration);
    rm2_json_end(json);
}
