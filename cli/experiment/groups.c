/* Labelled points without trajectories: what the model keeps of points that it has not seen, whether the groups differ, and how
 * well labels are predicted. Labels are not used in training. */
#include "experiment/groups.h"

#include <math.h>
#include <stdlib.h>

/* ---- which data ------------------------------------------------------------------------------- */

static size_t points_of(const rm2_data *d, size_t label) {
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += d->labels[i] == label;
    return count;
}

static rm2_labelled view_of(const rm2_data *d) {
    return (rm2_labelled){.size = sizeof(rm2_labelled),
                          .manifold = d->manifold,
                          .n = d->count,
                          .points = d->points,
                          .labels = d->labels,
                          .label_count = d->label_count};
}

/* Few labels with enough points each; otherwise the reason is reported. */
static bool can_compare(const experiment_run *r, size_t folds) {
    const rm2_data *d = r->reference;
    if (r->experiment->trajectories || d->trajectories > 0 || !d->labels)
        return false;
    if (d->label_count < 2 || d->label_count > MOST_GROUPS) {
        experiment_say(r, "groups are not compared: %zu labels, expected 2 to %d", d->label_count,
                       MOST_GROUPS);
        return false;
    }
    for (size_t k = 0; k < d->label_count; k++)
        if (d->label_names[k][0] == '\0') {
            experiment_say(r, "groups are not compared: %zu point%s no label", points_of(d, k),
                           points_of(d, k) == 1 ? " has" : "s have");
            return false;
        }
    for (size_t k = 0; k < d->label_count; k++)
        if (points_of(d, k) < folds) {
            experiment_say(
                r, "groups are not compared: label %s has %zu point%s, expected at least %zu",
                d->label_names[k], points_of(d, k), plural(points_of(d, k)), folds);
            return false;
        }
    return true;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static rm2_status find_held_out(const experiment_run *r, group_results *g) {
    const trained *t = experiment_wrapped(r);
    if (t->info->data->trajectories > 0 || t->info->latent_dim >= t->info->outputs)
        return RM2_OK;
    experiment_say(r, "holding out points in turn");
    g->held_out.size = sizeof g->held_out;
    return rm2_model_held_out(r->work.ctx, t->model, &g->held_out);
}

static rm2_status find_means(const experiment_run *r, const rm2_labelled *data, group_results *g) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    g->means = malloc(data->label_count * ambient * sizeof *g->means);
    if (!g->means)
        return RM2_ERR_MEMORY;
    g->groups->size = sizeof *g->groups;
    WORK_TRY(rm2_group_means(r->work.ctx, data, NULL, g->means, g->groups));
    for (size_t k = 0; k < data->label_count; k++)
        g->unconverged += !g->groups[k].converged;
    return RM2_OK;
}

/* The distance between the means of two labels, and how often chance brings them as far apart. */
static rm2_status test_pair(const experiment_run *r, const rm2_labelled *data, size_t a, size_t b,
                            group_results *g) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    rm2_test_settings s = rm2_test_settings_default();
    group_test *t = &g->tests[g->test_count++];
    s.statistic = RM2_TEST_TANGENT;
    s.seed = r->work.common->seed;
    *t = (group_test){.first = a, .second = b};
    WORK_TRY(rm2_manifold_distance(r->work.ctx, data->manifold, 1, g->means + a * ambient, 1,
                                   g->means + b * ambient, &t->distance));
    t->result.size = sizeof t->result;
    WORK_TRY(rm2_group_test(r->work.ctx, data, a, b, &s, NULL, &t->result));
    g->unconverged += !t->result.converged;
    return RM2_OK;
}

static rm2_status test_pairs(const experiment_run *r, const rm2_labelled *data, group_results *g) {
    double p[MOST_TESTS];
    for (size_t a = 0; a < data->label_count; a++)
        for (size_t b = a + 1; b < data->label_count; b++)
            WORK_TRY(test_pair(r, data, a, b, g));
    for (size_t k = 0; k < g->test_count; k++)
        p[k] = g->tests[k].result.p_value;
    WORK_TRY(rm2_adjust_p_values(r->work.ctx, g->test_count, p, p));
    for (size_t k = 0; k < g->test_count; k++)
        g->tests[k].adjusted = p[k];
    return RM2_OK;
}

/* All methods but exact geodesics, which take hours on large matrices. */
static rm2_status predict(const experiment_run *r, const rm2_labelled *data, group_results *g) {
    size_t unconverged;
    for (int k = 0; k < RM2_CLASSIFIERS; k++)
        if (k != RM2_CLASSIFY_LATENT_GEODESIC)
            g->methods[g->method_count++] = (rm2_classifier)k;
    double *right = calloc(g->method_count * data->n, sizeof *right);
    if (!right)
        return RM2_ERR_MEMORY;
    g->classify.seed = r->work.common->seed;
    g->classify.latent_dim = experiment_wrapped(r)->info->latent_dim;
    experiment_say(r, "predicting labels by %zu methods", g->method_count);
    rm2_status status = rm2_classify(r->work.ctx, data, &g->classify, g->method_count, g->methods,
                                     right, &unconverged);
    for (size_t k = 0; k < g->method_count && status == RM2_OK; k++) {
        g->accuracy[k].size = sizeof g->accuracy[k];
        status = rm2_labelled_accuracy(r->work.ctx, data, right + k * data->n, &g->accuracy[k],
                                       NULL, NULL);
    }
    g->unconverged += status == RM2_OK ? unconverged : 0;
    free(right);
    return status;
}

static rm2_status compare_groups(const experiment_run *r, group_results *g) {
    const rm2_labelled data = view_of(r->reference);
    g->count = data.label_count;
    WORK_TRY(find_means(r, &data, g));
    WORK_TRY(test_pairs(r, &data, g));
    return predict(r, &data, g);
}

int experiment_groups(experiment_run *r) {
    group_results *g = &r->groups;
    g->classify = rm2_classify_settings_default();
    g->classify.repeats = 1;
    if (r->experiment->trajectories)
        return EXIT_DONE;
    rm2_status status = find_held_out(r, g);
    if (status == RM2_OK && can_compare(r, g->classify.folds))
        status = compare_groups(r, g);
    return work_check(&r->work, status);
}
