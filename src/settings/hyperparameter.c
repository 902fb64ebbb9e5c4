/* Hyperparameters as text: the start, held or learned, and the prior. */
#include <stdio.h>
#include <string.h>

#include "front/texts.h"
#include "settings/settings.h"

static const double DEFAULT_WIDTH = 0.5; /* of the log-normal prior of what comes to be learned */
enum { PART_SIZE = 96 };

/* ---- start, held, learned ------------------------------------------------------------------- */

rm2_status rm2_hyperparameter_set_start(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter) {
    double x;
    RM2_REQUIRE_EACH(ctx, text, hyperparameter);
    if (!rm2i_read_number(text, &x) || !(x > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "expected a positive number, got \"%.40s\"", text);
    hyperparameter->start = x;
    return RM2_OK;
}

void rm2_hyperparameter_learn(rm2_hyperparameter *h) {
    if (h && !h->learned)
        *h = (rm2_hyperparameter){h->start, true, RM2_PRIOR_LOGNORMAL, NAN, DEFAULT_WIDTH};
}

void rm2_hyperparameter_hold(rm2_hyperparameter *h) {
    if (h)
        *h = (rm2_hyperparameter){.start = h->start, .learned = false};
}

/* ---- prior ---------------------------------------------------------------------------------- */

bool rm2i_prior_valid(const rm2_hyperparameter *h) {
    bool width = h->b > 0 && isfinite(h->b);
    switch (h->prior) {
    case RM2_PRIOR_NONE:
        return true;
    case RM2_PRIOR_GAMMA:
        return h->a > 0 && isfinite(h->a) && width;
    case RM2_PRIOR_LOGNORMAL:
        return !isinf(h->a) && width;
    }
    return false;
}

/* "2:0.5", or "start:0.5" for the kind that has it. */
static bool parse_parameters(const char *text, rm2_hyperparameter *h) {
    char first[PART_SIZE];
    size_t length = strcspn(text, ":");
    if (length >= sizeof first || !text[length])
        return false;
    memcpy(first, text, length);
    first[length] = 0;
    bool start = h->prior == RM2_PRIOR_LOGNORMAL && strcmp(first, "start") == 0;
    h->a = NAN;
    return (start || rm2i_read_number(first, &h->a)) &&
           rm2i_read_number(text + length + 1, &h->b) && rm2i_prior_valid(h);
}

/* The prior in a text of a hyperparameter that is learned; returns what was expected, or NULL. */
static const char *parse_prior(const char *text, rm2_hyperparameter *h) {
    rm2_hyperparameter with = {.start = h->start, .learned = true};
    if (strncmp(text, "gamma:", 6) == 0) {
        with.prior = RM2_PRIOR_GAMMA;
        if (!parse_parameters(text + 6, &with))
            return "a positive shape and rate, as in gamma:2:10";
    } else if (strncmp(text, "lognormal:", 10) == 0) {
        with.prior = RM2_PRIOR_LOGNORMAL;
        if (!parse_parameters(text + 10, &with))
            return "the mean of the logarithm (or start) and a positive width, as in "
                   "lognormal:-5:0.5";
    } else if (strcmp(text, "none") != 0) {
        return "none, gamma:SHAPE:RATE or lognormal:MEAN:WIDTH";
    }
    *h = with;
    return NULL;
}

rm2_status rm2_hyperparameter_set_prior(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter) {
    RM2_REQUIRE_EACH(ctx, text, hyperparameter);
    if (!hyperparameter->learned)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "the hyperparameter is held, where a prior has no effect; learn it");
    const char *expected = parse_prior(text, hyperparameter);
    return expected ? rm2i_fail(ctx, RM2_ERR_ARGUMENT, "expected %s, got \"%.40s\"", expected, text)
                    : RM2_OK;
}

/* ---- all parts ------------------------------------------------------------------------------ */

static bool parse_part(const rm2_setting *setting, const char *part, rm2_hyperparameter *h) {
    if (strcmp(part, "held") == 0) {
        rm2_hyperparameter_hold(h);
        return true;
    }
    if (strcmp(part, "learned") == 0) {
        rm2_hyperparameter_learn(h);
        return true;
    }
    if (setting->zero && strcmp(part, setting->zero) == 0) {
        h->start = 0;
        return true;
    }
    double ignored;
    if (rm2i_read_number(part, &ignored))
        return rm2_hyperparameter_set_start(NULL, part, h) == RM2_OK;
    return rm2_hyperparameter_set_prior(NULL, part, h) == RM2_OK;
}

bool rm2i_hyperparameter_parse(const rm2_setting *setting, const char *text,
                               rm2_hyperparameter *h) {
    bool any = false;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        char part[PART_SIZE];
        size_t length = strcspn(text, " ");
        if (length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = 0;
        if (!parse_part(setting, part, h))
            return false;
        any = true;
        text += length;
    }
    return any;
}

/* Appends to the text; `used` counts what there would be with room enough. */
static void append(char *text, size_t size, int *used, const char *before, double value) {
    size_t at = (size_t)*used < size ? (size_t)*used : size;
    *used += rm2i_print_number(text + at, size - at, before, value);
}

static void append_text(char *text, size_t size, int *used, const char *more) {
    size_t at = (size_t)*used < size ? (size_t)*used : size;
    *used += snprintf(text + at, size - at, "%s", more);
}

int rm2i_hyperparameter_format(const rm2_setting *setting, const rm2_hyperparameter *h, char *text,
                               size_t size) {
    int used = 0;
    append_text(text, size, &used, h->learned ? "learned " : "held ");
    if (h->start == 0 && setting->zero)
        append_text(text, size, &used, setting->zero);
    else
        append(text, size, &used, "", h->start);
    if (!h->learned)
        return used;
    if (h->prior == RM2_PRIOR_NONE) {
        append_text(text, size, &used, " none");
        return used;
    }
    const char *kind = h->prior == RM2_PRIOR_GAMMA ? " gamma:" : " lognormal:";
    if (isnan(h->a)) {
        append_text(text, size, &used, kind);
        append_text(text, size, &used, "start");
    } else {
        append(text, size, &used, kind, h->a);
    }
    append(text, size, &used, ":", h->b);
    return used;
}

rm2_status rm2i_hyperparameter_check(rm2_context *ctx, const rm2_setting *setting,
                                     const rm2_hyperparameter *h) {
    const char *field = setting->field;
    rm2_setting start = *setting;
    char expected[80];
    start.type = RM2_SETTING_NUMBER;
    if (!rm2i_setting_within(&start, &(rm2i_value){.number = h->start})) {
        rm2_setting_expected(&start, expected, sizeof expected);
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s.start is %g, expected %s", field,
                         h->start, expected);
    }
    if ((unsigned)h->prior > RM2_PRIOR_LOGNORMAL)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.%s.prior is %d, expected 0 (none), 1 (gamma) or 2 (lognormal)",
                         field, (int)h->prior);
    if (!rm2i_prior_valid(h))
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            h->prior == RM2_PRIOR_GAMMA
                ? "settings.%s: the gamma prior has shape a = %g and rate b = %g, "
                  "expected positive numbers"
                : "settings.%s: the log-normal prior has mean a = %g and width b = %g, "
                  "expected a finite mean (or NaN: the start) and a positive width",
            field, h->a, h->b);
    return RM2_OK;
}

rm2_status rm2_settings_overlay(rm2_context *ctx, const void *given, void *own) {
    RM2_REQUIRE_EACH(ctx, own);
    return rm2i_settings_overlay(ctx, given, own);
}

rm2_status rm2_settings_give(rm2_context *ctx, const void *own, void *given) {
    RM2_REQUIRE_EACH(ctx, own, given);
    return rm2i_settings_give(ctx, own, given);
}
