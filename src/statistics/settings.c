/* Settings of the statistics: their tables. */
#include "settings/settings.h"

#include "riemann2/statistics.h"

static const char *const statistics[] = {"means", "tangent", NULL};

#define TEST(member, kind)                                                                         \
    RM2I_MEMBER(rm2_test_settings, member), .name = #member, .type = RM2_SETTING_##kind

/* clang-format off */
static const rm2_setting test_rows[] = {
    {TEST(statistic, CHOICE), .words = statistics, .defaults = {"means"}, .group = "Test",
     .help = "distance between Fréchet means, or between means of logarithms (an approximation, much faster)"},
    {TEST(permutations, COUNT), RM2I_COUNT_FROM(1), .defaults = {"999"}, .group = "Test",
     .help = "permutations of the labels; all of them where there are not more"},
    {TEST(seed, SEED), .defaults = {"0"}, .group = "Test",
     .help = "of the permutations that are drawn"},
};
/* clang-format on */

const rm2_settings_table *rm2_test_settings_table(void) {
    static const rm2_settings_table table = {.name = "test",
                                             .struct_size = sizeof(rm2_test_settings),
                                             .count = sizeof test_rows / sizeof *test_rows,
                                             .columns = 1,
                                             .rows = test_rows};
    return &table;
}
