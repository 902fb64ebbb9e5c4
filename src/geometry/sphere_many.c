/* Sphere: exp and log of many points at one base point p, ambient vectors, LANES at a time.
 *
 * exp: y = cos(r) p + (sin(r)/r) v from half the angle h = r/2 <= pi/2, with sin(h)/h and cos(h) as
 *   power series in h^2. |y|^2 differs from 1 by rounding, so that 1/|y| = (3 - |y|^2)/2.
 * log: with m = |p - q| = 2 sin(d/2) and l = |p + q| = 2 cos(d/2),
 *   tan(d/4) = m/(2 + l),  tan(d/8) = m/(2 + l + sqrt(m^2 + (2 + l)^2)) <= tan(pi/8),
 *   without cancellation anywhere; d = 8 atan by its series. The direction is that of w = q - p
 *   (q + p beyond 120 degrees) less its part along p, of length sin(d) = m l/2; m cancels in d/sin(d).
 * Long vectors, points near the cut locus and points off the sphere, by m^2 + l^2 = 2 (|p|^2 + |q|^2), are left to the
 * calls for single points. */
#include <math.h>
#include <string.h>

#include "geometry/geometries.h"
#include "geometry/lanes.h"
#include "geometry/sphere.h"

enum { CIRCULAR = 11, ARCTANGENT = 20 }; /* terms */

/* All is inlined into the two functions at the end, for n = 2, n = 3 and any n: loops over the entries
 * of short vectors disappear. */
#define INLINED static inline __attribute__((always_inline))

/* sum_j (-x)^j/(2j + odd)!, by Horner: cos h for odd = 0, sin(h)/h for odd = 1, x = h^2. */
INLINED double alternating(double x, int odd) {
    double sum = 1;
#pragma GCC unroll 32 /* so that the loop over lanes is the innermost one */
    for (int j = CIRCULAR; j > 0; j--)
        sum = 1 - sum * x * (1.0 / ((2 * j + odd) * (2 * j - 1 + odd)));
    return sum;
}

/* atan(t)/t = sum_j (-t^2)^j/(2j + 1), t^2 < 0.18 */
INLINED double arctangent_ratio(double t2) {
    double sum = 1.0 / (2 * ARCTANGENT + 1);
#pragma GCC unroll 32
    for (int j = ARCTANGENT; j-- > 0;)
        sum = 1.0 / (2 * j + 1) - t2 * sum;
    return sum;
}

/* cosine and sine ratio of the squared lengths; false if one is too long or not a number. */
INLINED bool coefficients(const double *r2, double *cosine, double *ratio) {
    bool good = true;
    FOR_LANES(i) {
        double x = 0.25 * r2[i], s = alternating(x, 1), c = alternating(x, 0);
        cosine[i] = 1 - 2 * x * s * s;
        ratio[i] = s * c;
    }
    FOR_LANES(i)
    good &= r2[i] <= 9.8; /* below pi^2 */
    return good;
}

/* stretch of the direction: distance over the length of w's tangent part; false near the cut locus */
INLINED bool stretches(const double *minus2, const double *plus2, double *stretch) {
    bool good = true;
    FOR_LANES(i) {
        double plus = sqrt(plus2[i]), u = 2 + plus, root = u + sqrt(minus2[i] + u * u);
        double inverse = 1 / (root * plus), t = inverse * plus; /* tan(d/8) = m t */
        stretch[i] = 16 * inverse * arctangent_ratio(minus2[i] * t * t);
    }
    FOR_LANES(i) /* far from the cut locus, and no NaN */
    good &= plus2[i] > 1e-20 && stretch[i] < 1e12;
    return good;
}

/* 1/sqrt(x) for x = 1 up to rounding; false if one is not */
INLINED bool inverse_roots(double *x) {
    bool good = true;
    FOR_LANES(i) {
        good &= fabs(x[i] - 1) < 1e-9;
        x[i] = 1.5 - 0.5 * x[i];
    }
    return good;
}

/* A block of LANES points, `stride` apart. */
INLINED bool exp_block(size_t n, const double *restrict p, const double *restrict v,
                       double *restrict y, size_t stride) {
    double r2[LANES], cosine[LANES], ratio[LANES];
    FOR_LANES(i) {
        double sum = 0;
        for (size_t k = 0; k <= n; k++)
            sum += v[(size_t)i * stride + k] * v[(size_t)i * stride + k];
        r2[i] = sum;
    }
    if (!coefficients(r2, cosine, ratio))
        return false;
    FOR_LANES(i) { /* |y|^2, for the last rounding error of the length */
        double sum = 0;
        for (size_t k = 0; k <= n; k++) {
            double out = cosine[i] * p[k] + ratio[i] * v[(size_t)i * stride + k];
            sum += out * out;
        }
        r2[i] = sum;
    }
    if (!inverse_roots(r2))
        return false;
    FOR_LANES(i)
    for (size_t k = 0; k <= n; k++)
        y[(size_t)i * stride + k] =
            r2[i] * (cosine[i] * p[k] + ratio[i] * v[(size_t)i * stride + k]);
    return true;
}

/* What the logarithm needs of one point x: squared chords, side, <w, p>, and the sign of x. */
typedef struct chord_lanes {
    double minus2[LANES], plus2[LANES], along[LANES], side[LANES], sign[LANES];
} chord_lanes;

INLINED void chords(size_t n, const double *p, const double *x, bool pairs, int i, chord_lanes *c) {
    double dot = 0, a2 = 0, b2 = 0, along = 0;
    for (size_t k = 0; k <= n; k++)
        dot += x[k] * p[k];
    double sign = pairs ? copysign(1, dot) : 1;
    for (size_t k = 0; k <= n; k++) {
        double a = sign * x[k] - p[k], b = sign * x[k] + p[k];
        a2 += a * a;
        b2 += b * b;
    }
    double side = copysign(1, 1 - b2); /* +1 beyond 120 degrees */
    for (size_t k = 0; k <= n; k++)
        along += (sign * x[k] + side * p[k]) * p[k];
    c->minus2[i] = a2;
    c->plus2[i] = b2;
    c->along[i] = along;
    c->side[i] = side;
    c->sign[i] = sign;
}

INLINED bool log_block(size_t n, const double *restrict p, const double *restrict q,
                       double *restrict v, size_t stride, bool pairs) {
    chord_lanes c;
    double stretch[LANES];
    bool good = true;
    FOR_LANES(i)
    chords(n, p, q + (size_t)i * stride, pairs, i, &c);
    FOR_LANES(i)
    good &= fabs(c.minus2[i] + c.plus2[i] - 4) < 1e-4;
    FOR_LANES(i) /* half a turn: neither q nor -q is nearer */
    good &= !pairs || c.plus2[i] - c.minus2[i] > 1e-9;
    if (!stretches(c.minus2, c.plus2, stretch) || !good)
        return false;
    FOR_LANES(i)
    for (size_t k = 0; k <= n; k++) {
        double x = c.sign[i] * q[(size_t)i * stride + k];
        v[(size_t)i * stride + k] = stretch[i] * (x + c.side[i] * p[k] - c.along[i] * p[k]);
    }
    return true;
}

typedef enum sphere_map { EXP, LOG, LOG_OF_PAIRS } sphere_map;

INLINED bool one_block(sphere_map map, size_t n, const double *p, const double *in, double *out,
                       size_t stride) {
    return map == EXP ? exp_block(n, p, in, out, stride)
                      : log_block(n, p, in, out, stride, map == LOG_OF_PAIRS);
}

/* All blocks; the last points, if they do not fill one, are padded with copies of the very last. */
INLINED rm2_status all_blocks(sphere_map map, size_t n, const double *p, size_t count,
                              const double *in, double *out, size_t stride) {
    size_t whole = count / LANES * LANES, size = n + 1;
    for (size_t i = 0; i < whole; i += LANES)
        if (!one_block(map, n, p, in + i * stride, out + i * stride, stride))
            return RM2_ERR_UNSUPPORTED;
    if (whole == count)
        return RM2_OK;
    double from[LANES * (RM2I_SPHERE_MANY + 1)], to[LANES * (RM2I_SPHERE_MANY + 1)];
    for (size_t i = 0; i < LANES; i++) {
        size_t row = whole + i < count ? whole + i : count - 1;
        memcpy(from + i * size, in + row * stride, size * sizeof *from);
    }
    if (!one_block(map, n, p, from, to, size))
        return RM2_ERR_UNSUPPORTED;
    for (size_t i = whole; i < count; i++)
        memcpy(out + i * stride, to + (i - whole) * size, size * sizeof *to);
    return RM2_OK;
}

/* The strides of S^2 and S^3 by themselves are constants too. */
RM2I_AVX2_CLONES static rm2_status exp_clones(size_t n, const double *p, size_t count,
                                              const double *v, double *y, size_t stride) {
    if (n == 3)
        return stride == 4 ? all_blocks(EXP, 3, p, count, v, y, 4)
                           : all_blocks(EXP, 3, p, count, v, y, stride);
    return n == 2 ? all_blocks(EXP, 2, p, count, v, y, stride)
                  : all_blocks(EXP, n, p, count, v, y, stride);
}

rm2_status rm2i_sphere_exp_many(size_t n, const double *p, size_t count, const double *v, double *y,
                                size_t stride) {
    return exp_clones(n, p, count, v, y, stride);
}

RM2I_AVX2_CLONES static rm2_status log_clones(size_t n, const double *p, size_t count,
                                              const double *q, double *v, size_t stride,
                                              bool pairs) {
    if (pairs)
        return all_blocks(LOG_OF_PAIRS, 3, p, count, q, v, stride);
    if (n == 3)
        return stride == 4 ? all_blocks(LOG, 3, p, count, q, v, 4)
                           : all_blocks(LOG, 3, p, count, q, v, stride);
    return n == 2 ? all_blocks(LOG, 2, p, count, q, v, stride)
                  : all_blocks(LOG, n, p, count, q, v, stride);
}

/* v = log of q, or of -q where that is nearer and both are the same point (`pairs`). */
rm2_status rm2i_sphere_log_many(size_t n, const double *p, size_t count, const double *q, double *v,
                                size_t stride, bool pairs) {
    return log_clones(n, p, count, q, v, stride, pairs);
}
