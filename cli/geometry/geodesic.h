/* riemann2 geodesic: what its parts share. */
#ifndef RM2_CLI_GEODESIC_H
#define RM2_CLI_GEODESIC_H

#include "core/vicinity.h"
#include "geometry/geometry.h"

/* Measures of one curve. */
typedef struct measured {
    rm2_path_report report;          /* one that is blocked is not written */
    double expected, standard_error; /* expected length, with --samples */
    double duration;     /* seconds within the limits of speed and acceleration; 0: not asked for */
    double *over_spread; /* of each node of the curve, from the demonstrations */
} measured;

/* Geodesics and what was found about them. */
typedef struct geodesic_job {
    const model_work *m;
    rm2_space *space;
    rm2_vicinity *vicinity;
    size_t pairs;                 /* curves */
    size_t stops;                 /* points of the one way with --through; 0: pairs */
    size_t nodes;                 /* asked for */
    size_t stride;                /* the curves have this many times as many steps */
    double *ends;                 /* pairs x 2 x Q, or stops x Q */
    double *speed, *acceleration; /* limits of the factors; NULL: none */
    rm2_curve **curves;
    measured *measured;
} geodesic_job;

/* --speed-limit and --acceleration-limit: one number per factor; the caller's to free, NULL if not given. */
int geodesic_find_limits(const model_work *m, double **speed, double **acceleration);

/* Is an end or a via point a pose, which the motion must meet? Then motion_run does the work of the command. */
bool motion_wanted(const model_work *m);
int motion_run(const model_work *m);
/* Numbers with commas between them, to the end of the text or a slash; the word "free" stands for one that may be anything. NULL:
 * this is not what the text is. */
const char *motion_parse_entries(const char *text, size_t count, double *entries);

/* The frames of --frame. */
typedef struct motion_frames {
    size_t count;
    rm2_task_frame *frame; /* count */
    char **texts;
    double *memory;
} motion_frames;

int motion_parse_frames(const model_work *m, motion_frames *frames);
/* After a failure too. */
void motion_free_frames(motion_frames *frames);

/* Nodes of all curves with their decoded points, as a table. */
int geodesic_write(const geodesic_job *j);
/* Curves that are not blocked. */
size_t geodesic_open(const geodesic_job *j);
/* Print the summary; the exit code. */
int geodesic_report(const geodesic_job *j);

#endif
