/* The program without the explorer's server (no libmicrohttpd), in place of cli/explore. */
#include "core/work.h"

int run_explore(const command *self, int argc, char **argv) {
    const work w = {.self = self};
    (void)argc;
    (void)argv;
    return work_complain(&w, EXIT_FAILED,
                         "built without the explorer: run 'make explorer' in the source folder, or "
                         "build riemann2 with libmicrohttpd (Debian: libmicrohttpd-dev)");
}
