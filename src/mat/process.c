/* The process that reads a MATLAB file. It is a copy of this one (fork), calls libmatio alone, and leaves by _exit.
 * A crash, an endless loop or a claim of all memory ends it, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mat/limits.h"
#include "mat/mat.h"

/* ---- in the reading process ----------------------------------------------------------------- */

/* Signals end it as they end any program, and what libraries print on standard error is nobody's business. */
static void enter(const rm2i_mat_request *request, uint64_t seconds) {
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGPIPE, SIGXCPU,
                                  SIGSEGV, SIGABRT, SIGBUS, SIGFPE,  SIGILL};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        (void)signal(signals[k], SIG_DFL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDERR_FILENO);
    rm2i_mat_limit(request->file_size, seconds);
}

/* ---- in this one ---------------------------------------------------------------------------- */

/* Unpacking takes about a second for 100 MB, packed into 100 kB at best. */
static uint64_t seconds_for(uint64_t file_size) {
    return 1 + file_size / 100000;
}

rm2_status rm2i_mat_start(rm2_context *ctx, const rm2i_mat_request *request, rm2i_mat_process *p) {
    int ends[2];
    *p = (rm2i_mat_process){.ctx = ctx,
                            .path = request->path,
                            .in = -1,
                            .id = -1,
                            .seconds = seconds_for(request->file_size)};
    if (pipe(ends) != 0)
        return rm2_context_fail(ctx, RM2_ERR_IO, "%s: cannot create a pipe: %s", request->path,
                                strerror(errno));
    p->id = fork();
    if (p->id == 0) {
        (void)close(ends[0]);
        enter(request, p->seconds);
        _exit(rm2i_mat_answer(request, ends[1]) ? 0 : 1);
    }
    (void)close(ends[1]);
    p->in = ends[0];
    if (p->id > 0)
        return RM2_OK;
    rm2i_mat_stop(p);
    return rm2_context_fail(ctx, RM2_ERR_MEMORY, "%s: cannot create a process to read it: %s",
                            request->path, strerror(errno));
}

void rm2i_mat_stop(rm2i_mat_process *p) {
    if (p->in >= 0)
        (void)close(p->in);
    if (p->id > 0) {
        (void)kill(p->id, SIGKILL);
        while (waitpid(p->id, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    p->in = -1;
    p->id = -1;
}

/* It ended before it had answered. */
static rm2_status explain(rm2i_mat_process *p) {
    int how = 0;
    pid_t done;
    while ((done = waitpid(p->id, &how, 0)) < 0 && errno == EINTR) {
    }
    p->id = -1;
    int number = done > 0 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP)
        return rm2_context_fail(p->ctx, RM2_INTERRUPTED, "interrupted while %s was read", p->path);
    if (number == SIGXCPU || number == SIGKILL)
        return rm2_context_fail(p->ctx, RM2_ERR_FORMAT,
                                "%s: damaged: reading it took more than %llu s; save it again",
                                p->path, (unsigned long long)p->seconds);
    return rm2_context_fail(p->ctx, RM2_ERR_FORMAT,
                            "%s: damaged: libmatio %s while reading it; save it again", p->path,
                            number ? "crashed" : "stopped");
}

rm2_status rm2i_mat_receive(rm2i_mat_process *p, void *bytes, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t more = read(p->in, (char *)bytes + got, size - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return rm2_context_fail(p->ctx, RM2_ERR_IO, "cannot read %s: %s", p->path,
                                    strerror(errno));
        if (more == 0)
            return explain(p);
        got += (size_t)more;
    }
    return RM2_OK;
}

rm2_status rm2i_mat_receive_word(rm2i_mat_process *p, uint64_t *word) {
    return rm2i_mat_receive(p, word, sizeof *word);
}
