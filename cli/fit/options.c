/* Options of training: the settings of the library's table, and options that set several of them or name files.
 * A recipe fills the settings; every option given overrides it. */
#include <string.h>

#include "fit/fit.h"

#define FIT(member) offsetof(fit_options, member)

const option fit_option_table[] = {
    {"--output", "FILE", OPTION_TEXT, FIT(output), NULL, "model file to write (also -o)"},
    {"--add", "FILE", OPTION_TEXT, FIT(add), NULL,
     "new demonstrations for the model of --from; training continues with all of them"},
    {"--from", "MODEL", OPTION_TEXT, FIT(from_model), NULL,
     "model that --add extends; its settings, scales and base point are kept"},
    {"--init-from", "FILE", OPTION_TEXT, FIT(init_from), NULL,
     "CSV or .npy file of the latent points to start from (columns z1, z2, ...)"},
    {"--family", "COLUMN", OPTION_TEXT, FIT(family), NULL,
     "column with the family of each trajectory: --label COLUMN --families label"},
    {"--base-point", "X,Y,...", OPTION_TEXT, FIT(base_point), NULL,
     "base point: numbers, or a file as decode writes points"},
    {"--back-kernels", "K:L,...", OPTION_TEXT, FIT(back_kernels), NULL,
     "back constraint with a kernel and lengthscale per factor, such as heat:0.2,matern52:0.5"},
    {"--inducing-points", "I,J,...", OPTION_TEXT, FIT(inducing_points), NULL,
     "inducing points: indices of training points from 0, or a file with a column point"},
    {"--checkpoint", "FILE", OPTION_TEXT, FIT(checkpoint), NULL,
     "file to save the state of training to"},
    {"--checkpoint-every", "S", OPTION_NUMBER, FIT(checkpoint_every), NULL,
     "seconds between two saves (default: 60)"},
    {"--resume", NULL, OPTION_FLAG, FIT(resume), NULL, "continue from the checkpoint if it exists"},
    {"--compact", NULL, OPTION_FLAG, FIT(compact), NULL,
     "write a small model: sums over all points for predictions, and about 5000 of the points"},
    {.name = NULL},
};

fit_options fit_options_default(void) {
    return (fit_options){.settings = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST),
                         .from = {.table = rm2_fit_settings_table()}};
}

/* What options imply for settings that none was given for. */
static void complete(const fit_options *o, bool trajectories, rm2_fit_settings *s) {
    if (!setting_given(&o->from, "task") &&
        (s->noise == RM2_NOISE_PER_OUTPUT || setting_given(&o->from, "task_rank")))
        s->task = RM2_TASK_LEARNED; /* there is no closed form */
    if (s->inference == RM2_INFERENCE_AUTO &&
        (o->compact || s->inducing || s->inducing_free || o->inducing_points))
        s->inference = RM2_INFERENCE_INDUCING;
    if (!trajectories && !setting_given(&o->from, "gpdm_weight"))
        s->gpdm_weight = 0;
    if (o->back_kernels && !setting_given(&o->from, "back_constraint"))
        s->back_constraint = true;
    if (o->family)
        s->families = RM2_FAMILIES_LABEL;
}

/* ---- options that contradict each other ------------------------------------------------------ */

/* Given, and not in order to switch something off. */
static bool is_given(const fit_options *o, const char *name) {
    const char *text = setting_given(&o->from, name);
    return text && strcmp(text, "no") != 0;
}

/* An option that cannot take effect, and what it needs. */
static int check_needs(const work *w, const fit_options *o, const rm2_fit_settings *s) {
    bool adam = s->optim.method == RM2_ADAM, exact = s->inference == RM2_INFERENCE_EXACT;
    bool graph = s->init == RM2_INIT_ALIGNED || s->init == RM2_INIT_ISOMAP;
    static const char to_adam[] = "--optimiser adam", to_inducing[] = "--inference inducing";
    const struct {
        const char *name;
        bool idle;
        const char *needs;
    } rules[] = {
        {"ard", !s->lengthscale.learned, "--learn lengthscale: it is held at one value"},
        {"noise_bound", !s->softplus, "--softplus"},
        {"task_rank", s->task == RM2_TASK_PROFILE, "--task learned"},
        {"task_rank", s->independent, "--outputs correlated"},
        {"task_random", s->task == RM2_TASK_PROFILE, "--task learned"},
        {"back_ridge", !s->back_constraint, "--back-constraint"},
        {"accuracy", exact, to_inducing},
        {"inducing", exact, to_inducing},
        {"inducing_free", exact, to_inducing},
        {"families", s->init != RM2_INIT_ALIGNED || o->init_from, "--init aligned"},
        {"time_weight", !graph || o->init_from, "--init aligned or isomap"},
        {"neighbours", !graph || o->init_from, "--init aligned or isomap"},
        {"base", s->model == RM2_GPLVM, "--model wgplvm: the other has no tangent space"},
        {"relative_decrease", adam, "--optimiser lbfgs: adam does not require a decrease"},
        {"history", adam, "--optimiser lbfgs"},
        {"learning_rate", !adam, to_adam},
        {"beta1", !adam, to_adam},
        {"beta2", !adam, to_adam},
        {"epsilon", !adam, to_adam},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        char word[SETTING_WORD];
        if (rules[k].idle && is_given(o, rules[k].name))
            return work_complain(
                w, EXIT_USAGE, "%s needs %s",
                setting_word(rm2_settings_find(o->from.table, rules[k].name), word),
                rules[k].needs);
    }
    return EXIT_DONE;
}

/* The rest: pairs that exclude each other, and options that are no settings. */
static const char *find_conflict(const fit_options *o, const rm2_fit_settings *s) {
    bool init = setting_given(&o->from, "init"), base = setting_given(&o->from, "base");
    bool back = setting_given(&o->from, "back_constraint") && !s->back_constraint;
    bool accuracy = setting_given(&o->from, "accuracy");
    bool families = setting_given(&o->from, "families");
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {init && s->init != RM2_INIT_GIVEN && o->init_from,
         "--init and --init-from exclude each other"},
        {s->init == RM2_INIT_GIVEN && !o->init_from, "--init given needs --init-from FILE"},
        {o->family && families, "--family and --families exclude each other"},
        {o->family && (s->init != RM2_INIT_ALIGNED || o->init_from),
         "--family needs --init aligned"},
        {base && s->base != RM2_BASE_GIVEN && o->base_point,
         "--base and --base-point exclude each other"},
        {s->base == RM2_BASE_GIVEN && !o->base_point, "--base given needs --base-point"},
        {o->base_point && s->model == RM2_GPLVM,
         "--base-point needs --model wgplvm: the other has no tangent space"},
        {o->back_kernels && back, "--back-kernels and --no-back-constraint exclude each other"},
        {o->resume && !o->checkpoint, "--resume needs --checkpoint FILE"},
        {o->checkpoint_every > 0 && !o->checkpoint, "--checkpoint-every needs --checkpoint FILE"},
        {o->compact && o->add, "--compact and --add exclude each other"},
        {o->compact && s->inference == RM2_INFERENCE_EXACT, "--compact needs --inference inducing"},
        {o->compact && s->task == RM2_TASK_INTEGRATED,
         "--compact needs another recipe than points, such as --recipe robust"},
        {o->compact && s->back_constraint, "--compact and --back-constraint exclude each other"},
        {s->inducing && accuracy, "--inducing and --accuracy exclude each other"},
        {o->inducing_points && accuracy, "--inducing-points and --accuracy exclude each other"},
        {o->inducing_points && s->inducing, "--inducing-points and --inducing exclude each other"},
        {o->inducing_points && s->inference == RM2_INFERENCE_EXACT,
         "--inducing-points needs --inference inducing"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return conflicts[k].text;
    return NULL;
}

/* Settings of a recipe, which one that was given replaces, with the options' overrides. */
static int apply_options(const work *w, const fit_options *o, rm2_recipe recipe, bool trajectories,
                         rm2_fit_settings *s) {
    *s = rm2_fit_settings_recipe(recipe);
    int code = work_check(w, settings_apply(w->ctx, &o->from, s));
    if (code != EXIT_DONE)
        return code;
    s->seed = w->common->seed;
    complete(o, trajectories, s);
    code = fit_hyper_settings(w, o, s);
    const char *conflict = code == EXIT_DONE ? find_conflict(o, s) : NULL;
    if (conflict)
        return work_complain(w, EXIT_USAGE, "%s", conflict);
    return code == EXIT_DONE ? check_needs(w, o, s) : code;
}

int fit_options_for(const work *w, const fit_options *o, bool trajectories, rm2_fit_settings *s) {
    return apply_options(w, o, RM2_RECIPE_ROBUST, trajectories, s);
}

int fit_options_check(const work *w, const fit_options *o) {
    rm2_fit_settings s;
    return fit_options_for(w, o, true, &s);
}

int fit_options_settings(const work *w, const fit_options *o, const rm2_data *data,
                         rm2_fit_settings *s, char reason[MESSAGE_SIZE]) {
    bool trajectories = data->trajectories > 0;
    reason[0] = 0;
    if (trajectories || setting_given(&o->from, "recipe"))
        return fit_options_for(w, o, trajectories, s);
    int code = apply_options(w, o, RM2_RECIPE_POINTS, trajectories, s);
    if (code != EXIT_DONE || rm2_recipe_for(w->ctx, data, s) == RM2_RECIPE_POINTS)
        return code;
    (void)snprintf(reason, MESSAGE_SIZE, "%s", rm2_context_error(w->ctx));
    return apply_options(w, o, RM2_RECIPE_ROBUST, trajectories, s);
}
