/* riemann2 covariance: options, labels of subjects, the loop over the files, summary. */
#include "covariance/covariance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COV(member) offsetof(covariance_options, member)

static const char *const channel_words[] = {"columns", "rows", NULL};
static const char *const epoch_words[] = {"auto", "first", "last", NULL};

static const option signal_table[] = {
    {"--output", "FILE", OPTION_TEXT, COV(output), NULL,
     "CSV, .npz or .npy to write (also -o; - prints CSV)"},
    {"--channels", NULL, OPTION_CHOICE, COV(channels), channel_words,
     "axis of a table or array that counts the channels (default: columns)"},
    {"--columns", "A,B,...", OPTION_TEXT, COV(columns), NULL,
     "channels to use, by name, number from 0 or range 3-380 (default: all)"},
    {"--ignore", "A,B,...", OPTION_TEXT, COV(ignore), NULL, "columns that are not channels"},
    {"--group", "COLUMN", OPTION_TEXT, COV(group), NULL,
     "column of subjects (default: one subject per file)"},
    {"--label", "COLUMN", OPTION_TEXT, COV(label), NULL,
     "column of labels; windows end where they change (with --labels: a column of that file)"},
    {"--labels", "FILE", OPTION_TEXT, COV(labels), NULL,
     "table with subjects (file names) in the first column, and their labels"},
    {"--events", "COLUMN", OPTION_TEXT, COV(events), NULL,
     "start a window at each sample that is not empty or 0 in this column; the value is its label"},
    {"--array", "NAME", OPTION_TEXT, COV(array), NULL,
     "array of the signals in an .npz or .mat file (default: signals, or the only one that fits)"},
    {"--epochs", NULL, OPTION_CHOICE, COV(epochs), epoch_words,
     "axis of an array that counts epochs (default: the first, in a .mat file the last)"},
    {.name = NULL},
};

static const option window_table[] = {
    {"--window", "S", OPTION_NUMBER, COV(window), NULL,
     "length of a window, in seconds with --rate, otherwise in samples (default: all samples)"},
    {"--step", "S", OPTION_NUMBER, COV(step), NULL,
     "distance between the beginnings of windows (default: their length)"},
    {"--rate", "HZ", OPTION_NUMBER, COV(rate), NULL, "samples per second"},
    {"--offset", "S", OPTION_TEXT, COV(offset), NULL,
     "time from an event to the beginning of its window; may be negative (default: 0)"},
    {"--skip-bad", NULL, OPTION_FLAG, COV(skip_bad), NULL,
     "leave out windows with missing values, constant channels or singular matrices"},
    {.name = NULL},
};

/* ---- options --------------------------------------------------------------------------------- */

/* A length in samples. */
static int in_samples(const covariance_work *c, const char *name, double value, size_t *samples) {
    double count = round(value * (c->options->rate > 0 ? c->options->rate : 1));
    *samples = count >= 1 && count < 0x1p53 ? (size_t)count : 0;
    if (*samples || value == 0)
        return EXIT_DONE;
    return work_complain(&c->work, EXIT_USAGE, "%s %g is %s sample", name, value,
                         count < 1 ? "less than a" : "more than any file has of a");
}

static int find_offset(covariance_work *c) {
    double value = 0, rate = c->options->rate > 0 ? c->options->rate : 1;
    if (c->options->offset && !parse_numbers(c->options->offset, 1, &value))
        return work_complain(&c->work, EXIT_USAGE, "--offset %s: expected a number",
                             c->options->offset);
    if (fabs(value * rate) > 1e15)
        return work_complain(&c->work, EXIT_USAGE, "--offset %s is too large", c->options->offset);
    c->offset = lround(value * rate);
    return EXIT_DONE;
}

static int check_options(covariance_work *c) {
    const covariance_options *o = c->options;
    const work *w = &c->work;
    int code = in_samples(c, "--window", o->window, &c->window);
    if (code == EXIT_DONE)
        code = in_samples(c, "--step", o->step, &c->step);
    if (code == EXIT_DONE)
        code = find_offset(c);
    if (code != EXIT_DONE)
        return code;
    if (o->step > 0 && o->window == 0)
        return work_complain(w, EXIT_USAGE, "--step has no effect without --window");
    if (o->events && o->window == 0)
        return work_complain(w, EXIT_USAGE, "--events needs --window, the length of the windows");
    if (o->events && o->step > 0)
        return work_complain(w, EXIT_USAGE,
                             "--step has no effect with --events: one window per event");
    if (o->offset && !o->events)
        return work_complain(w, EXIT_USAGE, "--offset has no effect without --events");
    if (o->events && (o->label || o->labels))
        return work_complain(w, EXIT_USAGE,
                             "--label and --labels have no effect with --events, whose "
                             "values are the labels");
    c->step = c->step ? c->step : c->window;
    return EXIT_DONE;
}

/* ---- labels of subjects ----------------------------------------------------------------------- */

typedef struct label_columns {
    const char *wanted; /* column of the labels; NULL: the second */
    size_t subject, label;
    const char **texts;
    char (*numbers)[NAME_SIZE];
} label_columns;

/* All columns are texts. */
static rm2_status choose_texts(void *user, const rm2_table *header, rm2_csv_settings *s) {
    label_columns *l = user;
    l->texts = calloc(header->columns, sizeof *l->texts);
    l->numbers = calloc(header->columns, sizeof *l->numbers);
    if (!l->texts || !l->numbers)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < header->columns; k++) {
        (void)snprintf(l->numbers[k], sizeof l->numbers[k], "%zu", k);
        l->texts[k] = header->names ? header->names[k] : l->numbers[k];
    }
    l->label = l->wanted ? rm2_table_column(header, l->wanted) : 1;
    s->text = l->texts;
    s->text_count = header->columns;
    return RM2_OK;
}

static int read_labels(const covariance_work *c, rm2_table *table, size_t *column) {
    label_columns l = {.wanted = c->options->label};
    rm2_csv_settings s = rm2_csv_settings_default();
    const char *path = c->options->labels;
    s.choose = choose_texts;
    s.user = &l;
    s.most_bytes = RM2_SMALL_FILE;
    int code = work_check(&c->work, rm2_csv_read(c->work.ctx, path, &s, table));
    *column = l.label;
    if (code == EXIT_DONE && (l.label >= table->columns || l.label == 0))
        code =
            work_complain(&c->work, EXIT_BAD_DATA,
                          "%s: expected subjects in the first column and labels in column \"%s\"",
                          path, l.wanted ? l.wanted : "1");
    free(l.texts);
    free(l.numbers);
    return code;
}

static const char *table_text(const rm2_table *t, size_t row, size_t column) {
    return t->texts[column][(size_t)t->values[row * t->columns + column]];
}

/* The label of a subject: its row has the name of the file, with ending or without. */
static int find_label(const covariance_work *c, const rm2_table *t, size_t column,
                      const recording *r, const char **label) {
    const char *slash = strrchr(r->path, '/'), *file = slash ? slash + 1 : r->path;
    *label = NULL;
    if (!c->options->labels)
        return EXIT_DONE;
    for (size_t i = 0; i < t->rows && !*label; i++) {
        const char *name = table_text(t, i, 0);
        if (strcmp(name, r->subject) == 0 || strcmp(name, file) == 0)
            *label = table_text(t, i, column);
    }
    if (*label && **label)
        return EXIT_DONE;
    return work_complain(&c->work, EXIT_BAD_DATA, "%s has no label of subject \"%s\" (%s)",
                         c->options->labels, r->subject, r->path);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int add_file(const covariance_work *c, const char *path, const rm2_table *labels,
                    size_t column, covariance_set *s) {
    recording r;
    const char *label = NULL;
    int code = recording_read(c, path, &r);
    if (code == EXIT_DONE)
        code = find_label(c, labels, column, &r, &label);
    if (code == EXIT_DONE)
        code = set_add(c, &r, label, s);
    recording_free(&r);
    return code;
}

static int add_files(const covariance_work *c, const char *const *paths, covariance_set *s) {
    rm2_table labels = {.rows = 0};
    size_t column = 0;
    int code = c->options->labels ? read_labels(c, &labels, &column) : EXIT_DONE;
    for (; code == EXIT_DONE && *paths; paths++)
        code = add_file(c, *paths, &labels, column, s);
    rm2_table_clear(&labels);
    if (code == EXIT_DONE && s->count == 0)
        code = work_complain(
            &c->work, EXIT_BAD_DATA,
            "no window is left: %zu have missing values, constant channels or singular "
            "matrices",
            s->bad);
    return code;
}

/* ---- summary ---------------------------------------------------------------------------------- */

static void print_json(const covariance_work *c, const covariance_set *s) {
    char manifold[NAME_SIZE];
    rm2_json json = rm2_json_begin(stdout);
    (void)snprintf(manifold, sizeof manifold, "SPD%zu", s->channels);
    rm2_json_put(&json, RM2_TEXT("file", c->options->output), RM2_TEXT("manifold", manifold),
                 RM2_COUNT("matrices", s->count), RM2_COUNT("recordings", s->recordings),
                 RM2_COUNT("subjects", s->subjects.count), RM2_COUNT("window", c->window),
                 RM2_COUNT("step", c->step), RM2_COUNT("bad", s->bad),
                 RM2_COUNT("unlabelled", s->unlabelled), RM2_COUNT("late_events", s->late),
                 RM2_NUMBER("least_shrinkage", s->least),
                 RM2_NUMBER("mean_shrinkage", s->sum / (double)s->count),
                 RM2_NUMBER("most_shrinkage", s->most));
    rm2_json_texts(&json, "labels", s->labelled ? s->labels.count : 0,
                   (const char *const *)s->labels.names);
    rm2_json_end(&json);
}

static void print_left_out(FILE *out, const covariance_set *s) {
    if (s->bad)
        (void)fprintf(out,
                      "left out: %zu window%s with missing values, constant channels or singular "
                      "matrices\n",
                      s->bad, plural(s->bad));
    if (s->unlabelled)
        (void)fprintf(out, "left out: %zu stretch%s without a label\n", s->unlabelled,
                      s->unlabelled == 1 ? "" : "es");
    if (s->late)
        (void)fprintf(out, "left out: %zu event%s whose window%s not within the recording\n",
                      s->late, plural(s->late), s->late == 1 ? " is" : "s are");
}

/* How to go on. */
static void print_next(FILE *out, const covariance_work *c, const covariance_set *s) {
    const char *path = c->options->output;
    (void)fprintf(out, "next: riemann2 check %s --manifold SPD%zu%s", path, s->channels,
                  s->labelled ? " --label label" : "");
    if (!has_ending(path, ".npz") && !has_ending(path, ".npy"))
        (void)fprintf(out, " --ignore subject%s", s->windowed ? ",time" : "");
    (void)fprintf(out, "\n");
}

static void print_text(const covariance_work *c, const covariance_set *s) {
    bool prints = !c->options->output || strcmp(c->options->output, "-") == 0;
    FILE *out = prints ? stderr : stdout;
    char word[NAME_SIZE] = "";
    (void)rm2_settings_get(c->work.ctx, rm2_settings_table_of(RM2_SETTINGS_COVARIANCE),
                           &c->options->settings, "estimator", word, sizeof word);
    (void)fprintf(out, "%s%s%zu matri%s of %zu channel%s from %zu recording%s, %zu subject%s\n",
                  prints ? "" : c->options->output, prints ? "" : ": ", s->count,
                  s->count == 1 ? "x" : "ces", s->channels, plural(s->channels), s->recordings,
                  plural(s->recordings), s->subjects.count, plural(s->subjects.count));
    (void)fprintf(out, "estimator %s%s", word,
                  c->options->settings.standardise ? " of standardised channels" : "");
    if (s->most > 0)
        (void)fprintf(out, ", shrinkage %.4g to %.4g (mean %.4g)", s->least, s->most,
                      s->sum / (double)s->count);
    if (c->window)
        (void)fprintf(out, ", windows of %zu samples", c->window);
    (void)fprintf(out, "\n");
    print_left_out(out, s);
    if (s->wide)
        (void)fprintf(
            stderr,
            "warning: %s has more channels than samples; if channels are its %s, pass --channels "
            "%s\n",
            s->wide, channel_words[1 - c->options->channels],
            channel_words[1 - c->options->channels]);
    if (!prints)
        print_next(out, c, s);
}

/* ---- command ---------------------------------------------------------------------------------- */

static int compute(covariance_work *c, const char *const *paths) {
    covariance_set s = {.count = 0};
    const char *output = c->options->output;
    int code = check_options(c);
    if (code == EXIT_DONE && output)
        code = work_check_output(&c->work, output, paths);
    if (code == EXIT_DONE && output)
        code = work_check_format(&c->work, output, array_formats);
    if (code == EXIT_DONE)
        code = add_files(c, paths, &s);
    if (code == EXIT_DONE && (output || !c->work.common->json))
        code = set_write(c, &s);
    if (code == EXIT_DONE && c->work.common->json)
        print_json(c, &s);
    else if (code == EXIT_DONE && !c->work.common->quiet)
        print_text(c, &s);
    set_free(&s);
    return code;
}

static int parse_and_run(const command *self, int argc, char **argv, const char **paths) {
    common_options common = {.help = false};
    covariance_options options = {
        .settings = rm2_covariance_settings_default(),
        .from = {.table = rm2_settings_table_of(RM2_SETTINGS_COVARIANCE)}};
    const option_group groups[] = {{"Signals", signal_table, &options, NULL},
                                   {"Windows", window_table, &options, NULL},
                                   {NULL, NULL, &options.settings, &options.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, paths, (size_t)argc, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0) {
        (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
        return EXIT_USAGE;
    }
    covariance_work c = {.work = {self, command_context(&common), &common}, .options = &options};
    if (!c.work.ctx)
        return EXIT_FAILED;
    int code = compute(&c, paths);
    rm2_context_free(c.work.ctx);
    return code;
}

int run_covariance(const command *self, int argc, char **argv) {
    const char **paths = calloc((size_t)argc + 1, sizeof *paths);
    if (!paths) {
        (void)fprintf(stderr, "%s: %s\n", self->title, rm2_status_text(RM2_ERR_MEMORY));
        return EXIT_FAILED;
    }
    int code = parse_and_run(self, argc, argv, paths);
    free(paths);
    return code;
}
