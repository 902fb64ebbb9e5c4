/* Options of training: the settings of the library's table, which go to the library as texts, and options that name files. */
#include <stdlib.h>
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
    return (fit_options){.settings = rm2_fit_settings_recipe(RM2_RECIPE_AUTO),
                         .from = {.table = rm2_settings_table_of(RM2_SETTINGS_FIT)}};
}

int fit_options_settings(const work *w, const fit_options *o, fit_texts *texts,
                         rm2_fit_settings *s) {
    static const double point = 0;
    static const size_t number = 0;
    static const rm2_factor_kernel kernel = {0};
    texts->copies = 0;
    texts->count = settings_texts(&o->from, texts->list);
    if (o->family && !setting_given(&o->from, "families"))
        texts->list[texts->count++] = (rm2_setting_text){"families", "label"};
    int code = fit_hyper_texts(w, o, texts);
    *s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s->texts = texts->list;
    s->text_count = texts->count;
    s->seed = w->common->seed;
    s->compact = o->compact;
    /* files that are not read yet */
    s->init_latent = o->init_from ? &point : NULL;
    s->base_point = o->base_point ? &point : NULL;
    s->inducing_points = o->inducing_points ? &number : NULL;
    s->back_kernels = o->back_kernels ? &kernel : NULL;
    return code;
}

int fit_options_check(const work *w, const fit_options *o) {
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {o->family && setting_given(&o->from, "families"),
         "--family and --families exclude each other"},
        {o->resume && !o->checkpoint, "--resume needs --checkpoint FILE"},
        {o->checkpoint_every > 0 && !o->checkpoint, "--checkpoint-every needs --checkpoint FILE"},
        {o->compact && o->add, "--compact and --add exclude each other"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return work_complain(w, EXIT_USAGE, "%s", conflicts[k].text);
    fit_texts *texts = malloc(sizeof *texts);
    if (!texts)
        return work_no_memory(w);
    rm2_fit_settings s;
    int code = fit_options_settings(w, o, texts, &s);
    if (code == EXIT_DONE)
        code = work_check(w, rm2_fit_check(w->ctx, NULL, &s));
    free(texts);
    return code;
}
