/* Fréchet means of the points of each label. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "statistics/statistics.h"

typedef struct grouping {
    size_t n, D, labels;
    size_t *index;     /* n: points of a label */
    size_t *subject;   /* n: numbers of subjects */
    size_t *seen;      /* subjects: label + 1 of the last group they were counted in */
    double *points;    /* n x D: those of a label */
    rm2_group *groups; /* one per label */
    double *memory;
} grouping;

static void lay_out(void *arg, rm2i_arena *a) {
    grouping *g = arg;
    g->index = rm2i_reserve(a, size_t, g->n);
    g->subject = rm2i_reserve(a, size_t, g->n);
    g->seen = rm2i_reserve(a, size_t, g->n);
    g->points = rm2i_reserve(a, double, g->n, g->D);
    g->groups = rm2i_reserve(a, rm2_group, g->labels);
}

static rm2_group count_group(const rm2_labelled *data, size_t label, grouping *g) {
    rm2_group group = {.points = 0};
    for (size_t i = 0; i < data->n; i++) {
        if (data->labels[i] != label)
            continue;
        g->index[group.points++] = i;
        group.subjects += g->seen[g->subject[i]] != label + 1;
        g->seen[g->subject[i]] = label + 1;
    }
    return group;
}

static rm2_status mean_of_label(rm2_context *ctx, const rm2_labelled *data, size_t label,
                                const rm2_mean_settings *settings, grouping *g, double *mean,
                                rm2_group *group) {
    rm2_mean_info info = {.size = sizeof info};
    *group = count_group(data, label, g);
    for (size_t k = 0; group->points == 0 && k < g->D; k++)
        mean[k] = NAN;
    if (group->points == 0)
        return RM2_OK;
    rm2i_gather(g->D, group->points, g->index, data->points, g->points);
    rm2_status status = rm2_manifold_mean(ctx, data->manifold, group->points, g->points, NULL,
                                          settings, mean, &info);
    group->converged = info.converged;
    group->variance = info.variance;
    return status == RM2_OK || status == RM2_INTERRUPTED
               ? status
               : rm2i_fail_prefix(ctx, status, "label %zu (counted from 0)", label);
}

rm2_status rm2_group_means(rm2_context *ctx, const rm2_labelled *data,
                           const rm2_mean_settings *settings, double *means, rm2_group *groups) {
    RM2_REQUIRE(ctx, data, means, groups);
    rm2_labelled points = {.size = sizeof points};
    RM2_TRY(rm2i_settings_overlay(ctx, data, &points));
    data = &points;
    RM2_TRY(rm2i_labelled_check(ctx, data));
    RM2_TRY(rm2i_check_size(ctx, groups, sizeof *groups));
    grouping g = {
        .n = data->n, .labels = data->label_count, .D = rm2_manifold_ambient(data->manifold)};
    size_t subjects;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, &g, &g.memory));
    rm2_status status = rm2i_number_subjects(ctx, g.n, data->subjects, g.subject, &subjects);
    for (size_t k = 0; status == RM2_OK && k < data->label_count; k++)
        status = mean_of_label(ctx, data, k, settings, &g, means + k * g.D, &g.groups[k]);
    if (status == RM2_OK)
        rm2i_results_give(g.labels, g.groups, sizeof *groups, groups);
    free(g.memory);
    return status;
}
