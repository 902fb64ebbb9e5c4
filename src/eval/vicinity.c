/* How near points are to the training data, in multiples of the spread of these among themselves, family by family.
 *
 * The spread of demonstrations is the median over t of h_t = max_i d(y_ti, other demonstrations): what a typical
 * demonstration is away from the others where it is farthest. A demonstration unlike all others, or one that alone has a part
 * of the motion, does not move the median. Points that are far from those around them in their own demonstration
 * (start/curves.h) are errors of the recording: neither the spread nor a path is compared with them. Points without trajectories are compared with nearest neighbours, whose
 * distances follow the density of the points: there a high quantile is what the data themselves do.
 *
 * A path between families can be near to some demonstration everywhere, and be demonstrated nowhere. It is therefore compared with
 * each family as a whole, and with its spread; the family that it is nearest to counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "eval/vicinity_object.h"
#include "front/smoothness.h"
#include "math/order.h"
#include "model/model.h"
#include "riemann2/eval.h"
#include "start/curves.h"

enum { MOST_POINTS = 128, FIRST_OF = 8 };

static const double HIGH_QUANTILE = 0.99;
static const double SAME = 1e-12; /* of the largest entry: a spread below is rounding */

/* ---- the spread ----------------------------------------------------------------------------- */

/* Demonstrations that are compared with the others. */
typedef struct comparison {
    const rm2_vicinity *v;
    size_t count;
    double *farthest; /* count: h_t */
} comparison;

/* Point i of the demonstration, `n` points from `from` on, `steps` of which are looked at. */
typedef struct visit {
    size_t from, n, steps;
    double *farthest; /* so far: points that are nearer do not count */
} visit;

static rm2_status visit_point(const rm2_vicinity *v, const visit *at, size_t i,
                              rm2i_nearest *walk) {
    double distance;
    const double *y =
        v->segments.points + (at->from + rm2i_evenly(i, at->steps, at->n)) * v->manifold->ambient;
    RM2_TRY(rm2i_nearest_to(walk, y, *at->farthest, &distance));
    *at->farthest = fmax(*at->farthest, distance);
    return RM2_OK;
}

/* Some points first, which leave a distance that most of the others are soon found to be below. */
static rm2_status compare(const void *arg, size_t k, double *work) {
    const comparison *c = arg;
    const rm2_data *d = c->v->model->data;
    size_t t = rm2i_evenly(k, c->count, c->v->info.demonstrations);
    visit at = {.from = d->trajectories ? d->starts[t] : t, .farthest = &c->farthest[k]};
    at.n = d->trajectories ? d->starts[t + 1] - at.from : 1;
    at.steps = at.n < RM2I_MOST_POINTS_OF_ONE ? at.n : RM2I_MOST_POINTS_OF_ONE;
    rm2i_nearest walk;
    rm2i_nearest_lay_out(&walk, &c->v->segments, &(rm2i_arena){work, 0});
    rm2i_nearest_begin_in(&walk, t, c->v->family, c->v->family ? c->v->family[t] : 0);
    *at.farthest = 0;
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < at.steps; i++)
            if ((i % FIRST_OF != 0) == (others != 0))
                RM2_TRY(visit_point(c->v, &at, i, &walk));
    return RM2_OK;
}

/* By linear interpolation between the sorted values. */
static double quantile(size_t n, double *x, double part) {
    qsort(x, n, sizeof *x, rm2i_ascending);
    double at = part * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return x[low] + (at - (double)low) * (x[high] - x[low]);
}

/* Median of the distances of the demonstrations of family f (SIZE_MAX: of all) that are not alone in theirs; NaN: there are
 * none. work: c->count. */
static double median_of(const comparison *c, size_t f, double *work) {
    size_t n = 0, all = c->v->info.demonstrations;
    for (size_t k = 0; k < c->count; k++)
        if (isfinite(c->farthest[k]) &&
            (f == SIZE_MAX || c->v->family[rm2i_evenly(k, c->count, all)] == f))
            work[n++] = c->farthest[k];
    return n ? quantile(n, work, c->v->info.trajectories ? 0.5 : HIGH_QUANTILE) : NAN;
}

static void take_spreads(rm2_vicinity *v, const comparison *c, double *work) {
    v->info.spread = median_of(c, SIZE_MAX, work);
    for (size_t f = 0; f < v->families; f++) {
        double own = v->family ? median_of(c, f, work) : v->info.spread;
        v->spread[f] = own > 0 ? own : v->info.spread;
    }
}

static rm2_status find_spread(rm2_context *ctx, rm2_vicinity *v) {
    size_t most = v->info.trajectories ? RM2I_MOST_DEMONSTRATIONS : MOST_POINTS, failed = 0;
    size_t n = v->info.demonstrations;
    comparison c = {.v = v, .count = n < most ? n : most};
    rm2i_arena work = {NULL, 0};
    RM2_TRY(rm2i_alloc(ctx, c.count, 2 * sizeof *c.farthest, &c.farthest));
    rm2i_nearest_lay_out(&(rm2i_nearest){0}, &v->segments, &work);
    rm2_status status = rm2i_jobs(ctx, c.count, work.used, compare, &c, &failed);
    if (status == RM2_OK)
        take_spreads(v, &c, c.farthest + c.count);
    free(c.farthest);
    if (status == RM2_OK || status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY)
        return status;
    return rm2i_fail(ctx, status, "distances of demonstration %zu from the others: %s",
                     rm2i_evenly(failed, c.count, n), rm2_status_text(status));
}

/* ---- families --------------------------------------------------------------------------------- */

/* Those that the start of the training found, if one has two demonstrations. */
static rm2_status find_families(rm2_context *ctx, rm2_vicinity *v) {
    const rm2_start_report *r = v->model->start_report;
    bool shared = false;
    v->families = r && r->demos == v->info.demonstrations ? r->families : 1;
    for (size_t f = 0; r && f < r->families; f++)
        shared = shared || r->family[f].demos > 1;
    if (v->families < 2 || !shared)
        v->families = 1;
    RM2_TRY(rm2i_alloc(ctx, v->families, sizeof *v->spread, &v->spread));
    if (!r || v->families == 1)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, r->demos, sizeof *v->family, &v->family));
    for (size_t d = 0; d < r->demos; d++)
        v->family[d] = r->demo[d].family;
    return RM2_OK;
}

/* ---- the object ----------------------------------------------------------------------------- */

/* Decoded points of a Euclidean model are off the manifold: they are compared in ambient coordinates. */
static rm2_status find_manifold(rm2_context *ctx, rm2_vicinity *v) {
    char spec[32];
    if (v->model->settings.model != RM2_GPLVM) {
        v->manifold = rm2_manifold_retain(v->model->manifold);
        return RM2_OK;
    }
    (void)snprintf(spec, sizeof spec, "R%zu", v->model->manifold->ambient);
    return rm2_manifold_create(ctx, spec, &v->manifold);
}

static double largest_entry(const rm2_data *d, size_t ambient) {
    double largest = 0;
    for (size_t i = 0; i < d->count * ambient; i++)
        largest = fmax(largest, fabs(d->points[i]));
    return largest;
}

/* v->points */
static rm2_status leave_out_spikes(rm2_context *ctx, rm2_vicinity *v) {
    const rm2_data *d = v->model->data;
    size_t width = v->manifold->ambient, longest = 0;
    double *work;
    for (size_t t = 0; t < d->trajectories; t++)
        longest =
            d->starts[t + 1] - d->starts[t] > longest ? d->starts[t + 1] - d->starts[t] : longest;
    if (d->trajectories == 0)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, d->count, width * sizeof *v->points, &v->points));
    memcpy(v->points, d->points, d->count * width * sizeof *v->points);
    RM2_TRY(rm2i_alloc(ctx, longest * (width + 1) + rm2i_spikes_work(longest, width), sizeof *work,
                       &work));
    double *off = work + longest * width, *rest = off + longest;
    for (size_t t = 0; t < d->trajectories; t++) {
        size_t from = d->starts[t], n = d->starts[t + 1] - from;
        double *y = v->points + from * width;
        if (rm2i_find_spikes(n, width, d->points + from * width, work, off, rest) == 0)
            continue;
        size_t good = 0;
        while (good + 1 < n && off[good] > 0)
            good++;
        for (size_t i = 0; i < n; i++) {
            good = off[i] > 0 ? good : i;
            memcpy(y + i * width, d->points + (from + good) * width, width * sizeof *y);
        }
    }
    free(work);
    return RM2_OK;
}

/* Smoothness of demonstration number k of `count` evenly chosen ones. */
static rm2_status find_smoothness(rm2_context *ctx, const rm2_vicinity *v, size_t k, size_t count,
                                  rm2_smoothness *smoothness) {
    const rm2_data *d = v->model->data;
    size_t t = rm2i_evenly(k, count, d->trajectories), n = d->starts[t + 1] - d->starts[t];
    size_t width = v->manifold->ambient;
    double *points;
    RM2_TRY(rm2i_alloc(ctx, n, width * sizeof *points, &points));
    memcpy(points, d->points + d->starts[t] * width, n * width * sizeof *points);
    rm2_data_unscale(d, n, points);
    rm2_status status = rm2_model_smoothness(ctx, v->model, n, points, smoothness);
    free(points);
    return status;
}

static rm2_status find_median_smoothness(rm2_context *ctx, rm2_vicinity *v) {
    size_t all = v->model->data->trajectories;
    size_t count = all < RM2I_MOST_DEMONSTRATIONS ? all : RM2I_MOST_DEMONSTRATIONS;
    rm2_smoothness *of;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *of, &of));
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < count; k++)
        status = find_smoothness(ctx, v, k, count, &of[k]);
    if (status == RM2_OK)
        status = rm2_smoothness_median(ctx, count, of, &v->info.smoothness);
    free(of);
    return status;
}

static rm2_status prepare(rm2_context *ctx, rm2_vicinity *v) {
    const rm2_data *d = v->model->data;
    v->info = *rm2_vicinity_info_of(NULL);
    RM2_TRY(find_manifold(ctx, v));
    if (!d || d->count == 0)
        return RM2_OK;
    v->info.trajectories = d->trajectories > 0;
    v->info.demonstrations = d->trajectories ? d->trajectories : d->count;
    RM2_TRY(leave_out_spikes(ctx, v));
    RM2_TRY(find_median_smoothness(ctx, v));
    if (v->info.demonstrations < 2)
        return RM2_OK;
    RM2_TRY(rm2i_segments_create(ctx, v->manifold, v->points ? v->points : d->points, d->count,
                                 d->trajectories, d->starts, &v->segments));
    RM2_TRY(find_families(ctx, v));
    RM2_TRY(find_spread(ctx, v));
    if (!(v->info.spread > SAME * largest_entry(d, v->manifold->ambient)))
        v->info.spread = NAN;
    return RM2_OK;
}

rm2_status rm2_vicinity_create(rm2_context *ctx, const rm2_model *model, rm2_vicinity **vicinity) {
    RM2_REQUIRE(ctx, vicinity);
    *vicinity = NULL;
    RM2_REQUIRE(ctx, model);
    rm2_vicinity *v;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *v, &v));
    v->model = model;
    rm2i_activity_begin(ctx, "spread", 0);
    rm2_status status = prepare(ctx, v);
    rm2i_activity_end(ctx);
    if (status == RM2_OK)
        *vicinity = v;
    else
        rm2_vicinity_free(v);
    return status;
}

void rm2_vicinity_free(rm2_vicinity *vicinity) {
    if (!vicinity)
        return;
    rm2i_segments_free(&vicinity->segments);
    free(vicinity->points);
    free(vicinity->family);
    free(vicinity->spread);
    rm2_manifold_free(vicinity->manifold);
    free(vicinity);
}

const rm2_model *rm2i_vicinity_model(const rm2_vicinity *vicinity) {
    return vicinity->model;
}

const rm2_vicinity_info *rm2_vicinity_info_of(const rm2_vicinity *vicinity) {
    static const rm2_vicinity_info unknown = {.spread = NAN,
                                              .smoothness = {{NAN, NAN}, {NAN, NAN}}};
    return vicinity ? &vicinity->info : &unknown;
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct looking {
    rm2i_nearest walk;
    const rm2_vicinity *v;
    size_t n;
    double *scaled; /* n x ambient */
    double *over;   /* families x n */
} looking;

static void lay_out(void *arg, rm2i_arena *a) {
    looking *l = arg;
    l->scaled = rm2i_reserve(a, double, l->n, l->v->manifold->ambient);
    l->over = rm2i_reserve(a, double, l->v->families, l->n);
    rm2i_nearest_lay_out(&l->walk, &l->v->segments, a);
}

/* Distances from family f, in its spreads. */
static rm2_status look_at_family(rm2_context *ctx, looking *l, size_t f) {
    const rm2_vicinity *v = l->v;
    double *over = l->over + f * l->n;
    rm2i_nearest_begin_in(&l->walk, SIZE_MAX, v->family, f);
    for (size_t i = 0; i < l->n; i++) {
        rm2_status status =
            rm2i_nearest_to(&l->walk, l->scaled + i * v->manifold->ambient, 0, &over[i]);
        if (status != RM2_OK)
            return rm2i_fail(ctx, status, "point %zu: %s", i, rm2_status_text(status));
        over[i] /= v->spread[f];
    }
    return RM2_OK;
}

static rm2_nearness summarise(size_t n, const double *over) {
    rm2_nearness all = {.over_spread = 0};
    for (size_t i = 0; i < n; i++) {
        if (over[i] > all.over_spread)
            all = (rm2_nearness){.over_spread = over[i], .farthest = i, .beyond = all.beyond};
        all.beyond += over[i] > RM2_VICINITY_LIMIT;
    }
    return all;
}

/* Distances of a path from the one family that it is nearest to; else of each point from its own. */
static void choose(const looking *l, double *over, rm2_nearness *path) {
    size_t best = 0;
    for (size_t f = 0; path && f < l->v->families; f++) {
        rm2_nearness one = summarise(l->n, l->over + f * l->n);
        if (f == 0 || one.over_spread < path->over_spread) {
            *path = one;
            path->family = best = f;
        }
    }
    for (size_t i = 0; over && i < l->n; i++) {
        over[i] = l->over[best * l->n + i];
        for (size_t f = 0; !path && f < l->v->families; f++)
            over[i] = fmin(over[i], l->over[f * l->n + i]);
    }
}

static rm2_status look(rm2_context *ctx, looking *l, const double *points, double *over,
                       rm2_nearness *path) {
    RM2_TRY(rm2i_model_project(ctx, l->v->model, l->n, points, l->scaled, NULL));
    for (size_t f = 0; f < l->v->families; f++)
        RM2_TRY(look_at_family(ctx, l, f));
    choose(l, over, path);
    return RM2_OK;
}

rm2_status rm2_vicinity_distances(rm2_context *ctx, const rm2_vicinity *vicinity, size_t n,
                                  const double *points, double *over_spread,
                                  rm2_nearness *nearness) {
    RM2_REQUIRE(ctx, vicinity);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    RM2_TRY(rm2i_check_size(ctx, nearness, sizeof *nearness));
    rm2_nearness all = {.over_spread = NAN};
    rm2_status status = RM2_OK;
    for (size_t i = 0; over_spread && i < n; i++)
        over_spread[i] = NAN;
    if (n > 0 && isfinite(vicinity->info.spread)) {
        looking l = {.v = vicinity, .n = n};
        double *memory;
        RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &l, &memory));
        status = look(ctx, &l, points, over_spread, nearness ? &all : NULL);
        free(memory);
    }
    if (status == RM2_OK)
        rm2i_results_give(1, &all, sizeof all, nearness);
    return status;
}

void rm2_vicinity_text(double over_spread, double limit, char *text, size_t size) {
    if (text)
        (void)snprintf(
            text, size,
            "is %.2f spreads from the nearest training data (limit %g): the result leaves "
            "what was demonstrated. Choose end points among the demonstrations, add "
            "demonstrations there, check the training, or raise settings.spread_limit",
            over_spread, limit);
}
