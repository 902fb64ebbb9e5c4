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
     .help = "number of permutations of the labels; all of them if there are not more"},
    {TEST(seed, SEED), .defaults = {"0"}, .group = "Test",
     .help = "of the permutations that are drawn"},
};

#define CLASSIFY(member, kind)                                                                     \
    RM2I_MEMBER(rm2_classify_settings, member), .name = #member, .type = RM2_SETTING_##kind

static const rm2_setting classify_rows[] = {
    {CLASSIFY(folds, COUNT), RM2I_COUNT_FROM(2), .defaults = {"5"}, .group = "Cross-validation",
     .help = "number of folds of subjects, each predicted from the others"},
    {CLASSIFY(repeats, COUNT), RM2I_COUNT_FROM(1), .defaults = {"5"}, .group = "Cross-validation",
     .help = "number of random divisions into folds"},
    {CLASSIFY(neighbours, COUNT), RM2I_COUNT_FROM(1), .defaults = {"7"}, .group = "Cross-validation",
     .help = "number of nearest points that vote"},
    {CLASSIFY(ridge, NUMBER), RM2I_ABOVE(0), .zero = "auto", .defaults = {"auto"},
     .group = "Cross-validation",
     .help = "penalty of logistic regression; auto: cross-validated on the training points"},
    {CLASSIFY(latent_dim, COUNT), .option = "latent", RM2I_COUNT_FROM(1), .defaults = {"2"},
     .group = "Cross-validation", .help = "latent dimensions of the models"},
    {CLASSIFY(seed, SEED), .defaults = {"0"}, .group = "Cross-validation",
     .help = "of the divisions into folds"},
};
/* clang-format on */

RM2I_TABLE(rm2i_test_table, "test", rm2_test_settings, test_rows)

RM2I_TABLE(rm2i_classify_table, "classify", rm2_classify_settings, classify_rows)
