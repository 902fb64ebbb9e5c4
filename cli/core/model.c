/* Running a command on a model file: options, the file, where latent points come from. */
#include "core/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/latents.h"

/* ---- what a command on a model works with --------------------------------------------------- */

bool model_prints(const char *output) {
    return !output || strcmp(output, "-") == 0;
}

bool model_wants_table(const model_work *m) {
    return m->options->output || !m->work.common->json;
}

FILE *model_summary(const model_work *m) {
    return model_wants_table(m) && model_prints(m->options->output) ? stderr : stdout;
}

int model_complain(const model_work *m, const char *what, const char *sentence) {
    char text[MESSAGE_SIZE];
    return work_complain(&m->work, EXIT_NOT_CONVERGED, "%s%s", what,
                         message_as_options(sentence, text, sizeof text));
}

int model_write_sheet(const model_work *m, const sheet *s) {
    const char *path = m->options->output ? m->options->output : "-";
    return work_check(&m->work, sheet_write(m->work.ctx, s, path, m->work.common->force));
}

/* ---- latent points to work on --------------------------------------------------------------- */

static int latents_at(const model_work *m, size_t *n, double **latents) {
    size_t Q = m->info->latent_dim;
    *n = 1;
    *latents = malloc(Q * sizeof **latents);
    if (!*latents)
        return work_no_memory(&m->work);
    if (parse_numbers(m->options->at, Q, *latents))
        return EXIT_DONE;
    return work_complain(&m->work, EXIT_USAGE, "--at %s: expected %zu number%s%s", m->options->at,
                         Q, Q == 1 ? "" : "s", Q == 1 ? "" : " separated by commas");
}

/* Training points from..to. */
static int latents_of(const model_work *m, size_t from, size_t to, size_t *n, double **latents) {
    size_t Q = m->info->latent_dim;
    *n = to - from;
    *latents = malloc((*n * Q + 1) * sizeof **latents);
    if (!*latents)
        return work_no_memory(&m->work);
    memcpy(*latents, m->info->latents + from * Q, *n * Q * sizeof **latents);
    return EXIT_DONE;
}

static int no_trajectory(const model_work *m, const char *id) {
    enum { SHOWN = 10 };
    char list[200] = "";
    size_t used = 0, count = m->info->data->trajectories;
    if (count == 0)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "the model was trained without trajectories (fit --group)");
    for (size_t t = 0; t < count && t < SHOWN && used < sizeof list; t++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", t ? ", " : "",
                                 m->info->data->ids[t]);
    return work_complain(&m->work, EXIT_BAD_DATA, "the model has no trajectory \"%s\"; it has %s%s",
                         id, list, count > SHOWN ? ", ..." : "");
}

int model_find_trajectory(const model_work *m, const char *id, size_t *trajectory) {
    for (*trajectory = 0; *trajectory < m->info->data->trajectories; ++*trajectory)
        if (strcmp(m->info->data->ids[*trajectory], id) == 0)
            return EXIT_DONE;
    return no_trajectory(m, id);
}

static int latents_of_trajectory(const model_work *m, size_t *n, double **latents) {
    const size_t *starts = m->info->data->starts;
    size_t t;
    int code = model_find_trajectory(m, m->options->trajectory, &t);
    return code == EXIT_DONE ? latents_of(m, starts[t], starts[t + 1], n, latents) : code;
}

/* From --at, --train, --trajectory or a file. */
int model_find_latents(const model_work *m, size_t *n, double **latents) {
    *latents = NULL;
    if (m->options->at)
        return latents_at(m, n, latents);
    if (m->options->train)
        return latents_of(m, 0, m->info->points, n, latents);
    if (m->options->trajectory)
        return latents_of_trajectory(m, n, latents);
    return work_read_latents(&m->work, m->paths[1], m->info->latent_dim, n, latents);
}

static bool copy_texts(size_t count, const char *const *texts, char ***copies) {
    *copies = calloc(count + 1, sizeof **copies);
    for (size_t k = 0; *copies && k < count; k++)
        if (!((*copies)[k] = strdup(texts[k])))
            return false;
    return *copies != NULL;
}

/* Ids, times and labels of training points from..from + count; trajectories are those from first on. */
static bool copy_roles(const rm2_data *d, size_t from, size_t first, latent_paths *p) {
    size_t n = p->count;
    if (d->time && (p->time = malloc((n + 1) * sizeof *p->time)))
        memcpy(p->time, d->time + from, n * sizeof *p->time);
    if (d->labels && (p->labels = malloc((n + 1) * sizeof *p->labels)))
        memcpy(p->labels, d->labels + from, n * sizeof *p->labels);
    if ((d->time && !p->time) || (d->labels && !p->labels))
        return false;
    p->label_count = d->labels ? d->label_count : 0;
    if (d->labels && !copy_texts(d->label_count, d->label_names, &p->label_names))
        return false;
    if (d->trajectories == 0)
        return true;
    while (first + p->runs < d->trajectories && d->starts[first + p->runs] < from + n)
        p->runs++;
    p->starts = malloc((p->runs + 1) * sizeof *p->starts);
    for (size_t t = 0; p->starts && t <= p->runs; t++)
        p->starts[t] = d->starts[first + t] - from;
    return p->starts && copy_texts(p->runs, d->ids + first, &p->ids);
}

int model_find_paths(const model_work *m, latent_paths *p) {
    const model_options *o = m->options;
    const rm2_data *d = m->info->data;
    *p = (latent_paths){.count = 0};
    if (!o->at && !o->train && !o->trajectory)
        return work_read_paths(&m->work, m->paths[1], m->info->latent_dim, p);
    size_t first = 0;
    int code = model_find_latents(m, &p->count, &p->x);
    if (code != EXIT_DONE || o->at)
        return code;
    if (o->trajectory)
        code = model_find_trajectory(m, o->trajectory, &first);
    size_t from = o->trajectory ? d->starts[first] : 0;
    return code != EXIT_DONE || copy_roles(d, from, first, p) ? code : work_no_memory(&m->work);
}

/* ---- data ----------------------------------------------------------------------------------- */

int model_read_data(const model_work *m, const char *path, data_options *options, rm2_data **data,
                    rm2_data **held_out) {
    const rm2_manifold *own = m->info->manifold;
    if (!options->settings.manifold)
        options->settings.manifold = rm2_manifold_spec(own);
    options->settings.scale = RM2_SCALE_NONE;
    if (!setting_given(&options->from, "shrinkage")) /* as the training data were read */
        options->settings.shrinkage = m->info->data->shrinkage;
    rm2_status status = rm2_data_read(m->work.ctx, path, &options->settings, data, held_out, NULL);
    if (status == RM2_OK && !rm2_manifold_equal((*data)->manifold, own))
        return work_complain(&m->work, EXIT_BAD_DATA, "the model is on %s, the data are on %s",
                             rm2_manifold_spec(own), rm2_manifold_spec((*data)->manifold));
    if (status == RM2_OK && (*data)->singular && m->info->settings->model != RM2_GPLVM)
        return work_complain(
            &m->work, EXIT_BAD_DATA,
            "%s: %zu matri%s singular within rounding, the first in %s %zu; the model was trained "
            "%s: "
            "estimate them with a shrinkage estimator, or train with fit --shrinkage X",
            path, (*data)->singular, (*data)->singular == 1 ? "x is" : "ces are", (*data)->row_word,
            (*data)->singular_row,
            options->settings.shrinkage > 0 ? "with too little shrinkage" : "without shrinkage");
    return work_check(&m->work, status);
}

int model_align_signs(const model_work *m, rm2_data **data) {
    rm2_data *aligned;
    if (!*data)
        return EXIT_DONE;
    int code = work_check(&m->work, rm2_data_align(m->work.ctx, *data, m->info->data, &aligned));
    if (code == EXIT_DONE) {
        rm2_data_free(*data);
        *data = aligned;
    }
    return code;
}

/* ---- running a command on a model file ------------------------------------------------------ */

/* A model there must be, and latent points or data from one place where they are needed. */
static int check_sources(const model_work *m, const model_action *a, bool on_points, size_t files) {
    const command *self = m->work.self;
    const model_options *o = m->options;
    int sources = on_points + (files == 2) + (o->at != NULL) + o->train + (o->trajectory != NULL) +
                  o->whole_grid;
    if (sources > 1)
        return work_complain(&m->work, EXIT_USAGE,
                             "more than one source of latent points; usage: %s %s", self->title,
                             self->usage);
    if (files > 0 && (sources == 1 || !a->needs_source))
        return EXIT_DONE;
    (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
    return EXIT_USAGE;
}

/* Options of the other way to run the command. */
static int check_points(const model_work *m, const model_action *a, const data_options *data,
                        size_t files) {
    const model_options *o = m->options;
    char word[SETTING_WORD];
    bool on_points = data->settings.manifold != NULL;
    const char *other = setting_first_given(on_points ? &o->space_from : &data->from, word);
    if (on_points && !other)
        other = o->train             ? "--train"
                : o->trajectory      ? "--trajectory"
                : o->avoid.count > 0 ? "--avoid"
                : o->discourage      ? "--discourage"
                                     : NULL;
    else if (!other && a->points_from)
        other = setting_first_given(a->points_from, word);
    if (other && on_points)
        return work_complain(&m->work, EXIT_USAGE,
                             "%s needs a model; --manifold is for a file of points without one",
                             other);
    if (other)
        return work_complain(&m->work, EXIT_USAGE,
                             "%s needs --manifold, for a file of points without a model", other);
    if (on_points && files == 2)
        return work_complain(&m->work, EXIT_USAGE, "one argument too many: \"%s\"", m->paths[1]);
    return EXIT_DONE;
}

static int run_action(model_work *m, const model_action *a, data_options *data) {
    if (a->run_on_points && data->settings.manifold)
        return a->run_on_points(m, data);
    int code = work_check(&m->work, rm2_model_read(m->work.ctx, m->paths[0], &m->model));
    if (code != EXIT_DONE)
        return code;
    m->info = rm2_model_info_of(m->model);
    code = a->run_with_data ? a->run_with_data(m, data) : a->run(m);
    rm2_model_free(m->model);
    return code;
}

static int open_and_run(model_work *m, const model_action *a, data_options *data) {
    const char *const read[] = {m->paths[0], m->paths[1], m->options->pairs, m->options->discourage,
                                m->options->names};
    const char *inputs[sizeof read / sizeof *read + TEXT_LIST_MAX + 1] = {NULL};
    size_t next = 0;
    const char *output = m->options->latents ? m->options->latents : m->options->output;
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        if (read[k])
            inputs[next++] = read[k];
    for (size_t k = 0; k < m->options->avoid.count; k++)
        inputs[next++] = m->options->avoid.items[k];
    int code = output ? work_check_output(&m->work, output, inputs) : EXIT_DONE;
    if (output && code == EXIT_DONE)
        code = work_check_format(&m->work, output, a->formats ? a->formats : table_formats);
    return code == EXIT_DONE ? run_action(m, a, data) : code;
}

int model_run(const command *self, int argc, char **argv, const model_action *a) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    static const char *const apart[] = {"duration", "spread_limit",
                                        NULL}; /* options of their own */
    model_options options = {
        .space = rm2_space_settings_default(),
        .space_from = {.table = rm2_settings_table_of(RM2_SETTINGS_SPACE),
                       .only = a->space_settings},
        .report = rm2_report_settings_default(),
        .report_from = {.table = rm2_settings_table_of(RM2_SETTINGS_REPORT)},
        .meet = rm2_meet_settings_default(),
        .meet_from = {.table = rm2_settings_table_of(RM2_SETTINGS_MEET), .except = apart}};
    option_group groups[10] = {{"Options", a->table, &options, NULL}};
    size_t count = 1;
    for (const option_group *g = a->groups; g && !group_is_last(g); g++) {
        groups[count] = *g;
        if (!g->settings)
            groups[count].settings = &options;
        count++;
    }
    if (a->space)
        groups[count++] = (option_group){NULL, NULL, &options.space, &options.space_from};
    if (a->meet)
        groups[count++] = (option_group){NULL, NULL, &options.meet, &options.meet_from};
    if (a->report)
        groups[count++] = (option_group){NULL, NULL, &options.report, &options.report_from};
    if (a->run_with_data || a->run_on_points)
        groups[count++] = (option_group){"Data", NULL, &data.settings, &data.from};
    groups[count++] = (option_group){"Common options", common_option_table, &common, NULL};
    groups[count] = (option_group){.options = NULL};
    model_work m = {.work = {self, NULL, &common}, .options = &options, .own = a->own};
    if (!options_parse(self->title, argc, argv, groups, m.paths, a->files, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    int code = a->run_on_points ? check_points(&m, a, &data, count) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = check_sources(&m, a, a->run_on_points && data.settings.manifold, count);
    if (code != EXIT_DONE)
        return code;
    m.work.ctx = command_context(&common);
    if (!m.work.ctx)
        return EXIT_FAILED;
    code = open_and_run(&m, a, &data);
    rm2_context_free(m.work.ctx);
    return code;
}
