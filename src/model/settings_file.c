/* Fields are kept as doubles: enumerations, flags and counts are small whole numbers, exact there; a
 * seed is two of 32 bits. */
#include "model/settings_file.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"

typedef enum field_kind { ENUMERATION, FLAG, COUNT, NUMBER, LOW_HALF, HIGH_HALF } field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    int last; /* largest value of an enumeration */
} field;

#define FIELD(member, kind, last)                                                                  \
    { #member, kind, offsetof(rm2_fit_settings, member), last }
#define POSITIVE(member)                                                                           \
    FIELD(member.start, NUMBER, 0), FIELD(member.learned, FLAG, 0),                                \
        FIELD(member.prior, ENUMERATION, RM2_PRIOR_LOGNORMAL), FIELD(member.a, NUMBER, 0),         \
        FIELD(member.b, NUMBER, 0)

static const field fields[] = {
    FIELD(recipe, ENUMERATION, RM2_RECIPE_PAPER),
    FIELD(model, ENUMERATION, RM2_GPLVM),
    FIELD(latent_dim, COUNT, 0),
    FIELD(kernel, ENUMERATION, RM2_LATENT_LINEAR),
    FIELD(ard, FLAG, 0),
    POSITIVE(lengthscale),
    POSITIVE(variance),
    POSITIVE(linear),
    FIELD(noise, ENUMERATION, RM2_NOISE_PER_OUTPUT),
    POSITIVE(noise_variance),
    POSITIVE(task_noise),
    FIELD(noise_bound, NUMBER, 0),
    FIELD(task, ENUMERATION, RM2_TASK_LEARNED),
    FIELD(independent, FLAG, 0),
    FIELD(task_rank, COUNT, 0),
    FIELD(task_random, FLAG, 0),
    FIELD(task_anchor, NUMBER, 0),
    FIELD(latent_normal, FLAG, 0),
    FIELD(latent_anchor, NUMBER, 0),
    FIELD(gpdm_weight, NUMBER, 0),
    POSITIVE(gpdm_lengthscale),
    POSITIVE(gpdm_variance),
    POSITIVE(gpdm_noise),
    FIELD(back_constraint, FLAG, 0),
    FIELD(back_ridge, NUMBER, 0),
    FIELD(softplus, FLAG, 0),
    FIELD(inference, ENUMERATION, RM2_INFERENCE_INDUCING),
    FIELD(accuracy, NUMBER, 0),
    FIELD(inducing, COUNT, 0),
    FIELD(inducing_free, FLAG, 0),
    FIELD(init, ENUMERATION, RM2_INIT_GIVEN),
    FIELD(time_weight, NUMBER, 0),
    FIELD(neighbours, COUNT, 0),
    FIELD(base, ENUMERATION, RM2_BASE_GIVEN),
    FIELD(optim.method, ENUMERATION, RM2_ADAM),
    FIELD(optim.history, COUNT, 0),
    FIELD(optim.learning_rate, NUMBER, 0),
    FIELD(optim.beta1, NUMBER, 0),
    FIELD(optim.beta2, NUMBER, 0),
    FIELD(optim.epsilon, NUMBER, 0),
    FIELD(optim.relative_decrease, NUMBER, 0),
    FIELD(optim.gradient, NUMBER, 0),
    FIELD(seed, LOW_HALF, 0),
    {"seed_high", HIGH_HALF, offsetof(rm2_fit_settings, seed), 0},
    /* limits: a run that resumes another may have others */
    FIELD(optim.max_iterations, COUNT, 0),
    FIELD(optim.max_seconds, NUMBER, 0),
};
enum { LIMITS = 2, FIELDS = sizeof fields / sizeof fields[0] };

static double get(const field *f, const rm2_fit_settings *s) {
    const char *at = (const char *)s + f->offset;
    switch (f->kind) {
    case ENUMERATION:
        return *(const int *)(const void *)at;
    case FLAG:
        return *(const bool *)at;
    case COUNT:
        return (double)*(const size_t *)(const void *)at;
    case LOW_HALF:
        return (double)(*(const uint64_t *)(const void *)at & UINT32_MAX);
    case HIGH_HALF:
        return (double)(*(const uint64_t *)(const void *)at >> 32);
    case NUMBER:
        break;
    }
    return *(const double *)(const void *)at;
}

/* False if the value does not fit the field. */
static bool set(const field *f, double value, rm2_fit_settings *s) {
    char *at = (char *)s + f->offset;
    uint64_t *halves = (uint64_t *)(void *)at;
    bool whole = value >= 0 && value <= 0x1p53 && value == floor(value);
    if (f->kind != NUMBER && !whole)
        return false;
    switch (f->kind) {
    case ENUMERATION:
        if (value > f->last)
            return false;
        *(int *)(void *)at = (int)value;
        return true;
    case FLAG:
        *(bool *)at = value != 0;
        return value <= 1;
    case COUNT:
        *(size_t *)(void *)at = (size_t)value;
        return true;
    case LOW_HALF:
        *halves = (*halves & ~(uint64_t)UINT32_MAX) | ((uint64_t)value & UINT32_MAX);
        return value <= UINT32_MAX;
    case HIGH_HALF:
        *halves = (*halves & UINT32_MAX) | (uint64_t)value << 32;
        return value <= UINT32_MAX;
    case NUMBER:
        break;
    }
    *(double *)(void *)at = value;
    return true;
}

static void path_of(const field *f, char *path, size_t size) {
    (void)snprintf(path, size, "settings/%s", f->name);
}

rm2_status rm2i_settings_put(rm2_context *ctx, rm2i_h5_writer *h5, const rm2_fit_settings *s) {
    for (size_t k = 0; k < FIELDS; k++) {
        char path[64];
        double value = get(&fields[k], s);
        path_of(&fields[k], path, sizeof path);
        RM2_TRY(rm2i_h5_put_doubles(ctx, h5, path, 0, NULL, &value));
    }
    return RM2_OK;
}

rm2_status rm2i_settings_get(rm2_context *ctx, const rm2i_h5 *h5, rm2_fit_settings *s) {
    for (size_t k = 0; k < FIELDS; k++) {
        char path[64];
        double value;
        path_of(&fields[k], path, sizeof path);
        if (!rm2i_h5_has(h5, path))
            continue;
        RM2_TRY(rm2i_h5_get_double(ctx, h5, path, &value));
        if (!set(&fields[k], value, s))
            return rm2i_fail(ctx, RM2_ERR_FORMAT, "%s: %s has the impossible value %g",
                             rm2i_h5_name(h5), path, value);
    }
    return RM2_OK;
}

void rm2i_settings_each(const rm2_fit_settings *s, void (*take)(void *user, double value),
                        void *user) {
    for (size_t k = 0; k < FIELDS - LIMITS; k++)
        take(user, get(&fields[k], s));
}
