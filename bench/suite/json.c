/* All of a benchmark as one JSON object. What was not measured is null. */
#include <math.h>

#include "front/json.h"
#include "suite/suite.h"

static void put_machine(rm2_json *json, const bench_machine *m) {
    rm2_json_record(json, "machine", RM2_COUNT("processors", (size_t)m->processors),
                    RM2_COUNT("threads", (size_t)m->threads), RM2_TEXT("processor", m->processor),
                    RM2_TEXT("blas", m->blas), RM2_TEXT("kernels", m->kernels),
                    RM2_TEXT("compiler", m->compiler), RM2_FLAG("optimised", m->optimised));
}

static double median(const bench_times *t) {
    return t->count ? t->median : NAN;
}

/* Of the rounds: with one there is none. */
static double spread(const bench_times *t) {
    return t->count > 1 ? t->quartile[1] - t->quartile[0] : NAN;
}

static void put_numbers(rm2_json *json, const bench_row *row) {
    rm2_json_put(json, RM2_COUNT("inducing", row->inducing), RM2_COUNT("rounds", row->ours.count),
                 RM2_NUMBER("median_ms", row->ours.median),
                 RM2_NUMBER("spread_ms", spread(&row->ours)),
                 RM2_NUMBER("least_ms", row->ours.least), RM2_NUMBER("most_ms", row->ours.most),
                 RM2_NUMBER("operations", row->operations), RM2_NUMBER("gflops", bench_rate(row)),
                 RM2_NUMBER("bare_ms", median(&row->bare)),
                 RM2_NUMBER("ratio", bench_ratio(row->ours.median, median(&row->bare))),
                 RM2_NUMBER("exact_ms", median(&row->exact)),
                 RM2_NUMBER("exact_gain", bench_ratio(median(&row->exact), row->ours.median)),
                 RM2_NUMBER("single_ms", median(&row->single)),
                 RM2_NUMBER("single_ratio", bench_ratio(row->ours.median, median(&row->single))),
                 RM2_NUMBER("again_ms", median(&row->again)),
                 RM2_NUMBER("again_ratio", bench_ratio(median(&row->again), median(&row->single))),
                 RM2_NUMBER("torch_ms", row->torch),
                 RM2_NUMBER("torch_gain", bench_ratio(row->torch, row->ours.median)),
                 RM2_COUNT("evaluations", row->evaluations ? row->evaluations : SIZE_MAX),
                 RM2_NUMBER("slow_ms", row->slow), RM2_NUMBER("objective", row->objective),
                 RM2_NUMBER("memory_mb", row->memory));
}

/* Group, name and data of a case in a new object. */
static void open_case(rm2_json *json, const bench_case *c) {
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_TEXT("group", bench_groups[c->group].name), RM2_TEXT("name", c->name),
                 RM2_TEXT("data", c->data));
}

static void put_inference(rm2_json *json, const bench_case *c) {
    rm2_json_put(json, RM2_TEXT("inference", c->flags & BENCH_SPARSE ? "inducing" : "exact"));
}

static void put_row(rm2_json *json, const bench_case *c, const bench_row *row) {
    bool failed = row->failure[0] != 0;
    open_case(json, c);
    rm2_json_put(json, RM2_COUNT("points", failed ? c->points : row->points));
    if (!failed)
        rm2_json_put(json, RM2_COUNT("outputs", row->outputs));
    put_inference(json, c);
    rm2_json_put(json, RM2_FLAG("dynamics", c->flags & BENCH_DYNAMICS),
                 RM2_COUNT("loops", bench_loops_of(c)),
                 RM2_TEXT("unit", bench_groups[c->group].unit));
    if (failed)
        rm2_json_put(json, RM2_TEXT("failure", row->failure));
    else
        put_numbers(json, row);
    rm2_json_end(json);
}

static void put_growth(rm2_json *json, const bench_case *c, const bench_growth *g) {
    open_case(json, c);
    put_inference(json, c);
    rm2_json_put(json, RM2_COUNT("from", g->least), RM2_COUNT("to", g->most),
                 RM2_COUNT("sizes", g->sizes), RM2_NUMBER("exponent", g->exponent));
    rm2_json_end(json);
}

void bench_print_json(FILE *out, const bench_machine *machine, const bench_report *report) {
    bench_growth g;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("version", rm2_version()));
    put_machine(&json, machine);
    rm2_json_array(&json, "rows");
    for (size_t k = 0; k < report->count; k++)
        put_row(&json, report->cases[k], &report->rows[k]);
    rm2_json_end(&json);
    rm2_json_array(&json, "growth");
    for (size_t k = 0; k < report->count; k++)
        if (bench_find_growth(report, k, &g))
            put_growth(&json, report->cases[k], &g);
    rm2_json_end(&json);
    rm2_json_end(&json);
}
