/* The decoded position: the mean of a Euclidean factor of the data as a function of the latent point, in the units
 * of the data, its standard deviation, and how far both may change along a straight line.
 *
 *     y(x) = scale (origin + C k*(x)),  C the rows of the posterior for the factor
 *
 * Bounds. The radial part of y lies in the space of the kernel s shape(rho) and has the norm
 * |y|^2 = scale^2 sum_m c_m^T K c_m there; the linear part is linear. For every function of that space the difference
 * from the chord between the ends of a line of length rho is largest in its middle, where it is at most
 * |y| sqrt(3 k(0)/2 - 2 k(rho/2) + k(rho)/2):
 *
 *     SE                |y| sqrt(3 s) rho^2/8       Matérn 5/2    |y| sqrt(25 s) rho^2/8
 *     Matérn 3/2        |y| sqrt(s z^3/12), z = sqrt(3) rho
 *
 * Far from the points Z of the posterior a smaller bound holds, because the radial part itself is small there: a line
 * at the distance r from Z leaves its chord by no more than 2 scale |(sum_i |c_mi|)_m| s shape(r). After a few halvings of
 * a long line this bound is negligible for all parts that are not near Z.
 *
 * The standard deviation is the norm of k(x, .) after a linear map that lengthens nothing, times the root of the largest
 * eigenvalue v of the factor's Kf. A norm of what is linear lies below its chord, hence the deviation exceeds the chord
 * between those at the ends by at most sqrt(v) times the same bound without |y|. Nor does it exceed the prior's,
 * sqrt(v k(x, x)), which is largest at an end. */
#ifndef RM2I_POSITION_H
#define RM2I_POSITION_H

#include "model/model.h"

enum { RM2I_POSITION_DIM = 3 }; /* most dimensions of a position */

typedef struct rm2i_position {
    const rm2i_posterior *p;
    size_t factor;     /* of the manifold */
    size_t first, dim; /* outputs */
    double scale, origin[RM2I_POSITION_DIM];
    double norm;   /* |y| */
    double mass;   /* scale |(sum_i |c_mi|)_m| */
    double radius; /* largest distance of Z from the origin, in lengthscales */
    double root;   /* scale sqrt(v) */
} rm2i_position;

#define RM2I_FIRST_EUCLIDEAN SIZE_MAX

/* Of a factor, or the first Euclidean one; RM2_ERR_ARGUMENT where that has more than three dimensions or there is none. The
 * model must live as long. */
rm2_status rm2i_position_of(rm2_context *ctx, const rm2_model *model, size_t factor,
                            rm2i_position *position);

/* Doubles of scratch for the two calls below. */
size_t rm2i_position_work(const rm2i_position *position);
/* The position (`out`, dim) and, unless NULL, its largest standard deviation in any direction. */
void rm2i_position_at(const rm2i_position *y, const double *x, double *out, double *deviation,
                      double *work);
/* With derivatives J (dim x Q) and slope (Q); deviation and slope may both be NULL. */
typedef struct rm2i_position_slope {
    double y[RM2I_POSITION_DIM];
    double deviation;
    double *J, *slope;
} rm2i_position_slope;
void rm2i_position_gradient(const rm2i_position *position, const double *x,
                            rm2i_position_slope *out, double *work);

/* Most distance of the decoded line from a to b from the chord between its decoded ends. */
double rm2i_position_bow(const rm2i_position *position, const double *a, const double *b);

typedef struct rm2i_position_end {
    const double *x;
    double deviation; /* there */
} rm2i_position_end;
/* Most standard deviation along a line. */
double rm2i_position_most_deviation(const rm2i_position *position, const rm2i_position_end *a,
                                    const rm2i_position_end *b);

#endif
