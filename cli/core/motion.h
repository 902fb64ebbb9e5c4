/* Columns of motions that meet poses, where they are written. */
#ifndef RM2_CLI_MOTION_H
#define RM2_CLI_MOTION_H

#include "riemann2/meet.h"
#include "riemann2/model.h"

/* Numbers per node. Units of the data and frames of the motion's points: RM2_MEET_POSE. */
typedef struct motion_columns {
    double *deviation;  /* of the motion: root of its mean variance, model units */
    double *correction; /* length, model units */
    double *
        of_model; /* the model's own uncertainty of the route: root of its mean variance, model units */
    double *each;        /* x dim: standard deviations of the motion, units of the data */
    double *variability; /* x dim: of the demonstrations around the route, units of the data */
    double *by_factor;   /* x factors: of the motion, roots of the traces, units of the data */
} motion_columns;

rm2_status motion_columns_create(rm2_context *ctx, const rm2_model *model, const rm2_meet *meet,
                                 motion_columns *columns);
void motion_columns_free(motion_columns *columns);
#endif
