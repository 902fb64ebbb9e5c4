/* What the files of riemann2-bench share. A case is something to measure, a row what was measured: each
 * in a process of its own, so that its peak of memory is its own, no row warms another's caches, and one
 * that crashes is a row that says so. */
#ifndef RM2_CLI_BENCH_H
#define RM2_CLI_BENCH_H

#include <sys/types.h>

#include "core/work.h"

typedef struct bench_options {
    const char *output, *torch;
    bool quick;
    size_t rounds; /* 0: each case's own number */
} bench_options;

/* Times of one thing over the rounds, in milliseconds; count 0: not measured. */
typedef struct bench_times {
    size_t count;
    double median, quartile[2], least, most;
} bench_times;

enum { FAILURE_SIZE = 256 };

/* Goes through a pipe as it is: no pointers. Numbers that there are not are NaN, counts 0. */
typedef struct bench_row {
    rm2_status status;
    char failure[FAILURE_SIZE]; /* why there are no numbers; "": there are */
    size_t points, outputs, inducing, evaluations;
    bench_times ours, bare, exact; /* exact: the same with exact inference */
    bench_times single;            /* the same on one thread; of a pair, one of them alone */
    bench_times again;             /* as single, once more */
    double operations;             /* floating point, of the bare work */
    double objective;              /* of a training, in nats per point */
    double memory;                 /* MB: the peak while ours ran, with libraries, data and model */
    double torch;                  /* milliseconds of the same in PyTorch */
    double slow; /* milliseconds that 99 % of the updates of a planner keep below */
} bench_row;

typedef struct bench_case bench_case;

/* What a measurement works with. */
typedef struct bench_run {
    rm2_context *ctx;
    const bench_case *subject;
    size_t rounds;
    size_t iterations; /* over which the time of an evaluation is averaged */
    uint64_t seed;
} bench_run;

typedef rm2_status (*bench_measure)(const bench_run *run, bench_row *row);

typedef enum bench_group_id {
    BENCH_EVALUATION,
    BENCH_INDUCING,
    BENCH_TRAINING,
    BENCH_GRID,
    BENCH_GEODESIC,
    BENCH_REPLAN,
    BENCH_CODEC,
    BENCH_BUSY,
    BENCH_GROUPS
} bench_group_id;

enum {
    BENCH_FULL = 1,     /* without --quick */
    BENCH_QUICK = 2,    /* with it */
    BENCH_SPARSE = 4,   /* inference by inducing points */
    BENCH_COMPARED = 8, /* with exact inference, by turns */
    BENCH_DYNAMICS = 16,
    BENCH_LONG = 32,       /* a third of the group's rounds is enough */
    BENCH_PER_OUTPUT = 64, /* noise of its own for each output */
    BENCH_POINTS = 128,    /* the recipe for data without trajectories */
    BENCH_LOOP = 256       /* times the number of programs that keep a processor busy meanwhile */
};

struct bench_case {
    bench_group_id group;
    const char *name; /* of what is measured: the group's, or one of several */
    bench_measure measure;
    const char *data; /* an example data set, or SPD28 */
    size_t points;
    unsigned flags;
};

enum { BENCH_EXTRAS = 3 };

typedef struct bench_group {
    const char *name, *title;
    const char *unit; /* what the milliseconds are of */
    const char *bare; /* what the bare work is; "": there is none */
    size_t rounds;
    const char *extras[BENCH_EXTRAS]; /* titles of the group's own columns; NULL: none */
} bench_group;

extern const bench_group bench_groups[BENCH_GROUPS];

/* ---- measurements: bench_train.c, bench_use.c, bench_replan.c -------------------------------- */

rm2_status bench_evaluation(const bench_run *run, bench_row *row);
rm2_status bench_training(const bench_run *run, bench_row *row);
rm2_status bench_grid(const bench_run *run, bench_row *row);
rm2_status bench_geodesic(const bench_run *run, bench_row *row);
/* All distances between some of the points; the time of one. */
rm2_status bench_distances(const bench_run *run, bench_row *row);
rm2_status bench_replan(const bench_run *run, bench_row *row);
rm2_status bench_decode(const bench_run *run, bench_row *row);
rm2_status bench_encode(const bench_run *run, bench_row *row);
/* Evaluations of two contexts of one thread each, on two threads at once. */
rm2_status bench_pair(const bench_run *run, bench_row *row);

static inline size_t bench_loops_of(const bench_case *c) {
    return c->flags / BENCH_LOOP;
}

/* ---- other programs: busy.c ------------------------------------------------------------------- */

enum { BENCH_MOST_LOOPS = 16 };

typedef struct bench_loops {
    size_t count;
    pid_t process[BENCH_MOST_LOOPS];
} bench_loops;

/* Processes that compute without end; fewer if no more can be started. They end with this one. */
bench_loops bench_loops_start(size_t count);
void bench_loops_stop(const bench_loops *loops);

/* ---- bare work: bench_work.c ------------------------------------------------------------------ */

/* Dense linear algebra that an answer cannot do without. */
typedef enum bare_kind {
    BARE_FACTORS,   /* Cholesky factors and inverses of n x n, and one of steps x steps */
    BARE_INDUCING,  /* those of r x r, and n rows solved and multiplied with r x r */
    BARE_PREDICTION /* `vectors` at each of n points: solved with r x r, multiplied by outputs x r */
} bare_kind;

typedef struct bare_shape {
    bare_kind kind;
    size_t n, r, outputs, steps, vectors;
    size_t factors; /* of n x n */
    bool product;   /* prediction: a product with r x r instead of a triangular solve */
    int threads;
    double times; /* as often as this in what it is compared with */
} bare_shape;

typedef struct bare_work bare_work;

bare_work *bare_create(const bare_shape *shape); /* NULL: no memory */
void bare_free(bare_work *work);
/* Floating point operations, and seconds (NaN if LAPACK failed), both `times` over. */
double bare_operations(const bare_shape *shape);
double bare_seconds(bare_work *work);

/* ---- rounds: bench_rounds.c ------------------------------------------------------------------- */

/* What is timed by turns. `shape` is asked for once `ours` ran. */
typedef struct bench_turns {
    void *user;
    rm2_status (*ours)(void *user, double *seconds);
    rm2_status (*exact)(void *user, double *seconds); /* NULL: none */
    bare_shape (*shape)(const void *user);            /* NULL: no bare work */
    rm2_status (*alone)(void *user, double *seconds); /* NULL: ours, on one thread */
    bool cold;                                        /* the first run counts */
} bench_turns;

rm2_status bench_by_turns(const bench_run *run, const bench_turns *turns, bench_row *row);

/* Data of a case, scaled as `fit` does. */
rm2_status bench_data(const bench_run *run, rm2_data **data);
/* The default recipe, with the inference that the case asks for. */
rm2_fit_settings bench_recipe(const bench_run *run);
/* Train; an interrupt is a failure here. */
rm2_status bench_fit(const bench_run *run, const rm2_data *data, const rm2_fit_settings *settings,
                     rm2_model **model);

/* ---- processes: bench_child.c ----------------------------------------------------------------- */

/* Measure in a child process; row->failure tells if that failed. EXIT_FAILED, with a message, only if
 * no more rows make sense: an interrupt, no process. */
int bench_in_child(const work *w, const bench_run *run, bench_row *row);
/* Run `PROGRAM POINTS OUTPUTS DYNAMICS` by the shell; the milliseconds that it prints. */
int bench_ask_torch(const work *w, const char *program, const bench_case *c, bench_row *row);

/* ---- report: bench_report.c, bench_json.c ----------------------------------------------------- */

typedef struct bench_machine {
    char processor[128];
    long processors;
    int threads;
    const char *blas, *kernels, *compiler;
    bool optimised;
} bench_machine;

bench_machine bench_describe_machine(rm2_context *ctx);

/* Rows so far. */
typedef struct bench_report {
    const bench_case **cases; /* in the order of the groups */
    bench_row *rows;
    size_t count;
} bench_report;

/* How the time of a curve (one name, data set and inference) grows: slope of log time over log N. */
typedef struct bench_growth {
    size_t sizes, least, most;
    double exponent;
} bench_growth;

/* Of the curve that begins with this row; false if none of two sizes or more does. */
bool bench_find_growth(const bench_report *report, size_t first, bench_growth *growth);

double bench_ratio(double a, double b);  /* a / b; NaN where there is no b */
double bench_rate(const bench_row *row); /* GFLOP/s */

/* The table, in pieces: machine, head of a group, rows, how the group's costs grow. */
void bench_print_machine(FILE *out, const bench_machine *machine);
void bench_print_head(FILE *out, bench_group_id group);
void bench_print_row(FILE *out, const bench_case *c, const bench_row *row);
void bench_print_growth(FILE *out, const bench_report *report, bench_group_id group);

void bench_print_json(FILE *out, const bench_machine *machine, const bench_report *report);

#endif
