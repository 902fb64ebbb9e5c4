/* From the numbers of a file to ambient points: quaternion order, orientations, joint angles,
 * layouts of symmetric matrices. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

static const double DEGREE = 0.017453292519943295769; /* pi / 180 */

bool rm2i_is_orientation(const rm2_factor *f) {
    return f->geometry == &rm2_rotation || (f->geometry == &rm2_sphere && f->n == 3);
}

bool rm2i_is_circle(const rm2_factor *f) {
    return f->geometry == &rm2_sphere && f->n == 1;
}

static bool is_angle(const rm2_factor *f, const rm2_data_settings *s) {
    return s->angles && rm2i_is_circle(f);
}

/* ---- symmetric matrices --------------------------------------------------------------------- */

/* Where the six numbers of a diffusion tensor go: (row, column) of entry k. */
static const unsigned char tensor_orders[3][6][2] = {
    {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}, /* fsl */
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}, /* mrtrix */
    {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}}, /* ants, dipy */
};

size_t rm2i_spd_entries(size_t n, rm2_spd_layout layout, bool unit_diagonal) {
    switch (layout) {
    case RM2_SPD_FULL:
        return n * n;
    case RM2_SPD_UPPER:
    case RM2_SPD_LOWER:
        return unit_diagonal ? n * (n - 1) / 2 : n * (n + 1) / 2;
    case RM2_SPD_FSL:
    case RM2_SPD_MRTRIX:
    case RM2_SPD_ANTS:
        return 6;
    }
    return 0;
}

static void unpack_triangle(size_t n, bool upper, bool unit_diagonal, const double *in,
                            double *out) {
    size_t skip = unit_diagonal ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        size_t from = upper ? i + skip : 0, to = upper ? n : i + 1 - skip;
        for (size_t j = from; j < to; j++)
            out[i * n + j] = out[j * n + i] = *in++;
        if (unit_diagonal)
            out[i * n + i] = 1;
    }
}

void rm2i_spd_unpack(size_t n, rm2_spd_layout layout, bool unit_diagonal, const double *in,
                     double *out) {
    if (layout == RM2_SPD_FULL) {
        memcpy(out, in, n * n * sizeof *out);
    } else if (layout == RM2_SPD_UPPER || layout == RM2_SPD_LOWER) {
        unpack_triangle(n, layout == RM2_SPD_UPPER, unit_diagonal, in, out);
    } else {
        for (size_t k = 0; k < 6; k++) {
            const unsigned char *at = tensor_orders[layout - RM2_SPD_FSL][k];
            out[at[0] * 3 + at[1]] = out[at[1] * 3 + at[0]] = in[k];
        }
    }
}

/* ---- one factor ----------------------------------------------------------------------------- */

static rm2_status spd_width(rm2_context *ctx, const rm2_factor *f, const rm2_data_settings *s,
                            size_t *width) {
    if (s->spd_layout >= RM2_SPD_FSL && f->n != 3)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "layout %s is for SPD3, not SPD%zu",
                         rm2i_spd_layout_name(s->spd_layout), f->n);
    if (s->unit_diagonal && s->spd_layout != RM2_SPD_UPPER && s->spd_layout != RM2_SPD_LOWER)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "a unit diagonal is added to a triangle: give layout upper or lower, not "
                         "%s",
                         rm2i_spd_layout_name(s->spd_layout));
    *width = rm2i_spd_entries(f->n, s->spd_layout, s->unit_diagonal);
    return *width ? RM2_OK
                  : rm2i_fail(ctx, RM2_ERR_ARGUMENT, "SPD1 with a unit diagonal has no entries");
}

rm2_status rm2i_input_width(rm2_context *ctx, const rm2_factor *f, const rm2_data_settings *s,
                            size_t *width) {
    if (rm2_is_spd(f->geometry))
        return spd_width(ctx, f, s, width);
    *width = f->ambient;
    if (is_angle(f, s))
        *width = 1;
    else if (rm2i_is_orientation(f) && s->orientation != RM2_ORIENTATION_QUATERNION)
        *width = s->orientation == RM2_ORIENTATION_MATRIX ? 9 : 3;
    return RM2_OK;
}

static double convert_orientation(const rm2_data_settings *s, rm2_quat_order order,
                                  const double *in, double *out) {
    double unit = s->degrees ? DEGREE : 1;
    switch (s->orientation) {
    case RM2_ORIENTATION_MATRIX:
        return rm2i_matrix_to_quaternion(in, out);
    case RM2_ORIENTATION_ROTVEC:
        rm2i_rotvec_to_quaternion((double[]){unit * in[0], unit * in[1], unit * in[2]}, out);
        return 0;
    case RM2_ORIENTATION_EULER:
        rm2i_euler_to_quaternion((double[]){unit * in[0], unit * in[1], unit * in[2]}, s->euler,
                                 out);
        return 0;
    case RM2_ORIENTATION_AUTO: /* decided when the settings were taken */
    case RM2_ORIENTATION_QUATERNION:
        break;
    }
    size_t shift = order == RM2_QUAT_XYZW ? 3 : 0; /* w is the last one */
    for (size_t i = 0; i < 4; i++)
        out[i] = in[(i + shift) % 4];
    return 0;
}

double rm2i_convert(const rm2_factor *f, const rm2_data_settings *s, rm2_quat_order order,
                    const double *in, double *out) {
    if (rm2_is_spd(f->geometry)) {
        rm2i_spd_unpack(f->n, s->spd_layout, s->unit_diagonal, in, out);
    } else if (is_angle(f, s)) {
        double angle = s->degrees ? DEGREE * in[0] : in[0];
        out[0] = cos(angle);
        out[1] = sin(angle);
    } else if (rm2i_is_orientation(f)) {
        return convert_orientation(s, order, in, out);
    } else {
        memcpy(out, in, f->ambient * sizeof *out);
    }
    return 0;
}
