/* Division of a data set into folds. Units (trajectories, points or labels) stay whole. As many folds as units: each is one, in
 * their order. Fewer: the units are shuffled and dealt out in turns. */
#include <stdlib.h>

#include "base/base.h"
#include "validate/cross.h"

enum { MOST_FOLDS = 10, POINT_FOLDS = 5 };

/* What is held out as a whole. */
typedef struct units {
    size_t count;
    size_t *of; /* of each point */
} units;

static const char *unit_word(rm2_split_kind split) {
    return split == RM2_SPLIT_TRAJECTORIES ? "trajectories"
           : split == RM2_SPLIT_POINTS     ? "points"
                                           : "labels";
}

static rm2_status find_trajectories(rm2_context *ctx, const rm2_data *data, units *u) {
    if (data->trajectories == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: settings.split is trajectories, and there are none; name the column "
                         "of trajectory ids with settings.group",
                         data->source);
    u->count = data->trajectories;
    for (size_t t = 0; t < data->trajectories; t++)
        for (size_t i = data->starts[t]; i < data->starts[t + 1]; i++)
            u->of[i] = t;
    return RM2_OK;
}

static rm2_status find_points(rm2_context *ctx, const rm2_data *data, units *u) {
    if (data->trajectories > 0)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: settings.split is points, and the data have trajectories, which "
                         "would be left with gaps; hold out trajectories",
                         data->source);
    u->count = data->count;
    for (size_t i = 0; i < data->count; i++)
        u->of[i] = i;
    return RM2_OK;
}

/* A trajectory is held out as a whole, so that it needs one label. */
static rm2_status check_labels(rm2_context *ctx, const rm2_data *data) {
    if (!data->labels)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: settings.split is labels, and there are none; name their column "
                         "with settings.label",
                         data->source);
    for (size_t t = 0; t < data->trajectories; t++)
        for (size_t i = data->starts[t] + 1; i < data->starts[t + 1]; i++)
            if (data->labels[i] != data->labels[i - 1])
                return rm2i_fail(ctx, RM2_ERR_DATA,
                                 "%s, %s %zu: trajectory \"%.60s\" changes its label from "
                                 "\"%.60s\" to \"%.60s\"; settings.split labels needs one label "
                                 "per trajectory",
                                 data->source, data->row_word, data->rows[i], data->ids[t],
                                 data->label_names[data->labels[i - 1]],
                                 data->label_names[data->labels[i]]);
    return RM2_OK;
}

/* Labels that points have, numbered in the order of their names. */
static rm2_status find_labels(rm2_context *ctx, const rm2_data *data, units *u) {
    size_t *number;
    RM2_TRY(check_labels(ctx, data));
    RM2_TRY(rm2i_calloc(ctx, data->label_count, sizeof *number, &number));
    for (size_t i = 0; i < data->count; i++)
        number[data->labels[i]] = 1;
    for (size_t k = 0; k < data->label_count; k++)
        number[k] = number[k] ? u->count++ : 0;
    for (size_t i = 0; i < data->count; i++)
        u->of[i] = number[data->labels[i]];
    free(number);
    return RM2_OK;
}

static rm2_status find_units(rm2_context *ctx, const rm2_data *data, rm2_split_kind split,
                             units *u) {
    if (split == RM2_SPLIT_TRAJECTORIES)
        return find_trajectories(ctx, data, u);
    return split == RM2_SPLIT_POINTS ? find_points(ctx, data, u) : find_labels(ctx, data, u);
}

static rm2_status count_folds(rm2_context *ctx, const rm2_data *data, const units *u, size_t asked,
                              rm2i_folds *folds) {
    size_t most = folds->split == RM2_SPLIT_POINTS ? POINT_FOLDS : MOST_FOLDS;
    folds->count = asked ? asked : u->count < most ? u->count : most;
    if (u->count < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: cross-validation needs at least two %s, got %zu",
                         data->source, unit_word(folds->split), u->count);
    if (folds->count > u->count)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.folds is %zu, more than the %zu %s of %s",
                         folds->count, u->count, unit_word(folds->split), data->source);
    return RM2_OK;
}

/* Fold of each unit. */
static void deal(size_t count, size_t folds, uint64_t seed, size_t *fold) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t k = 0; k < count; k++)
        fold[k] = k % folds;
    for (size_t k = count; folds < count && k-- > 1;) {
        size_t j = (size_t)(rm2_rng_next(&rng) % (k + 1)), kept = fold[k];
        fold[k] = fold[j];
        fold[j] = kept;
    }
}

static rm2_status assign(rm2_context *ctx, const units *u, size_t points, uint64_t seed,
                         rm2i_folds *folds) {
    size_t *fold;
    RM2_TRY(rm2i_alloc(ctx, u->count, sizeof *fold, &fold));
    deal(u->count, folds->count, seed, fold);
    for (size_t i = 0; i < points; i++)
        folds->of[i] = fold[u->of[i]];
    free(fold);
    return RM2_OK;
}

rm2_status rm2i_folds_create(rm2_context *ctx, const rm2_data *data, const rm2_cross_settings *s,
                             rm2i_folds *folds) {
    units u = {.count = 0};
    rm2_split_kind automatic = data->trajectories ? RM2_SPLIT_TRAJECTORIES : RM2_SPLIT_POINTS;
    *folds = (rm2i_folds){.split = s->split == RM2_SPLIT_AUTO ? automatic : s->split};
    RM2_TRY(rm2i_alloc(ctx, 2 * data->count, sizeof *folds->of, &folds->of));
    u.of = folds->of + data->count;
    rm2_status status = find_units(ctx, data, folds->split, &u);
    if (status == RM2_OK)
        status = count_folds(ctx, data, &u, s->folds, folds);
    if (status == RM2_OK)
        status = assign(ctx, &u, data->count, s->seed, folds);
    if (status != RM2_OK) {
        free(folds->of);
        folds->of = NULL;
    }
    return status;
}
