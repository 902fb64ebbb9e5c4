/* How smooth a curve is: its turning, and its jerk in a fixed duration.
 *
 * Euclidean factors together are the positions, all others together, as coordinates of the logarithm at the base point,
 * the rest. Each part is put at n = 100 points y_k at equal steps of its own arc length L, with steps s_k = y_(k+1) - y_k:
 *   turning   sum of the angles between s_k and s_(k+1)
 *   jerk      (n - 1)^3 |third differences of y|_rms/L: the third derivative of the curve at constant speed, in lengths of
 *             the curve per duration cubed */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "front/smoothness.h"
#include "math/order.h"
#include "model/model.h"

enum { POINTS = 100 };

typedef struct smoothing {
    const rm2_model *m;
    size_t n;
    double *rows; /* n x M: coordinates of the points */
    double *part; /* n x M: those of a part */
    double *even; /* POINTS x M */
    double *memory;
} smoothing;

static void lay_out(void *arg, rm2i_arena *a) {
    smoothing *s = arg;
    s->rows = rm2i_reserve(a, double, s->n, s->m->M);
    s->part = rm2i_reserve(a, double, s->n, s->m->M);
    s->even = rm2i_reserve(a, double, POINTS, s->m->M);
}

/* Columns of the flat factors, or of the others; returns how many. */
static size_t take_part(const smoothing *s, rm2_curve_part part) {
    size_t M = s->m->M, width = 0, at = 0;
    for (size_t f = 0; f < rm2_manifold_factor_count(s->m->manifold); f++) {
        const rm2_factor *factor = rm2_manifold_factor(s->m->manifold, f);
        size_t own = s->m->settings.model == RM2_GPLVM ? factor->ambient : factor->dim;
        bool flat = factor->geometry == &rm2_euclidean;
        for (size_t c = 0; c < own && flat == (part == RM2_CURVE_POSITIONS); c++, width++)
            for (size_t i = 0; i < s->n; i++)
                s->part[i * M + width] = s->rows[i * M + at + c];
        at += own;
    }
    return width;
}

static double distance(size_t width, const double *a, const double *b) {
    double square = 0;
    for (size_t c = 0; c < width; c++)
        square += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(square);
}

/* s->even: the part at equal steps of its arc length, which is returned. */
static double space_evenly(const smoothing *s, size_t width) {
    size_t M = s->m->M, i = 0;
    double length = 0, before = 0;
    for (size_t k = 0; k + 1 < s->n; k++)
        length += distance(width, s->part + k * M, s->part + (k + 1) * M);
    for (size_t k = 0; k < POINTS; k++) {
        double wanted = length * (double)k / (POINTS - 1), step = 0;
        for (; i + 1 < s->n; i++) {
            step = distance(width, s->part + i * M, s->part + (i + 1) * M);
            if (before + step >= wanted && step > 0)
                break;
            before += step;
        }
        const double *a = s->part + i * M, *b = i + 1 < s->n ? a + M : a;
        double t = step > 0 ? fmin(fmax((wanted - before) / step, 0), 1) : 0;
        for (size_t c = 0; c < width; c++)
            s->even[k * M + c] = a[c] + t * (b[c] - a[c]);
    }
    return length;
}

/* Angle between y_1 - y_0 and y_2 - y_1; 0 where a step is. */
static double angle(size_t width, size_t M, const double *y) {
    double a = distance(width, y, y + M), b = distance(width, y + M, y + 2 * M), less = 0, more = 0;
    if (!(a > 0 && b > 0))
        return 0;
    for (size_t c = 0; c < width; c++) {
        double u = (y[M + c] - y[c]) / a, v = (y[2 * M + c] - y[M + c]) / b;
        less += (u - v) * (u - v);
        more += (u + v) * (u + v);
    }
    return 2 * atan2(sqrt(less), sqrt(more));
}

static void measure(const smoothing *s, rm2_curve_part part, rm2_smoothness *out) {
    size_t M = s->m->M, width = take_part(s, part);
    double length = space_evenly(s, width), turning = 0, square = 0;
    out->turning[part] = out->jerk[part] = NAN;
    if (!(length > 0))
        return;
    for (size_t k = 0; k + 2 < POINTS; k++)
        turning += angle(width, M, s->even + k * M);
    for (size_t k = 0; k + 3 < POINTS; k++)
        for (size_t c = 0; c < width; c++) {
            const double *y = s->even + k * M + c;
            square += pow(y[3 * M] - 3 * y[2 * M] + 3 * y[M] - y[0], 2);
        }
    out->turning[part] = turning;
    out->jerk[part] = pow(POINTS - 1, 3) * sqrt(square / (POINTS - 3)) / length;
}

rm2_status rm2_model_smoothness(rm2_context *ctx, const rm2_model *model, size_t n,
                                const double *points, rm2_smoothness *smoothness) {
    smoothing s = {.m = model, .n = n};
    bool flat = model->settings.model == RM2_GPLVM;
    for (rm2_curve_part p = 0; p < RM2_CURVE_PARTS; p++)
        smoothness->turning[p] = smoothness->jerk[p] = NAN;
    if (n < 3)
        return RM2_OK;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &s, &s.memory));
    rm2_status status = rm2_model_view_rows(ctx, model, flat ? RM2_VIEW_AMBIENT : RM2_VIEW_TANGENT,
                                            n, points, s.rows);
    for (rm2_curve_part p = 0; status == RM2_OK && p < RM2_CURVE_PARTS; p++)
        measure(&s, p, smoothness);
    free(s.memory);
    return status;
}

/* Without those that are NaN; NaN where all are. */
static double median(size_t n, const double *values, double *work) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            work[count++] = values[i];
    return count > 0 ? rm2i_median(count, work) : NAN;
}

rm2_status rm2_smoothness_median(rm2_context *ctx, size_t n, const rm2_smoothness *of,
                                 rm2_smoothness *median_of) {
    enum { NUMBERS = 2 * RM2_CURVE_PARTS };
    double *work;
    RM2_TRY(rm2i_alloc(ctx, n, 2 * sizeof *work, &work));
    for (size_t k = 0; k < NUMBERS; k++) {
        size_t part = k / 2;
        for (size_t i = 0; i < n; i++)
            work[i] = k % 2 ? of[i].jerk[part] : of[i].turning[part];
        *(k % 2 ? &median_of->jerk[part] : &median_of->turning[part]) = median(n, work, work + n);
    }
    free(work);
    return RM2_OK;
}
