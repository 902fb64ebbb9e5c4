/* Distances from the demonstrations, inside the library. */
#ifndef RM2I_VICINITY_H
#define RM2I_VICINITY_H

#include "riemann2/eval.h"

const rm2_model *rm2i_vicinity_model(const rm2_vicinity *vicinity);

/* ---- parts of the motion that a path leaves out ------------------------------------------------- */

/* A decoded path and the latent points that it is to pass in turn, its ends at least. */
typedef struct rm2i_passage {
    size_t n, stops;
    const double *points; /* n x ambient, in the units of the data */
    const double *stop;   /* stops x Q */
    size_t family;        /* that the path is compared with */
} rm2i_passage;

/* The part that most demonstrations of a family have and the path does not. */
typedef struct rm2i_omission {
    double distance;             /* from the path, in spreads; NaN: unknown */
    size_t demonstration, point; /* of the demonstration, from 0; SIZE_MAX: unknown */
} rm2i_omission;

/* Demonstration t passes the points y_ti, i_k <= i <= i_k+1, between the stops k and k + 1 of the path: i_k is where its
 * latents are nearest to the stop. With d_i the distance of y_ti from the polygon through the path's points,
 *     c_t = the distance that a tenth of the length of these points is beyond,
 *     distance = lower median of c_t over the demonstrations t of the family,
 * so that neither corners that a smooth path cuts count, nor single demonstrations, nor points far from those around them.
 * One demonstration alone has no spread: a part of its
 * size stands in its place. */
rm2_status rm2i_vicinity_omission(rm2_context *ctx, const rm2_vicinity *vicinity,
                                  const rm2i_passage *passage, rm2i_omission *omission);

#endif
