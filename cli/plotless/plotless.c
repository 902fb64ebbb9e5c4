/* The program without figures (RM2_PLOT=OFF), in place of cli/plot. */
#include "core/work.h"
#include "experiment/experiment.h"

int run_plot(const command *self, int argc, char **argv) {
    const work w = {.self = self};
    (void)argc;
    (void)argv;
    return work_complain(&w, EXIT_FAILED,
                         "built without figures: build riemann2 with Cairo (RM2_PLOT=ON)");
}

int experiment_draw(experiment_run *r) {
    experiment_say(r, "built without figures: the report has tables only");
    return EXIT_DONE;
}
