/* Options, help and messages from the library's tables of settings: a row is an option --NAME VALUE, or
 * --NAME and --no-NAME for a flag; --no-NAME also stands for the word "none". Hyperparameters have options of
 * their own (fit --set, --learn, --hold, --prior), seeds the common --seed. */
#ifndef RM2_CLI_SETTINGS_H
#define RM2_CLI_SETTINGS_H

#include "core/cli.h"

enum { SETTING_ROWS = 64, SETTING_WORD = 48 };

struct setting_options {
    const rm2_settings_table *table;
    const char *const *only;   /* the settings that are options here, ends with NULL; NULL: all */
    const char *const *except; /* settings that are none, ends with NULL; or NULL */
    bool lists; /* values may be several with commas between them: "1,2,3", of a flag "yes,no" */
    const char *given[SETTING_ROWS]; /* the value of each row as text; NULL: not given */
    bool negated[SETTING_ROWS];      /* given as --no-NAME */
};

/* ---- tables ---------------------------------------------------------------------------------- */

/* A table of settings: its title in the reference, the struct, the commands that have options of it (NULL: none). */
typedef struct settings_page {
    rm2_settings_kind kind;
    const char *title, *type, *commands;
} settings_page;

extern const settings_page settings_pages[]; /* all; ends with RM2_SETTINGS_KINDS */

/* "latent": the option without dashes; the name of a hyperparameter in --set and in output. */
const char *setting_name(const rm2_setting *setting, char word[SETTING_WORD]);
/* "--latent", or "--no-align-signs" for a flag that is on unless an option says otherwise. */
const char *setting_word(const rm2_setting *setting, char word[SETTING_WORD]);
/* "--kernel se|matern32|matern52", "--[no-]gpdm[=X]", "--anchor X|none": as in a usage line. */
void setting_usage(const rm2_settings_table *table, const rm2_setting *setting, char *text,
                   size_t size);
/* "default: lbfgs; paper: adam"; empty where a flag is off or a text is empty. */
void setting_defaults(const rm2_settings_table *table, const rm2_setting *setting, char *text,
                      size_t size);

/* The setting whose field a text begins with, the longest one, and the field's length; NULL: none. */
const rm2_setting *setting_of_field(const char *text, size_t *length);

/* Members by name: a flag is true or false, a word for 0 and an empty text are null. */
void settings_json(rm2_json *json, const rm2_settings_table *table, const void *settings);

/* ---- one command ----------------------------------------------------------------------------- */

/* The value that was given for a setting, as text; NULL: none. */
const char *setting_given(const setting_options *options, const char *name);
/* The first option that was given; NULL: none. */
const char *setting_first_given(const setting_options *options, char word[SETTING_WORD]);
/* List the settings that were given, by name: fill `texts` (SETTING_ROWS), which point to the options; return their number. */
size_t settings_texts(const setting_options *options, rm2_setting_text *texts);
/* Set what was given, recipes first. */
rm2_status settings_apply(rm2_context *ctx, const setting_options *options, void *settings);

/* ---- for options.c --------------------------------------------------------------------------- */

typedef struct setting_match {
    setting_options *options;
    void *settings;
    size_t row;
    bool negated;
} setting_match;

/* Is this the row of an option of the command? */
bool setting_is_option(const setting_options *options, size_t row);
/* The setting that an option (with its dashes, `length` characters) stands for. */
bool setting_find(const option_group *groups, const char *name, size_t length,
                  setting_match *match);
value_need setting_needs_value(const setting_match *match);
/* Set the member and remember the text (NULL: an option without value); false after a message. */
bool setting_parse(const char *title, const setting_match *match, const char *value);
void settings_print(FILE *out, const option_group *group);
/* Options of a group's table, --no-NAME as well. */
void settings_visit(const option_group *group, option_visit *visit, const void *user);

/* ---- data ------------------------------------------------------------------------------------ */

/* How a file becomes data; in every command that reads data. */
typedef struct data_options {
    rm2_data_settings settings;
    setting_options from;
} data_options;

data_options data_options_default(void);

#endif
