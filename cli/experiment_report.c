/* Tables (text, CSV, JSON) and the report (HTML with its figures inside) of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

/* ---- cells ---------------------------------------------------------------------------------- */

enum { CELL = 32 };

static void percent(double share, char text[CELL]) {
    (void)snprintf(text, CELL, "%.0f", 100 * share);
}

static void spread(const rm2_spread *s, char text[CELL]) {
    if (s->count)
        (void)snprintf(text, CELL, "%.2f ± %.2f", s->mean, s->deviation);
    else
        (void)snprintf(text, CELL, "-");
}

static void ratio(const rm2_spread *s, const rm2_spread *floor, char text[CELL]) {
    if (s->count && floor->count)
        (void)snprintf(text, CELL, "%.2f", s->mean / floor->mean);
    else
        (void)snprintf(text, CELL, "-");
}

/* Columns that a reader can see; width counts letters, not bytes. */
static void pad(FILE *out, const char *text, int width) {
    int letters = 0;
    for (const char *at = text; *at; at++)
        letters += (*at & 0xC0) != 0x80;
    (void)fprintf(out, "%s%*s", text, letters < width ? width - letters : 0, "");
}

/* ---- one table, three forms ----------------------------------------------------------------- */

enum { MOST_CELLS = 9 };
typedef struct line {
    char cells[MOST_CELLS][CELL];
    size_t count;
} line;

static void add(line *l, const char *text) {
    (void)snprintf(l->cells[l->count++], CELL, "%s", text);
}

static line head(const experiment_run *r) {
    line l = {.count = 0};
    add(&l, "model");
    add(&l, "on manifold %");
    add(&l, "paper %");
    if (r->floor.count) {
        add(&l, "DTW");
        add(&l, "over floor");
        add(&l, "paper DTW");
    }
    if (r->floor_tangent.count) {
        add(&l, "DTW, tangent");
        add(&l, "over floor");
    }
    return l;
}

static line row(const experiment_run *r, const outcome *o) {
    line l = {.count = 0};
    char text[CELL];
    add(&l, o->variant->name);
    percent(o->share, text);
    add(&l, text);
    add(&l, o->variant->paper_share ? o->variant->paper_share : "-");
    if (r->floor.count) {
        spread(&o->dtw, text);
        add(&l, text);
        ratio(&o->dtw, &r->floor, text);
        add(&l, text);
        add(&l, o->variant->paper_dtw ? o->variant->paper_dtw : "-");
    }
    if (r->floor_tangent.count) {
        spread(&o->dtw_tangent, text);
        add(&l, text);
        ratio(&o->dtw_tangent, &r->floor_tangent, text);
        add(&l, text);
    }
    return l;
}

static void print_line(FILE *out, const line *l) {
    for (size_t k = 0; k < l->count; k++)
        pad(out, l->cells[k], k == 0 ? 24 : k + 1 < l->count ? 15 : 0);
    (void)fputc('\n', out);
}

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

/* What a reader must know to compare: data, recipe, metric. */
static void print_notes(const experiment_run *r, FILE *out) {
    static const char *const recipes[] = {"robust", "map", "paper"};
    (void)fprintf(out, "data: %s, %zu points on %s; recipe: %s\n", r->data->source, r->data->count,
                  rm2_manifold_spec(r->data->manifold), recipes[r->options->recipe]);
    for (size_t k = 0; k < r->outcome_count; k++)
        if (r->outcomes[k].variant->movement == MOVE_PULLBACK)
            (void)fprintf(out, "%s: %s%s\n", r->outcomes[k].variant->name, r->outcomes[k].metric,
                          r->outcomes[k].curve->converged ? "" : "; geodesic not converged");
    if (!r->options->data)
        (void)fprintf(out,
                      "The paper's numbers are from its own data; these are from the generated "
                      "example of the same kind.\n");
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

static void print_text(const experiment_run *r, FILE *out) {
    line top = head(r);
    (void)fprintf(out, "%s (%s of the paper)\n\n", r->experiment->title,
                  r->experiment->paper_table);
    print_line(out, &top);
    for (size_t k = 0; k < r->outcome_count; k++) {
        line l = row(r, &r->outcomes[k]);
        print_line(out, &l);
    }
    (void)fputc('\n', out);
    print_floor(r, out);
    print_executions(r, out);
    print_notes(r, out);
}

static void print_csv_number(FILE *out, double value) {
    if (isfinite(value))
        (void)fprintf(out, ",%.10g", value);
    else
        (void)fprintf(out, ",");
}

static void print_csv(const experiment_run *r, FILE *out) {
    (void)fprintf(out, "model,on_manifold,dtw_mean,dtw_sd,dtw_floor,dtw_tangent_mean,"
                       "dtw_tangent_sd,dtw_tangent_floor,length,converged,paper_on_manifold,"
                       "paper_dtw\n");
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        (void)fprintf(out, "\"%s\"", o->variant->name);
        print_csv_number(out, o->share);
        print_csv_number(out, o->dtw.count ? o->dtw.mean : NAN);
        print_csv_number(out, o->dtw.count ? o->dtw.deviation : NAN);
        print_csv_number(out, r->floor.count ? r->floor.mean : NAN);
        print_csv_number(out, o->dtw_tangent.count ? o->dtw_tangent.mean : NAN);
        print_csv_number(out, o->dtw_tangent.count ? o->dtw_tangent.deviation : NAN);
        print_csv_number(out, r->floor_tangent.count ? r->floor_tangent.mean : NAN);
        print_csv_number(out, o->curve->length);
        (void)fprintf(out, ",%d,%s,\"%s\"\n", o->curve->converged,
                      o->variant->paper_share ? o->variant->paper_share : "",
                      o->variant->paper_dtw ? o->variant->paper_dtw : "");
    }
}

static void json_spread(FILE *out, const char *name, const rm2_spread *s) {
    (void)fprintf(out, ", \"%s\": ", name);
    if (!s->count) {
        (void)fprintf(out, "null");
        return;
    }
    (void)fprintf(out, "{\"mean\": ");
    json_number(out, s->mean);
    json_field(out, "sd", s->deviation);
    (void)fprintf(out, "}");
}

static void print_json(const experiment_run *r, FILE *out) {
    (void)fprintf(out, "{\"experiment\": \"%s\", \"data\": ", r->experiment->name);
    json_text(out, r->data->source);
    (void)fprintf(out, ", \"points\": %zu", r->data->count);
    json_spread(out, "floor", &r->floor);
    json_spread(out, "floor_tangent", &r->floor_tangent);
    (void)fprintf(out, ", \"models\": [");
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        (void)fprintf(out, "%s{\"name\": ", k ? ", " : "");
        json_text(out, o->variant->name);
        json_field(out, "on_manifold", o->share);
        json_spread(out, "dtw", &o->dtw);
        json_spread(out, "dtw_tangent", &o->dtw_tangent);
        json_field(out, "length", o->curve->length);
        (void)fprintf(out,
                      ", \"converged\": %s, \"metric\": ", o->curve->converged ? "true" : "false");
        json_text(out, o->metric);
        (void)fprintf(out, "}");
    }
    (void)fprintf(out, "], \"executions\": [");
    for (size_t k = 0; k < r->execution_count; k++) {
        const execution *e = &r->executions[k];
        (void)fprintf(out, "%s{\"arm\": ", k ? ", " : "");
        json_text(out, e->arm);
        (void)fprintf(out, ", \"model\": ");
        json_text(out, e->outcome->variant->name);
        json_field(out, "position_error", e->mean_position);
        json_field(out, "orientation_error", e->mean_orientation);
        json_field(out, "ellipsoid_error", e->mean_ellipsoid);
        (void)fprintf(out, ", \"missed\": %zu}", e->info.missed);
    }
    (void)fprintf(out, "]}\n");
}

/* ---- HTML ----------------------------------------------------------------------------------- */

/* Text with the characters that mean something in HTML written out. */
static void html_text(FILE *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '&':
            (void)fputs("&amp;", out);
            break;
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        default:
            (void)fputc(*text, out);
        }
}

/* A file as base64 (RFC 4648). */
static void base64(FILE *out, FILE *in) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    size_t got;
    while ((got = fread(b, 1, 3, in)) > 0) {
        if (got < 3)
            memset(b + got, 0, 3 - got);
        (void)fputc(digits[b[0] >> 2], out);
        (void)fputc(digits[(b[0] & 3) << 4 | b[1] >> 4], out);
        (void)fputc(got > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', out);
        (void)fputc(got > 2 ? digits[b[2] & 63] : '=', out);
    }
}

static void html_cells(FILE *out, const line *l, const char *tag) {
    (void)fprintf(out, "<tr>");
    for (size_t k = 0; k < l->count; k++) {
        (void)fprintf(out, "<%s>", tag);
        html_text(out, l->cells[k]);
        (void)fprintf(out, "</%s>", tag);
    }
    (void)fprintf(out, "</tr>\n");
}

static void html_figure(const experiment_run *r, const figure_file *f, FILE *out) {
    char file[64], path[1200];
    (void)snprintf(file, sizeof file, "%s.svg", f->name);
    experiment_path(r, file, path, sizeof path);
    FILE *in = fopen(path, "rb");
    if (!in)
        return;
    (void)fprintf(out, "<figure><img alt=\"%s\" src=\"data:image/svg+xml;base64,", f->name);
    base64(out, in);
    (void)fclose(in);
    (void)fprintf(out, "\"><figcaption>");
    html_text(out, f->caption);
    (void)fprintf(out, "</figcaption></figure>\n");
}

/* Lines of one of the text printers, as paragraphs. */
static void html_lines(const experiment_run *r, FILE *out,
                       void (*print)(const experiment_run *, FILE *)) {
    char text[512];
    FILE *scratch = tmpfile();
    if (!scratch)
        return;
    print(r, scratch);
    rewind(scratch);
    while (fgets(text, sizeof text, scratch)) {
        (void)fprintf(out, "<p>");
        html_text(out, text);
        (void)fprintf(out, "</p>\n");
    }
    (void)fclose(scratch);
}

static void print_html(const experiment_run *r, FILE *out) {
    line top = head(r);
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>riemann2: %s"
                  "</title>\n<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;"
                  "margin:2rem auto;padding:0 1rem;color:#222}table{border-collapse:collapse}"
                  "th,td{padding:.3rem .8rem;text-align:left;border-bottom:1px solid #ccc}"
                  "th{border-bottom:2px solid #222}figure{margin:2rem 0}img{max-width:100%%}"
                  "figcaption,p{color:#444}p{margin:.3rem 0}</style></head>\n<body>\n<h1>",
                  r->experiment->title);
    html_text(out, r->experiment->title);
    (void)fprintf(out, "</h1>\n<table>\n");
    html_cells(out, &top, "th");
    for (size_t k = 0; k < r->outcome_count; k++) {
        line l = row(r, &r->outcomes[k]);
        html_cells(out, &l, "td");
    }
    (void)fprintf(out, "</table>\n");
    html_lines(r, out, print_floor);
    html_lines(r, out, print_executions);
    html_lines(r, out, print_notes);
    (void)fprintf(
        out, "<p>On manifold: share of decoded points of the path that satisfy the manifold's "
             "equations. DTW: distance from the demonstrations under dynamic time warping, mean "
             "and standard deviation, in the model's units; the floor is the mean distance "
             "between the demonstrations themselves.</p>\n");
    for (size_t k = 0; k < r->figure_count; k++)
        html_figure(r, &r->figures[k], out);
    (void)fprintf(out, "</body></html>\n");
}

/* ---- files ---------------------------------------------------------------------------------- */

static int write_file(const experiment_run *r, const char *name,
                      void (*print)(const experiment_run *, FILE *)) {
    char path[1200];
    rm2_output *output;
    experiment_path(r, name, path, sizeof path);
    int code =
        work_check(&r->work, rm2_output_open(r->work.ctx, path, r->work.common->force, &output));
    if (code != EXIT_DONE)
        return code;
    print(r, rm2_output_stream(output));
    return work_check(&r->work, rm2_output_commit(r->work.ctx, output));
}

int experiment_report(experiment_run *r) {
    static const struct {
        const char *name;
        void (*print)(const experiment_run *, FILE *);
    } files[] = {{"table.txt", print_text},
                 {"table.csv", print_csv},
                 {"table.json", print_json},
                 {"report.html", print_html}};
    int code = EXIT_DONE;
    for (size_t k = 0; k < sizeof files / sizeof *files && code == EXIT_DONE; k++)
        code = write_file(r, files[k].name, files[k].print);
    if (code != EXIT_DONE)
        return code;
    if (r->work.common->json)
        print_json(r, stdout);
    else if (!r->work.common->quiet)
        print_text(r, stdout);
    experiment_say(r, "%.1f s; %s/report.html", r->seconds, r->folder);
    return EXIT_DONE;
}
