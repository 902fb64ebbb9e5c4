/* Arms, motions they can make, and what must hold of every tracked motion. */
#ifndef ROBOT_FIXTURE_H
#define ROBOT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "riemann2/robot.h"
#include "shared_context.h"

/* A new context for each test, so that its random numbers do not depend on the tests before it. */
#define WITH_FRESH_CONTEXT(test)                                                                   \
    cmocka_unit_test_setup_teardown(test, create_shared_context, free_shared_context)

enum { N = 60, JOINTS = 7 }; /* points of a motion; joints of the Panda */

extern const rm2_arm_task position, pose, profile; /* in the plane; in space; with an ellipsoid */

rm2_arm *open_arm(const char *spec);
/* Two links of length 1 that turn by at most one radian from straight. */
rm2_arm *stiff_arm(void);

/* Joint angles of a smooth motion in the middle of the limits. */
void smooth_motion(const rm2_arm *arm, size_t n, double *q);

void inside_limits(const rm2_arm *arm, size_t n, const double *q);
/* Errors as they are reported, from poses: distance of positions, and angle 2 asin |q x q_d|... by
 * the chord of the quaternions, 4 asin(|q -+ q_d| / 2). */
void errors_are_true(const rm2_arm *arm, const rm2_arm_task *task, size_t n, const double *targets,
                     const double *q, const rm2_track_error *e);
/* A call failed with this status, and this part is in its message. */
void refuses(rm2_status got, rm2_status expected, const char *part);

#endif
