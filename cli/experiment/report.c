/* Tables of an experiment: text, CSV, JSON. The paper's numbers are compared only where the data are the paper's;
 * elsewhere multiples of the floor stand next to the paper's, where its floor is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/groups.h"

/* ---- cells ---------------------------------------------------------------------------------- */

static void percent(double share, char text[CELL]) {
    bool whole = share == 0 || share == 1; /* 99.6 is not 100 */
    (void)snprintf(text, CELL, whole ? "%.0f" : "%.1f", 100 * share);
}

/* This number of digits, but no power of ten for what is a thousand or a million. */
static int decimals(double value, int digits) {
    double size = fabs(value);
    int before = size >= 1 ? (int)log10(size) + 1 : 0;
    return before < digits ? digits - before : 0;
}

static void spread(const rm2_distance_summary *s, char text[CELL]) {
    if (s->count && s->mean < 1e9)
        (void)snprintf(text, CELL, "%.*f ± %.*f", decimals(s->mean, 3), s->mean,
                       decimals(s->deviation, 2), s->deviation);
    else if (s->count)
        (void)snprintf(text, CELL, "%.3g ± %.2g", s->mean, s->deviation);
    else
        (void)snprintf(text, CELL, "-");
}

static double over(const rm2_distance_summary *s, const rm2_distance_summary *floor) {
    return s->count && floor->count && floor->mean > 0 ? s->mean / floor->mean : NAN;
}

/* Multiples of a floor; NaN: there is none. */
static void ratio(double value, char text[CELL]) {
    if (isnan(value))
        (void)snprintf(text, CELL, "-");
    else
        (void)snprintf(text, CELL, value < 1000 ? "%.2f" : "%.3g", value);
}

/* Letters, not bytes: what a reader sees. */
static int width_of(const char *text) {
    int letters = 0;
    for (; *text; text++)
        letters += (*text & 0xC0) != 0x80;
    return letters;
}

/* ---- against the paper ---------------------------------------------------------------------- */

/* Numbers as printed in the paper: "100", "3.8 ± 0.91"; NaN where it has none. */
static double paper_share(const outcome *o) {
    return o->variant->paper_share ? strtod(o->variant->paper_share, NULL) / 100 : NAN;
}

static double paper_dtw(const outcome *o) {
    return o->variant->paper_dtw ? strtod(o->variant->paper_dtw, NULL) : NAN;
}

static double paper_deviation(const outcome *o) {
    const char *sign = o->variant->paper_dtw ? strstr(o->variant->paper_dtw, "±") : NULL;
    return sign ? strtod(sign + strlen("±"), NULL) : NAN;
}

/* Multiples of a floor can be compared where the data are of the same kind. */
static bool has_paper_floor(const experiment_run *r) {
    return r->experiment->paper_floor > 0 &&
           strcmp(rm2_manifold_spec(r->data->manifold), r->experiment->manifold) == 0;
}

static double paper_over_floor(const experiment_run *r, const outcome *o) {
    return has_paper_floor(r) ? paper_dtw(o) / r->experiment->paper_floor : NAN;
}

static bool worse_share(const outcome *o) {
    const char *paper = o->variant->paper_share;
    return paper && 100 * o->share < strtod(paper, NULL) - 0.5; /* printed as whole numbers */
}

static bool worse_dtw(const outcome *o) {
    const char *paper = o->variant->paper_dtw;
    return paper && o->dtw.count && o->dtw.mean > strtod(paper, NULL);
}

/* ---- one table, in several forms ------------------------------------------------------------ */

static void add(table_line *l, const char *text) {
    (void)snprintf(l->cells[l->count++], CELL, "%s", text);
}

table_line experiment_head(const experiment_run *r) {
    table_line l = {.count = 0};
    add(&l, "model");
    add(&l, "on manifold %");
    add(&l, "paper %");
    if (r->floor.count) {
        add(&l, "DTW");
        add(&l, "over floor");
        if (has_paper_floor(r))
            add(&l, "paper over floor");
        if (r->options->paper_data)
            add(&l, "paper DTW");
    }
    if (r->floor_tangent.count) {
        add(&l, "DTW, tangent");
        add(&l, "over floor");
    }
    return l;
}

table_line experiment_row(const experiment_run *r, const outcome *o) {
    table_line l = {.count = 0};
    char text[CELL];
    add(&l, o->variant->name);
    percent(o->share, text);
    add(&l, text);
    add(&l, o->variant->paper_share ? o->variant->paper_share : "-");
    if (r->floor.count) {
        spread(&o->dtw, text);
        add(&l, text);
        ratio(over(&o->dtw, &r->floor), text);
        add(&l, text);
        ratio(paper_over_floor(r, o), text);
        if (has_paper_floor(r))
            add(&l, text);
        if (r->options->paper_data)
            add(&l, o->variant->paper_dtw ? o->variant->paper_dtw : "-");
    }
    if (r->floor_tangent.count) {
        spread(&o->dtw_tangent, text);
        add(&l, text);
        ratio(over(&o->dtw_tangent, &r->floor_tangent), text);
        add(&l, text);
    }
    return l;
}

static void widen(const table_line *l, int width[MOST_CELLS]) {
    for (size_t k = 0; k < l->count; k++)
        if (width_of(l->cells[k]) > width[k])
            width[k] = width_of(l->cells[k]);
}

static void print_line(FILE *out, const table_line *l, const int width[MOST_CELLS]) {
    for (size_t k = 0; k + 1 < l->count; k++)
        (void)fprintf(out, "%s%*s", l->cells[k], width[k] + 3 - width_of(l->cells[k]), "");
    (void)fprintf(out, "%s\n", l->cells[l->count - 1]);
}

void experiment_print_lines(FILE *out, const table_line *lines, size_t count) {
    int width[MOST_CELLS] = {0};
    for (size_t k = 0; k < count; k++)
        widen(&lines[k], width);
    for (size_t k = 0; k < count; k++)
        print_line(out, &lines[k], width);
}

static void print_text(const experiment_run *r, FILE *out) {
    table_line lines[1 + MOST_VARIANTS] = {experiment_head(r)};
    for (size_t k = 0; k < r->outcome_count; k++)
        lines[1 + k] = experiment_row(r, &r->outcomes[k]);
    (void)fprintf(out, "%s on %s (%s of the paper)\n\n", r->experiment->title,
                  rm2_manifold_spec(r->data->manifold), r->experiment->paper_table);
    experiment_print_lines(out, lines, 1 + r->outcome_count);
    (void)fprintf(out, "\n%s", r->notes);
    groups_print_text(r, out);
    (void)fprintf(out, "%s", r->origin);
}

static void print_csv_number(FILE *out, double value) {
    if (isfinite(value))
        (void)fprintf(out, ",%.10g", value);
    else
        (void)fprintf(out, ",");
}

/* Shares are fractions, distances are in the units of the data, those of the paper in its own. */
static void print_csv(const experiment_run *r, FILE *out) {
    (void)fprintf(out, "model,on_manifold,dtw_mean,dtw_sd,dtw_floor,over_floor,dtw_tangent_mean,"
                       "dtw_tangent_sd,dtw_tangent_floor,over_floor_tangent,length,converged,"
                       "paper_on_manifold,paper_dtw_mean,paper_dtw_sd,paper_over_floor\n");
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        (void)fprintf(out, "\"%s\"", o->variant->name);
        print_csv_number(out, o->share);
        print_csv_number(out, o->dtw.count ? o->dtw.mean : NAN);
        print_csv_number(out, o->dtw.count ? o->dtw.deviation : NAN);
        print_csv_number(out, r->floor.count ? r->floor.mean : NAN);
        print_csv_number(out, over(&o->dtw, &r->floor));
        print_csv_number(out, o->dtw_tangent.count ? o->dtw_tangent.mean : NAN);
        print_csv_number(out, o->dtw_tangent.count ? o->dtw_tangent.deviation : NAN);
        print_csv_number(out, r->floor_tangent.count ? r->floor_tangent.mean : NAN);
        print_csv_number(out, over(&o->dtw_tangent, &r->floor_tangent));
        print_csv_number(out, o->report.length);
        (void)fprintf(out, ",%d", o->report.converged);
        print_csv_number(out, paper_share(o));
        print_csv_number(out, paper_dtw(o));
        print_csv_number(out, paper_deviation(o));
        print_csv_number(out, paper_over_floor(r, o));
        (void)fputc('\n', out);
    }
}

static void json_spread(rm2_json *json, const char *name, const rm2_distance_summary *s) {
    if (!s->count) {
        rm2_json_put(json, RM2_TEXT(name, NULL));
        return;
    }
    rm2_json_record(json, name, RM2_NUMBER("mean", s->mean), RM2_NUMBER("sd", s->deviation));
}

static void json_outcome(rm2_json *json, const experiment_run *r, const outcome *o) {
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_TEXT("name", o->variant->name), RM2_NUMBER("on_manifold", o->share));
    json_spread(json, "dtw", &o->dtw);
    json_spread(json, "dtw_tangent", &o->dtw_tangent);
    rm2_json_put(json, RM2_NUMBER("length", o->report.length),
                 RM2_NUMBER("over_floor", over(&o->dtw, &r->floor)),
                 RM2_NUMBER("paper_over_floor", paper_over_floor(r, o)));
    if (r->options->paper_data)
        rm2_json_put(json, RM2_FLAG("worse_than_paper", worse_share(o) || worse_dtw(o)));
    rm2_json_put(json, RM2_FLAG("converged", o->report.converged), RM2_TEXT("metric", o->metric));
    rm2_json_end(json);
}

static void json_execution(rm2_json *json, const execution *e) {
    rm2_json_record(
        json, NULL, RM2_TEXT("arm", e->arm), RM2_TEXT("model", e->outcome->variant->name),
        RM2_NUMBER("position_error", e->mean_position),
        RM2_NUMBER("orientation_error", e->mean_orientation),
        RM2_NUMBER("ellipsoid_error", e->mean_ellipsoid), RM2_COUNT("missed", e->info.missed));
}

static void print_json(const experiment_run *r, FILE *out) {
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("experiment", r->experiment->name),
                 RM2_TEXT("data", r->data->source), RM2_COUNT("points", r->data->count));
    json_spread(&json, "floor", &r->floor);
    json_spread(&json, "floor_tangent", &r->floor_tangent);
    rm2_json_array(&json, "models");
    for (size_t k = 0; k < r->outcome_count; k++)
        json_outcome(&json, r, &r->outcomes[k]);
    rm2_json_end(&json);
    rm2_json_array(&json, "executions");
    for (size_t k = 0; k < r->execution_count; k++)
        json_execution(&json, &r->executions[k]);
    rm2_json_end(&json);
    groups_print_json(r, &json);
    rm2_json_end(&json);
}

/* ---- notes ---------------------------------------------------------------------------------- */

static void print_floor(const experiment_run *r, FILE *out) {
    char text[CELL];
    if (!r->floor.count)
        return;
    spread(&r->floor, text);
    (void)fprintf(out, "floor: %s between the %zu demonstrations", text,
                  r->reference->trajectories);
    if (r->floor_tangent.count) {
        spread(&r->floor_tangent, text);
        (void)fprintf(out, " (%s in tangent coordinates)", text);
    }
    (void)fputc('\n', out);
}

static void print_executions(const experiment_run *r, FILE *out) {
    for (size_t k = 0; k < r->execution_count; k++) {
        const execution *e = &r->executions[k];
        (void)fprintf(out, "%s follows %s: position error %.2g mean, %.2g largest", e->arm,
                      e->outcome->variant->name, e->mean_position, e->worst_position);
        if (e->mean_orientation > 0)
            (void)fprintf(out, ", orientation %.2g rad", e->mean_orientation);
        if (e->mean_ellipsoid > 0)
            (void)fprintf(out, ", ellipsoid %.2g", e->mean_ellipsoid);
        (void)fprintf(out, "; %zu of %zu points missed\n", e->info.missed, e->n);
    }
}

/* Where the paper has a better number for the same data. */
static void print_worse(const experiment_run *r, FILE *out) {
    bool any = false;
    if (!r->options->paper_data)
        return;
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        char text[CELL];
        percent(o->share, text);
        if (worse_share(o))
            (void)fprintf(out, "worse than the paper: %s, %s %% on the manifold (paper: %s)\n",
                          o->variant->name, text, o->variant->paper_share);
        spread(&o->dtw, text);
        if (worse_dtw(o))
            (void)fprintf(out, "worse than the paper: %s, DTW %s (paper: %s)\n", o->variant->name,
                          text, o->variant->paper_dtw);
        any = any || worse_share(o) || worse_dtw(o);
    }
    if (!any)
        (void)fprintf(out, "no number is worse than the paper's\n");
}

/* The recipe of a model; the one of the option where the models differ only in their defaults. */
static const char *recipe_of(const trained *t) {
    return rm2_settings_find(rm2_settings_table_of(RM2_SETTINGS_FIT), "recipe")
        ->words[t->info->settings->recipe];
}

/* What a reader must know to compare: data, recipes, metrics, geodesics that are none. */
static void print_origin(const experiment_run *r, FILE *out) {
    (void)fprintf(out, "data: %s, %zu points on %s; recipe: %s\n", r->data->source, r->data->count,
                  rm2_manifold_spec(r->data->manifold), recipe_of(experiment_wrapped(r)));
    for (size_t k = 0; k < r->model_count; k++)
        if (r->models[k].info->settings->recipe != experiment_wrapped(r)->info->settings->recipe)
            (void)fprintf(out, "recipe of the %s model: %s\n",
                          r->models[k].kind == RM2_GPLVM ? "Euclidean" : "independent",
                          recipe_of(&r->models[k]));
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        if (o->variant->movement == MOVE_PULLBACK || !o->report.converged)
            (void)fprintf(out, "%s: %s%s\n", o->variant->name, o->metric,
                          o->report.converged ? "" : "; geodesic NOT CONVERGED");
    }
    if (!r->options->paper_data)
        (void)fprintf(out, "The paper's numbers are from its own data%s.\n",
                      has_paper_floor(r) && r->floor.count
                          ? ": compare multiples of the floor, not distances"
                          : "; these are from other data");
}

static void print_results(const experiment_run *r, FILE *out) {
    print_floor(r, out);
    print_worse(r, out);
    print_executions(r, out);
}

static int write_text(const experiment_run *r, void (*print)(const experiment_run *, FILE *),
                      char **text) {
    size_t size;
    rm2_writer *stream;
    int code = work_check(&r->work, rm2_writer_open_memory(r->work.ctx, &stream));
    if (code != EXIT_DONE)
        return code;
    print(r, rm2_writer_stream(stream));
    return work_check(&r->work, rm2_writer_consume(r->work.ctx, stream, text, &size));
}

static int write_notes(experiment_run *r) {
    int code = write_text(r, print_results, &r->notes);
    return code == EXIT_DONE ? write_text(r, print_origin, &r->origin) : code;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int open_file(const experiment_run *r, const char *name, const char *ending,
                     rm2_writer **output) {
    char path[PATH_SIZE];
    experiment_path(r, name, ending, path);
    return work_check(&r->work, rm2_writer_open(r->work.ctx, path, r->work.common->force, output));
}

static int write_html(const experiment_run *r) {
    rm2_writer *output;
    int code = open_file(r, "report", "html", &output);
    if (code == EXIT_DONE)
        code = experiment_print_html(r, rm2_writer_stream(output));
    if (code == EXIT_DONE)
        return work_check(&r->work, rm2_writer_commit(r->work.ctx, output));
    rm2_writer_discard(output);
    return code;
}

static int write_file(const experiment_run *r, const char *name, const char *ending,
                      void (*print)(const experiment_run *, FILE *)) {
    rm2_writer *output;
    int code = open_file(r, name, ending, &output);
    if (code != EXIT_DONE)
        return code;
    print(r, rm2_writer_stream(output));
    return work_check(&r->work, rm2_writer_commit(r->work.ctx, output));
}

int experiment_report(experiment_run *r) {
    static const struct {
        const char *name, *ending;
        void (*print)(const experiment_run *, FILE *);
    } files[] = {{"table", "txt", print_text},        {"table", "csv", print_csv},
                 {"table", "json", print_json},       {"table", "tex", experiment_print_latex},
                 {"groups", "csv", groups_print_csv}, {"groups", "tex", groups_print_latex}};
    size_t count = sizeof files / sizeof *files - (r->groups.held_out.points > 0 ? 0 : 2);
    int code = write_notes(r);
    for (size_t k = 0; k < count && code == EXIT_DONE; k++)
        code = write_file(r, files[k].name, files[k].ending, files[k].print);
    if (code == EXIT_DONE)
        code = write_html(r);
    if (code != EXIT_DONE)
        return code;
    if (r->work.common->json)
        print_json(r, stdout);
    else if (!r->work.common->quiet)
        print_text(r, stdout);
    experiment_say(r, "%.1f s; %s/report.html", rm2_seconds() - r->started, r->folder);
    return EXIT_DONE;
}
