#include "core/arm.h"

#define ARM(member) offsetof(arm_source, member)

const option arm_option_table[] = {
    {"--arm", "ARM", OPTION_TEXT, ARM(spec), NULL,
     "panda, planar:L1,L2,..., a URDF file, or a CSV file of\n"
     "                            modified Denavit-Hartenberg parameters: a, d, alpha, theta,\n"
     "                            lower, upper, speed"},
    {"--urdf", "FILE", OPTION_TEXT, ARM(urdf), NULL,
     "URDF file of the arm, whatever its name (in place of --arm)"},
    {"--base", "LINK", OPTION_TEXT, ARM(base), NULL,
     "link of the URDF file that positions refer to (default: the root)"},
    {"--tip", "LINK", OPTION_TEXT, ARM(tip), NULL,
     "link of the URDF file that follows the trajectory (default: the only leaf)"},
    {.name = NULL},
};

const char *arm_given(const arm_source *source) {
    return source->urdf ? source->urdf : source->spec;
}

int arm_check(const work *w, const arm_source *source) {
    if (source->spec && source->urdf)
        return work_complain(w, EXIT_USAGE, "--arm and --urdf both name an arm: leave one out");
    if ((source->base || source->tip) && !source->urdf &&
        !(source->spec && has_ending(source->spec, ".urdf")))
        return work_complain(w, EXIT_USAGE, "--base and --tip name links of a URDF file");
    return EXIT_DONE;
}

rm2_status arm_open(rm2_context *ctx, const arm_source *source, rm2_arm **arm) {
    if (source->urdf || has_ending(source->spec, ".urdf"))
        return urdf_open(ctx, arm_given(source), source, arm);
    return rm2_arm_read(ctx, source->spec, arm);
}
