/* Reading by several processes. */
#include "data/divided.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "data/raw_part.h"

bool rm2i_data_divisible(rm2_context *ctx, const char *path, const rm2_data_settings *s) {
    return !s->thin && !s->holdout && !s->select && rm2i_raw_divisible(ctx, path, s);
}

void rm2i_divided_clear(rm2i_divided *d) {
    rm2i_texts_free(d->ids, d->ids ? d->rows.all_trajectories : 0);
    rm2_data_free(d->own);
    rm2i_rows_free(&d->rows);
    *d = (rm2i_divided){.own = NULL};
}

/* What is known on the way. */
typedef struct reading {
    rm2_context *ctx;
    const char *path;
    const rm2_data_settings *s;
    rm2_manifold *manifold;
    rm2i_raw raw;   /* rows of this process: those that it has read, then those that it gets */
    rm2i_rows each; /* one row per process */
    rm2i_rows read; /* rows as they were read */
    char *ids;      /* of all trajectories, one after the other, each with its 0 */
    size_t id_size; /* bytes */
    rm2i_divided *to;
} reading;

/* ---- the part of the file ------------------------------------------------------------------- */

/* The plan of the root on all processes. */
static rm2_status share_plan(const reading *r, rm2i_raw_plan *plan) {
    size_t ends = r->each.all + 1, *memory = plan->memory;
    rm2_status status = RM2_OK;
    rm2i_rows_broadcast(&r->each, plan, sizeof *plan);
    if (!rm2i_rows_root(&r->each))
        status = rm2i_alloc(r->ctx, 2 * ends, sizeof *memory, &memory);
    plan->memory = plan->at = memory;
    RM2_TRY(rm2i_rows_agree(r->ctx, &r->each, status));
    plan->numbers = memory + ends;
    rm2i_rows_broadcast(&r->each, memory, 2 * ends * sizeof *memory);
    return RM2_OK;
}

static rm2_status read_planned(reading *r, const rm2i_wanted *wanted, const rm2i_raw_plan *plan) {
    RM2_TRY(rm2i_raw_read_part(r->ctx, r->path, r->s, wanted, plan, r->each.before, &r->raw));
    return rm2i_check_width(r->ctx, r->path, r->s, wanted, &r->raw);
}

/* Do all processes see the file that the root sees? It reads the others' parts for this, while they wait for it. */
static rm2_status compare_files(const reading *r, const rm2i_raw_plan *plan) {
    rm2_status status = RM2_OK;
    for (size_t k = 1; k < plan->parts; k++) {
        uint64_t own = 0, sum = 0;
        bool compared = rm2i_rows_root(&r->each) || r->each.before == k;
        if (status == RM2_OK && compared)
            status = rm2i_raw_part_sum(r->ctx, r->path, plan, k, &own);
        sum = own;
        rm2i_rows_broadcast(&r->each, &sum, sizeof sum);
        if (status == RM2_OK && compared && sum != own)
            status = rm2i_fail(
                r->ctx, RM2_ERR_DATA,
                "%s: the contents differ from those of the file of this name that the first "
                "process reads",
                r->path);
    }
    return rm2i_rows_agree(r->ctx, &r->each, status);
}

static rm2_status prepare(reading *r, rm2i_wanted *wanted) {
    RM2_TRY(rm2_manifold_create(r->ctx, r->s->manifold, &r->manifold));
    wanted->manifold = r->manifold;
    RM2_TRY(rm2i_check_settings(r->ctx, r->path, r->manifold, r->s));
    return rm2i_total_width(r->ctx, r->manifold, r->s, &wanted->width);
}

static rm2_status read_rows(reading *r) {
    rm2i_wanted wanted = {.width = 0};
    rm2i_raw_plan plan = {.parts = 0};
    rm2_status status = prepare(r, &wanted);
    if (status == RM2_OK && rm2i_rows_root(&r->each))
        status = rm2i_raw_plan_make(r->ctx, r->path, r->s, &wanted, r->each.all, &plan);
    status = rm2i_rows_agree(r->ctx, &r->each, status);
    if (status == RM2_OK)
        status = share_plan(r, &plan);
    if (status == RM2_OK)
        status = rm2i_rows_agree(r->ctx, &r->each, read_planned(r, &wanted, &plan));
    if (status == RM2_OK)
        status = compare_files(r, &plan);
    rm2i_raw_plan_free(&plan);
    RM2_TRY(status);
    return rm2i_rows_join(r->ctx, &(rm2i_rows){.n = r->raw.rows, .comm = r->each.comm}, &r->read);
}

/* ---- trajectories --------------------------------------------------------------------------- */

/* Runs of equal ids among the rows that a process, or all processes, have read. */
enum { ROWS, NUMBER, BYTES, RUN };

typedef struct runs {
    size_t count, bytes;
    double *
        rows; /* count x RUN: rows of the run, number of the first where it came from, bytes of the id's text */
    double *text;   /* ids, one after the other, each with its 0: bytes in doubles */
    double *memory; /* of both */
} runs;

static size_t doubles_for(size_t bytes) {
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

static rm2_status runs_create(rm2_context *ctx, size_t count, size_t words, runs *to) {
    RM2_TRY(rm2i_calloc(ctx, RUN * count + words, sizeof *to->memory, &to->memory));
    to->rows = to->memory;
    to->text = to->memory + RUN * count;
    return RM2_OK;
}

static bool begins_run(const rm2i_raw *raw, size_t i) {
    return i == 0 || raw->group.code[i] != raw->group.code[i - 1];
}

/* A part without rows has no codes. */
static rm2_status find_runs(rm2_context *ctx, const rm2i_raw *raw, runs *own) {
    size_t k = 0, rows = raw->group.code ? raw->rows : 0;
    for (size_t i = 0; i < rows; i++)
        if (begins_run(raw, i)) {
            own->count++;
            own->bytes += strlen(raw->group.names[raw->group.code[i]]) + 1;
        }
    RM2_TRY(runs_create(ctx, own->count, doubles_for(own->bytes), own));
    char *text = (char *)own->text;
    double *run = NULL;
    for (size_t i = 0; i < rows; i++) {
        if (begins_run(raw, i)) {
            const char *id = raw->group.names[raw->group.code[i]];
            run = own->rows + k++ * RUN;
            run[NUMBER] = (double)raw->numbers[i];
            run[BYTES] = (double)(strlen(id) + 1);
            memcpy(text, id, strlen(id) + 1);
            text += strlen(id) + 1;
        }
        run[ROWS]++;
    }
    if (run) /* the text ends with a whole double */
        run[BYTES] += (double)(doubles_for(own->bytes) * sizeof(double) - own->bytes);
    return RM2_OK;
}

/* The runs of all processes on the root. */
typedef struct all_runs {
    runs all;
    rm2i_rows runs, words;
} all_runs;

static rm2_status gather_runs(const reading *r, const runs *own, all_runs *to) {
    const rm2i_rows count = {.n = own->count, .comm = r->each.comm},
                    words = {.n = doubles_for(own->bytes), .comm = r->each.comm};
    bool root = rm2i_rows_root(&r->each);
    RM2_TRY(rm2i_rows_join(r->ctx, &count, &to->runs));
    RM2_TRY(rm2i_rows_join(r->ctx, &words, &to->words));
    to->all.count = root ? to->runs.all : 0;
    rm2_status status = runs_create(r->ctx, to->all.count, root ? to->words.all : 0, &to->all);
    RM2_TRY(rm2i_rows_agree(r->ctx, &r->each, status));
    rm2i_rows_gather(&to->runs, RUN, own->rows, to->all.rows);
    rm2i_rows_gather(&to->words, 1, own->text, to->all.text);
    return RM2_OK;
}

/* The trajectories of all processes, on the root. */
typedef struct trajectories {
    size_t count;
    size_t *starts;   /* count + 1 */
    size_t *numbers;  /* count: of the first row */
    const char **ids; /* count; borrowed from the runs */
    double *memory;
} trajectories;

static void lay_out_trajectories(void *arg, rm2i_arena *a) {
    trajectories *t = arg;
    t->starts = rm2i_reserve(a, size_t, t->count + 1);
    t->numbers = rm2i_reserve(a, size_t, t->count);
    t->ids = rm2i_reserve(a, const char *, t->count);
}

/* A run with the id of the run before, which another process has read, is part of the same trajectory. */
static void join_runs(const all_runs *found, trajectories *t) {
    size_t count = 0, rows = 0;
    const char *id = (const char *)found->all.text;
    for (size_t i = 0; i < found->all.count; i++) {
        const double *run = found->all.rows + i * RUN;
        if (count == 0 || strcmp(id, t->ids[count - 1]) != 0) {
            t->starts[count] = rows;
            t->numbers[count] = (size_t)run[NUMBER];
            t->ids[count++] = id;
        }
        rows += (size_t)run[ROWS];
        id += (size_t)run[BYTES];
    }
    t->count = count;
    t->starts[count] = rows;
}

static const char *id_at(const void *list, size_t i, char room[RM2I_TEXT_ROOM]) {
    const trajectories *t = list;
    (void)room;
    return t->ids[i];
}

/* An id that appears again after others is an error. */
static rm2_status check_ids(const reading *r, const trajectories *t) {
    rm2i_codes codes = {.count = 0};
    rm2_status status = rm2i_code_texts(r->ctx, t->count, id_at, t, &codes);
    for (size_t i = 0; status == RM2_OK && i < t->count; i++)
        if (codes.code[i] != i)
            status = rm2i_fail_again(r->ctx, r->path, &r->raw, t->numbers[i], t->ids[i]);
    free(codes.code);
    rm2i_texts_free(codes.names, codes.count);
    return status;
}

/* One text of all ids, and for the root each of them. */
static rm2_status copy_ids(reading *r, const trajectories *t) {
    for (size_t i = 0; i < t->count; i++)
        r->id_size += strlen(t->ids[i]) + 1;
    RM2_TRY(rm2i_alloc(r->ctx, r->id_size, 1, &r->ids));
    RM2_TRY(rm2i_calloc(r->ctx, t->count, sizeof *r->to->ids, &r->to->ids));
    char *end = r->ids;
    for (size_t i = 0; i < t->count; i++) {
        size_t size = strlen(t->ids[i]) + 1;
        memcpy(end, t->ids[i], size);
        end += size;
        RM2_TRY(rm2i_strdup(r->ctx, t->ids[i], &r->to->ids[i]));
    }
    return RM2_OK;
}

/* On the root: the trajectories of all rows. */
static rm2_status find_trajectories(reading *r, const all_runs *found, trajectories *t) {
    RM2_TRY(rm2i_arena_alloc(r->ctx, lay_out_trajectories, t, &t->memory));
    join_runs(found, t);
    RM2_TRY(check_ids(r, t));
    return copy_ids(r, t);
}

static rm2_status share_ids(reading *r) {
    rm2i_rows_broadcast(&r->each, &r->id_size, sizeof r->id_size);
    rm2_status status =
        rm2i_rows_root(&r->each) ? RM2_OK : rm2i_alloc(r->ctx, r->id_size, 1, &r->ids);
    RM2_TRY(rm2i_rows_agree(r->ctx, &r->each, status));
    rm2i_rows_broadcast(&r->each, r->ids, r->id_size);
    return RM2_OK;
}

/* Without `found` there are no trajectories. */
static rm2_status divide_rows(reading *r, const all_runs *found) {
    bool root = rm2i_rows_root(&r->each) && found;
    trajectories t = {.count = root ? found->all.count : 0};
    rm2_status status = root ? find_trajectories(r, found, &t) : RM2_OK;
    status = rm2i_rows_agree(r->ctx, &r->each, status);
    const rm2i_rows whole = {
        .n = r->read.all, .trajectories = t.count, .starts = t.starts, .comm = r->each.comm};
    if (status == RM2_OK)
        status = rm2i_rows_divide(r->ctx, &whole, &r->to->rows);
    free(t.memory);
    return status == RM2_OK && found ? share_ids(r) : status;
}

static rm2_status find_rows(reading *r) {
    runs own = {.count = 0};
    all_runs all = {.runs = {.n = 0}};
    if (!r->s->group && !rm2i_rows_decide(&r->each, r->raw.group.code != NULL))
        return divide_rows(r, NULL);
    rm2_status status = rm2i_rows_agree(r->ctx, &r->each, find_runs(r->ctx, &r->raw, &own));
    if (status == RM2_OK)
        status = gather_runs(r, &own, &all);
    if (status == RM2_OK)
        status = divide_rows(r, &all);
    free(own.memory);
    free(all.all.memory);
    rm2i_rows_free(&all.runs);
    rm2i_rows_free(&all.words);
    return status;
}

/* ---- rows at the borders -------------------------------------------------------------------- */

/* Rows of `width` numbers, as they were read, to the rows that this process gets, in fresh memory; the old is freed. */
static rm2_status move(const reading *r, size_t width, double **rows) {
    const rm2i_rows *to = &r->to->rows;
    double *moved;
    RM2_TRY(rm2i_rows_alloc(r->ctx, to, to->n, width * sizeof *moved, &moved));
    rm2i_rows_move(&r->read, to, width, *rows, moved);
    free(*rows);
    *rows = moved;
    return RM2_OK;
}

/* Numbers of rows are exact as doubles, and have their size. */
static void sizes_to_doubles(size_t n, size_t *sizes, double *doubles) {
    for (size_t i = 0; i < n; i++)
        doubles[i] = (double)sizes[i];
}

static rm2_status move_numbers(reading *r) {
    double *numbers;
    rm2i_raw *raw = &r->raw;
    RM2_TRY(rm2i_rows_alloc(r->ctx, &r->each, raw->rows, sizeof *numbers, &numbers));
    sizes_to_doubles(raw->rows, raw->numbers, numbers);
    rm2_status status = move(r, 1, &numbers);
    size_t n = r->to->rows.n;
    if (status == RM2_OK) {
        free(raw->numbers);
        raw->numbers = NULL;
        status = rm2i_rows_agree(r->ctx, &r->each,
                                 rm2i_alloc(r->ctx, n, sizeof *raw->numbers, &raw->numbers));
    }
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        raw->numbers[i] = (size_t)numbers[i];
    free(numbers);
    return status;
}

static rm2_status move_rows(reading *r) {
    rm2i_raw *raw = &r->raw;
    RM2_TRY(move(r, raw->width, &raw->values));
    if (r->s->time)
        RM2_TRY(move(r, 1, &raw->time));
    RM2_TRY(move_numbers(r));
    raw->rows = r->to->rows.n;
    return RM2_OK;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Ids and starts of the trajectories of this process. */
static rm2_status set_trajectories(const reading *r, rm2i_draft *d) {
    const rm2i_rows *rows = &r->to->rows, firsts = rm2i_rows_of_trajectories(rows);
    const char *id = r->ids;
    if (d->trajectories == 0)
        return RM2_OK;
    memcpy(d->starts, rows->starts, (d->trajectories + 1) * sizeof *d->starts);
    for (size_t t = 0; t < firsts.before; t++)
        id += strlen(id) + 1;
    for (size_t t = 0; t < d->trajectories; t++, id += strlen(id) + 1) {
        free(d->ids[t]);
        d->ids[t] = NULL;
        RM2_TRY(rm2i_strdup(r->ctx, id, &d->ids[t]));
    }
    return RM2_OK;
}

static rm2_status to_draft(reading *r, rm2i_draft *d, rm2_data_report *report) {
    RM2_TRY(rm2i_draft_create(r->ctx, r->manifold, rm2i_file_name(r->path), r->raw.rows,
                              r->to->rows.trajectories, d));
    report->factors = rm2_manifold_factor_count(r->manifold);
    RM2_TRY(rm2i_calloc(r->ctx, report->factors, sizeof *report->factor, &report->factor));
    RM2_TRY(set_trajectories(r, d));
    RM2_TRY(rm2i_copy_roles(r->ctx, r->path, &r->raw, d));
    d->shrinkage = r->s->shrinkage;
    return rm2i_validate(r->ctx, r->s, &r->raw, d, report);
}

/* Findings of the validation of all rows. */
static void add_findings(const void *job, void *state) {
    const rm2_data_report *own = job;
    rm2_factor_report *all = state;
    for (size_t k = 0; k < own->factors; k++) {
        const rm2_factor_report *f = &own->factor[k];
        if (f->worst_defect > all[k].worst_defect) {
            all[k].worst_defect = f->worst_defect;
            all[k].worst_row = f->worst_row;
        }
        all[k].projected += f->projected;
        all[k].warned += f->warned;
    }
}

typedef struct singular {
    size_t count, row;
} singular;

static void add_singular(const void *job, void *state) {
    const rm2i_draft *d = job;
    singular *all = state;
    if (all->count == 0)
        all->row = d->singular_row;
    all->count += d->singular;
}

static rm2_status report_findings(const reading *r, rm2i_draft *d, const rm2_data_report *own) {
    rm2_data_report all = {.size = sizeof all, .factors = own->factors};
    singular matrices = {0, 0};
    RM2_TRY(rm2i_rows_alloc(r->ctx, &r->each, all.factors, sizeof *all.factor, &all.factor));
    rm2i_rows_fold(&r->each, all.factors * sizeof *all.factor, all.factor, add_findings, own);
    rm2i_rows_fold(&r->each, sizeof matrices, &matrices, add_singular, d);
    d->singular = matrices.count;
    d->singular_row = matrices.row;
    if (rm2i_rows_root(&r->each))
        rm2i_log_validated(r->ctx, r->s, d, r->to->rows.all, &all);
    rm2_data_report_clear(&all);
    return RM2_OK;
}

/* Validated points to a data set: signs, scale. */
static rm2_status finish(const reading *r, rm2i_draft *d, rm2_data_report *report) {
    const rm2i_rows *rows = &r->to->rows;
    RM2_TRY(report_findings(r, d, report));
    if (r->s->align_signs)
        RM2_TRY(rm2i_align_signs(r->ctx, rows, d, report));
    if (rm2i_data_scales(r->s, d->manifold, rows->all) ||
        (r->s->scale == RM2_SCALE_AUTO && rm2i_scale_vanishes(d, rows)))
        RM2_TRY(rm2i_scale(r->ctx, rows, d, NULL));
    return rm2i_rows_agree(r->ctx, &r->each, rm2i_draft_finish(r->ctx, d, &r->to->own));
}

static rm2_status make_points(reading *r) {
    rm2i_draft d = {.count = 0};
    rm2_data_report report = {.size = sizeof report};
    rm2_status status = rm2i_rows_agree(r->ctx, &r->each, to_draft(r, &d, &report));
    if (status == RM2_OK)
        status = finish(r, &d, &report);
    rm2_data_report_clear(&report);
    rm2i_draft_clear(&d);
    return status;
}

rm2_status rm2i_data_read_divided(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  rm2i_divided *divided) {
    reading r = {.ctx = ctx, .path = path, .s = s, .to = divided};
    rm2i_rows one = rm2i_rows_none(ctx);
    one.n = 1;
    *divided = (rm2i_divided){.own = NULL};
    RM2_TRY(rm2i_rows_join(ctx, &one, &r.each));
    rm2_status status = read_rows(&r);
    if (status == RM2_OK)
        status = find_rows(&r);
    if (status == RM2_OK)
        status = move_rows(&r);
    if (status == RM2_OK)
        status = make_points(&r);
    rm2i_rows_free(&r.each);
    rm2i_rows_free(&r.read);
    free(r.ids);
    rm2i_raw_free(&r.raw);
    rm2_manifold_free(r.manifold);
    return status;
}
