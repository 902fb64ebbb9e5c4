/* Internal side of the example data sets: the filling functions, the hand-drawn strokes two of
 * them share, and the parts of the models that the tests look at. */
#ifndef RM2I_GENERATE_H
#define RM2I_GENERATE_H

#include "data/data.h"
#include "front/base.h"

/* ---- filling -------------------------------------------------------------------------------- */

/* Write the points (time, labels) of a data set whose sizes stand. natural[d] is the number of
 * points demonstration d has at the set's own sampling, whatever number was asked for. */
typedef rm2_status (*rm2i_fill_fn)(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                                   rm2i_draft *data);

rm2_status rm2i_fill_toy(rm2_context *ctx, rm2_rng *rng, const size_t *natural, rm2i_draft *data);
rm2_status rm2i_fill_robot(rm2_context *ctx, rm2_rng *rng, const size_t *natural, rm2i_draft *data);
rm2_status rm2i_fill_manipulability(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                                    rm2i_draft *data);
rm2_status rm2i_fill_connectome(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                                rm2i_draft *data);

/* ---- strokes -------------------------------------------------------------------------------- */

enum { RM2I_WAVES = 4, RM2I_BELLS = 5 };

/* One impulse of the hand: its share of the path, when half of it is done, how long it takes. */
typedef struct rm2i_bell {
    double weight, centre, width;
} rm2i_bell;

/* The letter as it is meant: control points of a spline, and the impulses that draw it. */
typedef struct rm2i_letter {
    size_t count; /* at least 2 */
    const double (*points)[2];
    rm2i_bell bells[RM2I_BELLS];
} rm2i_letter;

/* How far the hand strays, as standard deviations; lengths in the unit of the control points. */
typedef struct rm2i_hand {
    double bend;    /* of the first wave of the deformation */
    double turn;    /* radians */
    double stretch; /* relative, each axis */
    double shift;
    double timing; /* of the centres; the weights and widths vary by four times as much, relative */
} rm2i_hand;

extern const rm2i_letter rm2i_letter_c; /* about the origin, radius about 0.9 */

/* The letter as it was drawn once. */
typedef struct rm2i_stroke {
    const rm2i_letter *letter;
    double map[2][2], shift[2];
    double wave[RM2I_WAVES][2];
    rm2i_bell bells[RM2I_BELLS];
} rm2i_stroke;

void rm2i_stroke_draw(const rm2i_letter *letter, const rm2i_hand *hand, rm2_rng *rng,
                      rm2i_stroke *stroke);

/* Position and (NULL: not wanted) unit tangent of the pen at time t = 0..1. */
void rm2i_stroke_at(const rm2i_stroke *stroke, double t, double xy[2], double tangent[2]);

/* Columns 0 and 1 of `count` rows, `stride` apart, to mean 0 and variance 1. */
void rm2i_standardise_plane(size_t count, size_t stride, double *points);

/* ---- models --------------------------------------------------------------------------------- */

/* Joint angles (n x 4) of the arm following the stroke; `gain` is how fast its null space turns the
 * velocity ellipsoid towards the motion (0: not at all, plain pseudo-inverse). */
void rm2i_arm_follow(const rm2i_stroke *stroke, double gain, size_t n, double *angles);
/* Tip of the arm, and its velocity ellipsoid J J^T as {m11, m12, m22}. */
void rm2i_arm_tip(const double angles[4], double xy[2]);
void rm2i_arm_ellipsoid(const double angles[4], double m[3]);
/* The stroke the arm follows, as drawn by one hand. */
void rm2i_arm_stroke(rm2_rng *rng, rm2i_stroke *stroke);
extern const double rm2i_arm_gain; /* of the data set */

enum { RM2I_REGIONS = 15 };
/* Coupling of the regions at the latent point z: 15 x 15, A[i][j] from region j to region i. */
void rm2i_connectome_coupling(const double z[2], double A[RM2I_REGIONS][RM2I_REGIONS]);

#endif
