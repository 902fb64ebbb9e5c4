/* The state of training in a file of the same kind as models (see docs/model-file.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model_file/check_model.h"
#include "model_file/model_file.h"
#include "model_file/settings_file.h"
#include "train/train.h"

enum { VERSION = 1, TERMS = RM2I_TERMS, PRINT_SIZE = 20 };
static const char STATE[] = "state";

static void mix(uint64_t *hash, const double *values, size_t count) {
    rm2i_hash(hash, values, count * sizeof *values);
}

/* Numbers of the rows. */
typedef struct numbers {
    size_t count;
    const double *values;
} numbers;

static void mix_numbers(const void *job, void *hash) {
    const numbers *n = job;
    mix(hash, n->values, n->count);
}

static void mix_all(const rm2i_rows *rows, uint64_t *hash, const double *values, size_t count) {
    rm2i_rows_fold(rows, sizeof *hash, hash, mix_numbers, &(numbers){count, values});
}

uint64_t rm2i_fingerprint(const rm2i_objective *o, const double *raw) {
    const rm2i_model_problem *p = &o->p;
    const rm2i_rows *rows = &o->rows;
    size_t latents = p->N * p->Q; /* the raw vector begins with them */
    uint64_t hash = RM2I_HASH_START;
    for (size_t m = 0; m < p->M; m++)
        mix_all(rows, &hash, p->F + m * p->N, p->N);
    mix_all(rows, &hash, p->X0, latents);
    mix_all(rows, &hash, raw, latents);
    mix(&hash, raw + latents, o->par.raw_size - latents);
    for (size_t t = 0; t < rows->all_trajectories; t++) {
        double start = (double)rows->all_starts[t];
        mix(&hash, &start, 1);
    }
    rm2i_settings_mix(&o->s, &hash);
    for (size_t j = 0; o->s.inducing_points && j < o->s.inducing; j++) {
        double point = (double)o->s.inducing_points[j];
        mix(&hash, &point, 1);
    }
    return hash;
}

/* An inducing set, if there is one: indices, and the two traces. */
static rm2_status put_set(rm2i_file_writer w, const char *index, const char *traces,
                          const rm2i_set *set) {
    size_t two = 2;
    if (set->count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_file_put_sizes(w, index, 1, &set->count, set->index));
    return rm2i_file_put_doubles(w, traces, 1, &two, (double[]){set->chosen, set->trace});
}

static rm2_status get_set(rm2i_reader r, const char *index, const char *traces, rm2i_set *set) {
    size_t two = 2, count = SIZE_MAX;
    double found[2];
    if (!rm2i_file_has(r, index))
        return RM2_OK;
    RM2_TRY(rm2i_file_sizes(r, index, 1, &count, &set->index));
    RM2_TRY(rm2i_file_copy(r, traces, 1, &two, found));
    set->count = count;
    set->chosen = found[0];
    set->trace = found[1];
    return RM2_OK;
}

static void show_print(uint64_t fingerprint, char text[PRINT_SIZE]) {
    (void)snprintf(text, PRINT_SIZE, "%016" PRIx64, fingerprint);
}

/* All but the values of the optimiser's state, which are announced. */
static rm2_status put(rm2i_file_writer w, uint64_t fingerprint, const rm2i_saved *saved,
                      size_t state_size) {
    size_t terms = TERMS;
    char print[PRINT_SIZE];
    double start[TERMS];
    memcpy(start, &saved->start, sizeof start);
    show_print(fingerprint, print);
    RM2_TRY(rm2i_file_put_kind(w, "checkpoint", VERSION));
    RM2_TRY(rm2i_file_put_text(w, "fingerprint", print));
    RM2_TRY(rm2i_file_put_count(w, "stop", (size_t)saved->stop));
    RM2_TRY(rm2i_file_put_doubles(w, "trace", 1, &saved->trace_size, saved->trace));
    RM2_TRY(rm2i_file_put_doubles(w, "start", 1, &terms, start));
    RM2_TRY(rm2i_file_put_count(w, "chosen_at", saved->chosen_at));
    RM2_TRY(put_set(w, "inducing", "inducing_trace", &saved->sets.likelihood));
    RM2_TRY(put_set(w, "gpdm_inducing", "gpdm_inducing_trace", &saved->sets.dynamics));
    return rm2i_npz_announce(w.ctx, w.npz, STATE, state_size);
}

/* A checkpoint that is being written. */
typedef struct output {
    rm2_writer *file;
    rm2i_npz_writer *npz;
} output;

static rm2_status begin(rm2_context *ctx, const rm2i_checkpoint_place *place,
                        const rm2i_saved *saved, size_t state_size, output *o) {
    RM2_TRY(rm2_writer_open(ctx, place->path, true, &o->file));
    RM2_TRY(rm2i_npz_begin(ctx, rm2_writer_stream(o->file), place->path, &o->npz));
    return put((rm2i_file_writer){ctx, o->npz}, place->fingerprint, saved, state_size);
}

/* Takes the output, whatever the status is. */
static rm2_status end(rm2_context *ctx, rm2_status status, output *o) {
    if (status == RM2_OK)
        status = rm2i_npz_end(ctx, o->npz);
    rm2i_npz_writer_free(o->npz);
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, o->file);
    rm2_writer_discard(o->file);
    return status;
}

/* Room for the largest piece. */
static rm2_status allocate_piece(rm2_context *ctx, const rm2i_optim *optim, double **piece) {
    size_t largest = 0;
    for (size_t k = 0; k < rm2i_optim_pieces(optim); k++) {
        size_t size = rm2i_optim_piece_size(optim, k);
        largest = size > largest ? size : largest;
    }
    return rm2i_alloc(ctx, largest, sizeof **piece, piece);
}

/* All processes give their rows of a piece, also where the file cannot take it any more. */
static rm2_status put_state(rm2_context *ctx, const rm2i_optim *optim, rm2i_npz_writer *npz,
                            double *piece) {
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < rm2i_optim_pieces(optim); k++) {
        rm2i_optim_save_piece(optim, k, piece);
        if (npz && status == RM2_OK)
            status = rm2i_npz_put_piece(ctx, npz, rm2i_optim_piece_size(optim, k), piece);
    }
    return status;
}

rm2_status rm2i_checkpoint_write(rm2_context *ctx, const rm2i_checkpoint_place *place,
                                 const rm2i_saved *saved, const rm2i_optim *optim) {
    bool has_file = rm2i_rows_root(place->rows);
    output o = {NULL, NULL};
    double *piece = NULL;
    rm2_status status = has_file ? allocate_piece(ctx, optim, &piece) : RM2_OK;
    if (status == RM2_OK && has_file)
        status = begin(ctx, place, saved, rm2i_optim_state_size(optim), &o);
    rm2_status all = rm2i_rows_agree(ctx, place->rows, status);
    if (all == RM2_OK)
        status = put_state(ctx, optim, o.npz, piece);
    if (has_file)
        status = end(ctx, all == RM2_OK ? status : all, &o);
    free(piece);
    return all == RM2_OK ? rm2i_rows_agree(ctx, place->rows, status) : all;
}

static rm2_status check_fingerprint(rm2i_reader r, uint64_t fingerprint) {
    char print[PRINT_SIZE], *found;
    show_print(fingerprint, print);
    RM2_TRY(rm2i_file_text(r, "fingerprint", &found));
    bool same = strcmp(found, print) == 0;
    free(found);
    if (!same)
        return rm2i_fail(
            r.ctx, RM2_ERR_DATA,
            "%s belongs to a training with other data or settings; use the same ones, or "
            "remove it to start anew",
            r.path);
    return RM2_OK;
}

static rm2_status get(rm2i_reader r, uint64_t fingerprint, rm2i_saved *saved) {
    double start[TERMS];
    size_t terms = TERMS, stop;
    RM2_TRY(rm2i_file_expect(r, "checkpoint", VERSION, "; remove it to start anew"));
    RM2_TRY(check_fingerprint(r, fingerprint));
    RM2_TRY(rm2i_file_count(r, "stop", &stop));
    if (stop > RM2_STOP_MAX_SECONDS)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: stop: unknown reason %zu", r.path, stop);
    saved->stop = (rm2_stop)stop;
    saved->state_size = saved->trace_size = SIZE_MAX;
    RM2_TRY(rm2i_file_shape(r, STATE, 1, &saved->state_size));
    RM2_TRY(rm2i_file_verify(r, STATE));
    RM2_TRY(rm2i_file_doubles(r, "trace", 1, &saved->trace_size, &saved->trace));
    if (saved->trace_size == 0)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s has no trace", r.path);
    RM2_TRY(
        rm2i_check_range(r.ctx, r.path, "trace", saved->trace_size, saved->trace, &rm2i_finite));
    RM2_TRY(rm2i_file_copy(r, "start", 1, &terms, start));
    RM2_TRY(rm2i_check_range(r.ctx, r.path, "start", TERMS, start, &rm2i_finite));
    memcpy(&saved->start, start, sizeof saved->start);
    RM2_TRY(rm2i_file_count(r, "chosen_at", &saved->chosen_at));
    RM2_TRY(get_set(r, "inducing", "inducing_trace", &saved->sets.likelihood));
    return get_set(r, "gpdm_inducing", "gpdm_inducing_trace", &saved->sets.dynamics);
}

rm2_status rm2i_checkpoint_read(rm2_context *ctx, const char *path, uint64_t fingerprint,
                                rm2i_saved *saved) {
    *saved = (rm2i_saved){.path = path};
    RM2_TRY(rm2i_file_open(ctx, path, &saved->file));
    rm2_status status = get((rm2i_reader){ctx, saved->file, path, NULL}, fingerprint, saved);
    if (status != RM2_OK)
        rm2i_saved_free(saved);
    return status;
}

typedef struct reading {
    rm2i_reader file;
    size_t done;
} reading;

static rm2_status read_next(void *user, size_t count, double *values) {
    reading *r = user;
    size_t first = r->done;
    r->done += count;
    return rm2i_file_some(r->file, STATE, first, count, values);
}

rm2_status rm2i_checkpoint_restore(rm2_context *ctx, const rm2i_saved *saved, rm2i_optim *optim) {
    reading r = {{ctx, saved->file, saved->path, NULL}, 0};
    return rm2i_optim_restore(ctx, optim, &(rm2i_optim_source){saved->state_size, read_next, &r});
}

/* ---- on all processes ----------------------------------------------------------------------- */

static rm2_status allocate_set(rm2_context *ctx, rm2i_set *set) {
    return set->count ? rm2i_alloc(ctx, set->count, sizeof *set->index, &set->index) : RM2_OK;
}

static rm2_status allocate_saved(rm2_context *ctx, rm2i_saved *saved) {
    RM2_TRY(rm2i_alloc(ctx, saved->trace_size, sizeof *saved->trace, &saved->trace));
    RM2_TRY(allocate_set(ctx, &saved->sets.likelihood));
    return allocate_set(ctx, &saved->sets.dynamics);
}

static void broadcast_set(const rm2i_rows *rows, const rm2i_set *set) {
    rm2i_rows_broadcast(rows, set->index, set->count * sizeof *set->index);
}

rm2_status rm2i_saved_broadcast(rm2_context *ctx, const rm2i_rows *rows, rm2i_saved *saved) {
    rm2i_saved all = *saved;
    bool root = rm2i_rows_root(rows);
    rm2i_rows_broadcast(rows, &all, sizeof all); /* other processes can use all but the arrays */
    if (!root) {
        all.file = NULL;
        all.path = NULL;
        all.trace = NULL;
        all.sets.likelihood.index = all.sets.dynamics.index = NULL;
        *saved = all;
    }
    rm2_status status = root ? RM2_OK : allocate_saved(ctx, saved);
    status = rm2i_rows_agree(ctx, rows, status);
    if (status != RM2_OK) {
        rm2i_saved_free(saved);
        return status;
    }
    rm2i_rows_broadcast(rows, saved->trace, saved->trace_size * sizeof *saved->trace);
    broadcast_set(rows, &saved->sets.likelihood);
    broadcast_set(rows, &saved->sets.dynamics);
    return RM2_OK;
}

void rm2i_saved_free(rm2i_saved *saved) {
    rm2i_file_close(saved->file);
    free(saved->trace);
    free(saved->sets.likelihood.index);
    free(saved->sets.dynamics.index);
    *saved = (rm2i_saved){.file = NULL};
}
