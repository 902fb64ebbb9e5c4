/* riemann2 explore: a page in the browser on which the latent space of a model can be touched. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/settings.h"
#include "explore/explorer.h"
#include "explore/page.h"

typedef struct explore_options {
    uint64_t port;
    const char *bind;
    arm_source arm;
    bool no_browser, until_eof;
    rm2_space_settings space;
} explore_options;

#define EXPLORE(member) offsetof(explore_options, member)

static const option explore_table[] = {
    {"--port", "N", OPTION_INTEGER, EXPLORE(port), NULL, "port (default 0: any that is free)"},
    {"--no-browser", NULL, OPTION_FLAG, EXPLORE(no_browser), NULL,
     "print the address only, do not open a browser"},
    {"--until-eof", NULL, OPTION_FLAG, EXPLORE(until_eof), NULL,
     "end when standard input ends, for programs that start the explorer"},
    {"--bind", "ADDRESS", OPTION_TEXT, EXPLORE(bind), NULL,
     "IPv4 address to listen on (default: 127.0.0.1); others let the network read the model"},
    {.name = NULL},
};

enum { BODY_LIMIT = 16 << 20, ADDRESS_SIZE = 128 };

/* ---- the browser ---------------------------------------------------------------------------- */

extern char **environ;

/* xdg-open, in a process of its own that nobody waits for; nothing happens where there is none. */
static void open_browser(char *address) {
    static char program[] = "xdg-open";
    char *arguments[] = {program, address, NULL};
    const struct sigaction no_zombies = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    pid_t child;
    (void)sigaction(SIGCHLD, &no_zombies, NULL);
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files) != 0 || posix_spawnattr_init(&how) != 0)
        return;
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigmask(&how, &none);
    (void)posix_spawnp(&child, program, &files, &how, arguments, environ);
    (void)posix_spawnattr_destroy(&how);
    (void)posix_spawn_file_actions_destroy(&files);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void block_signals(sigset_t *signals) {
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGTERM);
    (void)sigaddset(signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, signals, NULL);
}

/* Reads standard input to its end, then ends the program as SIGTERM does. */
static void *watch_input(void *unused) {
    char bytes[256];
    ssize_t got;
    do
        got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got > 0 || (got < 0 && errno == EINTR));
    (void)kill(getpid(), SIGTERM);
    return unused;
}

enum { LONGEST_END = 1 }; /* seconds */

static void end_at_once(int signal) {
    (void)signal;
    _exit(EXIT_DONE);
}

/* The server ends in a fraction of a second. A second Ctrl-C, or one second without an end, ends the program as it is: there are no
 * files that it could leave half-written. */
static void limit_end(const sigset_t *signals) {
    const struct sigaction now = {.sa_handler = end_at_once};
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        (void)sigaction(ends[k], &now, NULL);
    (void)pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    (void)alarm(LONGEST_END);
}

static bool start_watch(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, watch_input, NULL) == 0 && pthread_detach(thread) == 0;
}

/* ---- the server ----------------------------------------------------------------------------- */

static int cannot_listen(const work *w, const http_settings *s) {
    int reason = errno;
    if (reason == EINVAL)
        return work_complain(w, EXIT_USAGE, "--bind %s: expected an IPv4 address such as 127.0.0.1",
                             s->address);
    return work_complain(w, EXIT_FAILED, "cannot listen on %s, port %u: %s; choose another --port",
                         s->address, (unsigned)s->port, reason ? strerror(reason) : "in use");
}

/* A new one, unless the user keeps one for pages that shall find the server again when it restarts. */
static int choose_token(const work *w, char token[HTTP_TOKEN + 1]) {
    const char *kept = getenv("RIEMANN2_EXPLORE_TOKEN");
    if (!kept || !*kept)
        return http_make_token(token)
                   ? EXIT_DONE
                   : work_complain(w, EXIT_FAILED, "cannot read random numbers from /dev/urandom");
    if (strlen(kept) != HTTP_TOKEN || strspn(kept, "0123456789abcdef") != HTTP_TOKEN)
        return work_complain(w, EXIT_USAGE,
                             "RIEMANN2_EXPLORE_TOKEN: expected %d hexadecimal digits (0-9, a-f)",
                             HTTP_TOKEN);
    memcpy(token, kept, HTTP_TOKEN + 1);
    return EXIT_DONE;
}

/* Signals are blocked before the first thread starts, so that all threads leave them to sigwait. */
static int serve(const work *w, const explore_options *o, explorer *e, const sigset_t *signals) {
    http_settings s = {.address = o->bind ? o->bind : "127.0.0.1",
                       .port = (uint16_t)o->port,
                       .body_limit = BODY_LIMIT,
                       .handlers = explorer_handlers(e)};
    char address[ADDRESS_SIZE];
    int signal;
    int code = choose_token(w, s.token);
    if (code != EXIT_DONE)
        return code;
    errno = 0;
    http_server *server = http_start(&s);
    if (!server)
        return cannot_listen(w, &s);
    (void)snprintf(address, sizeof address, "http://%s:%u/%s/",
                   strcmp(s.address, "0.0.0.0") == 0 ? "127.0.0.1" : s.address,
                   (unsigned)http_port(server), s.token);
    (void)printf("%s\n", address);
    (void)fflush(stdout);
    if (!o->until_eof)
        work_note(w, "Press Ctrl-C to end.");
    if (!o->no_browser)
        open_browser(address);
    if (!o->until_eof || start_watch())
        (void)sigwait(signals, &signal);
    limit_end(signals);
    rm2_context_interrupt(e->opening.ctx);
    http_stop(server);
    return EXIT_DONE;
}

/* ---- command -------------------------------------------------------------------------------- */

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int explore(const work *w, const char *path, const explore_options *o) {
    explorer e = {.file = name_of(path), .settings = o->space};
    rm2_model *model = NULL;
    sigset_t signals;
    block_signals(&signals);
    int code = work_check(w, rm2_model_read(w->ctx, path, &model));
    if (code == EXIT_DONE) {
        code = work_check(w, explorer_open(w->ctx, model, &o->arm, &e));
        if (code == EXIT_DONE)
            code = serve(w, o, &e, &signals);
        explorer_close(&e);
    }
    rm2_model_free(model);
    return code;
}

int run_explore(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    static const char *const space_settings[] = {"contrast", NULL};
    explore_options options = {.space = rm2_space_settings_default()};
    setting_options space_from = {.table = rm2_settings_table_of(RM2_SETTINGS_SPACE),
                                  .only = space_settings};
    const option_group groups[] = {
        {"Explorer", explore_table, &options, NULL},
        {"Arm that follows the path", arm_option_table, &options.arm, NULL},
        {"Latent space", NULL, &options.space, &space_from},
        {"Common options", common_option_table, &common, NULL},
        {.options = NULL}};
    work w = {self, NULL, &common};
    const char *path;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0) {
        (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
        return EXIT_USAGE;
    }
    if (options.port > UINT16_MAX)
        return work_complain(&w, EXIT_USAGE, "--port %llu: expected 0 to 65535",
                             (unsigned long long)options.port);
    int code = arm_check(&w, &options.arm);
    if (code != EXIT_DONE)
        return code;
    if (!page_is_built())
        return work_complain(&w, EXIT_FAILED,
                             "built without the page of the explorer: run 'make explorer' in the "
                             "source folder, which needs npm");
    w.ctx = command_context(&common);
    if (!w.ctx)
        return EXIT_FAILED;
    code = explore(&w, path, &options);
    rm2_context_free(w.ctx);
    return code;
}
