/* The program: commands are a table, their options are tables, and help comes from both. Only the
 * installed headers of the library are used here. */
#ifndef RM2_CLI_H
#define RM2_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "front/arrays.h"
#include "front/base.h"
#include "front/data.h"
#include "front/json.h"
#include "front/texts.h"
#include "riemann2.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_BAD_DATA = 3, EXIT_NOT_CONVERGED = 4 };

/* ---- options -------------------------------------------------------------------------------- */

typedef enum option_kind {
    OPTION_FLAG,    /* bool: set to true */
    OPTION_TEXT,    /* const char * */
    OPTION_TEXTS,   /* text_list: one more */
    OPTION_SIZE,    /* size_t, at least 1 */
    OPTION_INTEGER, /* uint64_t */
    OPTION_NUMBER,  /* double, positive */
    OPTION_CHOICE   /* int: index in `choices` */
} option_kind;

/* Values of an option that may be given several times. */
enum { TEXT_LIST_MAX = 64 };
typedef struct text_list {
    const char *items[TEXT_LIST_MAX];
    size_t count;
} text_list;

typedef struct option {
    const char *name;  /* "--thin" */
    const char *value; /* name of its value in the help; NULL for flags */
    option_kind kind;
    size_t offset;              /* where it goes in the settings */
    const char *const *choices; /* NULL-ended, for OPTION_CHOICE */
    const char *help;
} option;

/* Options every command has. */
typedef struct common_options {
    bool help, quiet, verbose, json, force;
    size_t threads; /* 0: all processors */
    uint64_t seed;
} common_options;

/* Options made from a table of the library's settings (core/settings.h). */
typedef struct setting_options setting_options;

/* A group of options and the struct they fill; the list ends with a group that has neither kind of options. */
typedef struct option_group {
    const char *title;
    const option *options; /* ends with a NULL name; NULL: */
    void *settings;
    setting_options
        *from; /* the struct's table; the title, if any, goes before those of its groups */
} option_group;

static inline bool group_is_last(const option_group *group) {
    return !group->options && !group->from;
}

/* Read argv (after the command's name); `title` is that of the command. Positional arguments are kept in place: *count of them.
 * Returns false after saying what is wrong. */
bool options_parse(const char *title, int argc, char **argv, const option_group *groups,
                   const char **positional, size_t max_positional, size_t *count);
void options_print(FILE *out, const option_group *groups);

/* An option as a shell completes it. */
typedef enum value_need { VALUE_NONE, VALUE_OPTIONAL, VALUE_NEEDED } value_need;
typedef struct option_form {
    const char *name; /* "--kernel" */
    value_need need;
    const char *value;        /* name of its value; NULL: it has no value, or words */
    const char *const *words; /* its values, NULL-ended; NULL: any text */
    const char *help;
} option_form;
typedef void option_visit(const void *user, const option_form *form);
/* All options of the groups, in the order of the help. */
void options_visit(const option_group *groups, option_visit *visit, const void *user);

extern const option common_option_table[];

/* The word most like a name so far: it shares most letters at the start, at least one more than `shared` was at first. */
enum { LIKENESS_WORD = 64, LIKENESS_SIZE = LIKENESS_WORD + 20 };
typedef struct likeness {
    const char *name;
    char best[LIKENESS_WORD]; /* empty: none yet */
    size_t shared;
} likeness;

void likeness_compare(likeness *like, const char *word);
/* " (did you mean fit?)", or nothing; `text` is empty and has LIKENESS_SIZE bytes. */
const char *likeness_text(const likeness *like, char *text);
#define LIKENESS(like) likeness_text((like), (char[LIKENESS_SIZE]){0})

/* ---- commands ------------------------------------------------------------------------------- */

typedef struct command {
    const char *name;  /* "fit" */
    const char *title; /* with the program: "riemann2 fit", in messages and help */
    const char *summary;
    int (*run)(const struct command *self, int argc, char **argv);
    const char *usage;    /* "FILE --manifold SPEC [options]" */
    const char *examples; /* lines for --help */
} command;

/* Print the help of a command; false if its options were handed to command_visit_options instead. */
bool command_help(const command *self, const option_group *groups);
/* All options of a command, which hands them to `visit` where it would print its help. */
void command_visit_options(const command *c, option_visit *visit, const void *user);

/* A context set up from the common options; NULL after saying why not. */
rm2_context *command_context(common_options *common);
/* Read .mat files in this context, or say how to (cli/mat, cli/matless). */
rm2_status mat_register(rm2_context *ctx);
/* The communicator of contexts that are created from now on; NULL: none. */
void command_set_communicator(const rm2_communicator *comm);
/* Processes of the communicator; 1 without one. */
int command_ranks(void);
/* A message of the library with options in place of its fields: "settings.spd_layout upper" is "--spd-layout
 * upper". Returns `text`. */
enum { MESSAGE_SIZE = 1200 };
const char *message_as_options(const char *message, char *text, size_t size);
/* A text with '?' for control characters, so that a file cannot move the cursor, write lines of its own or give
 * orders to a terminal; longer ones end in "...". `copy` has `size` bytes, at least 4. */
const char *plain_text(const char *text, char *copy, size_t size);
enum { PLAIN_SIZE = 400 };
/* The same in memory of the block that it is used in, for printf. */
#define PLAIN(text) plain_text((text), (char[PLAIN_SIZE]){0}, PLAIN_SIZE)
/* Print the context's message; the exit code that fits the status. */
int command_fail(const command *self, const rm2_context *ctx, rm2_status status);

int run_check(const command *self, int argc, char **argv);
int run_covariance(const command *self, int argc, char **argv);
int run_generate(const command *self, int argc, char **argv);
int run_fit(const command *self, int argc, char **argv);
int run_cv(const command *self, int argc, char **argv);
int run_info(const command *self, int argc, char **argv);
int run_decode(const command *self, int argc, char **argv);
int run_encode(const command *self, int argc, char **argv);
int run_sample(const command *self, int argc, char **argv);
int run_eval(const command *self, int argc, char **argv);
int run_robot(const command *self, int argc, char **argv);
int run_metric(const command *self, int argc, char **argv);
int run_geodesic(const command *self, int argc, char **argv);
int run_distance(const command *self, int argc, char **argv);
int run_mean(const command *self, int argc, char **argv);
int run_classify(const command *self, int argc, char **argv);
int run_plot(const command *self, int argc, char **argv);
int run_experiment(const command *self, int argc, char **argv);
int run_explore(const command *self, int argc, char **argv);
int run_settings(const command *self, int argc, char **argv);
int run_version(const command *self, int argc, char **argv);
int run_completion(const command *self, int argc, char **argv);
/* The script that completes these commands in a shell (completion_shells). */
void completion_print(int shell, const command *commands);
extern const char *const completion_shells[];

/* ---- the process ------------------------------------------------------------------------------ */

/* Before anything else: restarts the program once where settings that are read when libraries are loaded are
 * not the best. */
void process_start(char **argv);
/* The exit code at the end. What was printed must have arrived: a full disk or a closed pipe is a failure of a
 * command that had none (one that failed has said why). */
int process_end(int code);

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Points held out in turn; null where none were. */
void json_held_out(rm2_json *json, const char *name, const rm2_held_out *h);

#endif
