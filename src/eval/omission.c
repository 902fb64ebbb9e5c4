/* Parts of the demonstrated motion that a path leaves out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "eval/vicinity_object.h"
#include "linalg/dense.h"
#include "model/model.h"

/* Spread over size, where there is one demonstration: about that of letters and robot tasks. Size is the root mean squared
 * distance of the points from their mean. */
static const double SPREAD_OF_ONE = 0.3;
static const double PART = 0.1; /* of the motion; corners that are cut are less */

typedef struct crossing {
    const rm2_vicinity *v;
    const rm2i_passage *path;
    rm2i_segments segments; /* of the path */
    size_t count;           /* demonstrations */
    const size_t *which;    /* count */
    double *distance;       /* count: c_t */
    size_t *point;          /* count: where it is, in its demonstration */
} crossing;

/* ---- one demonstration ------------------------------------------------------------------------ */

/* Point of demonstration t whose latent is nearest to x. */
static size_t point_near(const rm2_model *m, size_t t, const double *x) {
    size_t from = m->data->starts[t], best = from;
    double least = INFINITY;
    for (size_t i = from; i < m->data->starts[t + 1]; i++) {
        double square = 0;
        for (size_t q = 0; q < m->Q; q++)
            square += (m->X[i * m->Q + q] - x[q]) * (m->X[i * m->Q + q] - x[q]);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

/* A piece of the demonstrated motion around a point. */
typedef struct piece {
    double distance, length; /* from the path */
    size_t point;
} piece;

static int farther(const void *a, const void *b) {
    double x = ((const piece *)a)->distance, y = ((const piece *)b)->distance;
    return (x < y) - (x > y);
}

/* Points from .. to of the data, or evenly chosen ones of them, with their distances; returns how many. */
static rm2_status measure(const crossing *c, size_t from, size_t to, rm2i_nearest *walk,
                          size_t *count, piece *pieces) {
    const rm2_manifold *m = c->v->manifold;
    size_t n = to - from + 1;
    *count = n < RM2I_MOST_POINTS_OF_ONE ? n : RM2I_MOST_POINTS_OF_ONE;
    rm2i_nearest_begin(walk, SIZE_MAX);
    for (size_t k = 0; k < *count; k++) {
        size_t i = from + rm2i_evenly(k, *count, n);
        const double *y = c->v->points + i * m->ambient;
        pieces[k] = (piece){.point = i};
        RM2_TRY(rm2i_nearest_to(walk, y, 0, &pieces[k].distance));
        if (k == 0)
            continue;
        double step;
        RM2_TRY(rm2i_manifold_distance(m, c->v->points + pieces[k - 1].point * m->ambient, y, &step,
                                       walk->scratch, NULL));
        pieces[k - 1].length += step / 2;
        pieces[k].length += step / 2;
    }
    return RM2_OK;
}

/* Distance that a part of the length of the pieces, which are sorted, is beyond. */
static double beyond(size_t n, piece *pieces) {
    double whole = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        whole += pieces[k].length;
    qsort(pieces, n, sizeof *pieces, farther);
    for (size_t k = 0; k < n; k++) {
        sum += pieces[k].length;
        if (sum > PART * whole)
            return pieces[k].distance;
    }
    return 0;
}

/* c_t between two points of the data, if it is larger than so far. */
static rm2_status pass(const crossing *c, size_t k, size_t a, size_t b, rm2i_nearest *walk) {
    piece pieces[RM2I_MOST_POINTS_OF_ONE];
    size_t count;
    RM2_TRY(measure(c, a < b ? a : b, a < b ? b : a, walk, &count, pieces));
    double distance = beyond(count, pieces);
    if (distance > c->distance[k]) {
        c->distance[k] = distance;
        c->point[k] = pieces[0].point - c->v->model->data->starts[c->which[k]];
    }
    return RM2_OK;
}

static rm2_status cross(const void *arg, size_t k, double *work) {
    const crossing *c = arg;
    const rm2_model *m = c->v->model;
    rm2i_nearest walk;
    rm2i_nearest_lay_out(&walk, &c->segments, &(rm2i_arena){work, 0});
    c->distance[k] = 0;
    c->point[k] = 0;
    for (size_t s = 0; s + 1 < c->path->stops; s++)
        RM2_TRY(pass(c, k, point_near(m, c->which[k], c->path->stop + s * m->Q),
                     point_near(m, c->which[k], c->path->stop + (s + 1) * m->Q), &walk));
    return RM2_OK;
}

/* ---- all demonstrations ------------------------------------------------------------------------- */

/* Root mean squared distance of the training points from their mean, in ambient coordinates. */
static double size_of(const rm2_data *d, size_t ambient) {
    double sum = 0;
    for (size_t a = 0; a < ambient; a++) {
        double mean = 0;
        for (size_t i = 0; i < d->count; i++)
            mean += d->points[i * ambient + a] / (double)d->count;
        for (size_t i = 0; i < d->count; i++)
            sum += (d->points[i * ambient + a] - mean) * (d->points[i * ambient + a] - mean);
    }
    return sqrt(sum / (double)d->count);
}

static double unit_of(const rm2_vicinity *v, size_t family) {
    if (v->info.demonstrations == 1)
        return SPREAD_OF_ONE * size_of(v->model->data, v->manifold->ambient);
    return isfinite(v->info.spread) ? v->spread[family] : NAN;
}

/* which: evenly chosen demonstrations of the family; returns how many. */
static size_t choose(const rm2_vicinity *v, size_t family, size_t *which) {
    size_t members = 0, count, seen = 0, k = 0;
    for (size_t t = 0; t < v->info.demonstrations; t++)
        members += !v->family || v->family[t] == family;
    count = members < RM2I_MOST_DEMONSTRATIONS ? members : RM2I_MOST_DEMONSTRATIONS;
    for (size_t t = 0; k < count && t < v->info.demonstrations; t++)
        if (!v->family || v->family[t] == family) {
            if (rm2i_evenly(k, count, members) == seen++)
                which[k++] = t;
        }
    return count;
}

/* The demonstration with the lower median of the distances. */
static size_t middle_of(const crossing *c) {
    for (size_t k = 0; k < c->count; k++) {
        size_t below = 0, same = 0;
        for (size_t l = 0; l < c->count; l++) {
            below += c->distance[l] < c->distance[k];
            same += c->distance[l] == c->distance[k];
        }
        if (below <= (c->count - 1) / 2 && (c->count - 1) / 2 < below + same)
            return k;
    }
    return 0;
}

static rm2_status find_omission(rm2_context *ctx, crossing *c, double unit, rm2i_omission *found) {
    rm2i_arena work = {NULL, 0};
    rm2i_nearest_lay_out(&(rm2i_nearest){0}, &c->segments, &work);
    RM2_TRY(rm2i_jobs(ctx, c->count, work.used, cross, c, NULL));
    size_t middle = middle_of(c);
    *found = (rm2i_omission){c->distance[middle] / unit, c->which[middle], c->point[middle]};
    return RM2_OK;
}

rm2_status rm2i_vicinity_omission(rm2_context *ctx, const rm2_vicinity *v, const rm2i_passage *path,
                                  rm2i_omission *omission) {
    enum { MOST = RM2I_MOST_DEMONSTRATIONS };
    size_t which[MOST], point[MOST], starts[] = {0, path->n};
    double distance[MOST], *scaled;
    *omission = (rm2i_omission){NAN, SIZE_MAX, SIZE_MAX};
    if (!v || !v->info.trajectories || !v->model->X || !(unit_of(v, path->family) > 0))
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, path->n, v->manifold->ambient * sizeof *scaled, &scaled));
    rm2_status status = rm2i_model_project(ctx, v->model, path->n, path->points, scaled, NULL);
    crossing c = {.v = v, .path = path, .which = which, .distance = distance, .point = point};
    c.count = choose(v, path->family, which);
    if (status == RM2_OK)
        status = rm2i_segments_create(ctx, v->manifold, scaled, path->n, 1, starts, &c.segments);
    if (status == RM2_OK && c.count > 0)
        status = find_omission(ctx, &c, unit_of(v, path->family), omission);
    rm2i_segments_free(&c.segments);
    free(scaled);
    return status;
}
