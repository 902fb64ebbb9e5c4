/* The table of settings of figures: sides, panels, texts. */
#include "settings/settings.h"

#include "riemann2/figure.h"

enum { PANELS = 100 };

#define FIGURE(member, kind)                                                                       \
    RM2I_MEMBER(rm2_figure_settings, member), .name = #member, .type = RM2_SETTING_##kind,         \
                                              .group = "Figure"
#define SIDE .unit = "millimetres", RM2I_FROM_TO(10, 2000)

/* clang-format off */
static const rm2_setting rows[] = {
    {FIGURE(width, NUMBER), SIDE, .defaults = {"85"}, .help = "width of the page"},
    {FIGURE(height, NUMBER), SIDE, .defaults = {"65"}, .help = "height of the page"},
    {FIGURE(rows, COUNT), RM2I_FROM_TO(1, PANELS), .defaults = {"1"}, .help = "rows of panels"},
    {FIGURE(columns, COUNT), RM2I_FROM_TO(1, PANELS), .defaults = {"1"},
     .help = "columns of panels; at most 100 panels in all"},
    {FIGURE(title, TEXT), .defaults = {""}, .help = "title of the figure"},
    {FIGURE(font_size, NUMBER), .unit = "points", RM2I_FROM_TO(4, 40), .defaults = {"8"},
     .help = "size of texts; the figure's title is a point larger"},
    {FIGURE(legend, FLAG), .defaults = {"no"},
     .help = "one legend below all panels, instead of one per panel"},
};
/* clang-format on */

RM2I_TABLE(rm2i_figure_table, "figure", rm2_figure_settings, rows)
