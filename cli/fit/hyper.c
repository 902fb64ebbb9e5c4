/* Hyperparameters by name: --set, --learn, --hold and --prior are lists of NAME or NAME=VALUE, and each item
 * becomes a text of a setting. Names are the words of the library's table, in either spelling: task-noise, task_noise. */
#include <string.h>

#include "fit/fit.h"

#define FIT(member) offsetof(fit_options, member)

const option hyper_option_table[] = {
    {"--set", "NAME=X,...", OPTION_TEXTS, FIT(set), NULL, "value, or start if it is learned"},
    {"--learn", "NAME,...", OPTION_TEXTS, FIT(learn), NULL,
     "learn these although the recipe holds them (default prior: lognormal:start:0.5)"},
    {"--hold", "NAME,...", OPTION_TEXTS, FIT(hold), NULL,
     "hold these although the recipe learns them, without a prior"},
    {"--prior", "NAME=P,...", OPTION_TEXTS, FIT(prior), NULL,
     "none, gamma:SHAPE:RATE, lognormal:MEAN:WIDTH (of the log; MEAN may be start)"},
    {.name = NULL},
};

/* ---- names ----------------------------------------------------------------------------------- */

void hyper_list_names(char *text, size_t size) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    for (size_t k = 0, used = 0; k < table->count && used < size; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        char name[SETTING_WORD];
        if (s->type == RM2_SETTING_HYPERPARAMETER)
            used += (size_t)snprintf(text + used, size - used, " %s", setting_name(s, name));
    }
}

/* The row of a name of `length` characters; SETTING_ROWS: there is none. */
static size_t find_hyper(const char *text, size_t length) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        char name[SETTING_WORD];
        if (s->type != RM2_SETTING_HYPERPARAMETER)
            continue;
        (void)setting_name(s, name);
        if ((strlen(name) == length && strncmp(name, text, length) == 0) ||
            (strlen(s->name) == length && strncmp(s->name, text, length) == 0))
            return k;
    }
    return SETTING_ROWS;
}

/* ---- what an item does ----------------------------------------------------------------------- */

typedef enum hyper_action { SET, LEARN, HOLD, PRIOR, ACTIONS } hyper_action;

/* In the order in which they are done. */
static const struct {
    const char *option;
    size_t offset;    /* of its list in fit_options */
    bool has_value;   /* items are NAME=VALUE */
    const char *word; /* the text of a setting, where they are not */
} actions[ACTIONS] = {
    [SET] = {"--set", FIT(set), true, NULL},
    [LEARN] = {"--learn", FIT(learn), false, "learned"},
    [HOLD] = {"--hold", FIT(hold), false, "held"},
    [PRIOR] = {"--prior", FIT(prior), true, NULL},
};

typedef struct change {
    const work *work;
    fit_texts *texts;
    bool named[ACTIONS][SETTING_ROWS];
} change;

static int complain(const change *c, hyper_action action, const char *item, const char *text) {
    return work_complain(c->work, EXIT_USAGE, "%s %s: %s", actions[action].option, item, text);
}

/* Why an item cannot be; NULL: nothing is wrong. */
static const char *find_objection(const change *c, hyper_action action, size_t row) {
    if (c->named[action][row])
        return "it is listed twice";
    if (action == HOLD && c->named[LEARN][row])
        return "--learn names it too";
    return NULL;
}

/* Is the value one of its kind? Whether it has an effect is for the library to say. */
static bool is_value(const change *c, hyper_action action, const char *value) {
    rm2_hyperparameter any = {.start = 1, .learned = true};
    rm2_context *ctx = c->work->ctx;
    return !value || (action == SET ? rm2_hyperparameter_set_start(ctx, value, &any)
                                    : rm2_hyperparameter_set_prior(ctx, value, &any)) == RM2_OK;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int unknown_name(const change *c, hyper_action action, const char *item) {
    char text[240], names[200] = "";
    hyper_list_names(names, sizeof names);
    (void)snprintf(text, sizeof text, "unknown hyperparameter; known:%s", names);
    return complain(c, action, item, text);
}

static int parse_item(change *c, hyper_action action, const char *item) {
    size_t length = strcspn(item, "="), row = find_hyper(item, length);
    const char *value = item[length] ? item + length + 1 : NULL;
    if (row == SETTING_ROWS)
        return unknown_name(c, action, item);
    if ((value != NULL) != actions[action].has_value)
        return complain(c, action, item,
                        value ? "expected names only" : "expected NAME=VALUE, see --help");
    const char *objection = find_objection(c, action, row);
    if (objection)
        return complain(c, action, item, objection);
    if (!is_value(c, action, value))
        return complain(c, action, item, rm2_context_error(c->work->ctx));
    c->named[action][row] = true;
    fit_texts *t = c->texts;
    if (t->copies == FIT_HYPERS)
        return complain(c, action, item, "too many hyperparameters");
    char *copy = t->value[t->copies++];
    (void)snprintf(copy, FIT_VALUE, "%s", value ? value : actions[action].word);
    t->list[t->count++] = (rm2_setting_text){
        rm2_settings_at(rm2_settings_table_of(RM2_SETTINGS_FIT), row)->name, copy};
    return EXIT_DONE;
}

/* "lengthscale=0.3,noise=0.01" */
static int parse_list(change *c, hyper_action action, const char *text) {
    for (;;) {
        char item[FIT_VALUE];
        size_t length = strcspn(text, ",");
        if (length >= sizeof item)
            return complain(c, action, text, "too long");
        memcpy(item, text, length);
        item[length] = 0;
        int code = parse_item(c, action, item);
        if (code != EXIT_DONE || !text[length])
            return code;
        text += length + 1;
    }
}

int fit_hyper_texts(const work *w, const fit_options *o, fit_texts *texts) {
    change c = {.work = w, .texts = texts};
    for (int action = 0; action < ACTIONS; action++) {
        const char *at = (const char *)o + actions[action].offset;
        const text_list *list = (const text_list *)(const void *)at;
        for (size_t k = 0; k < list->count; k++) {
            int code = parse_list(&c, (hyper_action)action, list->items[k]);
            if (code != EXIT_DONE)
                return code;
        }
    }
    return EXIT_DONE;
}
