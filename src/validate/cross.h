/* Inside cross-validation: folds (cross_folds.c), one job (cross_job.c), the file of results (cross_file.c), the choice
 * (cross_choice.c). */
#ifndef RM2I_EVAL_CROSS_H
#define RM2I_EVAL_CROSS_H

#include "riemann2/cross.h"

/* ---- folds ---------------------------------------------------------------------------------- */

/* Fold of each point (count), the kind of split and the number of folds, every automatic choice made. */
typedef struct rm2i_folds {
    rm2_split_kind split;
    size_t count;
    size_t *of; /* data->count */
} rm2i_folds;

rm2_status rm2i_folds_create(rm2_context *ctx, const rm2_data *data, const rm2_cross_settings *s,
                             rm2i_folds *folds);

/* ---- one job -------------------------------------------------------------------------------- */

enum { RM2I_CROSS_MESSAGE = 1024 };

typedef struct rm2i_cross_part {
    rm2_data *train, *held;
} rm2i_cross_part;

/* Train on a part and measure. Failures other than RM2_ERR_MEMORY and RM2_INTERRUPTED, which are returned, are written into the
 * job. `message` (RM2I_CROSS_MESSAGE bytes) is the job's. */
rm2_status rm2i_cross_run(rm2_context *ctx, const rm2i_cross_part *part,
                          const rm2_fit_settings *settings, bool motion, rm2_cross_job *job,
                          char *message);

/* ---- file of results ------------------------------------------------------------------------ */

/* A job as it is in the file: known by a hash of all that it depends on. */
typedef struct rm2i_cross_record {
    uint64_t key;
    bool done;
    rm2_cross_job job;
    char message[RM2I_CROSS_MESSAGE];
} rm2i_cross_record;

uint64_t rm2i_cross_key(const rm2i_cross_part *part, const rm2_fit_settings *settings, bool motion);

/* Records that are done. */
rm2_status rm2i_cross_write(rm2_context *ctx, const char *path, size_t count,
                            const rm2i_cross_record *records);
/* Fill the records whose keys are in the file; *found of them. A file that does not exist has none. */
rm2_status rm2i_cross_read(rm2_context *ctx, const char *path, size_t count,
                           rm2i_cross_record *records, size_t *found);

/* ---- choice --------------------------------------------------------------------------------- */

/* Rows, best and recommended from the jobs. */
void rm2i_cross_choose(rm2_cross *cross, const rm2_fit_settings *candidates, rm2_cross_row *rows);

#endif
