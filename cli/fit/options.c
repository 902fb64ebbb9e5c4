/* How a model is trained, as options. A recipe fills the settings; every option given overrides it.
 */
#include "core/words.h"
#include "fit/fit.h"

static const char *const outputs[] = {"correlated", "independent", NULL};
static const char *const bases[] = {"frechet", "default", NULL};
static const char *const inits[] = {"isomap", "pca", "random", NULL};

#define FIT(member) offsetof(fit_options, member)

const option fit_option_table[] = {
    {"--output", "FILE", OPTION_TEXT, FIT(output), NULL, "model file to write (also -o)"},
    {"--recipe", NULL, OPTION_CHOICE, FIT(recipe), recipe_words,
     "robust (default): no tuning; map: all learned under priors; paper: its settings"},
    {"--model", NULL, OPTION_CHOICE, FIT(model), model_words,
     "wgplvm (default): on the manifold; gplvm: Euclidean, for comparison"},
    {"--latent", "Q", OPTION_SIZE, FIT(latent), NULL, "latent dimensions (default: 2)"},
    {"--kernel", NULL, OPTION_CHOICE, FIT(kernel), kernel_words, "kernel on the latent space"},
    {"--ard", NULL, OPTION_FLAG, FIT(ard), NULL,
     "a lengthscale for each latent dimension, if it is learned"},
    {"--noise", NULL, OPTION_CHOICE, FIT(noise), noise_words,
     "one noise for all, or one for each output"},
    {"--outputs", NULL, OPTION_CHOICE, FIT(outputs), outputs, "whether the outputs are correlated"},
    {"--task", NULL, OPTION_CHOICE, FIT(task), task_words,
     "covariance of the outputs in closed form, or as parameters"},
    {"--rank", "R", OPTION_SIZE, FIT(rank), NULL,
     "rank of a learned covariance of the outputs (default: full)"},
    {"--gpdm", NULL, OPTION_FLAG, FIT(gpdm), NULL, "dynamics prior over the trajectories"},
    {"--no-gpdm", NULL, OPTION_FLAG, FIT(no_gpdm), NULL, "without it, where the recipe has it"},
    {"--anchor", "TAU", OPTION_NUMBER, FIT(anchor), NULL,
     "keep latents within about TAU of their start"},
    {"--no-anchor", NULL, OPTION_FLAG, FIT(no_anchor), NULL, "without it, where the recipe has it"},
    {"--back-constraint", NULL, OPTION_FLAG, FIT(back_constraint), NULL,
     "latents as a smooth function of the observations"},
    {"--back-kernels", "K:L,...", OPTION_TEXT, FIT(back_kernels), NULL,
     "its kernel and lengthscale for each factor: heat:0.2,matern52:0.5"},
    {"--base", NULL, OPTION_CHOICE, FIT(base), bases,
     "base point: mean of the data (frechet), or 0, (1, 0, ...), identity"},
    {"--base-point", "X,Y,...", OPTION_TEXT, FIT(base_point), NULL,
     "this base point: numbers, or a file, as decode writes points"},
    {"--init", NULL, OPTION_CHOICE, FIT(init), inits, "start of the latents"},
    {"--init-from", "FILE", OPTION_TEXT, FIT(init_from), NULL,
     "start of the latents from a CSV or .npy file (columns z1, z2, ...)"},
    {"--inference", NULL, OPTION_CHOICE, FIT(inference), inference_words,
     "exact, or by inducing points; auto (default): these above 1000 points"},
    {"--accuracy", "NATS", OPTION_NUMBER, FIT(accuracy), NULL,
     "of inducing points: error of the log-likelihood, nats a point (default: 0.001)"},
    {"--inducing", "N", OPTION_SIZE, FIT(inducing), NULL,
     "how many inducing points (default: as many as the accuracy needs)"},
    {"--inducing-points", "I,J,...", OPTION_TEXT, FIT(inducing_points), NULL,
     "these training points, from 0: numbers, or a file with a column point"},
    {"--optimise-inducing", NULL, OPTION_FLAG, FIT(optimise_inducing), NULL,
     "inducing points leave the training points, and are optimised"},
    {"--optimiser", NULL, OPTION_CHOICE, FIT(method), optimiser_words, "optimiser"},
    {"--iterations", "N", OPTION_SIZE, FIT(iterations), NULL, "most iterations"},
    {"--learning-rate", "X", OPTION_NUMBER, FIT(learning_rate), NULL, "of adam"},
    {"--decrease", "X", OPTION_NUMBER, FIT(decrease), NULL,
     "stop at this relative decrease of the objective"},
    {"--checkpoint", "FILE", OPTION_TEXT, FIT(checkpoint), NULL,
     "save the state of training there"},
    {"--checkpoint-every", "S", OPTION_NUMBER, FIT(checkpoint_every), NULL,
     "seconds between two saves (default: 60)"},
    {"--resume", NULL, OPTION_FLAG, FIT(resume), NULL,
     "continue from the checkpoint if it is there"},
    {.name = NULL},
};

fit_options fit_options_default(void) {
    return (fit_options){.recipe = RM2_RECIPE_ROBUST,
                         .model = -1,
                         .kernel = -1,
                         .noise = -1,
                         .outputs = -1,
                         .task = -1,
                         .base = -1,
                         .init = -1,
                         .method = -1,
                         .inference = -1};
}

static void override_choices(const fit_options *o, rm2_fit_settings *s) {
    if (o->model >= 0)
        s->model = (rm2_model_kind)o->model;
    if (o->kernel >= 0)
        s->kernel = (rm2_latent_kind)o->kernel;
    if (o->noise >= 0)
        s->noise = (rm2_noise_kind)o->noise;
    if (o->outputs >= 0)
        s->independent = o->outputs == 1;
    if (o->task >= 0)
        s->task = (rm2_task_kind)o->task;
    else if (s->noise == RM2_NOISE_PER_OUTPUT || o->rank)
        s->task = RM2_TASK_LEARNED; /* there is no closed form */
    if (o->base >= 0)
        s->base = (rm2_base_kind)o->base;
    if (o->init >= 0)
        s->init = (rm2_init_kind)o->init;
    if (o->method >= 0)
        s->optim.method = (rm2_optimiser)o->method;
}

static void override_inference(const fit_options *o, rm2_fit_settings *s) {
    if (o->inference >= 0)
        s->inference = (rm2_inference)o->inference;
    if (o->inducing || o->inducing_points || o->optimise_inducing)
        s->inference = RM2_INFERENCE_INDUCING;
    s->inducing = o->inducing;
    s->inducing_free = o->optimise_inducing;
    if (o->accuracy > 0)
        s->accuracy = o->accuracy;
}

static void override_rest(const fit_options *o, bool trajectories, rm2_fit_settings *s) {
    s->ard = s->ard || o->ard;
    s->latent_dim = o->latent ? o->latent : s->latent_dim;
    s->task_rank = o->rank ? o->rank : s->task_rank;
    if (o->gpdm)
        s->gpdm_weight = 1;
    if (o->no_gpdm || (!trajectories && !o->gpdm))
        s->gpdm_weight = 0;
    if (o->anchor > 0)
        s->latent_anchor = o->anchor;
    if (o->no_anchor)
        s->latent_anchor = 0;
    s->back_constraint = s->back_constraint || o->back_constraint || o->back_kernels;
    if (o->iterations)
        s->optim.max_iterations = o->iterations;
    if (o->learning_rate > 0)
        s->optim.learning_rate = o->learning_rate;
    if (o->decrease > 0)
        s->optim.relative_decrease = o->decrease;
}

/* What is wrong with the options together, or NULL. */
static const char *find_conflict(const fit_options *o, const rm2_fit_settings *s) {
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {o->gpdm && o->no_gpdm, "--gpdm and --no-gpdm exclude each other"},
        {o->anchor > 0 && o->no_anchor, "--anchor and --no-anchor exclude each other"},
        {o->init >= 0 && o->init_from, "--init and --init-from exclude each other"},
        {o->base >= 0 && o->base_point, "--base and --base-point exclude each other"},
        {(o->base >= 0 || o->base_point) && s->model == RM2_GPLVM,
         "--base and --base-point need --model wgplvm: the other has no tangent space"},
        {o->resume && !o->checkpoint, "--resume needs --checkpoint FILE"},
        {o->checkpoint_every > 0 && !o->checkpoint, "--checkpoint-every needs --checkpoint FILE"},
        {o->rank && o->task == RM2_TASK_PROFILE, "--rank needs --task learned"},
        {o->rank && o->outputs == 1, "--rank needs --outputs correlated"},
        {o->ard && !s->lengthscale.learned,
         "--ard needs --learn lengthscale: it is held at one value"},
        {o->inducing && o->accuracy > 0, "--inducing and --accuracy exclude each other"},
        {o->inducing_points && o->accuracy > 0,
         "--inducing-points and --accuracy exclude each other"},
        {o->inducing_points && o->inducing, "--inducing-points and --inducing exclude each other"},
        {o->inducing && o->inference == RM2_INFERENCE_EXACT,
         "--inducing needs --inference inducing"},
        {o->inducing_points && o->inference == RM2_INFERENCE_EXACT,
         "--inducing-points needs --inference inducing"},
        {o->optimise_inducing && o->inference == RM2_INFERENCE_EXACT,
         "--optimise-inducing needs --inference inducing"},
        {o->accuracy > 0 && o->inference == RM2_INFERENCE_EXACT,
         "--accuracy needs --inference inducing"},
        {o->learning_rate > 0 && s->optim.method != RM2_ADAM,
         "--learning-rate needs --optimiser adam"},
        {o->decrease > 0 && s->optim.method == RM2_ADAM,
         "--decrease needs --optimiser lbfgs: a step of adam may go up"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return conflicts[k].text;
    return NULL;
}

int fit_options_settings(const work *w, const fit_options *o, bool trajectories,
                         rm2_fit_settings *s) {
    *s = rm2_fit_settings_recipe((rm2_recipe)o->recipe);
    s->seed = w->common->seed;
    override_choices(o, s);
    override_inference(o, s);
    override_rest(o, trajectories, s);
    int code = fit_hyper_settings(w, o, s);
    if (code != EXIT_DONE)
        return code;
    const char *conflict = find_conflict(o, s);
    return conflict ? work_complain(w, EXIT_USAGE, "%s", conflict) : EXIT_DONE;
}
