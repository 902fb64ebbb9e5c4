/* Settings as tables: one row per member of a struct of settings, with its name, range, defaults
 * and help. Options and help of the program, fields of model files, `riemann2 info`, the reference
 * (docs/settings.md) and front ends in other languages are made from the rows.
 *
 *     rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_MAP);
 *     const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
 *     rm2_settings_set(ctx, table, &s, "latent_dim", "3");
 *     rm2_settings_set(ctx, table, &s, "lengthscale", "learned 0.3 gamma:2:10");
 *
 * The table of the struct rm2_NAME_settings is rm2_settings_table_of(RM2_SETTINGS_NAME). Tables are
 * constant. */
#ifndef RIEMANN2_SETTINGS_H
#define RIEMANN2_SETTINGS_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- hyperparameters ------------------------------------------------------------------------ */

/* Prior of a hyperparameter, with parameters a and b. */
typedef enum rm2_prior_kind {
    RM2_PRIOR_NONE,
    RM2_PRIOR_GAMMA, /* concentration a, rate b; a density of the value itself */
    /* log value ~ N(a, b^2), a density of the logarithm; if a is NaN, the mean is the start. */
    RM2_PRIOR_LOGNORMAL
} rm2_prior_kind;

/* A positive hyperparameter. */
typedef struct rm2_hyperparameter {
    double start; /* 0: from the data, if that is defined (GPDM) */
    bool learned; /* false: held at `start` */
    rm2_prior_kind prior;
    double a, b;
} rm2_hyperparameter;

/* ---- rows and tables ------------------------------------------------------------------------ */

/* Type of a setting: its member in C, and how it is written as text. */
typedef enum rm2_setting_type {
    RM2_SETTING_FLAG,   /* bool: yes, no (also true, false), or the setting's two words */
    RM2_SETTING_COUNT,  /* size_t: 3 */
    RM2_SETTING_NUMBER, /* double: 0.001 */
    RM2_SETTING_CHOICE, /* an enumeration: the word of its value */
    RM2_SETTING_RECIPE, /* a choice that fills all settings with the defaults of its column */
    RM2_SETTING_TEXT,   /* const char *, not copied: must outlive the settings; NULL: empty text */
    RM2_SETTING_CHARACTER, /* char: itself, or "tab" */
    /* rm2_hyperparameter: parts separated by blanks, such as "held 0.2" or "learned 0.2
     * gamma:2:10"; parts that are not given stay as they are: "0.3" changes the start. */
    RM2_SETTING_HYPERPARAMETER,
    RM2_SETTING_SEED /* uint64_t */
} rm2_setting_type;

enum { RM2_SETTING_COLUMNS = 5 }; /* largest number of columns of defaults */

/* A row of a table. Later versions may add members at the end. */
typedef struct rm2_setting {
    const char *name;   /* "max_iterations": unique in its table */
    const char *field;  /* the member in C: "optim.max_iterations" */
    const char *option; /* the program's word: "iterations"; NULL: the name, with - for _ */
    rm2_setting_type type;
    size_t offset; /* offset of the member in the struct */
    /* Words of a choice by its values, or of a flag (false, true); NULL ends the list. */
    const char *const *words;
    double lower, upper; /* range of a count, a number, or the start of a hyperparameter */
    bool lower_open, upper_open;
    const char *zero; /* word for 0, which lies outside the range: "auto"; NULL: none */
    const char *on;   /* value of the program's option if it has none: --gpdm is 1; NULL: none */
    const char *unit; /* "nats per point"; NULL: none */
    const char *form; /* placeholder for the value in help texts: "COLUMN"; NULL: by the type */
    bool limit;       /* the setting ends the work early and changes nothing else */
    const char *defaults[RM2_SETTING_COLUMNS]; /* per recipe; NULL: as in the first column */
    const char *group;                         /* title of the setting's group */
    const char *help;                          /* one line */
} rm2_setting;

typedef struct rm2_settings_table {
    const char *name; /* "fit" */
    size_t struct_size;
    size_t count;                    /* number of rows: see rm2_settings_at */
    size_t columns;                  /* number of columns of defaults, at least 1 */
    const char *const *column_names; /* the recipes; NULL if the table has one column */
    const rm2_setting *rows;         /* for the library; rows of a later version may be longer */
} rm2_settings_table;

/* Tables by the names of their structs: RM2_SETTINGS_FIT is the table of rm2_fit_settings. */
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
    RM2_SETTINGS_LIST(RM2_SETTINGS_KIND) RM2_SETTINGS_KINDS /* number of kinds */
} rm2_settings_kind;
#undef RM2_SETTINGS_KIND

/* The table of a kind of settings; NULL for an unknown kind. */
RM2_API const rm2_settings_table *rm2_settings_table_of(rm2_settings_kind kind);

/* The row with an index; NULL past the end. */
RM2_API const rm2_setting *rm2_settings_at(const rm2_settings_table *table, size_t index);
/* The row with a name; NULL for an unknown name. */
RM2_API const rm2_setting *rm2_settings_find(const rm2_settings_table *table, const char *name);

/* A setting by its name, with its value as text. */
typedef struct rm2_setting_text {
    const char *name, *text;
} rm2_setting_text;

/* ---- settings by name ----------------------------------------------------------------------- */

/* Set a setting from text. A struct of an earlier version cannot set or read members that it does
 * not have.
 *
 * @param ctx  receives messages; may be NULL
 * @param table  table of the struct
 * @param settings  the struct, with its size
 * @param name  name of the setting
 * @param text  value as text
 * @return RM2_ERR_ARGUMENT for an invalid value, and for an unknown name; the message then has the
 *     nearest name
 */
RM2_API rm2_status rm2_settings_set(rm2_context *ctx, const rm2_settings_table *table,
                                    void *settings, const char *name, const char *text);
/* Write a setting as text, from which rm2_settings_set makes the same value.
 *
 * @param ctx  receives messages; may be NULL
 * @param table  table of the struct
 * @param settings  the struct, with its size
 * @param name  name of the setting
 * @param text  result, with its NUL
 * @param size  number of bytes of `text`
 * @return RM2_ERR_ARGUMENT for an unknown name; the message has the nearest name
 */
RM2_API rm2_status rm2_settings_get(rm2_context *ctx, const rm2_settings_table *table,
                                    const void *settings, const char *name, char *text,
                                    size_t size);
/* Check that every member is within its range; otherwise return RM2_ERR_ARGUMENT with the member,
 * its value and the allowed range. The context receives messages only and may be NULL. Calls that
 * take settings make this check themselves. */
RM2_API rm2_status rm2_settings_check(rm2_context *ctx, const rm2_settings_table *table,
                                      const void *settings);
/* Set all settings of the table to the defaults of a column (of the first column if the table does
 * not have it); members that are not in the table stay. The call does nothing if settings.size is
 * not the size of a version. */
RM2_API void rm2_settings_fill(const rm2_settings_table *table, size_t column, void *settings);

/* For calls that accept a struct of settings: copy `given`, of any version of the struct (see
 * base.h), to `own`, which must be filled with the defaults and its size. If `given` is NULL, the
 * defaults stay. */
RM2_API rm2_status rm2_settings_overlay(rm2_context *ctx, const void *given, void *own);
/* For calls that fill a caller's struct: copy the part of `own` that the caller's version of it
 * has. */
RM2_API rm2_status rm2_settings_give(rm2_context *ctx, const void *own, void *given);

#ifdef __cplusplus
}
#endif
#endif
