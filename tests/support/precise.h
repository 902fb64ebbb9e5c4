/* Geodesics to six digits, so that tests can tell errors of a method from its tolerance. */
#ifndef PRECISE_H
#define PRECISE_H

#include "geodesic/geodesic.h"

static inline rm2i_geodesic_settings precise_settings(void) {
    rm2i_geodesic_settings s = rm2i_geodesic_settings_default();
    s.tolerance = 1e-6;
    return s;
}

#endif
