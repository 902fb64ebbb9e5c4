/* Permutation test of the distance between the means of two groups.
 *
 *   p  Fréchet mean of both groups together, the same for all permutations; v_i = Log_p(y_i)
 *   a, b  means of v over the groups; T' = |a - b|  (RM2_TEST_TANGENT)
 *   T = d(mean of the first, mean of the second), each found from Exp_p(a), Exp_p(b)  (RM2_TEST_MEANS)
 *
 * Either statistic is the same function of labels and points for every permutation, which is all that the test needs to
 * be exact at its level. Permutation r draws from a generator of its own, so that threads do not matter. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "manifold/manifold.h"
#include "statistics/arrangement.h"
#include "statistics/statistics.h"

static const double MEAN_TOLERANCE = 1e-6; /* of the means, relative to their groups' spread */
static const double TIE = 1e-9; /* statistics this close are equal: sums in another order */

typedef struct test {
    rm2_context *ctx;
    const rm2_manifold *m;
    const rm2_test_settings *settings;
    rm2i_arrangement arrangement;
    size_t n, count; /* points of both groups; values to compute */
    bool exact;
    size_t *index, *subject; /* n: which points of the data; of which subject */
    bool *side, *second, *both;
    double *points, *coords; /* n x ambient; n x dim: logarithms at `centre` */
    double *centre, *frame;
    double *values;  /* count */
    bool *converged; /* count */
    bool *observed;  /* count: of all arrangements, the labels as they are */
    double *memory;
} test;

static void lay_out(void *arg, rm2i_arena *a) {
    test *t = arg;
    t->index = rm2i_reserve(a, size_t, t->n);
    t->subject = rm2i_reserve(a, size_t, t->n);
    t->side = rm2i_reserve(a, bool, t->n);
    t->second = rm2i_reserve(a, bool, t->n);
    t->both = rm2i_reserve(a, bool, t->n);
    t->points = rm2i_reserve(a, double, t->n, t->m->ambient);
    t->coords = rm2i_reserve(a, double, t->n, t->m->dim);
    t->centre = rm2i_reserve(a, double, t->m->ambient);
    t->frame = rm2i_reserve(a, double, t->m->frame_size);
}

/* ---- the statistic of one permutation --------------------------------------------------------- */

typedef struct scratch {
    bool *chosen, *side; /* n */
    size_t *index;       /* n: points of one group */
    double *points;      /* n x ambient */
    double *mean[2];     /* dim: of the logarithms */
    double *place[2];    /* ambient: Fréchet means */
    double *work;
} scratch;

static void lay_out_scratch(scratch *s, const test *t, rm2i_arena *a) {
    const rm2_manifold *m = t->m;
    size_t of_mean = rm2i_mean_work(m, t->n);
    s->chosen = rm2i_reserve(a, bool, t->n);
    s->side = rm2i_reserve(a, bool, t->n);
    s->index = rm2i_reserve(a, size_t, t->n);
    s->points = rm2i_reserve(a, double, t->n, m->ambient);
    for (int k = 0; k < 2; k++) {
        s->mean[k] = rm2i_reserve(a, double, m->dim);
        s->place[k] = rm2i_reserve(a, double, m->ambient);
    }
    s->work = rm2i_reserve(a, double, of_mean > m->work_size ? of_mean : m->work_size);
}

/* a and b */
static void mean_logarithms(const test *t, const scratch *s) {
    size_t dim = t->m->dim, count[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        memset(s->mean[k], 0, dim * sizeof *s->mean[k]);
    for (size_t i = 0; i < t->n; i++) {
        rm2i_axpy(dim, 1, t->coords + i * dim, s->mean[s->side[i]]);
        count[s->side[i]]++;
    }
    for (int k = 0; k < 2; k++)
        for (size_t j = 0; j < dim; j++)
            s->mean[k][j] /= (double)count[k];
}

static rm2_status frechet_mean(const test *t, const scratch *s, int k, bool *converged) {
    const rm2_manifold *m = t->m;
    rm2_mean_settings settings = rm2_mean_settings_default();
    rm2_mean_info info = {.size = sizeof info};
    size_t count = 0;
    settings.tolerance = MEAN_TOLERANCE;
    for (size_t i = 0; i < t->n; i++)
        if (s->side[i] == k)
            s->index[count++] = i;
    rm2i_gather(m->ambient, count, s->index, t->points, s->points);
    RM2_TRY(rm2i_manifold_exp(m, t->frame, s->mean[k], s->place[k], s->work, NULL));
    RM2_TRY(rm2i_mean_near(m, count, s->points, &settings, s->place[k], &info, s->work));
    *converged = *converged && info.converged;
    return RM2_OK;
}

static rm2_status statistic(const test *t, const scratch *s, double *value, bool *converged) {
    *converged = true;
    mean_logarithms(t, s);
    if (t->settings->statistic == RM2_TEST_TANGENT) {
        rm2i_axpy(t->m->dim, -1, s->mean[1], s->mean[0]);
        *value = rm2i_norm(t->m->dim, s->mean[0]);
        return RM2_OK;
    }
    for (int k = 0; k < 2; k++)
        RM2_TRY(frechet_mean(t, s, k, converged));
    return rm2i_manifold_distance(t->m, s->place[0], s->place[1], value, s->work, NULL);
}

/* Value 0 is that of the labels as they are. */
static rm2_status permute(const void *arg, size_t r, double *memory) {
    const test *t = arg;
    scratch s;
    lay_out_scratch(&s, t, &(rm2i_arena){memory, 0});
    if (r == 0) {
        memcpy(s.side, t->side, t->n * sizeof *s.side);
    } else if (t->exact) {
        rm2i_arrangement_at(&t->arrangement, r - 1, s.chosen, s.side);
    } else {
        rm2_rng rng = rm2i_stream(t->settings->seed, r);
        rm2i_arrangement_random(&t->arrangement, &rng, s.chosen, s.side);
    }
    t->observed[r] = r > 0 && t->exact && memcmp(s.side, t->side, t->n * sizeof *s.side) == 0;
    RM2_TRY(statistic(t, &s, &t->values[r], &t->converged[r]));
    rm2i_activity_advance(t->ctx, 1);
    return RM2_OK;
}

static size_t scratch_size(const test *t) {
    scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out_scratch(&s, t, &a);
    return a.used;
}

/* ---- the test --------------------------------------------------------------------------------- */

static size_t count_points(const rm2_labelled *data, size_t label) {
    size_t count = 0;
    for (size_t i = 0; i < data->n; i++)
        count += data->labels[i] == label;
    return count;
}

static rm2_status check_groups(rm2_context *ctx, const rm2_labelled *data, size_t first,
                               size_t second) {
    const size_t labels[] = {first, second};
    if (first == second)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "both groups have label %zu: expected two labels",
                         first);
    for (int k = 0; k < 2; k++)
        if (labels[k] >= data->label_count || count_points(data, labels[k]) == 0)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "label %zu (counted from 0) has no points",
                             labels[k]);
    return RM2_OK;
}

/* The points of both groups, their subjects and sides. */
static rm2_status gather(rm2_context *ctx, const rm2_labelled *data, const size_t label[2],
                         test *t) {
    size_t count = 0, subjects = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (data->labels[i] != label[0] && data->labels[i] != label[1])
            continue;
        t->side[count] = data->labels[i] == label[1];
        t->subject[count] = data->subjects ? data->subjects[i] : i;
        t->index[count++] = i;
    }
    rm2i_gather(t->m->ambient, t->n, t->index, data->points, t->points);
    RM2_TRY(rm2i_number_subjects(ctx, t->n, t->subject, t->index, &subjects));
    memcpy(t->subject, t->index, t->n * sizeof *t->subject);
    t->arrangement = (rm2i_arrangement){.n = t->n,
                                        .subjects = subjects,
                                        .subject = t->subject,
                                        .side = t->side,
                                        .both = t->both,
                                        .second = t->second};
    rm2i_arrangement_count(&t->arrangement);
    return RM2_OK;
}

/* As many values as there are arrangements and one more, or as many as are asked for and one more. */
static rm2_status choose_count(rm2_context *ctx, test *t) {
    double total = rm2i_arrangement_total(&t->arrangement);
    if (total < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "a permutation test needs two arrangements of the labels at least: %zu "
                         "subject%s, of which %zu have the second label, allow one",
                         t->arrangement.subjects, t->arrangement.subjects == 1 ? "" : "s",
                         t->arrangement.k);
    t->exact = total - 1 <= (double)t->settings->permutations;
    t->count = t->exact ? (size_t)total + 1 : t->settings->permutations + 1;
    RM2_TRY(rm2i_alloc(ctx, t->count, sizeof *t->values, &t->values));
    RM2_TRY(rm2i_alloc(ctx, t->count, sizeof *t->observed, &t->observed));
    return rm2i_alloc(ctx, t->count, sizeof *t->converged, &t->converged);
}

static rm2_status prepare_centre(rm2_context *ctx, test *t) {
    RM2_TRY(rm2_manifold_mean(ctx, t->m, t->n, t->points, NULL, NULL, t->centre, NULL));
    RM2_TRY(rm2_manifold_log_coords(ctx, t->m, t->n, t->centre, 1, t->points, t->coords));
    double *work;
    RM2_TRY(rm2i_alloc(ctx, t->m->work_size, sizeof *work, &work));
    rm2_status status = rm2i_manifold_frame(t->m, t->centre, t->frame, work, NULL);
    free(work);
    return status == RM2_OK
               ? status
               : rm2i_fail(ctx, status, "mean of both groups: %s", rm2_status_text(status));
}

/* Of all arrangements, the one as it is does not count: it is value 0. `values` may be NULL. */
static rm2_test_result summarise(const test *t, double *values) {
    rm2_test_result found = {
        .statistic = t->values[0], .exact = t->exact, .converged = t->converged[0]};
    for (size_t r = 1; r < t->count; r++) {
        if (t->observed[r])
            continue;
        if (values)
            values[found.permutations] = t->values[r];
        found.permutations++;
        found.as_large += t->values[r] >= t->values[0] * (1 - TIE);
        found.converged = found.converged && t->converged[r];
    }
    found.p_value = (1 + (double)found.as_large) / (1 + (double)found.permutations);
    return found;
}

static rm2_status run(rm2_context *ctx, test *t) {
    size_t bad = 0;
    RM2_TRY(prepare_centre(ctx, t));
    rm2i_activity_begin(ctx, "permutations", t->count);
    rm2_status status = rm2i_jobs(ctx, t->count, scratch_size(t), permute, t, &bad);
    rm2i_activity_end(ctx);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status, "means of permutation %zu: %s", bad, rm2_status_text(status));
}

rm2_status rm2_group_test(rm2_context *ctx, const rm2_labelled *data, size_t first, size_t second,
                          const rm2_test_settings *settings, double *values,
                          rm2_test_result *result) {
    RM2_REQUIRE(ctx, data, result);
    rm2_labelled points = {.size = sizeof points};
    RM2_TRY(rm2i_settings_overlay(ctx, data, &points));
    data = &points;
    RM2_TRY(rm2i_check_size(ctx, result, sizeof *result));
    rm2_test_settings own = rm2_test_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &own));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_TEST), &own));
    RM2_TRY(rm2i_labelled_check(ctx, data));
    RM2_TRY(check_groups(ctx, data, first, second));
    test t = {.ctx = ctx,
              .m = data->manifold,
              .settings = &own,
              .n = count_points(data, first) + count_points(data, second)};
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, &t, &t.memory);
    if (status == RM2_OK)
        status = gather(ctx, data, (const size_t[]){first, second}, &t);
    if (status == RM2_OK)
        status = choose_count(ctx, &t);
    if (status == RM2_OK)
        status = run(ctx, &t);
    if (status == RM2_OK) {
        const rm2_test_result found = summarise(&t, values);
        rm2i_results_give(1, &found, sizeof found, result);
    }
    free(t.observed);
    free(t.values);
    free(t.converged);
    free(t.memory);
    return status;
}
