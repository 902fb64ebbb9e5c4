/* riemann2 covariance: signals to covariance matrices.
 *   covariance.c  options, the loop over the files, summary
 *   recording.c   a file to samples of channels, with labels, ids and events
 *   windows.c     stretches of a recording, windows in them, their matrices
 *   write.c       the matrices to a file */
#ifndef RM2_CLI_COVARIANCE_H
#define RM2_CLI_COVARIANCE_H

#include "core/names.h"
#include "core/settings.h"
#include "core/work.h"

typedef struct covariance_options {
    const char *output, *columns, *ignore, *group, *label, *labels, *events, *offset, *array;
    double window, step, rate; /* seconds where there is a rate, else samples; 0: not given */
    int channels;              /* CHANNELS_COLUMNS or CHANNELS_ROWS */
    int epochs;                /* EPOCHS_AUTO, EPOCHS_FIRST or EPOCHS_LAST */
    bool skip_bad;
    rm2_covariance_settings settings;
    setting_options from;
} covariance_options;

enum { CHANNELS_COLUMNS, CHANNELS_ROWS };
enum { EPOCHS_AUTO, EPOCHS_FIRST, EPOCHS_LAST };

/* The run: options in samples, and what was found so far. */
typedef struct covariance_work {
    work work;
    const covariance_options *options;
    size_t window, step; /* samples; 0: whole stretches */
    long offset;         /* of a window from its event */
} covariance_work;

/* ---- recordings ------------------------------------------------------------------------------ */

/* Samples of one file. Texts have one entry per sample, or per epoch where there are epochs; count 0: none. */
typedef struct recording {
    const char *path;
    char *subject; /* name of the file without folder and ending */
    size_t samples, channels;
    double *values; /* samples x channels */
    char **names;   /* channels, or NULL */
    size_t epochs;  /* samples are this many pieces of equal length; 0: one piece */
    rm2_texts group, label, events;
} recording;

int recording_read(const covariance_work *c, const char *path, recording *r);
void recording_free(recording *r);
/* "s1" of "folder/s1.csv"; NULL: no memory. */
char *subject_of(const char *path);

/* ---- windows --------------------------------------------------------------------------------- */

/* Names in order of first appearance. */
typedef struct name_list {
    char **names;
    size_t count;
} name_list;

typedef struct covariance_set {
    size_t count, room, channels;
    double *matrices;        /* count x channels x channels */
    double *subject, *label; /* count: numbers of names */
    double *time;            /* count: first sample, or its time in seconds */
    name_list subjects, labels;
    region_names names;      /* of the channels, where all recordings have the same; else none */
    bool labelled, windowed; /* are there labels; several windows per recording */
    size_t recordings;       /* files */
    size_t bad, late,
        unlabelled;          /* windows left out: faults, events too near to an end, no label */
    double least, most, sum; /* shrinkage */
    const char *wide;        /* first file with more channels than samples; NULL: none */
} covariance_set;

void set_free(covariance_set *s);
/* The windows of a recording; `label` (NULL: those of the recording) is that of its subject. */
int set_add(const covariance_work *c, const recording *r, const char *label, covariance_set *s);

/* ---- files ----------------------------------------------------------------------------------- */

int set_write(const covariance_work *c, const covariance_set *s);

#endif
