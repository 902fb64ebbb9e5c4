/* Settings of data, and those that contradict the file or the manifold: what cannot have an effect is
 * refused, because whoever gave it takes the numbers for something else than what they are read as. */
#include "base/base.h"
#include "data/data.h"
#include "riemann2/io.h"

rm2_data_settings rm2_data_settings_default(void) {
    return (rm2_data_settings){
        .header = RM2_HEADER_AUTO,
        .quat_order = RM2_QUAT_AUTO,
        .orientation = RM2_ORIENTATION_QUATERNION,
        .spd_layout = RM2_SPD_FULL,
        .align_signs = true,
        .project_below = 1e-6,
        .warn_below = 1e-3,
    };
}

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
    bool archive = rm2i_has_extension(path, ".npz");
    bool text = !archive && !rm2i_has_extension(path, ".npy");
    const idle_setting list[] = {
        {s->array && !archive, "array", "it names an array of an .npz file"},
        {s->delimiter && !text, "delimiter", "it is for text files"},
        {s->header != RM2_HEADER_AUTO && !text, "header", "it is for text files"},
    };
    return refuse_idle(ctx, path, list, sizeof list / sizeof *list);
}

static bool any_factor(const rm2_manifold *m, bool (*is)(const rm2_factor *f)) {
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        if (is(rm2_manifold_factor(m, k)))
            return true;
    return false;
}

static bool is_spd(const rm2_factor *f) {
    return f->geometry == &rm2_spd;
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
    RM2_TRY(check_file(ctx, path, s));
    RM2_TRY(check_manifold(ctx, m, s));
    if (s->orientation == RM2_ORIENTATION_EULER && !rm2i_euler_order_valid(s->euler))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "Euler angles need the order of their axes: three letters such as xyz "
                         "(fixed axes) or ZYX (axes that turn), neighbours different; got \"%s\"",
                         s->euler ? s->euler : "");
    return RM2_OK;
}
