/* Hyperparameters by name: --set, --learn, --hold and --prior are lists of NAME or NAME=VALUE, and
 * each item changes one rm2_hyperparameter of the settings that the recipe has filled.
 *
 *   prior   none | gamma:A:B           shape A, rate B: a density of the value
 *                | lognormal:M:W       log value ~ N(M, W^2): a density of the logarithm
 *                | lognormal:start:W   the same around the start */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

static const double DEFAULT_WIDTH = 0.5; /* of the log-normal prior that --learn brings */

/* ---- names ----------------------------------------------------------------------------------- */

typedef enum part { ALWAYS, OWN_NOISE, DYNAMICS } part;

/* The one list: name, member of rm2_fit_settings, part of the model that it belongs to. */
#define HYPERPARAMETERS(X)                                                                         \
    X("lengthscale", lengthscale, ALWAYS)                                                          \
    X("variance", variance, ALWAYS)                                                                \
    X("linear", linear, ALWAYS)                                                                    \
    X("noise", noise_variance, ALWAYS)                                                             \
    X("task-noise", task_noise, OWN_NOISE)                                                         \
    X("gpdm-lengthscale", gpdm_lengthscale, DYNAMICS)                                              \
    X("gpdm-variance", gpdm_variance, DYNAMICS)                                                    \
    X("gpdm-noise", gpdm_noise, DYNAMICS)

static const struct {
    const char *name;
    size_t offset;
    part part;
} hypers[] = {
#define HYPER_ROW(name, member, part) {name, offsetof(rm2_fit_settings, member), part},
    HYPERPARAMETERS(HYPER_ROW)
#undef HYPER_ROW
};
enum { HYPERS = sizeof hypers / sizeof hypers[0] };

#define HYPER_NAME(name, member, part) " " name
#define HYPER_NAMES                    HYPERPARAMETERS(HYPER_NAME)

const char hyper_option_title[] = "Hyperparameters (NAME:" HYPER_NAMES ")";

#define FIT(member) offsetof(fit_options, member)

const option hyper_option_table[] = {
    {"--set", "NAME=X,...", OPTION_TEXTS, FIT(set), NULL, "value, or start if it is learned"},
    {"--learn", "NAME,...", OPTION_TEXTS, FIT(learn), NULL,
     "learn what the recipe holds, by default under lognormal:start:0.5"},
    {"--hold", "NAME,...", OPTION_TEXTS, FIT(hold), NULL,
     "hold what the recipe learns, without a prior"},
    {"--prior", "NAME=P,...", OPTION_TEXTS, FIT(prior), NULL,
     "none, gamma:SHAPE:RATE, lognormal:MEAN:WIDTH (of the log; MEAN may be start)"},
    {.name = NULL},
};

/* ---- what an item does ----------------------------------------------------------------------- */

/* Each changes `p` and returns NULL, or says what is wrong. `value` is the text after "=". */

static const char *take_value(const char *value, rm2_hyperparameter *p) {
    char *end;
    double x = strtod(value, &end);
    if (end == value || *end || !(x > 0 && isfinite(x)))
        return "expected a positive number, as in lengthscale=0.3";
    p->start = x;
    return NULL;
}

static const char *take_learn(const char *value, rm2_hyperparameter *p) {
    (void)value;
    if (!p->learned)
        *p = (rm2_hyperparameter){p->start, true, RM2_PRIOR_LOGNORMAL, NAN, DEFAULT_WIDTH};
    return NULL;
}

static const char *take_hold(const char *value, rm2_hyperparameter *p) {
    (void)value;
    *p = (rm2_hyperparameter){.start = p->start, .learned = false};
    return NULL;
}

/* "2:0.5"; with `start` also "start:0.5", which is NaN. */
static bool parse_pair(const char *text, bool start, double *a, double *b) {
    char *end;
    if (start && strncmp(text, "start:", 6) == 0) {
        *a = NAN;
        text += 6;
    } else {
        *a = strtod(text, &end);
        if (end == text || *end != ':' || !isfinite(*a))
            return false;
        text = end + 1;
    }
    *b = strtod(text, &end);
    return end != text && !*end && *b > 0 && isfinite(*b);
}

static const char *take_prior(const char *value, rm2_hyperparameter *p) {
    rm2_hyperparameter with = {.start = p->start, .learned = true};
    if (!p->learned)
        return "it is held, where a prior has no effect; name it in --learn too";
    if (strncmp(value, "gamma:", 6) == 0) {
        with.prior = RM2_PRIOR_GAMMA;
        if (!parse_pair(value + 6, false, &with.a, &with.b) || !(with.a > 0))
            return "expected a positive shape and rate, as in gamma:2:10";
    } else if (strncmp(value, "lognormal:", 10) == 0) {
        with.prior = RM2_PRIOR_LOGNORMAL;
        if (!parse_pair(value + 10, true, &with.a, &with.b))
            return "expected the mean of the logarithm (or start) and a positive width, as in "
                   "lognormal:-5:0.5";
    } else if (strcmp(value, "none") != 0) {
        return "expected none, gamma:SHAPE:RATE or lognormal:MEAN:WIDTH";
    }
    *p = with;
    return NULL;
}

/* In the order in which they are done. */
static const struct {
    const char *option;
    size_t offset;  /* of its list in fit_options */
    bool has_value; /* items are NAME=VALUE */
    const char *(*take)(const char *value, rm2_hyperparameter *p);
} actions[] = {
    {"--set", FIT(set), true, take_value},
    {"--learn", FIT(learn), false, take_learn},
    {"--hold", FIT(hold), false, take_hold},
    {"--prior", FIT(prior), true, take_prior},
};
enum { LEARN = 1, HOLD = 2, ACTIONS = sizeof actions / sizeof actions[0] };

/* ---- lists ----------------------------------------------------------------------------------- */

enum { ITEM_SIZE = 96 };

typedef struct change {
    const work *work;
    rm2_fit_settings *settings;
    bool named[ACTIONS][HYPERS];
} change;

static int complain(const change *c, int action, const char *item, const char *text) {
    return work_complain(c->work, EXIT_USAGE, "%s %s: %s", actions[action].option, item, text);
}

/* Why hyperparameter k has no effect, or is named once too often; NULL: it is welcome. */
static const char *find_objection(const change *c, int action, size_t k) {
    const rm2_fit_settings *s = c->settings;
    if (hypers[k].part == OWN_NOISE && s->noise != RM2_NOISE_PER_OUTPUT)
        return "it needs --noise per-output";
    if (hypers[k].part == DYNAMICS && !(s->gpdm_weight > 0))
        return "it needs dynamics: --gpdm, and --group for the trajectories";
    if (c->named[action][k])
        return "it is named twice";
    if (action == HOLD && c->named[LEARN][k])
        return "--learn names it too";
    return NULL;
}

static int take_item(change *c, int action, const char *item) {
    size_t length = strcspn(item, "="), k = 0;
    const char *value = item[length] ? item + length + 1 : NULL;
    while (k < HYPERS &&
           (strlen(hypers[k].name) != length || strncmp(hypers[k].name, item, length) != 0))
        k++;
    if (k == HYPERS)
        return complain(c, action, item, "no such hyperparameter; there are" HYPER_NAMES);
    if ((value != NULL) != actions[action].has_value)
        return complain(c, action, item,
                        value ? "expected names only" : "expected NAME=VALUE, see --help");
    const char *objection = find_objection(c, action, k);
    if (!objection) {
        char *at = (char *)c->settings + hypers[k].offset;
        objection = actions[action].take(value, (rm2_hyperparameter *)(void *)at);
    }
    c->named[action][k] = true;
    return objection ? complain(c, action, item, objection) : EXIT_DONE;
}

/* "lengthscale=0.3,noise=0.01" */
static int take_list(change *c, int action, const char *text) {
    for (;;) {
        char item[ITEM_SIZE];
        size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return complain(c, action, text, "too long");
        memcpy(item, text, length);
        item[length] = 0;
        int code = take_item(c, action, item);
        if (code != EXIT_DONE || !text[length])
            return code;
        text += length + 1;
    }
}

int fit_hyper_settings(const work *w, const fit_options *o, rm2_fit_settings *s) {
    change c = {.work = w, .settings = s};
    for (int action = 0; action < ACTIONS; action++) {
        const char *at = (const char *)o + actions[action].offset;
        const text_list *list = (const text_list *)(const void *)at;
        for (size_t k = 0; k < list->count; k++) {
            int code = take_list(&c, action, list->items[k]);
            if (code != EXIT_DONE)
                return code;
        }
    }
    return EXIT_DONE;
}
