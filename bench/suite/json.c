/* All of a benchmark as one JSON object. What was not measured is null. */
#include <math.h>

#include "suite/suite.h"

static void print_text(FILE *out, const char *name, const char *text) {
    (void)fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

static void print_count(FILE *out, const char *name, size_t value) {
    (void)fprintf(out, ", \"%s\": %zu", name, value);
}

static void print_machine(FILE *out, const bench_machine *m) {
    (void)fprintf(out, "\"machine\": {\"processors\": %ld, \"threads\": %d", m->processors,
                  m->threads);
    print_text(out, "processor", m->processor);
    print_text(out, "blas", m->blas);
    print_text(out, "kernels", m->kernels);
    print_text(out, "compiler", m->compiler);
    (void)fprintf(out, ", \"optimised\": %s}", m->optimised ? "true" : "false");
}

static double median(const bench_times *t) {
    return t->count ? t->median : NAN;
}

/* Of the rounds: with one there is none. */
static double spread(const bench_times *t) {
    return t->count > 1 ? t->quartile[1] - t->quartile[0] : NAN;
}

static void print_numbers(FILE *out, const bench_row *row) {
    print_count(out, "inducing", row->inducing);
    print_count(out, "rounds", row->ours.count);
    json_field(out, "median_ms", row->ours.median);
    json_field(out, "spread_ms", spread(&row->ours));
    json_field(out, "least_ms", row->ours.least);
    json_field(out, "most_ms", row->ours.most);
    json_field(out, "operations", row->operations);
    json_field(out, "gflops", bench_rate(row));
    json_field(out, "bare_ms", median(&row->bare));
    json_field(out, "ratio", bench_ratio(row->ours.median, median(&row->bare)));
    json_field(out, "exact_ms", median(&row->exact));
    json_field(out, "exact_gain", bench_ratio(median(&row->exact), row->ours.median));
    json_field(out, "single_ms", median(&row->single));
    json_field(out, "single_ratio", bench_ratio(row->ours.median, median(&row->single)));
    json_field(out, "again_ms", median(&row->again));
    json_field(out, "again_ratio", bench_ratio(median(&row->again), median(&row->single)));
    json_field(out, "torch_ms", row->torch);
    json_field(out, "torch_gain", bench_ratio(row->torch, row->ours.median));
    json_field(out, "evaluations", row->evaluations ? (double)row->evaluations : NAN);
    json_field(out, "slow_ms", row->slow);
    json_field(out, "objective", row->objective);
    json_field(out, "memory_mb", row->memory);
}

static void print_row(FILE *out, const bench_case *c, const bench_row *row) {
    bool failed = row->failure[0] != 0;
    (void)fprintf(out, "{\"group\": \"%s\"", bench_groups[c->group].name);
    print_text(out, "name", c->name);
    print_text(out, "data", c->data);
    print_count(out, "points", failed ? c->points : row->points);
    if (!failed)
        print_count(out, "outputs", row->outputs);
    (void)fprintf(out, ", \"inference\": \"%s\", \"dynamics\": %s",
                  c->flags & BENCH_SPARSE ? "inducing" : "exact",
                  c->flags & BENCH_DYNAMICS ? "true" : "false");
    print_count(out, "loops", bench_loops_of(c));
    print_text(out, "unit", bench_groups[c->group].unit);
    if (failed)
        print_text(out, "failure", row->failure);
    else
        print_numbers(out, row);
    (void)fprintf(out, "}");
}

static void print_growth(FILE *out, const bench_case *c, const bench_growth *g) {
    (void)fprintf(out, "{\"group\": \"%s\"", bench_groups[c->group].name);
    print_text(out, "name", c->name);
    print_text(out, "data", c->data);
    (void)fprintf(out, ", \"inference\": \"%s\"", c->flags & BENCH_SPARSE ? "inducing" : "exact");
    print_count(out, "from", g->least);
    print_count(out, "to", g->most);
    print_count(out, "sizes", g->sizes);
    json_field(out, "exponent", g->exponent);
    (void)fprintf(out, "}");
}

void bench_print_json(FILE *out, const bench_machine *machine, const bench_report *report) {
    bench_growth g;
    size_t found = 0;
    (void)fprintf(out, "{\"version\": \"%s\", ", rm2_version());
    print_machine(out, machine);
    (void)fprintf(out, ", \"rows\": [");
    for (size_t k = 0; k < report->count; k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        print_row(out, report->cases[k], &report->rows[k]);
    }
    (void)fprintf(out, "], \"growth\": [");
    for (size_t k = 0; k < report->count; k++)
        if (bench_find_growth(report, k, &g)) {
            (void)fprintf(out, "%s", found++ ? ", " : "");
            print_growth(out, report->cases[k], &g);
        }
    (void)fprintf(out, "]}\n");
}
