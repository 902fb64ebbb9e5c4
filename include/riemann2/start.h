/* What the start of the latent points found in the demonstrations, if it aligned them
 * (RM2_INIT_ALIGNED): families of demonstrations with the same motion, and how each demonstration
 * passes the motion of its family. */
#ifndef RIEMANN2_START_H
#define RIEMANN2_START_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One demonstration (trajectory). Phases run from 0 to 1 along the motion of the family. */
typedef struct rm2_start_demo {
    size_t family;
    bool reversed;     /* it runs against the motion */
    double begin, end; /* phase of its first and last point; the later first if reversed */
    double misfit;     /* root mean squared distance from the motion, over the spread of the data */
    double unevenness; /* largest deviation of its phase from an even pace between begin and end */
    size_t outliers;   /* points far from those around them; left out of the alignment */
    size_t resting;    /* points of pauses: at a twentieth of the mean speed or less */
} rm2_start_demo;

typedef struct rm2_start_family {
    size_t demos;     /* demonstrations */
    size_t reference; /* the demonstration that the others fit into best */
    bool complete;    /* the reference is the whole motion; else it was continued by others */
} rm2_start_family;

typedef struct rm2_start_report {
    size_t demos;    /* demonstrations: the trajectories of the data */
    size_t families; /* in the order of their first demonstration */
    bool labelled;   /* families are the labels of the data */
    rm2_start_demo *demo;
    rm2_start_family *family;
} rm2_start_report;

/* NULL is allowed. */
RM2_API void rm2_start_report_free(rm2_start_report *report);

#ifdef __cplusplus
}
#endif
#endif
