/* Permutations of two labels among subjects.
 *
 * A subject whose points all have one label exchanges it with other such subjects; one that has both may have them
 * exchanged. With s subjects of one label, k of which have the second, and b subjects of both, there are
 * C(s, k) 2^b arrangements, the one as it is among them. */
#ifndef RM2I_ARRANGEMENT_H
#define RM2I_ARRANGEMENT_H

#include "front/base.h"
#include "riemann2/base.h"

typedef struct rm2i_arrangement {
    size_t n, subjects;
    const size_t *subject;   /* n: which subject a point is of */
    const bool *side;        /* n: has it the second label? */
    bool *both;              /* subjects: has points of both labels */
    bool *second;            /* subjects: has points of the second label */
    size_t single, k, mixed; /* s, k, b */
} rm2i_arrangement;

/* Fill in what follows from n, subject and side. */
void rm2i_arrangement_count(rm2i_arrangement *a);
/* Number of arrangements; infinity where a double cannot hold it. */
double rm2i_arrangement_total(const rm2i_arrangement *a);
/* The sides (n) of arrangement `number` of all, from 0; or of one at random. `work`: subjects. */
void rm2i_arrangement_at(const rm2i_arrangement *a, size_t number, bool *work, bool *side);
void rm2i_arrangement_random(const rm2i_arrangement *a, rm2_rng *rng, bool *work, bool *side);

#endif
