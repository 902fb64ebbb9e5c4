/* Random numbers, the clock, characters and a constant for the library and our own front ends
 * (tables.h). */
#ifndef RM2_FRONT_BASE_H
#define RM2_FRONT_BASE_H

#include "riemann2/base.h"

#define RM2_PI 3.14159265358979323846

/* Seconds of a clock that only goes forward. */
double rm2_seconds(void);

void rm2_rng_seed(rm2_rng *rng, uint64_t seed);
uint64_t rm2_rng_next(rm2_rng *rng);
/* The random generator of a context. */
rm2_rng *rm2_context_rng(rm2_context *ctx);

/* Number of bytes of the well-formed UTF-8 character at the start of a text of `size` bytes; 0 if
 * the text does not start with one. */
size_t rm2_utf8_length(const char *text, size_t size);

#endif
