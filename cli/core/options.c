/* Command lines: "--name value", "--name=value", "-o value", flags, "--" before names that start
 * with a dash. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cli.h"

const option common_option_table[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(common_options, json), NULL,
     "machine-readable summary on standard output"},
    {"--quiet", NULL, OPTION_FLAG, offsetof(common_options, quiet), NULL, "no messages but errors"},
    {"--verbose", NULL, OPTION_FLAG, offsetof(common_options, verbose), NULL, "more messages"},
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

static bool parse_letter(const char *text, char *value) {
    *value = strcmp(text, "tab") == 0 ? '\t' : text[0];
    return *value == '\t' || (text[0] && !text[1]);
}

/* What a value should have been, for the message. */
static void expectation(const option *o, char *text, size_t size) {
    static const char *const words[] = {[OPTION_TEXT] = "a text",
                                        [OPTION_TEXTS] = "a text, 64 times at most",
                                        [OPTION_SIZE] = "a whole number from 1",
                                        [OPTION_INTEGER] = "a whole number from 0",
                                        [OPTION_NUMBER] = "a positive number",
                                        [OPTION_LETTER] = "one character, or tab"};
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
    case OPTION_FLAG_OFF:
        *(bool *)at = o->kind == OPTION_FLAG;
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
    case OPTION_LETTER:
        return parse_letter(text, at);
    }
    return false;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_flag(const option *o) {
    return o->kind == OPTION_FLAG || o->kind == OPTION_FLAG_OFF;
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
    for (; groups->options; groups++)
        for (const option *o = groups->options; o->name; o++)
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

static const char *nearest(const option_group *groups, const char *name) {
    const char *best = NULL;
    size_t most = 3; /* two dashes and a letter are no likeness */
    for (; groups->options; groups++)
        for (const option *o = groups->options; o->name; o++) {
            size_t shared = common_start(o->name, name);
            if (shared > most || (best && shared == most && strlen(o->name) < strlen(best))) {
                most = shared;
                best = o->name;
            }
        }
    return best;
}

static bool unknown(const char *title, const option_group *groups, const char *argument) {
    const char *like = nearest(groups, argument);
    (void)fprintf(stderr, "%s: unknown option %s%s%s%s; see %s --help\n", title, argument,
                  like ? " (did you mean " : "", like ? like : "", like ? "?)" : "", title);
    return false;
}

/* One option at argv[*i], with its value there or in the next argument. */
static bool take_option(const char *title, int argc, char **argv, int *i,
                        const option_group *groups) {
    char *argument = argv[*i], *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    void *settings = NULL;
    const option *o = find(groups, argument, length, &settings);
    if (!o)
        return unknown(title, groups, argument);
    const char *value = equals ? equals + 1 : NULL;
    if (is_flag(o) && value) {
        (void)fprintf(stderr, "%s: %s takes no value\n", title, o->name);
        return false;
    }
    char expected[200];
    expectation(o, expected, is_flag(o) ? 1 : sizeof expected);
    if (!is_flag(o) && !value && ++*i < argc)
        value = argv[*i];
    if (!is_flag(o) && !value) {
        (void)fprintf(stderr, "%s: %s needs a value: %s\n", title, o->name, expected);
        return false;
    }
    if (store(o, settings, value))
        return true;
    (void)fprintf(stderr, "%s: %s %s: expected %s\n", title, o->name, value, expected);
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
            if (!take_option(title, argc, argv, &i, groups))
                return false;
        } else if (*count < max_positional) {
            positional[(*count)++] = argv[i];
        } else {
            (void)fprintf(stderr, "%s: one argument too many: %s\n", title, argv[i]);
            return false;
        }
    }
    return true;
}

const char *options_given(int argc, char **argv, const option *table) {
    const option_group group[] = {{.options = table}, {.options = NULL}};
    void *settings;
    for (int i = 0; i < argc; i++) {
        const option *o = find(group, argv[i], strcspn(argv[i], "="), &settings);
        if (o)
            return o->name;
    }
    return NULL;
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

void options_print(FILE *out, const option_group *groups) {
    for (; groups->options; groups++) {
        (void)fprintf(out, "\n%s:\n", groups->title);
        for (const option *o = groups->options; o->name; o++)
            print_option(out, o);
    }
}
