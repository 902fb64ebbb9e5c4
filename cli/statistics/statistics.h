/* Commands on labelled points without a model: what they read, and what they share. */
#ifndef RM2_CLI_STATISTICS_H
#define RM2_CLI_STATISTICS_H

#include "core/settings.h"
#include "core/work.h"

/* Points of a file in its units (--scale: scaled), labels (--label; one for all without it), subjects (--group). */
typedef struct labelled_data {
    rm2_data *data;
    double *points;
    size_t *labels, *subjects;
    rm2_labelled view; /* on what is above */
} labelled_data;

/* Free after a failure too. */
int labelled_read(const work *w, const char *path, data_options *options, labelled_data *d);
void labelled_free(labelled_data *d);
const char *labelled_name(const labelled_data *d, size_t label);
/* Characters of the longest name, at least `least`. */
int labelled_name_width(const labelled_data *d, int least);
/* "fnc.csv: 86 points on SPD28 of 20 subjects" */
void labelled_print(FILE *out, const labelled_data *d);

#endif
