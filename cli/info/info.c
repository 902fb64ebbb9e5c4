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

static int write_latents(const model_work *m, const char *path) {
    const rm2_model_info *i = m->info;
    sheet s;
    size_t texts = (i->data->trajectories ? 1u : 0u) + (i->data->labels ? 1u : 0u);
    bool built = sheet_create(&s, i->points, i->latent_dim + texts) &&
                 sheet_add_trajectories(&s, i->data->trajectories, i->data->starts, i->data->ids) &&
                 sheet_add_labels(&s, i) && sheet_add_latents(&s, i->latent_dim, i->latents);
    int code = built ? work_check(&m->work,
                                  rm2_csv_write(m->work.ctx, path, &s.table, m->work.common->force))
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
