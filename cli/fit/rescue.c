/* The model as a file. One that cannot be written where it was asked for (disk full, connection lost) is written to another
 * folder, so that the training is not lost. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fit/fit.h"

enum { NAMES = 10, PATH_SIZE = 4096 };

/* As a compact model where that is asked for; one that several processes trained is compact. */
static rm2_status write_model(const training *t, const char *path, bool overwrite) {
    rm2_model *compact = NULL;
    bool whole = t->options->compact && t->data;
    rm2_status status = whole ? rm2_model_compact(t->work.ctx, t->model, 0, &compact) : RM2_OK;
    if (status == RM2_OK)
        status = rm2_model_write(t->work.ctx, compact ? compact : t->model, path, overwrite);
    rm2_model_free(compact);
    return status;
}

/* "riemann2-PID-0.npz", or the first number that is free; readable by the user alone, since others may share the folder. */
static rm2_status write_into(const training *t, const char *folder, char path[PATH_SIZE]) {
    rm2_status status = RM2_ERR_IO;
    for (int k = 0; k < NAMES && status == RM2_ERR_IO; k++) {
        int length = snprintf(path, PATH_SIZE, "%s/riemann2-%ld-%d.npz", folder, (long)getpid(), k);
        if (length < 0 || length >= PATH_SIZE)
            return RM2_ERR_IO;
        status = write_model(t, path, false);
    }
    return status;
}

/* The folders for temporary files, that of the user, and the one that the program runs in: the first that takes it. */
static bool write_elsewhere(const training *t, char path[PATH_SIZE]) {
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", getenv("HOME"), "."};
    mode_t mask = umask(077);
    bool written = false;
    for (size_t k = 0; k < sizeof folders / sizeof *folders && !written; k++)
        written = folders[k] && *folders[k] && write_into(t, folders[k], path) == RM2_OK;
    (void)umask(mask);
    return written;
}

int fit_write_model(const training *t) {
    char reason[MESSAGE_SIZE], path[PATH_SIZE];
    rm2_status status = write_model(t, t->options->output, t->work.common->force);
    if (status != RM2_ERR_IO)
        return work_check(&t->work, status);
    (void)message_as_options(rm2_context_error(t->work.ctx), reason, sizeof reason);
    if (!write_elsewhere(t, path))
        return work_complain(&t->work, EXIT_FAILED, "%s", reason);
    return work_complain(&t->work, EXIT_FAILED, "%s; the model is in %s instead", reason, path);
}
