/* Rows of the settings of geodesics, for structs that have them: that of a space, and the internal one of this layer. */
#ifndef RM2I_GEODESIC_ROWS_H
#define RM2I_GEODESIC_ROWS_H

#include "settings/settings.h"

#define RM2I_GEODESIC_ROW(structure, member, id, kind)                                             \
    RM2I_MEMBER(structure, member), .name = id, .type = RM2_SETTING_##kind, .group = "Geodesics"

/* `last` is the member of the last stage. */
#define RM2I_GEODESIC_ROWS(structure, last)                                                        \
    {RM2I_GEODESIC_ROW(structure, last, "stage", CHOICE), RM2I_WORDS("path", "spline", "polish"),  \
     .defaults = {"polish"},                                                                       \
     .help = "last stage: path on the roadmap, spline of least energy, geodesic equation"},        \
        {RM2I_GEODESIC_ROW(structure, nodes, "nodes", COUNT), RM2I_COUNT_FROM(2),                  \
         .defaults = {"200"}, .help = "number of points per curve"},                               \
        {RM2I_GEODESIC_ROW(structure, intervals, "intervals", COUNT), RM2I_COUNT_FROM(2),          \
         .defaults = {"16"}, .help = "intervals of the first spline"},                             \
        {RM2I_GEODESIC_ROW(structure, max_iterations, "max_iterations", COUNT),                    \
         RM2I_COUNT_FROM(0), .limit = true, .defaults = {"200"},                                   \
         .help = "largest number of iterations of each optimisation"},                             \
    {                                                                                              \
        RM2I_GEODESIC_ROW(structure, tolerance, "tolerance", NUMBER), RM2I_ABOVE(0),               \
            .defaults = {"1e-4"},                                                                  \
            .help = "relative error of the velocity; that of the length is its square"             \
    }

#endif
