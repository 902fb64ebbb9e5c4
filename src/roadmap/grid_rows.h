/* Rows of the settings of grids, for structs that have them: that of a space, and the internal one of this layer. */
#ifndef RM2I_GRID_ROWS_H
#define RM2I_GRID_ROWS_H

#include "roadmap/roadmap.h"
#include "settings/settings.h"

#define RM2I_GRID_ROW(structure, member, id, kind, title)                                          \
    RM2I_MEMBER(structure, member), .name = id, .type = RM2_SETTING_##kind, .group = title

/* `points` is the member with the nodes along each dimension, and `id` its name. */
#define RM2I_GRID_ROWS(structure, points, id, title)                                               \
    {RM2I_GRID_ROW(structure, points, id, COUNT, title),                                           \
     .option = "grid",                                                                             \
     RM2I_COUNT_FROM(2),                                                                           \
     .zero = "auto",                                                                               \
     .defaults = {"auto"},                                                                         \
     .help = "nodes of the grid along each dimension; auto: 50, or 24 in three dimensions"},       \
        {RM2I_GRID_ROW(structure, padding, "padding", NUMBER, title), RM2I_FROM(0),                \
         .defaults = {"0.1"}, .help = "margin of the grid, as a fraction of its larger side"},     \
    {                                                                                              \
        RM2I_GRID_ROW(structure, reach, "reach", COUNT, title), RM2I_FROM_TO(1, RM2I_GRID_REACH),  \
            .zero = "auto", .defaults = {"auto"},                                                  \
            .help =                                                                                \
                "number of cells that edges of the grid span; auto: 3, or 2 in three dimensions"   \
    }

#endif
