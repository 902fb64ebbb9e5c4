/* From curves in pieces to nodes: equal steps of length, velocities of constant speed, and how far the
 * curve is from a geodesic.
 *
 * A curve x(t) that is run through at the constant speed L has the acceleration (L/|x'|)^2 n, n the
 * part of D x'/dt = x'' + Gamma(x', x') across x'. |n| L / |x'|^2 is its geodesic curvature times
 * its length: the residual. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/track.h"
#include "linalg/dense.h"

typedef struct sampling {
    size_t Q, nodes;
    double *x, *v, *a; /* nodes x Q: positions, derivatives by the pieces' own time */
    double *G, *dG;
    double length;
} sampling;

static rm2_status begin(rm2_context *ctx, size_t Q, size_t nodes, double **memory, sampling *s) {
    RM2_TRY(rm2i_alloc(ctx, nodes, (3 * Q + Q * Q + Q * Q * Q) * sizeof **memory, memory));
    double *m = *memory;
    *s = (sampling){.Q = Q, .nodes = nodes};
    s->x = rm2i_cut(&m, nodes * Q);
    s->v = rm2i_cut(&m, nodes * Q);
    s->a = rm2i_cut(&m, nodes * Q);
    s->G = rm2i_cut(&m, nodes * Q * Q);
    s->dG = rm2i_cut(&m, nodes * Q * Q * Q);
    return RM2_OK;
}

/* Node j, at length j/(nodes - 1) of the whole, on the track that has it. */
static void place_node(size_t count, const rm2i_track *tracks, sampling *s, size_t j) {
    size_t Q = s->Q, k = 0;
    double target = s->length * (double)j / (double)(s->nodes - 1);
    while (k + 1 < count && target > tracks[k].best.arc->length)
        target -= tracks[k++].best.arc->length;
    const rm2i_arc *arc = tracks[k].best.arc;
    double part = arc->length > 0 ? fmin(target / arc->length, 1) : 0;
    double t = part < 1 ? rm2i_arc_time(arc, part) : 1;
    rm2i_pieces_at(arc->curve, t, s->x + j * Q, s->v + j * Q, s->a + j * Q);
}

/* Polygons have no second derivative: differences of the nodes stand for it, in the time in which
 * the whole is run through; the ends get none. */
static void difference_accelerations(sampling *s) {
    size_t Q = s->Q;
    double steps = (double)(s->nodes - 1);
    for (size_t j = 0; j < s->nodes; j++)
        for (size_t q = 0; q < Q; q++) {
            const double *x = s->x + j * Q + q;
            bool inside = j > 0 && j + 1 < s->nodes;
            s->a[j * Q + q] = inside ? (x[Q] - 2 * *x + *(x - Q)) * steps * steps : 0;
        }
}

/* v <- v L / |v|, in the metric of its node. */
static double normalise(const sampling *s, size_t j) {
    double *v = s->v + j * s->Q;
    double square = rm2i_metric_inner(s->Q, s->G + j * s->Q * s->Q, v, v);
    double factor = square > 0 ? s->length / sqrt(square) : 0;
    for (size_t q = 0; q < s->Q; q++)
        v[q] *= factor;
    return factor;
}

/* |n| / L where v has the length L; work: Q (Q + 2). */
static double residual_at(const sampling *s, size_t j, double *work) {
    size_t Q = s->Q;
    const double *G = s->G + j * Q * Q, *v = s->v + j * Q;
    double *a = s->a + j * Q, *geodesic = work, square = s->length * s->length;
    if (rm2i_acceleration(Q, G, s->dG + j * Q * Q * Q, v, geodesic, work + Q) != RM2_OK)
        return INFINITY;
    rm2i_axpy(Q, -1, geodesic, a);
    rm2i_axpy(Q, -rm2i_metric_inner(Q, G, a, v) / square, v, a);
    return sqrt(fmax(rm2i_metric_inner(Q, G, a, a), 0)) / s->length;
}

/* Velocities and the largest residual. */
static rm2_status finish(rm2_context *ctx, sampling *s, bool polygon, double *residual) {
    double *work;
    RM2_TRY(rm2i_alloc(ctx, s->Q * (s->Q + 2), sizeof *work, &work));
    *residual = 0;
    for (size_t j = 0; j < s->nodes && s->length > 0; j++) {
        double factor = normalise(s, j); /* dt of the pieces over dt of the whole */
        for (size_t q = 0; q < s->Q && !polygon; q++)
            s->a[j * s->Q + q] *= factor * factor;
        if (!polygon || (j > 0 && j + 1 < s->nodes))
            *residual = fmax(*residual, residual_at(s, j, work));
    }
    free(work);
    return RM2_OK;
}

static rm2_status store(rm2_context *ctx, const sampling *s, size_t count, const rm2i_track *tracks,
                        double residual, rm2_curve **curve) {
    rm2_curve *c;
    size_t numbers = s->nodes * s->Q;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *c, &c));
    *c = (rm2_curve){.nodes = s->nodes,
                     .Q = s->Q,
                     .length = s->length,
                     .energy = s->length * s->length,
                     .residual = residual,
                     .stage = tracks[0].stage,
                     .converged = true};
    rm2_status status = rm2i_alloc(ctx, 2 * numbers, sizeof *c->x, &c->x);
    if (status != RM2_OK) {
        rm2_curve_free(c);
        return status;
    }
    c->velocity = c->x + numbers;
    memcpy(c->x, s->x, numbers * sizeof *c->x);
    memcpy(c->velocity, s->v, numbers * sizeof *c->x);
    for (size_t k = 0; k < count; k++) {
        c->path_length += tracks[k].path_length;
        c->spline_length += tracks[k].spline_length;
        c->iterations += tracks[k].iterations;
        c->error = fmax(c->error, tracks[k].best.error);
        c->converged = c->converged && tracks[k].best.converged;
        if (tracks[k].stage < c->stage)
            c->stage = tracks[k].stage;
    }
    *curve = c;
    return RM2_OK;
}

rm2_status rm2i_track_sample(rm2_context *ctx, rm2i_probe *probe, size_t nodes, size_t count,
                             const rm2i_track *tracks, rm2_curve **curve) {
    const rm2i_pieces *front = tracks[0].best.curve, *back = tracks[count - 1].best.curve;
    size_t Q = front->Q;
    bool polygon = false;
    double *memory, residual = 0;
    sampling s;
    *curve = NULL;
    RM2_TRY(begin(ctx, Q, nodes, &memory, &s));
    for (size_t k = 0; k < count; k++) {
        s.length += tracks[k].best.arc->length;
        polygon = polygon || tracks[k].best.curve->degree == 1;
    }
    for (size_t j = 0; j < nodes; j++)
        place_node(count, tracks, &s, j);
    memcpy(s.x, front->coef, Q * sizeof *s.x); /* the ends to the last bit */
    memcpy(s.x + (nodes - 1) * Q, back->coef + (back->count - 1) * Q, Q * sizeof *s.x);
    if (polygon)
        difference_accelerations(&s);
    rm2_status status = rm2i_probe_at(probe, nodes, s.x, s.G, s.dG);
    if (status != RM2_OK)
        (void)rm2i_fail(ctx, status, "geodesic: %s", rm2_status_text(status));
    if (status == RM2_OK)
        status = finish(ctx, &s, polygon, &residual);
    if (status == RM2_OK)
        status = store(ctx, &s, count, tracks, residual, curve);
    free(memory);
    if (status == RM2_OK)
        (*curve)->evaluations = probe->evaluations;
    return status;
}
