/* riemann2 settings: the tables of settings as text, JSON, Markdown (docs/settings.md) and for the manual
 * page (docs/riemann2.1). */
#include <string.h>

#include "core/settings.h"
#include "core/work.h"

/* ---- tables ---------------------------------------------------------------------------------- */

/* The option of a setting as in a usage line; empty: it has none. */
static void option_text(const settings_page *r, size_t row, char *text, size_t size) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    const rm2_setting *s = rm2_settings_at(table, row);
    data_options data = data_options_default();
    setting_options from = {.table = table};
    char name[SETTING_WORD];
    text[0] = 0;
    if (table == data.from.table)
        from.except = data.from.except;
    if (!r->commands)
        return;
    if (s->type == RM2_SETTING_HYPERPARAMETER)
        (void)snprintf(text, size, "--set %s=X", setting_name(s, name));
    else if (s->type == RM2_SETTING_SEED)
        (void)snprintf(text, size, "--seed N");
    else if (setting_is_option(&from, row))
        setting_usage(table, s, text, size);
}

static bool begins_group(const rm2_settings_table *table, size_t row) {
    return row == 0 ||
           strcmp(rm2_settings_at(table, row)->group, rm2_settings_at(table, row - 1)->group) != 0;
}

/* "2", or "held 1; paper: learned 0.69 none": the defaults of all columns. */
static void defaults_text(const rm2_settings_table *table, const rm2_setting *s, char *text,
                          size_t size) {
    const char *first = rm2_setting_default(s, 0);
    size_t used = (size_t)snprintf(text, size, "%s", *first ? first : "-");
    bool recipe = s->type == RM2_SETTING_RECIPE; /* each is its own */
    for (size_t k = 1; !recipe && k < table->columns && used < size; k++)
        if (strcmp(first, rm2_setting_default(s, k)) != 0)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s", table->column_names[k],
                                     rm2_setting_default(s, k));
}

static void expected_text(const rm2_setting *s, char *text, size_t size) {
    rm2_setting_expected(s, text, size);
    size_t used = strlen(text);
    if (s->type == RM2_SETTING_HYPERPARAMETER)
        used = (size_t)snprintf(text, size, "a hyperparameter%s%s", s->zero ? ", or " : "",
                                s->zero ? s->zero : "");
    if (s->unit && used < size)
        (void)snprintf(text + used, size - used, " (%s)", s->unit);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_text(const settings_page *r, bool first) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    printf("%s%s: %s (%s%s)\n", first ? "" : "\n", table->name, r->type,
           r->commands ? "riemann2 " : "C and Python", r->commands ? r->commands : "");
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        char usage[160], expected[240], defaults[240];
        option_text(r, k, usage, sizeof usage);
        expected_text(s, expected, sizeof expected);
        defaults_text(table, s, defaults, sizeof defaults);
        if (begins_group(table, k))
            printf("\n%s\n", s->group);
        printf("  %-18s %s\n%21s%s; default %s%s%s\n", s->name, s->help, "", expected, defaults,
               *usage ? "; option " : "", usage);
    }
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static const char page_head[] =
    "# Settings\n\n"
    "This page is made from the tables of settings in the library by `scripts/settings-reference`; "
    "edit the tables.\n\n"
    "*Setting* is the name in `rm2_settings_set` and in JSON, and the member of the struct in C "
    "(settings of the optimiser are members of `optim`). *Option* is the option of the program. A "
    "default with several columns names the recipes that differ from the first, `robust`.\n\n"
    "A hyperparameter is written in parts with blanks between them: its start (a positive number), "
    "`held` or `learned`, and the prior of one that is learned: `none`, `gamma:SHAPE:RATE`, "
    "`lognormal:MEAN:WIDTH` (of the logarithm) or `lognormal:start:WIDTH`. The program has "
    "`--set`, "
    "`--learn`, `--hold` and `--prior` for the parts.\n";

/* Text in a cell, as code where asked for; "|" divides cells. */
static void print_cell(const char *text, bool code) {
    printf(" %s", code && *text ? "`" : "");
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_row(const settings_page *r, size_t row) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    const rm2_setting *s = rm2_settings_at(table, row);
    char usage[160], expected[240], defaults[240];
    option_text(r, row, usage, sizeof usage);
    expected_text(s, expected, sizeof expected);
    defaults_text(table, s, defaults, sizeof defaults);
    printf("| `%s` |", s->name);
    print_cell(usage, true);
    printf("%s |", *usage ? "`" : "");
    print_cell(expected, false);
    printf(" |");
    print_cell(defaults, false);
    printf(" |");
    print_cell(s->help, false);
    printf(" |\n");
}

static void print_markdown(const settings_page *r) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    printf("\n## %s\n\n`%s` in C%s%s%s.\n", r->title, r->type, r->commands ? "; `riemann2 " : "",
           r->commands ? r->commands : "", r->commands ? "`" : "");
    for (size_t k = 0; k < table->count; k++) {
        if (begins_group(table, k))
            printf("\n### %s: %s\n\n| setting | option | value | default | what |\n"
                   "|---|---|---|---|---|\n",
                   r->title, rm2_settings_at(table, k)->group);
        print_row(r, k);
    }
}

/* ---- manual page ----------------------------------------------------------------------------- */

/* Text in roff: no dash becomes a hyphen, no line begins with a control character. */
static void print_roff(const char *text) {
    for (; *text; text++)
        printf(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
}

static void print_man(const settings_page *r) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        char usage[160], defaults[240];
        option_text(r, k, usage, sizeof usage);
        setting_defaults(table, s, defaults, sizeof defaults);
        if (begins_group(table, k))
            printf(".SS %s\n", s->group);
        if (!*usage || s->type == RM2_SETTING_SEED)
            continue;
        printf(".TP\n.B ");
        print_roff(usage);
        printf("\n\\&");
        print_roff(s->help);
        if (s->unit || *defaults) {
            printf(" (%s%s", s->unit ? s->unit : "", s->unit && *defaults ? "; " : "");
            print_roff(defaults);
            printf(")");
        }
        printf(".\n");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *type_name(rm2_setting_type type) {
    switch (type) {
    case RM2_SETTING_FLAG:
        return "flag";
    case RM2_SETTING_COUNT:
        return "count";
    case RM2_SETTING_NUMBER:
        return "number";
    case RM2_SETTING_CHOICE:
        return "choice";
    case RM2_SETTING_RECIPE:
        return "recipe";
    case RM2_SETTING_TEXT:
        return "text";
    case RM2_SETTING_CHARACTER:
        return "character";
    case RM2_SETTING_HYPERPARAMETER:
        return "hyperparameter";
    case RM2_SETTING_SEED:
        break;
    }
    return "seed";
}

static bool has_range(const rm2_setting *s) {
    return s->type == RM2_SETTING_COUNT || s->type == RM2_SETTING_NUMBER ||
           s->type == RM2_SETTING_HYPERPARAMETER;
}

/* An infinite limit is null. */
static void put_range(rm2_json *json, const rm2_setting *s) {
    if (has_range(s))
        rm2_json_put(json, RM2_NUMBER("lower", s->lower), RM2_NUMBER("upper", s->upper),
                     RM2_FLAG("lower_open", s->lower_open), RM2_FLAG("upper_open", s->upper_open));
}

static void put_words(rm2_json *json, const char *const *words) {
    if (!words) {
        rm2_json_put(json, RM2_TEXT("words", NULL));
        return;
    }
    rm2_json_array(json, "words");
    for (; *words; words++)
        rm2_json_put(json, RM2_TEXT(NULL, *words));
    rm2_json_end(json);
}

static void put_setting(rm2_json *json, const settings_page *r, size_t row) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    const rm2_setting *s = rm2_settings_at(table, row);
    char usage[160];
    option_text(r, row, usage, sizeof usage);
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_TEXT("name", s->name), RM2_TEXT("field", s->field),
                 RM2_TEXT("type", type_name(s->type)), RM2_TEXT("group", s->group),
                 RM2_TEXT("option", *usage ? usage : NULL));
    put_words(json, s->words);
    put_range(json, s);
    rm2_json_put(json, RM2_TEXT("zero", s->zero), RM2_TEXT("unit", s->unit));
    rm2_json_array(json, "defaults");
    for (size_t k = 0; k < table->columns; k++)
        rm2_json_put(json, RM2_TEXT(NULL, rm2_setting_default(s, k)));
    rm2_json_end(json);
    rm2_json_put(json, RM2_TEXT("help", s->help));
    rm2_json_end(json);
}

static void put_table(rm2_json *json, const settings_page *r) {
    const rm2_settings_table *table = rm2_settings_table_of(r->kind);
    rm2_json_object(json, table->name);
    rm2_json_put(json, RM2_TEXT("struct", r->type));
    rm2_json_texts(json, "columns", table->column_names ? table->columns : 0, table->column_names);
    rm2_json_array(json, "settings");
    for (size_t k = 0; k < table->count; k++)
        put_setting(json, r, k);
    rm2_json_end(json);
    rm2_json_end(json);
}

static bool is_chosen(const settings_page *r, const char *name) {
    return !name || strcmp(rm2_settings_table_of(r->kind)->name, name) == 0;
}

static void print_json(const char *name) {
    rm2_json json = rm2_json_begin(stdout);
    for (const settings_page *r = settings_pages; r->kind < RM2_SETTINGS_KINDS; r++)
        if (is_chosen(r, name))
            put_table(&json, r);
    rm2_json_end(&json);
}

/* ---- command --------------------------------------------------------------------------------- */

enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_MAN };
static const char *const formats[] = {"text", "markdown", "man", NULL};

typedef struct reference_options {
    int format;
} reference_options;

static const option reference_table[] = {
    {"--format", NULL, OPTION_CHOICE, offsetof(reference_options, format), formats,
     "for reading (default), as docs/settings.md, or for the manual page"},
    {.name = NULL},
};

/* The tables that were asked for; all without a name. */
static void print_tables(const char *name, int format) {
    bool first = true;
    if (format == FORMAT_MARKDOWN)
        printf("%s", page_head);
    for (const settings_page *r = settings_pages; r->kind < RM2_SETTINGS_KINDS; r++) {
        if (!is_chosen(r, name))
            continue;
        if (format == FORMAT_MARKDOWN)
            print_markdown(r);
        else if (format == FORMAT_MAN)
            print_man(r);
        else
            print_text(r, first);
        first = false;
    }
}

static bool is_table(const char *name) {
    for (const settings_page *r = settings_pages; r->kind < RM2_SETTINGS_KINDS; r++)
        if (is_chosen(r, name))
            return true;
    return false;
}

int run_settings(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    reference_options options = {.format = FORMAT_TEXT};
    const option_group groups[] = {{"Options", reference_table, &options, NULL},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *name = NULL;
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    work w = {self, NULL, &common};
    if (name && !is_table(name))
        return work_complain(&w, EXIT_USAGE, "unknown table \"%s\"; usage: riemann2 settings %s",
                             name, self->usage);
    if (common.json)
        print_json(name);
    else
        print_tables(name, options.format);
    return EXIT_DONE;
}
