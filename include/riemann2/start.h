/* Report of a start of the latent points that aligned the demonstrations (RM2_INIT_ALIGNED):
 * families of demonstrations with the same motion, and how each demonstration passes through the
 * motion of its family. */
#ifndef RIEMANN2_START_H
#define RIEMANN2_START_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Findings about one demonstration (trajectory). Phases run from 0 to 1 along the motion of the
 * family. */
typedef struct rm2_start_demo {
    size_t family;
    bool reversed;     /* it runs against the motion */
    double begin, end; /* phases of its first and last point; reversed: begin is larger */
    double misfit;     /* root mean squared distance from the motion, over the spread of the data */
    double unevenness; /* largest deviation of its phase from an even pace between begin and end */
    size_t outliers;   /* number of points far from their neighbours; the alignment ignores them */
    size_t resting;    /* number of points in pauses: at a twentieth of the mean speed or less */
    size_t outlier; /* the outlier farthest from where its neighbours put it, from 0; 0 if none */
    double outlier_distance; /* its distance from there, over the spread of the data; 0 if none */
    double jitter;           /* size of the noise of its points, over the spread of the data */
} rm2_start_demo;

typedef struct rm2_start_family {
    size_t demos;     /* number of demonstrations */
    size_t reference; /* the demonstration that the others fit best */
    bool complete;    /* the reference is the whole motion; false: others continue it */
} rm2_start_family;

typedef struct rm2_start_report {
    size_t demos;    /* number of demonstrations: the trajectories of the data */
    size_t families; /* number of families, ordered by their first demonstration */
    bool labelled;   /* families are the labels of the data */
    rm2_start_demo *demo;
    rm2_start_family *family;
} rm2_start_report;

/* Free a report; NULL is allowed. */
RM2_API void rm2_start_report_free(rm2_start_report *report);

#ifdef __cplusplus
}
#endif
#endif
