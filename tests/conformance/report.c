/* Table, failure lines and counts. Failure lines go to a memory stream, so that they follow the
 * table instead of cutting it. */
#include "report.h"

#include <stdlib.h>

bool report_open(report *r, bool verbose, int width) {
    *r = (report){.verbose = verbose, .width = width};
    r->failures = open_memstream(&r->failure_text, &r->failure_size);
    return r->failures != NULL;
}

void report_header(const report *r) {
    printf("%-*s  %5s  %6s  %11s  %9s  %9s  %s\n", r->width, "file", "cases", "failed",
           "worst error", "tolerance", "ratio", "where");
}

void report_close(report *r) {
    fclose(r->failures);
    if (r->failure_size > 0)
        printf("\n%s", r->failure_text);
    free(r->failure_text);
    printf("\n%zu passed, %zu failed\n", r->passed, r->failed);
}

void report_file_begin(file_report *f, report *r, const char *name) {
    *f = (file_report){.all = r, .name = name, .tag = ""};
}

/* "case 3 (generic)" */
static void case_label(const file_report *f, char *text, size_t size) {
    bool tagged = f->tag[0] != '\0';
    snprintf(text, size, "case %zu%s%s%s", f->index, tagged ? " (" : "", f->tag, tagged ? ")" : "");
}

static void failure_line(file_report *f, const verdict *v) {
    FILE *out = f->all->failures;
    char label[80];
    if (f->failure_lines++ >= FAILURES_SHOWN && !f->all->verbose)
        return;
    case_label(f, label, sizeof label);
    fprintf(out, "FAILED %s %s%s%s: ", f->name, label, v->output ? " " : "",
            v->output ? v->output : "");
    if (v->measured)
        fprintf(out, "error %.3g, tolerance %.3g\n", v->error, v->tolerance);
    else
        fprintf(out, "%s\n", v->note);
}

void report_verdict(void *file, const verdict *v) {
    file_report *f = file;
    if (!v->passed)
        failure_line(f, v);
    if (!v->measured || (f->where[0] != '\0' && v->ratio <= f->ratio))
        return;
    char label[80];
    case_label(f, label, sizeof label);
    snprintf(f->where, sizeof f->where, "%s %.12s", label, v->output);
    f->ratio = v->ratio;
    f->error = v->error;
    f->tolerance = v->tolerance;
}

void report_case(file_report *f, bool passed) {
    f->cases++;
    f->failed += passed ? 0 : 1;
}

void report_no_cases(file_report *f, const char *note) {
    fprintf(f->all->failures, "FAILED %s: %s\n", f->name, note);
    report_case(f, false);
}

void report_file_end(file_report *f) {
    report *r = f->all;
    printf("%-*s  %5zu  %6zu  ", r->width, f->name, f->cases, f->failed);
    if (f->where[0] != '\0')
        printf("%11.2e  %9.2e  %9.2e  %s\n", f->error, f->tolerance, f->ratio, f->where);
    else
        printf("%11s  %9s  %9s  %s\n", "-", "-", "-", "-");
    if (f->failure_lines > FAILURES_SHOWN && !r->verbose)
        fprintf(r->failures, "FAILED %s: %zu more, shown with -v\n", f->name,
                f->failure_lines - FAILURES_SHOWN);
    r->passed += f->cases - f->failed;
    r->failed += f->failed;
    fflush(stdout);
}
