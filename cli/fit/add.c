/* riemann2 fit --add FILE --from MODEL: a model goes on with more demonstrations. */
#include <stdlib.h>

#include "fit/fit.h"

/* Settings are the model's: options that would change them are rejected. */
static int check_options(const training *t) {
    const fit_options *o = t->options;
    char word[SETTING_WORD];
    const char *other = setting_first_given(&o->from, word);
    bool file = o->init_from || o->base_point || o->back_kernels || o->inducing_points || o->family;
    bool hyper = o->set.count || o->learn.count || o->hold.count || o->prior.count;
    if (other || file || hyper)
        return work_complain(&t->work, EXIT_USAGE,
                             "%s and --add exclude each other: the settings are those of %s",
                             other   ? other
                             : hyper ? "options of hyperparameters"
                                     : "files for the training",
                             o->from_model);
    return EXIT_DONE;
}

static int read_new(training *t, const rm2_model_info *old) {
    rm2_data_settings *s = &t->data_options->settings;
    if (!s->manifold)
        s->manifold = rm2_manifold_spec(old->manifold);
    s->scale = RM2_SCALE_NONE; /* the model's scale counts */
    if (!setting_given(&t->data_options->from, "shrinkage"))
        s->shrinkage = old->data->shrinkage;
    int code =
        work_check(&t->work, rm2_data_read(t->work.ctx, t->path, s, &t->data, &t->held, NULL));
    if (code == EXIT_DONE && (old->data->trajectories > 0) != (t->data->trajectories > 0))
        code = work_complain(&t->work, EXIT_BAD_DATA,
                             old->data->trajectories
                                 ? "%s: the model has trajectories; name the column of their ids "
                                   "with --group"
                                 : "%s: the model has no trajectories; leave --group out",
                             t->path);
    return code;
}

int fit_read_addition(training *t) {
    int code = check_options(t);
    if (code == EXIT_DONE)
        code = work_check(&t->work, rm2_model_read(t->work.ctx, t->options->from_model, &t->old));
    if (code != EXIT_DONE)
        return code;
    const rm2_model_info *old = rm2_model_info_of(t->old);
    code = read_new(t, old);
    if (code != EXIT_DONE)
        return code;
    t->settings = *old->settings;
    t->added = calloc(t->data->trajectories + 1, sizeof *t->added);
    if (!t->added)
        return work_no_memory(&t->work);
    t->added->size = sizeof *t->added;
    return EXIT_DONE;
}

static size_t part_count(const training *t) {
    return !t->added ? 0 : t->data->trajectories ? t->data->trajectories : 1;
}

static const char *part_name(const training *t, size_t k) {
    return t->data->trajectories ? t->data->ids[k] : "all points";
}

size_t fit_unknown(const training *t) {
    size_t count = 0;
    for (size_t k = 0; k < part_count(t); k++)
        count += !t->added[k].known;
    return count;
}

void fit_print_added(FILE *out, const training *t) {
    for (size_t k = 0; k < part_count(t); k++)
        (void)fprintf(out, "added %s: %zu points, residual %.4g as encoded, %.4g trained%s\n",
                      PLAIN(part_name(t, k)), t->added[k].points, t->added[k].before,
                      t->added[k].after,
                      t->added[k].known   ? ""
                      : t->added[k].apart ? "; UNKNOWN to the model, placed next to its motions"
                                          : "; UNKNOWN to the model");
    if (fit_unknown(t) == 0)
        return;
    (void)fprintf(
        out, "%zu of them are unknown to the model: %s\n", fit_unknown(t),
        t->data->trajectories
            ? "a new motion, or a wrong offset or unit; look at it (plot), or train again "
              "on all data"
            : "their latent points are not reliable; train again on all data");
}

void fit_json_added(rm2_json *json, const training *t) {
    if (!t->added)
        return;
    rm2_json_array(json, "added");
    for (size_t k = 0; k < part_count(t); k++)
        rm2_json_record(json, NULL, RM2_TEXT("id", part_name(t, k)),
                        RM2_COUNT("points", t->added[k].points),
                        RM2_FLAG("known", t->added[k].known), RM2_FLAG("apart", t->added[k].apart),
                        RM2_NUMBER("residual_encoded", t->added[k].before),
                        RM2_NUMBER("residual", t->added[k].after));
    rm2_json_end(json);
}
