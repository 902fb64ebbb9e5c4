/* Settings of trainings, compared member by member. */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include "riemann2/model.h"

/* All members but the pointers are the same, to the bit. */
void assert_same_settings(const rm2_fit_settings *a, const rm2_fit_settings *b);

#endif
