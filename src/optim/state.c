/* Saving and restoring an optimiser: a header of counters and values, then the kept vectors as they
 * are. All are doubles, since they travel in files of doubles; counters are exact below 2^53.
 * Scratch is not saved: every iteration fills it before reading it. The variables of all rows are gathered vector
 * by vector, so that a state does not show how many processes there were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "optim/method.h"

enum field {
    FORMAT,
    METHOD,
    VARIABLES,
    HISTORY,
    STARTED,
    ITERATION,
    EVALUATIONS,
    PAIRS,
    NEXT,
    SECONDS,
    STEP_LENGTH,
    VALUE,
    BEST_VALUE,
    DECREASE,
    HEADER_SIZE
};

static const double FORMAT_VERSION = 2;
static const double COUNTER_MAX = 0x1p53;

static size_t history(const rm2i_optim *o) {
    return o->method->pairs ? o->settings.history : 0;
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* Kept vectors; numbers that are no variables follow them. */
static size_t vectors(const rm2i_optim *o) {
    return 3 + 2 * (o->method->pairs ? o->settings.history : 1);
}

/* Variables of the rows of this process. */
static size_t own_variables(const rm2i_optim *o) {
    return o->rows ? o->rows->n * o->width : 0;
}

/* Variables of all rows, and those behind them. */
static size_t all_variables(const rm2i_optim *o) {
    return o->rows ? o->rows->all * o->width + o->n - own_variables(o) : o->n;
}

/* Kept vector k of all rows, on the root. */
static void gather(const rm2i_optim *o, size_t k, double *kept) {
    size_t all = all_variables(o), own = own_variables(o), behind = o->n - own;
    const double *vector = o->memory + k * o->n;
    rm2i_rows_gather(o->rows, o->width, vector, kept);
    if (kept)
        memcpy(kept + all - behind, vector + own, behind * sizeof *kept);
}

/* The way back. */
static void scatter(rm2i_optim *o, size_t k, const double *kept) {
    size_t all = all_variables(o), own = own_variables(o), behind = o->n - own;
    double *vector = o->memory + k * o->n;
    rm2i_rows_scatter(o->rows, o->width, kept, vector);
    if (kept)
        memcpy(vector + own, kept + all - behind, behind * sizeof *kept);
    rm2i_rows_broadcast(o->rows, vector + own, behind * sizeof *vector);
}

/* ---- save ----------------------------------------------------------------------------------- */

size_t rm2i_optim_state_size(const rm2i_optim *optim) {
    return HEADER_SIZE + optim->kept + vectors(optim) * (all_variables(optim) - optim->n);
}

static void save_header(const rm2i_optim *o, double *state) {
    state[FORMAT] = FORMAT_VERSION;
    state[METHOD] = (double)o->settings.method;
    state[VARIABLES] = (double)all_variables(o);
    state[HISTORY] = (double)history(o);
    state[STARTED] = o->started;
    state[ITERATION] = (double)o->iteration;
    state[EVALUATIONS] = (double)o->evaluations;
    state[PAIRS] = (double)o->pairs;
    state[NEXT] = (double)o->next;
    state[SECONDS] = o->seconds;
    state[STEP_LENGTH] = o->step_length;
    state[VALUE] = o->started ? o->f : 0;
    state[BEST_VALUE] = o->started ? o->best_f : 0;
    state[DECREASE] = o->decrease;
}

/* Pieces of a state: header, kept vectors, numbers behind them. */
size_t rm2i_optim_pieces(const rm2i_optim *optim) {
    return vectors(optim) + 2;
}

size_t rm2i_optim_piece_size(const rm2i_optim *optim, size_t k) {
    if (k == 0)
        return HEADER_SIZE;
    return k <= vectors(optim) ? all_variables(optim) : optim->kept - vectors(optim) * optim->n;
}

void rm2i_optim_save_piece(const rm2i_optim *optim, size_t k, double *piece) {
    bool is_vector = k > 0 && k <= vectors(optim);
    if (is_vector && rm2i_rows_shared(optim->rows))
        gather(optim, k - 1, piece);
    else if (piece && k == 0)
        save_header(optim, piece);
    else if (piece)
        memcpy(piece, optim->memory + (k - 1) * optim->n,
               rm2i_optim_piece_size(optim, k) * sizeof *piece);
}

void rm2i_optim_save(const rm2i_optim *optim, double *state) {
    for (size_t k = 0; k < rm2i_optim_pieces(optim); k++) {
        rm2i_optim_save_piece(optim, k, state);
        state = state ? state + rm2i_optim_piece_size(optim, k) : NULL;
    }
}

/* ---- restore -------------------------------------------------------------------------------- */

static rm2_status refuse(rm2_context *ctx, const char *what, double theirs, double ours) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "state of an optimiser: %s is %.17g, expected %.17g",
                     what, theirs, ours);
}

static rm2_status check_kind(rm2_context *ctx, const rm2i_optim *o, const double *header) {
    const struct {
        enum field field;
        const char *name;
        double ours;
    } fields[] = {{FORMAT, "format", FORMAT_VERSION},
                  {METHOD, "method", (double)o->settings.method},
                  {VARIABLES, "number of variables", (double)all_variables(o)},
                  {HISTORY, "history", (double)history(o)}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (header[fields[i].field] != fields[i].ours)
            return refuse(ctx, fields[i].name, header[fields[i].field], fields[i].ours);
    return RM2_OK;
}

static bool is_counter(double value, double most) {
    return value >= 0 && value <= most && value == floor(value);
}

static bool header_is_sound(const rm2i_optim *o, const double *header) {
    double m = (double)history(o), pairs = header[PAIRS], next = header[NEXT];
    return is_counter(header[STARTED], 1) && is_counter(header[ITERATION], COUNTER_MAX) &&
           is_counter(header[EVALUATIONS], COUNTER_MAX) && is_counter(pairs, m) &&
           is_counter(next, fmax(m - 1, 0)) && (pairs == m || pairs == next) &&
           header[SECONDS] >= 0 && isfinite(rm2i_max_abs(HEADER_SIZE, header));
}

static rm2_status damaged(rm2_context *ctx) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "state of an optimiser is damaged");
}

/* A state that was changed on its way may hold anything: nothing of it is used unseen. */
static rm2_status read_header(rm2_context *ctx, const rm2i_optim *o,
                              const rm2i_optim_source *source, double *header) {
    size_t expected = rm2i_optim_state_size(o);
    if (source->size < HEADER_SIZE)
        return refuse(ctx, "size", (double)source->size, (double)expected);
    RM2_TRY(source->next(source->user, HEADER_SIZE, header));
    RM2_TRY(check_kind(ctx, o, header));
    if (source->size != expected)
        return refuse(ctx, "size", (double)source->size, (double)expected);
    return header_is_sound(o, header) ? RM2_OK : damaged(ctx);
}

/* Point, gradient and best point are finite; of what belongs to the method, moments may be infinite. */
static bool vector_is_sound(size_t k, size_t count, const double *vector) {
    bool sound = k >= 3 || isfinite(rm2i_max_abs(count, vector));
    for (size_t i = 0; sound && i < count; i++)
        sound = !isnan(vector[i]);
    return sound;
}

/* The numbers behind the vectors: of L-BFGS s.y and y.y of the pairs. */
static bool numbers_are_sound(const rm2i_optim *o, const double *header, size_t count,
                              const double *numbers) {
    const double *sy = numbers, *yy = sy + history(o);
    bool sound = true;
    for (size_t k = 0; k < (size_t)header[PAIRS]; k++)
        sound = sound && sy[k] > 0 && yy[k] > 0;
    for (size_t k = 0; k < count; k++)
        sound = sound && !isnan(numbers[k]);
    return sound;
}

/* Kept vector k; `whole` has room for that of all rows on the root of several processes, otherwise it is NULL. */
static rm2_status restore_vector(rm2_context *ctx, rm2i_optim *o, const rm2i_optim_source *source,
                                 size_t k, double *whole) {
    bool shared = rm2i_rows_shared(o->rows);
    double *vector = shared ? whole : o->memory + k * o->n;
    rm2_status status = RM2_OK;
    if (vector)
        status = source->next(source->user, all_variables(o), vector);
    if (vector && status == RM2_OK && !vector_is_sound(k, all_variables(o), vector))
        status = damaged(ctx);
    RM2_TRY(rm2i_rows_agree(ctx, o->rows, status));
    if (shared)
        scatter(o, k, whole);
    return RM2_OK;
}

static rm2_status restore_numbers(rm2_context *ctx, rm2i_optim *o, const rm2i_optim_source *source,
                                  const double *header) {
    size_t count = o->kept - vectors(o) * o->n;
    double *numbers = o->memory + vectors(o) * o->n;
    rm2_status status = RM2_OK;
    if (rm2i_rows_root(o->rows)) {
        status = source->next(source->user, count, numbers);
        if (status == RM2_OK && !numbers_are_sound(o, header, count, numbers))
            status = damaged(ctx);
    }
    RM2_TRY(rm2i_rows_agree(ctx, o->rows, status));
    rm2i_rows_broadcast(o->rows, numbers, count * sizeof *numbers);
    return RM2_OK;
}

static void use_header(rm2i_optim *o, const double *header) {
    o->started = header[STARTED] != 0;
    o->iteration = (size_t)header[ITERATION];
    o->evaluations = (size_t)header[EVALUATIONS];
    o->pairs = (size_t)header[PAIRS];
    o->next = (size_t)header[NEXT];
    o->seconds = header[SECONDS];
    o->step_length = header[STEP_LENGTH];
    o->f = o->started ? header[VALUE] : INFINITY;
    o->best_f = o->started ? header[BEST_VALUE] : INFINITY;
    o->decrease = header[DECREASE];
    o->gradient_max = o->started ? rm2i_optim_max_abs(o, o->gradient) : INFINITY;
}

static rm2_status restore(rm2_context *ctx, rm2i_optim *o, const rm2i_optim_source *source,
                          double *whole) {
    bool root = rm2i_rows_root(o->rows);
    double header[HEADER_SIZE] = {0};
    RM2_TRY(rm2i_rows_agree(ctx, o->rows, root ? read_header(ctx, o, source, header) : RM2_OK));
    rm2i_rows_broadcast(o->rows, header, sizeof header);
    for (size_t k = 0; k < vectors(o); k++)
        RM2_TRY(restore_vector(ctx, o, source, k, whole));
    RM2_TRY(restore_numbers(ctx, o, source, header));
    use_header(o, header);
    return RM2_OK;
}

rm2_status rm2i_optim_restore(rm2_context *ctx, rm2i_optim *optim,
                              const rm2i_optim_source *source) {
    const rm2i_rows *rows = optim->rows;
    double *whole = NULL;
    rm2_status status = RM2_OK;
    if (rm2i_rows_shared(rows) && rm2i_rows_root(rows))
        status = rm2i_alloc(ctx, all_variables(optim), sizeof *whole, &whole);
    status = rm2i_rows_agree(ctx, rows, status);
    if (status == RM2_OK)
        status = restore(ctx, optim, source, whole);
    free(whole);
    return status;
}
