/* Options, help and messages from tables of settings. */
#include "core/settings.h"

#include <stdlib.h>
#include <string.h>

const settings_page settings_pages[] = {
    {RM2_SETTINGS_FIT, "Training", "rm2_fit_settings", "fit, cv"},
    {RM2_SETTINGS_DATA, "Data", "rm2_data_settings", "check, fit, cv, encode, eval, experiment"},
    {RM2_SETTINGS_ENCODE, "Encoding", "rm2_encode_settings", "encode, eval"},
    {RM2_SETTINGS_SPACE, "Latent space", "rm2_space_settings",
     "metric, geodesic, distance, mean, plot, explore, experiment"},
    {RM2_SETTINGS_REPORT, "Reports on paths", "rm2_report_settings", "geodesic, sample, encode"},
    {RM2_SETTINGS_GENERATE, "Example data", "rm2_generate_settings", "generate"},
    {RM2_SETTINGS_DTW, "Time warping", "rm2_dtw_settings", "eval"},
    {RM2_SETTINGS_TRACK, "Tracking", "rm2_track_settings", "robot track"},
    {RM2_SETTINGS_PLACEMENT, "Placement", "rm2_placement", "robot track"},
    {RM2_SETTINGS_MEET, "Motions that meet poses", "rm2_meet_settings", "geodesic"},
    {RM2_SETTINGS_CROSS, "Cross-validation", "rm2_cross_settings", "cv"},
    {RM2_SETTINGS_TEST, "Tests between labels", "rm2_test_settings", "mean"},
    {RM2_SETTINGS_CLASSIFY, "Prediction of labels", "rm2_classify_settings", "classify"},
    {RM2_SETTINGS_COVARIANCE, "Covariance", "rm2_covariance_settings", "covariance"},
    {RM2_SETTINGS_PLANNER, "Planner", "rm2_planner_settings", NULL},
    {RM2_SETTINGS_MEAN, "Mean", "rm2_mean_settings", NULL},
    {RM2_SETTINGS_FIGURE, "Figure", "rm2_figure_settings", NULL},
    {.kind = RM2_SETTINGS_KINDS},
};

/* ---- words ----------------------------------------------------------------------------------- */

/* A flag of two words is a choice between them. */
static bool is_switch(const rm2_setting *s) {
    return s->type == RM2_SETTING_FLAG && !s->words;
}

static bool has_negation(const rm2_setting *s) {
    return is_switch(s) || s->on || (s->zero && strcmp(s->zero, "none") == 0);
}

/* The same in every recipe? */
static bool has_one_default(const rm2_settings_table *table, const rm2_setting *s) {
    for (size_t k = 1; k < table->columns; k++)
        if (strcmp(rm2_setting_default(s, 0), rm2_setting_default(s, k)) != 0)
            return false;
    return true;
}

const char *setting_name(const rm2_setting *s, char word[SETTING_WORD]) {
    (void)snprintf(word, SETTING_WORD, "%s", s->option ? s->option : s->name);
    for (char *at = word; *at; at++)
        *at = *at == '_' ? '-' : *at;
    return word;
}

const char *setting_word(const rm2_setting *s, char word[SETTING_WORD]) {
    char bare[SETTING_WORD];
    bool on = is_switch(s) && strcmp(rm2_setting_default(s, 0), "yes") == 0;
    const char *dashes = s->type == RM2_SETTING_HYPERPARAMETER ? "--set " : on ? "--no-" : "--";
    (void)snprintf(word, SETTING_WORD, "%s%.*s", dashes, SETTING_WORD - 8, setting_name(s, bare));
    return word;
}

static const char *value_form(const rm2_setting *s) {
    if (s->form)
        return s->form;
    return s->type == RM2_SETTING_NUMBER ? "X" : s->type == RM2_SETTING_TEXT ? "TEXT" : "N";
}

/* "X", "X|none", "se|matern32": what follows the option. */
static void value_text(const rm2_setting *s, char *text, size_t size) {
    size_t used = 0;
    if (!s->words) {
        (void)snprintf(text, size, "%s%s%s", value_form(s), s->zero ? "|" : "",
                       s->zero ? s->zero : "");
        return;
    }
    text[0] = 0;
    for (int k = 0; s->words[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "|" : "", s->words[k]);
}

void setting_usage(const rm2_settings_table *table, const rm2_setting *s, char *text, size_t size) {
    char name[SETTING_WORD], value[100];
    bool off =
        is_switch(s) && has_one_default(table, s) && strcmp(rm2_setting_default(s, 0), "no") == 0;
    (void)setting_name(s, name);
    value_text(s, value, sizeof value);
    if (is_switch(s))
        (void)snprintf(text, size, "--%s%s", off ? "" : "[no-]", name);
    else if (s->on)
        (void)snprintf(text, size, "--[no-]%s[=%s]", name, value);
    else
        (void)snprintf(text, size, "--%s %s", name, value);
}

void setting_defaults(const rm2_settings_table *table, const rm2_setting *s, char *text,
                      size_t size) {
    const char *first = rm2_setting_default(s, 0);
    bool one = has_one_default(table, s) || s->type == RM2_SETTING_RECIPE;
    bool empty = !*first || (is_switch(s) && strcmp(first, "no") == 0);
    size_t used = 0;
    text[0] = 0;
    if (!one || !empty)
        used = (size_t)snprintf(text, size, "default: %s", first);
    for (size_t k = 1; !one && k < table->columns && used < size; k++)
        if (strcmp(first, rm2_setting_default(s, k)) != 0)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s", table->column_names[k],
                                     rm2_setting_default(s, k));
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

const rm2_setting *setting_of_field(const char *text, size_t *length) {
    const rm2_setting *best = NULL;
    *length = 0;
    for (const settings_page *p = settings_pages; p->kind < RM2_SETTINGS_KINDS; p++)
        for (size_t k = 0; k < rm2_settings_table_of(p->kind)->count; k++) {
            const rm2_setting *s = rm2_settings_at(rm2_settings_table_of(p->kind), k);
            size_t own = strlen(s->field);
            if (own > *length && strncmp(text, s->field, own) == 0 && !is_name(text[own])) {
                best = s;
                *length = own;
            }
        }
    return best;
}

/* ---- what was given -------------------------------------------------------------------------- */

static size_t find_row(const rm2_settings_table *table, const char *name) {
    for (size_t k = 0; k < table->count && k < SETTING_ROWS; k++)
        if (strcmp(rm2_settings_at(table, k)->name, name) == 0)
            return k;
    return SETTING_ROWS;
}

const char *setting_given(const setting_options *options, const char *name) {
    size_t row = find_row(options->table, name);
    return row < SETTING_ROWS ? options->given[row] : NULL;
}

const char *setting_first_given(const setting_options *options, char word[SETTING_WORD]) {
    for (size_t k = 0; k < options->table->count && k < SETTING_ROWS; k++)
        if (options->given[k])
            return setting_word(rm2_settings_at(options->table, k), word);
    return NULL;
}

size_t settings_texts(const setting_options *o, rm2_setting_text *texts) {
    size_t count = 0;
    for (size_t k = 0; k < o->table->count && k < SETTING_ROWS; k++)
        if (o->given[k])
            texts[count++] = (rm2_setting_text){rm2_settings_at(o->table, k)->name, o->given[k]};
    return count;
}

rm2_status settings_apply(rm2_context *ctx, const setting_options *options, void *settings) {
    for (size_t k = 0; k < options->table->count && k < SETTING_ROWS; k++) {
        const rm2_setting *s = rm2_settings_at(options->table, k);
        rm2_status status = options->given[k] ? rm2_settings_set(ctx, options->table, settings,
                                                                 s->name, options->given[k])
                                              : RM2_OK;
        if (status != RM2_OK)
            return status;
    }
    return RM2_OK;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static bool in_list(const char *const *list, const char *name) {
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

bool setting_is_option(const setting_options *options, size_t row) {
    const rm2_setting *s = rm2_settings_at(options->table, row);
    return s && row < SETTING_ROWS && s->type != RM2_SETTING_HYPERPARAMETER &&
           s->type != RM2_SETTING_SEED && (!options->only || in_list(options->only, s->name)) &&
           !in_list(options->except, s->name);
}

static bool same_word(const char *word, const char *name, size_t length) {
    return strlen(word) == length && strncmp(word, name, length) == 0;
}

bool setting_find(const option_group *groups, const char *name, size_t length,
                  setting_match *match) {
    static const char no[] = "no-";
    if (length < 3 || strncmp(name, "--", 2) != 0)
        return false;
    name += 2;
    length -= 2;
    for (; !group_is_last(groups); groups++)
        for (size_t k = 0; groups->from && k < groups->from->table->count; k++) {
            const rm2_setting *s = rm2_settings_at(groups->from->table, k);
            char word[SETTING_WORD];
            (void)setting_name(s, word);
            bool off = has_negation(s) && length > 3 && strncmp(name, no, 3) == 0 &&
                       same_word(word, name + 3, length - 3);
            if (setting_is_option(groups->from, k) && (off || same_word(word, name, length))) {
                *match = (setting_match){groups->from, groups->settings, k, off};
                return true;
            }
        }
    return false;
}

value_need setting_needs_value(const setting_match *match) {
    const rm2_setting *s = rm2_settings_at(match->options->table, match->row);
    if (match->negated || (is_switch(s) && !match->options->lists))
        return VALUE_NONE;
    if (is_switch(s))
        return VALUE_OPTIONAL;
    return s->on ? VALUE_OPTIONAL : VALUE_NEEDED;
}

/* The value of an option without one. */
static const char *implied_value(const rm2_setting *s, bool negated) {
    if (is_switch(s))
        return negated ? "no" : "yes";
    if (negated)
        return s->zero ? s->zero : "0";
    return s->on;
}

/* Set the member; of a list each value in turn. */
static rm2_status set_values(const setting_match *match, const rm2_setting *s, const char *text) {
    char value[SETTING_WORD];
    rm2_status status = RM2_OK;
    if (!match->options->lists || s->type == RM2_SETTING_TEXT)
        return rm2_settings_set(NULL, match->options->table, match->settings, s->name, text);
    for (const char *at = text; at && status == RM2_OK;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int length = (int)strcspn(at, ",");
        (void)snprintf(value, sizeof value, "%.*s", length, at);
        if (length >= SETTING_WORD)
            status = RM2_ERR_ARGUMENT;
        else
            status = rm2_settings_set(NULL, match->options->table, match->settings, s->name, value);
    }
    return status;
}

bool setting_parse(const char *title, const setting_match *match, const char *value) {
    setting_options *o = match->options;
    const rm2_setting *s = rm2_settings_at(o->table, match->row);
    char word[SETTING_WORD], expected[240];
    const char *text = value ? value : implied_value(s, match->negated);
    (void)setting_name(s, word);
    if (o->given[match->row] && o->negated[match->row] != match->negated) {
        (void)fprintf(stderr, "%s: --%s and --no-%s exclude each other\n", title, word, word);
        return false;
    }
    if (set_values(match, s, text) != RM2_OK) {
        rm2_setting_expected(s, expected, sizeof expected);
        (void)fprintf(stderr, "%s: --%s %s: expected %s%s\n", title, word, PLAIN(text), expected,
                      o->lists ? ", or several separated by commas" : "");
        return false;
    }
    o->given[match->row] = text;
    o->negated[match->row] = match->negated;
    return true;
}

/* ---- help ------------------------------------------------------------------------------------ */

enum { LEFT = 28, RIGHT = 100 };

/* Words from column LEFT on, the lines not longer than RIGHT. */
static void print_wrapped(FILE *out, const char *text) {
    size_t column = LEFT;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > LEFT && column + 1 + length > RIGHT) {
            (void)fprintf(out, "\n%*s", LEFT, "");
            column = LEFT;
        }
        (void)fprintf(out, "%s%.*s", column > LEFT ? " " : "", (int)length, text);
        column += length + (column > LEFT);
        text += length + strspn(text + length, " ");
    }
    (void)fputc('\n', out);
}

static void print_setting(FILE *out, const rm2_settings_table *table, const rm2_setting *s) {
    char left[120], defaults[200], right[400];
    setting_usage(table, s, left, sizeof left);
    setting_defaults(table, s, defaults, sizeof defaults);
    (void)snprintf(right, sizeof right, "%s%s%s%s%s%s", s->help, s->unit || *defaults ? " (" : "",
                   s->unit ? s->unit : "", s->unit && *defaults ? "; " : "", defaults,
                   s->unit || *defaults ? ")" : "");
    if (strlen(left) + 2 > LEFT - 2)
        (void)fprintf(out, "  %s\n%*s", left, LEFT, "");
    else
        (void)fprintf(out, "  %-*s", LEFT - 2, left);
    print_wrapped(out, right);
}

/* Rows of a group stand together in the table. */
void settings_print(FILE *out, const option_group *group) {
    const rm2_settings_table *table = group->from->table;
    const char *last = NULL;
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        if (!setting_is_option(group->from, k))
            continue;
        if (!last || strcmp(last, s->group) != 0)
            (void)fprintf(out, "\n%s%s%c%s:\n", group->title ? group->title : "",
                          group->title ? ", " : "", group->title ? s->group[0] | 0x20 : s->group[0],
                          s->group + 1);
        last = s->group;
        print_setting(out, table, s);
    }
}

void settings_visit(const option_group *group, option_visit *visit, const void *user) {
    for (size_t k = 0; k < group->from->table->count; k++) {
        const rm2_setting *s = rm2_settings_at(group->from->table, k);
        char bare[SETTING_WORD], word[SETTING_WORD + 8];
        if (!setting_is_option(group->from, k))
            continue;
        for (int negated = 0; negated <= (int)has_negation(s); negated++) {
            setting_match match = {group->from, NULL, k, negated};
            value_need need = setting_needs_value(&match);
            (void)snprintf(word, sizeof word, "--%s%s", negated ? "no-" : "",
                           setting_name(s, bare));
            const option_form form = {word, need, need && !s->words ? value_form(s) : NULL,
                                      need ? s->words : NULL, s->help};
            visit(user, &form);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_value(rm2_json *json, const rm2_settings_table *table, const rm2_setting *s,
                       const void *settings) {
    char text[MESSAGE_SIZE];
    double number = 0;
    (void)rm2_settings_get(NULL, table, settings, s->name, text, sizeof text);
    (void)rm2_settings_get_number(NULL, table, settings, s->name, &number);
    if (s->type == RM2_SETTING_FLAG)
        rm2_json_put(json, RM2_FLAG(s->name, number != 0));
    else if (s->type == RM2_SETTING_TEXT ? !*text : s->zero && strcmp(text, s->zero) == 0)
        rm2_json_put(json, RM2_TEXT(s->name, NULL));
    else if (s->type == RM2_SETTING_NUMBER)
        rm2_json_put(json, RM2_NUMBER(s->name, number));
    else if (s->type == RM2_SETTING_COUNT || s->type == RM2_SETTING_SEED)
        rm2_json_put(json, RM2_WHOLE(s->name, strtoull(text, NULL, 10)));
    else
        rm2_json_put(json, RM2_TEXT(s->name, text));
}

void settings_json(rm2_json *json, const rm2_settings_table *table, const void *settings) {
    for (size_t k = 0; k < table->count; k++)
        json_value(json, table, rm2_settings_at(table, k), settings);
}

/* ---- data ------------------------------------------------------------------------------------ */

data_options data_options_default(void) {
    static const char *const except[] = {"allow_missing",
                                         NULL}; /* encode allows it, others do not */
    return (data_options){
        .settings = rm2_data_settings_default(),
        .from = {.table = rm2_settings_table_of(RM2_SETTINGS_DATA), .except = except}};
}
