/* Internal side of tables of settings: what rows are written with, and single values. */
#ifndef RM2I_SETTINGS_H
#define RM2I_SETTINGS_H

#include <math.h>

#include "base/base.h"
#include "riemann2/settings.h"

/* ---- rows ----------------------------------------------------------------------------------- */

/* Whole numbers up to this are exact in a double, as which files keep them. */
#define RM2I_COUNT_MAX 0x1p53

/* Where a row's member is; `name` differs from the member where that is nested. */
#define RM2I_MEMBER(structure, member) .field = #member, .offset = offsetof(structure, member)

/* Ranges. */
#define RM2I_UNBOUNDED                .upper = INFINITY, .upper_open = true
#define RM2I_FROM(low)                .lower = (low), RM2I_UNBOUNDED
#define RM2I_ABOVE(low)               .lower = (low), .lower_open = true, RM2I_UNBOUNDED
#define RM2I_FROM_TO(low, high)       .lower = (low), .upper = (high)
#define RM2I_FROM_TO_BELOW(low, high) .lower = (low), .upper = (high), .upper_open = true
#define RM2I_COUNT_FROM(low)          .lower = (low), .upper = RM2I_COUNT_MAX

/* The value of a macro as a text, for defaults that stand in a header. */
#define RM2I_TEXT_OF(value) #value
#define RM2I_TEXT(value)    RM2I_TEXT_OF(value)
#define RM2I_ANY_NUMBER     .lower = -INFINITY, .lower_open = true, RM2I_UNBOUNDED

/* Words of a choice. */
#define RM2I_WORDS(...)                                                                            \
    .words = (const char *const[]) {                                                               \
        __VA_ARGS__, NULL                                                                          \
    }

/* The function that returns a table of one column: `list` are the rows of a struct. */
#define RM2I_TABLE(function, id, structure, list)                                                  \
    const rm2_settings_table *function(void) {                                                     \
        static const rm2_settings_table table = {.name = (id),                                     \
                                                 .struct_size = sizeof(structure),                 \
                                                 .count = sizeof(list) / sizeof *(list),           \
                                                 .columns = 1,                                     \
                                                 .rows = (list)};                                  \
        return &table;                                                                             \
    }

/* ---- values --------------------------------------------------------------------------------- */

typedef union rm2i_value {
    bool flag;
    size_t count;
    double number;
    int choice;
    const char *text;
    char character;
    rm2_hyperparameter hyper;
    uint64_t seed;
} rm2i_value;

/* Bytes of the member. */
size_t rm2i_setting_width(const rm2_setting *setting);
/* Between the member of a struct and a value. */
void rm2i_setting_load(const rm2_setting *setting, const void *settings, rm2i_value *value);
void rm2i_setting_store(const rm2_setting *setting, const rm2i_value *value, void *settings);

/* From text; `value` holds the present one, of which a text may change a part. False: invalid. */
bool rm2i_setting_parse(const rm2_setting *setting, const char *text, rm2i_value *value);
/* From a number, as rm2i_settings_set_number. */
bool rm2i_setting_from_number(const rm2_setting *setting, double number, rm2i_value *value);
double rm2i_setting_to_number(const rm2_setting *setting, const rm2i_value *value);
/* To text, in the "C" locale; returns the length as snprintf does. */
int rm2i_setting_format(const rm2_setting *setting, const rm2i_value *value, char *text,
                        size_t size);
/* Is it within the range? */
bool rm2i_setting_within(const rm2_setting *setting, const rm2i_value *value);

/* ---- hyperparameters ------------------------------------------------------------------------ */

/* Parts with blanks between them, see RM2_SETTING_HYPERPARAMETER. */
bool rm2i_hyperparameter_parse(const rm2_setting *setting, const char *text, rm2_hyperparameter *h);
int rm2i_hyperparameter_format(const rm2_setting *setting, const rm2_hyperparameter *h, char *text,
                               size_t size);
/* Are kind and parameters of the prior valid? */
bool rm2i_prior_valid(const rm2_hyperparameter *h);
/* RM2_ERR_ARGUMENT with the member that is invalid: start, prior or its parameters. */
rm2_status rm2i_hyperparameter_check(rm2_context *ctx, const rm2_setting *setting,
                                     const rm2_hyperparameter *h);

/* ---- numbers as text ------------------------------------------------------------------------ */

/* The whole text is one finite number; never depends on the locale. */
bool rm2i_read_number(const char *text, double *value);
bool rm2i_read_whole(const char *text, uint64_t *value);
/* snprintf of a text and a number in as few digits as give it back. */
int rm2i_print_number(char *text, size_t size, const char *before, double value);

/* ---- settings by name ----------------------------------------------------------------------- */

/* Set from a number: a flag is 0 or 1, a choice the number of its word from 0, a hyperparameter its
 * start; texts and characters have none. */
rm2_status rm2i_settings_set_number(rm2_context *ctx, const rm2_settings_table *table,
                                    void *settings, const char *name, double value);

/* The tables, each next to its struct; rm2_settings_table_of knows them by number. */
#define RM2I_DECLARE(kind, name) const rm2_settings_table *rm2i_##name##_table(void);
RM2_SETTINGS_LIST(RM2I_DECLARE)
#undef RM2I_DECLARE

#endif
