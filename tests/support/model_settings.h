/* Settings of trainings, compared member by member. */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include <math.h>

#include "riemann2/model.h"

/* Held at its start, or learned under a log-normal prior around it. */
static inline rm2_hyperparameter learned_around(double start, bool learned) {
    return (rm2_hyperparameter){.start = start,
                                .learned = learned,
                                .prior = learned ? RM2_PRIOR_LOGNORMAL : RM2_PRIOR_NONE,
                                .a = NAN,
                                .b = 0.5};
}

/* All members but the pointers are the same, to the bit. */
void assert_same_settings(const rm2_fit_settings *a, const rm2_fit_settings *b);

#endif
