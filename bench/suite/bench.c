/* riemann2-bench: how fast the library is on this machine, compared with the unavoidable BLAS and LAPACK work. */
#include "suite/suite.h"

#include <string.h>

#include "core/progress.h"

/* ---- what is measured ------------------------------------------------------------------------- */

const bench_group bench_groups[BENCH_GROUPS] = {
    [BENCH_EVALUATION] =
        {.name = "evaluation",
         .title = "the objective with its gradient",
         .unit = "evaluation",
         .bare = "dpotrf and dpotri of N x N (per-output noise: for each output), again of "
                 "the steps with dynamics",
         .rounds = 7,
         .extras = {"PyTorch", "gain"}},
    [BENCH_INDUCING] = {.name = "inducing",
                        .title = "the same by r inducing points, to 0.001 nats per point",
                        .unit = "evaluation",
                        .bare = "dpotrf of two r x r, dpotri of one, N rows solved and multiplied "
                                "with r x r",
                        .rounds = 5,
                        .extras = {"exact", "gain"}},
    [BENCH_TRAINING] = {.name = "training",
                        .title = "from the data to the model by the default recipe",
                        .unit = "training",
                        .bare = "that of all its evaluations",
                        .rounds = 3,
                        .extras = {"evals", "nats/pt"}},
    [BENCH_GRID] = {.name = "grid",
                    .title = "the metric at 50 x 50 nodes",
                    .unit = "grid",
                    .bare = "the kernel's derivatives, multiplied by M x N and solved with N x N",
                    .rounds = 7},
    [BENCH_GEODESIC] = {.name = "geodesic",
                        .title = "path on the grid, spline, geodesic equation, 200 points decoded",
                        .unit = "query",
                        .bare = "",
                        .rounds = 7,
                        .extras = {"evals"}},
    [BENCH_REPLAN] =
        {.name = "replan",
         .title = "paths around three spheres that move, 1500 updates in a round (quick: 500)",
         .unit = "update",
         .bare = "",
         .rounds = 7,
         .extras = {"99 %"}},
    [BENCH_CODEC] = {.name = "codec",
                     .title = "latent points to points of the manifold, and back",
                     .unit = "point",
                     .bare = "kernels, multiplied by M x N and solved with N x N",
                     .rounds = 7},
    [BENCH_BUSY] = {.name = "busy",
                    .title = "on all threads and on one, next to other programs that compute (+)",
                    .unit = "evaluation or query",
                    .bare = "",
                    .rounds = 5,
                    .extras = {"1 thread", "ratio", "again"}},
};

enum {
    FULL = BENCH_FULL,
    QUICK = BENCH_QUICK,
    BOTH = BENCH_FULL | BENCH_QUICK,
    SPARSE = BENCH_SPARSE,
    COMPARED = BENCH_COMPARED,
    DYNAMICS = BENCH_DYNAMICS,
    LONG = BENCH_LONG,
    PER_OUTPUT = BENCH_PER_OUTPUT,
    POINTS = BENCH_POINTS,
    LOOP = BENCH_LOOP
};

/* Next to a number of other programs. */
#define WITH_LOOPS(loops, flags)                                                                    \
    {BENCH_BUSY, "evaluations", bench_evaluation, "toy", 198, (flags) | DYNAMICS | (loops)*LOOP},   \
        {BENCH_BUSY, "evaluations", bench_evaluation, "toy", 1200, FULL | DYNAMICS | (loops)*LOOP}, \
        {BENCH_BUSY, "evaluations", bench_evaluation, "toy", 1200, FULL | SPARSE | (loops)*LOOP},   \
        {BENCH_BUSY, "geodesics", bench_geodesic, "toy", 198, FULL | (loops)*LOOP}, {               \
        BENCH_BUSY, "geodesics", bench_geodesic, "toy", 1200, FULL | (loops)*LOOP                   \
    }

/* In the order of the groups. */
static const bench_case cases[] = {
    {BENCH_EVALUATION, "evaluation", bench_evaluation, "toy", 198, BOTH | DYNAMICS},
    {BENCH_EVALUATION, "evaluation", bench_evaluation, "toy", 600, BOTH | DYNAMICS},
    {BENCH_EVALUATION, "evaluation", bench_evaluation, "toy", 1200, FULL | DYNAMICS},
    {BENCH_EVALUATION, "evaluation", bench_evaluation, "robot", 600, FULL | DYNAMICS},
    {BENCH_EVALUATION, "evaluation", bench_evaluation, "connectome", 200, BOTH},
    {BENCH_EVALUATION, "per-output", bench_evaluation, "toy", 198, QUICK | PER_OUTPUT},
    {BENCH_EVALUATION, "per-output", bench_evaluation, "toy", 1200, FULL | PER_OUTPUT},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 1200, BOTH | SPARSE | COMPARED},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 2000, QUICK | SPARSE},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 2000, FULL | SPARSE | COMPARED},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 3000, QUICK | SPARSE},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 5000, FULL | SPARSE},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 10000, FULL | SPARSE},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 20000, FULL | SPARSE},
    {BENCH_INDUCING, "inducing", bench_evaluation, "toy", 50000, FULL | SPARSE},
    {BENCH_TRAINING, "training", bench_training, "toy", 300, BOTH},
    {BENCH_TRAINING, "training", bench_training, "toy", 300, QUICK | SPARSE},
    {BENCH_TRAINING, "training", bench_training, "toy", 1200, FULL},
    {BENCH_TRAINING, "training", bench_training, "toy", 1200, FULL | SPARSE},
    {BENCH_TRAINING, "training", bench_training, "toy", 20000, FULL | SPARSE | LONG},
    {BENCH_GRID, "grid", bench_grid, "toy", 198, BOTH},
    {BENCH_GRID, "grid", bench_grid, "toy", 198, QUICK | SPARSE},
    {BENCH_GRID, "grid", bench_grid, "toy", 600, FULL},
    {BENCH_GRID, "grid", bench_grid, "toy", 1200, FULL},
    {BENCH_GRID, "grid", bench_grid, "toy", 1200, FULL | SPARSE},
    {BENCH_GRID, "grid", bench_grid, "connectome", 200, FULL},
    {BENCH_GRID, "grid", bench_grid, "SPD28", 86, FULL | POINTS},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "toy", 198, BOTH},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "toy", 198, QUICK | SPARSE},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "toy", 600, FULL},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "toy", 1200, FULL},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "toy", 1200, FULL | SPARSE},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "robot", 20000, FULL | SPARSE | LONG},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "robot", 100000, FULL | SPARSE | LONG},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "connectome", 200, FULL | LONG},
    {BENCH_GEODESIC, "geodesic", bench_geodesic, "SPD28", 86, FULL | POINTS | LONG},
    {BENCH_GEODESIC, "distances", bench_distances, "toy", 198, BOTH | LONG},
    {BENCH_GEODESIC, "distances", bench_distances, "connectome", 200, FULL | POINTS | LONG},
    {BENCH_GEODESIC, "distances", bench_distances, "SPD28", 86, FULL | POINTS | LONG},
    {BENCH_REPLAN, "replan", bench_replan, "robot", 198, QUICK},
    {BENCH_REPLAN, "replan", bench_replan, "robot", 400, FULL},
    {BENCH_REPLAN, "replan", bench_replan, "robot", 1200, FULL},
    {BENCH_CODEC, "decode", bench_decode, "toy", 198, QUICK},
    {BENCH_CODEC, "decode", bench_decode, "toy", 1200, FULL},
    {BENCH_CODEC, "decode", bench_decode, "robot", 600, FULL},
    {BENCH_CODEC, "decode", bench_decode, "connectome", 200, BOTH},
    {BENCH_CODEC, "encode", bench_encode, "toy", 198, QUICK},
    {BENCH_CODEC, "encode", bench_encode, "toy", 1200, FULL},
    {BENCH_CODEC, "encode", bench_encode, "robot", 600, FULL},
    {BENCH_CODEC, "encode", bench_encode, "connectome", 200, BOTH},
    WITH_LOOPS(0, FULL),
    WITH_LOOPS(2, BOTH),
    WITH_LOOPS(4, FULL),
    WITH_LOOPS(8, FULL),
    {BENCH_BUSY, "pair", bench_pair, "toy", 198, BOTH | DYNAMICS},
    {BENCH_BUSY, "pair", bench_pair, "toy", 1200, FULL | DYNAMICS},
};
enum {
    CASES = sizeof cases / sizeof *cases,
    QUICK_ROUNDS = 3,
    ITERATIONS = 10, /* over which the time of an evaluation is averaged */
    FEW_ITERATIONS =
        3, /* with --quick, and next to other programs for models of LARGE points or more */
    LARGE = 600
};

/* ---- options --------------------------------------------------------------------------------- */

#define BENCH(member) offsetof(bench_options, member)

static const option bench_table[] = {
    {"--quick", NULL, OPTION_FLAG, BENCH(quick), NULL, "small sizes and few rounds: seconds"},
    {"--rounds", "N", OPTION_SIZE, BENCH(rounds), NULL,
     "runs of each case (default: 1 to 7, by group)"},
    {"--output", "FILE", OPTION_TEXT, BENCH(output), NULL, "write all numbers as JSON (also -o)"},
    {"--torch", "PROGRAM", OPTION_TEXT, BENCH(torch), NULL,
     "run as PROGRAM N M DYNAMICS, prints the milliseconds of an evaluation in PyTorch"},
    {.name = NULL},
};

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct bench_job {
    work work;
    const bench_options *options;
    bool chosen[BENCH_GROUPS];
    FILE *table; /* NULL: no table */
    bench_machine machine;
    bench_report report;
    const bench_case *cases[CASES];
    bench_row rows[CASES];
    size_t planned;
} bench_job;

static int choose_groups(bench_job *j, size_t count, const char *const *names) {
    for (size_t k = 0; k < count; k++) {
        size_t g = 0;
        while (g < BENCH_GROUPS && strcmp(bench_groups[g].name, names[k]) != 0)
            g++;
        if (g == BENCH_GROUPS)
            return work_complain(&j->work, EXIT_USAGE,
                                 "no group is called %s: evaluation, inducing, training, grid, "
                                 "geodesic, replan, codec, busy",
                                 names[k]);
        j->chosen[g] = true;
    }
    for (size_t g = 0; g < BENCH_GROUPS && count == 0; g++)
        j->chosen[g] = true;
    return EXIT_DONE;
}

static void plan(bench_job *j) {
    unsigned set = j->options->quick ? BENCH_QUICK : BENCH_FULL;
    for (size_t k = 0; k < CASES; k++)
        if (j->chosen[cases[k].group] && (cases[k].flags & set))
            j->cases[j->planned++] = &cases[k];
    j->report = (bench_report){.cases = j->cases, .rows = j->rows};
}

static size_t rounds_of(const bench_job *j, const bench_case *c) {
    size_t own = bench_groups[c->group].rounds / (c->flags & BENCH_LONG ? 3 : 1);
    if (j->options->rounds)
        return j->options->rounds;
    return j->options->quick && own > QUICK_ROUNDS ? QUICK_ROUNDS : own;
}

static size_t iterations_of(const bench_job *j, const bench_case *c) {
    bool few = j->options->quick || (c->group == BENCH_BUSY && c->points >= LARGE);
    return few ? FEW_ITERATIONS : ITERATIONS;
}

static int measure_case(bench_job *j, const bench_case *c, bench_row *row) {
    const bench_run run = {.ctx = j->work.ctx,
                           .subject = c,
                           .rounds = rounds_of(j, c),
                           .iterations = iterations_of(j, c),
                           .seed = j->work.common->seed};
    int code = bench_in_child(&j->work, &run, row);
    bool asked = c->group == BENCH_EVALUATION && !(c->flags & BENCH_PER_OUTPUT);
    if (code == EXIT_DONE && j->options->torch && asked && !row->failure[0])
        code = bench_ask_torch(&j->work, j->options->torch, c, row);
    return code;
}

static bool is_standard_output(const char *output) {
    return strcmp(output, "-") == 0;
}

/* All rows so far; the file of the rows before is overwritten. */
static int write_json(const bench_job *j) {
    rm2_context *ctx = j->work.ctx;
    rm2_writer *output;
    bool overwrite = j->work.common->force || j->report.count > 1;
    rm2_status status = rm2_writer_open(ctx, j->options->output, overwrite, &output);
    if (status == RM2_OK) {
        bench_print_json(rm2_writer_stream(output), &j->machine, &j->report);
        status = rm2_writer_commit(ctx, output);
    }
    return work_check(&j->work, status);
}

/* The file has every row as soon as it is measured, so that a run that is cut loses none. */
static int keep_rows(const bench_job *j) {
    const char *output = j->options->output;
    return output && !is_standard_output(output) ? write_json(j) : EXIT_DONE;
}

/* The table grows with every row; without one, a line tells how far it is. */
static int measure_all(bench_job *j) {
    progress p = progress_of(&j->work);
    int code = EXIT_DONE;
    for (size_t k = 0; k < j->planned && code == EXIT_DONE; k++) {
        const bench_case *c = j->cases[k];
        if (j->table && (k == 0 || c->group != j->cases[k - 1]->group))
            bench_print_head(j->table, c->group);
        code = measure_case(j, c, &j->rows[k]);
        if (code != EXIT_DONE)
            break;
        j->report.count++;
        code = keep_rows(j);
        if (!j->table) {
            progress_count(&p, "rows", k + 1, j->planned);
            continue;
        }
        bench_print_row(j->table, c, &j->rows[k]);
        if (k + 1 == j->planned || j->cases[k + 1]->group != c->group)
            bench_print_growth(j->table, &j->report, c->group);
    }
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* A row that failed is in the table and in the JSON; here it is counted. */
static int judge(const bench_job *j) {
    size_t failed = 0;
    for (size_t k = 0; k < j->report.count; k++)
        failed += j->rows[k].failure[0] != 0;
    return failed ? work_complain(&j->work, EXIT_FAILED, "%zu of %zu rows failed", failed,
                                  j->report.count)
                  : EXIT_DONE;
}

/* Where the table goes: it is the result, unless JSON is. */
static FILE *place_of_table(const bench_job *j) {
    const common_options *common = j->work.common;
    const char *output = j->options->output;
    if (common->json || (common->quiet && output))
        return NULL;
    return output && is_standard_output(output) ? stderr : stdout;
}

static int run_job(bench_job *j) {
    static const char *const formats[] = {".json", NULL};
    const char *const none[] = {NULL}, *output = j->options->output;
    int code = output ? work_check_output(&j->work, output, none) : EXIT_DONE;
    if (output && code == EXIT_DONE)
        code = work_check_format(&j->work, output, formats);
    if (code != EXIT_DONE)
        return code;
    plan(j);
    j->table = place_of_table(j);
    j->machine = bench_describe_machine(j->work.ctx);
    if (j->table)
        bench_print_machine(j->table, &j->machine);
    catch_interrupts(j->work.ctx);
    code = measure_all(j);
    catch_interrupts(NULL);
    if (code == EXIT_DONE && j->work.common->json)
        bench_print_json(stdout, &j->machine, &j->report);
    if (code == EXIT_DONE && output && is_standard_output(output))
        code = write_json(j);
    return code == EXIT_DONE ? judge(j) : code;
}

static int run_bench(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    bench_options options = {.output = NULL};
    const option_group groups[] = {{"Options", bench_table, &options, NULL},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *names[BENCH_GROUPS];
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, names, BENCH_GROUPS, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    if (!common.verbose)
        rm2_context_set_log(ctx, NULL, NULL); /* trainings have much to say */
    bench_job j = {.work = {self, ctx, &common}, .options = &options};
    int code = choose_groups(&j, count, names);
    if (code == EXIT_DONE)
        code = run_job(&j);
    rm2_context_free(ctx);
    return code;
}

static const command bench = {
    "riemann2-bench",
    "riemann2-bench",
    "speed on this machine, compared with the unavoidable BLAS and LAPACK work",
    run_bench,
    "[NAME...] [options]",
    "  build/bench/riemann2-bench --quick\n"
    "  build/bench/riemann2-bench evaluation grid -o speed.json\n"
    "Names: evaluation, inducing, training, grid, geodesic, replan, codec, busy "
    "(default: all).\n"};

int main(int argc, char **argv) {
    process_start(argv);
    return process_end(bench.run(&bench, argc - 1, argv + 1));
}
