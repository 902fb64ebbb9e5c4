/* Settings of covariance estimators. */
#include "covariance/covariance.h"
#include "settings/settings.h"

static const char *const estimator_words[] = {"cov", "scm", "corr", "lwf", "oas", NULL};

/* clang-format off */
#define COVARIANCE(member, kind)                                                                   \
    RM2I_MEMBER(rm2_covariance_settings, member), .name = #member, .type = RM2_SETTING_##kind

static const rm2_setting rows[] = {
    {COVARIANCE(estimator, CHOICE), .words = estimator_words, .defaults = {"lwf"},
     .group = "Estimator",
     .help = "covariance with divisor T - 1 (cov) or T (scm), correlation, Ledoit-Wolf, OAS"},
    {COVARIANCE(shrinkage, NUMBER), .lower = 0, .lower_open = true, .upper = 1, .zero = "auto",
     .defaults = {"auto"}, .group = "Estimator",
     .help = "(1 - X) S + X tr(S)/d I, for cov, scm and corr; auto: none; lwf and oas estimate theirs"},
    {COVARIANCE(standardise, FLAG), .defaults = {"no"}, .group = "Estimator",
     .help = "divide each channel by its standard deviation in the window: correlation matrices"},
};
/* clang-format on */

RM2I_TABLE(rm2i_covariance_table, "covariance", rm2_covariance_settings, rows)

bool rm2i_estimator_shrinks(rm2_estimator estimator) {
    return estimator == RM2_ESTIMATOR_LWF || estimator == RM2_ESTIMATOR_OAS;
}

const char *rm2i_estimator_name(rm2_estimator estimator) {
    return estimator_words[estimator];
}

rm2_status rm2i_covariance_settings_overlay(rm2_context *ctx, const rm2_covariance_settings *given,
                                            rm2_covariance_settings *own) {
    *own = rm2_covariance_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, given, own));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_COVARIANCE), own));
    if (own->shrinkage > 0 && rm2i_estimator_shrinks(own->estimator))
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "settings.shrinkage %g has no effect on settings.estimator %s, which finds its "
            "own; choose scm, cov or corr",
            own->shrinkage, rm2i_estimator_name(own->estimator));
    return RM2_OK;
}
