/* One value of a setting: between text, number and the member of a struct. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "settings/settings.h"

/* ---- numbers as text ------------------------------------------------------------------------ */

bool rm2i_read_number(const char *text, double *value) {
    rm2i_c_locale scope;
    bool scoped = rm2i_c_locale_enter(NULL, &scope) == RM2_OK; /* matters beyond 19 digits only */
    const char *end = rm2i_parse_double(text, value);
    if (scoped)
        rm2i_c_locale_leave(&scope);
    return end && *end == 0 && isfinite(*value);
}

bool rm2i_read_whole(const char *text, uint64_t *value) {
    uint64_t sum = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return true;
}

static const char *write_number(double value, char text[RM2I_NUMBER_SIZE]) {
    rm2i_c_locale scope;
    bool scoped = rm2i_c_locale_enter(NULL, &scope) == RM2_OK;
    rm2i_format_double(value, text);
    if (scoped)
        rm2i_c_locale_leave(&scope);
    return text;
}

int rm2i_print_number(char *text, size_t size, const char *before, double value) {
    char number[RM2I_NUMBER_SIZE];
    return snprintf(text, size, "%s%s", before, write_number(value, number));
}

/* ---- members -------------------------------------------------------------------------------- */

size_t rm2i_setting_width(const rm2_setting *setting) {
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        return sizeof(bool);
    case RM2_SETTING_COUNT:
        return sizeof(size_t);
    case RM2_SETTING_NUMBER:
        return sizeof(double);
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        return sizeof(int);
    case RM2_SETTING_TEXT:
        return sizeof(const char *);
    case RM2_SETTING_CHARACTER:
        return sizeof(char);
    case RM2_SETTING_HYPERPARAMETER:
        return sizeof(rm2_hyperparameter);
    case RM2_SETTING_SEED:
        break;
    }
    return sizeof(uint64_t);
}

/* All members of a union begin where it does. */
void rm2i_setting_load(const rm2_setting *setting, const void *settings, rm2i_value *value) {
    memcpy(value, (const char *)settings + setting->offset, rm2i_setting_width(setting));
}

void rm2i_setting_store(const rm2_setting *setting, const rm2i_value *value, void *settings) {
    memcpy((char *)settings + setting->offset, value, rm2i_setting_width(setting));
}

/* ---- ranges --------------------------------------------------------------------------------- */

static int count_words(const rm2_setting *setting) {
    int count = 0;
    while (setting->words[count])
        count++;
    return count;
}

/* NaN is in no range. */
static bool in_range(const rm2_setting *s, double x) {
    if (x == 0 && s->zero)
        return true;
    bool above = s->lower_open ? x > s->lower : x >= s->lower;
    bool below = s->upper_open ? x < s->upper : x <= s->upper;
    return above && below;
}

bool rm2i_setting_within(const rm2_setting *setting, const rm2i_value *value) {
    unsigned char flag;
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        memcpy(&flag, value, sizeof flag);
        return flag <= 1;
    case RM2_SETTING_COUNT:
        return in_range(setting, (double)value->count);
    case RM2_SETTING_NUMBER:
        return in_range(setting, value->number);
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        return value->choice >= 0 && value->choice < count_words(setting);
    case RM2_SETTING_HYPERPARAMETER:
        return in_range(setting, value->hyper.start) && rm2i_prior_valid(&value->hyper);
    case RM2_SETTING_TEXT:
    case RM2_SETTING_CHARACTER:
    case RM2_SETTING_SEED:
        break;
    }
    return true;
}

/* ---- from text ------------------------------------------------------------------------------ */

static int find_word(const char *const *words, const char *text) {
    for (int k = 0; words[k]; k++)
        if (strcmp(words[k], text) == 0)
            return k;
    return -1;
}

static bool parse_flag(const rm2_setting *setting, const char *text, bool *flag) {
    static const char *const plain[] = {"no", "yes", "false", "true", NULL};
    int word = find_word(setting->words ? setting->words : plain, text);
    *flag = word % 2 == 1;
    return word >= 0;
}

static bool parse_count(const char *text, size_t *count) {
    uint64_t whole;
    bool good = rm2i_read_whole(text, &whole) && whole <= SIZE_MAX;
    *count = good ? (size_t)whole : 0;
    return good;
}

static bool parse_character(const char *text, char *character) {
    *character = strcmp(text, "tab") == 0 ? '\t' : text[0];
    return *character == '\t' || (text[0] && !text[1]);
}

/* Where 0 has a word, it is written as that. */
static bool is_zero(const rm2_setting *setting, const char *text, size_t width, rm2i_value *value) {
    bool zero = setting->zero && setting->type != RM2_SETTING_HYPERPARAMETER &&
                strcmp(text, setting->zero) == 0;
    if (zero)
        memset(value, 0, width);
    return zero;
}

static bool parse(const rm2_setting *setting, const char *text, rm2i_value *value) {
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        return parse_flag(setting, text, &value->flag);
    case RM2_SETTING_COUNT:
        return parse_count(text, &value->count) && !(setting->zero && value->count == 0);
    case RM2_SETTING_NUMBER:
        return rm2i_read_number(text, &value->number) && !(setting->zero && value->number == 0);
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        value->choice = find_word(setting->words, text);
        return true;
    case RM2_SETTING_TEXT:
        value->text = *text || setting->lower > 0 ? text : NULL; /* lower: of the length */
        return true;
    case RM2_SETTING_CHARACTER:
        return parse_character(text, &value->character);
    case RM2_SETTING_HYPERPARAMETER:
        return rm2i_hyperparameter_parse(setting, text, &value->hyper);
    case RM2_SETTING_SEED:
        break;
    }
    return rm2i_read_whole(text, &value->seed);
}

bool rm2i_setting_parse(const rm2_setting *setting, const char *text, rm2i_value *value) {
    return is_zero(setting, text, rm2i_setting_width(setting), value) ||
           (parse(setting, text, value) && rm2i_setting_within(setting, value));
}

/* ---- to text -------------------------------------------------------------------------------- */

static bool holds_zero(const rm2_setting *setting, const rm2i_value *value) {
    switch (setting->type) {
    case RM2_SETTING_COUNT:
        return value->count == 0;
    case RM2_SETTING_NUMBER:
        return value->number == 0;
    case RM2_SETTING_CHARACTER:
        return value->character == 0;
    default:
        return false;
    }
}

int rm2i_setting_format(const rm2_setting *setting, const rm2i_value *value, char *text,
                        size_t size) {
    if (setting->zero && holds_zero(setting, value))
        return snprintf(text, size, "%s", setting->zero);
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        return snprintf(text, size, "%s",
                        setting->words ? setting->words[value->flag]
                        : value->flag  ? "yes"
                                       : "no");
    case RM2_SETTING_COUNT:
        return snprintf(text, size, "%zu", value->count);
    case RM2_SETTING_NUMBER:
        return rm2i_print_number(text, size, "", value->number);
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        return rm2i_setting_within(setting, value)
                   ? snprintf(text, size, "%s", setting->words[value->choice])
                   : snprintf(text, size, "%d", value->choice);
    case RM2_SETTING_TEXT:
        return snprintf(text, size, "%s", value->text ? value->text : "");
    case RM2_SETTING_CHARACTER:
        return value->character == '\t' ? snprintf(text, size, "tab")
                                        : snprintf(text, size, "%c", value->character);
    case RM2_SETTING_HYPERPARAMETER:
        return rm2i_hyperparameter_format(setting, &value->hyper, text, size);
    case RM2_SETTING_SEED:
        break;
    }
    return snprintf(text, size, "%llu", (unsigned long long)value->seed);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool is_whole(double x, double most) {
    return x >= 0 && x <= most && x == floor(x);
}

static bool from_number(const rm2_setting *setting, double x, rm2i_value *value) {
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        value->flag = x == 1;
        return x == 0 || x == 1;
    case RM2_SETTING_COUNT:
        value->count = is_whole(x, RM2I_COUNT_MAX) ? (size_t)x : 0;
        return is_whole(x, RM2I_COUNT_MAX);
    case RM2_SETTING_NUMBER:
        value->number = x;
        return true;
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        value->choice = is_whole(x, INT16_MAX) ? (int)x : -1;
        return true;
    case RM2_SETTING_HYPERPARAMETER:
        value->hyper.start = x;
        return true;
    case RM2_SETTING_SEED:
        value->seed = is_whole(x, RM2I_COUNT_MAX) ? (uint64_t)x : 0;
        return is_whole(x, RM2I_COUNT_MAX);
    case RM2_SETTING_TEXT:
    case RM2_SETTING_CHARACTER:
        break;
    }
    return false;
}

bool rm2i_setting_from_number(const rm2_setting *setting, double number, rm2i_value *value) {
    return from_number(setting, number, value) && rm2i_setting_within(setting, value);
}

double rm2i_setting_to_number(const rm2_setting *setting, const rm2i_value *value) {
    switch (setting->type) {
    case RM2_SETTING_FLAG:
        return value->flag;
    case RM2_SETTING_COUNT:
        return (double)value->count;
    case RM2_SETTING_NUMBER:
        return value->number;
    case RM2_SETTING_CHOICE:
    case RM2_SETTING_RECIPE:
        return value->choice;
    case RM2_SETTING_HYPERPARAMETER:
        return value->hyper.start;
    case RM2_SETTING_SEED:
        return (double)value->seed;
    case RM2_SETTING_TEXT:
    case RM2_SETTING_CHARACTER:
        break;
    }
    return NAN;
}
