/* From a model to what the server needs of it. */
#include <stdlib.h>

#include "explore/explorer.h"

static rm2_status make_contexts(rm2_context *ctx, explorer *e) {
    for (size_t k = 0; k < HTTP_WORKERS; k++) {
        WORK_TRY(rm2_context_create(&e->contexts[k]));
        rm2_context_set_threads(e->contexts[k], rm2_context_threads(ctx));
    }
    return RM2_OK;
}

static rm2_status copy_points(explorer *e) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    e->points = malloc(e->info->points * ambient * sizeof *e->points);
    if (!e->points)
        return RM2_ERR_MEMORY;
    rm2_data_original(e->info->data, e->points);
    return RM2_OK;
}

rm2_status explorer_open(rm2_context *ctx, const rm2_model *model, const arm_source *arm,
                         explorer *e) {
    (void)pthread_mutex_init(&e->avoiding.lock, NULL);
    (void)pthread_mutex_init(&e->planning.lock, NULL);
    (void)pthread_mutex_init(&e->opening.lock, NULL);
    (void)pthread_cond_init(&e->opening.changed, NULL);
    e->model = model;
    e->info = rm2_model_info_of(model);
    WORK_TRY(make_contexts(ctx, e));
    WORK_TRY(copy_points(e));
    WORK_TRY(rm2_vicinity_create(ctx, model, &e->vicinity));
    if (arm_given(arm))
        WORK_TRY(player_open(ctx, arm, e));
    WORK_TRY(explorer_describe(ctx, e, &e->description));
    return spaces_open(e) ? RM2_OK : RM2_ERR_MEMORY;
}

void explorer_close(explorer *e) {
    for (size_t k = 0; k < HTTP_WORKERS; k++)
        rm2_context_free(e->contexts[k]);
    spaces_close(e);
    (void)pthread_mutex_destroy(&e->opening.lock);
    (void)pthread_cond_destroy(&e->opening.changed);
    (void)pthread_mutex_destroy(&e->avoiding.lock);
    (void)pthread_mutex_destroy(&e->planning.lock);
    rm2_arm_free(e->player.arm);
    rm2_vicinity_free(e->vicinity);
    rm2_free(e->description);
    free(e->points);
}
