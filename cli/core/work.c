/* Steps of commands: messages, checks before the work. */
#include "core/work.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- steps of a command --------------------------------------------------------------------- */

int work_complain(const work *w, int code, const char *format, ...) {
    va_list arguments;
    char message[MESSAGE_SIZE], shown[MESSAGE_SIZE];
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "%s: %s\n", w->self->title, plain_text(message, shown, sizeof shown));
    return code;
}

int work_no_memory(const work *w) {
    return work_complain(w, EXIT_FAILED, "%s", rm2_status_text(RM2_ERR_MEMORY));
}

int work_check(const work *w, rm2_status status) {
    if (status == RM2_OK)
        return EXIT_DONE;
    int code = command_fail(w->self, w->ctx, status);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

void work_note(const work *w, const char *text) {
    char shown[MESSAGE_SIZE];
    if (!w->common->quiet)
        (void)fprintf(stderr, "%s\n", plain_text(text, shown, sizeof shown));
}

bool same_file(const char *a, const char *b) {
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

int work_check_output(const work *w, const char *path, const char *const *inputs) {
    struct stat info;
    if (strcmp(path, "-") == 0 ||
        (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return EXIT_DONE; /* opening a pipe is felt at its other end */
    for (; *inputs; inputs++)
        if (same_file(path, *inputs))
            return work_complain(
                w, EXIT_FAILED, "%s is an input of this command; choose another output file", path);
    rm2_writer *output;
    rm2_status status = rm2_writer_open(w->ctx, path, w->common->force, &output);
    rm2_writer_discard(output);
    return work_check(w, status);
}

const char *const table_formats[] = {".csv", ".tsv", ".txt", NULL};

/* ".csv" of a path; NULL: the name has no ending. */
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? dot : NULL;
}

int work_check_format(const work *w, const char *path, const char *const *formats) {
    struct stat info;
    char list[64] = "";
    const char *ending = ending_of(path);
    if (!ending || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return EXIT_DONE;
    for (size_t k = 0, used = 0; formats[k] && used < sizeof list; k++) {
        if (strcmp(ending, formats[k]) == 0)
            return EXIT_DONE;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", formats[k]);
    }
    return work_complain(w, EXIT_USAGE, "%s: unsupported output format %s; supported: %s", path,
                         ending, list);
}

/* ---- interrupt ------------------------------------------------------------------------------ */

static rm2_context *interrupted_context; /* the one that the signal handler stops */

static void on_interrupt(int number) {
    (void)number;
    rm2_context_interrupt(interrupted_context);
}

void catch_interrupts(rm2_context *ctx) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ctx ? on_interrupt : SIG_DFL;
    action.sa_flags = ctx ? (int)SA_RESETHAND : 0;
    (void)sigemptyset(&action.sa_mask);
    interrupted_context = ctx ? ctx : interrupted_context;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL); /* the terminal is closed: save as for an interrupt */
}

/* ---- numbers in arguments ------------------------------------------------------------------- */

bool parse_numbers(const char *text, size_t count, double *values) {
    for (size_t k = 0; k < count; k++) {
        char *end;
        values[k] = strtod(text, &end);
        if (end == text || *end != (k + 1 < count ? ',' : 0) || !isfinite(values[k]))
            return false;
        text = end + 1;
    }
    return true;
}

size_t count_numbers(const char *text) {
    for (size_t count = 1;; count++) {
        char *end;
        (void)strtod(text, &end);
        if (end == text || (*end && *end != ','))
            return 0;
        if (!*end)
            return count;
        text = end + 1;
    }
}

char **split_text(const char *text, char separator, size_t *count) {
    *count = 1;
    for (const char *at = text; *at; at++)
        *count += *at == separator;
    size_t size = strlen(text) + 1;
    char **parts = malloc(*count * sizeof *parts + size);
    if (!parts)
        return NULL;
    char *next = memcpy(parts + *count, text, size);
    for (size_t k = 0; k < *count; k++) {
        char *end = strchr(next, separator);
        parts[k] = next;
        if (end)
            *end = 0;
        next = end ? end + 1 : next;
    }
    return parts;
}

/* ---- points given by hand ------------------------------------------------------------------- */

int work_move_onto(const work *w, int code, const char *name, const rm2_manifold *m,
                   const rm2_data_settings *limits, double *point) {
    double tolerance = limits ? limits->warn_below : rm2_data_settings_default().warn_below;
    rm2_status status = rm2_manifold_project_within(w->ctx, m, name, tolerance, 1, point, point);
    if (status != RM2_ERR_DOMAIN)
        return work_check(w, status);
    return work_complain(w, code, "%s%s", rm2_context_error(w->ctx),
                         limits ? " (--tolerance)" : "");
}

/* ---- small things --------------------------------------------------------------------------- */

bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}
