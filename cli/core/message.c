/* Messages of the library name its own fields; users of the program know options. */
#include <string.h>

#include "core/settings.h"

/* What the library writes, and the option where no table of settings has it. */
static const struct {
    const char *words, *option;
} translations[] = {
    {"settings.numeric", "--columns"},        {"settings.text", "--group or --label"},
    {"settings.init_latent", "--init-from"},  {"settings.obstacles", "--avoid"},
    {"settings.discouraged", "--discourage"}, {"pass overwrite = true", "use --force"},
};

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Words of the list that the message begins with; their length, 0 if there are none. */
static size_t find_words(const char *message, const char **word) {
    for (size_t k = 0; k < sizeof translations / sizeof *translations; k++) {
        size_t length = strlen(translations[k].words);
        *word = translations[k].option;
        if (strncmp(message, translations[k].words, length) == 0 && !is_name(message[length]))
            return length;
    }
    return 0;
}

/* The option of a setting, without the ".start" of a hyperparameter; the number of characters read. */
static size_t put_setting(const rm2_setting *s, const char *after, char *text, size_t size) {
    static const char start[] = ".start";
    char word[SETTING_WORD];
    (void)snprintf(text, size, "%s", setting_word(s, word));
    bool skips =
        s->type == RM2_SETTING_HYPERPARAMETER && strncmp(after, start, sizeof start - 1) == 0;
    return skips ? sizeof start - 1 : 0;
}

/* "--spd-layout" of "spd_layout"; the number of characters read. */
static size_t put_option(const char *field, char *text, size_t size) {
    size_t length = 0;
    const rm2_setting *s = setting_of_field(field, &length);
    if (s)
        return length + put_setting(s, field + length, text, size);
    (void)snprintf(text, size, "--");
    while (is_name(field[length]) && length + 3 < size) {
        text[length + 2] = field[length] == '_' ? '-' : field[length];
        text[++length + 2] = 0;
    }
    return length;
}

const char *message_as_options(const char *message, char *text, size_t size) {
    static const char before[] = "settings.";
    const size_t skip = sizeof before - 1;
    size_t used = 0;
    while (*message && used + 1 < size) {
        const char *word;
        size_t length = find_words(message, &word);
        if (length > 0) {
            (void)snprintf(text + used, size - used, "%s", word);
        } else if (strncmp(message, before, skip) == 0 && is_name(message[skip])) {
            length = skip + put_option(message + skip, text + used, size - used);
        } else {
            length = 1;
            text[used] = *message;
            text[used + 1] = 0;
        }
        message += length;
        used += strlen(text + used);
    }
    text[used] = 0;
    return text;
}
