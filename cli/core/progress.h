/* Progress of long calls on standard error, and Ctrl-C that ends them. */
#ifndef RM2_CLI_PROGRESS_H
#define RM2_CLI_PROGRESS_H

#include "core/work.h"

typedef struct progress {
    const work *work;
    bool terminal;
    double started, last; /* seconds: of the work, of the last line */
    int width;            /* of the line that the cursor is on; 0: none */
} progress;

/* From here to the end, calls with the context of `w` show how far they are, with the time left: on a
 * terminal in one line that is written over, elsewhere in a line every ten seconds. Ctrl-C ends them
 * with RM2_INTERRUPTED, a second one ends the program. */
void progress_begin(const work *w, progress *p);
/* The exit code of the call that was watched; prints its message. */
int progress_end(progress *p, rm2_status status);

/* The same lines for work that the program does itself: no context, no Ctrl-C. */
progress progress_of(const work *w);
void progress_count(progress *p, const char *what, size_t done, size_t total);

#endif
