/* The report of an experiment: one HTML file with everything inside. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "experiment/groups.h"

/* Text with the characters that mean something in HTML written out. */
static void html_text(FILE *out, const char *text, size_t length) {
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
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
            (void)fputc(text[k], out);
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

static void html_cells(FILE *out, const table_line *l, const char *tag) {
    (void)fprintf(out, "<tr>");
    for (size_t k = 0; k < l->count; k++) {
        (void)fprintf(out, "<%s>", tag);
        html_text(out, l->cells[k], strlen(l->cells[k]));
        (void)fprintf(out, "</%s>", tag);
    }
    (void)fprintf(out, "</tr>\n");
}

/* The file of a figure as base64. */
static int html_image(const experiment_run *r, const figure_file *f, FILE *out) {
    char path[PATH_SIZE];
    experiment_path(r, f->name, "svg", path);
    FILE *in = fopen(path, "rb");
    bool whole = in != NULL;
    if (in) {
        base64(out, in);
        whole = !ferror(in);
    }
    int error = errno;
    if (in)
        (void)fclose(in);
    return whole
               ? EXIT_DONE
               : work_complain(&r->work, EXIT_FAILED, "cannot read %s: %s", path, strerror(error));
}

static int html_figure(const experiment_run *r, const figure_file *f, FILE *out) {
    (void)fprintf(out, "<figure><img alt=\"%s\" src=\"data:image/svg+xml;base64,", f->name);
    int code = html_image(r, f, out);
    (void)fprintf(out, "\"><figcaption>");
    html_text(out, f->caption, strlen(f->caption));
    (void)fprintf(out, "</figcaption></figure>\n");
    return code;
}

/* Every line a paragraph. */
static void html_lines(FILE *out, const char *text) {
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        (void)fprintf(out, "<p>");
        html_text(out, text, length);
        (void)fprintf(out, "</p>\n");
    }
}

static const char style[] =
    ":root{color-scheme:light dark;--ink:#222;--soft:#555;--line:#ccc;--back:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ecf1;--soft:#a9b4c0;--line:#3a4450;"
    "--back:#15191e}}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:var(--ink);background:var(--back)}h1{line-height:1.2}h2{margin-top:2.5rem}"
    "div.wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}th,td{padding:.3rem .8rem;text-align:right;"
    "border-bottom:1px solid var(--line)}th:first-child,td:first-child{text-align:left;"
    "padding-left:0}th{border-bottom:2px solid var(--ink)}figure{margin:2rem 0}"
    "img{display:block;width:100%;box-sizing:border-box;background:#fff;border-radius:6px}"
    "figcaption,p,dd{color:var(--soft)}p{margin:.3rem 0}code{overflow-wrap:anywhere}"
    "dt{font-weight:600}dd{margin:0 0 .5rem}";

static const char explanation[] =
    "On manifold: share of decoded points of the path that satisfy the manifold's equations. DTW: "
    "distance from the demonstrations under dynamic time warping, mean and standard deviation, in "
    "the units of the data. Over floor: the same divided by the floor, the mean distance between "
    "the "
    "demonstrations themselves. Colours: the geodesic is vermilion, the straight line black and "
    "dashed, demonstrations are grey; a circle is the start of a path, a square its end.";

static bool is_plain(const char *word) {
    return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_=+./:,@%")];
}

/* The command, words in quotation marks where a shell needs them. */
static void html_command(const experiment_options *o, FILE *out) {
    (void)fputs("riemann2 experiment", out);
    for (int k = 0; k < o->argc; k++) {
        const char *mark = is_plain(o->argv[k]) ? "" : "'";
        (void)fprintf(out, " %s", mark);
        html_text(out, o->argv[k], strlen(o->argv[k]));
        (void)fputs(mark, out);
    }
}

/* When the file of the data was last changed, UTC. */
static void html_date(const char *path, FILE *out) {
    struct stat info;
    struct tm utc;
    char text[40];
    if (stat(path, &info) == 0 && gmtime_r(&info.st_mtime, &utc) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) > 0)
        (void)fprintf(out, ", last changed %s", text);
}

static void html_method(const experiment_run *r, FILE *out) {
    (void)fputs("<h2>Method</h2>\n", out);
    html_lines(out, explanation);
    html_lines(out, r->origin);
    (void)fputs("<dl>\n<dt>Command</dt><dd><code>", out);
    html_command(r->options, out);
    (void)fputs("</code></dd>\n<dt>Data</dt><dd>", out);
    html_text(out, r->data->source, strlen(r->data->source));
    if (r->options->data)
        html_date(r->options->data, out);
    else
        (void)fputs(", generated", out);
    (void)fprintf(
        out, "</dd>\n<dt>Seed</dt><dd>%llu</dd>\n<dt>Version</dt><dd>riemann2 %s</dd>\n</dl>\n",
        (unsigned long long)r->work.common->seed, rm2_version());
}

/* A narrow screen scrolls the table, not the page. */
static void html_table(const table_line *lines, size_t count, FILE *out) {
    (void)fputs("<div class=\"wide\"><table>\n", out);
    for (size_t k = 0; k < count; k++)
        html_cells(out, &lines[k], k == 0 ? "th" : "td");
    (void)fputs("</table></div>\n", out);
}

static void html_results(const experiment_run *r, FILE *out) {
    table_line lines[1 + MOST_VARIANTS] = {experiment_head(r)};
    for (size_t k = 0; k < r->outcome_count; k++)
        lines[1 + k] = experiment_row(r, &r->outcomes[k]);
    html_table(lines, 1 + r->outcome_count, out);
    html_lines(out, r->notes);
}

static void html_groups(const experiment_run *r, FILE *out) {
    group_table tables[GROUP_TABLES];
    size_t count = group_tables(r, tables);
    for (size_t k = 0; k < count; k++) {
        (void)fprintf(out, "<h3>%s</h3>\n", tables[k].title);
        html_table(tables[k].lines, tables[k].count, out);
        html_lines(out, tables[k].note);
    }
}

int experiment_print_html(const experiment_run *r, FILE *out) {
    const char *spec = rm2_manifold_spec(r->data->manifold); /* letters, digits, spaces, colons */
    (void)fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>riemann2: %s on %s"
        "</title>\n<style>%s</style></head>\n<body>\n<h1>%s on %s</h1>\n<h2>Results</h2>\n",
        r->experiment->title, spec, style, r->experiment->title, spec);
    html_results(r, out);
    html_groups(r, out);
    int code = EXIT_DONE;
    for (size_t k = 0; k < r->figure_count && code == EXIT_DONE; k++)
        code = html_figure(r, &r->figures[k], out);
    html_method(r, out);
    (void)fprintf(out, "</body></html>\n");
    return code;
}
