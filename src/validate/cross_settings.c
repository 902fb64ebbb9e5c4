/* Settings of cross-validation: their table. */
#include "settings/settings.h"

#include "riemann2/cross.h"

static const char *const splits[] = {"auto", "trajectories", "points", "labels", NULL};

#define CROSS(member, kind)                                                                        \
    RM2I_MEMBER(rm2_cross_settings, member), .name = #member, .type = RM2_SETTING_##kind

/* clang-format off */
static const rm2_setting rows[] = {
    {CROSS(split, CHOICE), .words = splits, .defaults = {"auto"}, .group = "Cross-validation",
     .help = "units that are held out; auto: trajectories if the data have any, otherwise points"},
    {CROSS(folds, COUNT), RM2I_COUNT_FROM(2), .zero = "auto", .defaults = {"auto"},
     .group = "Cross-validation",
     .help = "number of folds; auto: one per trajectory or label, at most ten; five for points"},
    {CROSS(motion, FLAG), .defaults = {"yes"}, .group = "Cross-validation",
     .help = "compare geodesics between the ends of held-out trajectories with these"},
    {CROSS(seed, SEED), .defaults = {"0"}, .group = "Cross-validation",
     .help = "of the division into folds"},
};
/* clang-format on */

const rm2_settings_table *rm2i_cross_table(void) {
    static const rm2_settings_table table = {.name = "cross",
                                             .struct_size = sizeof(rm2_cross_settings),
                                             .count = sizeof rows / sizeof *rows,
                                             .columns = 1,
                                             .rows = rows};
    return &table;
}
