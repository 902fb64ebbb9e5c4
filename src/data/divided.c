/* Reading by all ranks of a team. */
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
    rm2i_texts_free(d->ids, d->ids ? d->parts.all_trajectories : 0);
    rm2_data_free(d->own);
    rm2i_parts_free(&d->parts);
    *d = (rm2i_divided){.own = NULL};
}

/* What is known on the way. */
typedef struct reading {
    rm2_context *ctx;
    const rm2_communicator *comm;
    const char *path;
    const rm2_data_settings *s;
    rm2_manifold *manifold;
    rm2i_raw raw;   /* rows of this rank: those that it has read, then those that it gets */
    size_t *from;   /* ranks + 1: rank k has read the rows from[k] to from[k + 1] - 1 */
    char *ids;      /* of all trajectories, one after the other, each with its 0 */
    size_t id_size; /* bytes */
    rm2i_divided *to;
} reading;

/* ---- the part of the file ------------------------------------------------------------------- */

/* The plan of rank 0 on all ranks. */
static rm2_status share_plan(const reading *r, rm2i_raw_plan *plan) {
    size_t ranks = (size_t)r->comm->ranks, *memory = plan->memory;
    rm2_status status = RM2_OK;
    rm2i_broadcast(r->comm, plan, sizeof *plan);
    if (r->comm->rank != 0)
        status = rm2i_alloc(r->ctx, 2 * (ranks + 1), sizeof *memory, &memory);
    plan->memory = plan->at = memory;
    RM2_TRY(rm2i_agree(r->ctx, r->comm, status));
    plan->numbers = memory + ranks + 1;
    rm2i_broadcast(r->comm, memory, 2 * (ranks + 1) * sizeof *memory);
    return RM2_OK;
}

static rm2_status read_planned(reading *r, const rm2i_wanted *wanted, const rm2i_raw_plan *plan) {
    RM2_TRY(
        rm2i_raw_read_part(r->ctx, r->path, r->s, wanted, plan, (size_t)r->comm->rank, &r->raw));
    return rm2i_check_width(r->ctx, r->path, r->s, wanted, &r->raw);
}

/* Do all ranks see the file that rank 0 sees? It reads the others' parts for this, while they wait for it. */
static rm2_status compare_files(const reading *r, const rm2i_raw_plan *plan) {
    uint64_t own = 0;
    size_t rank = (size_t)r->comm->rank;
    rm2_status status = rank > 0 ? rm2i_raw_part_sum(r->ctx, r->path, plan, rank, &own) : RM2_OK;
    RM2_TRY(rm2i_agree(r->ctx, r->comm, status));
    for (size_t k = 1; k < plan->parts; k++) {
        uint64_t sum = own, expected = 0;
        r->comm->broadcast(r->comm->user, (int)k, sizeof sum, &sum);
        if (rank == 0 && status == RM2_OK)
            status = rm2i_raw_part_sum(r->ctx, r->path, plan, k, &expected);
        if (rank == 0 && status == RM2_OK && sum != expected)
            status = rm2i_fail(r->ctx, RM2_ERR_DATA,
                               "%s: rank %zu reads another file of this name: its contents differ "
                               "from those on rank 0",
                               r->path, k);
    }
    return rm2i_agree(r->ctx, r->comm, status);
}

/* How many rows each rank has read. */
static rm2_status count_rows(reading *r) {
    size_t ranks = (size_t)r->comm->ranks;
    RM2_TRY(rm2i_agree(r->ctx, r->comm, rm2i_calloc(r->ctx, ranks + 1, sizeof *r->from, &r->from)));
    for (size_t k = 0; k < ranks; k++) {
        size_t rows = r->raw.rows;
        r->comm->broadcast(r->comm->user, (int)k, sizeof rows, &rows);
        r->from[k + 1] = r->from[k] + rows;
    }
    return RM2_OK;
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
    if (status == RM2_OK && r->comm->rank == 0)
        status = rm2i_raw_plan_make(r->ctx, r->path, r->s, &wanted, (size_t)r->comm->ranks, &plan);
    status = rm2i_agree(r->ctx, r->comm, status);
    if (status == RM2_OK)
        status = share_plan(r, &plan);
    if (status == RM2_OK)
        status = rm2i_agree(r->ctx, r->comm, read_planned(r, &wanted, &plan));
    if (status == RM2_OK)
        status = compare_files(r, &plan);
    rm2i_raw_plan_free(&plan);
    return status == RM2_OK ? count_rows(r) : status;
}

/* ---- trajectories --------------------------------------------------------------------------- */

/* Runs of equal ids among the rows that a rank, or all ranks, have read. */
typedef struct runs {
    size_t count, bytes;
    double *rows;   /* count x 2: rows of the run, number of the first where it came from */
    double *text;   /* ids, one after the other, each with its 0: bytes in doubles */
    double *memory; /* of both */
} runs;

static size_t doubles_for(size_t bytes) {
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

static rm2_status runs_create(rm2_context *ctx, size_t count, size_t words, runs *to) {
    RM2_TRY(rm2i_calloc(ctx, 2 * count + words, sizeof *to->memory, &to->memory));
    to->rows = to->memory;
    to->text = to->memory + 2 * count;
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
    for (size_t i = 0; i < rows; i++) {
        if (begins_run(raw, i)) {
            const char *id = raw->group.names[raw->group.code[i]];
            own->rows[2 * k + 1] = (double)raw->numbers[i];
            memcpy(text, id, strlen(id) + 1);
            text += strlen(id) + 1;
            k++;
        }
        own->rows[2 * (k - 1)]++;
    }
    return RM2_OK;
}

/* Runs of all ranks on rank 0, with the places of each rank's. */
typedef struct all_runs {
    runs all;
    size_t *first; /* ranks + 1: runs of each rank, */
    size_t *words; /* ranks + 1: and where their texts begin */
    size_t *memory;
} all_runs;

static rm2_status collect_runs(reading *r, const runs *own, all_runs *to) {
    size_t ranks = (size_t)r->comm->ranks;
    rm2i_mail mail = {.comm = r->comm};
    RM2_TRY(rm2i_agree(r->ctx, r->comm,
                       rm2i_calloc(r->ctx, 4 * (ranks + 1), sizeof *to->memory, &to->memory)));
    to->first = to->memory;
    to->words = to->first + ranks + 1;
    mail.sent = to->words + ranks + 1;
    mail.received = mail.sent + ranks + 1;
    for (size_t k = 0; k < ranks; k++) {
        size_t sizes[] = {own->count, doubles_for(own->bytes)};
        r->comm->broadcast(r->comm->user, (int)k, sizeof sizes, sizes);
        to->first[k + 1] = to->first[k] + sizes[0];
        to->words[k + 1] = to->words[k] + sizes[1];
    }
    bool first = r->comm->rank == 0;
    to->all.count = first ? to->first[ranks] : 0;
    RM2_TRY(rm2i_agree(r->ctx, r->comm,
                       runs_create(r->ctx, to->all.count, first ? to->words[ranks] : 0, &to->all)));
    rm2i_mail_collect(&mail, to->first, 2, own->rows, to->all.rows);
    rm2i_mail_collect(&mail, to->words, 1, own->text, to->all.text);
    return RM2_OK;
}

/* The trajectories of all ranks, on rank 0. */
typedef struct trajectories {
    size_t count;
    size_t *starts;   /* count + 1 */
    size_t *numbers;  /* count: of the first row */
    const char **ids; /* count; borrowed from the runs */
    double *memory;
} trajectories;

static void lay_out_trajectories(void *arg, rm2i_arena *a) {
    trajectories *t = arg;
    t->starts = rm2i_take(a, size_t, t->count + 1);
    t->numbers = rm2i_take(a, size_t, t->count);
    t->ids = rm2i_take(a, const char *, t->count);
}

/* A run that goes on with the id of the last run of the ranks before is part of the same trajectory. */
static void join_runs(const all_runs *found, int ranks, trajectories *t) {
    size_t count = 0, rows = 0;
    for (int k = 0; k < ranks; k++) {
        const char *id = (const char *)(found->all.text + found->words[k]);
        for (size_t i = found->first[k]; i < found->first[k + 1]; i++) {
            bool goes_on = i == found->first[k] && count > 0 && strcmp(id, t->ids[count - 1]) == 0;
            if (!goes_on) {
                t->starts[count] = rows;
                t->numbers[count] = (size_t)found->all.rows[2 * i + 1];
                t->ids[count++] = id;
            }
            rows += (size_t)found->all.rows[2 * i];
            id += strlen(id) + 1;
        }
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

/* One text of all ids, and for rank 0 each of them. */
static rm2_status take_ids(reading *r, const trajectories *t) {
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

/* Rank 0: who gets which rows. */
static rm2_status plan_parts(reading *r, const all_runs *found) {
    size_t N = r->from[r->comm->ranks];
    rm2i_rows_of whole = {.N = N, .rows = rm2i_unit_rows(N)};
    if (!found)
        return rm2i_parts_plan(r->ctx, r->comm, &whole, &r->to->parts);
    trajectories t = {.count = found->all.count};
    RM2_TRY(rm2i_arena_alloc(r->ctx, lay_out_trajectories, &t, &t.memory));
    join_runs(found, r->comm->ranks, &t);
    whole.trajectories = t.count;
    whole.starts = t.starts;
    rm2_status status = check_ids(r, &t);
    if (status == RM2_OK)
        status = rm2i_parts_plan(r->ctx, r->comm, &whole, &r->to->parts);
    if (status == RM2_OK)
        status = take_ids(r, &t);
    free(t.memory);
    return status;
}

static rm2_status share_ids(reading *r) {
    rm2i_broadcast(r->comm, &r->id_size, sizeof r->id_size);
    rm2_status status = r->comm->rank == 0 ? RM2_OK : rm2i_alloc(r->ctx, r->id_size, 1, &r->ids);
    RM2_TRY(rm2i_agree(r->ctx, r->comm, status));
    rm2i_broadcast(r->comm, r->ids, r->id_size);
    return RM2_OK;
}

static rm2_status plan_with(reading *r, const all_runs *found) {
    RM2_TRY(rm2i_agree(r->ctx, r->comm, r->comm->rank == 0 ? plan_parts(r, found) : RM2_OK));
    RM2_TRY(rm2i_parts_share(r->ctx, r->comm, &r->to->parts));
    return found ? share_ids(r) : RM2_OK;
}

static rm2_status find_parts(reading *r) {
    runs own = {.count = 0};
    all_runs all = {.memory = NULL};
    if (!r->s->group && !rm2i_decide(r->comm, r->raw.group.code != NULL))
        return plan_with(r, NULL);
    rm2_status status = rm2i_agree(r->ctx, r->comm, find_runs(r->ctx, &r->raw, &own));
    if (status == RM2_OK)
        status = collect_runs(r, &own, &all);
    if (status == RM2_OK)
        status = plan_with(r, &all);
    free(own.memory);
    free(all.all.memory);
    free(all.memory);
    return status;
}

/* ---- rows at the borders -------------------------------------------------------------------- */

/* How many rows two ranges have in common. */
static size_t overlap(const size_t *a, const size_t *b) {
    size_t from = a[0] > b[0] ? a[0] : b[0], to = a[1] < b[1] ? a[1] : b[1];
    return from < to ? to - from : 0;
}

/* Rows of `width` numbers, as they were read, to the rows that this rank gets, in fresh memory; the old is freed. */
static rm2_status move(const reading *r, size_t width, double **rows) {
    const rm2i_parts *p = &r->to->parts;
    int own = r->comm->rank;
    double *moved;
    RM2_TRY(rm2i_alloc_all(r->ctx, r->comm, rm2i_parts_rows(p), width * sizeof *moved, &moved));
    for (int k = 0; k < r->comm->ranks; k++) {
        p->sent[k] = overlap(r->from + own, p->rows + k) * width;
        p->received[k] = overlap(r->from + k, p->rows + own) * width;
    }
    r->comm->alltoall(r->comm->user, p->sent, *rows, p->received, moved);
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
    RM2_TRY(rm2i_alloc_all(r->ctx, r->comm, raw->rows, sizeof *numbers, &numbers));
    sizes_to_doubles(raw->rows, raw->numbers, numbers);
    rm2_status status = move(r, 1, &numbers);
    size_t n = rm2i_parts_rows(&r->to->parts);
    if (status == RM2_OK) {
        free(raw->numbers);
        raw->numbers = NULL;
        status =
            rm2i_agree(r->ctx, r->comm, rm2i_alloc(r->ctx, n, sizeof *raw->numbers, &raw->numbers));
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
    raw->rows = rm2i_parts_rows(&r->to->parts);
    return RM2_OK;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Ids and starts of the trajectories of this rank. */
static rm2_status take_trajectories(const reading *r, rm2i_draft *d) {
    const rm2i_parts *p = &r->to->parts;
    const char *id = r->ids;
    if (d->trajectories == 0)
        return RM2_OK;
    rm2i_parts_starts(p, d->starts);
    for (size_t t = 0; t < p->trajectories[r->comm->rank]; t++)
        id += strlen(id) + 1;
    for (size_t t = 0; t < d->trajectories; t++, id += strlen(id) + 1) {
        free(d->ids[t]);
        d->ids[t] = NULL;
        RM2_TRY(rm2i_strdup(r->ctx, id, &d->ids[t]));
    }
    return RM2_OK;
}

static rm2_status to_draft(reading *r, rm2i_draft *d, rm2_data_report *report) {
    const rm2i_parts *p = &r->to->parts;
    RM2_TRY(rm2i_draft_create(r->ctx, r->manifold, rm2i_file_name(r->path), r->raw.rows,
                              rm2i_parts_trajectories(p), d));
    report->factors = rm2_manifold_factor_count(r->manifold);
    RM2_TRY(rm2i_calloc(r->ctx, report->factors, sizeof *report->factor, &report->factor));
    RM2_TRY(take_trajectories(r, d));
    RM2_TRY(rm2i_take_roles(r->ctx, r->path, &r->raw, d));
    d->shrinkage = r->s->shrinkage;
    return rm2i_validate(r->ctx, r->s, &r->raw, d, report);
}

/* What validation found on all ranks. */
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
    RM2_TRY(rm2i_alloc_all(r->ctx, r->comm, all.factors, sizeof *all.factor, &all.factor));
    rm2i_comm_fold(r->comm, all.factors * sizeof *all.factor, all.factor, add_findings, own);
    rm2i_comm_fold(r->comm, sizeof matrices, &matrices, add_singular, d);
    d->singular = matrices.count;
    d->singular_row = matrices.row;
    if (r->comm->rank == 0)
        rm2i_log_validated(r->ctx, r->s, d, r->to->parts.all, &all);
    rm2_data_report_clear(&all);
    return RM2_OK;
}

/* Validated points to a data set: signs, scale. */
static rm2_status finish(const reading *r, rm2i_draft *d, rm2_data_report *report) {
    const rm2i_parts *p = &r->to->parts;
    RM2_TRY(report_findings(r, d, report));
    if (r->s->align_signs)
        RM2_TRY(rm2i_align_signs(r->ctx, p, d, report));
    if (rm2i_data_scales(r->s, d->manifold, p->all) ||
        (r->s->scale == RM2_SCALE_AUTO && rm2i_scale_vanishes(d, p)))
        RM2_TRY(rm2i_scale(r->ctx, p, d, NULL));
    return rm2i_agree(r->ctx, r->comm, rm2i_draft_finish(r->ctx, d, &r->to->own));
}

static rm2_status make_points(reading *r) {
    rm2i_draft d = {.count = 0};
    rm2_data_report report = {.size = sizeof report};
    rm2_status status = rm2i_agree(r->ctx, r->comm, to_draft(r, &d, &report));
    if (status == RM2_OK)
        status = finish(r, &d, &report);
    rm2_data_report_clear(&report);
    rm2i_draft_clear(&d);
    return status;
}

rm2_status rm2i_data_read_divided(rm2_context *ctx, const rm2_communicator *comm, const char *path,
                                  const rm2_data_settings *s, rm2i_divided *divided) {
    reading r = {.ctx = ctx, .comm = comm, .path = path, .s = s, .to = divided};
    *divided = (rm2i_divided){.own = NULL};
    rm2_status status = read_rows(&r);
    if (status == RM2_OK)
        status = find_parts(&r);
    if (status == RM2_OK)
        status = move_rows(&r);
    if (status == RM2_OK)
        status = make_points(&r);
    free(r.from);
    free(r.ids);
    rm2i_raw_free(&r.raw);
    rm2_manifold_free(r.manifold);
    return status;
}
