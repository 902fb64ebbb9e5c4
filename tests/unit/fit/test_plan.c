/* Plans of fits: what is decided, why, and what is rejected. Models of the same decisions have the same bits, so that nothing
 * here needs a tolerance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "model_fixture.h"
#include "riemann2/fit.h"

static rm2_data *demos, *points; /* with trajectories, without */

static int set_up(void **state) {
    if (model_set_up(state) != 0)
        return -1;
    demos = example_data("toy", 2, 12);
    points = data_of("R2 x S2", 24, demos->points, false);
    return 0;
}

static int tear_down(void **state) {
    rm2_data_free(demos);
    rm2_data_free(points);
    return model_tear_down(state);
}

static rm2_fit_settings with(const rm2_setting_text *texts, size_t count) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.texts = texts;
    s.text_count = count;
    return s;
}

static rm2_fit_plan *plan_of(const rm2_data *data, const rm2_fit_settings *s) {
    rm2_fit_plan *plan;
    ok(rm2_fit_plan_create(ctx, data, s, &plan));
    return plan;
}

/* The reason of the note about a setting; NULL: there is none. */
static const char *reason(const rm2_fit_plan *plan, const char *setting) {
    const rm2_fit_plan_info *i = rm2_fit_plan_info_of(plan);
    for (size_t k = 0; k < i->note_count; k++)
        if (strcmp(i->notes[k].setting, setting) == 0)
            return i->notes[k].reason;
    return NULL;
}

static void rejected(const rm2_data *data, const rm2_fit_settings *s, const char *words) {
    rm2_fit_plan *plan;
    assert_int_equal(rm2_fit_plan_create(ctx, data, s, &plan), RM2_ERR_ARGUMENT);
    assert_null(plan);
    if (!strstr(rm2_context_error(ctx), words))
        fail_msg("'%s' is not in '%s'", words, rm2_context_error(ctx));
}

/* ---- the start ------------------------------------------------------------------------------- */

enum { SPIRAL = 90 };

/* Points along one and a half turns, where the first principal component folds the curve; or the same turns without their
 * curvature, a line, where both starts find the same order. */
static rm2_init_kind start_of_curve(double turns) {
    double curve[SPIRAL * 2];
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t i = 0; i < SPIRAL; i++) {
        double t = (double)i / (SPIRAL - 1), angle = 2 * acos(-1) * turns * t, radius = 1 + 2 * t;
        curve[2 * i] = radius * cos(angle) + 0.02 * rm2_rng_normal(&rng);
        curve[2 * i + 1] = radius * sin(angle) + 0.02 * rm2_rng_normal(&rng);
    }
    const rm2_setting_text one[] = {{"latent_dim", "1"}};
    rm2_data *data = data_of("R2", SPIRAL, curve, false);
    rm2_fit_settings s = with(one, 1);
    rm2_fit_plan *plan = plan_of(data, &s);
    rm2_init_kind init = rm2_fit_plan_info_of(plan)->settings->init;
    rm2_fit_plan_free(plan);
    rm2_data_free(data);
    return init;
}

static void a_spiral_starts_with_isomap(void **state) {
    (void)state;
    assert_int_equal(start_of_curve(1.5), RM2_INIT_ISOMAP);
    assert_int_equal(start_of_curve(0), RM2_INIT_TANGENT);
}

/* ---- the recipe ------------------------------------------------------------------------------ */

static void data_decide_the_recipe(void **state) {
    (void)state;
    rm2_fit_plan *plan = plan_of(demos, NULL);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->recipe, RM2_RECIPE_ROBUST);
    assert_int_equal(rm2_fit_plan_info_of(plan)->note_count, 0);
    rm2_fit_plan_free(plan);
    plan = plan_of(points, NULL);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->recipe, RM2_RECIPE_POINTS);
    assert_int_not_equal(rm2_fit_plan_info_of(plan)->settings->init, RM2_INIT_AUTO);
    assert_non_null(reason(plan, "init"));
    rm2_fit_plan_free(plan);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.independent = true; /* which has no evidence */
    plan = plan_of(points, &s);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->recipe, RM2_RECIPE_ROBUST);
    assert_non_null(strstr(reason(plan, "recipe"), "needs correlated outputs"));
    rm2_fit_plan_free(plan);
}

/* A text changes the part of a hyperparameter that it names, of whatever recipe it will be. */
static void texts_wait_for_the_recipe(void **state) {
    (void)state;
    const rm2_setting_text start[] = {{"lengthscale", "0.3"}};
    rm2_fit_settings s = with(start, 1);
    rm2_fit_plan *plan = plan_of(points, &s);
    rm2_hyperparameter h = rm2_fit_plan_info_of(plan)->settings->lengthscale;
    assert_true(h.start == 0.3 && h.learned && h.prior == RM2_PRIOR_LOGNORMAL);
    rm2_fit_plan_free(plan);
    plan = plan_of(demos, &s);
    h = rm2_fit_plan_info_of(plan)->settings->lengthscale;
    assert_true(h.start == 0.3 && !h.learned);
    assert_null(rm2_fit_plan_info_of(plan)->settings->texts); /* nothing of the caller's is kept */
    rm2_fit_plan_free(plan);
    const rm2_setting_text map[] = {{"max_iterations", "7"}, {"recipe", "map"}};
    s = with(map, 2); /* in any order */
    plan = plan_of(demos, &s);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->recipe, RM2_RECIPE_MAP);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->optim.max_iterations, 7);
    assert_true(rm2_fit_plan_info_of(plan)->settings->lengthscale.learned);
    rm2_fit_plan_free(plan);
}

/* Members and texts are two ways to say the same. */
static void members_are_texts(void **state) {
    (void)state;
    const rm2_setting_text texts[] = {{"latent_dim", "1"}, {"noise", "per-output"}};
    rm2_fit_settings named = with(texts, 2), filled = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    filled.latent_dim = 1;
    filled.noise = RM2_NOISE_PER_OUTPUT;
    named.optim.max_iterations = filled.optim.max_iterations = 5;
    rm2_model *a = fit_model(demos, &named), *b = fit_model(demos, &filled);
    const rm2_model_info *i = rm2_model_info_of(a), *j = rm2_model_info_of(b);
    assert_int_equal(i->settings->task, RM2_TASK_LEARNED); /* implied */
    assert_memory_equal(i->latents, j->latents, 24 * sizeof *i->latents);
    assert_memory_equal(&i->training.end, &j->training.end, sizeof i->training.end);
    rm2_model_free(a);
    rm2_model_free(b);
}

/* ---- what settings imply --------------------------------------------------------------------- */

static void implied(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_MAP);
    rm2_fit_plan *plan = plan_of(points, &s);
    const rm2_fit_plan_info *i = rm2_fit_plan_info_of(plan);
    assert_true(i->settings->gpdm_weight == 0);
    assert_true(i->note_count == 1 && i->notes[0].warning);
    assert_string_equal(i->notes[0].setting, "gpdm_weight");
    assert_string_equal(i->notes[0].value, "0");
    rm2_fit_plan_free(plan);
    const rm2_setting_text wanted[] = {{"gpdm_weight", "1"}};
    s.texts = wanted;
    s.text_count = 1;
    rejected(points, &s, "needs trajectories");
    s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.noise = RM2_NOISE_PER_OUTPUT;
    plan = plan_of(demos, &s);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->task, RM2_TASK_LEARNED);
    assert_non_null(reason(plan, "task"));
    rm2_fit_plan_free(plan);
    s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.compact = true;
    plan = plan_of(demos, &s);
    assert_int_equal(rm2_fit_plan_info_of(plan)->settings->inference, RM2_INFERENCE_INDUCING);
    rm2_fit_plan_free(plan);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* One text each, and a word of the message. */
static void contradictions(void **state) {
    (void)state;
    static const struct {
        rm2_setting_text text;
        const char *words;
    } cases[] = {
        {{"ard", "yes"}, "settings.ard needs a lengthscale that is learned"},
        {{"task_noise", "0.1"}, "settings.task_noise needs settings.noise per-output"},
        {{"noise_bound", "1e-3"}, "settings.noise_bound needs settings.softplus"},
        {{"task_random", "yes"}, "settings.task_random needs settings.task learned"},
        {{"gpdm_noise", "1"}, "settings.gpdm_noise needs settings.gpdm_weight"},
        {{"back_ridge", "1"}, "settings.back_ridge needs settings.back_constraint"},
        {{"learning_rate", "1"}, "settings.optim.learning_rate needs settings.optimiser adam"},
        {{"init", "given"}, "settings.init given needs settings.init_latent"},
        {{"base", "given"}, "settings.base given needs settings.base_point"},
        {{"latent_dim", "auto"}, "which needs data without trajectories"},
        {{"latent_dim", "25"}, "more latent dimensions than points"},
        {{"lengthscale", "gamma:1:1"}, "settings.lengthscale is held"},
        {{"kernel", "cubic"}, "settings.kernel is \"cubic\", expected one of"},
        {{"kernle", "se"}, "unknown setting \"kernle\" of fit; the nearest name is \"kernel\""},
        {{"kernel", NULL}, "settings.texts"},
        {{NULL, "se"}, "settings.texts"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rm2_fit_settings s = with(&cases[k].text, 1);
        rejected(demos, &s, cases[k].words);
    }
    const rm2_setting_text off[] = {{"task_random", "no"}, {"ard", "no"}};
    rm2_fit_settings s = with(off, 2); /* switching off needs nothing */
    rm2_fit_plan_free(plan_of(demos, &s));
}

static void arrays(void **state) {
    (void)state;
    static const size_t chosen[] = {0, 5};
    const double base[5] = {0, 0, 1, 0, 0};
    const rm2_setting_text isomap[] = {{"init", "isomap"}}, count[] = {{"inducing", "2"}},
                           none[] = {{"latent_dim", "auto"}}, frechet[] = {{"base", "frechet"}};
    rm2_fit_settings s = with(isomap, 1);
    s.init_latent = demos->points;
    rejected(demos, &s, "settings.init and settings.init_latent exclude each other");
    s = with(none, 1);
    s.init_latent = demos->points;
    rejected(demos, &s, "settings.init_latent needs a number of dimensions");
    s = with(count, 1);
    s.inducing_points = chosen;
    rejected(demos, &s, "settings.inducing_points and settings.inducing exclude each other");
    s = with(frechet, 1);
    s.base_point = base;
    rejected(demos, &s, "settings.base and settings.base_point exclude each other");
    s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.inducing_points = chosen;
    s.inducing = 2;
    s.init_latent = demos->points;
    s.base_point = base;
    rm2_fit_plan *plan = plan_of(demos, &s);
    const rm2_fit_settings *own = rm2_fit_plan_info_of(plan)->settings;
    assert_true(own->inference == RM2_INFERENCE_INDUCING && own->init == RM2_INIT_GIVEN &&
                own->base == RM2_BASE_GIVEN);
    rm2_fit_plan_free(plan);
}

/* Rules that need no data hold before there are any. */
static void checks_without_data(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    ok(rm2_fit_check(ctx, NULL, &s));
    s.ard = true;
    assert_int_equal(rm2_fit_check(ctx, NULL, &s), RM2_ERR_ARGUMENT);
    s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s.latent_dim = 1000;
    ok(rm2_fit_check(ctx, NULL, &s));
    assert_int_equal(rm2_fit_check(ctx, demos, &s), RM2_ERR_ARGUMENT);
}

/* ---- running --------------------------------------------------------------------------------- */

/* A plan keeps its data, and can be run again. */
static void plans_run(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 8);
    rm2_fit_settings s = robust_settings(4);
    rm2_fit_plan *plan = plan_of(data, &s);
    rm2_model *whole = fit_model(data, &s), *first, *second;
    rm2_data_free(data);
    ok(rm2_fit_run(ctx, plan, NULL, &first));
    ok(rm2_fit_run(ctx, plan, NULL, &second));
    rm2_fit_plan_free(plan);
    const rm2_model *models[] = {first, second};
    for (int k = 0; k < 2; k++) {
        check_model(models[k]);
        assert_memory_equal(rm2_model_info_of(models[k])->latents,
                            rm2_model_info_of(whole)->latents, 16 * 2 * sizeof(double));
    }
    rm2_model_free(whole);
    rm2_model_free(first);
    rm2_model_free(second);
}

/* The table of dimensions is the one of rm2_fit_choose_latent. */
static void dimensions(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    rm2_latent_choice rows[3];
    size_t tried, chosen;
    s.latent_dim = 0;
    rm2_fit_plan *plan = plan_of(points, &s);
    const rm2_fit_plan_info *i = rm2_fit_plan_info_of(plan);
    ok(rm2_fit_choose_latent(ctx, points, NULL, 3, rows, &tried, &chosen));
    assert_true(i->dimension_count >= 1 && i->dimension_count == tried && i->chosen == chosen);
    assert_int_equal(i->settings->latent_dim, rows[chosen].latent_dim);
    assert_int_equal(i->settings->init, rows[chosen].init);
    for (size_t k = 0; k < tried; k++)
        assert_true(rows[k].log_density == i->dimensions[k].log_density);
    rm2_fit_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spiral_starts_with_isomap),
        cmocka_unit_test(data_decide_the_recipe),
        cmocka_unit_test(texts_wait_for_the_recipe),
        cmocka_unit_test(members_are_texts),
        cmocka_unit_test(implied),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(arrays),
        cmocka_unit_test(checks_without_data),
        cmocka_unit_test(plans_run),
        cmocka_unit_test(dimensions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
