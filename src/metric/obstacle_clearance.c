#include "metric/obstacle_clearance.h"
#include "region/region.h"

#include <math.h>

#include "base/arena.h"

enum { HALVINGS = 40 }; /* of a line at most */

typedef struct clearance_scratch {
    double *middle; /* HALVINGS x Q */
    double *position;
} clearance_scratch;

static void lay_out(clearance_scratch *s, const rm2i_clearance *c, rm2i_arena *a) {
    s->middle = rm2i_reserve(a, double, HALVINGS, c->position.p->gp.Q);
    s->position = rm2i_reserve(a, double, rm2i_position_work(&c->position));
}

size_t rm2i_clearance_work(const rm2i_clearance *c) {
    clearance_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, c, &a);
    return a.used;
}

/* ---- points --------------------------------------------------------------------------------- */

static void point_at(const rm2i_clearance *c, const double *x, const double *shift,
                     rm2i_clear_point *point, double *work) {
    point->deviation = 0;
    rm2i_position_at(&c->position, x, point->y, c->deviations > 0 ? &point->deviation : NULL, work);
    for (size_t k = 0; shift && k < c->position.dim; k++) {
        point->shift[k] = shift[k];
        point->y[k] += shift[k];
    }
    double nearest = INFINITY;
    for (size_t k = 0; k < c->count; k++)
        nearest = fmin(nearest, rm2_region_distance(&c->regions[k], point->y, NULL));
    point->clearance = nearest - c->deviations * point->deviation;
}

void rm2i_clearance_at(const rm2i_clearance *c, const double *x, rm2i_clear_point *point,
                       double *work) {
    clearance_scratch s;
    lay_out(&s, c, &(rm2i_arena){work, 0});
    point_at(c, x, NULL, point, s.position);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* What is asked of a line, and what was found so far. */
typedef struct inquiry {
    const rm2i_clearance *c;
    double enough;   /* more than this needs no number */
    double too_near; /* a point below this ends the search */
    double accuracy; /* between the bounds */
    double least;    /* clearance of a point so far */
    bool shifted;    /* points have shifts */
    clearance_scratch s;
} inquiry;

static double distance(size_t dim, const double *a, const double *b) {
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* Least distance of the chord from the regions; a lower bound where that is at least `enough`: a distance changes
 * by no more than the way, so that on a chord of length l it is at least (d_a + d_b - l)/2. */
static double chord_distance(const rm2i_clearance *c, const double *a, const double *b,
                             double enough) {
    double length = distance(c->position.dim, a, b), least = INFINITY;
    for (size_t k = 0; k < c->count; k++) {
        const rm2_region *r = &c->regions[k];
        double bound =
            (rm2_region_distance(r, a, NULL) + rm2_region_distance(r, b, NULL) - length) / 2;
        least = fmin(least, bound >= enough ? bound : rm2i_region_segment_distance(r, a, b));
    }
    return least;
}

static double lower_bound(const inquiry *i, const double *a, const rm2i_clear_point *at_a,
                          const double *b, const rm2i_clear_point *at_b) {
    const rm2i_clearance *c = i->c;
    double lost = rm2i_position_bow(&c->position, a, b);
    if (c->deviations > 0)
        lost += c->deviations *
                rm2i_position_most_deviation(&c->position, &(rm2i_position_end){a, at_a->deviation},
                                             &(rm2i_position_end){b, at_b->deviation});
    return chord_distance(c, at_a->y, at_b->y, i->enough + lost) - lost;
}

/* A lower bound of the clearance along the line. */
static double along(inquiry *i, const double *a, const rm2i_clear_point *at_a, const double *b,
                    const rm2i_clear_point *at_b, size_t depth) {
    double lower = lower_bound(i, a, at_a, b, at_b);
    i->least = fmin(i->least, fmin(at_a->clearance, at_b->clearance));
    if (lower >= i->enough || lower >= i->least - i->accuracy || i->least < i->too_near ||
        depth == HALVINGS)
        return fmin(lower, i->least);
    size_t Q = i->c->position.p->gp.Q;
    double *x = i->s.middle + depth * Q;
    double shift[RM2I_POSITION_DIM];
    rm2i_clear_point at_x;
    for (size_t q = 0; q < Q; q++)
        x[q] = 0.5 * (a[q] + b[q]);
    for (size_t k = 0; i->shifted && k < i->c->position.dim; k++)
        shift[k] = 0.5 * (at_a->shift[k] + at_b->shift[k]);
    point_at(i->c, x, i->shifted ? shift : NULL, &at_x, i->s.position);
    double first = along(i, a, at_a, x, &at_x, depth + 1);
    return fmin(first, along(i, x, &at_x, b, at_b, depth + 1));
}

bool rm2i_clearance_chord_holds(const rm2i_clearance *c, const rm2i_clear_point *a,
                                const rm2i_clear_point *b) {
    double wanted = c->wanted + c->deviations * fmax(a->deviation, b->deviation);
    return chord_distance(c, a->y, b->y, wanted) >= wanted;
}

bool rm2i_clearance_holds(const rm2i_clearance *c, const double *a, const rm2i_clear_point *at_a,
                          const double *b, const rm2i_clear_point *at_b, double *work) {
    inquiry i = {.c = c,
                 .enough = c->wanted,
                 .too_near = c->wanted,
                 .accuracy = 1e-6 * distance(c->position.dim, at_a->y, at_b->y),
                 .least = INFINITY};
    lay_out(&i.s, c, &(rm2i_arena){work, 0});
    return rm2i_clearance_chord_holds(c, at_a, at_b) && along(&i, a, at_a, b, at_b, 0) >= c->wanted;
}

/* The least clearance along the polygon. */
static double along_polygon(inquiry *i, size_t n, const double *x, const double *shift) {
    const rm2i_clearance *c = i->c;
    size_t Q = c->position.p->gp.Q;
    rm2i_clear_point before, here;
    double least = INFINITY;
    for (size_t k = 0; k < n; k++, before = here) {
        point_at(c, x + k * Q, shift ? shift + k * c->position.dim : NULL, &here, i->s.position);
        least = fmin(least, here.clearance);
        if (k == 0)
            continue;
        double lost = c->deviations * fmax(before.deviation, here.deviation);
        least = fmin(least, chord_distance(c, before.y, here.y, i->enough + lost) - lost);
        least = fmin(least, along(i, x + (k - 1) * Q, &before, x + k * Q, &here, 0));
    }
    return least;
}

double rm2i_clearance_of(const rm2i_clearance *c, size_t n, const double *x, double accuracy,
                         double enough, double *work) {
    inquiry i = {
        .c = c, .enough = enough, .too_near = -INFINITY, .accuracy = accuracy, .least = INFINITY};
    lay_out(&i.s, c, &(rm2i_arena){work, 0});
    return along_polygon(&i, n, x, NULL);
}

double rm2i_clearance_of_shifted(const rm2i_clearance *c, size_t n, const double *x,
                                 const double *shift, double accuracy, double *work) {
    rm2i_clearance bare = *c;
    bare.deviations = 0;
    inquiry i = {.c = &bare,
                 .enough = INFINITY,
                 .too_near = -INFINITY,
                 .accuracy = accuracy,
                 .least = INFINITY,
                 .shifted = true};
    lay_out(&i.s, &bare, &(rm2i_arena){work, 0});
    return along_polygon(&i, n, x, shift);
}
