/* How near results are to the training data, and how smooth next to them: what geodesic, sample and encode print. */
#ifndef RM2_CLI_VICINITY_H
#define RM2_CLI_VICINITY_H

#include "core/model.h"

/* Is a distance beyond --spread-limit? One that is unknown is not. */
bool vicinity_beyond(const model_work *m, double over_spread);
/* Print "0.53 spreads from the demonstrations at most (limit 1.5)", or why that is unknown. */
void vicinity_print(FILE *out, const model_work *m, const rm2_vicinity *v, double over_spread);
/* Why the spread is unknown; NULL: it is known. */
const char *vicinity_unknown(const rm2_vicinity *v);

/* Turning and jerk of a path next to those of the demonstrations; nothing where they are unknown. */
void smoothness_print(FILE *out, const rm2_path_report *report);
/* "smoothness": an object or null for the positions and for the rest. */
void smoothness_json(rm2_json *json, const rm2_path_report *report);

#endif
