/* Settings of motions that meet poses: their table. */
#include "settings/settings.h"

#include "riemann2/meet.h"

#define MEET(member, kind)                                                                         \
    RM2I_MEMBER(rm2_meet_settings, member), .name = #member, .type = RM2_SETTING_##kind

/* clang-format off */
static const rm2_setting rows[] = {
    {MEET(approach, FLAG), .defaults = {"no"}, .group = "Motions",
     .help = "new ends keep the direction in which the motion leaves the start and comes to the goal"},
    {MEET(through, FLAG), .option = "route-through", .defaults = {"no"}, .group = "Motions",
     .help = "the route passes through the encoded via poses; for via poses far from it"},
    {MEET(robust, FLAG), .defaults = {"yes"}, .group = "Motions",
     .help = "leave out demonstrations where they are unlike all others"},
    {MEET(stretch_limit, NUMBER), RM2I_ABOVE(0), .defaults = {"2"}, .group = "Motions",
     .help = "motions of a larger stretch count as outside the demonstrations"},
    {MEET(duration, NUMBER), RM2I_ABOVE(0), .defaults = {"1"}, .group = "Motions",
     .help = "duration of the whole motion: unit of the times of via poses and of velocities"},
    {MEET(spread_limit, NUMBER), RM2I_ABOVE(0), .defaults = {RM2I_TEXT(RM2_VICINITY_LIMIT)},
     .group = "Motions",
     .help = "largest distance of the route from the demonstrations, in multiples of their spread"},
};
/* clang-format on */

const rm2_settings_table *rm2i_meet_table(void) {
    static const rm2_settings_table table = {.name = "meet",
                                             .struct_size = sizeof(rm2_meet_settings),
                                             .count = sizeof rows / sizeof *rows,
                                             .columns = 1,
                                             .rows = rows};
    return &table;
}
