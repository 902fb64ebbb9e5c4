/* riemann2 eval: how good are a model and the trajectories that come from it. */
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

static const char *const spaces[] = {"ambient", "tangent", "manifold", NULL};
static const char *const ratios[] = {"curves", "points", NULL};
static const char *const objectives[] = {"both", "density", "residual", NULL};

#define EVAL(member) offsetof(eval_options, member)

static const option shared_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV file of all numbers (also -o; - prints)"},
    {"--latents-of", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "calibrate held-out points at the latents of this training trajectory"},
    {.name = NULL},
};

static const option eval_table[] = {
    {"--reference", "FILE", OPTION_TEXT, EVAL(reference), NULL,
     "demonstrations (default: the model's training data)"},
    {"--trajectory", "FILE", OPTION_TEXTS, EVAL(trajectories), NULL,
     "points to compare with the demonstrations, as decode and sample write them; may be repeated"},
    {"--by", "COLUMN", OPTION_TEXT, EVAL(by), NULL,
     "column of ids if a file has several trajectories (default: demo, sample or pair)"},
    {"--space", NULL, OPTION_CHOICE, EVAL(space), spaces,
     "coordinates or distance in which trajectories are compared"},
    {"--resample", "N", OPTION_SIZE, EVAL(resample), NULL,
     "resample demonstrations to N points at equal steps along geodesics"},
    {"--over-floor", NULL, OPTION_CHOICE, EVAL(ratio), ratios,
     "ratio of distances between curves, all at 200 equal steps of arc length, or between the "
     "points as "
     "they are"},
    {"--holdout-file", "FILE", OPTION_TEXT, EVAL(holdout_file), NULL,
     "held-out data (or --reference with --holdout ID,...)"},
    {"--objective", NULL, OPTION_CHOICE, EVAL(objective), objectives,
     "objective by which held-out points are encoded"},
    {"--latents", "FILE", OPTION_TEXT, EVAL(latents), NULL,
     "calibrate held-out points at these latents instead of encoded ones"},
    {"--train", NULL, OPTION_FLAG, EVAL(train), NULL, "evaluate the training data too"},
    {.name = NULL},
};

/* ---- before the work ------------------------------------------------------------------------ */

static int check_options(const evaluation *e, const data_options *data) {
    const eval_options *o = e->options;
    bool held_out = o->holdout_file || data->settings.holdout;
    bool given = o->latents || e->m->options->trajectory;
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {data->settings.holdout && !o->reference,
         "--holdout needs --reference, the file that has these trajectories"},
        {data->settings.holdout && o->holdout_file,
         "--holdout and --holdout-file exclude each other"},
        {o->latents && e->m->options->trajectory, "--latents and --latents-of exclude each other"},
        {given && !held_out,
         "latents need held-out points: --holdout-file, or --reference with --holdout"},
        {o->dtw.window && o->dtw.kind == RM2_DTW_NEAREST,
         "--window limits warping, and --dtw nearest has none"},
        {o->by && o->trajectories.count == 0, "--by needs --trajectory"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return work_complain(&e->m->work, EXIT_USAGE, "%s", conflicts[k].text);
    return EXIT_DONE;
}

static int check_output(const evaluation *e) {
    const eval_options *o = e->options;
    const char *inputs[TEXT_LIST_MAX + 5] = {e->m->paths[0]};
    size_t count = 1;
    if (!e->m->options->output)
        return EXIT_DONE;
    for (size_t k = 0; k < o->trajectories.count; k++)
        inputs[count++] = o->trajectories.items[k];
    if (o->reference)
        inputs[count++] = o->reference;
    if (o->holdout_file)
        inputs[count++] = o->holdout_file;
    if (o->latents)
        inputs[count++] = o->latents;
    return work_check_output(&e->m->work, e->m->options->output, inputs);
}

/* ---- data ----------------------------------------------------------------------------------- */

/* The model's training points in the units of the data. */
static int copy_training(evaluation *e) {
    const rm2_model_info *i = e->m->info;
    e->training = malloc(i->points * rm2_manifold_ambient(i->manifold) * sizeof *e->training);
    if (!e->training)
        return work_no_memory(&e->m->work);
    rm2_data_original(i->data, e->training);
    return EXIT_DONE;
}

/* --select and --holdout are about the reference, if there is one. */
static int read_data(evaluation *e, data_options *options) {
    const eval_options *o = e->options;
    int code = copy_training(e);
    if (code == EXIT_DONE && o->reference)
        code = model_read_data(e->m, o->reference, options, &e->reference, &e->held);
    if (code == EXIT_DONE && o->holdout_file) {
        if (o->reference)
            options->settings.select = NULL;
        code = model_read_data(e->m, o->holdout_file, options, &e->held, NULL);
    }
    if (!options->settings.align_signs)
        return code;
    if (code == EXIT_DONE)
        code = model_align_signs(e->m, &e->reference);
    return code == EXIT_DONE ? model_align_signs(e->m, &e->held) : code;
}

/* ---- results -------------------------------------------------------------------------------- */

static void print_json(const evaluation *e, FILE *out) {
    const eval_options *o = e->options;
    const rm2_settings_table *warping = rm2_settings_table_of(RM2_SETTINGS_DTW);
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("model", e->m->paths[0]),
                 RM2_TEXT("manifold", rm2_manifold_spec(e->m->info->manifold)),
                 RM2_TEXT("space", spaces[o->space]),
                 RM2_TEXT("dtw", rm2_settings_find(warping, "kind")->words[o->dtw.kind]));
    findings_print_json(&json, &e->found);
    rm2_json_end(&json);
}

static void print_text(const evaluation *e, FILE *out) {
    static const char *const by[] = {"ambient coordinates", "tangent coordinates at the base point",
                                     "distances on the manifold"};
    (void)fprintf(out, "%s on %s: %s, Euclidean factors in the model's units\n\n",
                  PLAIN(e->m->paths[0]), rm2_manifold_spec(e->m->info->manifold),
                  by[e->options->space]);
    findings_print(out, &e->found);
}

static int report(const evaluation *e) {
    const common_options *common = e->m->work.common;
    const char *output = e->m->options->output;
    if (e->found.failed)
        return work_no_memory(&e->m->work);
    int code = output ? work_check(&e->m->work,
                                   findings_write(e->m->work.ctx, &e->found, output, common->force))
                      : EXIT_DONE;
    bool taken = output && strcmp(output, "-") == 0; /* standard output has the CSV */
    FILE *out = taken ? stderr : stdout;
    if (code == EXIT_DONE && common->json)
        print_json(e, out);
    else if (code == EXIT_DONE && !(common->quiet && output))
        print_text(e, out);
    if (code == EXIT_DONE && !e->converged)
        return EXIT_NOT_CONVERGED;
    return code;
}

static int evaluate(const model_work *m, data_options *data) {
    evaluation e = {.m = m, .options = m->own, .converged = true};
    const eval_options *o = e.options;
    int code = check_options(&e, data);
    if (code == EXIT_DONE)
        code = check_output(&e);
    if (code == EXIT_DONE)
        code = read_data(&e, data);
    bool nothing = !o->reference && !e.held && o->trajectories.count == 0; /* asked for */
    bool training = o->train || nothing;
    if (code == EXIT_DONE && (o->reference || o->trajectories.count || nothing))
        code = eval_trajectories(&e);
    if (code == EXIT_DONE && e.held)
        code = eval_held_out(&e);
    if (code == EXIT_DONE && training)
        code = eval_training(&e);
    if (code == EXIT_DONE)
        code = eval_calibration(&e, training);
    if (code == EXIT_DONE)
        code = report(&e);
    findings_free(&e.found);
    rm2_data_free(e.reference);
    rm2_data_free(e.held);
    free(e.training);
    free(e.encoded);
    return code;
}

int run_eval(const command *self, int argc, char **argv) {
    static const char *const except[] = {"objective", NULL}; /* eval's has one word more */
    eval_options options = {.encode = rm2_encode_settings_default(),
                            .dtw = rm2_dtw_settings_default()};
    setting_options warping = {.table = rm2_settings_table_of(RM2_SETTINGS_DTW)};
    setting_options from = {.table = rm2_settings_table_of(RM2_SETTINGS_ENCODE), .except = except};
    const option_group groups[] = {{"What to evaluate", eval_table, &options, NULL},
                                   {NULL, NULL, &options.dtw, &warping},
                                   {"Held-out points", NULL, &options.encode, &from},
                                   {.options = NULL}};
    return model_run(self, argc, argv,
                     &(model_action){.table = shared_table,
                                     .groups = groups,
                                     .own = &options,
                                     .files = 1,
                                     .run_with_data = evaluate});
}
