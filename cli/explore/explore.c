/* riemann2 explore: a page in the browser on which the latent space of a model can be touched. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/explorer.h"
#include "explore/page.h"

typedef struct explore_options {
    uint64_t port;
    const char *bind, *arm, *contrast;
    bool no_browser;
} explore_options;

#define EXPLORE(member) offsetof(explore_options, member)

static const option explore_table[] = {
    {"--port", "N", OPTION_INTEGER, EXPLORE(port), NULL, "port (default: any that is free)"},
    {"--no-browser", NULL, OPTION_FLAG, EXPLORE(no_browser), NULL,
     "print the address only, do not open a browser"},
    {"--arm", "ARM", OPTION_TEXT, EXPLORE(arm), NULL,
     "robot arm that follows the path: panda, planarN, or a file"},
    {"--contrast", "X", OPTION_TEXT, EXPLORE(contrast), NULL,
     "metric far from the data over metric on the data (default: 100)"},
    {"--bind", "ADDRESS", OPTION_TEXT, EXPLORE(bind), NULL,
     "address to listen on (default: 127.0.0.1; others make the model readable on the network)"},
    {.name = NULL},
};

enum { BODY_LIMIT = 16 << 20 };

/* ---- life ----------------------------------------------------------------------------------- */

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int open_explorer(const work *w, const char *path, const explore_options *o, explorer *e,
                         rm2_model **model) {
    int code = work_check(w, rm2_model_read(w->ctx, path, model));
    if (code != EXIT_DONE)
        return code;
    e->model = *model;
    e->info = rm2_model_info_of(*model);
    e->file = name_of(path);
    e->arm_name = o->arm;
    e->space_settings = rm2_space_settings_default();
    code = work_take_contrast(w, o->contrast, &e->space_settings.contrast);
    if (code == EXIT_DONE && o->arm)
        code = work_check(w, rm2_arm_open(w->ctx, o->arm, &e->arm));
    if (code == EXIT_DONE)
        code = work_check(w, rm2_space_create(w->ctx, e->model, &e->space_settings, 0, NULL,
                                              &e->space));
    if (code != EXIT_DONE)
        return code;
    e->points = malloc(e->info->points * rm2_manifold_ambient(e->info->manifold) * sizeof(double));
    e->description = explorer_describe(e);
    if (!e->points || !e->description)
        return work_no_memory(w);
    rm2_model_data(e->model, e->points);
    return EXIT_DONE;
}

static void close_explorer(explorer *e) {
    for (size_t k = 0; k < EXPLORER_SLOTS; k++)
        rm2_context_free(e->slots[k].ctx);
    rm2_space_free(e->avoiding);
    rm2_space_free(e->space);
    rm2_arm_free(e->arm);
    free(e->obstacles);
    free(e->description);
    free(e->points);
    (void)pthread_mutex_destroy(&e->lock);
    (void)pthread_mutex_destroy(&e->space_lock);
}

/* ---- the browser ---------------------------------------------------------------------------- */

/* xdg-open, in a process of its own; nothing happens where there is none. */
static void open_browser(const char *address) {
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        (void)execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(1);
    }
}

/* Until Ctrl-C, hangup or termination; children that have ended are collected. */
static void wait_for_end(const sigset_t *signals) {
    int signal;
    do {
        if (sigwait(signals, &signal) != 0)
            return;
        while (signal == SIGCHLD && waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    } while (signal == SIGCHLD);
}

static void block_signals(sigset_t *signals) {
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGTERM);
    (void)sigaddset(signals, SIGHUP);
    (void)sigaddset(signals, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, signals, NULL);
}

static int serve(const work *w, const explore_options *o, explorer *e) {
    http_settings s = {.address = o->bind ? o->bind : "127.0.0.1",
                       .port = (uint16_t)o->port,
                       .body_limit = BODY_LIMIT,
                       .handler = explorer_answer,
                       .user = e};
    sigset_t signals;
    char address[128];
    if (!http_make_token(s.token))
        return work_complain(w, EXIT_FAILED, "cannot read random numbers from /dev/urandom");
    block_signals(&signals);
    http_server *server = http_start(&s);
    if (!server)
        return work_complain(w, EXIT_FAILED, "cannot listen on %s, port %u: %s; choose another --port",
                             s.address, (unsigned)s.port, strerror(errno));
    (void)snprintf(address, sizeof address, "http://%s:%u/%s/",
                   strcmp(s.address, "0.0.0.0") == 0 ? "127.0.0.1" : s.address,
                   (unsigned)http_port(server), s.token);
    printf("%s\n", address);
    (void)fflush(stdout);
    work_note(w, "Press Ctrl-C to end.");
    if (!o->no_browser)
        open_browser(address);
    wait_for_end(&signals);
    http_stop(server);
    return EXIT_DONE;
}

/* ---- command -------------------------------------------------------------------------------- */

static int explore(const work *w, const char *path, const explore_options *o) {
    explorer e = {.model = NULL};
    rm2_model *model = NULL;
    (void)pthread_mutex_init(&e.lock, NULL);
    (void)pthread_mutex_init(&e.space_lock, NULL);
    int code = open_explorer(w, path, o, &e, &model);
    if (code == EXIT_DONE)
        code = serve(w, o, &e);
    close_explorer(&e);
    rm2_model_free(model);
    return code;
}

int run_explore(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    explore_options options = {.port = 0};
    const option_group groups[] = {{"Explorer", explore_table, &options},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    work w = {self, NULL, &common};
    const char *path;
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0) {
        (void)fprintf(stderr, "usage: riemann2 explore %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    if (options.port > UINT16_MAX)
        return work_complain(&w, EXIT_USAGE, "--port %llu: expected 0 to 65535",
                             (unsigned long long)options.port);
    if (!page_is_built())
        return work_complain(&w, EXIT_FAILED,
                             "this program was built without the page; run 'make explorer', which "
                             "needs npm");
    w.ctx = command_context(&common);
    if (!w.ctx)
        return EXIT_FAILED;
    int code = explore(&w, path, &options);
    rm2_context_free(w.ctx);
    return code;
}
