/* Arms by name or from files, URDF files among them. */
#ifndef RM2_CLI_ARM_H
#define RM2_CLI_ARM_H

#include "core/work.h"

typedef struct arm_source {
    const char *spec;       /* as rm2_arm_read takes it, or a file *.urdf */
    const char *urdf;       /* a URDF file of any name */
    const char *base, *tip; /* links of it; NULL: the only ones */
} arm_source;

/* --arm, --urdf, --base and --tip, which fill an arm_source. */
extern const option arm_option_table[];
/* The name or file; NULL: none. */
const char *arm_given(const arm_source *source);
/* Complains about options that exclude each other. */
int arm_check(const work *w, const arm_source *source);
rm2_status arm_open(rm2_context *ctx, const arm_source *source, rm2_arm **arm);
/* A URDF file; cli/urdf, or cli/urdfless, which says what is missing. */
rm2_status urdf_open(rm2_context *ctx, const char *path, const arm_source *source, rm2_arm **arm);

#endif
