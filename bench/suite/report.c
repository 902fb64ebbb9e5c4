/* What follows from the measured numbers, the machine, and the table: one block a group, written as the
 * rows come. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "suite/suite.h"

/* ---- numbers that follow from others --------------------------------------------------------- */

double bench_ratio(double a, double b) {
    return b > 0 ? a / b : NAN;
}

double bench_rate(const bench_row *row) {
    return bench_ratio(row->operations, 1e6 * row->ours.median); /* per ms, in 1e9 a second */
}

static bool same_curve(const bench_case *a, const bench_case *b) {
    unsigned alike = BENCH_SPARSE | BENCH_DYNAMICS | BENCH_PER_OUTPUT;
    return a->measure == b->measure && a->group == b->group &&
           bench_loops_of(a) == bench_loops_of(b) && strcmp(a->data, b->data) == 0 &&
           (a->flags & alike) == (b->flags & alike);
}

/* With inducing points the work on r x r matrices hides below 2000 points what grows with N. */
static bool on_curve(const bench_report *report, size_t first, size_t k) {
    const bench_case *c = report->cases[k];
    return same_curve(report->cases[first], c) && !report->rows[k].failure[0] &&
           (!(c->flags & BENCH_SPARSE) || c->points >= 2000);
}

bool bench_find_growth(const bench_report *report, size_t first, bench_growth *growth) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    *growth = (bench_growth){.least = SIZE_MAX};
    for (size_t k = 0; k < first; k++)
        if (same_curve(report->cases[k], report->cases[first]))
            return false;
    for (size_t k = first; k < report->count; k++) {
        const bench_row *row = &report->rows[k];
        if (!on_curve(report, first, k))
            continue;
        double u = log((double)row->points), v = log(row->ours.median);
        n++, x += u, y += v, xx += u * u, xy += u * v;
        growth->sizes++;
        growth->least = row->points < growth->least ? row->points : growth->least;
        growth->most = row->points > growth->most ? row->points : growth->most;
    }
    /* slope = sum (u - mean u)(v - mean v) / sum (u - mean u)^2 */
    growth->exponent = (xy - x * y / n) / (xx - x * x / n);
    return growth->least < growth->most;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void find_processor(char *name, size_t size) {
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    (void)snprintf(name, size, "unknown processor");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        (void)snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        name[strcspn(name, "\n")] = 0;
        break;
    }
    if (f)
        (void)fclose(f);
}

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

bench_machine bench_describe_machine(rm2_context *ctx) {
    rm2_blas_info blas = {.size = sizeof blas};
    (void)rm2_blas_check(ctx, &blas);
    bench_machine m = {.processors = sysconf(_SC_NPROCESSORS_ONLN),
                       .threads = rm2_context_threads(ctx),
                       .blas = blas.config,
                       .kernels = blas.core,
                       .compiler = COMPILER};
#if defined(__OPTIMIZE__)
    m.optimised = true;
#endif
    find_processor(m.processor, sizeof m.processor);
    return m;
}

void bench_print_machine(FILE *out, const bench_machine *m) {
    (void)fprintf(out,
                  "riemann2 %s on %s, %d of %ld processors\n%s\n%s kernels, compiled by %s%s\n",
                  rm2_version(), m->processor, m->threads, m->processors, m->blas, m->kernels,
                  m->compiler, m->optimised ? "" : ", NOT OPTIMISED");
    (void)fprintf(out,
                  "\nms: median of the rounds; spread: their interquartile range\n"
                  "bare: milliseconds of BLAS and LAPACK that cannot be avoided, by turns with "
                  "ours; ratio: ms/bare\n"
                  "GFLOP/s: operations of the bare work in our time; gain: others' time over "
                  "ours\n"
                  "MB: peak of memory, libraries, data and model included\n");
}

/* ---- table ----------------------------------------------------------------------------------- */

/* Three digits or more. */
static void print_number(FILE *out, int width, double value) {
    int digits = value < 1 ? 4 : value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
    if (isfinite(value))
        (void)fprintf(out, " %*.*f", width, digits, value);
    else
        (void)fprintf(out, " %*s", width, "-");
}

static void print_count(FILE *out, size_t value) {
    if (value)
        (void)fprintf(out, " %8zu", value);
    else
        (void)fprintf(out, " %8s", "-");
}

static void print_spread(FILE *out, const bench_times *t) {
    if (t->count > 1)
        (void)fprintf(out, " %5.0f%%", 100 * (t->quartile[1] - t->quartile[0]) / t->median);
    else
        (void)fprintf(out, " %6s", "-");
}

static void print_memory(FILE *out, double megabytes) {
    if (isfinite(megabytes))
        (void)fprintf(out, " %6.1f", megabytes);
    else
        (void)fprintf(out, " %6s", "-");
}

void bench_print_head(FILE *out, bench_group_id group) {
    const bench_group *g = &bench_groups[group];
    (void)fprintf(out, "\n%s: %s; milliseconds per %s\n", g->name, g->title, g->unit);
    if (*g->bare)
        (void)fprintf(out, "bare: %s\n", g->bare);
    (void)fprintf(out, "%-17s %5s %3s %-8s %8s %6s %7s %8s %5s %6s", "data", "N", "M", "by", "ms",
                  "spread", "GFLOP/s", "bare", "ratio", "MB");
    for (size_t k = 0; k < BENCH_EXTRAS && g->extras[k]; k++)
        (void)fprintf(out, " %8s", g->extras[k]);
    (void)fprintf(out, "\n");
}

static void print_extras(FILE *out, const bench_case *c, const bench_row *row) {
    double other = c->group == BENCH_INDUCING ? row->exact.median : row->torch;
    switch (c->group) {
    case BENCH_EVALUATION:
    case BENCH_INDUCING:
        print_number(out, 8, other > 0 ? other : NAN);
        print_number(out, 8, other > 0 ? bench_ratio(other, row->ours.median) : NAN);
        break;
    case BENCH_TRAINING:
        print_count(out, row->evaluations);
        print_number(out, 8, row->objective);
        break;
    case BENCH_GEODESIC:
        print_count(out, row->evaluations);
        break;
    case BENCH_REPLAN:
        print_number(out, 8, row->slow);
        break;
    case BENCH_BUSY:
        print_number(out, 8, row->single.median);
        print_number(out, 8, bench_ratio(row->ours.median, row->single.median));
        print_number(out, 8, bench_ratio(row->again.median, row->single.median));
        break;
    case BENCH_GRID:
    case BENCH_CODEC:
    case BENCH_GROUPS:
        break;
    }
}

void bench_print_row(FILE *out, const bench_case *c, const bench_row *row) {
    char what[64], by[32] = "exact";
    bool named = strcmp(c->name, bench_groups[c->group].name) != 0;
    (void)snprintf(what, sizeof what, "%s%s%s%s", named ? c->name : "", named ? " " : "", c->data,
                   c->flags & BENCH_DYNAMICS ? ", dynamics" : "");
    if (c->group == BENCH_BUSY)
        (void)snprintf(what, sizeof what, "%s + %zu", c->name, bench_loops_of(c));
    if (row->failure[0]) {
        (void)fprintf(out, "%-17s %5zu FAILED: %s\n", what, c->points, row->failure);
        return;
    }
    if (row->inducing)
        (void)snprintf(by, sizeof by, "r = %zu", row->inducing);
    double bare = row->bare.count ? row->bare.median : NAN;
    (void)fprintf(out, "%-17s %5zu %3zu %-8s", what, row->points, row->outputs, by);
    print_number(out, 8, row->ours.median);
    print_spread(out, &row->ours);
    print_number(out, 7, bench_rate(row));
    print_number(out, 8, bare);
    print_number(out, 5, bench_ratio(row->ours.median, bare));
    print_memory(out, row->memory);
    print_extras(out, c, row);
    (void)fprintf(out, "\n");
}

void bench_print_growth(FILE *out, const bench_report *report, bench_group_id group) {
    bench_growth g;
    for (size_t k = 0; k < report->count; k++) {
        const bench_case *c = report->cases[k];
        if (c->group == group && bench_find_growth(report, k, &g))
            (void)fprintf(out, "%s%s, N from %zu to %zu: time grows as N^%.2f\n", c->data,
                          c->flags & BENCH_SPARSE ? " by inducing points" : "", g.least, g.most,
                          g.exponent);
    }
}
