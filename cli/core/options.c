/* Command lines: "--name value", "--name=value", "-o value", flags, "--" before names that start
 * with a dash. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings.h"

const option common_option_table[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(common_options, json), NULL,
     "print a machine-readable summary"},
    {"--quiet", NULL, OPTION_FLAG, offsetof(common_options, quiet), NULL, "print errors only"},
    {"--verbose", NULL, OPTION_FLAG, offsetof(common_options, verbose), NULL,
     "print more messages"},
    {"--threads", "N", OPTION_SIZE, offsetof(common_options, threads), NULL,
     "number of threads (default: all processors)"},
    {"--seed", "N", OPTION_INTEGER, offsetof(common_options, seed), NULL,
     "seed of the random numbers (default: 0)"},
    {"--force", NULL, OPTION_FLAG, offsetof(common_options, force), NULL,
     "overwrite existing files"},
    {"--help", NULL, OPTION_FLAG, offsetof(common_options, help), NULL, "this text"},
    {.name = NULL},
};

/* ---- values --------------------------------------------------------------------------------- */

static bool parse_whole(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

static bool parse_choice(const char *text, const char *const *choices, int *value) {
    for (int k = 0; choices[k]; k++)
        if (strcmp(text, choices[k]) == 0) {
            *value = k;
            return true;
        }
    return false;
}

/* What a value should have been, for the message. */
static void expectation(const option *o, char *text, size_t size) {
    static const char *const words[] = {[OPTION_TEXT] = "a text",
                                        [OPTION_TEXTS] = "a text, 64 times at most",
                                        [OPTION_SIZE] = "a whole number from 1",
                                        [OPTION_INTEGER] = "a whole number from 0",
                                        [OPTION_NUMBER] = "a positive number"};
    if (o->kind != OPTION_CHOICE) {
        (void)snprintf(text, size, "%s", words[o->kind]);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "one of");
    for (int k = 0; o->choices[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s %s", k ? "," : "", o->choices[k]);
}

static bool append(text_list *list, const char *text) {
    if (list->count == TEXT_LIST_MAX)
        return false;
    list->items[list->count++] = text;
    return true;
}

static bool store(const option *o, void *settings, const char *text) {
    char *at = (char *)settings + o->offset;
    uint64_t whole;
    char *end;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case OPTION_TEXT:
        *(const char **)(void *)at = text;
        return true;
    case OPTION_TEXTS:
        return append((text_list *)(void *)at, text);
    case OPTION_SIZE:
        if (!parse_whole(text, &whole) || whole == 0 || whole > SIZE_MAX / 4)
            return false;
        *(size_t *)(void *)at = (size_t)whole;
        return true;
    case OPTION_INTEGER:
        return parse_whole(text, (uint64_t *)(void *)at);
    case OPTION_NUMBER:
        *(double *)(void *)at = strtod(text, &end);
        return end != text && *end == 0 && *(double *)(void *)at > 0 &&
               isfinite(*(double *)(void *)at);
    case OPTION_CHOICE:
        return parse_choice(text, o->choices, (int *)(void *)at);
    }
    return false;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_flag(const option *o) {
    return o->kind == OPTION_FLAG;
}

/* The option called `name` (length given); "-o" is short for "--output", "-h" for "--help". */
static const option *find(const option_group *groups, const char *name, size_t length,
                          void **settings) {
    if (length == 2 && strncmp(name, "-o", 2) == 0) {
        name = "--output";
        length = strlen(name);
    } else if (length == 2 && strncmp(name, "-h", 2) == 0) {
        name = "--help";
        length = strlen(name);
    }
    for (; !group_is_last(groups); groups++)
        for (const option *o = groups->options; o && o->name; o++)
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
                *settings = groups->settings;
                return o;
            }
    return NULL;
}

/* Letters that two words share at their start. */
static size_t common_start(const char *a, const char *b) {
    size_t k = 0;
    while (a[k] && a[k] == b[k])
        k++;
    return k;
}

void likeness_compare(likeness *like, const char *word) {
    size_t shared = common_start(word, like->name);
    if (shared < like->shared ||
        (shared == like->shared && (!*like->best || strlen(word) >= strlen(like->best))))
        return;
    like->shared = shared;
    (void)snprintf(like->best, sizeof like->best, "%s", word);
}

const char *likeness_text(const likeness *like, char *text) {
    if (like->best[0])
        (void)snprintf(text, LIKENESS_SIZE, " (did you mean %s?)", like->best);
    return text;
}

static void find_nearest(const option_group *groups, likeness *like) {
    for (; !group_is_last(groups); groups++) {
        for (const option *o = groups->options; o && o->name; o++)
            likeness_compare(like, o->name);
        for (size_t k = 0; groups->from && k < groups->from->table->count; k++) {
            char word[SETTING_WORD];
            if (setting_is_option(groups->from, k))
                likeness_compare(like, setting_word(rm2_settings_at(groups->from->table, k), word));
        }
    }
}

static bool unknown(const char *title, const option_group *groups, const char *argument) {
    likeness like = {.name = argument, .shared = 3}; /* two dashes and a letter are no likeness */
    find_nearest(groups, &like);
    (void)fprintf(stderr, "%s: unknown option %s%s; see %s --help\n", title, PLAIN(argument),
                  LIKENESS(&like), title);
    return false;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* The value of an option: after its "=", or the next argument; NULL: there is none. */
static const char *next_value(int argc, char **argv, int *i, const char *after_equals) {
    if (after_equals)
        return after_equals;
    return ++*i < argc ? argv[*i] : NULL;
}

static bool complain_no_value(const char *title, const char *name, size_t length,
                              const char *expected) {
    (void)fprintf(stderr, "%s: %.*s needs a value: %s\n", title, (int)length, name, expected);
    return false;
}

static bool complain_value(const char *title, const char *name, size_t length) {
    (void)fprintf(stderr, "%s: %.*s takes no value\n", title, (int)length, name);
    return false;
}

/* One setting at argv[*i], whose name has `length` characters. */
static bool parse_setting(const char *title, int argc, char **argv, int *i, size_t length,
                          const setting_match *match) {
    const char *name = argv[*i], *value = name[length] ? name + length + 1 : NULL;
    value_need need = setting_needs_value(match);
    if (need == VALUE_NONE && value)
        return complain_value(title, name, length);
    if (need == VALUE_NEEDED && !(value = next_value(argc, argv, i, value))) {
        char expected[240];
        rm2_setting_expected(rm2_settings_at(match->options->table, match->row), expected,
                             sizeof expected);
        return complain_no_value(title, name, length, expected);
    }
    return setting_parse(title, match, value);
}

/* One option at argv[*i], with its value there or in the next argument. */
static bool parse_option(const char *title, int argc, char **argv, int *i,
                         const option_group *groups) {
    const char *name = argv[*i];
    size_t length = strcspn(name, "=");
    void *settings = NULL;
    setting_match match;
    const option *o = find(groups, name, length, &settings);
    if (!o)
        return setting_find(groups, name, length, &match)
                   ? parse_setting(title, argc, argv, i, length, &match)
                   : unknown(title, groups, name);
    const char *value = name[length] ? name + length + 1 : NULL;
    char expected[200];
    expectation(o, expected, is_flag(o) ? 1 : sizeof expected);
    if (is_flag(o) && value)
        return complain_value(title, o->name, strlen(o->name));
    if (!is_flag(o) && !(value = next_value(argc, argv, i, value)))
        return complain_no_value(title, o->name, strlen(o->name), expected);
    if (store(o, settings, value))
        return true;
    (void)fprintf(stderr, "%s: %s %s: expected %s\n", title, o->name, PLAIN(value), expected);
    return false;
}

bool options_parse(const char *title, int argc, char **argv, const option_group *groups,
                   const char **positional, size_t max_positional, size_t *count) {
    bool only_names = false;
    *count = 0;
    for (int i = 0; i < argc; i++) {
        if (!only_names && strcmp(argv[i], "--") == 0) {
            only_names = true;
        } else if (!only_names && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(title, argc, argv, &i, groups))
                return false;
        } else if (*count < max_positional) {
            positional[(*count)++] = argv[i];
        } else {
            (void)fprintf(stderr, "%s: one argument too many: %s\n", title, PLAIN(argv[i]));
            return false;
        }
    }
    return true;
}

/* ---- help ----------------------------------------------------------------------------------- */

static void print_option(FILE *out, const option *o) {
    char left[80];
    size_t used = (size_t)snprintf(left, sizeof left, "  %s", o->name);
    if (o->kind == OPTION_CHOICE)
        for (int k = 0; o->choices[k] && used < sizeof left; k++)
            used += (size_t)snprintf(left + used, sizeof left - used, "%s%s", k ? "|" : " ",
                                     o->choices[k]);
    else if (o->value)
        (void)snprintf(left + used, sizeof left - used, " %s", o->value);
    if (strlen(left) > 26)
        (void)fprintf(out, "%s\n%28s%s\n", left, "", o->help);
    else
        (void)fprintf(out, "%-28s%s\n", left, o->help);
}

void options_visit(const option_group *groups, option_visit *visit, const void *user) {
    for (; !group_is_last(groups); groups++) {
        for (const option *o = groups->options; o && o->name; o++) {
            const option_form form = {o->name, is_flag(o) ? VALUE_NONE : VALUE_NEEDED, o->value,
                                      o->kind == OPTION_CHOICE ? o->choices : NULL, o->help};
            visit(user, &form);
        }
        if (groups->from)
            settings_visit(groups, visit, user);
    }
}

void options_print(FILE *out, const option_group *groups) {
    for (; !group_is_last(groups); groups++) {
        if (groups->options)
            (void)fprintf(out, "\n%s:\n", groups->title);
        for (const option *o = groups->options; o && o->name; o++)
            print_option(out, o);
        if (groups->from)
            settings_print(out, groups);
    }
}
