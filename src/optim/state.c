/* Saving and restoring an optimiser: a header of counters and values, then the kept vectors as they
 * are. All are doubles, since they travel in files of doubles; counters are exact below 2^53.
 * Scratch is not saved: every iteration fills it before reading it. */
#include <math.h>
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
    HEADER_SIZE
};

static const double FORMAT_VERSION = 1;
static const double COUNTER_MAX = 0x1p53;

static size_t history(const rm2i_optim *o) {
    return o->method->pairs ? o->settings.history : 0;
}

size_t rm2i_optim_state_size(const rm2i_optim *optim) {
    return HEADER_SIZE + optim->kept;
}

void rm2i_optim_save(const rm2i_optim *optim, double *state) {
    const rm2i_optim *o = optim;
    state[FORMAT] = FORMAT_VERSION;
    state[METHOD] = (double)o->settings.method;
    state[VARIABLES] = (double)o->n;
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
    memcpy(state + HEADER_SIZE, o->memory, o->kept * sizeof *state);
}

static rm2_status refuse(rm2_context *ctx, const char *what, double theirs, double ours) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "state of an optimiser: %s is %.17g, expected %.17g",
                     what, theirs, ours);
}

static rm2_status check_kind(rm2_context *ctx, const rm2i_optim *o, const double *state,
                             size_t size) {
    if (size < HEADER_SIZE)
        return refuse(ctx, "size", (double)size, (double)rm2i_optim_state_size(o));
    const struct {
        enum field field;
        const char *name;
        double ours;
    } fields[] = {{FORMAT, "format", FORMAT_VERSION},
                  {METHOD, "method", (double)o->settings.method},
                  {VARIABLES, "number of variables", (double)o->n},
                  {HISTORY, "history", (double)history(o)}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (state[fields[i].field] != fields[i].ours)
            return refuse(ctx, fields[i].name, state[fields[i].field], fields[i].ours);
    if (size != rm2i_optim_state_size(o))
        return refuse(ctx, "size", (double)size, (double)rm2i_optim_state_size(o));
    return RM2_OK;
}

static bool is_counter(double value, double most) {
    return value >= 0 && value <= most && value == floor(value);
}

static bool counters_are_sound(const rm2i_optim *o, const double *state) {
    double m = (double)history(o), pairs = state[PAIRS], next = state[NEXT];
    return is_counter(state[STARTED], 1) && is_counter(state[ITERATION], COUNTER_MAX) &&
           is_counter(state[EVALUATIONS], COUNTER_MAX) && is_counter(pairs, m) &&
           is_counter(next, fmax(m - 1, 0)) && (pairs == m || pairs == next);
}

/* Where a kept vector is in the state. */
static const double *saved(const rm2i_optim *o, const double *state, const double *vector) {
    return state + HEADER_SIZE + (vector - o->memory);
}

static bool values_are_sound(const rm2i_optim *o, const double *state) {
    const double *own = saved(o, state, o->best) + o->n, *end = state + HEADER_SIZE + o->kept;
    for (const double *value = own; value < end; value++)
        if (isnan(*value)) /* moments may be infinite */
            return false;
    for (size_t k = 0; k < (size_t)state[PAIRS]; k++)
        if (!(*saved(o, state, o->sy + k) > 0) || !(*saved(o, state, o->yy + k) > 0))
            return false;
    return state[SECONDS] >= 0 && isfinite(rm2i_max_abs((size_t)(own - state), state));
}

rm2_status rm2i_optim_restore(rm2_context *ctx, rm2i_optim *optim, const double *state,
                              size_t size) {
    rm2i_optim *o = optim;
    RM2_TRY(check_kind(ctx, o, state, size));
    /* a state that was changed on its way may hold anything: nothing of it is used unseen */
    if (!counters_are_sound(o, state) || !values_are_sound(o, state))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "state of an optimiser is damaged");
    o->started = state[STARTED] != 0;
    o->iteration = (size_t)state[ITERATION];
    o->evaluations = (size_t)state[EVALUATIONS];
    o->pairs = (size_t)state[PAIRS];
    o->next = (size_t)state[NEXT];
    o->seconds = state[SECONDS];
    o->step_length = state[STEP_LENGTH];
    o->f = o->started ? state[VALUE] : INFINITY;
    o->best_f = o->started ? state[BEST_VALUE] : INFINITY;
    memcpy(o->memory, state + HEADER_SIZE, o->kept * sizeof *state);
    o->gradient_max = o->started ? rm2i_optim_max_abs(o, o->gradient) : INFINITY;
    return RM2_OK;
}
