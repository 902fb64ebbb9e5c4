/* The energy of a curve in pieces, E = sum_k w_k v_k^T G(x_k) v_k over Gauss's points of all
 * intervals, with two derivatives by the coefficients between the fixed ends. */
#ifndef RM2I_ENERGY_H
#define RM2I_ENERGY_H

#include "base/arena.h"
#include "geodesic/evaluator.h"
#include "geodesic/pieces.h"

/* The curve at the points, and the metric there. */
typedef struct rm2i_sample {
    double *x, *v;  /* points x Q */
    double *G, *dG; /* points x Q x Q (x Q) */
    double *bend;   /* points x Q x Q: v^T d_r d_s G v, if `bent` */
    bool bent;      /* with second derivatives of the metric's own */
    double energy;
} rm2i_sample;

typedef struct rm2i_energy {
    rm2i_evaluator *evaluator;
    const rm2i_pieces *curve;
    size_t Q, points;           /* of the whole curve */
    size_t unknowns, bandwidth; /* of the second derivative, a band matrix */
    rm2i_quadrature rule;       /* on each interval */
    rm2i_local *local;          /* basis functions at each point */
    double *weight;
    double *shifted, *shifted_G, *shifted_dG; /* scratch like a sample's */
    double *memory;
} rm2i_energy;

/* For a curve that may then move but keeps its intervals, with `points` on each. */
rm2_status rm2i_energy_create(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *curve,
                              size_t points, rm2i_energy **energy);
void rm2i_energy_free(rm2i_energy *energy);

rm2i_sample rm2i_sample_reserve(const rm2i_energy *e, rm2i_arena *arena);

/* The sample of the curve as it is, with second derivatives if they are asked for and the metric has
 * them; RM2_ERR_DOMAIN or RM2_ERR_NUMERIC where it has no energy. */
rm2_status rm2i_energy_at(const rm2i_energy *e, bool bend, rm2i_sample *sample);

void rm2i_energy_gradient(const rm2i_energy *e, const rm2i_sample *sample, double *gradient);

/* bend (points x Q x Q) = v^T d_r d_s G v: the sample's, else by one more evaluation per point where the
 * metric has them, or by differences of dG, which take Q. */
rm2_status rm2i_energy_bend(const rm2i_energy *e, const rm2i_sample *sample, double *bend);

/* The second derivative H, and its part K that has G only: positive definite, twice the squared
 * norm of the velocity of a variation. Both unknowns x (bandwidth + 1). */
void rm2i_energy_hessian(const rm2i_energy *e, const rm2i_sample *sample, const double *bend,
                         double *H, double *K);

#endif
