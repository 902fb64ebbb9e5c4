/* Loops over LANES points side by side: the innermost index is the point, so that every operation is
 * the same on all of them and the compiler turns it into vector instructions. */
#ifndef RM2I_LANES_H
#define RM2I_LANES_H

#include "base/clones.h"

enum { LANES = 16 };

#define FOR_LANES(i) for (int i = 0; i < LANES; i++)

#endif
