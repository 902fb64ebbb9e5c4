/* riemann2 info: what is in a model file. */
#include "info/info.h"

#include "core/model.h"

static const option info_table[] = {
    {"--latents", "FILE", OPTION_TEXT, MODEL(latents), NULL,
     "write the latent points of the training data (CSV)"},
    {.name = NULL},
};

double info_output_variance(const rm2_model_info *i) {
    double trace = 0;
    for (size_t m = 0; m < i->outputs; m++)
        trace += i->task_covariance[m * i->outputs + m];
    return trace / (double)i->outputs;
}

size_t info_back_kernels(const rm2_model_info *i) {
    if (!i->settings->back_constraint)
        return 0;
    return i->settings->model == RM2_GPLVM ? 1 : rm2_manifold_factor_count(i->manifold);
}

const rm2_hyperparameter *info_hyperparameter(const rm2_model_info *i, const rm2_setting *setting) {
    if (setting->type != RM2_SETTING_HYPERPARAMETER)
        return NULL;
    return (const rm2_hyperparameter *)(const void *)((const char *)i->settings + setting->offset);
}

const double *info_values(const rm2_model_info *i, const rm2_hyperparameter *h, size_t *count) {
    const rm2_fit_settings *s = i->settings;
    bool dynamics = s->gpdm_weight > 0;
    const struct {
        const rm2_hyperparameter *setting;
        size_t count;
        const double *values;
    } all[] = {
        {&s->lengthscale, s->ard ? i->latent_dim : 1, i->lengthscale},
        {&s->variance, 1, &i->variance},
        {&s->noise_variance, 1, &i->noise},
        {&s->task_noise, i->outputs, i->task_noise},
        {&s->gpdm_lengthscale, 1, dynamics ? &i->gpdm[0] : NULL},
        {&s->gpdm_variance, 1, dynamics ? &i->gpdm[1] : NULL},
        {&s->gpdm_noise, 1, dynamics ? &i->gpdm[2] : NULL},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].setting == h) {
            *count = all[k].count;
            return all[k].values;
        }
    return NULL;
}

static int write_latents(const model_work *m, const char *path) {
    const rm2_model_info *i = m->info;
    sheet s;
    size_t texts = (i->data->trajectories ? 1u : 0u) + (i->data->labels ? 1u : 0u);
    bool built =
        sheet_create(&s, i->points, i->latent_dim + texts) &&
        sheet_add_trajectories(&s, i->data->trajectories, i->data->starts, i->data->ids) &&
        sheet_add_labels(&s, i->data->labels, i->data->label_count, i->data->label_names) &&
        sheet_add_latents(&s, i->latent_dim, i->latents);
    int code = built
                   ? work_check(&m->work, sheet_write(m->work.ctx, &s, path, m->work.common->force))
                   : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

/* With the latents on standard output there is nothing else. */
static int do_info(const model_work *m) {
    const char *latents = m->options->latents;
    if (latents && model_prints(latents) && m->work.common->json)
        return work_complain(&m->work, EXIT_USAGE,
                             "--json and --latents - both print: write the latents to a file");
    int code = latents ? write_latents(m, latents) : EXIT_DONE;
    if (code != EXIT_DONE || (latents && model_prints(latents)))
        return code;
    if (m->work.common->json)
        info_print_json(m->info);
    else
        info_print_text(m->info);
    return EXIT_DONE;
}

int run_info(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = info_table, .files = 1, .run = do_info});
}
