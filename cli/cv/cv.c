/* riemann2 cv: cross-validation over settings. */
#include "cv/cv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/progress.h"

#define CV(member) offsetof(cv_options, member)

static const option cv_table[] = {
    {"--output", "FILE", OPTION_TEXT, CV(output), NULL,
     "CSV file of all candidates and folds (also -o; - prints)"},
    {"--checkpoint", "FILE", OPTION_TEXT, CV(checkpoint), NULL,
     "file to keep the results of finished jobs in"},
    {"--resume", NULL, OPTION_FLAG, CV(resume), NULL, "use the finished jobs of the checkpoint"},
    {.name = NULL},
};

/* ---- before the work ------------------------------------------------------------------------- */

static int check_checkpoint(const cv_run *r, const char *const *inputs) {
    const char *path = r->options->checkpoint;
    if (!path)
        return r->options->resume
                   ? work_complain(&r->work, EXIT_USAGE, "--resume needs --checkpoint FILE")
                   : EXIT_DONE;
    if (strcmp(path, "-") == 0)
        return work_complain(&r->work, EXIT_USAGE, "--checkpoint needs a file");
    if (r->options->output && same_file(path, r->options->output))
        return work_complain(&r->work, EXIT_USAGE,
                             "output and checkpoint cannot be the same file, %s", path);
    if (access(path, F_OK) == 0 && !r->options->resume && !r->work.common->force)
        return work_complain(&r->work, EXIT_FAILED,
                             "%s exists already; use --resume to continue from it, --force to "
                             "overwrite",
                             path);
    common_options overwrite = *r->work.common;
    overwrite.force = true;
    work with = r->work;
    with.common = &overwrite;
    return work_check_output(&with, path, inputs);
}

static int check_files(const cv_run *r) {
    const char *const inputs[] = {r->path, NULL};
    const char *output = r->options->output;
    int code = output ? work_check_output(&r->work, output, inputs) : EXIT_DONE;
    if (code == EXIT_DONE && output)
        code = work_check_format(&r->work, output, table_formats);
    return code == EXIT_DONE ? check_checkpoint(r, inputs) : code;
}

/* Settings of every candidate. Unknown words and contradictions end the command before the data are read. */
static int make_candidates(cv_run *r) {
    int code = EXIT_DONE;
    r->settings = calloc(r->grid.candidates, sizeof *r->settings);
    r->texts = calloc(r->grid.candidates, sizeof *r->texts);
    if (!r->settings || !r->texts)
        return work_no_memory(&r->work);
    for (size_t k = 0; code == EXIT_DONE && k < r->grid.candidates; k++) {
        code =
            grid_settings(&r->work, &r->grid, &r->options->fit, k, &r->texts[k], &r->settings[k]);
        if (code == EXIT_DONE)
            code = work_check(&r->work, rm2_fit_check(r->work.ctx, NULL, &r->settings[k]));
    }
    return code;
}

/* ---- the work -------------------------------------------------------------------------------- */

static int validate(cv_run *r) {
    const rm2_checkpoint checkpoint = {r->options->checkpoint, 0, r->options->resume};
    const rm2_fit_settings **candidates = calloc(r->grid.candidates, sizeof(void *));
    rm2_cross_settings settings = r->options->cross;
    progress p;
    if (!candidates)
        return work_no_memory(&r->work);
    for (size_t k = 0; k < r->grid.candidates; k++)
        candidates[k] = &r->settings[k];
    settings.seed = r->work.common->seed;
    progress_begin(&r->work, &p);
    int code =
        progress_end(&p, rm2_cross_validate(r->work.ctx, r->data, &settings, r->grid.candidates,
                                            candidates, &checkpoint, &r->cross));
    free(candidates);
    bool kept = code == EXIT_FAILED || code == EXIT_NOT_CONVERGED; /* else nothing was begun */
    if (kept && r->options->checkpoint && access(r->options->checkpoint, F_OK) == 0)
        work_note(&r->work, "finished jobs are in the checkpoint; --resume continues from there");
    return code;
}

static int cv(cv_run *r, const rm2_data_settings *data) {
    int code = check_files(r);
    if (code == EXIT_DONE)
        code = grid_create(&r->work, &r->options->fit, &r->grid);
    if (code == EXIT_DONE)
        code = make_candidates(r);
    if (code == EXIT_DONE)
        code =
            work_check(&r->work, rm2_data_read(r->work.ctx, r->path, data, &r->data, NULL, NULL));
    if (code == EXIT_DONE)
        code = validate(r);
    if (code == EXIT_DONE)
        code = cv_report(r);
    rm2_cross_free(r->cross);
    rm2_data_free(r->data);
    free(r->settings);
    free(r->texts);
    grid_free(&r->grid);
    return code;
}

int run_cv(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    cv_options options = {.fit = fit_options_default(),
                          .cross = rm2_cross_settings_default(),
                          .from = {.table = rm2_settings_table_of(RM2_SETTINGS_CROSS)}};
    options.fit.from.lists = true;
    const option_group groups[] = {
        {"Files", cv_table, &options, NULL},
        {NULL, NULL, &options.cross, &options.from},
        {NULL, NULL, &options.fit.settings, &options.fit.from},
        {"Hyperparameters (names: see fit --help)", hyper_option_table, &options.fit, NULL},
        {"Data", NULL, &data.settings, &data.from},
        {"Common options", common_option_table, &common, NULL},
        {.options = NULL}};
    cv_run r = {.work = {self, NULL, &common}, .options = &options};
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &r.path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0 || !data.settings.manifold) {
        (void)fprintf(stderr, "usage: riemann2 cv %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    r.work.ctx = command_context(&common);
    if (!r.work.ctx)
        return EXIT_FAILED;
    int code = cv(&r, &data.settings);
    rm2_context_free(r.work.ctx);
    return code;
}
