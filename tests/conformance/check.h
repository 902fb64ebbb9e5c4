/* The checks that the runner knows.
 *
 * A check of name `abc` is a function check_abc in some check_*.c; one line in CHECK_LIST declares
 * it and puts it into the table. */
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include "case.h"

#define CHECK_LIST(X)                                                                              \
    X(manifold)                                                                                    \
    X(frechet_mean)                                                                                \
    X(rotation)                                                                                    \
    X(volume)                                                                                      \
    X(dexp)                                                                                        \
    X(kernel)                                                                                      \
    X(kernel_row)                                                                                  \
    X(gp)                                                                                          \
    X(gpdm)                                                                                        \
    X(gamma_prior)                                                                                 \
    X(dtw)                                                                                         \
    X(grid8)                                                                                       \
    X(gp_shoot)                                                                                    \
    X(spline)                                                                                      \
    X(shoot)                                                                                       \
    X(bvp)

/* Fill the outputs of a case. */
typedef void (*check_fn)(conf_case *c);

#define CHECK_DECLARE(name) void check_##name(conf_case *c);
CHECK_LIST(CHECK_DECLARE)
#undef CHECK_DECLARE

/* The check of that name; NULL if there is none. */
check_fn check_find(const char *name);

#endif
