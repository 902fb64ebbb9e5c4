/* How near results are to the training data: what geodesic, sample and encode print. */
#ifndef RM2_CLI_VICINITY_H
#define RM2_CLI_VICINITY_H

#include "core/model.h"

/* Is a distance beyond --spread-limit? One that is unknown is not. */
bool vicinity_beyond(const model_work *m, double over_spread);
/* Print "0.53 spreads from the demonstrations at most (limit 1.5)", or why that is unknown. */
void vicinity_print(FILE *out, const model_work *m, const rm2_vicinity *v, double over_spread);
/* Why the spread is unknown; NULL: it is known. */
const char *vicinity_unknown(const rm2_vicinity *v);
#endif
