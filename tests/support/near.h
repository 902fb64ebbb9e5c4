/* Comparison of doubles that also fails on NaN. */
#ifndef NEAR_H
#define NEAR_H

#include <math.h>

#define assert_near(a, b, bound) check_near(a, b, bound, __LINE__)

static void check_near(double a, double b, double bound, int line) {
    if (!(fabs(a - b) <= bound))
        fail_msg("line %d: %.17g and %.17g differ by %g, more than %g", line, a, b, a - b, bound);
}

#endif
