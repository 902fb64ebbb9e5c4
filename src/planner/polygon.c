/* Polygons of latent points: nodes of equal length, lengths, proofs, corners that are left out. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "planner/planner.h"

/* Length of a side in phi G, with the barrier where its middle is: what the energy sees. Where that is too near, without. */
static double side_length(const rm2i_planner_scene *s, const double *a, const double *b) {
    double x[RM2I_GRID_Q];
    rm2i_clear_point middle;
    for (size_t q = 0; q < s->field->Q; q++)
        x[q] = 0.5 * (a[q] + b[q]);
    rm2i_field_position(s->field, x, &middle);
    double phi = rm2i_barrier_factor(s->clearance, s->width, &middle);
    double length = rm2i_field_length(s->field, a, b);
    return isfinite(phi) ? length * sqrt(phi) : length;
}

/* |b - a| of the latent space. */
static double plain_length(size_t Q, const double *a, const double *b) {
    double h[RM2I_GRID_Q];
    for (size_t q = 0; q < Q; q++)
        h[q] = b[q] - a[q];
    return rm2i_scaled_norm(Q, h);
}

/* Lengths of all sides, and their sum, which is finite. Where one leaves the field, which gives it no length, all are
 * measured in the latent space. */
static double measure_sides(const rm2i_planner_scene *s, const rm2i_polygon *way, double *lengths) {
    size_t Q = s->field->Q;
    double total = 0, plain = 0;
    for (size_t i = 0; i + 1 < way->n; i++)
        total += lengths[i] = side_length(s, way->x + i * Q, way->x + (i + 1) * Q);
    if (isfinite(total))
        return total;
    for (size_t i = 0; i + 1 < way->n; i++)
        plain += lengths[i] = plain_length(Q, way->x + i * Q, way->x + (i + 1) * Q);
    return plain;
}

static void place_on_side(size_t Q, const double *a, double t, double *x) {
    for (size_t q = 0; q < Q; q++)
        x[q] = a[q] + t * (a[Q + q] - a[q]);
}

void rm2i_polygon_resample(const rm2i_planner_scene *s, const rm2i_polygon *way, size_t n,
                           double *x, double *lengths) {
    size_t Q = s->field->Q, side = 0;
    double total = measure_sides(s, way, lengths), before = 0;
    for (size_t k = 0; k < n; k++) {
        double at = total * (double)k / (double)(n - 1);
        while (side + 2 < way->n && before + lengths[side] < at)
            before += lengths[side++];
        double t = lengths[side] > 0 ? fmin((at - before) / lengths[side], 1) : 0;
        place_on_side(Q, way->x + side * Q, t, x + k * Q);
    }
    memcpy(x + (n - 1) * Q, way->x + (way->n - 1) * Q, Q * sizeof *x);
}

/* A side of a part l of the length that is left gets that part of the pieces that are left, and one at least. */
bool rm2i_polygon_divide(const rm2i_planner_scene *s, const rm2i_polygon *way, size_t n, double *x,
                         double *lengths) {
    size_t Q = s->field->Q, pieces = n - 1, sides = way->n - 1;
    double left = measure_sides(s, way, lengths);
    if (sides > pieces)
        return false;
    for (size_t i = 0; i < sides; i++) {
        size_t most = pieces - (sides - 1 - i);
        double share = left > 0 ? lengths[i] / left * (double)pieces : 1;
        size_t own = share < 1 ? 1 : share > (double)most ? most : (size_t)(share + 0.5);
        own = i + 1 == sides ? pieces : own > most ? most : own;
        for (size_t k = 0; k < own; k++, x += Q)
            place_on_side(Q, way->x + i * Q, (double)k / (double)own, x);
        pieces -= own;
        left -= lengths[i];
    }
    memcpy(x, way->x + sides * Q, Q * sizeof *x);
    return true;
}

double rm2i_polygon_length(const rm2i_field *field, size_t n, const double *x) {
    double length = 0;
    for (size_t k = 0; k + 1 < n; k++)
        length += rm2i_field_length(field, x + k * field->Q, x + (k + 1) * field->Q);
    return length;
}

bool rm2i_polygon_holds(rm2i_planner_scene *s, size_t n, const double *x,
                        rm2i_clear_point *points) {
    const rm2i_clearance *c = s->clearance;
    size_t Q = s->field->Q;
    for (size_t k = 0; k < n; k++) {
        rm2i_clearance_at(c, x + k * Q, &points[k], s->work);
        if (!(points[k].clearance >= c->wanted) || rm2i_scene_late(s))
            return false;
        if (k > 0 && !rm2i_clearance_holds(c, x + (k - 1) * Q, &points[k - 1], x + k * Q,
                                           &points[k], s->work))
            return false;
    }
    return true;
}

static bool sees(const rm2i_planner_scene *s, const double *a, const double *b) {
    rm2i_clear_point at_a, at_b;
    rm2i_clearance_at(s->clearance, a, &at_a, s->work);
    rm2i_clearance_at(s->clearance, b, &at_b, s->work);
    return rm2i_clearance_holds(s->clearance, a, &at_a, b, &at_b, s->work);
}

/* A line is taken if it is no longer than the sides that it replaces, and holds. */
void rm2i_polygon_cut(rm2i_planner_scene *s, rm2i_polygon *way) {
    size_t Q = s->field->Q, kept = 1;
    for (size_t i = 0; i + 1 < way->n;) {
        size_t next = i + 1;
        const double *from = way->x + i * Q;
        double sides = rm2i_field_length(s->field, from, from + Q);
        while (next + 1 < way->n && !rm2i_scene_late(s)) {
            const double *to = way->x + (next + 1) * Q;
            sides += rm2i_field_length(s->field, to - Q, to);
            if (rm2i_field_length(s->field, from, to) > sides || !sees(s, from, to))
                break;
            next++;
        }
        memmove(way->x + kept++ * Q, way->x + next * Q, Q * sizeof *way->x);
        i = next;
    }
    way->n = kept;
}
