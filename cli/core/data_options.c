/* How a file becomes data, as options. */
#include "core/cli.h"

static const char *const quat_orders[] = {"auto", "wxyz", "xyzw", NULL};
static const char *const orientations[] = {"quaternion", "matrix", "rotvec", "euler", NULL};
static const char *const layouts[] = {"full", "upper", "lower", "fsl", "mrtrix", "ants", NULL};
static const char *const headers[] = {"auto", "yes", "no", NULL};
static const char *const scales[] = {"auto", "none", NULL};

#define DATA(member) offsetof(data_options, settings.member)

const option data_option_table[] = {
    {"--manifold", "SPEC", OPTION_TEXT, DATA(manifold), NULL,
     "R3, S2, S3, SO3, SPD15, H2, T7, SE3, products with x: \"R3 x S3\""},
    {"--columns", "A,B,...", OPTION_TEXT, DATA(columns), NULL,
     "columns of the points, by name or number from 0 (default: all others)"},
    {"--group", "COLUMN", OPTION_TEXT, DATA(group), NULL, "trajectory ids; each one a run of rows"},
    {"--label", "COLUMN", OPTION_TEXT, DATA(label), NULL, "labels of the points"},
    {"--time", "COLUMN", OPTION_TEXT, DATA(time), NULL, "time of the points"},
    {"--array", "NAME", OPTION_TEXT, DATA(array), NULL, "array of the points in an .npz file"},
    {"--header", NULL, OPTION_CHOICE, offsetof(data_options, header), headers,
     "whether the first line has names"},
    {"--delimiter", "C", OPTION_LETTER, DATA(delimiter), NULL,
     "character between fields, or tab (default: found from the file)"},
    {"--quat-order", NULL, OPTION_CHOICE, offsetof(data_options, quat_order), quat_orders,
     "order of quaternions (auto: from names such as qw,qx,qy,qz)"},
    {"--orientation", NULL, OPTION_CHOICE, offsetof(data_options, orientation), orientations,
     "how S3 and SO3 factors are given"},
    {"--euler", "AXES", OPTION_TEXT, DATA(euler), NULL,
     "order of Euler angles: xyz (fixed axes) or ZYX (axes that turn)"},
    {"--angles", NULL, OPTION_FLAG, DATA(angles), NULL, "S1 factors are one angle each (joints)"},
    {"--degrees", NULL, OPTION_FLAG, DATA(degrees), NULL, "angles are in degrees, not radians"},
    {"--spd-layout", NULL, OPTION_CHOICE, offsetof(data_options, spd_layout), layouts,
     "order of the entries of symmetric matrices"},
    {"--unit-diagonal", NULL, OPTION_FLAG, DATA(unit_diagonal), NULL,
     "the triangle has no diagonal: add ones (correlations)"},
    {"--keep-signs", NULL, OPTION_FLAG_OFF, DATA(align_signs), NULL,
     "leave the signs of quaternions as they are"},
    {"--thin", "K", OPTION_SIZE, DATA(thin), NULL,
     "keep K evenly spaced points of each trajectory"},
    {"--holdout", "ID,...", OPTION_TEXT, DATA(holdout), NULL, "trajectories to set aside"},
    {"--select", "ID,...", OPTION_TEXT, DATA(select), NULL, "the only trajectories to keep"},
    {"--scale", NULL, OPTION_CHOICE, offsetof(data_options, scale), scales,
     "auto: divide Euclidean factors of products by one number each"},
    {"--tolerance", "X", OPTION_NUMBER, DATA(warn_below), NULL,
     "largest relative distance from the manifold (default: 1e-3)"},
    {.name = NULL},
};

enum { NOT_GIVEN = -1 };

data_options data_options_default(void) {
    return (data_options){.settings = rm2_data_settings_default(), .orientation = NOT_GIVEN};
}

rm2_status data_options_finish(rm2_context *ctx, data_options *options) {
    rm2_data_settings *s = &options->settings;
    s->quat_order = (rm2_quat_order)options->quat_order;
    if (options->orientation != NOT_GIVEN)
        s->orientation = (rm2_orientation)options->orientation;
    else if (s->euler)
        s->orientation = RM2_ORIENTATION_EULER;
    s->spd_layout = (rm2_spd_layout)options->spd_layout;
    s->header = options->header;
    rm2_manifold *m;
    rm2_status status = rm2_manifold_create(ctx, s->manifold, &m);
    if (status != RM2_OK)
        return status;
    s->scale = options->scale == 0 && rm2_manifold_factor_count(m) > 1;
    rm2_manifold_free(m);
    return RM2_OK;
}
