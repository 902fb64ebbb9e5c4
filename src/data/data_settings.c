/* Settings of data: their table, and those that contradict the file or the manifold. Settings that
 * cannot take effect are rejected, because whoever gave them takes the numbers for something else
 * than what they are read as. */
#include "base/base.h"
#include "data/data.h"
#include "front/arrays.h"
#include "riemann2/io.h"
#include "settings/settings.h"

/* ---- table ---------------------------------------------------------------------------------- */

static const char *const header_words[] = {"auto", "yes", "no", NULL};
static const char *const quat_order_words[] = {"auto", "wxyz", "xyzw", NULL};
static const char *const orientation_words[] = {"auto",   "quaternion", "matrix",
                                                "rotvec", "euler",      NULL};
static const char *const layout_words[] = {"full", "upper", "lower", "fsl", "mrtrix", "ants", NULL};
static const char *const scale_words[] = {"none", "all", "auto", NULL};

/* One row per setting. */
/* clang-format off */
#define DATA(member, kind)                                                                         \
    RM2I_MEMBER(rm2_data_settings, member), .name = #member, .type = RM2_SETTING_##kind

static const rm2_setting rows[] = {
    {DATA(manifold, TEXT), .form = "SPEC", .defaults = {""}, .group = "Points",
     .help = "R3, S2, S3, SO3, SPD15, SPD15:log, H2, T7, SE3, products with x: \"R3 x S3\""},
    {DATA(columns, TEXT), .form = "A,B,...", .defaults = {""}, .group = "Points",
     .help = "columns of the points, by name, number from 0 or range 3-380; empty: all that no other option names"},
    {DATA(ignore, TEXT), .form = "A,B,...", .defaults = {""}, .group = "Points",
     .help = "columns to leave out, written as for columns"},
    {DATA(group, TEXT), .form = "COLUMN", .defaults = {""}, .group = "Points",
     .help = "column of trajectory ids, with consecutive rows per id (.npz, .mat: an array)"},
    {DATA(label, TEXT), .form = "COLUMN", .defaults = {""}, .group = "Points",
     .help = "labels of the points"},
    {DATA(time, TEXT), .form = "COLUMN", .defaults = {""}, .group = "Points",
     .help = "time of the points"},
    {DATA(array, TEXT), .form = "NAME", .defaults = {""}, .group = "Points",
     .help = "array of the points in an .npz or .mat file; empty: points, or the only one that fits"},

    {DATA(header, CHOICE), .words = header_words, .defaults = {"auto"}, .group = "Text files",
     .help = "whether the first line has names; auto: yes if a field is not a number"},
    {DATA(delimiter, CHARACTER), .zero = "auto", .form = "C", .defaults = {"auto"},
     .group = "Text files", .help = "character between fields, or tab; auto: from the first line"},

    {DATA(quat_order, CHOICE), .words = quat_order_words, .defaults = {"auto"},
     .group = "Conventions",
     .help = "order of quaternions; auto: from names such as qw,qx,qy,qz, otherwise wxyz"},
    {DATA(orientation, CHOICE), .words = orientation_words, .defaults = {"auto"},
     .group = "Conventions",
     .help = "form of S3 and SO3 factors; auto: euler if axes are given, otherwise quaternion"},
    {DATA(euler, TEXT), .form = "AXES", .defaults = {""}, .group = "Conventions",
     .help = "order of Euler angles: xyz (fixed axes) or ZYX (axes that turn)"},
    {DATA(degrees, FLAG), .defaults = {"no"}, .group = "Conventions",
     .help = "angles are in degrees, not radians"},
    {DATA(angles, FLAG), .defaults = {"no"}, .group = "Conventions",
     .help = "S1 factors have one angle each (joints)"},
    {DATA(spd_layout, CHOICE), .words = layout_words, .defaults = {"full"}, .group = "Conventions",
     .help = "order of the entries of symmetric matrices"},
    {DATA(unit_diagonal, FLAG), .defaults = {"no"}, .group = "Conventions",
     .help = "the triangle has no diagonal: add ones (correlations)"},
    {DATA(align_signs, FLAG), .defaults = {"yes"}, .group = "Conventions",
     .help = "S3, SO3: choose q or -q so that signs agree along and across trajectories"},

    {DATA(thin, COUNT), RM2I_COUNT_FROM(1), .zero = "all", .defaults = {"all"},
     .group = "Selection", .help = "number of evenly spaced points to keep per trajectory"},
    {DATA(holdout, TEXT), .form = "ID,...", .lower = 1, .defaults = {""}, .group = "Selection",
     .help = "trajectories to set aside"},
    {DATA(select, TEXT), .form = "ID,...", .lower = 1, .defaults = {""}, .group = "Selection",
     .help = "the only trajectories to keep; empty: all"},

    {DATA(allow_missing, FLAG), .defaults = {"no"}, .group = "Values",
     .help = "entries may be missing: single Euclidean ones, or whole other factors"},
    {DATA(scale, CHOICE), .words = scale_words, .defaults = {"auto"}, .group = "Values",
     .help = "divide Euclidean factors by one number each; auto: those of products"},
    {DATA(project_below, NUMBER), RM2I_FROM(0), .defaults = {"1e-6"}, .group = "Values",
     .help = "relative distance from the manifold up to which points are projected silently"},
    {DATA(warn_below, NUMBER), .option = "tolerance", RM2I_FROM(0), .defaults = {"1e-3"},
     .group = "Values", .help = "relative distance up to which points are projected with a warning; beyond: an error"},
    {DATA(shrinkage, NUMBER), .lower = 0, .lower_open = true, .upper = 1, .zero = "none",
     .defaults = {"none"}, .group = "Values",
     .help = "SPD: replace each matrix A by (1 - X) A + X tr(A)/n I; regularises singular ones"},
};
/* clang-format on */

RM2I_TABLE(rm2i_data_table, "data", rm2_data_settings, rows)

const char *rm2i_spd_layout_name(rm2_spd_layout layout) {
    return layout_words[layout];
}

rm2_status rm2i_data_settings_overlay(rm2_context *ctx, const rm2_data_settings *given, bool file,
                                      rm2_data_settings *own) {
    *own = rm2_data_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, given, own));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_DATA), own));
    if (file && !own->manifold)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.manifold is missing: it describes the points, such as "
                         "\"R3 x S3\"");
    if (own->orientation == RM2_ORIENTATION_AUTO)
        own->orientation = own->euler ? RM2_ORIENTATION_EULER : RM2_ORIENTATION_QUATERNION;
    return RM2_OK;
}

bool rm2i_data_scales(const rm2_data_settings *s, const rm2_manifold *manifold, size_t n) {
    bool product = rm2_manifold_factor_count(manifold) > 1;
    return s->scale == RM2_SCALE_ALL ||
           (s->scale == RM2_SCALE_AUTO && product && n > 1 && !s->allow_missing);
}

/* ---- settings without effect ---------------------------------------------------------------- */

/* A setting, whether it is given where it cannot take effect, and why it cannot. */
typedef struct idle_setting {
    bool idle;
    const char *name, *why;
} idle_setting;

static rm2_status refuse_idle(rm2_context *ctx, const char *where, const idle_setting *list,
                              size_t count) {
    for (size_t k = 0; k < count; k++)
        if (list[k].idle)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s has no effect on %s: %s",
                             list[k].name, where, list[k].why);
    return RM2_OK;
}

static rm2_status check_file(rm2_context *ctx, const char *path, const rm2_data_settings *s) {
    bool archive = rm2_archive_format_of(ctx, path) != NULL;
    bool text = !archive && !rm2i_has_extension(path, ".npy");
    const idle_setting list[] = {
        {s->array && !archive, "array", "it names an array of an .npz or .mat file"},
        {s->delimiter && !text, "delimiter", "it is for text files"},
        {s->header != RM2_HEADER_AUTO && !text, "header", "it is for text files"},
    };
    return refuse_idle(ctx, path, list, sizeof list / sizeof *list);
}

static rm2_status check_memory(rm2_context *ctx, const rm2_data_settings *s) {
    static const char arrays[] = "rm2_data_arrays has it", file[] = "it is for files";
    const idle_setting list[] = {
        {s->manifold, "manifold", arrays},
        {s->group, "group", arrays},
        {s->label, "label", arrays},
        {s->time, "time", arrays},
        {s->columns, "columns", file},
        {s->ignore, "ignore", file},
        {s->array, "array", file},
        {s->delimiter, "delimiter", file},
        {s->header != RM2_HEADER_AUTO, "header", file},
    };
    return refuse_idle(ctx, "data in memory", list, sizeof list / sizeof *list);
}

static bool any_factor(const rm2_manifold *m, bool (*is)(const rm2_factor *f)) {
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        if (is(rm2_manifold_factor(m, k)))
            return true;
    return false;
}

static bool is_spd(const rm2_factor *f) {
    return rm2_is_spd(f->geometry);
}

static rm2_status check_manifold(rm2_context *ctx, const rm2_manifold *m,
                                 const rm2_data_settings *s) {
    bool circles = any_factor(m, rm2i_is_circle), matrices = any_factor(m, is_spd);
    bool orientations = any_factor(m, rm2i_is_orientation);
    bool quaternions = orientations && s->orientation == RM2_ORIENTATION_QUATERNION;
    bool turned = orientations && (s->orientation == RM2_ORIENTATION_ROTVEC ||
                                   s->orientation == RM2_ORIENTATION_EULER);
    bool euler = orientations && s->orientation == RM2_ORIENTATION_EULER;
    static const char no_circle[] = "it is for S1 factors (T2 is S1 x S1)",
                      no_matrix[] = "it is for SPD factors";
    const idle_setting list[] = {
        {s->angles && !circles, "angles", no_circle},
        {s->spd_layout != RM2_SPD_FULL && !matrices, "spd_layout", no_matrix},
        {s->unit_diagonal && !matrices, "unit_diagonal", no_matrix},
        {s->shrinkage > 0 && !matrices, "shrinkage", no_matrix},
        {s->euler && !euler, "euler",
         orientations ? "settings.orientation says that orientations are not Euler angles"
                      : "it is for S3 and SO3 factors"},
        {s->orientation != RM2_ORIENTATION_QUATERNION && !orientations, "orientation",
         "it is for S3 and SO3 factors"},
        {s->quat_order != RM2_QUAT_AUTO && !quaternions, "quat_order",
         orientations
             ? "settings.orientation or settings.euler says that orientations are not quaternions"
             : "it is for S3 and SO3 factors"},
        {!s->align_signs && !orientations, "align_signs", "it is for S3 and SO3 factors"},
        {s->degrees && !(s->angles && circles) && !turned, "degrees",
         "no factor is given as angles; these are S1 factors with settings.angles, S3 and SO3 "
         "factors with settings.euler or settings.orientation rotvec"},
    };
    return refuse_idle(ctx, rm2_manifold_spec(m), list, sizeof list / sizeof *list);
}

rm2_status rm2i_check_settings(rm2_context *ctx, const char *path, const rm2_manifold *m,
                               const rm2_data_settings *s) {
    RM2_TRY(path ? check_file(ctx, path, s) : check_memory(ctx, s));
    RM2_TRY(check_manifold(ctx, m, s));
    if (s->orientation == RM2_ORIENTATION_EULER && !rm2i_euler_order_valid(s->euler))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "Euler angles need the order of their axes: three letters such as xyz "
                         "(fixed axes) or ZYX (axes that turn), neighbours different; got \"%s\"",
                         s->euler ? s->euler : "");
    return RM2_OK;
}
