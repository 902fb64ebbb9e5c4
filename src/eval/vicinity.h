/* Distances from the demonstrations, inside the library. */
#ifndef RM2I_VICINITY_H
#define RM2I_VICINITY_H

#include "riemann2/eval.h"

const rm2_model *rm2i_vicinity_model(const rm2_vicinity *vicinity);

#endif
