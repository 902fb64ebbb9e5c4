/* What the start of a training found in the demonstrations, as text and JSON. */
#ifndef RM2_CLI_START_H
#define RM2_CLI_START_H

#include "core/cli.h"

/* Least that is worth a word. */
#define START_CUT    0.1  /* of the motion that a demonstration lacks at an end */
#define START_UNEVEN 0.05 /* of the motion off an even pace */
#define START_NOISY  0.15 /* of the spread of the data that points jitter by */

/* Where a demonstration enters and leaves the motion, in the motion's direction. */
static inline double start_first(const rm2_start_demo *d) {
    return d->reversed ? d->end : d->begin;
}

static inline double start_last(const rm2_start_demo *d) {
    return d->reversed ? d->begin : d->end;
}

static inline bool start_is_cut(const rm2_start_demo *d) {
    return start_first(d) > START_CUT || start_last(d) < 1 - START_CUT;
}

/* Which demonstrations a line is about. */
typedef bool (*start_choice)(const rm2_data *data, const rm2_start_report *report, size_t demo);
/* Those that fit their family much worse than most do. */
bool start_is_odd(const rm2_data *data, const rm2_start_report *report, size_t demo);
bool start_is_reversed(const rm2_data *data, const rm2_start_report *report, size_t demo);
/* Their ids, a blank before each, not more than a line has room for. */
void start_list(FILE *out, const rm2_data *data, const rm2_start_report *report,
                start_choice choice);

/* Does a demonstration jitter so much that a model may follow the noise? */
bool start_is_noisy(const rm2_data *data, const rm2_start_report *report, size_t demo);
/* "3: 5 points, worst point 34, off by 1.20 of the spread": outliers of a demonstration that has some. */
void start_outliers(FILE *out, const rm2_data *data, const rm2_start_report *report, size_t demo);

/* Families with their demonstrations, cuts, reversals, timing, pauses, outliers; nothing for NULL. */
void start_print(FILE *out, const rm2_data *data, const rm2_start_report *report);
/* The member "start": an object, or null. */
void start_json(rm2_json *json, const rm2_data *data, const rm2_start_report *report);

/* Print the demonstrations that a model's uncertainty was calibrated on; nothing without trajectories. */
void start_print_uncertainty(FILE *out, const rm2_model_info *info);
/* "calibration": an object or null. */
void start_json_uncertainty(rm2_json *json, const rm2_model_info *info);

#endif
