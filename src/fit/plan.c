/* The plan of a fit. */
#include "fit/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "fit/folds.h"
#include "fit/run.h"
#include "model/rules.h"
#include "settings/settings.h"

static const double SHORT_LENGTHSCALE = 0.2, SMALL_NOISE = 0.005;

/* ---- notes ---------------------------------------------------------------------------------- */

static void note(rm2_fit_plan *p, const char *setting, bool warning, const char *reason) {
    size_t k = p->info.note_count;
    if (k == RM2I_FIT_NOTES)
        return;
    (void)rm2_settings_get(NULL, rm2_settings_table_of(RM2_SETTINGS_FIT), &p->settings, setting,
                           p->values[k], RM2I_FIT_VALUE);
    (void)snprintf(p->reasons[k], RM2I_FIT_REASON, "%s", reason);
    p->notes[k] = (rm2_fit_note){setting, p->values[k], p->reasons[k], warning};
    p->info.note_count++;
}

void rm2i_plan_log(rm2_context *ctx, const char *prefix, const rm2_fit_plan *p) {
    for (size_t k = 0; k < p->info.note_count; k++) {
        const rm2_fit_note *n = &p->notes[k];
        rm2i_log(ctx, n->warning ? RM2_LOG_WARNING : RM2_LOG_INFO, "%s%s %s, since %s", prefix,
                 n->setting, n->value, n->reason);
    }
}

/* ---- what was given ------------------------------------------------------------------------- */

/* What a caller hands over, within its ranges. */
typedef struct request {
    rm2_fit_settings own;
    rm2_recipe recipe;
    rm2i_given given;
} request;

static bool same(const rm2_setting *row, const void *a, const void *b) {
    char one[160], other[160];
    rm2i_value value;
    rm2i_setting_load(row, a, &value);
    (void)rm2i_setting_format(row, &value, one, sizeof one);
    rm2i_setting_load(row, b, &value);
    (void)rm2i_setting_format(row, &value, other, sizeof other);
    return strcmp(one, other) == 0;
}

/* A name of settings.texts; the recipe counts here, the other values once it is known. */
static rm2_status parse_text(rm2_context *ctx, const rm2_setting_text *text, request *r) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_fit_settings scratch = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    if (!text->name || !text->text)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.texts: a name or a text is NULL");
    const rm2_setting *row = rm2_settings_find(table, text->name);
    if (!row) /* the message of an unknown name */
        return rm2_settings_set(ctx, table, &scratch, text->name, text->text);
    if (row->type == RM2_SETTING_RECIPE) {
        RM2_TRY(rm2_settings_set(ctx, table, &scratch, text->name, text->text));
        r->recipe = scratch.recipe;
    }
    r->given.given[row - table->rows] = r->given.named[row - table->rows] = true;
    return RM2_OK;
}

static rm2_status overlay_request(rm2_context *ctx, const rm2_fit_settings *settings, request *r) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    r->own = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &r->own));
    RM2_TRY(rm2_settings_check(ctx, table, &r->own));
    const rm2_fit_settings usual = rm2_fit_settings_recipe(r->own.recipe);
    for (size_t k = 0; k < table->count; k++)
        r->given.given[k] = !same(&table->rows[k], &r->own, &usual);
    r->recipe = r->own.recipe;
    for (size_t k = 0; k < r->own.text_count; k++)
        RM2_TRY(parse_text(ctx, &r->own.texts[k], r));
    return RM2_OK;
}

/* The settings of a recipe, with those that were given in their places. */
static rm2_status apply(rm2_context *ctx, const request *r, rm2_recipe recipe,
                        rm2_fit_settings *s) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    const rm2_fit_settings usual = rm2_fit_settings_recipe(recipe);
    *s = r->own;
    for (size_t k = 0; k < table->count; k++) {
        rm2i_value value;
        if (r->given.given[k] && !r->given.named[k])
            continue;
        rm2i_setting_load(&table->rows[k], &usual, &value);
        rm2i_setting_store(&table->rows[k], &value, s);
    }
    s->recipe = recipe;
    for (size_t k = 0; k < r->own.text_count; k++)
        if (strcmp(r->own.texts[k].name, "recipe") != 0)
            RM2_TRY(rm2_settings_set(ctx, table, s, r->own.texts[k].name, r->own.texts[k].text));
    s->texts = NULL;
    s->text_count = 0;
    return RM2_OK;
}

/* ---- what settings imply -------------------------------------------------------------------- */

/* Recipe robust was made for trajectories with Kronecker noise; elsewhere its kernel is shorter and its noise smaller. */
static void imply_robust(const rm2i_given *g, const rm2i_fit_subject *subject, rm2_fit_plan *p) {
    static const char still[] = "there are no trajectories, whose length gives the lengthscale",
                      own[] = "the noise is not relative to the covariance of the outputs";
    rm2_fit_settings *s = &p->settings;
    bool loose = subject && subject->trajectories == 0;
    if (s->recipe != RM2_RECIPE_ROBUST)
        return;
    if (loose && !(s->lengthscale.start > 0) && !rm2i_rules_given(g, "lengthscale")) {
        s->lengthscale.start = SHORT_LENGTHSCALE;
        note(p, "lengthscale", false, still);
    }
    if ((loose || s->noise == RM2_NOISE_PER_OUTPUT) && !rm2i_rules_given(g, "noise_variance")) {
        s->noise_variance.start = SMALL_NOISE;
        note(p, "noise_variance", false, loose ? still : own);
    }
}

static void imply(const request *r, const rm2i_fit_subject *subject, rm2_fit_plan *p) {
    rm2_fit_settings *s = &p->settings;
    const rm2i_given *g = &r->given;
    bool asked = s->compact || s->inducing > 0 || s->inducing_free || s->inducing_points;
    if (!rm2i_rules_given(g, "task") &&
        (s->noise == RM2_NOISE_PER_OUTPUT || rm2i_rules_given(g, "task_rank")) &&
        s->task != RM2_TASK_LEARNED) {
        s->task = RM2_TASK_LEARNED;
        note(p, "task", false,
             s->noise == RM2_NOISE_PER_OUTPUT
                 ? "with a noise per output the covariance of the outputs has no closed form"
                 : "settings.task_rank is of a covariance of the outputs that is learned");
    }
    if (s->inference == RM2_INFERENCE_AUTO && asked)
        s->inference = RM2_INFERENCE_INDUCING;
    if (s->back_kernels && !rm2i_rules_given(g, "back_constraint"))
        s->back_constraint = true;
    if (s->init_latent && !rm2i_rules_given(g, "init"))
        s->init = RM2_INIT_GIVEN;
    if (s->base_point && !rm2i_rules_given(g, "base"))
        s->base = RM2_BASE_GIVEN;
    if (subject && subject->trajectories == 0 && s->gpdm_weight > 0 &&
        !rm2i_rules_given(g, "gpdm_weight")) {
        s->gpdm_weight = 0;
        note(p, "gpdm_weight", true,
             "there are no trajectories, and so no dynamics prior of the recipe; name their column "
             "with settings.group");
    }
    imply_robust(g, subject, p);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static rm2_status settle(rm2_context *ctx, const request *r, const rm2i_fit_subject *subject,
                         rm2_recipe recipe, rm2_fit_plan *p) {
    p->info.note_count = 0;
    RM2_TRY(apply(ctx, r, recipe, &p->settings));
    imply(r, subject, p);
    return rm2i_rules_consistent(ctx, &p->settings, &r->given);
}

static rm2_status check_latent(rm2_context *ctx, const rm2_fit_settings *s,
                               const rm2i_fit_subject *subject) {
    if (s->latent_dim == 0 && (s->task != RM2_TASK_INTEGRATED || subject->trajectories > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.latent_dim is automatic, which needs data without trajectories "
                         "and settings.task integrated");
    if (s->latent_dim <= subject->points)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "settings.latent_dim %zu: more latent dimensions than points (%zu)",
                     s->latent_dim, subject->points);
}

static rm2_status check_sizes(rm2_context *ctx, const rm2_fit_settings *s,
                              const rm2i_fit_subject *subject) {
    rm2_fit_settings least = *s;
    const rm2i_fit_sizes sizes = {subject->points, rm2i_rules_outputs(s, subject->manifold),
                                  subject->trajectories};
    least.latent_dim += s->latent_dim == 0; /* the smallest that could be chosen */
    RM2_TRY(check_latent(ctx, s, subject));
    if (s->init == RM2_INIT_AUTO && s->task != RM2_TASK_INTEGRATED)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.init is auto, which needs settings.task integrated");
    return rm2i_rules_check(ctx, &least, &sizes);
}

/* Recipe points for the data, or why not. */
static rm2_status try_points(rm2_context *ctx, const request *r, const rm2i_fit_subject *subject,
                             rm2_fit_plan *p, bool *good) {
    char reason[RM2I_FIT_REASON];
    RM2_TRY(settle(ctx, r, subject, RM2_RECIPE_POINTS, p));
    rm2_status status = check_sizes(ctx, &p->settings, subject);
    *good = status == RM2_OK;
    if (status != RM2_ERR_ARGUMENT && status != RM2_ERR_DATA)
        return status;
    (void)snprintf(reason, sizeof reason, "%s", rm2_context_error(ctx));
    RM2_TRY(settle(ctx, r, subject, RM2_RECIPE_ROBUST, p));
    note(p, "recipe", false, reason);
    return RM2_OK;
}

rm2_status rm2i_plan_decide(rm2_context *ctx, const rm2_fit_settings *settings,
                            const rm2i_fit_subject *subject, rm2_fit_plan *p) {
    request r = {.recipe = RM2_RECIPE_AUTO};
    bool good = false;
    RM2_TRY(overlay_request(ctx, settings, &r));
    if (subject && subject->points < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "training needs at least 2 points, %s has %zu",
                         subject->source, subject->points);
    p->open = r.recipe == RM2_RECIPE_AUTO;
    if (p->open && subject && subject->trajectories == 0)
        RM2_TRY(try_points(ctx, &r, subject, p, &good));
    else
        RM2_TRY(settle(ctx, &r, subject, p->open ? RM2_RECIPE_ROBUST : r.recipe, p));
    return subject && !good ? check_sizes(ctx, &p->settings, subject) : RM2_OK;
}

rm2i_fit_subject rm2i_fit_subject_of(const rm2_data *data) {
    return (rm2i_fit_subject){data->manifold, data->count, data->trajectories, data->source};
}

rm2_status rm2_fit_check(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings) {
    rm2_fit_plan *p;
    rm2i_fit_subject subject;
    RM2_REQUIRE_EACH(ctx, ctx);
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    if (data)
        subject = rm2i_fit_subject_of(data);
    rm2_status status = rm2i_plan_decide(ctx, settings, data ? &subject : NULL, p);
    free(p);
    return status;
}

/* ---- what needs the data -------------------------------------------------------------------- */

static rm2_status choose_dimension(rm2_context *ctx, rm2_fit_plan *p) {
    size_t tried, chosen;
    RM2_TRY(rm2i_choose_dimension(ctx, p->data, &p->settings, RM2I_FIT_DIMENSIONS, p->dimensions,
                                  &tried, &chosen));
    p->info.dimension_count = tried;
    p->info.chosen = chosen;
    p->settings.latent_dim = p->dimensions[chosen].latent_dim;
    p->settings.init = p->dimensions[chosen].init;
    note(p, "latent_dim", false, "points held out have the highest density, or nearly so");
    return RM2_OK;
}

static rm2_status choose(rm2_context *ctx, rm2_fit_plan *p) {
    rm2_fit_settings *s = &p->settings;
    rm2_init_kind init;
    RM2_TRY(rm2i_data_usable(ctx, p->data, s));
    if (s->latent_dim == 0)
        RM2_TRY(choose_dimension(ctx, p));
    if (s->init != RM2_INIT_AUTO)
        return RM2_OK;
    RM2_TRY(rm2i_choose_start(ctx, p->data, s, &init));
    s->init = init;
    note(p, "init", false, "models with this start describe points held out best");
    return RM2_OK;
}

rm2_status rm2_fit_choose_latent(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *settings, size_t count,
                                 rm2_latent_choice *rows, size_t *tried, size_t *chosen) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    rm2_fit_plan *p;
    RM2_REQUIRE(ctx, data, rows, tried, chosen);
    const rm2i_fit_subject subject = rm2i_fit_subject_of(data);
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    s.latent_dim = 0;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    rm2_status status = rm2i_plan_decide(ctx, &s, &subject, p);
    p->settings.latent_dim = 0;
    if (status == RM2_OK)
        status = check_latent(ctx, &p->settings, &subject);
    if (status == RM2_OK)
        status = rm2i_choose_dimension(ctx, data, &p->settings, count, rows, tried, chosen);
    free(p);
    return status;
}

void rm2i_warn_dimensions(rm2_context *ctx, const rm2_fit_settings *s, const rm2_manifold *m) {
    size_t dim = rm2_manifold_dim(m);
    if (s->latent_dim > dim)
        rm2i_log(ctx, RM2_LOG_WARNING, "%zu latent dimensions for data of dimension %zu",
                 s->latent_dim, dim);
}

static rm2_status create(rm2_context *ctx, const rm2_fit_settings *settings, rm2_fit_plan *p) {
    const rm2i_fit_subject subject = rm2i_fit_subject_of(p->data);
    RM2_TRY(rm2i_plan_decide(ctx, settings, &subject, p));
    RM2_TRY(choose(ctx, p));
    rm2i_warn_dimensions(ctx, &p->settings, p->data->manifold);
    if (p->settings.task != RM2_TASK_INTEGRATED) /* which counts distinct points */
        rm2i_rules_log_inference(ctx, &p->settings, p->data->count);
    p->info.settings = &p->settings;
    p->info.notes = p->notes;
    p->info.dimensions = p->dimensions;
    return RM2_OK;
}

rm2_status rm2_fit_plan_create(rm2_context *ctx, const rm2_data *data,
                               const rm2_fit_settings *settings, rm2_fit_plan **plan) {
    RM2_REQUIRE(ctx, plan);
    *plan = NULL;
    RM2_REQUIRE(ctx, data);
    rm2_fit_plan *p;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    p->data = rm2_data_retain(data);
    rm2_status status = create(ctx, settings, p);
    if (status == RM2_OK)
        *plan = p;
    else
        rm2_fit_plan_free(p);
    return status;
}

void rm2_fit_plan_free(rm2_fit_plan *plan) {
    if (!plan)
        return;
    rm2_data_free(plan->data);
    free(plan);
}

const rm2_fit_plan_info *rm2_fit_plan_info_of(const rm2_fit_plan *plan) {
    return plan ? &plan->info : NULL;
}

/* ---- training ------------------------------------------------------------------------------- */

rm2_status rm2_fit_run(rm2_context *ctx, const rm2_fit_plan *plan, const rm2_checkpoint *checkpoint,
                       rm2_model **model) {
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_REQUIRE(ctx, plan);
    return rm2i_fit_settled(ctx, plan->data, &plan->settings, checkpoint, model);
}

rm2_status rm2_fit_inspect(rm2_context *ctx, const rm2_fit_plan *plan, rm2_start_report **report) {
    RM2_REQUIRE(ctx, report);
    *report = NULL;
    RM2_REQUIRE(ctx, plan);
    return rm2i_fit_inspect(ctx, plan->data, &plan->settings, report);
}

rm2_status rm2_fit(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                   const rm2_checkpoint *checkpoint, rm2_model **model) {
    rm2_fit_plan *plan;
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_TRY(rm2_fit_plan_create(ctx, data, settings, &plan));
    rm2i_plan_log(ctx, "", plan);
    rm2_status status = rm2_fit_run(ctx, plan, checkpoint, model);
    rm2_fit_plan_free(plan);
    return status;
}
