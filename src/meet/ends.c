/* Latent points of the asked poses.
 *
 * A start is encoded, and the result is taken if the nearest training latent is among the first tenth of its demonstration and
 * the residual is at most 1.5 spreads. Otherwise the route begins at the training latent, among the first twentieth of all
 * demonstrations, whose decoded point is nearest to the pose. For goals the same with the last points. Where the poses fit much
 * better the other way round, the motion is asked against the direction of the demonstrations. Ends of two families are
 * placed in one of them if that has ends near both poses. Demonstrations that begin (end) elsewhere than most of their family, by the
 * report of the start of the latents, offer no starts (goals). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "math/order.h"
#include "meet/meet.h"
#include "start/curves.h"

static const double ACCEPTED = 0.1, OFFERED = 0.05; /* parts of a demonstration */
static const double CUT =
    0.1; /* phase by which a demonstration begins or ends elsewhere than most of its family */
static const double REVERSED =
    0.25; /* squared distances the other way round, against those forwards */

/* All training points, decoded once (model units). */
typedef struct search {
    const rm2_model *model;
    const rm2i_meet_ends *ends;
    double spread;
    double *decoded; /* N x ambient */
    double *work;
} search;

/* ---- training points ------------------------------------------------------------------------ */

static size_t trajectory_of(const rm2_data *d, size_t point) {
    size_t low = 0, high = d->trajectories; /* starts[low] <= point < starts[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (point >= d->starts[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

const rm2_start_demo *rm2i_meet_demo(const rm2_model *model, size_t t) {
    const rm2_start_report *r = model->start_report;
    return r && r->demos == model->data->trajectories ? &r->demo[t] : NULL;
}

static size_t families_of(const rm2_model *model) {
    const rm2_start_report *r = model->start_report;
    return r && r->demos == model->data->trajectories ? r->families : 1;
}

static size_t family_of(const rm2_model *model, size_t point) {
    const rm2_start_demo *demo = rm2i_meet_demo(model, trajectory_of(model->data, point));
    return demo ? demo->family : 0;
}

/* Phase where a demonstration begins (ends), along the motion. */
static double phase_of(const rm2_start_demo *d, bool end) {
    return end ? fmax(d->begin, d->end) : fmin(d->begin, d->end);
}

/* Median of these phases in the family of demonstration t. */
static double typical_phase(const rm2_model *model, size_t t, bool end, double *work) {
    size_t count = 0;
    for (size_t k = 0; k < model->data->trajectories; k++)
        if (rm2i_meet_demo(model, k)->family == rm2i_meet_demo(model, t)->family)
            work[count++] = phase_of(rm2i_meet_demo(model, k), end);
    return rm2i_median(count, work);
}

typedef struct extents {
    rm2i_meet_ends *ends;
    size_t trajectories;
    double *work;
} extents;

static void lay_out_extents(void *arg, rm2i_arena *a) {
    extents *e = arg;
    for (int k = 0; k < 2; k++)
        e->ends->extent[k] = rm2i_reserve(a, int, e->trajectories);
    e->work = rm2i_reserve(a, double, e->trajectories);
}

rm2_status rm2i_meet_ends_create(rm2_context *ctx, const rm2_model *model, double spread,
                                 rm2i_meet_ends *ends) {
    extents e = {.ends = ends, .trajectories = model->data->trajectories};
    *ends = (rm2i_meet_ends){.spread = spread, .family = SIZE_MAX};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_extents, &e, &ends->memory));
    for (size_t t = 0; t < e.trajectories && rm2i_meet_demo(model, t); t++)
        for (int k = 0; k < 2; k++) {
            double behind = phase_of(rm2i_meet_demo(model, t), k == 1) -
                            typical_phase(model, t, k == 1, e.work);
            double lacks = k == 0 ? behind : -behind;
            ends->extent[k][t] = (lacks > CUT) - (lacks < -CUT);
        }
    return RM2_OK;
}

void rm2i_meet_ends_free(rm2i_meet_ends *ends) {
    free(ends->memory);
    *ends = (rm2i_meet_ends){.memory = NULL};
}

/* Is the point among this part of its demonstration, at the beginning or the end of the motion? */
static bool is_near_end(const search *s, size_t point, bool end, double part) {
    const rm2_model *model = s->model;
    const rm2_data *d = model->data;
    size_t t = trajectory_of(d, point), n = d->starts[t + 1] - d->starts[t];
    const rm2_start_demo *demo = rm2i_meet_demo(model, t);
    size_t behind = point - d->starts[t];
    if (end != (demo && demo->reversed))
        behind = n - 1 - behind;
    return s->ends->extent[end][t] == 0 && (behind == 0 || (double)behind < part * (double)n);
}

static size_t nearest_latent(const rm2_model *model, const double *z) {
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t i = 0; i < model->N; i++) {
        double square = 0;
        for (size_t q = 0; q < model->Q; q++) {
            double part = model->X[i * model->Q + q] - z[q];
            square += part * part;
        }
        if (square < least) {
            least = square;
            nearest = i;
        }
    }
    return nearest;
}

/* ---- the search for one end ----------------------------------------------------------------- */

typedef struct offer {
    size_t point; /* SIZE_MAX: none */
    double distance;
} offer;

/* The nearest decoded point among the beginnings (ends) of the demonstrations of a family (SIZE_MAX: all). */
static offer find_offer(const search *s, const rm2i_meet_pose *pose, bool end, size_t family) {
    const rm2_manifold *m = s->model->manifold;
    offer best = {SIZE_MAX, INFINITY};
    for (size_t i = 0; i < s->model->N; i++) {
        if (!is_near_end(s, i, end, OFFERED) ||
            (family != SIZE_MAX && family_of(s->model, i) != family))
            continue;
        double d = rm2i_meet_distance(m, pose, s->decoded + i * m->ambient, NULL, s->work);
        if (d < best.distance)
            best = (offer){i, d};
    }
    return best;
}

static rm2_status encode(rm2_context *ctx, const rm2_model *model, rm2i_meet_pose *pose,
                         double *residual) {
    const rm2_manifold *m = model->manifold;
    rm2_encoded info = {.size = sizeof info};
    double *point;
    RM2_TRY(rm2i_alloc(ctx, m->ambient, sizeof *point, &point));
    memcpy(point, pose->point, m->ambient * sizeof *point);
    rm2_data_unscale(model->data, 1, point);
    for (size_t f = 0; f < m->count; f++)
        for (size_t e = 0; !pose->there[f] && e < m->factors[f].ambient; e++)
            point[m->factors[f].ambient_offset + e] = NAN;
    rm2_status status = rm2_model_encode(ctx, model, NULL, 1, point, pose->latent, NULL, &info);
    *residual = info.residual;
    free(point);
    return status == RM2_OK ? status : rm2i_fail_prefix(ctx, status, "%s", pose->name);
}

static void use_offer(const search *s, const offer *o, rm2i_meet_pose *pose) {
    if (o->point == SIZE_MAX)
        return;
    memcpy(pose->latent, s->model->X + o->point * s->model->Q, s->model->Q * sizeof *pose->latent);
    pose->context = true;
}

/* May the latent point be chosen among the ends of demonstrations? */
static bool is_free(const rm2i_meet_pose *pose) {
    return !pose->asked->latent && !pose->asked->middle;
}

static rm2_status place(rm2_context *ctx, const search *s, bool end, size_t family,
                        rm2i_meet_pose *pose) {
    double residual;
    pose->context = false;
    RM2_TRY(encode(ctx, s->model, pose, &residual));
    if (!is_free(pose) || s->model->data->trajectories == 0)
        return RM2_OK;
    size_t nearest = nearest_latent(s->model, pose->latent);
    bool near = is_near_end(s, nearest, end, ACCEPTED) &&
                !(residual > RM2_VICINITY_LIMIT * s->spread) &&
                (family == SIZE_MAX || family_of(s->model, nearest) == family);
    if (!near) {
        offer o = find_offer(s, pose, end, family);
        use_offer(s, &o, pose);
    }
    return RM2_OK;
}

/* ---- both ends ------------------------------------------------------------------------------ */

/* Sum of the squared distances from the nearest offers, and the largest of the distances. */
static double misfit(const search *s, const rm2i_meet_pose *const ends[2], bool reversed,
                     size_t family, double *largest) {
    double sum = 0;
    *largest = 0;
    for (int k = 0; k < 2; k++) {
        if (!is_free(ends[k]))
            continue;
        double d = find_offer(s, ends[k], (k == 1) != reversed, family).distance;
        *largest = fmax(*largest, d);
        sum += d * d;
    }
    return sum;
}

/* Of the families of both ends, the one that has ends near both. */
static size_t common_family(const search *s, const rm2i_meet_pose *const ends[2], bool reversed,
                            const size_t family[2]) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (int k = 0; k < 2; k++) {
        double largest;
        if (!is_free(ends[1 - k]))
            continue; /* it cannot be moved to this family */
        double sum = misfit(s, ends, reversed, family[k], &largest);
        if (largest <= RM2_VICINITY_LIMIT * s->spread && sum < least) {
            least = sum;
            best = family[k];
        }
    }
    return best;
}

static rm2_status place_both(rm2_context *ctx, const search *s, rm2i_meet_pose *ends[2],
                             rm2i_meet_ends *out) {
    const rm2i_meet_pose *const seen[2] = {ends[0], ends[1]};
    const rm2_model *model = s->model;
    double largest;
    bool has_demos = model->data->trajectories > 0;
    if (has_demos)
        out->reversed = misfit(s, seen, true, SIZE_MAX, &largest) <
                        REVERSED * misfit(s, seen, false, SIZE_MAX, &largest);
    for (int k = 0; k < 2; k++)
        if (!ends[k]->asked->latent)
            RM2_TRY(place(ctx, s, (k == 1) != out->reversed, SIZE_MAX, ends[k]));
    if (!has_demos || families_of(model) < 2)
        return RM2_OK;
    size_t family[2];
    for (int k = 0; k < 2; k++)
        family[k] = family_of(model, nearest_latent(model, ends[k]->latent));
    out->family = family[0];
    if (family[0] == family[1])
        return RM2_OK;
    out->family = common_family(s, seen, out->reversed, family);
    out->joins = out->family == SIZE_MAX;
    for (int k = 0; !out->joins && k < 2; k++)
        if (is_free(ends[k]))
            RM2_TRY(place(ctx, s, (k == 1) != out->reversed, out->family, ends[k]));
    return RM2_OK;
}

static void lay_out(void *arg, rm2i_arena *a) {
    search *s = arg;
    s->decoded = rm2i_reserve(a, double, s->model->N, s->model->manifold->ambient);
    s->work = rm2i_reserve(a, double, s->model->manifold->work_size);
}

static rm2_status decode_all(rm2_context *ctx, const search *s, bool needed) {
    const rm2_model *model = s->model;
    if (!needed)
        return RM2_OK;
    RM2_TRY(rm2_model_decode(ctx, model, model->N, model->X, s->decoded, NULL, NULL, NULL));
    rm2i_data_scale(model->data, model->N, s->decoded);
    return RM2_OK;
}

static rm2_status encode_vias(rm2_context *ctx, rm2i_meet_poses *poses) {
    double residual;
    for (size_t k = 1; k + 1 < poses->count; k++)
        if (!poses->pose[k].asked->latent)
            RM2_TRY(encode(ctx, poses->model, &poses->pose[k], &residual));
    return RM2_OK;
}

rm2_status rm2i_meet_place_ends(rm2_context *ctx, rm2i_meet_poses *poses, bool through,
                                rm2i_meet_ends *ends) {
    search s = {.model = poses->model, .ends = ends, .spread = ends->spread};
    rm2i_meet_pose *both[2] = {&poses->pose[0], &poses->pose[poses->count - 1]};
    double *memory;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &s, &memory));
    rm2_status status = decode_all(ctx, &s, is_free(both[0]) || is_free(both[1]));
    if (status == RM2_OK)
        status = place_both(ctx, &s, both, ends);
    if (status == RM2_OK && through)
        status = encode_vias(ctx, poses);
    free(memory);
    return status;
}
