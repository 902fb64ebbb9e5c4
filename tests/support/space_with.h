/* Spaces with other settings of geodesics, or with other obstacles. */
#ifndef SPACE_WITH_H
#define SPACE_WITH_H

#include "riemann2/space.h"

static inline rm2_status space_with_obstacles(rm2_context *context, const rm2_space *space,
                                              const rm2_obstacles *obstacles, double clearance,
                                              double deviations, rm2_space **other) {
    rm2_space_settings s = *rm2_space_settings_of(space);
    s.obstacles = obstacles;
    s.clearance = clearance;
    s.deviations = deviations;
    return rm2_space_with_settings(context, space, &s, other);
}

#endif
