/* More demonstrations for a model: residuals against encoding and decoding by hand, data sets as one, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "data/data.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"

enum { POINTS = 15, WIDTH = 5 };

static rm2_context *ctx;
static rm2_data *all, *first, *last; /* four trajectories of R2 x S2, scaled; three of them; one */
static rm2_model *model;             /* of the three */

static rm2_fit_settings quick(void) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.optim.max_iterations = 15;
    return s;
}

static int set_up(void **state) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = quick();
    bool held[4 * POINTS] = {false};
    (void)state;
    omp_set_num_threads(1);
    g.trajectories = 4;
    g.points = POINTS;
    g.scale = true;
    for (size_t i = 3 * POINTS; i < (size_t)4 * POINTS; i++)
        held[i] = true;
    bool made = rm2_context_create(&ctx) == RM2_OK &&
                rm2_data_generate(ctx, "toy", &g, &all) == RM2_OK &&
                rm2i_data_divide(ctx, all, held, &first, &last) == RM2_OK &&
                rm2_fit(ctx, first, &s, NULL, &model) == RM2_OK;
    return made ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_model_free(model);
    rm2_data_free(all);
    rm2_data_free(first);
    rm2_data_free(last);
    rm2_context_free(ctx);
    return 0;
}

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g (tolerance %g)", got, want, tolerance);
}

static void refused(rm2_status status, rm2_status want, const char *text) {
    if (status != want || !strstr(rm2_context_error(ctx), text))
        fail_msg("status %d, \"%s\" has no \"%s\"", (int)status, rm2_context_error(ctx), text);
}

/* ---- the model ------------------------------------------------------------------------------ */

static double residual_by_encoding(void) {
    rm2_encode_settings s = rm2_encode_settings_default();
    double points[POINTS * WIDTH], latents[POINTS * 2], sum = 0;
    rm2_encoded info[POINTS] = {{.size = sizeof *info}};
    s.trajectories = 1;
    s.starts = last->starts;
    rm2_data_original(last, points);
    assert_int_equal(rm2_model_encode(ctx, model, &s, POINTS, points, latents, NULL, info), RM2_OK);
    for (size_t i = 0; i < POINTS; i++)
        sum += info[i].residual * info[i].residual / POINTS;
    return sqrt(sum);
}

/* Tangent coordinates of the new points less those that their latents decode to. */
static double residual_by_decoding(const rm2_model *more) {
    const rm2_model_info *info = rm2_model_info_of(more);
    double points[POINTS * WIDTH], rows[POINTS * 4], mean[POINTS * 4], sum = 0;
    rm2_data_original(last, points);
    assert_int_equal(rm2_model_view_rows(ctx, more, RM2_VIEW_TANGENT, POINTS, points, rows),
                     RM2_OK);
    assert_int_equal(
        rm2_model_decode(ctx, more, POINTS, info->latents + 2 * 3 * POINTS, NULL, mean, NULL, NULL),
        RM2_OK);
    for (size_t k = 0; k < POINTS * 4; k++)
        sum += (rows[k] - mean[k]) * (rows[k] - mean[k]) / POINTS;
    return sqrt(sum);
}

static void one_more(void **state) {
    rm2_model *more;
    rm2_added added = {.size = sizeof added};
    double before[4 * POINTS * WIDTH], after[4 * POINTS * WIDTH];
    (void)state;
    assert_int_equal(rm2_fit_add(ctx, model, last, NULL, &added, &more), RM2_OK);
    const rm2_model_info *i = rm2_model_info_of(more), *old = rm2_model_info_of(model);
    assert_int_equal(i->points, 4 * POINTS);
    assert_int_equal(i->data->trajectories, 4);
    assert_string_equal(i->data->ids[3], last->ids[0]);
    assert_true(i->data->scale[0] == old->data->scale[0] && i->data->scale[0] != 1);
    for (size_t k = 0; k < WIDTH; k++) /* rounding of units */
        near(i->base[k], old->base[k], 1e-14);
    rm2_data_original(all, before);
    rm2_data_original(i->data, after);
    for (size_t k = 0; k < (size_t)4 * POINTS * WIDTH; k++)
        near(after[k], before[k], 1e-13);
    assert_true(i->training.end.total > i->training.start.total);
    assert_true(i->settings->latent_dim == 2 && i->settings->optim.max_iterations == 15);
    assert_int_equal(added.points, POINTS);
    near(added.before, residual_by_encoding(), 1e-12);
    near(added.after, residual_by_decoding(more), 1e-10);
    assert_true(added.known && added.after < added.before);
    rm2_model_free(more);
}

/* The training starts from the latents of the model: after one step they are still near. */
static void starts_from_the_model(void **state) {
    rm2_fit_settings s = quick();
    rm2_model *short_one, *more;
    (void)state;
    s.optim.max_iterations = 1;
    assert_int_equal(rm2_fit(ctx, first, &s, NULL, &short_one), RM2_OK);
    assert_int_equal(rm2_fit_add(ctx, short_one, last, NULL, NULL, &more), RM2_OK);
    const double *x = rm2_model_info_of(short_one)->latents, *y = rm2_model_info_of(more)->latents;
    double moved = 0;
    for (size_t k = 0; k < (size_t)3 * POINTS * 2; k++)
        moved = fmax(moved, fabs(x[k] - y[k]));
    assert_true(moved < 0.2); /* one step from latents of unit variance */
    rm2_model_free(short_one);
    rm2_model_free(more);
}

/* Points of the last trajectory, changed by a function, as a data set of their own. */
static rm2_data *changed(const char *id, double factor, double shift) {
    double points[POINTS * WIDTH];
    rm2_data *data;
    const char *ids[] = {id};
    rm2_data_original(last, points);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < 2; k++)
            points[i * WIDTH + k] = points[i * WIDTH + k] * factor + shift;
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = last->manifold,
                              .source = "new.csv",
                              .count = POINTS,
                              .points = points,
                              .trajectories = id ? 1 : 0,
                              .starts = id ? last->starts : NULL,
                              .ids = id ? ids : NULL};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    return data;
}

static void wrong_units_and_unknown_motions(void **state) {
    rm2_data *wrong = changed("x", 1000, 0), *other = changed("0", 1, 1.0);
    rm2_data *separate = changed(NULL, 1, 0);
    rm2_added added = {.size = sizeof added};
    rm2_model *more;
    (void)state;
    refused(rm2_fit_add(ctx, model, wrong, NULL, NULL, &more), RM2_ERR_DATA,
            "check that units and columns are those of the training data");
    assert_null(more);
    refused(rm2_fit_add(ctx, model, separate, NULL, NULL, &more), RM2_ERR_DATA, "settings.group");
    if (rm2_fit_add(ctx, model, other, NULL, &added, &more) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    assert_true(!added.known && added.apart);
    assert_string_equal(rm2_model_info_of(more)->data->ids[3], "new.csv:0"); /* there is a 0 */
    rm2_model_free(more);
    rm2_data_free(wrong);
    rm2_data_free(other);
    rm2_data_free(separate);
}

/* Three demonstrations of a motion that the model does not know (its own, turned in the plane) with one between them
 * that it knows. */
static rm2_data *mixed(void) {
    enum { N = 4 * POINTS };
    double points[N * WIDTH], turned[N * WIDTH];
    static const size_t starts[] = {0, POINTS, 2 * POINTS, 3 * POINTS, 4 * POINTS};
    static const size_t from[] = {0, 3, 1, 2};
    const char *ids[] = {"a", "b", "c", "d"};
    rm2_data *data;
    rm2_data_original(all, points);
    for (size_t i = 0; i < N; i++) {
        const double *p = points + (from[i / POINTS] * POINTS + i % POINTS) * WIDTH;
        memcpy(turned + i * WIDTH, p, WIDTH * sizeof *p);
        if (i / POINTS == 1)
            continue;
        turned[i * WIDTH] = -p[1];
        turned[i * WIDTH + 1] = p[0];
    }
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = all->manifold,
                              .source = "mixed.csv",
                              .count = N,
                              .points = turned,
                              .trajectories = 4,
                              .starts = starts,
                              .ids = ids};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    return data;
}

/* Least or largest second coordinate of n latents. */
static double extreme(size_t n, const double *x, double sign) {
    double most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, sign * x[2 * i + 1]);
    return sign * most;
}

/* New motions lie above all that the model has, as long as it is, in order; what it knows does not. */
static void new_motions_lie_apart(void **state) {
    rm2_data *data = mixed();
    rm2_added added[4] = {{.size = sizeof *added}};
    rm2_model *more;
    (void)state;
    assert_int_equal(rm2_fit_add(ctx, model, data, NULL, added, &more), RM2_OK);
    const double *x = rm2_model_info_of(more)->latents, *new = x + 2 * 3 * POINTS;
    double top = extreme((size_t)3 * POINTS, x, 1);
    for (size_t t = 0; t < 4; t++) {
        const double *own = new + 2 * t *POINTS;
        assert_int_equal(added[t].known, t == 1);
        assert_int_equal(added[t].apart, t != 1);
        assert_true(added[t].after < added[t].before / (t == 1 ? 1 : 3));
        if (t == 1) {
            assert_true(extreme(POINTS, own, -1) < top);
            continue;
        }
        assert_true(extreme(POINTS, own, -1) > top - 0.1); /* as near as the anchor lets it come */
        for (size_t i = 5; i < POINTS; i += 5)
            assert_true(own[2 * i] > own[2 * (i - 5)]);
    }
    rm2_model_free(more);
    rm2_data_free(data);
}

/* ---- two data sets as one ------------------------------------------------------------------- */

static rm2_data *line(const char *source, const size_t *labels, const char *const *names,
                      const double *time) {
    static const size_t starts[] = {0, 3};
    const double points[] = {0, 1, 2};
    rm2_manifold *m;
    rm2_data *data;
    assert_int_equal(rm2_manifold_create(ctx, "R1", &m), RM2_OK);
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .source = source,
                              .count = 3,
                              .points = points,
                              .trajectories = 1,
                              .starts = starts,
                              .time = time,
                              .labels = labels,
                              .label_names = names,
                              .label_count = labels ? 2 : 0};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    rm2_manifold_free(m);
    return data;
}

static void labels_and_time(void **state) {
    const size_t labels[] = {0, 1, 1};
    const char *const names[] = {"a", "b"}, *const others[] = {"b", "c"};
    const double time[] = {0, 1, 2};
    rm2_data *a = line("a", labels, names, time), *b = line("b", labels, others, time);
    rm2_data *bare = line("bare", NULL, NULL, NULL), *timed = line("timed", NULL, NULL, time);
    rm2_data *labelled = line("labelled", labels, names, NULL), *both;
    (void)state;
    assert_int_equal(rm2i_data_join(ctx, a, b, &both), RM2_OK);
    assert_int_equal(both->label_count, 3);
    const char *const want[] = {"a", "b", "b", "b", "c", "c"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(both->label_names[both->labels[i]], want[i]);
        assert_true(both->time[i] == (double)(i % 3) && both->points[i] == (double)(i % 3));
    }
    assert_string_equal(both->ids[1], "b:0");
    assert_true(both->starts[1] == 3 && both->starts[2] == 6);
    rm2_data_free(both);
    refused(rm2i_data_join(ctx, a, timed, &both), RM2_ERR_DATA, "has labels and timed has none");
    refused(rm2i_data_join(ctx, a, labelled, &both), RM2_ERR_DATA, "settings.time");
    refused(rm2i_data_join(ctx, a, all, &both), RM2_ERR_DATA, "on R2 x S2");
    assert_int_equal(rm2i_data_join(ctx, bare, a, &both), RM2_OK);
    assert_true(!both->labels && !both->time);
    rm2_data_free(both);
    rm2_data_free(a);
    rm2_data_free(b);
    rm2_data_free(bare);
    rm2_data_free(timed);
    rm2_data_free(labelled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more),
        cmocka_unit_test(starts_from_the_model),
        cmocka_unit_test(wrong_units_and_unknown_motions),
        cmocka_unit_test(new_motions_lie_apart),
        cmocka_unit_test(labels_and_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
