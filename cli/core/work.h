/* What the commands that make and use models share: steps that report their own failure, files of latent
 * points. */
#ifndef RM2_CLI_WORK_H
#define RM2_CLI_WORK_H

#include "core/cli.h"

/* A command's run: who it is, what it works with. Its steps return an exit code, and one that is
 * not EXIT_DONE has printed its one line. */
typedef struct work {
    const command *self;
    rm2_context *ctx;
    const common_options *common;
} work;

#if defined(__GNUC__)
#define CLI_FORMAT __attribute__((format(printf, 3, 4)))
#else
#define CLI_FORMAT
#endif

/* Run a call of the library; on failure hand its status to the caller. */
#define WORK_TRY(call)                                                                             \
    do {                                                                                           \
        rm2_status work_try_status_ = (call);                                                      \
        if (work_try_status_ != RM2_OK)                                                            \
            return work_try_status_;                                                               \
    } while (0)

/* Print "riemann2 COMMAND: ..." and return the code. */
int work_complain(const work *w, int code, const char *format, ...) CLI_FORMAT;
int work_no_memory(const work *w);
/* The exit code of a call of the library; prints its message. */
int work_check(const work *w, rm2_status status);
/* A message that --quiet silences. */
void work_note(const work *w, const char *text);

/* "1,2,3": exactly `count` finite numbers with commas between them. */
bool parse_numbers(const char *text, size_t count, double *values);
/* How many numbers with commas between them; 0 if the text is something else. */
size_t count_numbers(const char *text);
/* The parts of a text between separators, one at least; all are freed with one free(). NULL: no
 * memory. */
char **split_text(const char *text, char separator, size_t *count);

/* Project a point that was given by hand onto the manifold; one that is too far off is refused with
 * `code`. Limits NULL: the default ones. */
int work_move_onto(const work *w, int code, const char *name, const rm2_manifold *m,
                   const rm2_data_settings *limits, double *point);

/* Of a word after a count. */
static inline const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

bool has_ending(const char *path, const char *ending);

/* One text per entry of an array; numbers become texts (NaN an empty one), so that ids and labels are of one kind. */
int work_archive_texts(const work *w, rm2_archive *archive, size_t index, rm2_texts *texts);

/* Can `path` be written at the end? Says so before the work instead of after it. `inputs` (ends
 * with NULL) must not be overwritten even with --force. */
int work_check_output(const work *w, const char *path, const char *const *inputs);
bool same_file(const char *a, const char *b);
/* Does the ending of a file's name stand for one of the formats (".csv", ...; ends with NULL) that a command
 * writes? Names without an ending are the first one's. Another ending is refused before the work: a file
 * should be what its name says. */
int work_check_format(const work *w, const char *path, const char *const *formats);
extern const char *const table_formats[];
extern const char *const array_formats[];
/* those, .npy and .npz: sheet_write */ /* of what is written as CSV */

/* Ctrl-C and the like stop the calls that run on `ctx`, once; NULL: no more. */
void catch_interrupts(rm2_context *ctx);

/* Room for a column's name, or for a word with a number in it. */
enum { NAME_SIZE = 32 };

#endif
