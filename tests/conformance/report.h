/* What the runner prints: a table with one row a file, then the failures, then the counts. */
#ifndef CONFORMANCE_REPORT_H
#define CONFORMANCE_REPORT_H

#include "compare.h"

#include <stdio.h>

enum { FAILURES_SHOWN = 3 }; /* a file, unless verbose */

typedef struct report {
    bool verbose;
    int width;      /* of the file column */
    FILE *failures; /* lines kept until the table is done */
    char *failure_text;
    size_t failure_size;
    size_t passed, failed; /* cases of all files */
} report;

typedef struct file_report {
    report *all;
    const char *name;
    size_t cases, failed;
    size_t failure_lines;
    size_t index;    /* of the case under way, from 0 */
    const char *tag; /* of it, or "" */
    double ratio, error, tolerance;
    char where[96]; /* of the worst value; "" when nothing was compared */
} file_report;

bool report_open(report *r, bool verbose, int width);
void report_header(const report *r);
/* Failures, if any, and "N passed, N failed". */
void report_close(report *r);

void report_file_begin(file_report *f, report *r, const char *name);
/* One verdict of the case under way; a verdict_fn with the file report as user. */
void report_verdict(void *file, const verdict *v);
void report_case(file_report *f, bool passed);
/* A file without cases to run: one failed case. */
void report_no_cases(file_report *f, const char *note);
void report_file_end(file_report *f);

#endif
