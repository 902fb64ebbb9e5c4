/* What every command does the same way: help, context, failure, start and end of the process. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cli.h"
#include "core/restart.h"

/* Who takes the options in place of the help; NULL: standard output. */
static struct {
    option_visit *visit;
    const void *user;
} reader;

void command_visit_options(const command *c, option_visit *visit, const void *user) {
    static char help_flag[] = "--help";
    char *arguments[] = {help_flag};
    reader.visit = visit;
    reader.user = user;
    (void)c->run(c, 1, arguments);
    reader.visit = NULL;
}

bool command_help(const command *self, const option_group *groups) {
    if (reader.visit) {
        options_visit(groups, reader.visit, reader.user);
        return false;
    }
    printf("%s: %s\n\nusage: %s %s\n", self->title, self->summary, self->title, self->usage);
    options_print(stdout, groups);
    if (self->examples[0])
        printf("\nExamples:\n%s", self->examples);
    printf("\nExit codes: 0 done, 1 failure, 2 usage, 3 bad data, 4 result written, but not "
           "reliable.\n");
    return true;
}

static void log_to_stderr(void *user, rm2_log_level level, const char *line) {
    const common_options *common = user;
    if (common->quiet || (level == RM2_LOG_DEBUG && !common->verbose))
        return;
    char text[MESSAGE_SIZE], shown[MESSAGE_SIZE];
    (void)message_as_options(line, text, sizeof text);
    (void)fprintf(stderr, "%s%s\n", level == RM2_LOG_WARNING ? "warning: " : "",
                  plain_text(text, shown, sizeof shown));
}

/* Of the process, set before a command runs. */
static const rm2_communicator *process_communicator;

void command_set_communicator(const rm2_communicator *comm) {
    process_communicator = comm;
}

int command_ranks(void) {
    return process_communicator ? process_communicator->ranks : 1;
}

/* Threads that share fewer processors than there are: mpirun binds a rank to one processor where it starts one or two. */
static void warn_if_bound(const rm2_context *ctx, int threads, common_options *common) {
    char line[MESSAGE_SIZE];
    int allowed = rm2_context_threads(ctx); /* as many as there are processors */
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= allowed || allowed >= all)
        return;
    (void)snprintf(line, sizeof line,
                   "%d threads share %d of %ld processors, to which this process is bound%s",
                   threads, allowed, all,
                   process_communicator ? " (Open MPI: start it with mpirun --bind-to none)" : "");
    log_to_stderr(common, RM2_LOG_WARNING, line);
}

rm2_context *command_context(common_options *common) {
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK) {
        (void)fprintf(stderr, "riemann2: out of memory\n");
        return NULL;
    }
    int threads = common->threads < 4096 ? (int)common->threads : 4096;
    rm2_context_set_threads(ctx, 0);
    warn_if_bound(ctx, threads, common);
    rm2_context_set_threads(ctx, threads);
    rm2_context_set_seed(ctx, common->seed);
    rm2_context_set_log(ctx, log_to_stderr, common);
    if (mat_register(ctx) != RM2_OK) {
        (void)fprintf(stderr, "riemann2: %s\n", rm2_context_error(ctx));
        rm2_context_free(ctx);
        return NULL;
    }
    (void)rm2_context_set_communicator(ctx, process_communicator);
    return ctx;
}

int command_fail(const command *self, const rm2_context *ctx, rm2_status status) {
    char text[MESSAGE_SIZE], shown[MESSAGE_SIZE];
    (void)message_as_options(rm2_context_error(ctx), text, sizeof text);
    (void)fprintf(stderr, "%s: %s\n", self->title,
                  *text ? plain_text(text, shown, sizeof shown) : rm2_status_text(status));
    switch (status) {
    case RM2_ERR_ARGUMENT:
        return EXIT_USAGE;
    case RM2_ERR_FORMAT:
    case RM2_ERR_DATA:
    case RM2_ERR_UNSUPPORTED:
    case RM2_ERR_DOMAIN:
    case RM2_ERR_CUT_LOCUS:
        return EXIT_BAD_DATA;
    default:
        return EXIT_FAILED;
    }
}

/* ---- the process ----------------------------------------------------------------------------- */

void process_start(char **argv) {
    restart_with_better_kernels(argv);
    rm2_blas_set_threads(1);        /* where its number of threads is one for the process */
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
    (void)signal(SIGXFSZ, SIG_IGN); /* so is a file size limit */
}

int process_end(int code) {
    errno = 0;
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (!lost || (code != EXIT_DONE && code != EXIT_NOT_CONVERGED))
        return code;
    (void)fprintf(stderr, "riemann2: cannot write to standard output%s%s\n", errno ? ": " : "",
                  errno ? strerror(errno) : "");
    return EXIT_FAILED;
}
