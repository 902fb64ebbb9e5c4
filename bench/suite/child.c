/* Child processes and the pipe from them: rows, and the program that has PyTorch. The parent never runs
 * a thread, so that a fork is all that a child needs. An interrupt is handed on to it. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/suite.h"

/* What a child does; it writes to the file descriptor. Its exit code. */
typedef int (*child_fn)(const void *user, int out);

/* ---- processes ------------------------------------------------------------------------------- */

/* Everything that comes out of the pipe up to its end, as far as there is room; true if an
 * interrupt came between. */
static bool collect(int in, pid_t child, char *text, size_t size, size_t *length) {
    bool interrupted = false;
    char rest[256];
    *length = 0;
    for (;;) {
        bool room = *length < size;
        ssize_t got = room ? read(in, text + *length, size - *length) : read(in, rest, sizeof rest);
        if (got < 0 && errno == EINTR) {
            interrupted = true;
            (void)kill(child, SIGTERM);
        } else if (got <= 0) {
            return interrupted;
        } else if (room) {
            *length += (size_t)got;
        }
    }
}

static int wait_for(pid_t child) {
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        (void)kill(child, SIGTERM);
    return state;
}

/* Run fn in a child; `text` is what it wrote, *state how it ended (waitpid). */
static int run_child(const work *w, child_fn fn, const void *user, char *text, size_t size,
                     size_t *length, int *state) {
    int ends[2];
    (void)fflush(NULL); /* or the child would print it again */
    if (pipe(ends) != 0)
        return work_complain(w, EXIT_FAILED, "cannot create a pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        exit(fn(user, ends[1]));
    }
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return work_complain(w, EXIT_FAILED, "cannot start a process: %s", strerror(errno));
    }
    bool interrupted = collect(ends[0], child, text, size, length);
    (void)close(ends[0]);
    *state = wait_for(child);
    return interrupted ? work_complain(w, EXIT_FAILED, "interrupted") : EXIT_DONE;
}

/* "signal 11 (Segmentation fault)" or "exit code 3". */
static void describe_end(int state, char *text, size_t size) {
    if (WIFSIGNALED(state))
        (void)snprintf(text, size, "signal %d (%s)", WTERMSIG(state), strsignal(WTERMSIG(state)));
    else
        (void)snprintf(text, size, "exit code %d", WEXITSTATUS(state));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int measure_row(const void *user, int out) {
    const bench_run *run = user;
    bench_row row = {.operations = NAN, .objective = NAN, .memory = NAN, .torch = NAN, .slow = NAN};
    row.status = run->subject->measure(run, &row);
    if (row.status != RM2_OK) {
        const char *text = rm2_context_error(run->ctx);
        (void)snprintf(row.failure, sizeof row.failure, "%s",
                       *text ? text : rm2_status_text(row.status));
    }
    bool written = write(out, &row, sizeof row) == (ssize_t)sizeof row; /* a pipe takes it whole */
    rm2_context_free(run->ctx);
    return written ? EXIT_DONE : EXIT_FAILED;
}

int bench_in_child(const work *w, const bench_run *run, bench_row *row) {
    size_t length = 0;
    int state = 0;
    int code = run_child(w, measure_row, run, (char *)row, sizeof *row, &length, &state);
    if (code != EXIT_DONE)
        return code;
    if (length < sizeof *row) {
        char end[100];
        describe_end(state, end, sizeof end);
        *row = (bench_row){.status = RM2_ERR_NUMERIC};
        (void)snprintf(row->failure, sizeof row->failure, "its process ended with %s", end);
    }
    return row->status == RM2_INTERRUPTED ? work_complain(w, EXIT_FAILED, "interrupted")
                                          : EXIT_DONE;
}

/* ---- PyTorch --------------------------------------------------------------------------------- */

typedef struct torch_call {
    const char *program;
    char threads[32];
} torch_call;

/* By the shell, with as many threads as ours; the setting that main made for ours is taken back. */
static int call_torch(const void *user, int out) {
    const torch_call *t = user;
    if (dup2(out, STDOUT_FILENO) < 0 || setenv("OMP_NUM_THREADS", t->threads, 1) != 0 ||
        unsetenv("GOMP_SPINCOUNT") != 0)
        return EXIT_FAILED;
    (void)execl("/bin/sh", "sh", "-c", t->program, (char *)NULL);
    return EXIT_FAILED;
}

int bench_ask_torch(const work *w, const char *program, const bench_case *c, bench_row *row) {
    char text[64], whole[4096], end[100], *rest;
    torch_call call = {.program = whole};
    size_t length = 0;
    int state = 0, size = snprintf(whole, sizeof whole, "%s %zu %zu %d", program, row->points,
                                   row->outputs, c->flags & BENCH_DYNAMICS ? 1 : 0);
    if (size < 0 || (size_t)size >= sizeof whole)
        return work_complain(w, EXIT_USAGE, "--torch: the program is too long");
    (void)snprintf(call.threads, sizeof call.threads, "%d", rm2_context_threads(w->ctx));
    int code = run_child(w, call_torch, &call, text, sizeof text - 1, &length, &state);
    if (code != EXIT_DONE)
        return code;
    text[length] = 0;
    row->torch = strtod(text, &rest);
    if (state == 0 && rest != text && isfinite(row->torch) && row->torch > 0)
        return EXIT_DONE;
    describe_end(state, end, sizeof end);
    text[strcspn(text, "\n")] = 0;
    return work_complain(w, EXIT_FAILED,
                         "--torch: \"%s\" printed \"%s\" instead of milliseconds, and ended with "
                         "%s",
                         whole, text, end);
}
