/* From a file to a compact model; several processes read a part of the file each, where that is possible. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/divided.h"
#include "fit/plan.h"
#include "fit/run.h"
#include "model/rules.h"
#include "settings/settings.h"
#include "train/scattered.h"

/* The data and settings of a fit. */
typedef struct request {
    const char *path;
    rm2_data_settings data;
    rm2_fit_settings fit;
    rm2_checkpoint checkpoint; /* only the root uses the path; NULL: none */
} request;

/* ---- every process --------------------------------------------------------------------------- */

/* All processes decide by the sizes of all points: alike. */
static rm2_status create_model(rm2_context *ctx, const request *q, const rm2i_divided *d,
                               rm2_model **m) {
    const rm2i_fit_subject all = {d->own->manifold, d->rows.all, d->rows.all_trajectories,
                                  d->own->source};
    rm2_fit_plan *plan;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *plan, &plan));
    rm2_status status = rm2i_plan_decide(ctx, &q->fit, &all, plan);
    if (status == RM2_OK && plan->settings.model != RM2_GPLVM)
        status = rm2i_data_regular(ctx, d->own);
    if (status == RM2_OK) {
        rm2i_plan_log(ctx, "", plan);
        rm2i_warn_dimensions(ctx, &plan->settings, all.manifold);
        rm2i_rules_log_inference(ctx, &plan->settings, all.points);
        status = rm2i_model_create(ctx, d->own, &plan->settings, m);
    }
    free(plan);
    return status;
}

/* What a compact model does not have. */
static void log_start(rm2_context *ctx, const rm2_start_report *r) {
    size_t reversed = 0, outliers = 0, resting = 0;
    for (size_t d = 0; r && d < r->demos; d++) {
        reversed += r->demo[d].reversed;
        outliers += r->demo[d].outliers;
        resting += r->demo[d].resting;
    }
    if (r)
        rm2i_log(ctx, RM2_LOG_INFO,
                 "%zu demonstrations aligned, %zu famil%s; %zu reversed, %zu points of pauses, %zu "
                 "outliers",
                 r->demos, r->families, r->families == 1 ? "y" : "ies", reversed, resting,
                 outliers);
}

/* *model is the root's. */
static rm2_status fit_parts(rm2_context *ctx, const request *q, rm2_model **model) {
    rm2i_divided d;
    rm2_model *m = NULL;
    rm2_status status = rm2i_data_read_divided(ctx, q->path, &q->data, &d);
    if (status == RM2_OK)
        status = rm2i_rows_agree(ctx, &d.rows, create_model(ctx, q, &d, &m));
    if (status == RM2_OK) {
        m->rows = &d.rows;
        status = rm2i_fit_model(ctx, &m->settings, &q->checkpoint, m);
    }
    if (status == RM2_OK)
        log_start(ctx, m->start_report);
    if (status == RM2_OK)
        status = rm2i_model_compact(ctx, m, (const char *const *)d.ids, 0, model);
    rm2_model_free(m);
    rm2i_divided_clear(&d);
    return status;
}

/* ---- the request on all processes ------------------------------------------------------------ */

/* Texts that the settings of other processes point to. */
typedef struct texts {
    size_t count;
    char **text;
} texts;

/* A text of the root, or NULL, on all processes. */
static rm2_status share_text(rm2_context *ctx, const rm2i_rows *none, const char **text,
                             texts *own) {
    const char *first = rm2i_rows_root(none) ? *text : NULL;
    size_t size = first ? strlen(first) + 1 : 0;
    char *copy = NULL;
    rm2_status status = RM2_OK;
    rm2i_rows_broadcast(none, &size, sizeof size);
    if (size > 0)
        status = rm2i_alloc(ctx, size, 1, &copy);
    own->text[own->count++] = copy;
    RM2_TRY(rm2i_rows_agree(ctx, none, status));
    if (first && copy)
        memcpy(copy, first, size);
    rm2i_rows_broadcast(none, copy, size);
    *text = copy;
    return RM2_OK;
}

static rm2_status share_texts(rm2_context *ctx, const rm2i_rows *none, request *q, texts *own) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_DATA);
    RM2_TRY(rm2i_rows_agree(ctx, none,
                            rm2i_calloc(ctx, table->count + 2, sizeof *own->text, &own->text)));
    RM2_TRY(share_text(ctx, none, &q->path, own));
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *row = rm2_settings_at(table, k);
        rm2i_value value = {.text = NULL};
        if (row->type != RM2_SETTING_TEXT)
            continue;
        if (rm2i_rows_root(none))
            rm2i_setting_load(row, &q->data, &value);
        RM2_TRY(share_text(ctx, none, &value.text, own));
        rm2i_setting_store(row, &value, &q->data);
    }
    return RM2_OK;
}

/* All processes get the request of the root, and fit. */
static rm2_status fit_together(rm2_context *ctx, request *q, rm2_model **model) {
    const rm2i_rows none = rm2i_rows_none(ctx);
    texts own = {.count = 0};
    const char *path = q->checkpoint.path;
    rm2i_rows_broadcast(&none, q, sizeof *q);
    if (!rm2i_rows_root(&none)) {
        q->checkpoint.path = q->checkpoint.path ? "" : NULL;
        q->path = NULL;
    } else
        q->checkpoint.path = path;
    rm2_status status = share_texts(ctx, &none, q, &own);
    if (status == RM2_OK)
        status = fit_parts(ctx, q, model);
    rm2i_texts_free(own.text, own.text ? own.count : 0);
    return status;
}

rm2_status rm2i_fit_file_join(rm2_context *ctx) {
    request q = {.path = NULL};
    rm2_model *none = NULL;
    return fit_together(ctx, &q, &none);
}

/* ---- the root -------------------------------------------------------------------------------- */

/* Can every process read its part? */
static bool divisible(rm2_context *ctx, const request *q) {
    const rm2_fit_settings *s = &q->fit;
    return (s->init == RM2_INIT_ALIGNED || s->init == RM2_INIT_ISOMAP) && s->latent_dim > 0 &&
           s->base != RM2_BASE_GIVEN && !s->inducing_points && !s->back_kernels &&
           s->families != RM2_FAMILIES_LABEL && rm2i_data_divisible(ctx, q->path, &q->data);
}

static rm2_status fit_whole(rm2_context *ctx, const request *q, rm2_model **model) {
    rm2_data *data;
    rm2_model *whole;
    RM2_TRY(rm2_data_read(ctx, q->path, &q->data, &data, NULL, NULL));
    rm2_status status = rm2_fit(ctx, data, &q->fit, &q->checkpoint, &whole);
    rm2_data_free(data);
    RM2_TRY(status);
    status = rm2_model_compact(ctx, whole, 0, model);
    rm2_model_free(whole);
    return status;
}

static rm2_status fit_shared(rm2_context *ctx, request *q, rm2_model **model) {
    RM2_TRY(rm2i_training_check(ctx, &q->fit));
    rm2i_activity_begin(ctx, "fit", q->fit.optim.max_iterations);
    rm2i_announce(ctx, RM2I_WORK_FIT_FILE);
    rm2_status status = fit_together(ctx, q, model);
    rm2i_activity_end(ctx);
    return status;
}

/* By all processes; RM2_ERR_UNSUPPORTED where the root has to read all data. The other processes get settings without texts:
 * what these say is decided before, and all but the number of trajectories is known: they are divided only if their recipe
 * is. */
static rm2_status fit_divided(rm2_context *ctx, const request *given, rm2_model **model) {
    request q = *given;
    rm2_fit_plan *plan;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *plan, &plan));
    rm2_status status = rm2i_plan_decide(ctx, &given->fit, NULL, plan);
    q.fit = plan->settings;
    if (status == RM2_OK && plan->open && !q.data.group)
        status = RM2_ERR_UNSUPPORTED;
    if (status == RM2_OK && !divisible(ctx, &q))
        status = RM2_ERR_UNSUPPORTED;
    if (status == RM2_OK)
        rm2i_plan_log(ctx, "", plan);
    free(plan);
    return status == RM2_OK ? fit_shared(ctx, &q, model) : status;
}

rm2_status rm2_fit_file(rm2_context *ctx, const char *path, const rm2_data_settings *data,
                        const rm2_fit_settings *settings, const rm2_checkpoint *checkpoint,
                        rm2_model **model) {
    request q = {.path = path, .fit = rm2_fit_settings_recipe(RM2_RECIPE_AUTO)};
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_REQUIRE(ctx, path);
    RM2_TRY(rm2i_rows_expect_root(ctx));
    const rm2i_rows none = rm2i_rows_none(ctx);
    RM2_TRY(rm2i_data_settings_overlay(ctx, data, true, &q.data));
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &q.fit));
    q.fit.compact = true;
    RM2_TRY(rm2_fit_check(ctx, NULL, &q.fit));
    if (checkpoint)
        q.checkpoint = *checkpoint;
    if (rm2i_rows_shared(&none)) {
        rm2_status status = fit_divided(ctx, &q, model);
        if (status != RM2_ERR_UNSUPPORTED) /* such as an array in another order */
            return status;
        rm2i_log(ctx, RM2_LOG_INFO, "one process reads and prepares all data");
    }
    return fit_whole(ctx, &q, model);
}
