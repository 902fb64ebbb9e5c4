/* A start that needs no even timing.
 *
 *   - every demonstration is a curve with nodes at equal steps of arc length (curves.c)
 *   - demonstrations of the same motion make a family, found from the costs of aligning each to each
 *     (align.c, pairs.c, families.c)
 *   - in a family, alignment to the common motion gives each node its place on it (motion.c), and so a phase p that
 *     runs from 0 to 1 in a complete demonstration (phase.c)
 *   - Isomap of the nodes with features [q, 2 om rho p]: edges between nodes up to two steps apart in a
 *     demonstration, and to the nearest nodes in others; the first dimension rises with the phase
 *   - families are placed side by side, beginning with the largest, each next to the one most like it
 *     (arrange.c)
 *   - one scalar makes the standard deviation of all entries of nodes 1; points lie between the nodes of
 *     their curves.
 *
 * Nothing depends on the units of F (brought to about one by a power of two), nor on the timing: only the
 * curves count. Models with dynamics are the exception: steps in time are part of what they describe, and the
 * phase follows the timing that most demonstrations agree on. */
#include "start/aligned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "start/arrange.h"
#include "start/motion.h"
#include "start/pairs.h"
#include "start/start.h"

enum { OWN_STEPS = 2 };

typedef struct aligned {
    rm2_context *ctx;
    rm2i_aligned_settings settings;
    rm2i_start_data demos; /* all, without their points */
    size_t Q;
    rm2i_curves curves; /* of all demonstrations */
    rm2i_pairs pairs;
    size_t families;
    size_t *family;            /* D */
    size_t *member;            /* D: demonstrations, family by family */
    rm2i_motion *motion;       /* families */
    rm2i_embedding *embedding; /* families */
    double *nodes;             /* q and Y of all families */
} aligned;

rm2i_aligned_settings rm2i_aligned_settings_default(void) {
    return (rm2i_aligned_settings){.neighbours = 8, .time_weight = 4};
}

/* ---- families ---------------------------------------------------------------------------------- */

static rm2_status find_families(aligned *w) {
    size_t D = w->demos.trajectories;
    RM2_TRY(rm2i_pairs_build(w->ctx, &w->curves, &w->pairs));
    RM2_TRY(rm2i_calloc(w->ctx, 2 * D, sizeof *w->family, &w->family));
    w->member = w->family + D;
    w->families = w->settings.families;
    if (w->settings.family)
        memcpy(w->family, w->settings.family, D * sizeof *w->family);
    else if (w->families == 0)
        RM2_TRY(rm2i_pairs_families(w->ctx, &w->pairs, w->family, &w->families));
    size_t at = 0;
    for (size_t f = 0; f < w->families; f++)
        for (size_t d = 0; d < D; d++)
            if (w->family[d] == f)
                w->member[at++] = d;
    return RM2_OK;
}

/* Motion and phases of each family. */
static rm2_status find_motions(aligned *w) {
    const size_t *member = w->member;
    RM2_TRY(rm2i_calloc(w->ctx, w->families, sizeof *w->motion, &w->motion));
    for (size_t f = 0; f < w->families; f++) {
        size_t count = 0, reference = rm2i_pairs_reference(&w->pairs, w->family, f);
        for (size_t d = 0; d < w->demos.trajectories; d++)
            count += w->family[d] == f;
        RM2_TRY(rm2i_motion_build(w->ctx, &w->curves, count, member, reference, &w->motion[f]));
        RM2_TRY(rm2i_motion_phase(w->ctx, w->settings.timed ? &w->demos : NULL, &w->curves,
                                  &w->motion[f]));
        member += count;
    }
    return RM2_OK;
}

/* ---- embedding --------------------------------------------------------------------------------- */

/* Nodes of the families, one family after the other. */
static rm2_status make_embeddings(aligned *w) {
    const rm2i_curves *c = &w->curves;
    size_t total = c->first[c->D], M = c->M;
    RM2_TRY(rm2i_alloc(w->ctx, w->families, sizeof *w->embedding, &w->embedding));
    RM2_TRY(rm2i_alloc(w->ctx, total, (M + w->Q) * sizeof *w->nodes, &w->nodes));
    double *q = w->nodes, *Y = w->nodes + total * M;
    for (size_t f = 0; f < w->families; f++) {
        const rm2i_motion *m = &w->motion[f];
        size_t n = m->slot[m->count];
        w->embedding[f] = (rm2i_embedding){n, M, w->Q, q, Y};
        for (size_t k = 0; k < m->count; k++)
            memcpy(q + m->slot[k] * M, rm2i_curve(c, m->member[k]).node,
                   rm2i_curve_nodes(c, m->member[k]) * M * sizeof *q);
        q += n * M;
        Y += n * w->Q;
    }
    return RM2_OK;
}

/* [q, 2 om rho p] */
static void fill_features(const rm2i_embedding *s, double weight, const double *phase,
                          double *features) {
    for (size_t i = 0; i < s->n; i++) {
        memcpy(features + i * (s->M + 1), s->q + i * s->M, s->M * sizeof *features);
        features[i * (s->M + 1) + s->M] = weight * phase[i];
    }
}

/* Make the first dimension rise along the motion. */
static void orient(const rm2i_embedding *s, const double *place) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < s->n; i++)
        mean += place[i] / (double)s->n;
    for (size_t i = 0; i < s->n; i++)
        sum += (place[i] - mean) * s->Y[i * s->Q];
    for (size_t i = 0; sum < 0 && i < s->n; i++)
        s->Y[i * s->Q] = -s->Y[i * s->Q];
}

static rm2_status embed(const aligned *w, const rm2i_motion *m, const rm2i_embedding *s) {
    double *features;
    RM2_TRY(rm2i_alloc(w->ctx, s->n, (s->M + 1) * sizeof *features, &features));
    fill_features(s, 2 * w->settings.time_weight * w->curves.spread, m->phase, features);
    const rm2i_start_data nodes = {
        .N = s->n, .M = s->M + 1, .F = features, .trajectories = m->count, .starts = m->slot};
    const rm2i_graph_settings plan = {w->settings.neighbours, true, OWN_STEPS, true};
    rm2_status status = rm2i_start_scaling(w->ctx, &nodes, &plan, 0, s->Q, s->Y);
    free(features);
    if (status == RM2_OK)
        orient(s, m->place);
    return status;
}

/* ---- arrangement ------------------------------------------------------------------------------- */

/* mean (families x families): cost of aligning demonstrations of one family to the references of another;
 * infinite if it has none. work: families x families */
static void mean_costs(const aligned *w, double *mean, double *work) {
    const rm2i_pairs *p = &w->pairs;
    size_t F = w->families;
    memset(mean, 0, F * F * sizeof *mean);
    memset(work, 0, F * F * sizeof *work);
    for (size_t d = 0; d < p->D; d++)
        for (size_t r = 0; r < p->R; r++) {
            size_t at = w->family[d] * F + w->family[p->reference[r]];
            mean[at] += p->strict[d * p->R + r];
            work[at]++;
        }
    for (size_t k = 0; k < F * F; k++)
        mean[k] = work[k] > 0 ? mean[k] / work[k] : INFINITY;
}

/* The family that is placed first: the largest, of equals the one whose members are closest to each other. */
static size_t first_family(const aligned *w, const double *mean) {
    size_t best = 0, F = w->families;
    for (size_t f = 1; f < F; f++) {
        size_t more = w->motion[f].count, most = w->motion[best].count;
        if (more > most || (more == most && mean[f * F + f] < mean[best * F + best]))
            best = f;
    }
    return best;
}

/* order (families): each family is followed by the one that is most similar to it. */
static void order_families(const aligned *w, const double *mean, size_t *order) {
    size_t F = w->families;
    for (size_t f = 0; f < F; f++)
        order[f] = f;
    order[0] = first_family(w, mean);
    order[order[0]] = 0;
    for (size_t k = 1; k < F; k++) {
        size_t best = k, held = order[k];
        for (size_t l = k + 1; l < F; l++)
            if (mean[order[l] * F + order[k - 1]] < mean[order[best] * F + order[k - 1]])
                best = l;
        order[k] = order[best];
        order[best] = held;
    }
}

typedef struct arrangement {
    size_t families;
    size_t *order;
    rm2i_embedding *embedding; /* in that order */
    double *mean, *work;       /* families x families */
    double *memory;
} arrangement;

static void lay_out_arrangement(void *arg, rm2i_arena *a) {
    arrangement *s = arg;
    s->order = rm2i_reserve(a, size_t, s->families);
    s->embedding = rm2i_reserve(a, rm2i_embedding, s->families);
    s->mean = rm2i_reserve(a, double, s->families, s->families);
    s->work = rm2i_reserve(a, double, s->families, s->families);
}

static rm2_status arrange(const aligned *w) {
    arrangement s = {.families = w->families};
    RM2_TRY(rm2i_arena_alloc(w->ctx, lay_out_arrangement, &s, &s.memory));
    mean_costs(w, s.mean, s.work);
    order_families(w, s.mean, s.order);
    for (size_t f = 0; f < w->families; f++)
        s.embedding[f] = w->embedding[s.order[f]];
    rm2_status status = rm2i_arrange(w->ctx, w->families, s.embedding);
    free(s.memory);
    return status;
}

/* ---- points ------------------------------------------------------------------------------------ */

/* Centre the nodes, and scale them. */
static void standardise(const aligned *w) {
    size_t n = w->curves.first[w->curves.D], Q = w->Q;
    double *Y = w->nodes + n * w->curves.M;
    for (size_t q = 0; q < Q; q++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += Y[i * Q + q] / (double)n;
        for (size_t i = 0; i < n; i++)
            Y[i * Q + q] -= mean;
    }
    rm2i_start_unit(n, Q, Y);
}

/* Where demonstrations are: what their points are placed by. */
typedef struct places {
    size_t Q;
    double *node; /* nodes of the curves x (Q + 1): latent, place on the motion, in its nodes */
    double *last; /* demonstrations: last node of the motion */
    double *memory;
} places;

static rm2_status places_create(rm2_context *ctx, const rm2i_curves *c, size_t Q, places *p) {
    size_t nodes = c->first[c->D] * (Q + 1);
    *p = (places){.Q = Q};
    RM2_TRY(rm2i_calloc(ctx, nodes + c->D, sizeof *p->memory, &p->memory));
    p->node = p->memory;
    p->last = p->node + nodes;
    return RM2_OK;
}

/* In the order of the demonstrations; latents only if there is an embedding. */
static void fill_places(const aligned *w, const places *p) {
    size_t Q = p->Q;
    for (size_t f = 0; f < w->families; f++) {
        const rm2i_motion *m = &w->motion[f];
        for (size_t k = 0; k < m->count; k++) {
            double *node = p->node + w->curves.first[m->member[k]] * (Q + 1);
            p->last[m->member[k]] = (double)(m->nodes - 1);
            for (size_t i = m->slot[k]; i < m->slot[k + 1]; i++, node += Q + 1) {
                if (w->embedding)
                    memcpy(node, w->embedding[f].Y + i * Q, Q * sizeof *node);
                node[Q] = m->place[i];
            }
        }
    }
}

/* Demonstrations of this process, with their curves. */
typedef struct own_demos {
    const rm2i_start_data *demos;
    const rm2i_curves *curves;
    places places;
} own_demos;

static void place_points(const own_demos *o, double *X0) {
    size_t Q = o->places.Q;
    for (size_t d = 0; d < o->curves->D; d++) {
        const double *Y = o->places.node + o->curves->first[d] * (Q + 1);
        size_t nodes = rm2i_curve_nodes(o->curves, d);
        for (size_t i = o->demos->starts[d]; i < o->demos->starts[d + 1]; i++)
            for (size_t q = 0; q < Q; q++)
                X0[i * Q + q] = rm2i_between(nodes, Y + q, Q + 1, o->curves->place[i]);
    }
}

/* ---- report ------------------------------------------------------------------------------------ */

/* Largest difference of a point's place on the motion from even timing; places are relative to the motion: 0 .. 1. */
static double unevenness_of(const own_demos *o, size_t d) {
    size_t from = o->demos->starts[d], T = o->demos->starts[d + 1] - from, width = o->places.Q + 1;
    size_t nodes = rm2i_curve_nodes(o->curves, d);
    const double *node = o->places.node + o->curves->first[d] * width + o->places.Q;
    double last = o->places.last[d], begin = node[0] / last, most = 0;
    double end = node[(nodes - 1) * width] / last;
    for (size_t i = 0; i < T; i++) {
        double even = T > 1 ? (double)i / (double)(T - 1) : 0;
        double at = rm2i_between(nodes, node, width, o->curves->place[from + i]) / last;
        most = fmax(most, fabs(at - begin - even * (end - begin)));
    }
    return most;
}

/* Demonstrations that go on beyond the ends of the motion begin and end there. */
static double part_of(double place, double last) {
    return fmin(fmax(place / last, 0), 1);
}

static rm2_status make_report(const aligned *w, rm2_start_report **report) {
    RM2_TRY(rm2i_start_report_create(w->ctx, w->demos.trajectories, w->families, report));
    (*report)->labelled = w->settings.family;
    for (size_t f = 0; f < w->families; f++) {
        const rm2i_motion *m = &w->motion[f];
        bool complete = m->nodes == rm2i_curve_nodes(&w->curves, m->reference);
        double last = (double)(m->nodes - 1);
        (*report)->family[f] = (rm2_start_family){m->count, m->reference, complete};
        for (size_t k = 0; k < m->count; k++) {
            size_t d = m->member[k];
            (*report)->demo[d] =
                (rm2_start_demo){.family = f,
                                 .reversed = m->fit[k].reversed,
                                 .begin = part_of(m->place[m->slot[k]], last),
                                 .end = part_of(m->place[m->slot[k + 1] - 1], last),
                                 .misfit = m->fit[k].cost,
                                 .outliers = w->curves.spikes[d],
                                 .outlier = w->curves.worst[d],
                                 .outlier_distance = w->curves.off[d] / w->curves.spread,
                                 .jitter = w->curves.jitter[d] / w->curves.spread,
                                 .resting = w->curves.rests[d]};
        }
    }
    return RM2_OK;
}

/* ---- all demonstrations ------------------------------------------------------------------------ */

/* Everything about nodes and demonstrations, in one process. */
static rm2_status run(aligned *w, bool embedded, rm2_start_report **report) {
    RM2_TRY(find_families(w));
    RM2_TRY(find_motions(w));
    if (embedded) {
        RM2_TRY(make_embeddings(w));
        for (size_t f = 0; f < w->families; f++)
            RM2_TRY(embed(w, &w->motion[f], &w->embedding[f]));
        RM2_TRY(arrange(w));
        standardise(w);
    }
    return make_report(w, report);
}

static void release(aligned *w) {
    for (size_t f = 0; w->motion && f < w->families; f++)
        rm2i_motion_free(&w->motion[f]);
    free(w->motion);
    free(w->embedding);
    free(w->nodes);
    free(w->family);
    rm2i_pairs_free(&w->pairs);
}

/* ---- all and own demonstrations ---------------------------------------------------------------- */

/* On the root, with all curves. */
static rm2_status run_for_all(aligned *w, bool embedded, places *all, rm2_start_report **report) {
    RM2_TRY(run(w, embedded, report));
    RM2_TRY(places_create(w->ctx, &w->curves, w->Q, all));
    fill_places(w, all);
    return RM2_OK;
}

/* Every process gets the places of its demonstrations. */
static rm2_status scatter_places(const aligned *w, const rm2i_rows *rows, const rm2i_rows *nodes,
                                 const places *all, own_demos *own) {
    const rm2i_rows demos = rm2i_rows_of_trajectories(rows);
    rm2_status status = places_create(w->ctx, own->curves, w->Q, &own->places);
    RM2_TRY(rm2i_rows_agree(w->ctx, rows, status));
    rm2i_rows_scatter(nodes, w->Q + 1, all->node, own->places.node);
    rm2i_rows_scatter(&demos, 1, all->last, own->places.last);
    return RM2_OK;
}

/* report: on the root */
static rm2_status find_unevenness(const aligned *w, const rm2i_rows *rows, const own_demos *own,
                                  const rm2_start_report *report) {
    const rm2i_rows demos = rm2i_rows_of_trajectories(rows);
    size_t all = report ? report->demos : 0;
    double *uneven;
    RM2_TRY(rm2i_rows_alloc(w->ctx, rows, own->curves->D + all, sizeof *uneven, &uneven));
    for (size_t d = 0; d < own->curves->D; d++)
        uneven[d] = unevenness_of(own, d);
    rm2i_rows_gather(&demos, 1, uneven, uneven + own->curves->D);
    for (size_t d = 0; d < all; d++)
        report->demo[d].unevenness = uneven[own->curves->D + d];
    free(uneven);
    return RM2_OK;
}

static rm2_status run_with_places(aligned *w, const rm2i_rows *rows, const rm2i_rows *nodes,
                                  own_demos *own, double *X0, rm2_start_report **report) {
    places all = {.Q = w->Q};
    rm2_status status = rm2i_rows_root(rows) ? run_for_all(w, X0 != NULL, &all, report) : RM2_OK;
    status = rm2i_rows_agree(w->ctx, rows, status);
    if (status == RM2_OK)
        status = scatter_places(w, rows, nodes, &all, own);
    free(all.memory);
    RM2_TRY(status);
    if (X0)
        place_points(own, X0);
    return find_unevenness(w, rows, own, *report);
}

static rm2_status align(aligned *w, own_demos *own, double *X0, rm2_start_report **report) {
    const rm2i_rows rows = rm2i_start_rows(own->demos);
    rm2i_rows nodes;
    w->demos.N = rows.all;
    w->demos.trajectories = rows.all_trajectories;
    w->demos.starts = rows.all_starts;
    rm2_status status =
        rm2i_curves_gather(w->ctx, own->demos, own->curves, w->settings.timed, &nodes, &w->curves);
    if (status == RM2_OK)
        status = run_with_places(w, &rows, &nodes, own, X0, report);
    if (rm2i_rows_shared(&rows)) /* else they are the own ones */
        rm2i_curves_free(&w->curves);
    rm2i_rows_free(&nodes);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static rm2_status check_settings(rm2_context *ctx, const rm2i_aligned_settings *s,
                                 const rm2i_start_data *demos) {
    if (s->neighbours == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.neighbours is 0; it must be at least 1");
    if (!(s->time_weight >= 0 && s->time_weight <= 1e6))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.time_weight is %g, not within 0 .. 1e6",
                         s->time_weight);
    for (size_t d = 0; s->family && d < demos->trajectories; d++)
        if (s->family[d] >= s->families)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "trajectory %zu is of family %zu of %zu", d,
                             s->family[d], s->families);
    return RM2_OK;
}

static rm2_status without_alignment(rm2_context *ctx, size_t neighbours,
                                    const rm2i_start_data *demos, size_t Q, double *X0) {
    rm2i_isomap_settings s = rm2i_isomap_settings_default();
    s.neighbours = neighbours;
    if (!X0)
        return RM2_OK;
    return rm2i_start_isomap(ctx, &s, demos, Q, X0);
}

/* The curves of demonstrations, of F in units of about one. */
static rm2_status build_curves(rm2_context *ctx, const rm2i_start_data *demos, double scale,
                               rm2i_curves *curves) {
    double *F;
    RM2_TRY(rm2i_rows_alloc(ctx, demos->rows, demos->N, demos->M * sizeof *F, &F));
    for (size_t i = 0; i < demos->N * demos->M; i++)
        F[i] = scale * demos->F[i];
    rm2i_start_data scaled = *demos;
    scaled.F = F;
    rm2_status status = rm2i_curves_build(ctx, &scaled, curves);
    free(F);
    return status;
}

rm2_status rm2i_start_aligned(rm2_context *ctx, const rm2i_aligned_settings *settings,
                              const rm2i_start_data *demos, size_t Q, double *X0,
                              rm2_start_report **report) {
    aligned w = {.ctx = ctx,
                 .settings = settings ? *settings : rm2i_aligned_settings_default(),
                 .demos = *demos,
                 .Q = Q};
    rm2i_curves curves;
    own_demos own = {.demos = demos, .curves = &curves};
    double scale;
    *report = NULL;
    RM2_TRY(check_settings(ctx, &w.settings, demos));
    RM2_TRY(rm2i_start_check(ctx, demos, Q, &scale));
    RM2_TRY(rm2i_rows_agree(ctx, demos->rows, rm2i_start_check_trajectories(ctx, demos)));
    if (rm2i_start_rows(demos).all_trajectories < 2)
        return without_alignment(ctx, w.settings.neighbours, demos, Q, X0);
    RM2_TRY(build_curves(ctx, demos, scale, &curves));
    bool lengthless = curves.first[curves.D] == 0;
    rm2_status status = lengthless ? RM2_OK : align(&w, &own, X0, report);
    free(own.places.memory);
    release(&w);
    rm2i_curves_free(&curves);
    if (status != RM2_OK) {
        rm2_start_report_free(*report);
        *report = NULL;
    }
    return lengthless ? without_alignment(ctx, w.settings.neighbours, demos, Q, X0) : status;
}
