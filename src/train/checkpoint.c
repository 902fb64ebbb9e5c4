/* The state of training in a file of the same kind as models (see docs/model-file.md). */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "hdf5/hdf5.h"
#include "model_file/check_model.h"
#include "model_file/settings_file.h"
#include "train/train.h"

enum { VERSION = 2, TERMS = sizeof(rm2_objective_terms) / sizeof(double) };
static const char FORMAT[] = "riemann2 checkpoint", STATE[] = "state";

/* FNV-1a over the bytes of doubles. */
static void mix(uint64_t *hash, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[sizeof *values];
        memcpy(bytes, &values[i], sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++)
            *hash = (*hash ^ bytes[k]) * UINT64_C(1099511628211);
    }
}

static void mix_one(void *hash, double value) {
    mix(hash, &value, 1);
}

/* Numbers of all ranks in turn. */
typedef struct numbers {
    size_t count;
    const double *values;
} numbers;

static void mix_numbers(const void *job, void *hash) {
    const numbers *n = job;
    mix(hash, n->values, n->count);
}

static void mix_all(const rm2_communicator *comm, uint64_t *hash, const double *values,
                    size_t count) {
    rm2i_comm_fold(comm, sizeof *hash, hash, mix_numbers, &(numbers){count, values});
}

static uint64_t of_data(const rm2i_model_problem *p) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t m = 0; m < p->M; m++)
        mix_all(p->comm, &hash, p->F + m * p->N, p->N);
    mix_all(p->comm, &hash, p->X0, p->N * p->Q);
    return hash;
}

uint64_t rm2i_fingerprint_begin(const rm2i_model_problem *whole) {
    uint64_t hash = of_data(whole);
    mix_all(whole->comm, &hash, whole->X0,
            whole->N * whole->Q); /* once more, as the raw vector's latents */
    return hash;
}

uint64_t rm2i_fingerprint(const rm2i_objective *o, const double *raw) {
    const rm2i_model_problem *p = &o->p;
    uint64_t hash = p->comm ? p->begun : of_data(p);
    size_t mixed = p->comm ? p->N * p->Q : 0; /* of the raw vector */
    mix(&hash, raw + mixed, o->par.raw_size - mixed);
    for (size_t t = 0; t < p->all_trajectories; t++)
        mix_one(&hash, (double)p->all_starts[t]);
    rm2i_settings_each(&o->s, mix_one, &hash);
    for (size_t j = 0; o->s.inducing_points && j < o->s.inducing; j++)
        mix_one(&hash, (double)o->s.inducing_points[j]);
    return hash;
}

/* An inducing set, if there is one: indices, and the two traces. */
static rm2_status put_set(rm2_context *ctx, rm2i_h5_writer *h5, const char *index,
                          const char *traces, const rm2i_set *set) {
    size_t two = 2;
    if (set->count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, index, 1, &set->count, set->index));
    return rm2i_h5_put_doubles(ctx, h5, traces, 1, &two, (double[]){set->chosen, set->trace});
}

static rm2_status get_set(rm2_context *ctx, const rm2i_h5 *h5, const char *index,
                          const char *traces, rm2i_set *set) {
    size_t two = 2, count = SIZE_MAX;
    double *found;
    if (!rm2i_h5_has(h5, index))
        return RM2_OK;
    RM2_TRY(rm2i_h5_get_sizes(ctx, h5, index, 1, &count, &set->index));
    RM2_TRY(rm2i_h5_get_doubles(ctx, h5, traces, 1, &two, &found));
    set->count = count;
    set->chosen = found[0];
    set->trace = found[1];
    free(found);
    return RM2_OK;
}

/* All but the values of the optimiser's state. */
static rm2_status put(rm2_context *ctx, rm2i_h5_writer *h5, uint64_t fingerprint,
                      const rm2i_saved *saved, size_t state_size) {
    size_t version = VERSION, print = (size_t)fingerprint, terms = TERMS, stop = saved->stop;
    double start[TERMS];
    memcpy(start, &saved->start, sizeof start);
    RM2_TRY(rm2i_h5_put_text(ctx, h5, "format", FORMAT));
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, "version", 0, NULL, &version));
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, "fingerprint", 0, NULL, &print));
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, "stop", 0, NULL, &stop));
    RM2_TRY(rm2i_h5_announce(ctx, h5, STATE, state_size));
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, "trace", 1, &saved->trace_size, saved->trace));
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, "start", 1, &terms, start));
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, "chosen_at", 0, NULL, &saved->chosen_at));
    RM2_TRY(put_set(ctx, h5, "inducing", "inducing_trace", &saved->sets.likelihood));
    return put_set(ctx, h5, "gpdm_inducing", "gpdm_inducing_trace", &saved->sets.dynamics);
}

static rm2_status begin(rm2_context *ctx, const rm2i_checkpoint_place *place,
                        const rm2i_saved *saved, size_t state_size, rm2i_h5_stream **stream) {
    rm2i_h5_writer *h5;
    RM2_TRY(rm2i_h5_create(ctx, &h5));
    rm2_status status = put(ctx, h5, place->fingerprint, saved, state_size);
    if (status == RM2_OK)
        return rm2i_h5_stream_open(ctx, h5, place->path, true, stream);
    rm2i_h5_discard(h5);
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

/* All ranks give their parts of a piece, also where the file cannot take it any more. */
static rm2_status put_state(rm2_context *ctx, const rm2i_optim *optim, rm2i_h5_stream *stream,
                            double *piece) {
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < rm2i_optim_pieces(optim); k++) {
        rm2i_optim_save_piece(optim, k, piece);
        if (stream && status == RM2_OK)
            status = rm2i_h5_stream_put(ctx, stream, rm2i_optim_piece_size(optim, k), piece);
    }
    return status;
}

rm2_status rm2i_checkpoint_write(rm2_context *ctx, const rm2i_checkpoint_place *place,
                                 const rm2i_saved *saved, const rm2i_optim *optim) {
    bool has_file = !place->comm || place->comm->rank == 0;
    rm2i_h5_stream *stream = NULL;
    double *piece = NULL;
    rm2_status status = has_file ? allocate_piece(ctx, optim, &piece) : RM2_OK;
    if (status == RM2_OK && has_file)
        status = begin(ctx, place, saved, rm2i_optim_state_size(optim), &stream);
    status = rm2i_agree(ctx, place->comm, status);
    if (status == RM2_OK) {
        status = put_state(ctx, optim, stream, piece);
        if (stream && status == RM2_OK) {
            status = rm2i_h5_stream_commit(ctx, stream);
            stream = NULL;
        }
        status = rm2i_agree(ctx, place->comm, status);
    }
    rm2i_h5_stream_discard(stream);
    free(piece);
    return status;
}

static rm2_status check_header(rm2_context *ctx, const rm2i_h5 *h5, const char *path,
                               uint64_t fingerprint) {
    char *format;
    size_t version, print;
    RM2_TRY(rm2i_h5_get_text(ctx, h5, "format", &format));
    bool ours = strcmp(format, FORMAT) == 0;
    free(format);
    if (!ours)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s is not a checkpoint of a training", path);
    RM2_TRY(rm2i_h5_get_size(ctx, h5, "version", &version));
    if (version != VERSION)
        return rm2i_fail(
            ctx, RM2_ERR_FORMAT,
            "%s has version %zu, this program reads version %d; remove it to start anew", path,
            version, VERSION);
    RM2_TRY(rm2i_h5_get_size(ctx, h5, "fingerprint", &print));
    if (print != fingerprint)
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s belongs to a training with other data or settings; use the same ones, or "
            "remove it to start anew",
            path);
    return RM2_OK;
}

static rm2_status get_state_size(rm2_context *ctx, const rm2i_h5 *h5, size_t *size) {
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    RM2_TRY(rm2i_h5_shape(ctx, h5, STATE, &dims, shape));
    if (dims != 1)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: dataset %s has %zu dimensions, expected 1",
                         rm2i_h5_name(h5), STATE, dims);
    *size = shape[0];
    return RM2_OK;
}

static rm2_status get(rm2_context *ctx, const rm2i_h5 *h5, const char *path, uint64_t fingerprint,
                      rm2i_saved *saved) {
    double *start;
    size_t terms = TERMS, stop;
    RM2_TRY(check_header(ctx, h5, path, fingerprint));
    RM2_TRY(rm2i_h5_get_size(ctx, h5, "stop", &stop));
    if (stop > RM2_STOP_MAX_SECONDS)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: stop: unknown reason %zu", path, stop);
    saved->stop = (rm2_stop)stop;
    RM2_TRY(get_state_size(ctx, h5, &saved->state_size));
    saved->trace_size = SIZE_MAX;
    RM2_TRY(rm2i_h5_get_doubles(ctx, h5, "trace", 1, &saved->trace_size, &saved->trace));
    if (saved->trace_size == 0)
        return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s has no trace", path);
    RM2_TRY(rm2i_model_check_finite(ctx, path, "trace", saved->trace_size, saved->trace));
    RM2_TRY(rm2i_h5_get_doubles(ctx, h5, "start", 1, &terms, &start));
    rm2_status status = rm2i_model_check_finite(ctx, path, "start", TERMS, start);
    memcpy(&saved->start, start, sizeof saved->start);
    free(start);
    RM2_TRY(status);
    RM2_TRY(rm2i_h5_get_size(ctx, h5, "chosen_at", &saved->chosen_at));
    RM2_TRY(get_set(ctx, h5, "inducing", "inducing_trace", &saved->sets.likelihood));
    return get_set(ctx, h5, "gpdm_inducing", "gpdm_inducing_trace", &saved->sets.dynamics);
}

rm2_status rm2i_checkpoint_read(rm2_context *ctx, const char *path, uint64_t fingerprint,
                                rm2i_saved *saved) {
    *saved = (rm2i_saved){.file = NULL};
    RM2_TRY(rm2i_h5_open_pieces(ctx, path, &saved->file));
    rm2_status status = get(ctx, saved->file, path, fingerprint, saved);
    if (status != RM2_OK)
        rm2i_saved_free(saved);
    return status;
}

typedef struct reading {
    rm2_context *ctx;
    rm2i_h5 *file;
    size_t done;
} reading;

static rm2_status read_next(void *user, size_t count, double *values) {
    reading *r = user;
    const rm2i_h5_some some = {STATE, r->done, count};
    r->done += count;
    return rm2i_h5_get_some(r->ctx, r->file, &some, values);
}

rm2_status rm2i_checkpoint_restore(rm2_context *ctx, const rm2i_saved *saved, rm2i_optim *optim) {
    reading r = {ctx, saved->file, 0};
    return rm2i_optim_restore(ctx, optim, &(rm2i_optim_source){saved->state_size, read_next, &r});
}

/* ---- on all ranks of a team ----------------------------------------------------------------- */

static rm2_status allocate_set(rm2_context *ctx, rm2i_set *set) {
    return set->count ? rm2i_alloc(ctx, set->count, sizeof *set->index, &set->index) : RM2_OK;
}

static rm2_status allocate_saved(rm2_context *ctx, rm2i_saved *saved) {
    RM2_TRY(rm2i_alloc(ctx, saved->trace_size, sizeof *saved->trace, &saved->trace));
    RM2_TRY(allocate_set(ctx, &saved->sets.likelihood));
    return allocate_set(ctx, &saved->sets.dynamics);
}

static void tell_set(const rm2_communicator *comm, const rm2i_set *set) {
    rm2i_broadcast(comm, set->index, set->count * sizeof *set->index);
}

rm2_status rm2i_saved_tell(rm2_context *ctx, const rm2_communicator *comm, rm2i_saved *saved) {
    rm2i_saved all = *saved;
    if (!comm)
        return RM2_OK;
    rm2i_broadcast(comm, &all, sizeof all); /* of which other ranks can use all but the arrays */
    if (comm->rank != 0) {
        all.file = NULL;
        all.trace = NULL;
        all.sets.likelihood.index = all.sets.dynamics.index = NULL;
        *saved = all;
    }
    rm2_status status = comm->rank == 0 ? RM2_OK : allocate_saved(ctx, saved);
    status = rm2i_agree(ctx, comm, status);
    if (status != RM2_OK) {
        rm2i_saved_free(saved);
        return status;
    }
    rm2i_broadcast(comm, saved->trace, saved->trace_size * sizeof *saved->trace);
    tell_set(comm, &saved->sets.likelihood);
    tell_set(comm, &saved->sets.dynamics);
    return RM2_OK;
}

void rm2i_saved_free(rm2i_saved *saved) {
    rm2i_h5_close(saved->file);
    free(saved->trace);
    free(saved->sets.likelihood.index);
    free(saved->sets.dynamics.index);
    *saved = (rm2i_saved){.file = NULL};
}
