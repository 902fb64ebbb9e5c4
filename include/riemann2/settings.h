/* Settings as tables: one row per member of a struct of settings, with its name, range, defaults and
 * help. Options and help of the program, fields of model files, `riemann2 info`, the reference
 * (docs/settings.md) and front ends in other languages are made from the rows.
 *
 *     rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_MAP);
 *     rm2_settings_set(ctx, rm2_settings_table_of(RM2_SETTINGS_FIT), &s, "latent_dim", "3");
 *     rm2_settings_set(ctx, rm2_settings_table_of(RM2_SETTINGS_FIT), &s, "lengthscale", "learned 0.3 gamma:2:10");
 *
 * A struct of settings rm2_NAME_settings has the table rm2_settings_table_of(RM2_SETTINGS_NAME). Tables are constant. */
#ifndef RIEMANN2_SETTINGS_H
#define RIEMANN2_SETTINGS_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- hyperparameters ------------------------------------------------------------------------ */

typedef enum rm2_prior_kind {
    RM2_PRIOR_NONE,
    RM2_PRIOR_GAMMA,    /* concentration a, rate b; a density of the value itself */
    RM2_PRIOR_LOGNORMAL /* log value ~ N(a, b^2), a density of the logarithm; a NaN: at the start */
} rm2_prior_kind;

/* A positive hyperparameter. */
typedef struct rm2_hyperparameter {
    double start; /* 0: from the data, where that is defined (GPDM) */
    bool learned; /* false: held at `start` */
    rm2_prior_kind prior;
    double a, b;
} rm2_hyperparameter;

/* ---- rows and tables ------------------------------------------------------------------------ */

/* Type of a setting: the member in C, and its text. */
typedef enum rm2_setting_type {
    RM2_SETTING_FLAG,   /* bool: yes, no (also true, false), or the setting's two words */
    RM2_SETTING_COUNT,  /* size_t: 3 */
    RM2_SETTING_NUMBER, /* double: 0.001 */
    RM2_SETTING_CHOICE, /* an enumeration: the word of its value */
    RM2_SETTING_RECIPE, /* a choice; setting it fills all settings with the defaults of its column */
    RM2_SETTING_TEXT,   /* const char *, not copied: must outlive the settings; NULL: empty text */
    RM2_SETTING_CHARACTER,      /* char: itself, or "tab" */
    RM2_SETTING_HYPERPARAMETER, /* rm2_hyperparameter: parts with blanks between them, such as
                                   "held 0.2" or "learned 0.2 gamma:2:10"; parts that are not named
                                   stay as they are: "0.3" changes the start */
    RM2_SETTING_SEED            /* uint64_t */
} rm2_setting_type;

enum { RM2_SETTING_COLUMNS = 5 }; /* most columns of defaults */

/* Later versions may add members at the end. */
typedef struct rm2_setting {
    const char *name;   /* "max_iterations": unique in its table */
    const char *field;  /* the member in C: "optim.max_iterations" */
    const char *option; /* the program's word: "iterations"; NULL: the name, _ becoming - */
    rm2_setting_type type;
    size_t offset; /* of the member in the struct */
    const char *const
        *words;          /* of a choice by its values, or of a flag: false, true; ends with NULL */
    double lower, upper; /* range of a count, a number, or the start of a hyperparameter */
    bool lower_open, upper_open;
    const char *zero; /* word for 0, which lies outside the range: "auto"; NULL: none */
    const char *on;   /* value of the program's option without one: --gpdm is 1; NULL: none */
    const char *unit; /* "nats per point"; NULL: none */
    const char *form; /* how a text is written: "COLUMN"; NULL: by the type */
    bool limit;       /* ends the work early and changes nothing else */
    const char *defaults[RM2_SETTING_COLUMNS]; /* per recipe; NULL: as in the first */
    const char *group;                         /* title of the group that the setting is in */
    const char *help;                          /* one line */
} rm2_setting;

typedef struct rm2_settings_table {
    const char *name; /* "fit" */
    size_t struct_size;
    size_t count;                    /* rows: see rm2_settings_at */
    size_t columns;                  /* of defaults, at least 1 */
    const char *const *column_names; /* the recipes; NULL where there is one column */
    const rm2_setting *rows;         /* for the library; rows of a later version may be longer */
} rm2_settings_table;

/* Tables by the names of their structs: RM2_SETTINGS_FIT is that of rm2_fit_settings. */
#define RM2_SETTINGS_LIST(X)                                                                       \
    X(FIT, fit)                                                                                    \
    X(DATA, data)                                                                                  \
    X(ENCODE, encode)                                                                              \
    X(SPACE, space)                                                                                \
    X(MEET, meet)                                                                                  \
    X(COVARIANCE, covariance)                                                                      \
    X(CROSS, cross)                                                                                \
    X(GENERATE, generate)                                                                          \
    X(FIGURE, figure)                                                                              \
    X(MEAN, mean)                                                                                  \
    X(PLANNER, planner)                                                                            \
    X(REPORT, report)                                                                              \
    X(TRACK, track)                                                                                \
    X(PLACEMENT, placement)                                                                        \
    X(TEST, test)                                                                                  \
    X(CLASSIFY, classify)                                                                          \
    X(DTW, dtw)
#define RM2_SETTINGS_KIND(kind, name) RM2_SETTINGS_##kind,
typedef enum rm2_settings_kind {
    RM2_SETTINGS_LIST(RM2_SETTINGS_KIND) RM2_SETTINGS_KINDS /* number of them */
} rm2_settings_kind;
#undef RM2_SETTINGS_KIND

/* The table of a kind of settings; NULL past the last. */
RM2_API const rm2_settings_table *rm2_settings_table_of(rm2_settings_kind kind);

/* The row of a number; NULL past the end. */
RM2_API const rm2_setting *rm2_settings_at(const rm2_settings_table *table, size_t index);
/* The row of a name; NULL if there is none. */
RM2_API const rm2_setting *rm2_settings_find(const rm2_settings_table *table, const char *name);

/* A value by its setting's name. */
typedef struct rm2_setting_text {
    const char *name, *text;
} rm2_setting_text;

/* ---- settings by name ----------------------------------------------------------------------- */

/* `settings` is the struct that the table describes, with its size. Members that an earlier version of
 * the struct does not have cannot be set or read. A name that is not in the table is RM2_ERR_ARGUMENT;
 * the message has the nearest one. The context receives messages only and may be NULL. */

/* Set from text. */
RM2_API rm2_status rm2_settings_set(rm2_context *ctx, const rm2_settings_table *table,
                                    void *settings, const char *name, const char *text);
/* As text of at most `size` bytes with its NUL, from which rm2_settings_set makes the same value. */
RM2_API rm2_status rm2_settings_get(rm2_context *ctx, const rm2_settings_table *table,
                                    const void *settings, const char *name, char *text,
                                    size_t size);
/* Is every member within its range? RM2_ERR_ARGUMENT with member, value and what is allowed. Calls that
 * take settings check them by themselves. */
RM2_API rm2_status rm2_settings_check(rm2_context *ctx, const rm2_settings_table *table,
                                      const void *settings);
/* All settings of the table to the defaults of a column (the first if there is no such column); members
 * that are not in the table stay. Does nothing if settings.size is not that of a version. */
RM2_API void rm2_settings_fill(const rm2_settings_table *table, size_t column, void *settings);

/* For calls that take a struct of settings: `own`, filled with the defaults and its size, becomes `given` (NULL: the
 * defaults), whatever version of the struct that is; see base.h. */
RM2_API rm2_status rm2_settings_overlay(rm2_context *ctx, const void *given, void *own);
/* For calls that fill a caller's struct: what fits into its version of `own`. */
RM2_API rm2_status rm2_settings_give(rm2_context *ctx, const void *own, void *given);

#ifdef __cplusplus
}
#endif
#endif
